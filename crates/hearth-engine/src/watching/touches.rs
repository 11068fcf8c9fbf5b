//! Hearing from the system that a file changed, however it is saved: its folder is watched, and the one that
//! it really lies in where its name is a link.

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Notify;

/// Tells of each change of a file until it is dropped; none where the system sends no events.
pub(super) fn of_file(file: &Path, told: Arc<Notify>) -> Option<RecommendedWatcher> {
    let mut places = vec![file.to_path_buf()];
    places.extend(file.canonicalize().ok());
    let names: Vec<OsString> =
        places.iter().filter_map(|place| Some(place.file_name()?.to_owned())).collect();
    let mut folders: Vec<PathBuf> =
        places.iter().filter_map(|place| place.parent()?.canonicalize().ok()).collect();
    folders.dedup();
    let started = notify::recommended_watcher(move |event| {
        if concerns(&event, &names) {
            told.notify_one();
        }
    })
    .and_then(|mut watcher| {
        for folder in &folders {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(watcher)
    });
    started.inspect_err(|error| tracing::debug!(%error, "no events of the settings")).ok()
}

/// Whether an event may be a change of a file of one of these names.
fn concerns(event: &notify::Result<Event>, names: &[OsString]) -> bool {
    let Ok(event) = event else { return true };
    let is_read = matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
    let is_named =
        |path: &PathBuf| path.file_name().is_some_and(|name| names.iter().any(|one| one == name));
    event.need_rescan() || (!is_read && event.paths.iter().any(is_named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{Flag, ModifyKind};
    use std::time::Duration;

    async fn is_told(told: &Notify) -> bool {
        tokio::time::timeout(Duration::from_secs(5), told.notified()).await.is_ok()
    }

    #[tokio::test]
    async fn a_file_tells_of_itself_however_it_is_saved() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hearth.toml");
        let told = Arc::new(Notify::new());
        let _touches = of_file(&file, Arc::clone(&told)).expect("this system sends events");
        std::fs::write(&file, "a").expect("made");
        assert!(is_told(&told).await);
        let other = folder.path().join("other");
        std::fs::write(&other, "b").expect("made");
        std::fs::rename(&other, &file).expect("put in its place");
        assert!(is_told(&told).await);
        std::fs::remove_file(&file).expect("removed");
        assert!(is_told(&told).await);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_that_lies_elsewhere_tells_of_itself() {
        let (folder, elsewhere) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let real = elsewhere.path().join("settings.toml");
        std::fs::write(&real, "a").expect("made");
        let file = folder.path().join("hearth.toml");
        std::os::unix::fs::symlink(&real, &file).expect("linked");
        let told = Arc::new(Notify::new());
        let _touches = of_file(&file, Arc::clone(&told)).expect("this system sends events");
        std::fs::write(&real, "b").expect("written");
        assert!(is_told(&told).await);
    }

    #[test]
    fn what_is_read_or_is_another_file_is_of_no_concern() {
        let names = [OsString::from("hearth.toml")];
        let of = |kind, path: &str| concerns(&Ok(Event::new(kind).add_path(path.into())), &names);
        let modified = EventKind::Modify(ModifyKind::Any);
        assert!(of(modified, "/home/hearth.toml"));
        assert!(of(EventKind::Access(AccessKind::Close(AccessMode::Write)), "/home/hearth.toml"));
        assert!(!of(EventKind::Access(AccessKind::Open(AccessMode::Any)), "/home/hearth.toml"));
        assert!(!of(modified, "/home/hearth.db-wal"));
        assert!(concerns(&Err(notify::Error::generic("overflow")), &names));
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(concerns(&Ok(lost), &names));
    }
}
