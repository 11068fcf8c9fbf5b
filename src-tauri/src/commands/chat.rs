//! Conversations.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::chat::{
    CommandRow, CompactionRow, Rewind, Rewound, SessionChange, SessionInfo, Submit, Submitted,
    Transcript,
};
use hearth_protocol::{ContextManifest, Message, SessionKey, TurnId};
use tauri::State;

#[tauri::command]
pub(crate) async fn chat_commands(engine: State<'_, Engine>) -> Answer<Vec<CommandRow>> {
    api::chat::commands(&engine).await
}

#[tauri::command]
pub(crate) async fn chat_rewind(engine: State<'_, Engine>, request: Rewind) -> Answer<Rewound> {
    api::chat::rewind(&engine, request).await
}

#[tauri::command]
pub(crate) async fn chat_stop(engine: State<'_, Engine>, session: SessionKey) -> Answer<bool> {
    api::chat::stop(&engine, session).await
}

#[tauri::command]
pub(crate) async fn chat_submit(engine: State<'_, Engine>, request: Submit) -> Answer<Submitted> {
    api::chat::submit(&engine, request).await
}

#[tauri::command]
pub(crate) async fn context_call(
    engine: State<'_, Engine>,
    session: SessionKey,
    turn: Option<TurnId>,
    step: Option<u32>,
) -> Answer<ContextManifest> {
    api::context::call(&engine, session, turn, step).await
}

#[tauri::command]
pub(crate) async fn sessions_change(
    engine: State<'_, Engine>,
    session: SessionKey,
    change: SessionChange,
) -> Answer<SessionInfo> {
    api::sessions::change(&engine, session, change).await
}

#[tauri::command]
pub(crate) async fn sessions_create(engine: State<'_, Engine>) -> Answer<SessionInfo> {
    api::sessions::create(&engine).await
}

#[tauri::command]
pub(crate) async fn sessions_delete(engine: State<'_, Engine>, session: SessionKey) -> Answer<()> {
    api::sessions::delete(&engine, session).await
}

#[tauri::command]
pub(crate) async fn sessions_list(engine: State<'_, Engine>) -> Answer<Vec<SessionInfo>> {
    api::sessions::list(&engine).await
}

#[tauri::command]
pub(crate) async fn sessions_compactions(
    engine: State<'_, Engine>,
    session: SessionKey,
) -> Answer<Vec<CompactionRow>> {
    api::sessions::compactions(&engine, session).await
}

#[tauri::command]
pub(crate) async fn sessions_originals(
    engine: State<'_, Engine>,
    session: SessionKey,
    compaction: u64,
) -> Answer<Vec<Message>> {
    api::sessions::originals(&engine, session, compaction).await
}

#[tauri::command]
pub(crate) async fn sessions_open(
    engine: State<'_, Engine>,
    session: SessionKey,
) -> Answer<Transcript> {
    api::sessions::open(&engine, session).await
}
