//! Moving in and out: imports, a backup, and bringing one back.

use super::Answer;
use crate::start;
use hearth_engine::{Engine, api};
use hearth_protocol::api::transfer::{BackupMade, ImportAsk, ImportReport, Restored};
use tauri::{AppHandle, State};

#[tauri::command]
pub(crate) async fn imports_run(
    engine: State<'_, Engine>,
    request: ImportAsk,
) -> Answer<ImportReport> {
    api::imports::run(&engine, request).await
}

#[tauri::command]
pub(crate) async fn backups_make(
    engine: State<'_, Engine>,
    path: String,
    passphrase: String,
) -> Answer<BackupMade> {
    api::backups::make(&engine, path, passphrase).await
}

#[tauri::command]
pub(crate) async fn backups_prepare(
    engine: State<'_, Engine>,
    path: String,
    passphrase: String,
) -> Answer<Restored> {
    api::backups::prepare(&engine, path, passphrase).await
}

/// Ends in order and starts anew: a prepared restore takes effect then.
#[tauri::command]
pub(crate) fn window_restart(app: AppHandle) {
    start::restart(&app);
}
