//! Taking stock at start: what the journal holds against what the folder holds.
//!
//! Invariant: a folder that cannot be read is no removal of what was in it. Left out: what is new or
//! changed, which the watch's first look finds.

use crate::error::Result;
use crate::root::WorkspaceRoot;
use crate::{Version, WorkspaceError};
use hearth_protocol::api::files::Author;
use std::collections::HashMap;

impl WorkspaceRoot {
    /// Takes what the journal holds last of each path (none: removed), so that unchanged files need no
    /// word with it, and records those as removed that are gone. Returns their paths, sorted.
    ///
    /// # Errors
    /// If the folder cannot be read, or the journal cannot keep a removal.
    pub fn take_stock(&self, known: HashMap<String, Option<String>>) -> Result<Vec<String>> {
        self.dir()?;
        let mut removed = Vec::new();
        let mut held: HashMap<String, Option<String>> = HashMap::new();
        for (path, hash) in known.into_iter().filter_map(|(path, hash)| Some((path, hash?))) {
            let Ok(place) = self.resolve(&path) else { continue };
            if matches!(self.bytes(&place), Ok(None)) {
                self.note_removed(&path, place.real)?;
                removed.push(path);
                continue;
            }
            // Two names of one file that do not agree say nothing.
            held.entry(place.real)
                .and_modify(|other| *other = other.take().filter(|other| *other == hash))
                .or_insert(Some(hash));
        }
        let mut recorded = self.lock();
        for (real, hash) in held.into_iter().filter_map(|(real, hash)| Some((real, hash?))) {
            recorded.entry(real).or_insert(hash);
        }
        removed.sort();
        Ok(removed)
    }

    fn note_removed(&self, path: &str, real: String) -> Result<()> {
        let mut recorded = self.lock();
        if recorded.contains_key(&real) {
            return Ok(());
        }
        let (hash, by) = (String::new(), Author::Outside.into());
        let version = Version { path: path.to_owned(), bytes: None, hash, by };
        let kept = self.journal.record(&version);
        kept.map_err(|source| WorkspaceError::Journal { path: path.to_owned(), source })?;
        recorded.insert(real, String::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, JournalError, hash};
    use std::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Kept(Mutex<Vec<(String, bool)>>);

    impl Journal for Kept {
        fn record(&self, version: &Version) -> std::result::Result<(), JournalError> {
            let line = (version.path.clone(), version.bytes.is_some());
            self.0.lock().unwrap().push(line);
            Ok(())
        }
    }

    fn opened() -> (tempfile::TempDir, Arc<Kept>, Arc<WorkspaceRoot>) {
        let folder = tempfile::tempdir().unwrap();
        let kept = Arc::new(Kept::default());
        let root = WorkspaceRoot::open(folder.path(), Arc::clone(&kept) as _).unwrap();
        (folder, kept, Arc::new(root))
    }

    fn known(rows: &[(&str, Option<&str>)]) -> HashMap<String, Option<String>> {
        let row = |(path, text): &(&str, Option<&str>)| {
            ((*path).to_owned(), text.map(|text| hash(text.as_bytes())))
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn what_the_journal_holds_and_the_folder_does_not_was_removed() {
        let (folder, kept, root) = opened();
        std::fs::write(folder.path().join("SOUL.md"), "here").unwrap();
        std::fs::create_dir(folder.path().join("TOOLS.md")).unwrap();
        let rows = [
            ("SOUL.md", Some("here")),
            ("USER.md", Some("gone")),
            ("memory/2026-01-02.md", Some("gone")),
            ("TOOLS.md", Some("a folder now")),
            ("old.md", None),
            ("../x.md", Some("no path of ours")),
        ];
        let removed = root.take_stock(known(&rows)).unwrap();
        assert_eq!(removed, ["USER.md", "memory/2026-01-02.md"]);
        let mut told = kept.0.lock().unwrap().clone();
        told.sort();
        assert_eq!(told, removed.iter().map(|path| (path.clone(), false)).collect::<Vec<_>>());
        assert_eq!(std::mem::take(&mut *kept.0.lock().unwrap()).len(), 2);

        // Written again by us, it is recorded as ever.
        root.append("USER.md", "again", &Author::User.into()).unwrap();
        assert_eq!(*kept.0.lock().unwrap(), [("USER.md".to_owned(), true)]);
    }

    #[test]
    fn only_what_changed_since_is_told_to_the_journal_again() {
        let (folder, kept, root) = opened();
        std::fs::write(folder.path().join("SOUL.md"), "same").unwrap();
        std::fs::write(folder.path().join("USER.md"), "edited outside").unwrap();
        root.take_stock(known(&[("SOUL.md", Some("same")), ("USER.md", Some("before"))])).unwrap();
        drop(root.watch(|_| {}).unwrap());
        assert_eq!(*kept.0.lock().unwrap(), [("USER.md".to_owned(), true)]);
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_a_file_that_disagree_are_both_looked_at() {
        let (folder, kept, root) = opened();
        std::fs::write(folder.path().join("soul.md"), "new").unwrap();
        std::os::unix::fs::symlink("soul.md", folder.path().join("SOUL.md")).unwrap();
        root.take_stock(known(&[("SOUL.md", Some("old")), ("soul.md", Some("new"))])).unwrap();
        drop(root.watch(|_| {}).unwrap());
        assert_eq!(*kept.0.lock().unwrap(), [("SOUL.md".to_owned(), true)]);
    }

    #[test]
    fn a_folder_that_is_away_lost_nothing() {
        let (folder, kept, root) = opened();
        let away = folder.path().with_extension("away");
        std::fs::rename(folder.path(), &away).unwrap();
        assert!(root.take_stock(known(&[("SOUL.md", Some("x"))])).is_err());
        assert!(kept.0.lock().unwrap().is_empty());
        std::fs::rename(&away, folder.path()).unwrap();
    }
}
