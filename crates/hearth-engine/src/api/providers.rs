//! Providers of models and their keys.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::WireError;
use hearth_protocol::api::models::{ProviderEdit, ProviderRow, ProviderTest};

/// Adds or changes one; a key goes to the secrets.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn save(
    engine: &Engine,
    provider: ProviderEdit,
    key: Option<String>,
) -> Result<ProviderRow, WireError> {
    let _ = (engine, provider, key);
    Err(missing("providers_save"))
}

/// Removes one and its key.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn remove(engine: &Engine, id: String) -> Result<(), WireError> {
    let _ = (engine, id);
    Err(missing("providers_remove"))
}

/// Asks one for its models.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn test(engine: &Engine, id: String) -> Result<ProviderTest, WireError> {
    let _ = (engine, id);
    Err(missing("providers_test"))
}
