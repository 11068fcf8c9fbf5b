//! A folder of skills on disk: putting one in, setting one aside, bringing one back.
//!
//! Invariants: a skill is there whole or not at all; what goes is moved into `.trash` beside it and stays
//! for 30 days; only what was installed is touched; nothing is written or moved through a link.

use super::error::{InstallError, Result, trouble};
use super::names::{ORIGIN, shown};
use super::parcel::{self, Files};
use super::{folder, rights};
use hearth_protocol::api::skills::SkillOrigin;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const TRASH: &str = ".trash";
const KEPT_SECONDS: u64 = 30 * 24 * 3600;
const MAX_ORIGIN: u64 = 64 * 1024;

/// Where an installed skill came from, kept in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    pub(super) from: String,
    pub(super) hash: String,
    pub(super) at: u64,
    #[serde(default)]
    pub(super) version: Option<String>,
}

/// Where the skill in a folder was installed from; none if it was not. Reads all its files. Blocks.
#[must_use]
pub fn origin(folder: &Path) -> Option<SkillOrigin> {
    let origin = read_origin(folder)?;
    let now = folder::read(folder).map(|parcel| parcel::hash(&parcel.into_files()));
    let changed = now.ok().as_ref() != Some(&origin.hash);
    Some(SkillOrigin { from: origin.from, hash: origin.hash, at: origin.at, changed })
}

/// Sets an installed skill aside and returns where it lies now. Blocks.
///
/// # Errors
/// If there is none of this name that was installed, or it cannot be moved.
pub fn remove(place: &Path, name: &str, now: u64) -> Result<PathBuf> {
    let folder = installed(place, name)?;
    let aside = set_aside(place, name, &folder, now)?;
    forget_old(place, now);
    Ok(aside)
}

/// Brings back the skill of this name that was set aside last. Blocks.
///
/// # Errors
/// If there is none, or there is a skill of this name again.
pub fn restore(place: &Path, name: &str) -> Result<()> {
    super::names::check(name)?;
    let target = place.join(name);
    if fs::symlink_metadata(&target).is_ok() {
        let path = target.display().to_string();
        return Err(InstallError::Taken { name: shown(name), path });
    }
    let newest =
        aside(place).into_iter().filter(|kept| kept.name == name).max_by_key(|kept| kept.at);
    let kept = newest.ok_or_else(|| InstallError::NotInstalled { name: shown(name) })?;
    fs::rename(&kept.folder, &target).map_err(|error| trouble(&target, error))
}

/// Skills that were set aside and can be brought back, with when that was (Unix seconds), each once. Blocks.
#[must_use]
pub fn removed(place: &Path) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> =
        aside(place).into_iter().map(|kept| (kept.name, kept.at)).collect();
    all.retain(|(name, _)| fs::symlink_metadata(place.join(name)).is_err());
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    all.dedup_by(|later, kept| later.0 == kept.0);
    all
}

/// Whether a skill may be put there: nothing, or an installed one to be replaced.
pub(super) fn may_put(place: &Path, name: &str) -> Result<()> {
    plain_folder(place)?;
    let target = place.join(name);
    match fs::symlink_metadata(&target) {
        Err(_) => Ok(()),
        Ok(meta) if !meta.is_dir() => {
            Err(InstallError::NotAFolder { path: target.display().to_string() })
        }
        Ok(_) if read_origin(&target).is_none() => Err(InstallError::Yours { name: shown(name) }),
        Ok(_) => Ok(()),
    }
}

/// Puts a skill there in one step; what it replaces is set aside.
pub(super) fn put(place: &Path, name: &str, files: &Files, origin: &Origin) -> Result<()> {
    fs::create_dir_all(place).map_err(|error| trouble(place, error))?;
    may_put(place, name)?;
    let fresh = place.join(fresh_name());
    let done = lay_out(&fresh, files, origin).and_then(|()| swap(place, name, &fresh, origin.at));
    if done.is_err() {
        let _ = fs::remove_dir_all(&fresh);
    }
    forget_old(place, origin.at);
    done
}

fn fresh_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".hearth-{}-{number}", std::process::id())
}

