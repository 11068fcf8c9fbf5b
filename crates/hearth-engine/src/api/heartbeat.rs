//! The heartbeat: how it stands, what it would do, doing it now, pausing it, its log.

use crate::beat::{self, Work, by_hand, dry, items, whole_file};
use crate::engine::Inner;
use crate::{Engine, clock};
use hearth_protocol::api::heartbeat::{
    BeatDecision, BeatRow, HeartbeatItem, HeartbeatRun, HeartbeatStatus, JobAction, JobSource,
};
use hearth_protocol::{ErrorCode, WireError};
use hearth_schedule::{Schedule, Tz};
use hearth_store::StoredJob;
use hearth_workspace::Item;

/// Times that are shown ahead.
pub(super) const AHEAD: usize = 5;
const MONTH: i64 = 30 * 86_400;

/// Lets it beat as long as the engine is open. For shells that stay; one that is gone in a moment would only
/// begin what it cannot end.
pub fn start(engine: &Engine) {
    if engine.inner.must_own().is_ok() {
        beat::start(&engine.inner);
    }
}

/// How it stands.
///
/// # Errors
/// The database's.
pub async fn status(engine: &Engine) -> Result<HeartbeatStatus, WireError> {
    let inner = &engine.inner;
    inner.settings.refresh();
    let settings = inner.settings.current();
    let now = clock::now();
    let zone = clock::zone(&settings.time_zone);
    let (day, _) = clock::day_and_month_start(now, zone);
    let problems = items::problems(inner).await;
    let off = inner.heart_is_off(&settings);
    let quiet = inner.quiet_at(&settings, now);
    let rows = list(engine).await?;
    let next = rows.iter().filter(|row| row.paused.is_none()).filter_map(|row| row.next.first());
    Ok(HeartbeatStatus {
        enabled: settings.heartbeat.enabled,
        next_beat: next.min().copied().filter(|_| off.is_none()),
        off_because: off,
        paused_until: inner.paused_until(now).await,
        every: settings.heartbeat.every.clone(),
        quiet: settings.heartbeat.quiet.clone(),
        quiet_now: quiet.is_some(),
        quiet_until: quiet.map(|(_, until)| until),
        zone: zone.name().to_owned(),
        shown_today: inner.store.shown_since(day).await?,
        max_per_day: settings.heartbeat.max_per_day,
        pause_on_battery: settings.heartbeat.pause_on_battery,
        time_zone: settings.time_zone.clone(),
        battery_saver: settings.heartbeat.pause_on_battery && beat::is_saving().await,
        usd_today: inner.store.beats_usd(day).await?,
        notices_new: inner.store.notices_new().await?,
        notifications_broken: inner.heart.broken(),
        problems,
    })
}

/// The items of HEARTBEAT.md with their next times; those that cannot be read with what is wrong.
///
/// # Errors
/// The database's, or where the file cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<HeartbeatItem>, WireError> {
    let inner = &engine.inner;
    let settings = inner.settings.current();
    let now = clock::now();
    let Some(file) = items::read(inner).await? else { return Ok(Vec::new()) };
    let stored = inner.store.jobs().await?;
    let mut rows = Vec::new();
    for item in &file.items {
        let new = items::wanted(item, &settings, now);
        let schedule = items::schedule_text(item, &settings);
        let old = stored.iter().find(|job| job.id == item.id);
        let (last, usd_month) = inner.store.last_beat(&item.id, now - MONTH).await?;
        // The phase is that of the job, where it beats already.
        let anchor = old.filter(|job| job.schedule == schedule).map_or(now, |job| job.anchor);
        rows.push(HeartbeatItem {
            item: item.id.clone(),
            name: item.name.clone(),
            kind: item.kind,
            action: item.action,
            text: item.text.clone(),
            next: new.map(|job| times(&job, anchor, now)).unwrap_or_default(),
            schedule,
            error: fault(inner, item).await,
            line: item.line,
            paused: old.filter(|job| !job.why.is_empty()).map(|job| job.why.clone()),
            last,
            usd_month,
        });
    }
    Ok(rows)
}

