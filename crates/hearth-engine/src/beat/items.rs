//! HEARTBEAT.md and the jobs that stand for its items.
//!
//! Invariants: an item keeps its phase as long as its schedule stays; a new one begins now; a file that is gone
//! or cannot be read changes no job, so that it can come back.

use crate::clock;
use crate::engine::Inner;
use crate::settings::Settings;
use hearth_protocol::WireError;
use hearth_protocol::api::files::{FileProblem, FileText};
use hearth_protocol::api::heartbeat::{ItemKind, JobAction, JobSource, MissedPolicy};
use hearth_schedule::Schedule;
use hearth_store::StoredJob;
use hearth_workspace::{Heartbeat, Item, PersonaFile, heartbeat};
use std::collections::HashSet;

/// The job that Hearth makes itself.
pub(crate) const NIGHTLY: &str = "nightly";

/// HEARTBEAT.md as it stands; none where it is missing.
pub(crate) async fn read(engine: &Inner) -> Result<Option<Heartbeat>, WireError> {
    let path = PersonaFile::Heartbeat.path();
    let file = engine.on_workspace(move |workspace| workspace.read(path)).await?;
    Ok(file.exists.then(|| heartbeat(&file.text)))
}

/// What is wrong in the file, as its editor shows it: also what was cut off or hidden, and times that are past.
pub(crate) async fn problems(engine: &Inner) -> Vec<FileProblem> {
    let path = PersonaFile::Heartbeat.path();
    match engine.on_workspace(move |workspace| workspace.read(path)).await {
        Ok(mut file) => {
            add_past(engine, &mut file);
            file.problems
        }
        Err(error) => vec![FileProblem { line: 1, message: error.message }],
    }
}

/// Adds the times that are past to what is wrong in HEARTBEAT.md; other files stay as they are.
pub(crate) fn add_past(engine: &Inner, file: &mut FileText) {
    if PersonaFile::at(&file.path) != Some(PersonaFile::Heartbeat) {
        return;
    }
    let zone = clock::zone(&engine.settings.current().time_zone);
    file.problems.extend(heartbeat(&file.text).past(clock::now(), zone));
    file.problems.sort_by_key(|problem| problem.line);
}

/// Whether there is no HEARTBEAT.md.
pub(crate) async fn is_gone(engine: &Inner) -> bool {
    matches!(read(engine).await, Ok(None))
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
        ..StoredJob::new(&item.id, JobSource::File, item.kind, now)
    })
}

/// Brings the jobs in step with the file; returns the ids of its items.
pub(crate) async fn sync(
    engine: &Inner,
    settings: &Settings,
    now: i64,
) -> Result<HashSet<String>, WireError> {
    let file = read(engine).await?;
    let stored = engine.store.jobs().await?;
    let mut ids = HashSet::new();
    let items = file.iter().flat_map(|file| &file.items);
    let mut jobs: Vec<StoredJob> = items.filter_map(|item| wanted(item, settings, now)).collect();
    if !jobs.iter().any(|job| job.action == JobAction::ConsolidateMemory) {
        jobs.push(nightly(engine, settings, now));
    }
    for new in jobs {
        ids.insert(new.id.clone());
        let old = stored.iter().find(|job| job.id == new.id);
        let job = old.map_or_else(|| new.clone(), |old| kept(old, new.clone()));
        if old != Some(&job) {
            engine.store.put_job(&job).await?;
        }
    }
    if file.is_none() {
        return Ok(ids);
    }
    let gone = |job: &&StoredJob| job.source == JobSource::File && !ids.contains(&job.id);
    for job in stored.iter().filter(gone) {
        engine.store.remove_job(&job.id).await?;
    }
    Ok(ids)
}

/// Memory is put in order each night, also where the file does not say when: what was forgotten is erased in
/// time, and what was said is written down.
fn nightly(engine: &Inner, settings: &Settings, now: i64) -> StoredJob {
    StoredJob {
        name: engine.words().nightly(),
        schedule: "0 3 * * *".to_owned(),
        zone: clock::zone(&settings.time_zone).name().to_owned(),
        action: JobAction::ConsolidateMemory,
        missed: MissedPolicy::RunOnce,
        ..StoredJob::new(NIGHTLY, JobSource::File, ItemKind::Block, now)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Engine, OpenOptions, Quiet};
    use std::sync::Arc;

    #[tokio::test]
    async fn memory_is_put_in_order_each_night_unless_the_file_says_when() {
        let folder = tempfile::tempdir().expect("folder");
        let home = Some(folder.path().to_path_buf());
        let options = OpenOptions { home, host: Arc::new(Quiet), access: Access::Own };
        let engine = Engine::open(options).await.expect("opens");
        let inner = &engine.inner;
        let file = inner.workspace.folder().join("HEARTBEAT.md");
        let own = "trigger: 0 22 * * *\naction: consolidate_memory\n";
        for (text, schedule) in
            [(Some("# nothing\n"), "0 3 * * *"), (Some(own), "0 22 * * *"), (None, "0 3 * * *")]
        {
            match text {
                Some(text) => std::fs::write(&file, text).expect("writes"),
                None => std::fs::remove_file(&file).expect("removes"),
            }
            let ids = sync(inner, &inner.settings.current(), 1_806_000_000).await.expect("reads");
            let jobs = inner.store.jobs().await.expect("lists");
            let awake: Vec<&StoredJob> = jobs.iter().filter(|job| ids.contains(&job.id)).collect();
            assert_eq!(awake.len(), 1, "{text:?}: {jobs:?}");
            assert_eq!(awake[0].action, JobAction::ConsolidateMemory);
            assert_eq!(awake[0].schedule, schedule, "{text:?}");
        }
        assert!(
            crate::api::cron::list(&engine)
                .await
                .expect("lists")
                .iter()
                .all(|job| job.id != NIGHTLY)
        );
        engine.close().await;
    }
}
