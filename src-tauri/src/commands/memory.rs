//! Memory: search, and the state of its index.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::memory::{MemoryAnswer, MemoryQuery, MemoryStatus};
use tauri::State;

#[tauri::command]
pub(crate) async fn memory_reindex(engine: State<'_, Engine>) -> Answer<MemoryStatus> {
    api::memory::reindex(&engine).await
}

#[tauri::command]
pub(crate) async fn memory_search(
    engine: State<'_, Engine>,
    query: MemoryQuery,
) -> Answer<MemoryAnswer> {
    api::memory::search(&engine, query).await
}

#[tauri::command]
pub(crate) async fn memory_status(engine: State<'_, Engine>) -> Answer<MemoryStatus> {
    api::memory::status(&engine).await
}
