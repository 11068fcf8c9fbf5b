//! Writing: saving with compare-and-swap and merge, appending, removing, restoring.
//!
//! Invariants: what is on disk is in the journal before it is replaced; what another program wrote
//! meanwhile is merged, reported or put back, never dropped; an operation that returns an error or
//! a question has written nothing.

use crate::disk::{self, Replaced};
use crate::error::{Result, WorkspaceError};
use crate::merge::{Merge, marked_whole, merge};
use crate::path::check_path;
use crate::root::{MAX_FILE_BYTES, Place, Recorded, WorkspaceRoot, text};
use crate::style::{Style, without_bom};
use crate::{Attribution, hash};
use hearth_protocol::api::files::{FileSave, FileSaved};
use std::io;

/// How often a file may change under a write before the write gives up.
const ATTEMPTS: usize = 100;

/// What a write wants, given what is on disk.
enum Plan<T> {
    /// These bytes, then this answer.
    Write(Vec<u8>, T),
    /// Nothing more; this answer.
    Leave(T),
}

impl WorkspaceRoot {
    /// Saves an edit. If the file is not what the edit started from, both are merged; what cannot
    /// be merged, or shrinks the file by more than half, is not written but answered.
    ///
    /// # Errors
    /// If the file on disk is refused or cannot be written. It is then as it was.
    pub fn save(&self, edit: &FileSave, by: &Attribution) -> Result<FileSaved> {
        self.write(&edit.path, by, |disk| plan_save(edit, disk))
    }

    /// What [`Self::save`] would answer as things are; nothing is written.
    ///
    /// # Errors
    /// As those of [`Self::save`], as far as they can be told before.
    pub fn foresee(&self, edit: &FileSave) -> Result<FileSaved> {
        let place = self.resolve(&edit.path)?;
        let disk = self.bytes(&place)?;
        match acceptable(&edit.path, plan_save(edit, disk.as_deref())?)? {
            Plan::Write(_, saved) | Plan::Leave(saved) => Ok(saved),
        }
    }

    /// Adds a block of text at the end, on a line of its own, and returns the file's hash. Creates
    /// the file if absent.
    ///
    /// # Errors
    /// If the file on disk is refused or cannot be written. It is then as it was.
    pub fn append(&self, path: &str, block: &str, by: &Attribution) -> Result<String> {
        self.write(path, by, |disk| {
            let old = disk.map_or(Ok(""), |bytes| text(path, bytes))?;
            let style = Style::of(old);
            let gap = if without_bom(old).is_empty() || old.ends_with('\n') { "" } else { "\n" };
            let end = if block.ends_with('\n') { "" } else { "\n" };
            let block = style.without_mark().apply(&format!("{gap}{block}{end}"));
            let bytes = format!("{old}{block}").into_bytes();
            text(path, &bytes)?;
            let hash = hash(&bytes);
            Ok(Plan::Write(bytes, hash))
        })
    }

    /// Changes a file's text, given without its byte-order mark, and reads it back. Returns the text before
    /// and after.
    pub(crate) fn rewrite(
        &self,
        path: &str,
        by: &Attribution,
        mut change: impl FnMut(&str) -> Result<String>,
    ) -> Result<(String, String)> {
        let (before, after) = self.write(path, by, |disk| {
            let old = disk.map_or(Ok(""), |bytes| text(path, bytes))?;
            let body = without_bom(old);
            let new = change(body)?;
            let answer = (body.to_owned(), new.clone());
            if new == body {
                return Ok(Plan::Leave(answer));
            }
            let bytes = format!("{}{new}", &old[..old.len() - body.len()]).into_bytes();
            text(path, &bytes)?;
            Ok(Plan::Write(bytes, answer))
        })?;
        let kept = self.read(path)?.text;
        // Others may have added to it in the meantime; only a text without our lines is a loss.
        let stands = kept == after || added_lines(&before, &after).all(|line| kept.contains(line));
        if stands {
            Ok((before, after))
        } else {
            Err(WorkspaceError::NotKept { path: path.to_owned() })
        }
    }

