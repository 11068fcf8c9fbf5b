//! Providers of models and their keys.

use crate::Engine;
use crate::api::{secrets, settings};
use crate::settings::is_provider_id;
use hearth_protocol::api::models::{ProviderEdit, ProviderRow, ProviderTest};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};

/// Adds or changes one; a key goes to the secrets, an empty one removes it.
///
/// # Errors
/// `invalid_request`; `secrets_locked` where a key cannot be stored; `storage`.
pub async fn save(
    engine: &Engine,
    provider: ProviderEdit,
    key: Option<String>,
) -> Result<ProviderRow, WireError> {
    engine.inner.must_own()?;
    if !is_provider_id(&provider.id) || provider.id == "local" {
        let message = format!("{:?} cannot name a provider", provider.id);
        let hint = "Use letters, digits, \"-\", \"_\" and \".\"; \"local\" is the built-in one.";
        return Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
    }
    let url = &provider.base_url;
    if !url.is_empty() && !url.starts_with("http://") && !url.starts_with("https://") {
        let message = "the base URL must begin with http:// or https://";
        return Err(WireError::new(
            ErrorCode::InvalidRequest,
            message,
            "Correct it, or leave it empty.",
        ));
    }
    // The key first: a provider without its key would only fail later.
    if let Some(key) = key {
        let name = secret_name(&provider.id);
        match key.trim() {
            "" => secrets::forget(engine, &name).await?,
            key => secrets::set(engine, name, key.to_owned()).await?,
        }
    }
    engine.inner.settings.save_provider(&provider).map_err(|error| settings::wire(&error))?;
    engine.inner.catalogue.forget(&provider);
    engine.inner.bus.send(Signal::Settings);
    Ok(row(engine, provider).await)
}

/// Removes one and its key.
///
/// # Errors
/// `not_found`; `storage`.
pub async fn remove(engine: &Engine, id: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    let removed =
        engine.inner.settings.remove_provider(&id).map_err(|error| settings::wire(&error))?;
    if !removed {
        return Err(WireError::new(ErrorCode::NotFound, format!("there is no provider {id}"), ""));
    }
    secrets::forget(engine, &secret_name(&id)).await?;
    engine.inner.bus.send(Signal::Settings);
    Ok(())
}

/// Asks one for its models.
///
/// # Errors
/// `not_found`. What the provider says, good or bad, is the result.
pub async fn test(engine: &Engine, id: String) -> Result<ProviderTest, WireError> {
    let settings = engine.settings();
    let provider = settings.providers.iter().find(|provider| provider.id == id);
    let missing = || WireError::new(ErrorCode::NotFound, format!("there is no provider {id}"), "");
    Ok(engine.inner.catalogue.test(provider.ok_or_else(missing)?).await)
}

/// A provider with what is known of its key.
pub(crate) async fn row(engine: &Engine, provider: ProviderEdit) -> ProviderRow {
    let (has_key, needs_key) = engine.inner.catalogue.key_state(&provider).await;
    ProviderRow { provider, has_key, needs_key }
}

fn secret_name(id: &str) -> String {
    format!("providers/{id}")
}
