//! Notices what other programs change in the workspace.
//!
//! Invariants: one way of finding out, whatever the system says: events only start a comparison of
//! the folder with what is recorded, so lost, merged or odd events cost time and no change. Hearth's
//! own writes are recorded under the lock that writes them and so are no change. Each outside
//! version is recorded as it is noticed.

use crate::path::TEMPORARY;
use crate::root::{Listed, WorkspaceRoot, hash_of, is_skipped};
use crate::{WorkspaceError, error::Result};
use hearth_protocol::api::files::{Author, FileChanged};
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

/// A save is several events: it is looked at when it is quiet so long, or after [`PATIENCE`].
const QUIET: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_millis(800);
/// Everything is compared byte for byte so often, for what no event and no time stamp tells.
const FULL: Duration = Duration::from_secs(600);
/// Where the system sends no events.
const POLL: Duration = Duration::from_secs(1);

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watch {
    signals: Sender<Signal>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread may be gone already.
        let _ = self.signals.send(Signal::Stop);
    }
}

#[derive(Debug)]
enum Signal {
    /// These paths, or with none of them: anything.
    Touched(Vec<String>),
    Stop,
}

impl WorkspaceRoot {
    /// Calls `report` from a thread of its own for each Markdown file that another program changes,
    /// creates or removes, within two seconds. Before it returns, every file is recorded as it is.
    ///
    /// # Errors
    /// If the folder cannot be read or no thread can be started. Where the system refuses to send
    /// events, the folder is looked at every second instead.
    pub fn watch(self: &Arc<Self>, report: impl Fn(FileChanged) + Send + 'static) -> Result<Watch> {
        let (signals, received) = channel();
        let mut thread = Thread {
            scanner: Scanner::new(Arc::clone(self)),
            signals: signals.clone(),
            watcher: None,
            watched: None,
        };
        thread.listen();
        thread.scanner.start()?;
        std::thread::Builder::new()
            .name("hearth-watch".to_owned())
            .spawn(move || thread.run(&received, &report))
            .map_err(|e| WorkspaceError::Watch(e.to_string()))?;
        Ok(Watch { signals })
    }
}

struct Thread {
    scanner: Scanner,
    signals: Sender<Signal>,
    watcher: Option<RecommendedWatcher>,
    /// Which folder the events come from: it may be replaced by another of the same name.
    watched: Option<FolderId>,
}

