//! Talking: submit, stop, rewind, and what can be typed after a slash.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::api::chat::{CommandRow, Rewind, Rewound, Submit, Submitted};
use hearth_protocol::{SessionKey, WireError};

/// Starts a turn, steers the running one, or answers a command; returns at once.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn submit(engine: &Engine, request: Submit) -> Result<Submitted, WireError> {
    let _ = (engine, request);
    Err(missing("chat_submit"))
}

/// Stops what runs in a session; says whether something did.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn stop(engine: &Engine, session: SessionKey) -> Result<bool, WireError> {
    let _ = (engine, session);
    Err(missing("chat_stop"))
}

/// Takes a conversation up again from one of its messages.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn rewind(engine: &Engine, request: Rewind) -> Result<Rewound, WireError> {
    let _ = (engine, request);
    Err(missing("chat_rewind"))
}

/// What can be typed after a slash.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn commands(engine: &Engine) -> Result<Vec<CommandRow>, WireError> {
    let _ = (engine,);
    Err(missing("chat_commands"))
}
