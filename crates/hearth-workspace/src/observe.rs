//! What a command of the assistant changes in the workspace: seen by a look before it runs and one after.
//!
//! Invariants: what a file held before is kept before its change is recorded; nothing is recorded of a file that
//! did not change; a change that the watcher finds first is the command's all the same. What somebody else writes
//! with another program meanwhile cannot be told from it; a link is no file: where one took a file's place, that
//! file is gone. Kinds, permissions, links and folders are told beside the texts; what is not kept is named. Not
//! looked into: folders that hide their name or hold what tools make (`.git`, `node_modules`), and what links lead
//! out of.

use crate::error::WorkspaceError;
use crate::path::{TEMPORARY, check_path};
use crate::root::{MAX_DEPTH, Recorded, WorkspaceRoot, hash_of, is_skipped};
use crate::shape::{Reshape, Shape};
use crate::{Attribution, hash};
use cap_std::fs::{Dir, Metadata};
use hearth_protocol::api::files::FileChanged;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Read};
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

/// Files, folders and links that are looked at.
const MOST_FILES: usize = 2_000;
/// Bytes of a file whose content is kept in mind.
const MOST_BYTES: u64 = 1024 * 1024;
/// Bytes of all of them.
const MOST_IN_ALL: u64 = 32 * 1024 * 1024;

/// What tells that a file was written, whatever its text: size, time, and the time that nobody can set.
type Stamp = (u64, Option<SystemTime>, i64);

/// A file before.
struct Before {
    stamp: Stamp,
    /// None: too large.
    held: Option<Held>,
}

struct Held {
    bytes: Vec<u8>,
    hash: String,
    /// What the journal held last of it then.
    recorded: Option<String>,
}

/// The files before, and whose the changes are.
pub(crate) struct Observed {
    by: Attribution,
    before: HashMap<String, Before>,
    /// Files that links lead to: the journal may know them by those names alone.
    linked: HashSet<String>,
    shapes: BTreeMap<String, Shape>,
    closed: Closed,
    odd: HashMap<String, Stamp>,
    /// All files were looked at.
    whole: bool,
}

/// Folders that are not looked into, with when what is in them changed last.
type Closed = HashMap<String, Option<SystemTime>>;

impl Observed {
    /// Whether a content that is new to the journal came since.
    pub(crate) fn is_changed(&self, path: &str, now: &str) -> bool {
        match self.before.get(path) {
            Some(Before { held, .. }) => held.as_ref().is_some_and(|held| held.hash != now),
            None => self.whole && !now.is_empty(),
        }
    }

    pub(crate) fn is_linked(&self, path: &str) -> bool {
        self.linked.contains(path)
    }

    pub(crate) fn by(&self) -> &Attribution {
        &self.by
    }

    /// What a file held before, unless the journal has heard of it since.
    pub(crate) fn to_keep(&self, path: &str, recorded: &Recorded) -> Option<&[u8]> {
        let held = self.before.get(path)?.held.as_ref()?;
        (held.recorded.as_ref() == recorded.get(path)).then_some(held.bytes.as_slice())
    }
}

/// A look at the workspace before a command. Ended or dropped, changes are others' again.
pub struct Observation {
    root: Arc<WorkspaceRoot>,
    observed: Arc<Observed>,
}

/// What a command changed.
#[derive(Debug, Default)]
pub struct Seen {
    /// Files that are recorded.
    pub changed: Vec<FileChanged>,
    /// What changed beside the texts of files.
    pub reshaped: Vec<Reshape>,
    /// What changed, or may have, and is not kept.
    pub unkept: Vec<(String, Unkept)>,
}

/// Why a change is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unkept {
    /// The file is too large.
    Large,
    /// The file or folder cannot be read.
    Unread,
    /// The folder is not looked into.
    Closed,
    /// Its name is none that files of the workspace may have on every system.
    Named,
    /// It is no file, folder or link.
    Special,
    /// There are more files than are looked at. Said of the workspace, `.`.
    Many,
}

