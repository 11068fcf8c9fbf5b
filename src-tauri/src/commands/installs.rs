//! Skills from elsewhere.

use super::Answer;
use hearth_engine::api::installs::InstallOrder;
use hearth_engine::{Engine, api};
use hearth_protocol::api::skills::{SkillInstall, SkillRemoved, SkillRow};
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

#[tauri::command]
pub(crate) async fn skills_removed(engine: State<'_, Engine>) -> Answer<Vec<SkillRemoved>> {
    api::installs::removed(&engine).await
}

#[tauri::command]
pub(crate) async fn skills_restore(engine: State<'_, Engine>, name: String) -> Answer<()> {
    api::installs::restore(&engine, name).await
}

#[tauri::command]
pub(crate) async fn skills_update(
    engine: State<'_, Engine>,
    name: String,
    hash: String,
) -> Answer<Vec<SkillRow>> {
    api::installs::install_update(&engine, name, hash).await
}

#[tauri::command]
pub(crate) async fn skills_update_preview(
    engine: State<'_, Engine>,
    name: String,
) -> Answer<SkillInstall> {
    Ok(api::installs::update(&engine, name).await?.0)
}
