//! Jobs and their ledger, and when a schedule fires.

use super::heartbeat::AHEAD;
use crate::beat::{self, Work, by_hand, checked, next_of, past, settled};
use crate::{Engine, clock};
use hearth_protocol::api::heartbeat::{
    CronAdd, CronNext, HeartbeatRun, JobRow, JobSource, SlotRow, SlotState,
};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use hearth_schedule::{Schedule, local, moment, utc};
use hearth_store::StoredJob;

/// Slots that a history shows.
const HISTORY: u32 = 200;
/// Times that are computed where no end is given.
const MOST: usize = 100_000;

/// The jobs that are made beside HEARTBEAT.md, and those of its items.
///
/// # Errors
/// The database's.
pub async fn list(engine: &Engine) -> Result<Vec<JobRow>, WireError> {
    let mut rows = Vec::new();
    // Nobody made the nightly one, and there is nothing to change about it.
    let made = |job: &StoredJob| job.id != beat::items::NIGHTLY;
    // The jobs of a file that is gone wait for it to come back, and run no more until then.
    let gone = beat::items::is_gone(&engine.inner).await;
    let here = |job: &StoredJob| made(job) && !(gone && job.source == JobSource::File);
    for job in engine.inner.store.jobs().await?.into_iter().filter(here) {
        rows.push(row(engine, job).await?);
    }
    Ok(rows)
}

async fn row(engine: &Engine, job: StoredJob) -> Result<JobRow, WireError> {
    let now = clock::now();
    let last = engine.inner.store.slots(Some(&job.id), 1).await?.into_iter().next();
    Ok(JobRow {
        next: next_of(&job, now, AHEAD),
        id: job.id,
        name: job.name,
        source: job.source,
        schedule: job.schedule,
        zone: job.zone,
        action: job.action,
        text: job.text,
        missed: job.missed,
        state: job.state,
        why: job.why,
        failures: job.failures,
        last,
        session: job.session,
        created_at: job.created_at,
    })
}

/// Makes a job.
///
/// # Errors
/// `invalid_request`: what is wrong with it.
pub async fn add(engine: &Engine, request: CronAdd) -> Result<JobRow, WireError> {
    engine.inner.must_own()?;
    // What comes from the file is changed there, and what a conversation makes has its own way in.
    let source = match request.source {
        JobSource::Cli => JobSource::Cli,
        _ => JobSource::Window,
    };
    let job = beat::add(&engine.inner, CronAdd { source, ..request }, None).await?;
    row(engine, job).await
}

/// The next times of a schedule, `in 20m` too, on the person's clock or that of a zone.
///
/// # Errors
/// `invalid_request`: what is wrong with it.
pub async fn preview(
    engine: &Engine,
    schedule: String,
    zone: Option<String>,
) -> Result<Vec<CronNext>, WireError> {
    let now = clock::now();
    let found = checked(&engine.settings(), &schedule, zone.as_deref(), now)?;
    let times = found.schedule.fires(now, now, found.zone).take(AHEAD);
    Ok(times.map(|at| CronNext { at_utc: utc(at), local: local(at, found.zone) }).collect())
}

/// Removes a job; its slots stay as history.
///
/// # Errors
/// `not_found`; `invalid_request` for an item of HEARTBEAT.md.
pub async fn remove(engine: &Engine, id: String) -> Result<(), WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let job = inner.store.job(&id).await?;
    if job.source == JobSource::File {
        let message = format!("“{}” stands in HEARTBEAT.md", job.name);
        let (message, hint) = match id == beat::items::NIGHTLY {
            true => (
                "Hearth puts memory in order itself".to_owned(),
                "A block of HEARTBEAT.md with `action: consolidate_memory` says when.",
            ),
            false => (message, "Remove it there."),
        };
        return Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
    }
    inner.store.remove_job(&id).await?;
    inner.heart.look_again();
    inner.bus.send(Signal::Heartbeat);
    Ok(())
}