impl WorkspaceRoot {
    /// Looks at the files before a command runs: what changes until [`Observation::end`] is `by` it.
    pub fn observe(self: &Arc<Self>, by: Attribution) -> Observation {
        let mut look = Look { whole: true, ..Look::default() };
        match self.dir() {
            Ok(dir) => look.at(&dir, "", 0),
            Err(_) => look.whole = false,
        }
        let real = |link: &String| Some(self.resolve(link).ok()?.real);
        let linked = look.links.iter().filter_map(real).collect();
        let recorded = self.lock();
        let keep = |(path, (stamp, bytes)): (String, (Stamp, Option<Vec<u8>>))| {
            let recorded = recorded.get(&path).cloned();
            let held = bytes.map(|bytes| Held { hash: hash(&bytes), bytes, recorded });
            (path, Before { stamp, held })
        };
        let before = look.found.into_iter().map(keep).collect();
        let Look { shapes, closed, odd, whole, .. } = look;
        let observed = Arc::new(Observed { by, before, linked, shapes, closed, odd, whole });
        self.observed.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&observed));
        drop(recorded);
        Observation { root: Arc::clone(self), observed }
    }
}

impl Observation {
    /// Looks again, and records what changed.
    #[must_use]
    pub fn end(self) -> Seen {
        let Self { root, observed } = &self;
        let mut look = Look { stamps_only: true, whole: true, ..Look::default() };
        match root.dir() {
            Ok(dir) => look.at(&dir, "", 0),
            // Gone, or a disk that is not there just now: nothing in it was removed by anyone.
            Err(_) => return Seen::default(),
        }
        let mut seen = Seen::default();
        if !(observed.whole && look.whole) {
            seen.unkept.push((".".to_owned(), Unkept::Many));
        }
        let mut touched: Vec<&String> = look
            .found
            .iter()
            .filter(|(path, (stamp, _))| {
                observed.before.get(*path).map_or(observed.whole, |before| before.stamp != *stamp)
            })
            .map(|(path, _)| path)
            .collect();
        if look.whole {
            let is_gone = |path: &&String| !look.found.contains_key(*path) && !look.hides(path);
            touched.extend(observed.before.keys().filter(is_gone));
        }
        touched.sort();
        for path in touched {
            self.record(path, &mut seen);
        }
        observed.reshaped(&look, &mut seen);
        seen.unkept.sort();
        seen.unkept.dedup();
        seen
    }

    fn record(&self, path: &str, seen: &mut Seen) {
        let Self { root, observed } = self;
        let is_large = observed.before.get(path).is_some_and(|before| before.held.is_none());
        let mut recorded = root.lock();
        let read = match root.shape(path) {
            Ok(Shape::File(_)) => {
                root.resolve(path).and_then(|place| Ok((root.bytes(&place)?, place)))
            }
            // A link on the way leads to another file.
            Err(error) if error.kind() != io::ErrorKind::NotADirectory => {
                Err(WorkspaceError::reading(path, error))
            }
            _ => Ok((None, root.at(path))),
        };
        let (bytes, place) = match read {
            Ok(read) if !is_large => read,
            Ok(_) | Err(WorkspaceError::TooLarge { .. }) => {
                return seen.unkept.push((path.to_owned(), Unkept::Large));
            }
            Err(_) => return seen.unkept.push((path.to_owned(), Unkept::Unread)),
        };
        let now = hash_of(bytes.as_deref());
        let is_known = recorded.get(&place.real) == Some(&now);
        if is_known || !observed.is_changed(path, &now) {
            return;
        }
        if let Err(error) = root.record_found(&mut recorded, &place, bytes.as_deref()) {
            tracing::warn!(path, %error, "what a command changed is not kept as a version yet");
        }
        let author = observed.by.author;
        seen.changed.push(FileChanged { path: path.to_owned(), author, hash: now });
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        let mut all = self.root.observed.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| !Arc::ptr_eq(one, &self.observed));
    }
}

