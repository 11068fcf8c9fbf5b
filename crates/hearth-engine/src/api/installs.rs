//! Skills from elsewhere: look at them, install, update, remove, bring back.

use crate::audit::Note;
use crate::engine::{Inner, joined};
use crate::skills::Known;
use crate::{Engine, api, clock};
use hearth_protocol::api::skills::{SkillInstall, SkillRemoved, SkillRival, SkillRow, SkillSource};
use hearth_protocol::{ErrorCode, WireError};
use hearth_workspace::skills::{
    Found, InstallError, Offer, origin, remove as set_aside, removed as kept_aside, restore as back,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What to install, as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InstallOrder {
    /// The folder, zip file or git address.
    pub path: String,
    /// The hash that the preview had.
    pub hash: String,
    /// Only the skills of these names; none: all.
    pub skills: Vec<String>,
    /// Into the workspace's folder instead of the home's.
    pub to_workspace: bool,
}

/// What installing from a source would bring: its skills, or those of these names. Nothing is written but
/// a clone that is gone afterwards.
///
/// # Errors
/// `internal` alone: a source that is refused is an answer.
pub async fn preview(
    engine: &Engine,
    path: String,
    skills: Vec<String>,
    to_workspace: bool,
) -> Result<SkillInstall, WireError> {
    let known = engine.inner.skills().await?;
    let place = place(&engine.inner, to_workspace);
    let scratch = scratch(&engine.inner);
    let source = if to_workspace { SkillSource::Workspace } else { SkillSource::Home };
    let work = move || match offer(&path, &skills, &scratch) {
        Ok(offer) => {
            let mut shown = offer.preview(&place);
            for one in &mut shown.skills {
                one.rival = rival(&known, &one.name, &place, source);
            }
            shown
        }
        Err(refusal) => SkillInstall {
            path,
            hash: String::new(),
            skills: Vec::new(),
            refused: Some(refusal.to_string()),
        },
    };
    joined(tokio::task::spawn_blocking(work).await)
}

/// What an update of an installed skill would change; installing it is an ordinary order, returned with it.
///
/// # Errors
/// `not_found` where it was not installed.
pub async fn update(
    engine: &Engine,
    name: String,
) -> Result<(SkillInstall, InstallOrder), WireError> {
    let (place, to_workspace) = installed_in(&engine.inner, &name)?;
    let found = origin(&place.join(&name)).ok_or_else(|| missing(&name))?;
    let skills = vec![name];
    let shown = preview(engine, found.from.clone(), skills.clone(), to_workspace).await?;
    let order = InstallOrder { path: found.from, hash: shown.hash.clone(), skills, to_workspace };
    Ok((shown, order))
}

/// Installs what was shown. Returns the skills as the list shows them now.
///
/// # Errors
/// `home_busy`; `invalid_request` with the reason of a refusal; `storage`.
pub async fn install(engine: &Engine, order: InstallOrder) -> Result<Vec<SkillRow>, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let InstallOrder { path, hash, skills, to_workspace } = order;
    let place = place(inner, to_workspace);
    let folder = place.clone();
    let (scratch, now) = (scratch(inner), now());
    let (from, shown) = (path.clone(), hash.clone());
    let work = move || offer(&from, &skills, &scratch)?.install(&shown, &place, now);
    let names = joined(tokio::task::spawn_blocking(work).await)?.map_err(|e| wire(&e))?;
    note(inner, "skill_installed", json!({"skills": names, "from": path, "hash": hash})).await?;
    let rows = api::skills::list(engine).await?;
    let came = |row: &SkillRow| {
        names.iter().any(|name| Path::new(&row.path).starts_with(folder.join(name)))
    };
    Ok(rows.into_iter().filter(came).collect())
}

/// Installs the update of a skill that was shown by this hash.
///
/// # Errors
/// As [`update`] and [`install`].
pub async fn install_update(
    engine: &Engine,
    name: String,
    hash: String,
) -> Result<Vec<SkillRow>, WireError> {
    let (place, to_workspace) = installed_in(&engine.inner, &name)?;
    let found = origin(&place.join(&name)).ok_or_else(|| missing(&name))?;
    install(engine, InstallOrder { path: found.from, hash, skills: vec![name], to_workspace }).await
}

/// Skills that were removed and can be brought back.
///
/// # Errors
/// None today.
pub async fn removed(engine: &Engine) -> Result<Vec<SkillRemoved>, WireError> {
    let places = [place(&engine.inner, false), place(&engine.inner, true)];
    let work = move || -> Vec<SkillRemoved> {
        let all = places.iter().flat_map(|place| kept_aside(place));
        all.map(|(name, at)| SkillRemoved { name, at }).collect()
    };
    joined(tokio::task::spawn_blocking(work).await)
}

