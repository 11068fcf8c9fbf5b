//! Stored conversations.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::api::chat::{SessionChange, SessionInfo, Transcript};
use hearth_protocol::{SessionKey, WireError};

/// All of them, newest first.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn list(engine: &Engine) -> Result<Vec<SessionInfo>, WireError> {
    let _ = (engine,);
    Err(missing("sessions_list"))
}

/// One, whole.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn open(engine: &Engine, session: SessionKey) -> Result<Transcript, WireError> {
    let _ = (engine, session);
    Err(missing("sessions_open"))
}

/// A new one.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn create(engine: &Engine) -> Result<SessionInfo, WireError> {
    let _ = (engine,);
    Err(missing("sessions_create"))
}

/// Renames, pins, archives, or picks its model.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn change(
    engine: &Engine,
    session: SessionKey,
    change: SessionChange,
) -> Result<SessionInfo, WireError> {
    let _ = (engine, session, change);
    Err(missing("sessions_change"))
}

/// Removes one for good.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn delete(engine: &Engine, session: SessionKey) -> Result<(), WireError> {
    let _ = (engine, session);
    Err(missing("sessions_delete"))
}
