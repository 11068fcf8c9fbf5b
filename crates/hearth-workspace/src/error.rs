//! What can go wrong with a workspace file, each with what the person can do about it.
//!
//! Invariant: every message names the file as it stands in the workspace and never its content.

use crate::JournalError;
use std::io;

/// Result of this crate.
pub(crate) type Result<T> = std::result::Result<T, WorkspaceError>;

/// Why a path is refused before the disk is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing given.
    #[error("it is empty")]
    Empty,
    /// Longer than any file system takes.
    #[error("it is too long")]
    TooLong,
    /// Starts at the root of the disk, or names a drive.
    #[error("it must be relative to the workspace")]
    Absolute,
    /// `.`, `..`, an empty part.
    #[error("it holds `.`, `..` or an empty part")]
    Dots,
    /// `\`, `:`, `*` and others that some system treats specially.
    #[error("it holds `{0}`, which not every system allows")]
    Forbidden(char),
    /// Control, invisible, direction-changing or look-alike characters.
    #[error("it holds the invisible or misleading character U+{:04X}", *.0 as u32)]
    Misleading(char),
    /// `CON`, `NUL`, `COM1` and so on.
    #[error("it is the name of a device on Windows")]
    Device,
    /// A part ends with a dot or a space, which Windows drops.
    #[error("a part of it begins or ends with a space, or ends with a dot")]
    Edge,
    /// Names that this crate uses while it writes.
    #[error("names that begin with `.hearth-` are kept for files being written")]
    Reserved,
}

/// A refused or failed operation on a workspace file. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The workspace itself is not usable.
    #[error(
        "The workspace `{path}` cannot be opened: {source}. Choose a folder that you can write to."
    )]
    Root {
        /// The folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The path itself is refused.
    #[error("`{path}` is not a usable path: {fault}.")]
    BadPath {
        /// As given.
        path: String,
        /// Why.
        fault: PathFault,
    },
    /// A link on the way leads elsewhere.
    #[error("`{path}` is a link that leaves the workspace. Replace it by the file itself.")]
    LeavesWorkspace {
        /// Path within the workspace.
        path: String,
    },
    /// A link on the way leads nowhere.
    #[error("`{path}` is a link that leads nowhere. Mend or remove the link.")]
    BrokenLink {
        /// Path within the workspace.
        path: String,
    },
    /// There is no such file.
    #[error("`{path}` does not exist.")]
    Missing {
        /// Path within the workspace.
        path: String,
    },
    /// A folder, pipe, socket or device.
    #[error("`{path}` is not a regular file. Move it away to use this name.")]
    NotAFile {
        /// Path within the workspace.
        path: String,
    },
    /// Over [`crate::MAX_FILE_BYTES`].
    #[error("`{path}` is too large ({bytes} bytes; at most 2 MiB). Split it or move parts away.")]
    TooLarge {
        /// Path within the workspace.
        path: String,
        /// Its size, or the size it would get.
        bytes: u64,
    },
    /// Another encoding.
    #[error(
        "`{path}` is not UTF-8 text (line {line}). Save it as UTF-8, or restore an earlier version."
    )]
    NotUtf8 {
        /// Path within the workspace.
        path: String,
        /// Line of the first bad byte, from 1.
        line: usize,
    },
    /// Holds NUL bytes.
    #[error("`{path}` is not a text file. Move it away, or restore an earlier version.")]
    Binary {
        /// Path within the workspace.
        path: String,
    },
    /// The person or the system may not read it.
    #[error("`{path}` may not be read. Allow reading for your user.")]
    Unreadable {
        /// Path within the workspace.
        path: String,
    },
    /// Marked read-only, or in a folder or on a disk that is.
    #[error(
        "`{path}` is read-only. Allow writing to it and its folder; your text is not saved yet."
    )]
    ReadOnly {
        /// Path within the workspace.
        path: String,
    },
    /// No space, or over quota.
    #[error(
        "The disk is full: `{path}` is as it was and your text is not saved yet. Free some space and save again."
    )]
    DiskFull {
        /// Path within the workspace.
        path: String,
    },
    /// It is not what the caller last saw.
    #[error("`{path}` was changed meanwhile. Load it again.")]
    Changed {
        /// Path within the workspace.
        path: String,
    },
    /// Another program rewrites it all the time.
    #[error(
        "`{path}` keeps changing on disk. Close the other program that writes it and save again."
    )]
    Busy {
        /// Path within the workspace.
        path: String,
    },
    /// Another program replaced it right after it was written.
    #[error(
        "`{path}` does not hold what was just written: another program replaced it. Close that program and try again."
    )]
    NotKept {
        /// Path within the workspace.
        path: String,
    },
    /// An entry cannot be changed as asked.
    #[error("`{path}`: {fault}. Nothing was changed.")]
    Entry {
        /// Path within the workspace.
        path: String,
        /// Why.
        fault: crate::EntryFault,
    },
    /// Its present content could not be kept as a version, so it was not overwritten.
    #[error("The present version of `{path}` could not be kept, so nothing was written: {source}")]
    Journal {
        /// Path within the workspace.
        path: String,
        /// What the journal said.
        source: JournalError,
    },
    /// The watcher could not start.
    #[error("The workspace cannot be watched for outside changes: {0}")]
    Watch(String),
    /// Anything else.
    #[error("`{path}`: {source}")]
    Io {
        /// Path within the workspace.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// Sorts an error of the system met while reading.
    pub(crate) fn reading(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing { path },
            io::ErrorKind::IsADirectory => Self::NotAFile { path },
            // cap-std refuses an escape with this kind and no code of the system.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                Self::LeavesWorkspace { path }
            }
            io::ErrorKind::PermissionDenied => Self::Unreadable { path },
            _ => Self::Io { path, source },
        }
    }

    /// Sorts an error of the system met while writing.
    pub(crate) fn writing(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                Self::LeavesWorkspace { path }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path }
            }
            io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => Self::NotAFile { path },
            _ => Self::Io { path, source },
        }
    }
}