/// Sets an installed skill aside. For 30 days it can be brought back.
///
/// # Errors
/// `home_busy`; `not_found`; `storage`.
pub async fn remove(engine: &Engine, name: String) -> Result<(), WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let (place, removed) = folder_of(inner, &name).await?;
    let now = now();
    let work = move || set_aside(&place, &removed, now);
    joined(tokio::task::spawn_blocking(work).await)?.map_err(|error| wire(&error))?;
    note(inner, "skill_removed", json!({"skill": name})).await
}

/// Brings back a skill that was removed.
///
/// # Errors
/// `home_busy`; `not_found`; `invalid_request` where there is one of this name again; `storage`.
pub async fn restore(engine: &Engine, name: String) -> Result<(), WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let places = [place(inner, false), place(inner, true)];
    let wanted = name.clone();
    let work = move || {
        let [home, workspace] = places;
        match back(&home, &wanted) {
            Err(InstallError::NotInstalled { .. }) => back(&workspace, &wanted),
            other => other,
        }
    };
    joined(tokio::task::spawn_blocking(work).await)?.map_err(|error| wire(&error))?;
    note(inner, "skill_restored", json!({"skill": name})).await
}

/// The first other skill of a name, and whether it comes before one of this source.
fn rival(known: &Known, name: &str, place: &Path, source: SkillSource) -> Option<SkillRival> {
    let lower = name.to_lowercase();
    let own = place.join(name);
    let is_other = |one: &&Found| {
        one.skill.name.to_lowercase() == lower
            && one.skill.usable()
            && !one.folder.starts_with(&own)
    };
    let other = known.found.iter().find(is_other)?;
    let path = other.file.display().to_string();
    Some(SkillRival { source: other.source, path, wins: other.source < source })
}

fn offer(path: &str, skills: &[String], scratch: &Path) -> Result<Offer, InstallError> {
    let offer = Offer::read(path, scratch)?;
    if skills.is_empty() { Ok(offer) } else { offer.choose(skills) }
}

fn place(inner: &Inner, to_workspace: bool) -> PathBuf {
    let above = if to_workspace { inner.workspace.folder() } else { inner.home.root() };
    above.join("skills")
}

/// Where a skill was installed, and whether that is the workspace.
fn installed_in(inner: &Inner, name: &str) -> Result<(PathBuf, bool), WireError> {
    let plain = !name.contains(['/', '\\']);
    let places = [false, true].map(|to_workspace| (place(inner, to_workspace), to_workspace));
    let found = places.into_iter().find(|(place, _)| plain && place.join(name).is_dir());
    found.ok_or_else(|| missing(name))
}

/// Where the skill lies that lists show by this name, and its folder there: the one in use before others.
async fn folder_of(inner: &Inner, name: &str) -> Result<(PathBuf, String), WireError> {
    let known = inner.skills().await?;
    let places = [place(inner, false), place(inner, true)];
    let shown = known.any(name).and_then(|(found, _)| {
        let above = found.folder.parent().filter(|above| places.iter().any(|one| one == above))?;
        Some((above.to_owned(), found.folder.file_name()?.to_str()?.to_owned()))
    });
    match shown {
        Some(shown) => Ok(shown),
        None => installed_in(inner, name).map(|(place, _)| (place, name.to_owned())),
    }
}

fn missing(name: &str) -> WireError {
    wire(&InstallError::NotInstalled { name: name.to_owned() })
}

/// A folder for a clone that no other call uses.
fn scratch(inner: &Inner) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    inner.home.root().join(format!(".fetch-{}-{number}", std::process::id()))
}

fn now() -> u64 {
    u64::try_from(clock::now()).unwrap_or_default()
}

async fn note(inner: &Inner, kind: &'static str, body: Value) -> Result<(), WireError> {
    inner.audit.note(Note { kind, session: None, turn: None, body: &body }).await
}

/// The reason is whole: it says what to do, too.
fn wire(error: &InstallError) -> WireError {
    let code = match error {
        InstallError::NotInstalled { .. } | InstallError::NotOffered { .. } => ErrorCode::NotFound,
        InstallError::Io { .. } => ErrorCode::Storage,
        _ => ErrorCode::InvalidRequest,
    };
    WireError::new(code, error.to_string(), "")
}