/// Why an item does not run, or would not get far.
async fn fault(inner: &Inner, item: &Item) -> Option<String> {
    if item.error.is_some() || item.action != JobAction::RunSkill {
        return item.error.clone();
    }
    beat::must_have_skill(inner, &item.text, JobSource::File).await.err().map(|error| error.message)
}

fn times(job: &StoredJob, anchor: i64, now: i64) -> Vec<i64> {
    let Ok(schedule) = Schedule::parse(&job.schedule) else { return Vec::new() };
    schedule.fires(now, anchor, job.zone.parse().unwrap_or(Tz::UTC)).take(AHEAD).collect()
}

/// What is run by hand.
#[derive(Debug, Clone, Default)]
pub struct RunNow {
    /// Only say what it would do.
    pub dry_run: bool,
    /// One item; none: all of HEARTBEAT.md as one beat.
    pub item: Option<String>,
    /// As if it were that time: for the model and for what holds back. What is stored has the real time.
    pub at: Option<i64>,
}

/// A beat now, or one item of it. Without anything to do no model is asked.
///
/// # Errors
/// `not_found` for an unknown item; `invalid_request` where it runs already.
pub async fn run(engine: &Engine, ask: RunNow) -> Result<HeartbeatRun, WireError> {
    let inner = &engine.inner;
    if !ask.dry_run {
        inner.must_own()?;
    }
    inner.settings.refresh();
    let settings = inner.settings.current();
    let by_mistake = settings.heartbeat.enabled.then(|| inner.heart_is_off(&settings)).flatten();
    if let Some(why) = by_mistake {
        return Ok(beat::quietly(BeatDecision::Skipped, why));
    }
    let work = match &ask.item {
        Some(id) => Some(item(engine, id, ask.at).await?),
        None => whole_file(inner, ask.at).await?,
    };
    let Some(work) = work else {
        let why = inner.words().nothing_to_do();
        return Ok(beat::quietly(BeatDecision::Skipped, why));
    };
    match ask.dry_run {
        true => dry(inner, &work).await,
        false => by_hand(inner, &work).await,
    }
}

async fn item(engine: &Engine, id: &str, as_if: Option<i64>) -> Result<Work, WireError> {
    let settings = engine.inner.settings.current();
    let file = items::read(&engine.inner).await?.unwrap_or_default();
    let found = file.items.iter().find(|item| item.id == id);
    let missing = || {
        let hint = "`hearth heartbeat list --json` shows the items.";
        WireError::new(ErrorCode::NotFound, format!("HEARTBEAT.md has no item {id}"), hint)
    };
    let found = found.ok_or_else(missing)?;
    let job = items::wanted(found, &settings, clock::now()).ok_or_else(|| {
        let why = found.error.clone().unwrap_or_default();
        let message = format!("line {} of HEARTBEAT.md cannot be read", found.line);
        WireError::new(ErrorCode::InvalidRequest, message, why)
    })?;
    Ok(Work { job, slot: None, late: false, as_if, also: Vec::new() })
}

/// Pauses beats and jobs until a time, or ends the pause. Reminders come all the same.
///
/// # Errors
/// `home_busy`, or the database's.
pub async fn pause(engine: &Engine, until: Option<i64>) -> Result<HeartbeatStatus, WireError> {
    engine.inner.must_own()?;
    engine.inner.pause_heart(until).await?;
    engine.inner.bus.send(hearth_protocol::api::system::Signal::Heartbeat);
    status(engine).await
}

/// The end of today on the person's clock: for "pause until tomorrow".
#[must_use]
pub fn tomorrow(engine: &Engine) -> i64 {
    let zone = clock::zone(&engine.settings().time_zone);
    let now = clock::now();
    let (today, _) = clock::day_and_month_start(now, zone);
    // A day has at most 25 hours: this is tomorrow's, whose beginning is asked for.
    clock::day_and_month_start(today + 36 * 3_600, zone).0
}

/// The log: what each beat did, and why. Newest first.
///
/// # Errors
/// The database's.
pub async fn log(engine: &Engine, limit: u32) -> Result<Vec<BeatRow>, WireError> {
    Ok(engine.inner.store.beats(limit).await?)
}
