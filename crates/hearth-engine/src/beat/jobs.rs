//! Jobs that are made beside the file: checked, then stored.

use super::items::usual_policy;
use crate::clock;
use crate::consents;
use crate::engine::Inner;
use crate::settings::Settings;
use hearth_protocol::api::heartbeat::{
    CronAdd, CronNext, ItemKind, JobAction, JobSource, JobState,
};
use hearth_protocol::{ErrorCode, Origin, Purpose, SessionKey, WireError};
use hearth_schedule::{NEAREST, Schedule, Tz, local, span, utc};
use hearth_store::StoredJob;
use hearth_workspace::skill_of;
use hearth_workspace::skills::gate_of_message;

/// More jobs than this are a mistake.
const MOST: usize = 200;
/// Characters of a name made of a text.
const NAME: usize = 40;

/// A schedule that was checked.
pub(crate) struct Checked {
    /// As it is stored.
    pub(crate) text: String,
    pub(crate) schedule: Schedule,
    pub(crate) zone: Tz,
}

fn invalid(message: impl Into<String>, hint: &str) -> WireError {
    WireError::new(ErrorCode::InvalidRequest, message, hint)
}

/// A time zone by its name; none given: the person's.
pub(crate) fn zone_of(settings: &Settings, name: Option<&str>) -> Result<Tz, WireError> {
    match name.filter(|name| !name.is_empty()) {
        None => Ok(clock::zone(&settings.time_zone)),
        Some(name) => name.parse().map_err(|_| {
            invalid(format!("there is no time zone {name:?}"), "They are named like Europe/Berlin.")
        }),
    }
}

/// Reads a schedule, `in 20m` too. One that lies in the past is refused.
///
/// # Errors
/// `invalid_request`: what is wrong, and for a past time what time it is.
pub(crate) fn checked(
    settings: &Settings,
    text: &str,
    zone: Option<&str>,
    now: i64,
) -> Result<Checked, WireError> {
    let zone = zone_of(settings, zone)?;
    let text = settled(text, now, zone);
    let schedule = Schedule::parse(&text).map_err(|fault| invalid(fault.to_string(), ""))?;
    if schedule.next_after(now, now, zone).is_none() {
        return Err(past(&text, now, zone));
    }
    Ok(Checked { text, schedule, zone })
}

/// A schedule as written, with `in 20m` as the time that it means.
pub(crate) fn settled(text: &str, now: i64, zone: Tz) -> String {
    let text = text.trim();
    let length =
        text.split_once(char::is_whitespace).filter(|(word, _)| word.eq_ignore_ascii_case("in"));
    match length.and_then(|(_, length)| span(length)) {
        Some(seconds) => format!("at {}", local(now + seconds, zone)),
        None => with_at(text).unwrap_or_else(|| text.to_owned()),
    }
}

/// There is no time any more.
pub(crate) fn past(text: &str, now: i64, zone: Tz) -> WireError {
    let message = format!("`{text}` is past: it is now {}", shown(now, zone));
    invalid(message, "Name a time that is still to come.")
}

/// A skill that cannot be used is said before a model is asked. `text` is the job's: its name, and what it is asked.
pub(crate) async fn must_have_skill(
    engine: &Inner,
    text: &str,
    source: JobSource,
) -> Result<(), WireError> {
    let (name, _) = skill_of(text);
    let known = engine.skills().await?;
    let channel = crate::api::chat::channel(origin(source));
    let why = match known.any(name) {
        Some((found, "")) => match gate_of_message(&found.skill, channel, "") {
            None => return Ok(()),
            why => why,
        },
        other => other.map(|(_, reason)| reason.to_owned()),
    };
    let message = engine.words().no_skill(name, why.as_deref());
    Err(WireError::new(ErrorCode::NotFound, message, "`hearth skills list` shows those there are."))
}

/// Whence the turns of a job come: a line of the file is the heartbeat's.
pub(crate) fn origin(source: JobSource) -> Origin {
    if source == JobSource::File { Origin::Heartbeat } else { Origin::Cron }
}

