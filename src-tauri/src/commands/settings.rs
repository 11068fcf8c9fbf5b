//! Settings and the first start.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::settings::{Meet, SettingSet, SettingsView};
use tauri::State;

#[tauri::command]
pub(crate) async fn settings_get(engine: State<'_, Engine>) -> Answer<SettingsView> {
    api::settings::get(&engine).await
}

#[tauri::command]
pub(crate) async fn settings_meet(engine: State<'_, Engine>, request: Meet) -> Answer<()> {
    api::settings::meet(&engine, request).await
}

#[tauri::command]
pub(crate) async fn settings_set(
    engine: State<'_, Engine>,
    request: SettingSet,
) -> Answer<SettingsView> {
    api::settings::set(&engine, request).await
}

#[tauri::command]
pub(crate) async fn settings_unlock(
    engine: State<'_, Engine>,
    passphrase: String,
) -> Answer<SettingsView> {
    api::settings::unlock(&engine, passphrase).await
}

/// Names only: a value never comes back.
#[tauri::command]
pub(crate) async fn secrets_list(engine: State<'_, Engine>) -> Answer<Vec<String>> {
    api::secrets::list(&engine).await
}

#[tauri::command]
pub(crate) async fn secrets_set(
    engine: State<'_, Engine>,
    name: String,
    value: String,
) -> Answer<()> {
    api::secrets::set(&engine, name, value).await
}