    /// Puts exactly these bytes back, whatever is there now (it is kept as a version), and returns
    /// their hash. This also mends a file that is not text any more.
    ///
    /// # Errors
    /// If the file cannot be written. It is then as it was.
    pub fn restore(&self, path: &str, bytes: &[u8], by: &Attribution) -> Result<String> {
        self.write(path, by, |disk| {
            let hash = hash(bytes);
            Ok(if disk == Some(bytes) {
                Plan::Leave(hash)
            } else {
                Plan::Write(bytes.to_vec(), hash)
            })
        })
    }

    /// Removes a file that still has the hash that the caller saw. Where the path is a link within
    /// the workspace, the link stays and its file goes.
    ///
    /// # Errors
    /// [`WorkspaceError::Changed`] if it has another content; if it cannot be removed.
    pub fn remove(&self, path: &str, seen: &str, by: &Attribution) -> Result<()> {
        let mut recorded = self.lock();
        let _locked = self.lock_for_writing(path)?;
        let place = self.resolve(path)?;
        let missing = || WorkspaceError::Missing { path: path.to_owned() };
        let bytes = self.bytes(&place)?.ok_or_else(missing)?;
        let changed = || WorkspaceError::Changed { path: path.to_owned() };
        if hash(&bytes) != seen {
            return Err(changed());
        }
        self.record_found(&mut recorded, &place, Some(&bytes))?;
        let (dir, name) = self.parent_for_writing(&place)?;
        match disk::remove(&dir, name, &bytes) {
            Ok(true) => self.written(&mut recorded, &place, None, by),
            Ok(false) => return Err(changed()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(missing()),
            Err(e) => return Err(WorkspaceError::writing(path, e)),
        }
        Ok(())
    }

    /// Creates a file that must not be there; false if it is.
    pub(crate) fn create(&self, path: &str, bytes: &[u8], by: &Attribution) -> Result<bool> {
        check_path(path)?;
        let mut recorded = self.lock();
        let _locked = self.lock_for_writing(path)?;
        // A link without a target, or any other thing under the name, counts as there.
        if std::fs::symlink_metadata(self.folder().join(path)).is_ok() {
            return Ok(false);
        }
        let place = self.resolve(path)?;
        let (dir, name) = self.parent_for_writing(&place)?;
        match disk::create(&dir, name, bytes) {
            Ok(()) => self.written(&mut recorded, &place, Some(bytes), by),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(e) => return Err(WorkspaceError::writing(path, e)),
        }
        Ok(true)
    }

    fn write<T>(
        &self,
        path: &str,
        by: &Attribution,
        mut plan: impl FnMut(Option<&[u8]>) -> Result<Plan<T>>,
    ) -> Result<T> {
        let mut recorded = self.lock();
        let _locked = self.lock_for_writing(path)?;
        let place = self.resolve(path)?;
        // What others wrote last, and what stands on disk: the same, unless a swap displaced it.
        let mut theirs = self.bytes(&place)?;
        let mut on_disk = theirs.clone();
        for _ in 0..ATTEMPTS {
            self.record_found(&mut recorded, &place, theirs.as_deref())?;
            let planned = plan(theirs.as_deref()).and_then(|plan| acceptable(path, plan));
            let (wanted, answer) = match planned {
                Ok(Plan::Write(bytes, answer)) => (Some(bytes), Ok(answer)),
                Ok(Plan::Leave(answer)) => (theirs.clone(), Ok(answer)),
                Err(e) => (theirs.clone(), Err(e)),
            };
            let Some(bytes) = wanted else { return answer };
            if on_disk.as_ref() == Some(&bytes) {
                // After a displacement the journal's latest is what was displaced.
                self.written(&mut recorded, &place, Some(&bytes), by);
                return answer;
            }
            let put = self.put(&place, on_disk.as_deref(), &bytes)?;
            if !matches!(put, Replaced::Changed) {
                self.written(&mut recorded, &place, Some(&bytes), by);
            }
            match put {
                Replaced::Done => return answer,
                Replaced::Changed => {
                    theirs = self.bytes(&place)?;
                    on_disk.clone_from(&theirs);
                }
                Replaced::Displaced(found) => {
                    theirs = Some(found);
                    on_disk = Some(bytes);
                }
            }
        }
        Err(WorkspaceError::Busy { path: path.to_owned() })
    }

    fn put(&self, place: &Place, on_disk: Option<&[u8]>, bytes: &[u8]) -> Result<Replaced> {
        let (dir, name) = self.parent_for_writing(place)?;
        let put = match on_disk {
            Some(expected) => disk::replace(&dir, name, expected, bytes),
            None => match disk::create(&dir, name, bytes) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(Replaced::Changed),
                other => other.map(|()| Replaced::Done),
            },
        };
        put.map_err(|e| WorkspaceError::writing(&place.path, e))
    }

