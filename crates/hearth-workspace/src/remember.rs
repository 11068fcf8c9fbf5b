//! Memory on disk: writing entries to MEMORY.md, USER.md and the daily logs, and finding them there.
//!
//! Invariants: each change is made to what is on disk at that moment, compared and swapped like every
//! write, and read back before it counts as saved.
//! Absent here: what is worth remembering, and the history of an entry beyond its file.

use crate::entries::{EntryFault, append_entry, mark_entry, overdue, supersede_entry};
use crate::error::{Result, WorkspaceError};
use crate::inject::chars;
use crate::{Attribution, Draft, Entry, PersonaFile, WorkspaceRoot, entries_of};

/// An entry and the file it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// The file.
    pub path: String,
    /// Its id, or one made of its text.
    pub id: String,
    /// What it says.
    pub text: String,
    /// The entry.
    pub entry: Entry,
}

/// Makes a file's text anew and says the id of the entry that came.
type Change<'a> = dyn Fn(&str) -> std::result::Result<(String, String), EntryFault> + 'a;

impl WorkspaceRoot {
    /// Adds an entry; automatic writes give the characters that the file may have at most.
    ///
    /// # Errors
    /// [`EntryFault::OverCap`], or if the file is refused or cannot be written. It is then as it was.
    pub fn remember(
        &self,
        path: &str,
        draft: &Draft,
        most: Option<usize>,
        by: &Attribution,
    ) -> Result<Held> {
        self.added(path, by, &|text| append_entry(path, text, draft), most)
    }

    /// Adds an entry in the place of another one, which stays as history.
    ///
    /// # Errors
    /// As [`Self::remember`]; [`EntryFault::Unknown`] and the like where the old one cannot be found.
    pub fn supersede(&self, path: &str, id: &str, draft: &Draft, by: &Attribution) -> Result<Held> {
        self.added(path, by, &|text| supersede_entry(path, text, id, draft), None)
    }

    fn added(
        &self,
        path: &str,
        by: &Attribution,
        change: &Change<'_>,
        most: Option<usize>,
    ) -> Result<Held> {
        let mut id = String::new();
        self.rewrite_entries(path, by, |text| {
            let (new, made) = change(text)?;
            if let Some(cap) = most.filter(|cap| chars(&new) > *cap) {
                return Err(EntryFault::OverCap { chars: chars(&new), cap });
            }
            id = made;
            Ok(new)
        })?;
        let held = self.held(path)?.into_iter().find(|held| held.id == id);
        held.ok_or_else(|| WorkspaceError::NotKept { path: path.to_owned() })
    }

    /// Changes a file's text, given without its byte-order mark. Returns the text before and after.
    ///
    /// # Errors
    /// Those of the change; if the file is refused or cannot be written. It is then as it was.
    pub fn rewrite_entries(
        &self,
        path: &str,
        by: &Attribution,
        mut change: impl FnMut(&str) -> std::result::Result<String, EntryFault>,
    ) -> Result<(String, String)> {
        self.rewrite(path, by, |text| {
            change(text).map_err(|fault| WorkspaceError::Entry { path: path.to_owned(), fault })
        })
    }

    /// The entries of one file, in its order. A missing file has none.
    ///
    /// # Errors
    /// If the file is refused.
    pub fn held(&self, path: &str) -> Result<Vec<Held>> {
        let text = self.read(path)?.text;
        let held = |entry: Entry| Held {
            path: path.to_owned(),
            id: entry.handle(&text),
            text: entry.body(&text),
            entry,
        };
        Ok(entries_of(path, &text).into_iter().map(held).collect())
    }

    /// All entries: those of MEMORY.md and USER.md, then those of the logs, by day. Files that are refused
    /// are left out.
    ///
    /// # Errors
    /// If the workspace folder cannot be read.
    pub fn all_held(&self) -> Result<Vec<Held>> {
        let mut all = Vec::new();
        for path in self.memory_files()? {
            match self.held(&path) {
                Ok(held) => all.extend(held),
                Err(error) => tracing::warn!(path, %error, "its entries cannot be read"),
            }
        }
        Ok(all)
    }

    /// The entry of an id, looked for in every memory file.
    ///
    /// # Errors
    /// [`EntryFault::Ambiguous`] where different ones have it, [`EntryFault::Unknown`] where none has.
    pub fn find_held(&self, id: &str) -> Result<Held> {
        let mut found: Vec<Held> = self.all_held()?.into_iter().filter(|h| h.id == id).collect();
        let same = |found: &[Held]| {
            found.windows(2).all(|two| two[0].path == two[1].path && two[0].text == two[1].text)
        };
        let fault = match found.len() {
            0 => EntryFault::Unknown(id.to_owned()),
            n if n == 1 || same(&found) => return Ok(found.swap_remove(0)),
            _ => {
                let lines = found.iter().map(|held| held.entry.line).collect();
                EntryFault::Ambiguous { id: id.to_owned(), lines }
            }
        };
        let path = found.first().map_or(PersonaFile::Memory.path(), |held| held.path.as_str());
        Err(WorkspaceError::Entry { path: path.to_owned(), fault })
    }

    /// Marks entries whose time is over; returns them.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn expire(&self, now: i64, by: &Attribution) -> Result<Vec<Held>> {
        let mut over = Vec::new();
        for path in self.memory_files()? {
            let Ok(file) = self.read(&path) else { continue };
            let due = overdue(&path, &file.text, now);
            if due.is_empty() {
                continue;
            }
            self.rewrite_entries(&path, by, |text| {
                let ids = overdue(&path, text, now).into_iter().map(|entry| entry.handle(text));
                let ids: Vec<String> = ids.collect();
                ids.iter().try_fold(text.to_owned(), |text: String, id| {
                    mark_entry(&path, &text, id, &[("status", "expired")])
                })
            })?;
            over.extend(due.into_iter().map(|entry| Held {
                path: path.clone(),
                id: entry.handle(&file.text),
                text: entry.body(&file.text),
                entry,
            }));
        }
        Ok(over)
    }

    /// MEMORY.md, USER.md and the daily logs that there are.
    fn memory_files(&self) -> Result<Vec<String>> {
        let mut paths =
            vec![PersonaFile::Memory.path().to_owned(), PersonaFile::User.path().to_owned()];
        let listed = self.list()?.into_iter().map(|file| file.path);
        paths.extend(
            listed.filter(|path| path.starts_with("memory/20") && path.matches('/').count() == 1),
        );
        Ok(paths)
    }
}
