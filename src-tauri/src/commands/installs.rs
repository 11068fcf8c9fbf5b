//! Skills from elsewhere.

use super::Answer;
use hearth_engine::api::installs::InstallOrder;
use hearth_engine::{Engine, api};
use hearth_protocol::api::skills::{SkillInstall, SkillRow};
use tauri::State;

#[tauri::command]
pub(crate) async fn skills_install(
    engine: State<'_, Engine>,
    path: String,
    hash: String,
) -> Answer<Vec<SkillRow>> {
    let order = InstallOrder { path, hash, skills: Vec::new(), to_workspace: false };
    api::installs::install(&engine, order).await
}

#[tauri::command]
pub(crate) async fn skills_install_preview(
    engine: State<'_, Engine>,
    path: String,
) -> Answer<SkillInstall> {
    api::installs::preview(&engine, path, Vec::new(), false).await
}

#[tauri::command]
pub(crate) async fn skills_remove(engine: State<'_, Engine>, name: String) -> Answer<()> {
    api::installs::remove(&engine, name).await
}
