//! What stands under a name beside a file's text: its kind, its permissions, where a link leads.
//!
//! Invariant: no link is followed, on the way to a name or at its end, to look or to change; nothing but an empty
//! folder or the link itself is removed here.

use crate::path::check_path;
use crate::root::WorkspaceRoot;
use cap_std::fs::{Dir, Metadata};
use serde::{Deserialize, Serialize};
use std::io;

/// What stands under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Nothing.
    Missing,
    /// A file with its permissions; none where the system has no such bits.
    File(Option<u32>),
    /// A folder with its permissions.
    Folder(Option<u32>),
    /// A link, and where it leads, as it is written in it.
    Link(String),
    /// A pipe, a socket, a device, or a link to a name that is no text.
    Other,
}

impl Shape {
    /// Of an entry of an open folder.
    pub(crate) fn of(dir: &Dir, name: &str, meta: &Metadata) -> Self {
        match meta.file_type() {
            kind if kind.is_symlink() => {
                let target = dir.read_link_contents(name).ok();
                let target = target.and_then(|target| target.into_os_string().into_string().ok());
                target.map_or(Self::Other, Self::Link)
            }
            kind if kind.is_dir() => Self::Folder(mode(meta)),
            kind if kind.is_file() => Self::File(mode(meta)),
            _ => Self::Other,
        }
    }

    /// The permissions, where it has any.
    pub(crate) fn mode(&self) -> Option<u32> {
        match self {
            Self::File(mode) | Self::Folder(mode) => *mode,
            Self::Missing | Self::Link(_) | Self::Other => None,
        }
    }

    /// Its owner may not write it, or what is in it.
    pub(crate) fn is_locked(&self) -> bool {
        let least = self.least();
        self.mode().is_some_and(|mode| mode & least != least)
    }

    /// The owner's rights without which nothing in it can be written.
    pub(crate) fn least(&self) -> u32 {
        if self.is_folder() { 0o700 } else { 0o200 }
    }

    /// A folder, whatever its permissions.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// A file, whatever its permissions.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Both files or both folders, whatever their permissions.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        matches!((self, other), (Self::File(_), Self::File(_)) | (Self::Folder(_), Self::Folder(_)))
    }
}

impl WorkspaceRoot {
    /// What stands under a path.
    pub(crate) fn shape(&self, path: &str) -> io::Result<Shape> {
        let (dir, name) = match self.straight(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Shape::Missing),
            other => other?,
        };
        match dir.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Shape::Missing),
            meta => Ok(Shape::of(&dir, name, &meta?)),
        }
    }

    /// Folders on the way to a path that are not there yet, outermost first.
    #[must_use]
    pub fn missing_above(&self, path: &str) -> Vec<String> {
        let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
        let is_missing = |at: &&str| matches!(self.shape(at), Ok(Shape::Missing));
        ends.filter(is_missing).map(str::to_owned).collect()
    }

    /// Which of them are folders now.
    #[must_use]
    pub fn folders_among(&self, paths: Vec<String>) -> Vec<Reshape> {
        let made = |path: String| {
            let after = self.shape(&path).ok().filter(Shape::is_folder)?;
            Some(Reshape { path, before: Shape::Missing, after })
        };
        paths.into_iter().filter_map(made).collect()
    }

    pub(crate) fn set_mode(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        let Some(mode) = mode else { return Ok(()) };
        let (dir, name) = self.straight(path)?;
        if dir.symlink_metadata(name)?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        set_mode(&dir, name, mode)
    }

    pub(crate) fn make_folder(&self, path: &str) -> io::Result<()> {
        let (dir, name) = self.straight(path)?;
        dir.create_dir(name)
    }

    pub(crate) fn remove_empty_folder(&self, path: &str) -> io::Result<()> {
        let (dir, name) = self.straight(path)?;
        dir.remove_dir(name)
    }

    pub(crate) fn make_link(&self, path: &str, target: &str) -> io::Result<()> {
        let (dir, name) = self.straight(path)?;
        link(&dir, name, target)
    }

    pub(crate) fn remove_link(&self, path: &str) -> io::Result<()> {
        let (dir, name) = self.straight(path)?;
        dir.remove_file(name)
    }

    /// The open folder that holds a path, and the name in it, no link on the way. A link that is slipped in
    /// meanwhile leads no further than the folder that holds it: names are opened one by one.
    fn straight<'a>(&self, path: &'a str) -> io::Result<(Dir, &'a str)> {
        let refused = |_| io::Error::from(io::ErrorKind::InvalidInput);
        check_path(path).map_err(refused)?;
        let mut dir = self.dir().map_err(io::Error::other)?;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            if !dir.symlink_metadata(part)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            dir = dir.open_dir(part)?;
        }
        Ok((dir, name))
    }
}

/// What a command or a file tool made of what stood under a path, beside a file's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reshape {
    /// Path within the workspace.
    pub path: String,
    /// What stood there.
    pub before: Shape,
    /// What stands there now.
    pub after: Shape,
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> Option<u32> {
    use cap_std::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_meta: &Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set_mode(dir: &Dir, name: &str, mode: u32) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    dir.set_permissions(name, Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_dir: &Dir, _name: &str, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn link(dir: &Dir, name: &str, target: &str) -> io::Result<()> {
    dir.symlink_contents(target, name)
}

#[cfg(not(unix))]
fn link(_dir: &Dir, _name: &str, _target: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