fn lay_out(fresh: &Path, files: &Files, origin: &Origin) -> Result<()> {
    let _ = fs::remove_dir_all(fresh);
    fs::create_dir(fresh).map_err(|error| trouble(fresh, error))?;
    for (path, item) in files {
        let file = fresh.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| trouble(parent, error))?;
        }
        fs::write(&file, &item.bytes).map_err(|error| trouble(&file, error))?;
    }
    for script in rights::scripts(files) {
        make_runnable(&fresh.join(script.path))?;
    }
    let file = fresh.join(ORIGIN);
    let text = serde_json::to_vec_pretty(origin).unwrap_or_default();
    fs::write(&file, text).map_err(|error| trouble(&file, error))
}

fn swap(place: &Path, name: &str, fresh: &Path, now: u64) -> Result<()> {
    let target = place.join(name);
    let kept = match target.try_exists() {
        Ok(true) => Some(set_aside(place, name, &target, now)?),
        _ => None,
    };
    fs::rename(fresh, &target).map_err(|error| {
        if let Some(kept) = kept {
            let _ = fs::rename(kept, &target);
        }
        trouble(&target, error)
    })
}

/// The folder of an installed skill.
fn installed(place: &Path, name: &str) -> Result<PathBuf> {
    let none = || InstallError::NotInstalled { name: shown(name) };
    if name.contains('/') || super::names::check(name).is_err() {
        return Err(none());
    }
    plain_folder(place)?;
    let folder = place.join(name);
    let meta = fs::symlink_metadata(&folder).map_err(|_| none())?;
    if !meta.is_dir() {
        return Err(InstallError::NotAFolder { path: folder.display().to_string() });
    }
    match read_origin(&folder) {
        Some(_) => Ok(folder),
        None => Err(InstallError::Yours { name: shown(name) }),
    }
}

/// What a skill's folder says of where it came from.
pub(super) fn read_origin(folder: &Path) -> Option<Origin> {
    let path = folder.join(ORIGIN);
    if !fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MAX_ORIGIN).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Refuses a place that is a link or a file.
fn plain_folder(place: &Path) -> Result<()> {
    match fs::symlink_metadata(place) {
        Ok(meta) if !meta.is_dir() => {
            Err(InstallError::NotAFolder { path: place.display().to_string() })
        }
        _ => Ok(()),
    }
}

// ---- the trash

struct Aside {
    name: String,
    at: u64,
    folder: PathBuf,
}

fn set_aside(place: &Path, name: &str, folder: &Path, now: u64) -> Result<PathBuf> {
    let trash = place.join(TRASH);
    plain_folder(&trash)?;
    fs::create_dir_all(&trash).map_err(|error| trouble(&trash, error))?;
    // Twice within a second: the later one gets the later name.
    let free = (now..).map(|at| trash.join(format!("{name}@{at}")));
    let mut free = free.filter(|kept| fs::symlink_metadata(kept).is_err());
    let kept = free.next().unwrap_or_else(|| trash.join(name));
    fs::rename(folder, &kept).map_err(|error| trouble(folder, error))?;
    Ok(kept)
}

fn aside(place: &Path) -> Vec<Aside> {
    let Ok(entries) = fs::read_dir(place.join(TRASH)) else { return Vec::new() };
    let kept = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (name, at) = name.rsplit_once('@')?;
        let is_folder = entry.file_type().ok()?.is_dir();
        is_folder.then_some(())?;
        Some(Aside { name: name.to_owned(), at: at.parse().ok()?, folder: entry.path() })
    });
    kept.collect()
}

fn forget_old(place: &Path, now: u64) {
    if plain_folder(&place.join(TRASH)).is_err() {
        return;
    }
    for kept in aside(place) {
        if kept.at.saturating_add(KEPT_SECONDS) < now {
            let _ = fs::remove_dir_all(kept.folder);
        }
    }
}

/// Lets its owner run a file, on systems that ask.
#[cfg(unix)]
pub(crate) fn make_runnable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(file, mode).map_err(|error| trouble(file, error))
}

/// Lets its owner run a file, on systems that ask.
#[cfg(not(unix))]
pub(crate) fn make_runnable(_: &Path) -> Result<()> {
    Ok(())
}
