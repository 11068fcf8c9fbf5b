//! When to look what is due, and looking.
//!
//! tokio-cron-scheduler only wakes: once a minute, and at the next time that is known. What is due is computed
//! from the ledger each time, so that a sleep, a clock that was set or a firing that is lost changes nothing.

use super::{items, power, run};
use crate::clock;
use crate::engine::Inner;
use crate::{Heard, Listener};
use hearth_agent::beat::{Due, GRACE, JobClock, due};
use hearth_protocol::WireError;
use hearth_protocol::api::heartbeat::{JobAction, JobSource, JobState, MissedPolicy, SlotState};
use hearth_protocol::api::system::Signal;
use hearth_schedule::{Schedule, Tz};
use hearth_store::{DueSlots, MissedSlots, StoredJob};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};

/// Nearer than this, the rest is slept through: the waking clock counts whole seconds and looks twice in each.
const NEAR: f64 = 1.6;

/// Lets it beat as long as the engine is open. A second call changes nothing.
pub(crate) fn start(engine: &Arc<Inner>) {
    if std::mem::replace(&mut *super::lock(&engine.heart.started), true) {
        return;
    }
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let listener = engine.bus.listen();
    tokio::spawn(async move {
        const STOPPED: &str = "the clock stopped: nothing happens by itself any more";
        let mut clock = match Clock::start(weak.clone()).await {
            Ok(clock) => clock,
            Err(error) => return tracing::error!(%error, STOPPED),
        };
        tokio::select! {
            () = closing.cancelled() => {}
            ended = beat(&mut clock, weak, listener) => if let Err(error) = ended {
                tracing::error!(%error, STOPPED);
            },
        }
        // It goes with the process in any case.
        let _ = clock.scheduler.shutdown().await;
    });
}

async fn beat(
    clock: &mut Clock,
    weak: Weak<Inner>,
    mut listener: Listener,
) -> Result<(), JobSchedulerError> {
    if let Some(engine) = weak.upgrade()
        && let Err(error) = take_up(&engine).await
    {
        tracing::warn!(message = error.message, "what waited before cannot be taken up");
    }
    loop {
        let Some(engine) = weak.upgrade() else { return Ok(()) };
        let next = match look(&engine).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(message = error.message, "what is due cannot be read; tried again");
                None
            }
        };
        let left = next.map(|at| at as f64 - clock::now_exact());
        match left {
            Some(left) if left < NEAR => {
                drop(engine);
                tokio::time::sleep(Duration::from_secs_f64(left.max(0.01))).await;
                continue;
            }
            _ => clock.wake_at(next).await?,
        }
        drop(engine);
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

/// The waking clock.
struct Clock {
    scheduler: JobScheduler,
    weak: Weak<Inner>,
    alarm: Option<(i64, uuid::Uuid)>,
}

impl Clock {
    async fn start(weak: Weak<Inner>) -> Result<Self, JobSchedulerError> {
        let scheduler = JobScheduler::new().await?;
        let told = weak.clone();
        let minute = Job::new_async("0 * * * * *", move |_, _| Box::pin(look_again(told.clone())))?;
        scheduler.add(minute).await?;
        scheduler.start().await?;
        Ok(Self { scheduler, weak, alarm: None })
    }

    /// Wakes at a time besides.
    async fn wake_at(&mut self, at: Option<i64>) -> Result<(), JobSchedulerError> {
        if self.alarm.map(|(at, _)| at) == at {
            return Ok(());
        }
        if let Some((_, old)) = self.alarm.take() {
            // One that has rung is gone already.
            let _ = self.scheduler.remove(&old).await;
        }
        let Some(at) = at else { return Ok(()) };
        let left = Duration::from_secs_f64((at as f64 - clock::now_exact()).max(0.0));
        let told = self.weak.clone();
        let alarm = Job::new_one_shot_async(left, move |_, _| Box::pin(look_again(told.clone())))?;
        self.alarm = Some((at, self.scheduler.add(alarm).await?));
        Ok(())
    }
}

