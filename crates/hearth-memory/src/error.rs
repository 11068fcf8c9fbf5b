//! What can go wrong with memory, and what a person can do about it.

use hearth_embed::EmbedError;
use hearth_protocol::{ErrorCode, WireError};
use hearth_workspace::WorkspaceError;
use thiserror::Error;

/// Result of a call on memory.
pub type Result<T, E = MemoryError> = std::result::Result<T, E>;

/// A failed call.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// The index cannot be opened, read or written.
    #[error("the memory index failed: {0}")]
    Index(#[from] sqlx::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Past conversations cannot be read.
    #[error("{}", .0.message)]
    Conversations(#[from] WireError),
    /// A line of an import. Nothing was imported.
    #[error("line {line}: {why}")]
    Line {
        /// From 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// A check found the index damaged.
    #[error("the memory index is damaged: {0}")]
    Damaged(String),
    /// The index was made by another version.
    #[error("the memory index has layout {0}")]
    Layout(i64),
    /// The request does not make sense.
    #[error("{0}")]
    Refused(String),
    /// A thread of ours ended before its work.
    #[error("a task of the memory ended early: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl MemoryError {
    /// Whether the index itself is damaged: it has to be set aside and built anew.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        // SQLITE_CORRUPT, SQLITE_NOTADB, and what FTS5 says of its own tables.
        const DAMAGE: [&str; 4] = ["11", "26", "267", "523"];
        let Self::Index(sqlx::Error::Database(error)) = self else {
            return matches!(self, Self::Layout(_) | Self::Damaged(_));
        };
        error.code().is_some_and(|code| DAMAGE.contains(&code.as_ref()))
            || error.message().starts_with("no such table")
            || error.message().starts_with("no such column")
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::Index(_) | Self::Layout(_) | Self::Damaged(_) | Self::Workspace(_) => {
                ErrorCode::Storage
            }
            Self::Embed(EmbedError::Missing(_)) => ErrorCode::ModelNotDownloaded,
            Self::Line { .. } | Self::Refused(_) => ErrorCode::InvalidRequest,
            Self::Conversations(error) => error.code,
            Self::Embed(_) | Self::Task(_) => ErrorCode::Internal,
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::Index(_) | Self::Layout(_) | Self::Damaged(_) => {
                "index.db holds nothing of its own: it can be deleted and is rebuilt."
            }
            Self::Line { .. } => "Nothing was imported. Mend the line and import again.",
            Self::Embed(EmbedError::Missing(_)) => {
                "Fetch the embedding model, or search by keyword."
            }
            _ => "",
        }
    }
}

impl From<MemoryError> for WireError {
    fn from(error: MemoryError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
