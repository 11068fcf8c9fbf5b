//! One encrypted file of a home, and bringing it back.

use crate::home::Home;
use crate::logging::redactor;
use crate::{Engine, backup};
use hearth_protocol::WireError;
use hearth_protocol::api::transfer::{BackupMade, Restored};
use hearth_secrets::Backend;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// Makes a backup, also beside the owner of the home. It was read back when this returns.
///
/// # Errors
/// `invalid_request` for a place or a passphrase that cannot be; `storage`, and then there is no file.
pub async fn make(
    engine: &Engine,
    path: String,
    passphrase: String,
) -> Result<BackupMade, WireError> {
    redactor().learn(&passphrase);
    backup::make(engine, PathBuf::from(path), SecretString::from(passphrase)).await
}

/// Prepares a restore in an open home: it takes effect when the home is opened next.
///
/// # Errors
/// `home_busy`; `invalid_request` where the file or the passphrase is not right; `storage`. Nothing is changed
/// then.
pub async fn prepare(
    engine: &Engine,
    path: String,
    passphrase: String,
) -> Result<Restored, WireError> {
    engine.inner.must_own()?;
    redactor().learn(&passphrase);
    let phrase = SecretString::from(passphrase);
    backup::prepare(engine.home(), PathBuf::from(path), phrase, Backend::default()).await
}

/// Restores a home that nobody has open. What is there is set aside.
///
/// # Errors
/// As [`prepare`].
pub async fn restore(
    home: Option<&Path>,
    path: String,
    passphrase: String,
) -> Result<Restored, WireError> {
    redactor().learn(&passphrase);
    let home = Home::find(home).map_err(crate::engine::of_home)?;
    home.create().map_err(crate::engine::of_home)?;
    let _owned = home.own().map_err(crate::engine::of_home)?;
    crate::engine::settle(&home)?;
    let phrase = SecretString::from(passphrase);
    let restored = backup::prepare(&home, PathBuf::from(path), phrase, Backend::default()).await?;
    let aside = crate::engine::settle(&home)?;
    let aside = aside.map(|aside| aside.display().to_string()).unwrap_or_default();
    Ok(Restored { aside, at_next_start: false, ..restored })
}
