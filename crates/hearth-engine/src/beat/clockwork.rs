//! When to look what is due, and looking.
//!
//! The alarm only wakes: every five minutes, and at the next time that is known. What is due is computed from the
//! ledger each time, so that a sleep, a clock that was set or a firing that is lost changes nothing.

use super::alarm::Alarm;
use super::{items, power, run};
use crate::clock;
use crate::engine::Inner;
use crate::words::Words;
use crate::{Heard, Listener};
use hearth_agent::beat::{Due, GRACE, JobClock, Late, due};
use hearth_protocol::WireError;
use hearth_protocol::api::heartbeat::{JobAction, JobSource, JobState, MissedPolicy, SlotState};
use hearth_protocol::api::system::Signal;
use hearth_schedule::{Schedule, Tz};
use hearth_store::{DueSlots, MissedSlots, StoredJob};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Nearer than this, the rest is slept through: the alarm needs up to a second.
const NEAR: f64 = 1.6;
/// It looks so often, whatever is known: so long, the time that passes and the wall clock stay together.
const LATEST: i64 = 300;

/// Lets it beat as long as the engine is open. A second call changes nothing.
pub(crate) fn start(engine: &Arc<Inner>) {
    if std::mem::replace(&mut *super::lock(&engine.heart.started), true) {
        return;
    }
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let listener = engine.bus.listen();
    tokio::spawn(async move {
        let told = weak.clone();
        let alarm = Alarm::start(move || {
            if let Some(engine) = told.upgrade() {
                engine.heart.look_again();
            }
        });
        let alarm = match alarm.await {
            Ok(alarm) => alarm,
            Err(error) => {
                return tracing::error!(%error, "no clock: nothing happens by itself");
            }
        };
        tokio::select! {
            () = closing.cancelled() => {}
            () = beat(&alarm, weak, listener) => {}
        }
        alarm.stop().await;
    });
}

async fn beat(alarm: &Alarm, weak: Weak<Inner>, mut listener: Listener) {
    if let Some(engine) = weak.upgrade() {
        match take_up(&engine, clock::now()).await {
            Ok(begins) => begins.into_iter().for_each(|begin| spawn(&engine, begin)),
            Err(error) => {
                tracing::warn!(message = error.message, "what waited before cannot be taken up");
            }
        }
    }
    loop {
        let Some(engine) = weak.upgrade() else { return };
        let next = match look(&engine).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(message = error.message, "what is due cannot be read; tried again");
                None
            }
        };
        drop(engine);
        let latest = (clock::now() / LATEST + 1) * LATEST;
        let at = next.map_or(latest, |next| next.min(latest));
        let left = at as f64 - clock::now_exact();
        if left < NEAR {
            tokio::time::sleep(Duration::from_secs_f64(left.max(0.01))).await;
            continue;
        }
        alarm.set(at);
        wait(&weak, &mut listener).await;
    }
}

/// Waits until something may be due.
async fn wait(weak: &Weak<Inner>, listener: &mut Listener) {
    let Some(engine) = weak.upgrade() else { return };
    let file = hearth_workspace::PersonaFile::Heartbeat.path();
    loop {
        tokio::select! {
            () = engine.heart.again.notified() => return,
            heard = listener.next() => match heard {
                Some(Heard::Signal(Signal::File(changed))) if changed.path == file => return,
                Some(Heard::Signal(Signal::Settings) | Heard::Missed(_)) | None => return,
                Some(Heard::Signal(_)) => {}
            },
        }
    }
}

/// A slot that is queued and to be run.
struct Begin {
    job: StoredJob,
    slot: i64,
    late: bool,
}

/// What was queued when the process ended never began: it runs now, or is missed, by its policy.
async fn take_up(engine: &Inner, now: i64) -> Result<Vec<Begin>, WireError> {
    let words = engine.words();
    let mut begins = Vec::new();
    for row in engine.store.recover_slots(&words.ended_while(), now).await? {
        let job = engine.store.job(&row.job).await.ok();
        let late = now - row.slot > GRACE;
        let runs = |job: &StoredJob| job.missed == MissedPolicy::RunOnce || !late;
        match job.filter(runs) {
            Some(job) => begins.push(Begin { job, slot: row.slot, late }),
            None => {
                let why = words.ended_before();
                engine.store.end_slot(&row.job, row.slot, SlotState::Missed, &why, now).await?;
            }
        }
    }
    Ok(begins)
}

fn spawn(engine: &Arc<Inner>, begin: Begin) {
    let Begin { job, slot, late } = begin;
    engine.turns.spawn(run::slot(Arc::clone(engine), job, slot, late));
}

