//! What can go wrong with the ledger, and what a person can do about it.

use hearth_protocol::{ErrorCode, WireError};
use std::path::PathBuf;
use thiserror::Error;

/// Result of a call on the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A failed call. Nothing of it was written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file is no sound database of Hearth. It was left as it is.
    #[error("the database {} is damaged or not Hearth's: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite or the check said.
        detail: String,
    },
    /// The file was written by a newer Hearth. It was left as it is.
    #[error("the database {} was written by a newer Hearth (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: i64,
        /// Newest schema known here.
        known: i64,
    },
    /// The file was written by an older Hearth, and a reader may not change it.
    #[error("the database {} still has schema {found}, this Hearth reads {known}", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: i64,
        /// Schema needed here.
        known: i64,
    },
    /// The file or its folder cannot be opened or made.
    #[error("the database {} cannot be opened: {detail}", path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// No space left.
    #[error("the disk is full: nothing was saved")]
    DiskFull,
    /// No permission to write, or an error of the disk.
    #[error("the database cannot be written or read: {0}")]
    Disk(String),
    /// Another process held the database for longer than 5 s, or our own writers for longer than 30 s.
    #[error("the database stayed locked for too long")]
    Locked,
    /// No such row.
    #[error("there is no {what} {key}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// By which name.
        key: String,
    },
    /// The name is taken.
    #[error("there is a {what} {key} already")]
    Exists {
        /// What was to be made.
        what: &'static str,
        /// Under which name.
        key: String,
    },
    /// The call does not fit the state of things.
    #[error("{0}")]
    Refused(String),
    /// A row that does not mean anything here.
    #[error("a row of {table} cannot be read: {why}")]
    Row {
        /// Which table.
        table: &'static str,
        /// Why.
        why: String,
    },
    /// A line of an import. Nothing was imported.
    #[error("line {line}: {why}")]
    Import {
        /// From 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// Anything else the database says.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

impl StoreError {
    /// For programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Damaged { .. }
            | Self::Newer { .. }
            | Self::Older { .. }
            | Self::Unopened { .. }
            | Self::DiskFull
            | Self::Disk(_)
            | Self::Locked => ErrorCode::Storage,
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::Exists { .. } | Self::Refused(_) | Self::Import { .. } => {
                ErrorCode::InvalidRequest
            }
            Self::Row { .. } | Self::Database(_) => ErrorCode::Internal,
        }
    }

    /// What a person can do; empty where there is nothing to say.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "Nothing was changed. Move the file and its -wal and -shm beside it to a safe place, put a backup there if you have one, and start again."
            }
            Self::Newer { .. } => "Nothing was changed. Update Hearth, or choose another home.",
            Self::Older { .. } => {
                "Start Hearth once with this version: it brings the database up to date."
            }
            Self::Unopened { .. } | Self::Disk(_) => {
                "Check that the folder exists, that you may write there, and that the disk is sound."
            }
            Self::DiskFull => "Free some space and try again.",
            Self::Locked => "Close other programs that use it, then try again.",
            Self::Import { .. } => "Nothing was imported. Mend the line, or export again.",
            Self::NotFound { what: "version", .. } => {
                "`hearth files history PATH` shows those there are."
            }
            Self::NotFound { .. }
            | Self::Exists { .. }
            | Self::Refused(_)
            | Self::Row { .. }
            | Self::Database(_) => "",
        }
    }
}

impl From<StoreError> for WireError {
    fn from(error: StoreError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let detail = error.to_string();
        if matches!(error, sqlx::Error::PoolTimedOut) {
            return Self::Locked;
        }
        if extended_code(&error) == Some(SQLITE_IOERR_SHMSIZE) {
            // The file that readers share could not be made as large as it must be.
            return Self::DiskFull;
        }
        match extended_code(&error).map(|code| code & 0xff) {
            Some(SQLITE_FULL) => Self::DiskFull,
            Some(SQLITE_BUSY | SQLITE_LOCKED) => Self::Locked,
            Some(SQLITE_READONLY | SQLITE_IOERR | SQLITE_PERM) => Self::Disk(detail),
            Some(SQLITE_CORRUPT | SQLITE_NOTADB) => {
                Self::Damaged { path: PathBuf::from("hearth.db"), detail }
            }
            Some(SQLITE_CANTOPEN) => Self::Unopened { path: PathBuf::from("hearth.db"), detail },
            _ => Self::Database(error),
        }
    }
}

// Primary result codes of SQLite; the low byte of what it reports.
const SQLITE_PERM: u32 = 3;
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
const SQLITE_NOTADB: u32 = 26;
const SQLITE_IOERR_SHMSIZE: u32 = (19 << 8) | SQLITE_IOERR;

fn extended_code(error: &sqlx::Error) -> Option<u32> {
    let sqlx::Error::Database(database) = error else { return None };
    database.code()?.parse().ok()
}
