//! Skills.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::skills::{SkillActivity, SkillChange, SkillMatch, SkillRow, SkillView};
use hearth_protocol::{SessionKey, TurnId};
use tauri::State;

#[tauri::command]
pub(crate) async fn skills_activity(
    engine: State<'_, Engine>,
    session: SessionKey,
    turn: TurnId,
) -> Answer<Option<SkillActivity>> {
    api::skills::activity(&engine, session, turn).await
}

#[tauri::command]
pub(crate) async fn skills_change(
    engine: State<'_, Engine>,
    change: SkillChange,
) -> Answer<SkillRow> {
    api::skills::change(&engine, change).await
}

#[tauri::command]
pub(crate) async fn skills_list(engine: State<'_, Engine>) -> Answer<Vec<SkillRow>> {
    api::skills::list(&engine).await
}

#[tauri::command]
pub(crate) async fn skills_match(engine: State<'_, Engine>, text: String) -> Answer<SkillMatch> {
    api::skills::matching(&engine, text).await
}

#[tauri::command]
pub(crate) async fn skills_show(engine: State<'_, Engine>, name: String) -> Answer<SkillView> {
    api::skills::show(&engine, name).await
}