/// On whose share of the budget the turns of a job are booked.
pub(crate) fn purpose(source: JobSource) -> Purpose {
    if source == JobSource::File { Purpose::Heartbeat } else { Purpose::Cron }
}

/// A schedule's text, with a bare time as `at` that time.
fn with_at(text: &str) -> Option<String> {
    let is_time = text.contains('-') && text.starts_with(|c: char| c.is_ascii_digit());
    is_time.then(|| format!("at {text}")).filter(|text| Schedule::parse(text).is_ok())
}

/// A local time as models and errors say it.
pub(crate) fn shown(at: i64, zone: Tz) -> String {
    let time = clock::local(at, zone);
    format!("{} ({}, {})", time.format("%Y-%m-%d %H:%M"), time.format("%A"), zone.name())
}

/// Several local times; with seconds where the times differ in these.
pub(crate) fn shown_all(times: &[i64], zone: Tz) -> Vec<String> {
    let same = |at: &i64| times.first().is_none_or(|first| (at - first).rem_euclid(60) == 0);
    let form = if times.iter().all(same) { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M:%S" };
    let one = |at: &i64| {
        let time = clock::local(*at, zone);
        format!("{} ({}, {})", time.format(form), time.format("%A"), zone.name())
    };
    times.iter().map(one).collect()
}

/// Makes a job.
///
/// # Errors
/// `invalid_request`, or the database's.
pub(crate) async fn add(
    engine: &Inner,
    request: CronAdd,
    session: Option<SessionKey>,
) -> Result<StoredJob, WireError> {
    let now = clock::now();
    let settings = engine.settings.current();
    let found = checked(&settings, &request.schedule, request.zone.as_deref(), now)?;
    let text = request.text.trim().to_owned();
    if text.is_empty() && request.action != JobAction::ConsolidateMemory {
        return Err(invalid("the job has no text", "Say what it shall show or do."));
    }
    let nearest = found.schedule.nearest();
    if nearest.is_some_and(|apart| apart < NEAREST) {
        let message = match request.action {
            JobAction::Remind => format!("`{}` would remind more than once a minute", found.text),
            _ => format!("`{}` would ask a model more than once a minute", found.text),
        };
        return Err(invalid(message, "Leave a minute or more between two times."));
    }
    if request.action == JobAction::RunSkill {
        must_have_skill(engine, &text, request.source).await?;
    }
    if engine.store.jobs().await?.len() >= MOST {
        return Err(invalid(format!("there are {MOST} jobs already"), "Remove some first."));
    }
    let name = request.name.filter(|name| !name.trim().is_empty());
    let name = name.unwrap_or_else(|| match text.is_empty() {
        true => "consolidate memory".to_owned(),
        false => text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(NAME).collect(),
    });
    let job = StoredJob {
        name: name.trim().to_owned(),
        schedule: found.text,
        zone: found.zone.name().to_owned(),
        action: request.action,
        text,
        missed: request.missed.unwrap_or_else(|| usual_policy(&found.schedule)),
        session,
        ..StoredJob::new(consents::new_id(), request.source, ItemKind::Job, now)
    };
    engine.store.put_job(&job).await?;
    engine.heart.look_again();
    engine.bus.send(hearth_protocol::api::system::Signal::Heartbeat);
    Ok(job)
}

/// The next times of a job, in both forms.
pub(crate) fn next_of(job: &StoredJob, now: i64, count: usize) -> Vec<CronNext> {
    let Ok(schedule) = Schedule::parse(&job.schedule) else { return Vec::new() };
    let zone = job.zone.parse().unwrap_or(Tz::UTC);
    if job.state != JobState::Active {
        return Vec::new();
    }
    let times = schedule.fires(now, job.anchor, zone).take(count);
    times.map(|at| CronNext { at_utc: utc(at), local: local(at, zone) }).collect()
}
