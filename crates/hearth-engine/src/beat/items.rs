//! HEARTBEAT.md and the jobs that stand for its items.
//!
//! Invariants: an item keeps its phase as long as its schedule stays; a new one begins now; a file that is gone
//! or cannot be read changes no job, so that it can come back.

use crate::clock;
use crate::engine::Inner;
use crate::settings::Settings;
use hearth_protocol::WireError;
use hearth_protocol::api::files::FileProblem;
use hearth_protocol::api::heartbeat::{ItemKind, JobSource, JobState, MissedPolicy};
use hearth_schedule::Schedule;
use hearth_store::StoredJob;
use hearth_workspace::{Heartbeat, Item, PersonaFile, heartbeat};
use std::collections::HashSet;

/// HEARTBEAT.md as it stands; none where it is missing.
pub(crate) async fn read(engine: &Inner) -> Result<Option<Heartbeat>, WireError> {
    let path = PersonaFile::Heartbeat.path();
    let file = engine.on_workspace(move |workspace| workspace.read(path)).await?;
    Ok(file.exists.then(|| heartbeat(&file.text)))
}

/// HEARTBEAT.md as it stands; what cannot be read is a problem of its first line.
pub(crate) async fn read_or_problem(engine: &Inner) -> Heartbeat {
    match read(engine).await {
        Ok(found) => found.unwrap_or_default(),
        Err(error) => Heartbeat {
            items: Vec::new(),
            problems: vec![FileProblem { line: 1, message: error.message }],
        },
    }
}

/// The schedule of an item: its own, or the setting's for the checklist.
pub(crate) fn schedule_text(item: &Item, settings: &Settings) -> String {
    match item.kind {
        ItemKind::Checklist => format!("every {}", settings.heartbeat.every),
        _ => item.trigger.clone(),
    }
}

/// What becomes of missed slots where nobody said so: elapsed time goes on, a clock time is made up for.
pub(crate) fn usual_policy(schedule: &Schedule) -> MissedPolicy {
    if schedule.is_elapsed() { MissedPolicy::Skip } else { MissedPolicy::RunOnce }
}

/// An item as a job that is made now; none where it cannot be read.
pub(crate) fn wanted(item: &Item, settings: &Settings, now: i64) -> Option<StoredJob> {
    let schedule = schedule_text(item, settings);
    let parsed = Schedule::parse(&schedule).ok().filter(|_| item.error.is_none())?;
    let zone = item.zone.unwrap_or_else(|| clock::zone(&settings.time_zone));
    Some(StoredJob {
        id: item.id.clone(),
        source: JobSource::File,
        kind: item.kind,
        name: if item.kind == ItemKind::Checklist {
            "HEARTBEAT.md".to_owned()
        } else {
            item.name.clone()
        },
        schedule,
        zone: zone.name().to_owned(),
        action: item.action,
        text: item.text.clone(),
        missed: item.missed.unwrap_or_else(|| usual_policy(&parsed)),
        state: JobState::Active,
        why: String::new(),
        failures: 0,
        retry_at: None,
        anchor: now,
        cursor: now,
        session: None,
        created_at: now,
    })
}

/// Brings the jobs in step with the file; returns the ids of its items.
pub(crate) async fn sync(
    engine: &Inner,
    settings: &Settings,
    now: i64,
) -> Result<HashSet<String>, WireError> {
    let Some(file) = read(engine).await? else { return Ok(HashSet::new()) };
    let stored = engine.store.jobs().await?;
    let mut ids = HashSet::new();
    for new in file.items.iter().filter_map(|item| wanted(item, settings, now)) {
        ids.insert(new.id.clone());
        let old = stored.iter().find(|job| job.id == new.id);
        let job = old.map_or_else(|| new.clone(), |old| kept(old, new.clone()));
        if old != Some(&job) {
            engine.store.put_job(&job).await?;
        }
    }
    let gone = |job: &&StoredJob| job.source == JobSource::File && !ids.contains(&job.id);
    for job in stored.iter().filter(gone) {
        engine.store.remove_job(&job.id).await?;
    }
    Ok(ids)
}

/// What of a job outlives an edit: its phase while the schedule stays, its rest while it asks for the same.
fn kept(old: &StoredJob, new: StoredJob) -> StoredJob {
    let same_time = old.schedule == new.schedule && old.zone == new.zone;
    let same_words = old.text == new.text && old.action == new.action;
    let mut job = StoredJob { created_at: old.created_at, ..new };
    if same_time {
        (job.anchor, job.cursor) = (old.anchor, old.cursor);
    }
    if same_time && same_words {
        (job.failures, job.retry_at) = (old.failures, old.retry_at);
        (job.state, job.why) = (old.state, old.why.clone());
    }
    job
}
