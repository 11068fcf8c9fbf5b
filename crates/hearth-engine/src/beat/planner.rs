//! The tool `cron`, served: the assistant makes, lists and removes jobs, and sees when they would run.

use super::jobs::{self, checked, next_of, shown, shown_all};
use crate::clock;
use crate::engine::Inner;
use crate::settings::Settings;
use hearth_protocol::api::heartbeat::{CronAdd, JobAction, JobSource};
use hearth_protocol::{TurnId, WireError};
use hearth_schedule::{Schedule, Tz};
use hearth_tools::{Planned, Planner, Tool};
use std::fmt::Write as _;
use std::sync::{Arc, Weak};

/// Nearer than this with changing clocks, a job comes twice a day.
const DAY: i64 = 22 * 3_600;
/// Times that a preview shows.
const SHOWN: usize = 5;

/// The tool over an engine, which it does not keep alive.
pub(crate) fn tool(engine: &Arc<Inner>) -> Arc<dyn Tool> {
    Arc::new(hearth_tools::Cron(Arc::new(Desk(Arc::downgrade(engine)))))
}

struct Desk(Weak<Inner>);

impl Desk {
    fn engine(&self) -> Result<Arc<Inner>, String> {
        self.0.upgrade().ok_or_else(|| "Hearth is closing.".to_owned())
    }
}

fn said(error: &WireError) -> String {
    match error.hint.as_str() {
        "" => error.message.clone(),
        hint => format!("{}. {hint}", error.message.trim_end_matches('.')),
    }
}

/// The next times in words, with the time it is.
fn times(settings: &Settings, schedule: &str, zone: Option<&str>) -> Result<String, WireError> {
    let now = clock::now();
    let found = checked(settings, schedule, zone, now)?;
    let mut text = format!("It is now {}. Next times:", shown(now, found.zone));
    let ahead: Vec<i64> = found.schedule.fires(now, now, found.zone).take(SHOWN).collect();
    for time in shown_all(&ahead, found.zone) {
        let _ = write!(text, "\n- {time}");
    }
    Ok(text)
}

#[async_trait::async_trait]
impl Planner for Desk {
    async fn add(&self, turn: &TurnId, planned: Planned) -> Result<String, String> {
        let engine = self.engine()?;
        let session = engine.store.session_of_turn(turn).await.ok().flatten();
        let request = CronAdd {
            name: planned.name,
            schedule: planned.schedule,
            zone: planned.zone,
            action: match planned.does.as_str() {
                "send_message" => JobAction::SendMessage,
                "run_turn" => JobAction::RunTurn,
                _ => JobAction::Remind,
            },
            text: planned.text,
            missed: None,
            source: JobSource::Chat,
        };
        let job = jobs::add(&engine, request, session).await.map_err(|error| said(&error))?;
        let settings = engine.settings.current();
        let times =
            times(&settings, &job.schedule, Some(&job.zone)).map_err(|error| said(&error))?;
        let mut text = format!("Planned as {}. {times}", job.id);
        let often = Schedule::parse(&job.schedule).ok().and_then(|schedule| schedule.nearest());
        if job.action == JobAction::Remind && often.is_some_and(|apart| apart < DAY) {
            text.push_str("\nThe same words are shown once a day; tell the user, or plan send_message instead.");
        }
        if !*super::lock(&engine.heart.started) {
            text.push_str(
                "\nIt runs while the Hearth window or `hearth serve` runs; tell the user.",
            );
        }
        Ok(text)
    }

    async fn list(&self) -> Result<String, String> {
        let engine = self.engine()?;
        let mut rows = engine.store.jobs().await.map_err(|error| error.to_string())?;
        rows.retain(|job| job.id != super::items::NIGHTLY);
        let now = clock::now();
        let mut text =
            format!("It is now {}.", shown(now, clock::zone(&engine.settings.current().time_zone)));
        if rows.is_empty() {
            text.push_str(" Nothing is planned.");
        }
        for job in rows {
            let zone = job.zone.parse().unwrap_or(Tz::UTC);
            let next = next_of(&job, now, 1);
            let next = next.first().map_or("never", |next| next.local.as_str());
            let _ = write!(
                text,
                "\n- {}: {} ({}, {}), next {next}",
                job.id,
                job.name,
                job.schedule,
                zone.name()
            );
        }
        Ok(text)
    }

    async fn remove(&self, id: &str) -> Result<String, String> {
        let engine = self.engine()?;
        let job = engine.store.job(id).await.map_err(|error| error.to_string())?;
        if job.source == JobSource::File {
            return Err("It stands in HEARTBEAT.md: change it there.".to_owned());
        }
        engine.store.remove_job(id).await.map_err(|error| error.to_string())?;
        engine.heart.look_again();
        engine.bus.send(hearth_protocol::api::system::Signal::Heartbeat);
        Ok(format!("Removed {}.", job.name))
    }

    async fn preview(&self, schedule: &str, zone: Option<&str>) -> Result<String, String> {
        let engine = self.engine()?;
        times(&engine.settings.current(), schedule, zone).map_err(|error| said(&error))
    }
}
