//! Workspace files and their versions.

use crate::engine::of_workspace;
use crate::{Engine, pasted, persona};
use hearth_protocol::api::files::{
    Author, FileChanged, FileDiff, FileRow, FileSave, FileSaved, FileText, RevisionRow,
};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Attachment, ErrorCode, RevisionId, WireError};
use hearth_workspace::{Attribution, check_path};

/// Persona files in the order of the prompt, missing ones too, then the daily logs.
///
/// # Errors
/// `storage` where the workspace cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<FileRow>, WireError> {
    let settings = engine.settings();
    let model = engine.inner.catalogue.find_or_rough(&settings, &settings.model_default).await;
    engine.inner.on_workspace(move |workspace| persona::rows(workspace, &model)).await
}

/// Text and hash of one.
///
/// # Errors
/// `storage`, with the reason, where it is refused.
pub async fn read(engine: &Engine, path: String) -> Result<FileText, WireError> {
    let mut file = engine.inner.on_workspace(move |workspace| workspace.read(&path)).await?;
    crate::beat::items::add_past(&engine.inner, &mut file);
    Ok(file)
}

/// Writes one with compare-and-swap.
///
/// # Errors
/// `home_busy`, or `storage` where it cannot be written.
pub async fn save(engine: &Engine, request: FileSave) -> Result<FileSaved, WireError> {
    engine.inner.must_own()?;
    let path = request.path.clone();
    let saved =
        engine.inner.on_workspace(move |workspace| workspace.save(&request, &user())).await?;
    if let FileSaved::Written { hash } | FileSaved::Merged { hash, .. } = &saved {
        changed(engine, path, hash.clone());
    }
    Ok(saved)
}

/// Keeps a file that was pasted as bytes, so that it can go with a message: `data` is base64. It is deleted
/// after a day; a message that was sent holds it itself.
///
/// # Errors
/// `invalid_request` where it is too large or no base64, `storage` where it cannot be written.
pub async fn attach(
    engine: &Engine,
    name: String,
    media_type: String,
    data: String,
) -> Result<Attachment, WireError> {
    engine.inner.must_own()?;
    let folder = engine.inner.home.pasted();
    pasted::keep(folder, name, media_type, data).await
}

/// Its versions, newest first.
///
/// # Errors
/// `invalid_request` for a path that no workspace file has; the database's.
pub async fn history(engine: &Engine, path: String) -> Result<Vec<RevisionRow>, WireError> {
    check_path(&path).map_err(|error| of_workspace(&error))?;
    engine.inner.first_look().await;
    Ok(engine.inner.store.history(&path).await?)
}

/// A version against the file now.
///
/// # Errors
/// `not_found`, or `storage`.
pub async fn diff(engine: &Engine, path: String, rev: RevisionId) -> Result<FileDiff, WireError> {
    let before = text_of(version(engine, &path, rev).await?);
    let after = match read(engine, path.clone()).await {
        Ok(file) => file.text,
        // A file that is no text now can still be shown as it was, and restored.
        Err(error) if error.code == ErrorCode::Storage => String::new(),
        Err(error) => return Err(error),
    };
    let unified = hearth_store::unified_diff(&before, &after);
    Ok(FileDiff { path, rev, before, after, unified })
}

/// Brings a version back, byte for byte.
///
/// # Errors
/// `not_found`, `home_busy`, or `storage`.
pub async fn restore(
    engine: &Engine,
    path: String,
    rev: RevisionId,
) -> Result<FileSaved, WireError> {
    engine.inner.must_own()?;
    let bytes = version(engine, &path, rev).await?;
    let place = path.clone();
    let hash = engine
        .inner
        .on_workspace(move |workspace| workspace.restore(&place, &bytes, &user()))
        .await?;
    changed(engine, path, hash.clone());
    Ok(FileSaved::Written { hash })
}

async fn version(engine: &Engine, path: &str, rev: RevisionId) -> Result<Vec<u8>, WireError> {
    let content = engine.inner.store.revision(rev).await?;
    if content.row.path != path {
        let message = format!("{path} has no version {}", rev.0);
        let hint = "`hearth files history PATH` shows those it has.";
        return Err(WireError::new(ErrorCode::NotFound, message, hint));
    }
    Ok(content.bytes)
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn user() -> Attribution {
    Attribution::from(Author::User)
}

pub(super) fn changed(engine: &Engine, path: String, hash: String) {
    engine.inner.bus.send(Signal::File(FileChanged { path, author: Author::User, hash }));
}