impl Observed {
    /// What is not as it was, beside texts.
    fn reshaped(&self, look: &Look, seen: &mut Seen) {
        let paths: BTreeSet<&String> = self.shapes.keys().chain(look.shapes.keys()).collect();
        for path in paths {
            let (before, after) = (self.shapes.get(path), look.shapes.get(path));
            // What was not looked at is not known to be missing.
            let is_known = match (before, after) {
                (None, _) => self.whole,
                (_, None) => look.whole && !look.hides(path),
                _ => true,
            };
            let [before, after] = [before, after].map(|one| one.unwrap_or(&Shape::Missing));
            // A file that was made goes with its text, if it may be written.
            let is_text =
                matches!((before, after), (Shape::Missing, Shape::File(_))) && !after.is_locked();
            if before == after || !is_known || is_text {
                continue;
            }
            if [before, after].contains(&&Shape::Other) {
                seen.unkept.push((path.clone(), Unkept::Special));
            }
            let (path, before, after) = (path.clone(), before.clone(), after.clone());
            seen.reshaped.push(Reshape { path, before, after });
        }
        let is_known = |path: &&String| self.whole && look.whole && !look.hides(path);
        let closed = differing(&self.closed, &look.closed).filter(is_known);
        seen.unkept.extend(closed.map(|path| (path.clone(), Unkept::Closed)));
        let odd = differing(&self.odd, &look.odd).filter(is_known);
        seen.unkept.extend(odd.map(|path| (path.clone(), Unkept::Named)));
        let unread = look.unread.iter().filter(|_| self.whole);
        seen.unkept.extend(unread.map(|path| (path.clone(), Unkept::Unread)));
    }
}

#[derive(Default)]
struct Look {
    found: HashMap<String, (Stamp, Option<Vec<u8>>)>,
    shapes: BTreeMap<String, Shape>,
    closed: Closed,
    /// What has a name that no version can be kept under.
    odd: HashMap<String, Stamp>,
    /// Folders that do not open after the command.
    unread: HashSet<String>,
    links: Vec<String>,
    bytes: u64,
    stamps_only: bool,
    whole: bool,
}

impl Look {
    fn at(&mut self, dir: &Dir, at: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            if self.shapes.len() + self.odd.len() >= MOST_FILES {
                self.whole = false;
                return;
            }
            let Ok(meta) = entry.metadata() else { continue };
            let name = entry.file_name();
            let named = name.to_str().map(|name| (name.to_owned(), format!("{at}{name}")));
            let Some((name, path)) = named.filter(|(_, path)| check_path(path).is_ok()) else {
                let shown = name.to_string_lossy().replace(char::is_control, "\u{fffd}");
                self.odd.insert(format!("{at}{shown}"), stamp(&meta));
                continue;
            };
            if name.starts_with(TEMPORARY) {
                continue;
            }
            let shape = Shape::of(dir, &name, &meta);
            match &shape {
                Shape::Folder(_) if is_skipped(&name) => {
                    self.closed.insert(path, modified(&meta));
                    continue;
                }
                Shape::Folder(_) if depth >= MAX_DEPTH => self.whole = false,
                Shape::Folder(_) => match entry.open_dir() {
                    Ok(sub) => self.at(&sub, &format!("{path}/"), depth + 1),
                    Err(_) if self.stamps_only => drop(self.unread.insert(path.clone())),
                    Err(_) => self.whole = false,
                },
                Shape::File(_) => {
                    let bytes =
                        (!self.stamps_only).then(|| self.content(dir, &name, &meta)).flatten();
                    self.found.insert(path.clone(), (stamp(&meta), bytes));
                }
                Shape::Link(_) => self.links.push(path.clone()),
                Shape::Missing | Shape::Other => {}
            }
            self.shapes.insert(path, shape);
        }
    }

    /// Whether a path lies in a folder that does not open.
    fn hides(&self, path: &str) -> bool {
        path.match_indices('/').any(|(at, _)| self.unread.contains(&path[..at]))
    }

    fn content(&mut self, dir: &Dir, name: &str, meta: &Metadata) -> Option<Vec<u8>> {
        if meta.len() > MOST_BYTES || self.bytes + meta.len() > MOST_IN_ALL {
            return None;
        }
        let mut bytes = Vec::new();
        dir.open(name).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
        self.bytes += bytes.len() as u64;
        (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
    }
}

