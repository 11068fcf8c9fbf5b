//! Tokens and money.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::WireError;
use hearth_protocol::api::system::UsageRow;

/// By local day, purpose and model.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn rows(engine: &Engine, days: u32) -> Result<Vec<UsageRow>, WireError> {
    let _ = (engine, days);
    Err(missing("usage_rows"))
}