    /// The write stands, so a journal that fails now does not make it fail: this content is
    /// recorded before anything replaces it.
    fn written(
        &self,
        recorded: &mut Recorded,
        place: &Place,
        bytes: Option<&[u8]>,
        by: &Attribution,
    ) {
        if let Err(error) = self.record(recorded, place, bytes, by) {
            tracing::warn!(path = place.path, %error, "written, but its version is not kept yet");
        }
    }
}

fn acceptable<T>(path: &str, plan: Plan<T>) -> Result<Plan<T>> {
    if let Plan::Write(bytes, _) = &plan {
        let size = bytes.len() as u64;
        if size > MAX_FILE_BYTES {
            return Err(WorkspaceError::TooLarge { path: path.to_owned(), bytes: size });
        }
    }
    Ok(plan)
}

fn plan_save(edit: &FileSave, disk: Option<&[u8]>) -> Result<Plan<FileSaved>> {
    let path = edit.path.as_str();
    let theirs = disk.map(|bytes| text(path, bytes)).transpose()?;
    let style = theirs.map(Style::of).unwrap_or_default();
    let ours = style.apply(&edit.text);
    text(path, ours.as_bytes())?;
    let disk_hash = disk.map(hash).unwrap_or_default();

    let unchanged = disk_hash == edit.base_hash || theirs == Some(ours.as_str());
    let (result, merged) = if unchanged {
        (ours, false)
    } else {
        match merge_with_base(edit, style, &ours, theirs) {
            Merge::Clean(result) => (result, true),
            Merge::Conflict(marked) => {
                return Ok(Plan::Leave(FileSaved::Conflict {
                    theirs: without_bom(theirs.unwrap_or_default()).to_owned(),
                    theirs_hash: disk_hash,
                    marked: without_bom(&marked).to_owned(),
                }));
            }
        }
    };
    let from_chars = theirs.map_or(0, chars);
    let to_chars = chars(&result);
    if !edit.confirmed && to_chars * 2 < from_chars {
        return Ok(Plan::Leave(FileSaved::ConfirmShrink { from_chars, to_chars }));
    }
    let hash = hash(result.as_bytes());
    let answer = if merged {
        FileSaved::Merged { text: without_bom(&result).to_owned(), hash }
    } else {
        FileSaved::Written { hash }
    };
    Ok(Plan::Write(result.into_bytes(), answer))
}

/// Merges only from a base that is proven by its hash: from a wrong one, lines would be lost.
fn merge_with_base(edit: &FileSave, style: Style, ours: &str, theirs: Option<&str>) -> Merge {
    let proven = !edit.base_hash.is_empty()
        && Style::forms(&edit.base_text).any(|form| hash(form.as_bytes()) == edit.base_hash);
    match theirs {
        Some(theirs) if proven => merge(&style.apply(&edit.base_text), ours, theirs),
        theirs => Merge::Conflict(marked_whole(ours, theirs.unwrap_or_default())),
    }
}

fn added_lines<'a>(before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    let old: std::collections::HashSet<&str> = before.lines().collect();
    after.lines().filter(move |line| !old.contains(line))
}

fn chars(text: &str) -> u64 {
    without_bom(text).chars().count() as u64
}

/// What only a test can time: another program writes between our comparison and our swap.
#[cfg(all(test, any(target_os = "linux", target_os = "macos")))]
#[allow(clippy::unwrap_used, reason = "a failed fixture is a failed test")]
mod tests {
    use super::*;
    use crate::disk::race;
    use crate::{Journal, JournalError, Version};
    use hearth_protocol::api::files::Author;
    use std::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Kept(Mutex<Vec<String>>);

