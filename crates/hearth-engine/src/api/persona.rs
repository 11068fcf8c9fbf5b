//! Trying a persona before it is saved.

use crate::Engine;
use crate::driver::trial;
use hearth_protocol::WireError;
use hearth_protocol::api::persona::{PersonaTried, PersonaTry};

/// Answers a question as a new conversation would, with a text in the place of a persona file. It has no
/// tools and no memory search, and no conversation keeps it. One runs at a time: a new one stops the last.
///
/// # Errors
/// `invalid_request` where no prompt carries the file or nothing is asked; `cancelled` where it was stopped;
/// what keeps the model from being asked.
pub async fn try_out(engine: &Engine, request: PersonaTry) -> Result<PersonaTried, WireError> {
    engine.inner.must_own()?;
    trial::ask(&engine.inner, request).await
}

/// Stops the one that runs; says whether one did.
pub fn stop(engine: &Engine) -> bool {
    engine.inner.trials.stop()
}
