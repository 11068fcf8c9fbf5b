//! What the assistant asks its person.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::TurnId;
use hearth_protocol::api::approvals::{ApprovalRow, Decide, DecideAll, QuestionRow};
use hearth_protocol::api::files::Undone;
use tauri::State;

#[tauri::command]
pub(crate) async fn approvals_decide(
    engine: State<'_, Engine>,
    request: Decide,
) -> Answer<ApprovalRow> {
    api::approvals::decide(&engine, request).await
}

#[tauri::command]
pub(crate) async fn approvals_decide_all(
    engine: State<'_, Engine>,
    request: DecideAll,
) -> Answer<Vec<ApprovalRow>> {
    api::approvals::decide_all(&engine, request).await
}

#[tauri::command]
pub(crate) async fn approvals_list(engine: State<'_, Engine>) -> Answer<Vec<ApprovalRow>> {
    api::approvals::list(&engine).await
}

#[tauri::command]
pub(crate) async fn approvals_revoke(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::approvals::revoke(&engine, id).await
}

#[tauri::command]
pub(crate) async fn questions_answer(
    engine: State<'_, Engine>,
    id: String,
    text: String,
) -> Answer<()> {
    api::approvals::answer(&engine, id, text).await
}

#[tauri::command]
pub(crate) async fn questions_list(engine: State<'_, Engine>) -> Answer<Vec<QuestionRow>> {
    api::approvals::questions(&engine).await
}

#[tauri::command]
pub(crate) async fn turns_undo(engine: State<'_, Engine>, turn: TurnId) -> Answer<Vec<Undone>> {
    api::undo::turn(&engine, turn).await
}