    impl Journal for Kept {
        fn record(&self, version: &Version) -> std::result::Result<(), JournalError> {
            let text = version.bytes.clone().map(|bytes| String::from_utf8(bytes).unwrap());
            self.0.lock().unwrap().push(text.unwrap_or_default());
            Ok(())
        }
    }

    struct Racing {
        folder: tempfile::TempDir,
        kept: Arc<Kept>,
        root: WorkspaceRoot,
    }

    /// A file with three lines, and texts that another program puts there, each in the instant of
    /// one swap of ours.
    fn racing(others: &[&'static str]) -> Racing {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("SOUL.md");
        std::fs::write(&path, "a\nb\nc\n").unwrap();
        for &text in others {
            let path = path.clone();
            race::with(move || {
                std::fs::write(path.with_extension("new"), text).unwrap();
                std::fs::rename(path.with_extension("new"), path).unwrap();
            });
        }
        let kept = Arc::new(Kept::default());
        let root = WorkspaceRoot::open(folder.path(), kept.clone()).unwrap();
        Racing { folder, kept, root }
    }

    impl Racing {
        fn save(&self, text: &str) -> FileSaved {
            let base = "a\nb\nc\n";
            let edit = FileSave {
                path: "SOUL.md".to_owned(),
                text: text.to_owned(),
                base_hash: hash(base.as_bytes()),
                base_text: base.to_owned(),
                confirmed: false,
            };
            self.root.save(&edit, &Author::User.into()).unwrap()
        }

        fn check(&self, on_disk: &str, kept: &[&str]) {
            let text = std::fs::read_to_string(self.folder.path().join("SOUL.md")).unwrap();
            assert_eq!(text, on_disk);
            assert_eq!(*self.kept.0.lock().unwrap(), kept);
            assert_eq!(std::fs::read_dir(self.folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn an_append_takes_what_it_displaced() {
        let r = racing(&["a\nb\nc\ntheirs\n"]);
        r.root.append("SOUL.md", "ours", &Author::User.into()).unwrap();
        r.check(
            "a\nb\nc\ntheirs\nours\n",
            &["a\nb\nc\n", "a\nb\nc\nours\n", "a\nb\nc\ntheirs\n", "a\nb\nc\ntheirs\nours\n"],
        );
    }

    #[test]
    fn a_save_merges_what_it_displaced() {
        let r = racing(&["a\nb\nC\n"]);
        assert!(matches!(r.save("A\nb\nc\n"), FileSaved::Merged { .. }));
        r.check("A\nb\nC\n", &["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"]);
    }

    #[test]
    fn a_conflict_puts_back_what_the_save_displaced() {
        let r = racing(&["a\ntheirs\nc\n"]);
        match r.save("a\nours\nc\n") {
            FileSaved::Conflict { theirs, .. } => assert_eq!(theirs, "a\ntheirs\nc\n"),
            other => panic!("{other:?}"),
        }
        r.check("a\ntheirs\nc\n", &["a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n"]);
    }

    #[test]
    fn two_races_in_a_row_lose_nothing() {
        let r = racing(&["a\nb\nc\nfirst\n", "a\nb\nc\nsecond\n"]);
        r.root.append("SOUL.md", "ours", &Author::User.into()).unwrap();
        let kept = r.kept.0.lock().unwrap().concat();
        assert!(["first", "second", "ours"].iter().all(|line| kept.contains(line)));
        let text = std::fs::read_to_string(r.folder.path().join("SOUL.md")).unwrap();
        assert!(text.contains("ours") && text.contains("second"), "{text}");
    }

    #[test]
    fn a_restore_wins_and_keeps_what_it_displaced() {
        let r = racing(&["theirs\n"]);
        r.root.restore("SOUL.md", b"old\n", &Author::User.into()).unwrap();
        r.check("old\n", &["a\nb\nc\n", "old\n", "theirs\n", "old\n"]);
    }
}
