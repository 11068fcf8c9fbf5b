//! Models and providers.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::models::{
    DetectedServer, LocalModelRow, ModelRow, ProviderEdit, ProviderRow, ProviderTest,
};
use tauri::State;

#[tauri::command]
pub(crate) async fn models_cancel(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::models::cancel(&engine, id).await
}

#[tauri::command]
pub(crate) async fn models_detect(engine: State<'_, Engine>) -> Answer<Vec<DetectedServer>> {
    api::models::detect(&engine).await
}

#[tauri::command]
pub(crate) async fn models_import(
    engine: State<'_, Engine>,
    id: String,
    path: String,
) -> Answer<LocalModelRow> {
    api::models::import(&engine, id, path).await
}

#[tauri::command]
pub(crate) async fn models_list(engine: State<'_, Engine>) -> Answer<Vec<ModelRow>> {
    api::models::list(&engine).await
}

#[tauri::command]
pub(crate) async fn models_local(engine: State<'_, Engine>) -> Answer<Vec<LocalModelRow>> {
    api::models::local(&engine).await
}

#[tauri::command]
pub(crate) async fn models_pull(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::models::pull(&engine, id).await
}

#[tauri::command]
pub(crate) async fn providers_remove(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::providers::remove(&engine, id).await
}

#[tauri::command]
pub(crate) async fn providers_save(
    engine: State<'_, Engine>,
    provider: ProviderEdit,
    key: Option<String>,
) -> Answer<ProviderRow> {
    api::providers::save(&engine, provider, key).await
}

#[tauri::command]
pub(crate) async fn providers_test(engine: State<'_, Engine>, id: String) -> Answer<ProviderTest> {
    api::providers::test(&engine, id).await
}