impl Thread {
    fn run(mut self, received: &Receiver<Signal>, report: &dyn Fn(FileChanged)) {
        let mut last_full = Instant::now();
        loop {
            let wait = if self.watcher.is_some() { FULL } else { POLL };
            let mut touched = BTreeSet::new();
            let stop = match received.recv_timeout(wait) {
                Ok(signal) => self.scanner.take(signal, &mut touched),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if stop || (!touched.is_empty() && self.settle(received, &mut touched)) {
                return;
            }
            if last_full.elapsed() >= FULL {
                last_full = Instant::now();
                self.scanner.stamps_are_stale = true;
            }
            let id = folder_id(self.scanner.root.folder());
            if id.is_none() || id != self.watched {
                self.watcher = None;
                self.scanner.stamps_are_stale = true;
            }
            if self.watcher.is_none() && id.is_some() {
                self.listen();
            }
            match self.scanner.scan(&touched) {
                Ok(changes) => changes.into_iter().for_each(report),
                // Gone, or a disk that is not there just now: nothing in it was removed by anyone.
                Err(error) => tracing::debug!(%error, "the workspace cannot be read"),
            }
        }
    }

    /// Takes what follows, until it is quiet. True: stop.
    fn settle(&mut self, received: &Receiver<Signal>, touched: &mut BTreeSet<String>) -> bool {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            match received.recv_timeout(QUIET) {
                Ok(signal) => {
                    if self.scanner.take(signal, touched) {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
        false
    }

    fn listen(&mut self) {
        let folder = self.scanner.root.folder().to_path_buf();
        let signals = self.signals.clone();
        let below = folder.clone();
        let started = notify::recommended_watcher(move |event| {
            if let Some(paths) = touched(event, &below) {
                // Nobody listens any more once the thread has ended.
                let _ = signals.send(Signal::Touched(paths));
            }
        })
        .and_then(|mut watcher| {
            watcher.watch(&folder, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        self.watched = folder_id(&folder);
        match started {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => tracing::debug!(%error, "no events of the workspace; looking instead"),
        }
    }
}

/// Paths below `folder` that an event may have changed: none if the event is of no concern, empty
/// if it may be anything.
fn touched(event: notify::Result<Event>, folder: &Path) -> Option<Vec<String>> {
    let Ok(event) = event else { return Some(Vec::new()) };
    if event.need_rescan() {
        return Some(Vec::new());
    }
    // Our own reading must not set us off.
    if let EventKind::Access(kind) = event.kind
        && kind != AccessKind::Close(AccessMode::Write)
    {
        return None;
    }
    let below = |path: &Path| {
        let below = path.strip_prefix(folder).ok()?;
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        let parts = parts?;
        let concerns = |part: &&str| !is_skipped(part) && !part.starts_with(TEMPORARY);
        parts.iter().all(concerns).then(|| parts.join("/"))
    };
    let paths: Vec<String> = event.paths.iter().filter_map(|path| below(path)).collect();
    (!paths.is_empty()).then_some(paths)
}

/// Compares the folder with what is recorded.
struct Scanner {
    root: Arc<WorkspaceRoot>,
    seen: HashMap<String, (Option<SystemTime>, u64)>,
    refused: HashSet<String>,
    stamps_are_stale: bool,
}

impl Scanner {
    fn new(root: Arc<WorkspaceRoot>) -> Self {
        Self { root, seen: HashMap::new(), refused: HashSet::new(), stamps_are_stale: false }
    }

    /// Records every file as it is, without a report.
    fn start(&mut self) -> Result<()> {
        self.scan(&BTreeSet::new()).map(drop)
    }

    /// True: stop.
    fn take(&mut self, signal: Signal, touched: &mut BTreeSet<String>) -> bool {
        match signal {
            Signal::Stop => return true,
            Signal::Touched(paths) => {
                self.stamps_are_stale |= paths.is_empty();
                // An entry even for "anything", so that it is waited for to settle.
                touched.extend(paths);
                if touched.is_empty() {
                    touched.insert(String::new());
                }
            }
        }
        false
    }

    fn scan(&mut self, touched: &BTreeSet<String>) -> Result<Vec<FileChanged>> {
        let listed = self.root.list()?;
        let all = std::mem::take(&mut self.stamps_are_stale);
        let mut changes = Changes::default();
        let mut seen = HashMap::with_capacity(listed.len());
        for Listed { path, bytes, stamp, .. } in listed {
            let known = self.seen.remove(&path);
            let same = known == Some((stamp, bytes));
            if all || !same || stamp.is_none() || touched.contains(&path) {
                self.check(&path, &mut changes);
            }
            seen.insert(path, (stamp, bytes));
        }
        let mut gone: Vec<String> = self.seen.drain().map(|(path, _)| path).collect();
        gone.sort();
        for path in gone {
            self.check(&path, &mut changes);
        }
        self.seen = seen;
        Ok(changes.found)
    }

    fn check(&mut self, path: &str, changes: &mut Changes) {
        let mut recorded = self.root.lock();
        let read = self.root.resolve(path).and_then(|place| {
            let bytes = self.root.bytes(&place)?;
            Ok((place, bytes))
        });
        let Ok((place, bytes)) = read else {
            drop(recorded);
            if self.refused.insert(path.to_owned()) {
                changes.add(path, String::new());
            }
            return;
        };
        let was_refused = self.refused.remove(path);
        let now = hash_of(bytes.as_deref());
        let before = recorded.get(&place.real).cloned().unwrap_or_default();
        if before == now {
            // Another name of a file that changed, or one that can be read again.
            if was_refused || changes.by_place.contains(&place.real) {
                changes.add(path, now);
            }
            return;
        }
        if let Err(error) = self.root.record_found(&mut recorded, &place, bytes.as_deref()) {
            tracing::warn!(path, %error, "an outside change is not kept as a version yet");
        }
        drop(recorded);
        changes.by_place.insert(place.real);
        changes.add(path, now);
    }
}

#[derive(Default)]
struct Changes {
    found: Vec<FileChanged>,
    by_place: HashSet<String>,
}

impl Changes {
    fn add(&mut self, path: &str, hash: String) {
        self.found.push(FileChanged { path: path.to_owned(), author: Author::Outside, hash });
    }
}

#[cfg(unix)]
type FolderId = (u64, u64);
#[cfg(not(unix))]
type FolderId = Option<SystemTime>;

#[cfg(unix)]
fn folder_id(folder: &Path) -> Option<FolderId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn folder_id(folder: &Path) -> Option<FolderId> {
    std::fs::metadata(folder).ok().map(|meta| meta.created().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, JournalError, Version, hash};
    use notify::event::{CreateKind, Flag, ModifyKind};

    struct Nowhere;

    impl Journal for Nowhere {
        fn record(&self, _: &Version) -> std::result::Result<(), JournalError> {
            Ok(())
        }
    }

    fn scanner() -> (tempfile::TempDir, Scanner) {
        let folder = tempfile::tempdir().unwrap();
        let root = WorkspaceRoot::open(folder.path(), Arc::new(Nowhere)).unwrap();
        (folder, Scanner::new(Arc::new(root)))
    }

    fn changed(scanner: &mut Scanner, touched: &[&str]) -> Vec<(String, String)> {
        let touched = touched.iter().map(|path| (*path).to_owned()).collect();
        let found = scanner.scan(&touched).unwrap();
        found.into_iter().map(|change| (change.path, change.hash)).collect()
    }

    #[test]
    fn a_scan_finds_new_changed_and_removed_files_and_not_our_own() {
        let (folder, mut scanner) = scanner();
        let write =
            |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
        write("SOUL.md", "a");
        write("USER.md", "a");
        scanner.start().unwrap();
        assert_eq!(changed(&mut scanner, &["SOUL.md"]), []);

        scanner.root.append("SOUL.md", "ours", &Author::User.into()).unwrap();
        scanner.root.append("memory/2026-01-02.md", "ours", &Author::Flush.into()).unwrap();
        write("USER.md", "theirs");
        write("TOOLS.md", "new");
        write("notes.txt", "not ours to watch");
        let expected = [("TOOLS.md", "new"), ("USER.md", "theirs")];
        let expected = expected.map(|(path, text)| (path.to_owned(), hash(text.as_bytes())));
        assert_eq!(changed(&mut scanner, &[]), expected);
        assert_eq!(changed(&mut scanner, &[]), []);

        std::fs::remove_file(folder.path().join("USER.md")).unwrap();
        assert_eq!(changed(&mut scanner, &[]), [("USER.md".to_owned(), String::new())]);
        assert_eq!(changed(&mut scanner, &[]), []);
    }

    #[test]
    fn same_size_and_time_are_seen_through_where_an_event_names_the_file_or_events_were_lost() {
        let (folder, mut scanner) = scanner();
        let path = folder.path().join("SOUL.md");
        let write = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        };
        write("one");
        scanner.start().unwrap();
        write("two");
        assert_eq!(changed(&mut scanner, &["SOUL.md"]).len(), 1);
        write("six");
        let mut touched = BTreeSet::new();
        assert!(!scanner.take(Signal::Touched(Vec::new()), &mut touched));
        assert_eq!(scanner.scan(&touched).unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_becomes_refused_and_readable_again_is_told_each_time_once() {
        let (folder, mut scanner) = scanner();
        let path = folder.path().join("SOUL.md");
        std::fs::write(&path, "a").unwrap();
        scanner.start().unwrap();
        std::fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
        assert_eq!(changed(&mut scanner, &[]).len(), 1);
        assert_eq!(changed(&mut scanner, &["SOUL.md"]).len(), 0);
        std::fs::write(&path, "a").unwrap();
        assert_eq!(changed(&mut scanner, &[]), [("SOUL.md".to_owned(), hash(b"a"))]);
    }

    #[cfg(unix)]
    #[test]
    fn a_change_is_told_under_each_name_of_the_file() {
        let (folder, mut scanner) = scanner();
        std::fs::create_dir(folder.path().join("shared")).unwrap();
        std::fs::write(folder.path().join("shared/soul.md"), "a").unwrap();
        std::os::unix::fs::symlink("shared/soul.md", folder.path().join("SOUL.md")).unwrap();
        scanner.start().unwrap();
        std::fs::write(folder.path().join("shared/soul.md"), "abc").unwrap();
        let names: Vec<_> = changed(&mut scanner, &[]).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["SOUL.md", "shared/soul.md"]);
    }

    #[test]
    fn a_folder_that_is_away_is_no_removal() {
        let (folder, mut scanner) = scanner();
        std::fs::write(folder.path().join("SOUL.md"), "a").unwrap();
        scanner.start().unwrap();
        let away = folder.path().with_extension("away");
        std::fs::rename(folder.path(), &away).unwrap();
        assert!(scanner.scan(&BTreeSet::new()).is_err());
        std::fs::rename(&away, folder.path()).unwrap();
        assert_eq!(changed(&mut scanner, &[]), []);
    }

    #[test]
    fn only_events_of_concern_start_a_scan() {
        let folder = Path::new("/w");
        let event = |kind, path: &str| Ok(Event::new(kind).add_path(path.into()));
        let modified = EventKind::Modify(ModifyKind::Any);
        let some = |path: &str| Some(vec![path.to_owned()]);
        assert_eq!(touched(event(modified, "/w/SOUL.md"), folder), some("SOUL.md"));
        assert_eq!(touched(event(modified, "/w/memory/x.md"), folder), some("memory/x.md"));
        assert_eq!(touched(event(modified, "/w/.learnings/x.md"), folder), some(".learnings/x.md"));
        assert_eq!(touched(event(modified, "/w"), folder), some(""));
        assert_eq!(touched(event(modified, "/w/.git/index"), folder), None);
        assert_eq!(touched(event(modified, "/w/node_modules/a/b.md"), folder), None);
        let created = EventKind::Create(CreateKind::File);
        assert_eq!(touched(event(created, "/w/.hearth-1-1.tmp"), folder), None);
        let read = EventKind::Access(AccessKind::Open(AccessMode::Read));
        assert_eq!(touched(event(read, "/w/SOUL.md"), folder), None);
        let lost = Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan));
        assert_eq!(touched(lost, folder), Some(Vec::new()));
        assert_eq!(touched(Err(notify::Error::generic("overflow")), folder), Some(Vec::new()));
    }
}
