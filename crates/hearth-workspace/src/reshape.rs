//! Taking back what was made of kinds, permissions, links and folders, around the texts of files.
//!
//! Invariants: what is not as it was left stays as it is, and that is said; a folder goes only while nothing is in it;
//! whatever fails leaves the rest to be taken back.

use crate::root::WorkspaceRoot;
use crate::shape::{Reshape, Shape};
use std::collections::HashSet;
use std::io;

/// What became of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reshaped {
    /// It is as it was.
    Back,
    /// It was not there, and is gone.
    Removed,
    /// It was changed since.
    Changed,
    /// Only its permissions were changed since.
    ModeChanged,
    /// Something is in the folder that was put there since, or stays.
    NotEmpty,
    /// The system refused it.
    Failed(String),
}

impl Reshaped {
    fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => Self::Changed,
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty,
            _ => Self::Failed(error.to_string()),
        }
    }
}

/// What is to be taken back. Each step is for all of it: [`Self::ready`], then the files that were made are
/// removed, [`Self::clear`], then the files that were there are written, [`Self::finish`].
#[derive(Debug)]
pub struct Reshaping {
    /// By path: what is in a folder comes after it.
    all: Vec<One>,
}

#[derive(Debug)]
struct One {
    what: Reshape,
    end: Option<Reshaped>,
}

impl Reshaping {
    /// Nothing is taken back yet.
    #[must_use]
    pub fn new(all: Vec<Reshape>) -> Self {
        let mut all = joined(all);
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let one = |what| One { what, end: None };
        Self { all: all.into_iter().map(one).collect() }
    }

    /// Sees what stands as it was left, and lets it be written.
    #[must_use]
    pub fn ready(mut self, root: &WorkspaceRoot) -> Self {
        let _recorded = root.lock();
        for one in &mut self.all {
            let now = match root.shape(&one.what.path) {
                Ok(now) => now,
                // A link or a file stands where a folder of the path did.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => Shape::Other,
                Err(error) => {
                    one.end = Some(Reshaped::of(&error));
                    continue;
                }
            };
            if now == one.what.before {
                one.end = Some(Reshaped::Back);
            } else if one.keeps_kind() && now != one.what.after {
                let is_kept = now.is_like(&one.what.after);
                one.end = Some(if is_kept { Reshaped::ModeChanged } else { Reshaped::Changed });
            } else if one.keeps_kind() || one.is_locked(&now) {
                let kind = if one.keeps_kind() { &one.what.before } else { &now };
                let mode = kind.mode().map(|mode| mode | now.least());
                if let Err(error) = root.set_mode(&one.what.path, mode) {
                    one.end = Some(Reshaped::of(&error));
                }
            }
        }
        self
    }

    /// Removes the links and folders that were made, and makes the folders that were removed.
    #[must_use]
    pub fn clear(mut self, root: &WorkspaceRoot) -> Self {
        let _recorded = root.lock();
        for one in self.all.iter_mut().rev().filter(|one| one.end.is_none()) {
            one.clear(root);
        }
        let is_due =
            |one: &&mut One| one.end.is_none() && one.what.before.is_folder() && !one.keeps_kind();
        for one in self.all.iter_mut().filter(is_due) {
            one.end = match root.make_folder(&one.what.path) {
                Ok(()) => None,
                Err(_) if root.shape(&one.what.path).is_ok_and(|now| now.is_folder()) => {
                    Some(Reshaped::ModeChanged)
                }
                Err(error) => Some(Reshaped::of(&error)),
            };
        }
        self
    }

    /// Whether a path lies in a folder that could not be made again: what stands there now is somebody else's.
    #[must_use]
    pub fn blocks(&self, path: &str) -> bool {
        let is_in =
            |one: &One| path.strip_prefix(&one.what.path).is_some_and(|rest| rest.starts_with('/'));
        let is_left = |one: &One| matches!(one.end, Some(Reshaped::Changed | Reshaped::Failed(_)));
        self.all.iter().any(|one| one.what.before.is_folder() && is_left(one) && is_in(one))
    }

