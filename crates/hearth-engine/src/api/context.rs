//! What a model call was given.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::{ContextManifest, SessionKey, TurnId, WireError};

/// The manifest of a past call, or of the next one where no turn is named.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn call(
    engine: &Engine,
    session: SessionKey,
    turn: Option<TurnId>,
    step: Option<u32>,
) -> Result<ContextManifest, WireError> {
    let _ = (engine, session, turn, step);
    Err(missing("context_call"))
}
