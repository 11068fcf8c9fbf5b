//! `hearth.toml`, the first start, and unlocking secrets.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::WireError;
use hearth_protocol::api::settings::{Meet, SettingSet, SettingsView};

/// The settings as the window shows them.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn get(engine: &Engine) -> Result<SettingsView, WireError> {
    let _ = (engine,);
    Err(missing("settings_get"))
}

/// Sets one key, comments kept.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn set(engine: &Engine, request: SettingSet) -> Result<SettingsView, WireError> {
    let _ = (engine, request);
    Err(missing("settings_set"))
}

/// Writes IDENTITY.md and USER.md from the first start.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn meet(engine: &Engine, request: Meet) -> Result<(), WireError> {
    let _ = (engine, request);
    Err(missing("settings_meet"))
}

/// Opens, or founds, the secrets with a passphrase where there is no keyring.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn unlock(engine: &Engine, passphrase: String) -> Result<SettingsView, WireError> {
    let _ = (engine, passphrase);
    Err(missing("settings_unlock"))
}
