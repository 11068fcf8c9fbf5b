//! How versions leave this crate. The database that keeps them implements [`Journal`].

use hearth_protocol::TurnId;
use hearth_protocol::api::files::Author;

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    /// Kind of author.
    pub author: Author,
    /// The turn, where one wrote it.
    pub turn: Option<TurnId>,
}

impl From<Author> for Attribution {
    fn from(author: Author) -> Self {
        Self { author, turn: None }
    }
}

/// A content that a file has, or had a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Path within the workspace.
    pub path: String,
    /// The bytes, exactly; none where the file was removed.
    pub bytes: Option<Vec<u8>>,
    /// [`crate::hash`] of them; empty where the file was removed.
    pub hash: String,
    /// Who made it so. [`Author::Outside`] also where nobody knows.
    pub by: Attribution,
}

/// Why a version could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub String);

/// Keeps every version of every file.
///
/// The order around a write: the content on disk is recorded (unless this process recorded it
/// before), then it is replaced, then the new content is recorded. If the first fails, nothing is
/// written. If the process dies before the last, the new content is on disk and is recorded, as
/// [`Author::Outside`], before anything replaces it. So no content is ever in neither place.
pub trait Journal: Send + Sync {
    /// Keeps `version`. Does nothing if it is the latest that is kept of its path (same hash).
    /// Called with the workspace locked: it must not call back into the workspace.
    ///
    /// # Errors
    /// If the version is not safely kept.
    fn record(&self, version: &Version) -> Result<(), JournalError>;
}
