//! Workspace files.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::files::{FileDiff, FileRow, FileSave, FileSaved, FileText, RevisionRow};
use hearth_protocol::api::persona::{PersonaTried, PersonaTry};
use hearth_protocol::{Attachment, RevisionId};
use tauri::State;

/// `data` is base64: a pasted picture has no path.
#[tauri::command]
pub(crate) async fn files_attach(
    engine: State<'_, Engine>,
    name: String,
    media_type: String,
    data: String,
) -> Answer<Attachment> {
    api::files::attach(&engine, name, media_type, data).await
}

#[tauri::command]
pub(crate) async fn files_diff(
    engine: State<'_, Engine>,
    path: String,
    rev: RevisionId,
) -> Answer<FileDiff> {
    api::files::diff(&engine, path, rev).await
}

#[tauri::command]
pub(crate) async fn files_history(
    engine: State<'_, Engine>,
    path: String,
) -> Answer<Vec<RevisionRow>> {
    api::files::history(&engine, path).await
}

#[tauri::command]
pub(crate) async fn files_list(engine: State<'_, Engine>) -> Answer<Vec<FileRow>> {
    api::files::list(&engine).await
}

#[tauri::command]
pub(crate) async fn files_read(engine: State<'_, Engine>, path: String) -> Answer<FileText> {
    api::files::read(&engine, path).await
}

#[tauri::command]
pub(crate) async fn files_restore(
    engine: State<'_, Engine>,
    path: String,
    rev: RevisionId,
) -> Answer<FileSaved> {
    api::files::restore(&engine, path, rev).await
}

#[tauri::command]
pub(crate) async fn files_save(engine: State<'_, Engine>, request: FileSave) -> Answer<FileSaved> {
    api::files::save(&engine, request).await
}

#[tauri::command]
pub(crate) async fn persona_stop(engine: State<'_, Engine>) -> Answer<bool> {
    Ok(api::persona::stop(&engine))
}

#[tauri::command]
pub(crate) async fn persona_try(
    engine: State<'_, Engine>,
    request: PersonaTry,
) -> Answer<PersonaTried> {
    api::persona::try_out(&engine, request).await
}
