//! Skills: list, check, show, change, match.

use crate::{Engine, api, skills};
use hearth_protocol::api::settings::SettingSet;
use hearth_protocol::api::skills::{
    SkillActivity, SkillChange, SkillCheck, SkillMatch, SkillRow, SkillSource, SkillView,
};
use hearth_protocol::{ErrorCode, SessionKey, TurnId, WireError};
use hearth_workspace::skills::{SkillRoot, Skills};
use serde_json::json;
use std::path::Path;

/// All skills of all sources, eligible or not.
///
/// # Errors
/// None today.
pub async fn list(engine: &Engine) -> Result<Vec<SkillRow>, WireError> {
    engine.inner.settings.refresh();
    let known = engine.inner.skills().await?;
    Ok(known.rows(&engine.settings()))
}

/// One skill with its text.
///
/// # Errors
/// `not_found`; `storage` where its SKILL.md cannot be read.
pub async fn show(engine: &Engine, name: String) -> Result<SkillView, WireError> {
    engine.inner.settings.refresh();
    let known = engine.inner.skills().await?;
    let (found, reason) = known.any(&name).ok_or_else(|| missing(&name))?;
    let row = skills::row(found, reason, &engine.settings());
    let skill = &found.skill;
    let (license, homepage) = (skill.license.clone(), skill.homepage.clone());
    let (hints, primary_env) = (skill.hints.clone(), skill.primary_env.clone());
    let found = found.clone();
    let read = tokio::task::spawn_blocking(move || found.body()).await;
    let read = read.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string(), ""))?;
    // One that cannot be read is shown with the reason, as the list does.
    let (body, self_check) =
        read.map(|body| (body.text, body.skill.self_check)).unwrap_or_default();
    Ok(SkillView { row, body, self_check, license, homepage, hints, primary_env })
}

/// Turns a skill on or off.
///
/// # Errors
/// `not_found`; `home_busy`; `storage`.
pub async fn change(engine: &Engine, change: SkillChange) -> Result<SkillRow, WireError> {
    engine.inner.must_own()?;
    let known = engine.inner.skills().await?;
    let (found, _) = known.any(&change.name).ok_or_else(|| missing(&change.name))?;
    let name = found.skill.name.clone();
    let same = |other: &String| other.to_lowercase() == name.to_lowercase();
    let mut off = engine.settings().skills_disabled.clone();
    off.retain(|other| !same(other));
    if !change.enabled {
        off.push(name.clone());
    }
    let set = SettingSet { key: "skills.disabled".to_owned(), value: json!(off) };
    api::settings::set(engine, set).await?;
    let on = engine.settings().skills_enabled.clone();
    if change.enabled && !on.is_empty() && !on.iter().any(same) {
        let on: Vec<String> = on.into_iter().chain([name.clone()]).collect();
        let set = SettingSet { key: "skills.enabled".to_owned(), value: json!(on) };
        api::settings::set(engine, set).await?;
    }
    let rows = list(engine).await?;
    rows.into_iter().find(|row| row.name == name).ok_or_else(|| missing(&name))
}

/// Which skills a message asks for, and why.
///
/// # Errors
/// None today.
pub async fn matching(engine: &Engine, text: String) -> Result<SkillMatch, WireError> {
    engine.inner.settings.refresh();
    let known = engine.inner.skills().await?;
    let decision = engine.inner.match_skills(&known, &text, None).await;
    Ok(decision.row(&text, known.matcher().candidates()))
}

/// What happened to skills in a turn; none where they played no part.
///
/// # Errors
/// None but the database's.
pub async fn activity(
    engine: &Engine,
    session: SessionKey,
    turn: TurnId,
) -> Result<Option<SkillActivity>, WireError> {
    Ok(engine.inner.store.skill_activity(&session, &turn).await?)
}

/// Every SKILL.md below a folder, strictly reported. Needs no home.
///
/// # Errors
/// `not_found` where there is no such folder.
pub fn check(folder: &Path) -> Result<Vec<SkillCheck>, WireError> {
    let is_file = folder.is_file();
    let folder = if is_file { folder.parent().unwrap_or(folder) } else { folder };
    if !folder.is_dir() {
        let message = format!("there is no folder {}", folder.display());
        return Err(WireError::new(ErrorCode::NotFound, message, ""));
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = SkillRoot { source: SkillSource::Extra, folder };
    let found = Skills::default().scan(&[root]);
    Ok(found.iter().map(|one| one.skill.check(one.path.clone())).collect())
}

/// Every SKILL.md of all sources, strictly reported.
///
/// # Errors
/// None today.
pub async fn check_all(engine: &Engine) -> Result<Vec<SkillCheck>, WireError> {
    let known = engine.inner.skills().await?;
    Ok(known.found.iter().map(|one| one.skill.check(one.file.display().to_string())).collect())
}

fn missing(name: &str) -> WireError {
    let message = format!("there is no skill {name}");
    WireError::new(ErrorCode::NotFound, message, "`hearth skills list` names them.")
}
