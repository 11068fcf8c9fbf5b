//! Why a source cannot be read at all. What is wrong with one item of it is an item, not an error.

use std::io;
use std::path::Path;

pub(crate) type Result<T, E = TransferError> = std::result::Result<T, E>;

/// A source that is refused as a whole: one sentence of what and why, one of what to do.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each says what it is and what its fields are")]
pub enum TransferError {
    #[error("{path} is not there. Check the spelling.")]
    Missing { path: String },
    #[error("{path} cannot be read: {source}")]
    Io { path: String, source: io::Error },
    #[error(
        "There is no conversations.json in {path}. Choose the zip file that you were sent, the folder you unpacked it to, or the file itself."
    )]
    NoConversations { path: String },
    #[error(
        "{path} is no data export of {wanted}: {why}. Ask for the export again, or choose another file."
    )]
    NotAnExport { path: String, wanted: &'static str, why: String },
    #[error("{path} is an export of {found}, not of {wanted}. Import it as `{command}`.")]
    OtherSource { path: String, wanted: &'static str, found: &'static str, command: &'static str },
    #[error(
        "{path} holds neither a workspace (SOUL.md, AGENTS.md, memory/, skills/) nor sessions of OpenClaw. Choose ~/.openclaw, its workspace, or a folder with the sessions."
    )]
    NotOpenclaw { path: String },
    #[error(
        "{path} is a damaged archive: {why}. Get it again, or unpack it yourself and choose the folder."
    )]
    DamagedArchive { path: String, why: String },
    #[error(
        "{path} unpacks to more than {ratio} times its size, as archives do that are made to fill a disk. Nothing of it was taken."
    )]
    Bomb { path: String, ratio: u64 },
    #[error("{path} holds more than {limit} files. Unpack it yourself and choose the folder.")]
    TooMany { path: String, limit: usize },
}

impl TransferError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { path, source },
        }
    }
}