    /// Makes the links that were removed, and gives back permissions: those of a file only where its text is back
    /// as well, or was not removed. `restored`: files that are.
    #[must_use]
    pub fn finish(
        mut self,
        root: &WorkspaceRoot,
        restored: &HashSet<String>,
    ) -> Vec<(Reshape, Reshaped)> {
        let _recorded = root.lock();
        for one in self.all.iter_mut().rev() {
            let is_left = one.what.before == Shape::Missing && one.what.after.is_locked();
            if is_left && is_alike(root, &one.what.path, &one.what.after) {
                // It stays, and so do its permissions.
                let _ = root.set_mode(&one.what.path, one.what.after.mode());
            }
            if one.end.is_none() {
                one.finish(root, restored.contains(&one.what.path));
            }
        }
        let end = |one: One| Some((one.what, one.end?));
        self.all.into_iter().filter_map(end).collect()
    }
}

impl One {
    fn keeps_kind(&self) -> bool {
        self.what.before.is_like(&self.what.after)
    }

    /// What was made stands as it was left, and could not be removed, or what is in it.
    fn is_locked(&self, now: &Shape) -> bool {
        self.what.before == Shape::Missing && *now == self.what.after && now.is_locked()
    }

    fn clear(&mut self, root: &WorkspaceRoot) {
        let Reshape { path, before, after } = &self.what;
        let done = match after {
            _ if self.keeps_kind() => return,
            Shape::Folder(_) | Shape::Link(_) if !is_alike(root, path, after) => {
                self.end = Some(Reshaped::Changed);
                return;
            }
            Shape::Folder(_) => root.remove_empty_folder(path),
            Shape::Link(_) => root.remove_link(path),
            // A file goes by its text; the rest is said to stay.
            Shape::Missing | Shape::File(_) | Shape::Other => return,
        };
        self.end = match done {
            Ok(()) if *before == Shape::Missing => Some(Reshaped::Removed),
            Ok(()) => return,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Reshaped::Removed),
            Err(error) => Some(Reshaped::of(&error)),
        };
    }

    fn finish(&mut self, root: &WorkspaceRoot, restored: bool) {
        let path = &self.what.path;
        let done = match &self.what.before {
            Shape::Link(target) => root.make_link(path, target),
            // What is said of its text says it.
            Shape::File(_) if !self.keeps_kind() && !restored => return,
            Shape::File(mode) | Shape::Folder(mode) => root.set_mode(path, *mode),
            Shape::Missing | Shape::Other => return,
        };
        self.end = Some(match done {
            Ok(()) => Reshaped::Back,
            // The turn had made it as well, and its text is taken back.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.keeps_kind() => return,
            Err(error) => Reshaped::of(&error),
        });
    }
}

/// Changes of one path that follow upon each other, as one.
fn joined(all: Vec<Reshape>) -> Vec<Reshape> {
    let mut joined: Vec<Reshape> = Vec::new();
    for one in all {
        match joined.iter_mut().find(|known| known.path == one.path) {
            None => joined.push(one),
            Some(known) if known.after == one.before => known.after = one.after,
            Some(known) if known.before == one.after => known.before = one.before,
            // Somebody else changed it between: the first alone is looked at.
            Some(_) => {}
        }
    }
    joined.retain(|one| one.before != one.after);
    joined
}

/// Whether what was made stands still; a folder with any permissions.
fn is_alike(root: &WorkspaceRoot, path: &str, after: &Shape) -> bool {
    root.shape(path).is_ok_and(|now| now == *after || now.is_like(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_follow_upon_each_other_are_one() {
        let mode = |bits: u32| Shape::File(Some(bits));
        let change = |path: &str, before, after| Reshape { path: path.to_owned(), before, after };
        let all = vec![
            change("a", mode(0o644), mode(0o755)),
            change("b", Shape::Missing, Shape::Folder(None)),
            change("c", mode(0o600), mode(0o640)),
            change("a", mode(0o755), mode(0o700)),
            change("b", Shape::Folder(None), Shape::Missing),
            change("c", mode(0o644), mode(0o600)),
        ];
        let expected =
            [change("a", mode(0o644), mode(0o700)), change("c", mode(0o644), mode(0o640))];
        assert_eq!(joined(all), expected);
    }
}