/// Starts what is due; returns when to look again.
async fn look(engine: &Arc<Inner>) -> Result<Option<i64>, WireError> {
    let now = clock::now();
    let settings = engine.settings.current();
    let mut state = Gates {
        off: engine.heart_is_off(&settings),
        paused: engine.paused_until(now).await,
        quiet: engine.quiet_at(&settings, now).map(|(hours, _)| hours),
        saving: settings.heartbeat.pause_on_battery && power::is_saving().await,
    };
    // A mistake in the settings turns the heartbeat off, not what the person planned.
    let items = match state.off {
        None => items::sync(engine, &settings, now).await.unwrap_or_else(|error| {
            state.off = Some(error.message);
            Default::default()
        }),
        Some(_) => Default::default(),
    };
    engine.show_due(now).await?;
    let mut next = engine.store.next_notice().await?;
    for job in engine.store.jobs().await? {
        if job.state != JobState::Active {
            continue;
        }
        let asleep = job.source == JobSource::File && !items.contains(&job.id);
        let taken = look_at(engine, job, &state, asleep, now).await?;
        if let Some(begin) = taken.begin {
            spawn(engine, begin);
        }
        next = [next, taken.next.filter(|_| !asleep)].into_iter().flatten().min();
    }
    Ok(next)
}

/// What keeps things from running now.
struct Gates {
    off: Option<String>,
    paused: Option<i64>,
    quiet: Option<String>,
    saving: bool,
}

impl Gates {
    /// Why a job does not run now.
    fn keep(&self, job: &StoredJob, schedule: &Schedule, words: Words) -> Option<String> {
        if job.action == JobAction::Remind {
            return None;
        }
        if self.paused.is_some() {
            return Some(words.paused());
        }
        if self.saving {
            return Some(words.saves_battery());
        }
        // What has a clock time of its own was meant for it; what comes again and again waits for the day.
        let speaks = job.action != JobAction::ConsolidateMemory;
        let quiet = self.quiet.as_ref().filter(|_| schedule.is_elapsed() && speaks);
        quiet.map(|hours| words.quiet(hours))
    }
}

/// What was found due of a job, and is in the ledger.
#[derive(Default)]
struct Taken {
    begin: Option<Begin>,
    /// When to look again.
    next: Option<i64>,
}

/// Takes what is due of a job. `asleep`: its slots pass without a trace, since it is turned off.
async fn look_at(
    engine: &Inner,
    job: StoredJob,
    gates: &Gates,
    asleep: bool,
    now: i64,
) -> Result<Taken, WireError> {
    let Ok(schedule) = Schedule::parse(&job.schedule) else { return Ok(Taken::default()) };
    let clock = JobClock {
        schedule: &schedule,
        zone: job.zone.parse().unwrap_or(Tz::UTC),
        anchor: job.anchor,
        cursor: job.cursor,
        retry_at: job.retry_at,
        policy: job.missed,
        running: engine.heart.is_running(&job.id),
    };
    let mut found = due(&clock, now);
    if found.run.is_none() && found.missed.is_empty() {
        if found.next.is_none() && !clock.running {
            // It has no time any more.
            let health = (job.failures, None);
            engine.store.set_job_health(&job.id, health, (JobState::Done, "")).await?;
        }
        return Ok(Taken { begin: None, next: found.next });
    }
    if asleep {
        (found.run, found.missed) = (None, Vec::new());
    }
    let kept =
        found.run.and_then(|run| Some((run.slot, gates.keep(&job, &schedule, engine.words())?)));
    let queued = write(engine, &job, &found, kept.as_ref()).await?;
    if let Some(asked) = found.missed.iter().find(|stretch| stretch.asks) {
        let words = engine.words();
        let due = words.time(asked.to, clock.zone);
        let (title, body) = (words.missed_title(&job.name), words.missed_body(&due));
        engine.report(&title, &body, &job.id).await?;
    }
    engine.bus.send(Signal::Heartbeat);
    let begin = |run: Late| Begin { job, slot: run.slot, late: run.late };
    Ok(Taken { begin: found.run.filter(|_| queued).map(begin), next: found.next })
}

/// Writes what is due into the ledger; true where a slot was queued.
async fn write(
    engine: &Inner,
    job: &StoredJob,
    found: &Due,
    kept: Option<&(i64, String)>,
) -> Result<bool, WireError> {
    let words = engine.words();
    let stretch = |stretch: &hearth_agent::beat::Stretch| MissedSlots {
        from: stretch.from,
        to: stretch.to,
        count: stretch.count,
        why: words.missed_why(stretch.why),
        asks: stretch.asks,
    };
    let mut missed: Vec<MissedSlots> = found.missed.iter().map(stretch).collect();
    missed.extend(kept.map(|(slot, why)| MissedSlots {
        from: *slot,
        to: *slot,
        count: 1,
        why: why.clone(),
        asks: false,
    }));
    let run = found.run.filter(|_| kept.is_none());
    let late = run.is_some_and(|run| run.late);
    let away = words.was_away();
    let due = DueSlots {
        job: &job.id,
        name: &job.name,
        run: run.map(|run| run.slot),
        why: if late { &away } else { "" },
        missed,
        cursor: found.cursor,
    };
    Ok(engine.store.take_due(&due).await?)
}

#[cfg(test)]
#[path = "sequences.rs"]
mod sequences;