/// Paths that the two do not have alike; one that only changed comes twice.
fn differing<'a, T: PartialEq>(
    before: &'a HashMap<String, T>,
    after: &'a HashMap<String, T>,
) -> impl Iterator<Item = &'a String> {
    before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path))
}

fn stamp(meta: &Metadata) -> Stamp {
    (meta.len(), modified(meta), changed(meta))
}

fn modified(meta: &Metadata) -> Option<SystemTime> {
    meta.modified().ok().map(cap_std::time::SystemTime::into_std)
}

#[cfg(unix)]
fn changed(meta: &Metadata) -> i64 {
    use cap_std::fs::MetadataExt;
    meta.ctime().wrapping_mul(1_000_000_000).wrapping_add(meta.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_meta: &Metadata) -> i64 {
    0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed fixture is a failed test")]
mod tests {
    use super::*;
    use crate::{Journal, JournalError, Version};
    use hearth_protocol::api::files::Author;
    use std::path::Path;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<Vec<String>>);

    impl Journal for Kept {
        fn record(&self, version: &Version) -> Result<(), JournalError> {
            let text =
                version.bytes.clone().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let text = text.unwrap_or_else(|| "gone".to_owned());
            let line = format!("{} {:?}: {text}", version.path, version.by.author);
            self.0.lock().unwrap().push(line);
            Ok(())
        }
    }

    struct Stage {
        folder: tempfile::TempDir,
        kept: Arc<Kept>,
        root: Arc<WorkspaceRoot>,
    }

    fn stage(files: &[(&str, &str)]) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let kept = Arc::new(Kept::default());
        let root = Arc::new(WorkspaceRoot::open(folder.path(), kept.clone()).unwrap());
        Stage { folder, kept, root }
    }

    impl Stage {
        fn run(&self, command: impl FnOnce(&Path)) -> Seen {
            let observation = self.root.observe(Author::Turn.into());
            command(self.folder.path());
            observation.end()
        }

        fn kept(&self) -> Vec<String> {
            std::mem::take(&mut self.kept.0.lock().unwrap())
        }
    }

    #[test]
    fn what_a_command_changes_makes_or_removes_is_recorded_with_what_was_before() {
        let stage = stage(&[
            ("a.txt", "a"),
            ("b/c.csv", "c"),
            ("d.md", "d"),
            (".git/x", "x"),
            ("e.txt", "e"),
        ]);
        let seen = stage.run(|at| {
            std::fs::write(at.join("a.txt"), "A").unwrap();
            std::fs::remove_file(at.join("b/c.csv")).unwrap();
            std::fs::write(at.join("new.txt"), "n").unwrap();
            std::fs::write(at.join(".git/y"), "y").unwrap();
            std::fs::write(at.join("e.txt"), "e").unwrap();
        });
        let paths: Vec<_> = seen.changed.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths, ["a.txt", "b/c.csv", "new.txt"]);
        assert_eq!(seen.unkept, [(".git".to_owned(), Unkept::Closed)]);
        assert_eq!(
            seen.reshaped.len(),
            1,
            "the file that is gone, with its permissions: {:?}",
            seen.reshaped
        );
        let expected = [
            "a.txt Outside: a",
            "a.txt Turn: A",
            "b/c.csv Outside: c",
            "b/c.csv Turn: gone",
            "new.txt Turn: n",
        ];
        assert_eq!(stage.kept(), expected);
        let seen = stage.run(|_| {});
        assert!(seen.changed.is_empty() && stage.kept().is_empty());
    }

    #[test]
    fn what_the_watcher_finds_first_is_the_commands_and_what_the_person_saves_is_theirs() {
        let stage = stage(&[("SOUL.md", "a\n"), ("USER.md", "u\n")]);
        stage.root.append("USER.md", "v", &Author::User.into()).unwrap();
        stage.kept();
        let seen = stage.run(|at| {
            std::fs::write(at.join("SOUL.md"), "b\n").unwrap();
            let place = stage.root.resolve("SOUL.md").unwrap();
            stage.root.record_found(&mut stage.root.lock(), &place, Some(b"b\n")).unwrap();
            stage.root.append("USER.md", "w", &Author::User.into()).unwrap();
        });
        assert_eq!(
            stage.kept(),
            ["SOUL.md Outside: a\n", "SOUL.md Turn: b\n", "USER.md User: u\nv\nw\n"]
        );
        assert!(seen.changed.is_empty(), "both are known already: {:?}", seen.changed);
        // After its end, what is found is somebody else's.
        std::fs::write(stage.folder.path().join("SOUL.md"), "c\n").unwrap();
        let place = stage.root.resolve("SOUL.md").unwrap();
        stage.root.record_found(&mut stage.root.lock(), &place, Some(b"c\n")).unwrap();
        assert_eq!(stage.kept(), ["SOUL.md Outside: c\n"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_links_lead_to_is_recorded_by_its_own_name() {
        use std::os::unix::fs::symlink;
        let stage = stage(&[("r.md", "r"), ("o.md", "o"), ("t.md", "t")]);
        symlink("r.md", stage.folder.path().join("l.md")).unwrap();
        let found = |path: &str, bytes: &[u8]| {
            let place = stage.root.resolve(path).unwrap();
            stage.root.record_found(&mut stage.root.lock(), &place, Some(bytes)).unwrap();
        };
        // The journal knows it by the link alone.
        found("l.md", b"r");
        assert_eq!(stage.kept(), ["l.md Outside: r"]);
        stage.run(|at| {
            std::fs::write(at.join("l.md"), "R").unwrap();
            found("l.md", b"R");
        });
        assert_eq!(stage.kept(), ["r.md Outside: r", "r.md Turn: R"]);
        // A link in a file's place, written through.
        stage.run(|at| {
            std::fs::remove_file(at.join("o.md")).unwrap();
            symlink("t.md", at.join("o.md")).unwrap();
            std::fs::write(at.join("o.md"), "T").unwrap();
            found("o.md", b"T");
        });
        let mut kept = stage.kept();
        kept.sort();
        assert_eq!(kept, ["o.md Outside: o", "o.md Turn: gone", "t.md Outside: t", "t.md Turn: T"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_has_a_name_that_is_not_kept_is_said() {
        let stage = stage(&[("plain.md", "p")]);
        let odd = stage.folder.path().join("Meeting 14:30.md");
        std::fs::write(&odd, "m").unwrap();
        std::fs::write(stage.folder.path().join("Why?.md"), "w").unwrap();
        let seen = stage.run(|_| std::fs::remove_file(&odd).unwrap());
        assert_eq!(seen.unkept, [("Meeting 14:30.md".to_owned(), Unkept::Named)]);
    }

    #[test]
    fn what_is_too_large_or_too_much_is_said() {
        let large = "x".repeat(1024 * 1024 + 1);
        let stage = stage(&[("large.txt", &large)]);
        let seen = stage.run(|at| std::fs::write(at.join("large.txt"), "small").unwrap());
        assert_eq!(seen.unkept, [("large.txt".to_owned(), Unkept::Large)]);
        assert!(seen.changed.is_empty());
        for n in 0..=MOST_FILES {
            std::fs::write(stage.folder.path().join(format!("{n}.txt")), "x").unwrap();
        }
        assert_eq!(stage.run(|_| {}).unkept, [(".".to_owned(), Unkept::Many)]);
    }
}
