//! Workspace files and their versions.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::api::files::{FileDiff, FileRow, FileSave, FileSaved, FileText, RevisionRow};
use hearth_protocol::{RevisionId, WireError};

/// Persona files in the order of the prompt, missing ones too, then the daily logs.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn list(engine: &Engine) -> Result<Vec<FileRow>, WireError> {
    let _ = (engine,);
    Err(missing("files_list"))
}

/// Text and hash of one.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn read(engine: &Engine, path: String) -> Result<FileText, WireError> {
    let _ = (engine, path);
    Err(missing("files_read"))
}

/// Writes one with compare-and-swap.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn save(engine: &Engine, request: FileSave) -> Result<FileSaved, WireError> {
    let _ = (engine, request);
    Err(missing("files_save"))
}

/// Its versions, newest first.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn history(engine: &Engine, path: String) -> Result<Vec<RevisionRow>, WireError> {
    let _ = (engine, path);
    Err(missing("files_history"))
}

/// A version against the file now.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn diff(engine: &Engine, path: String, rev: RevisionId) -> Result<FileDiff, WireError> {
    let _ = (engine, path, rev);
    Err(missing("files_diff"))
}

/// Brings a version back, byte for byte.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn restore(
    engine: &Engine,
    path: String,
    rev: RevisionId,
) -> Result<FileSaved, WireError> {
    let _ = (engine, path, rev);
    Err(missing("files_restore"))
}
