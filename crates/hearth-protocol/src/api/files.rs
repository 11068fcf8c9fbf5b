//! Workspace files: reading, saving with compare-and-swap, versions.

use crate::{RevisionId, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One workspace file in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileRow {
    /// Path within the workspace, `/` between parts.
    pub path: String,
    /// Bytes; 0 where missing.
    pub bytes: u64,
    /// Unicode scalar values; 0 where unreadable.
    pub chars: u64,
    /// Of these, how many a prompt would carry.
    pub injected_chars: u64,
    /// Tokens those cost, estimated.
    pub tokens: u64,
    /// Unix seconds of the last change; none where missing.
    pub modified_at: Option<i64>,
    /// Exists.
    pub exists: bool,
    /// Is one of the persona files.
    pub persona: bool,
    /// Why it cannot be read, if so.
    pub problem: Option<String>,
}

/// A file's text and the hash to save against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileText {
    /// Path within the workspace.
    pub path: String,
    /// The text; empty where missing.
    pub text: String,
    /// Hash of these bytes; empty where the file is missing.
    pub hash: String,
    /// Exists.
    pub exists: bool,
    /// Cap in characters that a prompt would carry of it.
    pub cap_chars: u64,
    /// Lines that cannot be understood.
    pub problems: Vec<FileProblem>,
}

/// A line that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileProblem {
    /// From 1.
    pub line: u32,
    /// What and why.
    pub message: String,
}

/// Save a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileSave {
    /// Path within the workspace.
    pub path: String,
    /// The new text.
    pub text: String,
    /// Hash of the text that the edit started from; empty for a new file.
    pub base_hash: String,
    /// The text that the edit started from, for a merge.
    pub base_text: String,
    /// The person agreed that the file shrinks by more than half.
    #[serde(default)]
    pub confirmed: bool,
}

/// What became of a [`FileSave`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FileSaved {
    /// Written as given.
    Written {
        /// Hash now.
        hash: String,
    },
    /// Somebody else had changed the file; both edits are in it now.
    Merged {
        /// The text now.
        text: String,
        /// Hash now.
        hash: String,
    },
    /// The edits overlap; nothing was written.
    Conflict {
        /// The text on disk.
        theirs: String,
        /// Its hash.
        theirs_hash: String,
        /// Both, with conflict markers.
        marked: String,
    },
    /// The file would shrink by more than half; nothing was written.
    ConfirmShrink {
        /// Characters on disk.
        from_chars: u64,
        /// Characters to be written.
        to_chars: u64,
    },
}

/// Who wrote a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person, in Hearth.
    User,
    /// A turn of the assistant.
    Turn,
    /// A memory flush.
    Flush,
    /// The heartbeat.
    Heartbeat,
    /// An import.
    Import,
    /// Another program.
    Outside,
    /// The templates of a new workspace.
    Template,
}

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RevisionRow {
    /// Its id, to diff and restore.
    pub rev: RevisionId,
    /// Path within the workspace.
    pub path: String,
    /// Unix seconds.
    pub at: i64,
    /// Who wrote it.
    pub author: Author,
    /// The turn, where one wrote it.
    pub turn: Option<TurnId>,
    /// Bytes.
    pub bytes: u64,
    /// Hash of its bytes; empty where the file was deleted.
    pub hash: String,
    /// The file was deleted.
    pub deleted: bool,
}

/// Difference between a version and the file now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileDiff {
    /// Path within the workspace.
    pub path: String,
    /// The version.
    pub rev: RevisionId,
    /// Its text.
    pub before: String,
    /// The text now.
    pub after: String,
    /// Unified diff.
    pub unified: String,
}

/// A workspace file changed (from inside or outside).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileChanged {
    /// Path within the workspace.
    pub path: String,
    /// Who changed it.
    pub author: Author,
    /// Hash now; empty where it was deleted.
    pub hash: String,
}

/// What became of a file when a turn was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Undone {
    /// Path within the workspace.
    pub path: String,
    /// What became of it.
    pub state: UndoneState,
    /// Why it was left as it is; empty otherwise.
    pub why: String,
}

/// What became of a file when a turn was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UndoneState {
    /// It is as it was before the turn.
    Restored,
    /// The turn's change is gone, later ones stay.
    Merged,
    /// The turn had made it, so it was removed.
    Removed,
    /// It was changed since in the same place: left as it is.
    Conflict,
    /// It cannot be written: left as it is.
    Refused,
}
