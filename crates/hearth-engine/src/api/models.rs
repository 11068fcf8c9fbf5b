//! Models that can be picked, and the files of the built-in ones.

use crate::Engine;
use crate::models::manifest;
use hearth_protocol::api::models::{DetectedServer, LocalModelRow, ModelRow};
use hearth_protocol::{ErrorCode, WireError};
use std::path::Path;

/// All that can be picked.
///
/// # Errors
/// None today.
pub async fn list(engine: &Engine) -> Result<Vec<ModelRow>, WireError> {
    Ok(engine.inner.catalogue.rows(&engine.settings()).await)
}

/// The built-in ones and where their files stand.
///
/// # Errors
/// None today.
pub async fn local(engine: &Engine) -> Result<Vec<LocalModelRow>, WireError> {
    let inner = &engine.inner;
    Ok(manifest::LOCAL_MODELS
        .iter()
        .map(|row| inner.shelf.row(row, inner.pulls.problem(row.id)))
        .collect())
}

/// Fetches the files of a built-in model; progress comes as signals. Returns when they are here.
///
/// # Errors
/// `not_found`; `provider_unavailable` with the reason of each source; `storage` for a full disk.
pub async fn pull(engine: &Engine, id: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    let row = known(&id)?;
    engine.inner.pulls.pull(row).await.map(drop)
}

/// Stops a fetch; what is here stays for the next one.
///
/// # Errors
/// `not_found`.
pub async fn cancel(engine: &Engine, id: String) -> Result<(), WireError> {
    known(&id)?;
    engine.inner.pulls.cancel(&id);
    Ok(())
}

/// Takes a model file that the person has.
///
/// # Errors
/// `not_found`; `storage` with the reason.
pub async fn import(engine: &Engine, id: String, path: String) -> Result<LocalModelRow, WireError> {
    engine.inner.must_own()?;
    let row = known(&id)?;
    let sound = |file: &Path| hearth_local::LocalModel::probe(file).map_err(std::io::Error::other);
    let taken = engine.inner.shelf.import(row, Path::new(&path), sound).await;
    taken.map_err(|error| {
        let message = format!("{path} cannot be taken as {id}: {error}");
        let hint = match row.purpose {
            manifest::Purpose::Chat => "Give a whole GGUF file of a Qwen2.5 model.",
            manifest::Purpose::Embeddings => {
                "Give a folder with its config.json, tokenizer.json and model.safetensors."
            }
        };
        WireError::new(ErrorCode::Storage, message, hint)
    })?;
    Ok(engine.inner.shelf.row(row, None))
}

/// Model servers on this machine.
///
/// # Errors
/// None today.
pub async fn detect(engine: &Engine) -> Result<Vec<DetectedServer>, WireError> {
    Ok(engine.inner.catalogue.detect(&engine.settings()).await)
}

fn known(id: &str) -> Result<&'static manifest::LocalModel, WireError> {
    manifest::find(id).ok_or_else(|| {
        let message = format!("there is no built-in model {id}");
        WireError::new(
            ErrorCode::NotFound,
            message,
            "`hearth models status` shows those there are.",
        )
    })
}