async fn look_again(weak: Weak<Inner>) {
    if let Some(engine) = weak.upgrade() {
        engine.heart.look_again();
    }
}

/// What was queued when the process ended never began: it runs now, or is missed, by its policy.
async fn take_up(engine: &Arc<Inner>) -> Result<(), WireError> {
    let now = clock::now();
    for row in engine.store.recover_slots("Hearth ended while it ran", now).await? {
        let job = engine.store.job(&row.job).await.ok();
        let runs = |job: &StoredJob| job.missed == MissedPolicy::RunOnce || now - row.slot <= GRACE;
        match job.filter(runs) {
            Some(job) => spawn(engine, job, row.slot, now - row.slot > GRACE),
            None => {
                let why = "Hearth ended before it began";
                engine.store.end_slot(&row.job, row.slot, SlotState::Missed, why, now).await?;
            }
        }
    }
    Ok(())
}

fn spawn(engine: &Arc<Inner>, job: StoredJob, slot: i64, late: bool) {
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
        saving: settings.heartbeat.pause_on_battery && power::is_saving(),
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
        let at = look_at(engine, job, &state, asleep, now).await?;
        next = [next, at.filter(|_| !asleep)].into_iter().flatten().min();
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
    fn keep(&self, job: &StoredJob, schedule: &Schedule) -> Option<String> {
        if job.action == JobAction::Remind {
            return None;
        }
        if self.paused.is_some() {
            return Some("you paused the heartbeat".to_owned());
        }
        if self.saving {
            return Some("the computer saves its battery".to_owned());
        }
        // What has a clock time of its own was meant for it; what comes again and again waits for the day.
        let speaks = job.action != JobAction::ConsolidateMemory;
        let quiet = self.quiet.as_ref().filter(|_| schedule.is_elapsed() && speaks);
        quiet.map(|hours| format!("quiet hours {hours}"))
    }
}

/// Starts what is due of a job. `asleep`: its slots pass without a trace, since it is turned off.
async fn look_at(
    engine: &Arc<Inner>,
    job: StoredJob,
    gates: &Gates,
    asleep: bool,
    now: i64,
) -> Result<Option<i64>, WireError> {
    let Ok(schedule) = Schedule::parse(&job.schedule) else { return Ok(None) };
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
        return Ok(found.next);
    }
    if asleep {
        (found.run, found.missed) = (None, Vec::new());
    }
    let kept = found.run.and_then(|run| Some((run.slot, gates.keep(&job, &schedule)?)));
    let queued = write(engine, &job, &found, kept.as_ref()).await?;
    if let Some(run) = found.run.filter(|_| queued) {
        spawn(engine, job.clone(), run.slot, run.late);
    }
    if let Some(asked) = found.missed.iter().find(|stretch| stretch.asks) {
        let due = super::jobs::shown(asked.to, clock.zone);
        let body = format!(
            "It was due at {due} and did not run. Run it on the Heartbeat page, or leave it."
        );
        engine.report(&format!("“{}” was missed", job.name), &body, &job.id).await?;
    }
    engine.bus.send(Signal::Heartbeat);
    Ok(found.next)
}

/// Writes what is due into the ledger; true where a slot was queued.
async fn write(
    engine: &Inner,
    job: &StoredJob,
    found: &Due,
    kept: Option<&(i64, String)>,
) -> Result<bool, WireError> {
    let stretch = |stretch: &hearth_agent::beat::Stretch| MissedSlots {
        from: stretch.from,
        to: stretch.to,
        count: stretch.count,
        why: stretch.why.text().to_owned(),
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
    let due = DueSlots {
        job: &job.id,
        name: &job.name,
        run: run.map(|run| run.slot),
        why: if late { "it was due while Hearth was not running" } else { "" },
        missed,
        cursor: found.cursor,
    };
    Ok(engine.store.take_due(&due).await?)
}
