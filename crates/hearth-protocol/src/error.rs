//! Errors as shells see them. A code exists only where a client acts on it.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use ts_rs::TS;

/// What a client can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Another process owns the home.
    HomeBusy,
    /// The request itself is wrong.
    InvalidRequest,
    /// No such session, file, revision, model or secret.
    NotFound,
    /// The file changed since it was read and the edits overlap: settle the conflict.
    Conflict,
    /// The write would shrink the file by more than half: ask, then send again with `confirmed`.
    ShrinkUnconfirmed,
    /// The key is missing or wrong: open the model settings.
    BadKey,
    /// Quota or balance is used up at the provider.
    Quota,
    /// The provider asks for a pause.
    RateLimited,
    /// The provider cannot be reached or fails.
    ProviderUnavailable,
    /// The provider refuses the request.
    ProviderRejected,
    /// The model is not there: offer the list.
    ModelMissing,
    /// The model's files are not on this machine yet: offer the download.
    ModelNotDownloaded,
    /// The conversation does not fit the model's window.
    ContextOverflow,
    /// Hearth's own budget is used up.
    Budget,
    /// The keyring is locked or absent: ask for a passphrase.
    SecretsLocked,
    /// The disk is full or the file is read-only.
    Storage,
    /// Anything else.
    Internal,
}

/// An error on the wire: what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, Error)]
#[error("{message}")]
pub struct WireError {
    /// For programs.
    pub code: ErrorCode,
    /// What happened and why, one sentence for people.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl WireError {
    /// An error with its hint.
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}
