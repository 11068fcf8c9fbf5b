//! Memory entries.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::entries::{
    EntryAdd, EntryConflict, EntryDay, EntryEdit, EntryForgotten, EntryRow, EntryTake, EntryView,
};
use tauri::State;

#[tauri::command]
pub(crate) async fn entries_add(engine: State<'_, Engine>, request: EntryAdd) -> Answer<EntryRow> {
    api::entries::add(&engine, request).await
}

#[tauri::command]
pub(crate) async fn entries_conflicts(engine: State<'_, Engine>) -> Answer<Vec<EntryConflict>> {
    api::entries::conflicts(&engine).await
}

#[tauri::command]
pub(crate) async fn entries_correct(
    engine: State<'_, Engine>,
    id: String,
    text: String,
) -> Answer<EntryRow> {
    api::entries::correct(&engine, id, text).await
}

#[tauri::command]
pub(crate) async fn entries_edit(
    engine: State<'_, Engine>,
    request: EntryEdit,
) -> Answer<EntryRow> {
    api::entries::edit(&engine, request).await
}

#[tauri::command]
pub(crate) async fn entries_forget(
    engine: State<'_, Engine>,
    id: String,
    erase: bool,
) -> Answer<EntryForgotten> {
    api::entries::forget(&engine, id, erase).await
}

#[tauri::command]
pub(crate) async fn entries_list(engine: State<'_, Engine>) -> Answer<Vec<EntryRow>> {
    api::entries::list(&engine).await
}

#[tauri::command]
pub(crate) async fn entries_restore(engine: State<'_, Engine>, id: String) -> Answer<EntryRow> {
    api::entries::bring_back(&engine, id).await
}

#[tauri::command]
pub(crate) async fn entries_settle(
    engine: State<'_, Engine>,
    conflict: i64,
    take: EntryTake,
) -> Answer<Option<EntryRow>> {
    api::entries::settle(&engine, conflict, take).await
}

#[tauri::command]
pub(crate) async fn entries_timeline(
    engine: State<'_, Engine>,
    until: Option<String>,
) -> Answer<Vec<EntryDay>> {
    api::entries::timeline(&engine, until).await
}

#[tauri::command]
pub(crate) async fn entries_view(engine: State<'_, Engine>, id: String) -> Answer<EntryView> {
    api::entries::view(&engine, id).await
}
