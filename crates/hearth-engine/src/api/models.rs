//! Models that can be picked, and the files of the built-in ones.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::WireError;
use hearth_protocol::api::models::{DetectedServer, LocalModelRow, ModelRow};

/// All that can be picked.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn list(engine: &Engine) -> Result<Vec<ModelRow>, WireError> {
    let _ = (engine,);
    Err(missing("models_list"))
}

/// The built-in ones and where their files stand.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn local(engine: &Engine) -> Result<Vec<LocalModelRow>, WireError> {
    let _ = (engine,);
    Err(missing("models_local"))
}

/// Fetches the files of a built-in model; progress comes as signals.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn pull(engine: &Engine, id: String) -> Result<(), WireError> {
    let _ = (engine, id);
    Err(missing("models_pull"))
}

/// Stops a fetch; what is here stays for the next one.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn cancel(engine: &Engine, id: String) -> Result<(), WireError> {
    let _ = (engine, id);
    Err(missing("models_cancel"))
}

/// Takes a model file that the person has.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn import(engine: &Engine, id: String, path: String) -> Result<LocalModelRow, WireError> {
    let _ = (engine, id, path);
    Err(missing("models_import"))
}

/// Model servers on this machine.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn detect(engine: &Engine) -> Result<Vec<DetectedServer>, WireError> {
    let _ = (engine,);
    Err(missing("models_detect"))
}