/// Runs a job now, and wakes one that rests. What asked whether it shall run is answered by that.
///
/// # Errors
/// `not_found`; `invalid_request` where it runs already.
pub async fn run(engine: &Engine, id: String) -> Result<HeartbeatRun, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let job = inner.store.job(&id).await?;
    let (now, by_hand_words) = (clock::now(), inner.words().by_hand());
    let queued = inner.store.queue_slot(&id, &job.name, now, &by_hand_words).await?;
    inner.store.begin_slot(&id, now, now).await?;
    let work = Work { job, slot: None, late: false, as_if: None, also: Vec::new() };
    let ran = by_hand(inner, &work).await;
    let (state, why) = match &ran {
        Ok(run) if run.decision == hearth_protocol::api::heartbeat::BeatDecision::Failed => {
            (SlotState::Failed, run.why.clone())
        }
        Ok(_) => (SlotState::Ok, by_hand_words),
        Err(error) => (SlotState::Missed, error.message.clone()),
    };
    if queued {
        inner.store.end_slot(&id, now, state, &why, clock::now()).await?;
    }
    inner.store.answer_slots(&id).await?;
    inner.heart.look_again();
    inner.bus.send(Signal::Heartbeat);
    ran
}

/// Lets go of the missed slots of a job that ask whether they shall run.
///
/// # Errors
/// `not_found`; `home_busy`, or the database's.
pub async fn leave(engine: &Engine, id: String) -> Result<(), WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    inner.store.job(&id).await?;
    inner.store.answer_slots(&id).await?;
    inner.bus.send(Signal::Heartbeat);
    Ok(())
}

/// The latest slots, of one job or of all, newest first.
///
/// # Errors
/// `not_found` where there is no such job and never was; the database's.
pub async fn history(engine: &Engine, id: Option<String>) -> Result<Vec<SlotRow>, WireError> {
    let rows = engine.inner.store.slots(id.as_deref(), HISTORY).await?;
    if let Some(id) = id.filter(|_| rows.is_empty()) {
        engine.inner.store.job(&id).await?;
    }
    Ok(rows)
}

/// When a schedule would fire.
#[derive(Debug, Clone, Default)]
pub struct Next {
    /// Cron, `every 2h` or `at 2026-12-01 09:00`.
    pub schedule: String,
    /// The zone of its clock; none: the system's.
    pub zone: Option<String>,
    /// From then on, itself included; where `every` counts from. None: now.
    pub from: Option<String>,
    /// Up to then, itself not included.
    pub to: Option<String>,
    /// How many; none: five, or all up to the end.
    pub count: Option<usize>,
}

/// When a schedule would fire, `in 20m` too. Needs no home.
///
/// # Errors
/// `invalid_request`: what cannot be read; `not_found` where its one time is past.
pub fn next(ask: &Next) -> Result<Vec<CronNext>, WireError> {
    let invalid =
        |message: String, hint: &str| WireError::new(ErrorCode::InvalidRequest, message, hint);
    let zone = match ask.zone.as_deref().filter(|name| !name.is_empty()) {
        None => clock::zone(""),
        Some(name) => name.parse().map_err(|_| {
            invalid(format!("there is no time zone {name:?}"), "They are named like Europe/Berlin.")
        })?,
    };
    let time = |text: &String| {
        let hint = "Write it as 2026-12-01T09:00:00Z, or as 2026-12-01 09:00 on the zone's clock.";
        moment(text, zone).ok_or_else(|| invalid(format!("{text:?} is no time"), hint))
    };
    let from = ask.from.as_ref().map(time).transpose()?.unwrap_or_else(clock::now);
    let text = settled(&ask.schedule, from, zone);
    let schedule = Schedule::parse(&text).map_err(|fault| invalid(fault.to_string(), ""))?;
    if ask.from.is_none() && schedule.next_after(from - 1, from, zone).is_none() {
        let error = past(&text, from, zone);
        return Err(WireError { code: ErrorCode::NotFound, ..error });
    }
    let to = ask.to.as_ref().map(time).transpose()?;
    let count = ask.count.unwrap_or(if to.is_some() { MOST } else { AHEAD });
    let after = if schedule.is_elapsed() { from } else { from - 1 };
    let times = schedule.fires(after, from, zone).take(count);
    let within = times.take_while(|at| to.is_none_or(|to| *at < to));
    Ok(within.map(|at| CronNext { at_utc: utc(at), local: local(at, zone) }).collect())
}
