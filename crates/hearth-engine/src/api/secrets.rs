//! Sealed values by name. A value goes in and never comes out of this API.

use crate::Engine;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::State;
use secrecy::SecretString;

/// Stores one.
///
/// # Errors
/// `secrets_locked` where there is no keyring and no passphrase; `home_busy`; `storage`.
pub async fn set(engine: &Engine, name: String, value: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    engine.inner.secrets.set(&name, SecretString::from(value)).await?;
    engine.inner.bus.send(Signal::Settings);
    Ok(())
}

/// The names, sorted.
///
/// # Errors
/// `storage`.
pub async fn list(engine: &Engine) -> Result<Vec<String>, WireError> {
    engine.inner.secrets.names().await
}

/// Removes one.
///
/// # Errors
/// `not_found`; `secrets_locked`; `home_busy`; `storage`.
pub async fn remove(engine: &Engine, name: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    if engine.inner.secrets.remove(&name).await? {
        engine.inner.bus.send(Signal::Settings);
        return Ok(());
    }
    let message = format!("there is no secret {name}");
    Err(WireError::new(ErrorCode::NotFound, message, "`hearth secrets list` shows the names."))
}

/// Removes one if it is there and can be removed.
pub(crate) async fn forget(engine: &Engine, name: &str) -> Result<(), WireError> {
    match engine.inner.secrets.remove(name).await {
        // What cannot be read is not there for us; the provider itself goes all the same.
        Err(error) if error.code != ErrorCode::SecretsLocked => Err(error),
        _ => Ok(()),
    }
}

/// `keyring`, `passphrase` or `locked`.
pub(crate) async fn state(engine: &Engine) -> String {
    let state = match engine.inner.secrets.status().await.state {
        State::Keyring => "keyring",
        State::Passphrase => "passphrase",
        State::Locked | State::Absent => "locked",
    };
    state.to_owned()
}

/// Opens, or founds, the secrets with a passphrase.
pub(crate) async fn unlock(engine: &Engine, passphrase: String) -> Result<(), WireError> {
    engine.inner.secrets.unlock(SecretString::from(passphrase)).await
}
