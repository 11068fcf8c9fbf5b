//! All skills of all sources: precedence, and a memory of what was read, so that only changed files are
//! read again.

use super::name::folded;
use super::read::{self, SkillFile};
use super::walk::{self, Place};
use super::{uses, warning::Warning};
use hearth_protocol::api::skills::SkillSource;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

/// A folder with skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRoot {
    /// What it is.
    pub source: SkillSource,
    /// Where it is.
    pub folder: PathBuf,
}

/// A skill that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What its SKILL.md says.
    pub skill: Arc<SkillFile>,
    /// Where it comes from.
    pub source: SkillSource,
    /// Path below the source, with `/`.
    pub path: String,
    /// Its SKILL.md.
    pub file: PathBuf,
    /// Its folder.
    pub folder: PathBuf,
    /// The SKILL.md that has its name already.
    pub shadowed_by: Option<PathBuf>,
}

/// A skill's body, read for activation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Its instructions.
    pub text: String,
    /// What its SKILL.md says, as of the same read.
    pub skill: SkillFile,
}

/// What was read, by file.
#[derive(Debug, Default)]
pub struct Skills {
    known: Mutex<HashMap<PathBuf, Known>>,
    /// Something was read that was not kept yet.
    has_news: AtomicBool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    stamp: Stamp,
    skill: Arc<SkillFile>,
}

/// What tells that a skill has not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    nanos: u128,
    bytes: u64,
    /// Of the names of the files beside it.
    beside: u64,
}

impl Skills {
    /// Every skill of these sources, the first source first; only changed files are read. Blocks.
    #[must_use]
    pub fn scan(&self, roots: &[SkillRoot]) -> Vec<Found> {
        let mut places: Vec<(SkillSource, Place)> = Vec::new();
        for root in roots {
            places.extend(walk::places(&root.folder).into_iter().map(|place| (root.source, place)));
        }
        let skills = self.read_all(&places);
        let mut found: Vec<Found> = places
            .into_iter()
            .zip(skills)
            .map(|((source, place), skill)| Found {
                skill,
                source,
                path: place.path,
                file: place.file,
                folder: place.folder,
                shadowed_by: None,
            })
            .collect();
        mark_shadowed(&mut found);
        mark_uses(&mut found);
        found
    }

    fn read_all(&self, places: &[(SkillSource, Place)]) -> Vec<Arc<SkillFile>> {
        let stamps: Vec<Option<Stamp>> = places.iter().map(|(_, place)| stamp(place)).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut skills: Vec<Option<Arc<SkillFile>>> = places
            .iter()
            .zip(&stamps)
            .map(|((_, place), stamp)| {
                let known = known.get(&place.file)?;
                (Some(known.stamp) == *stamp).then(|| known.skill.clone())
            })
            .collect();
        let missing: Vec<usize> = (0..places.len()).filter(|at| skills[*at].is_none()).collect();
        if !missing.is_empty() {
            self.has_news.store(true, Ordering::Release);
        }
        for (at, skill) in missing.iter().zip(read_many(places, &missing)) {
            let skill = Arc::new(skill);
            if let Some(stamp) = stamps[*at] {
                known.insert(places[*at].1.file.clone(), Known { stamp, skill: skill.clone() });
            }
            skills[*at] = Some(skill);
        }
        skills.into_iter().flatten().collect()
    }

    /// Forgets files that are no longer among these.
    pub fn keep_only(&self, found: &[Found]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > found.len() {
            let files: std::collections::HashSet<&Path> =
                found.iter().map(|found| found.file.as_path()).collect();
            known.retain(|file, _| files.contains(file.as_path()));
        }
    }

    /// Takes over what an earlier process wrote with [`Skills::kept`]; anything else is ignored.
    pub fn take(&self, kept: &[u8]) {
        if let Ok(kept) = serde_json::from_slice::<Vec<(PathBuf, Known)>>(kept) {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(kept);
        }
    }

    /// What was read, for the next process; none where it is known already. Derived: it may be deleted.
    #[must_use]
    pub fn kept(&self) -> Option<Vec<u8>> {
        if !self.has_news.swap(false, Ordering::AcqRel) {
            return None;
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let rows: Vec<_> = known.iter().collect();
        serde_json::to_vec(&rows).ok()
    }
}

impl Found {
    /// Reads the body, for activation. Blocks.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn body(&self) -> Result<Body, String> {
        let bytes = read::bytes(&self.place()).map_err(|why| why.to_string())?;
        let folder = self.folder.file_name().map(|n| n.to_string_lossy().into_owned());
        let (skill, text) = super::read_skill(&bytes, &folder.unwrap_or_default())
            .ok_or_else(|| "its SKILL.md is empty or no UTF-8 text".to_owned())?;
        Ok(Body { text, skill })
    }

    /// Reads a file of the skill that its body names. Blocks.
    ///
    /// # Errors
    /// Why it cannot be read: not there, outside the folder, too large, no text.
    pub fn reference(&self, path: &str) -> Result<String, String> {
        let file = self.folder.join(path);
        if path.is_empty() || !read::stays_inside(&file, &self.folder) {
            return Err(format!("{} has no file {path}", self.skill.name));
        }
        let place = Place { file, is_link: false, ..self.place() };
        let bytes =
            read::bytes(&place).map_err(|why| why.to_string().replace("its SKILL.md", path))?;
        String::from_utf8(bytes).map_err(|_| format!("{path} is no text"))
    }

    fn place(&self) -> Place {
        Place {
            file: self.file.clone(),
            folder: self.folder.clone(),
            path: self.path.clone(),
            is_link: fs::symlink_metadata(&self.file).is_ok_and(|meta| meta.is_symlink()),
            files: Vec::new(),
        }
    }
}

fn stamp(place: &Place) -> Option<Stamp> {
    let meta = fs::metadata(&place.file).ok()?;
    let nanos = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let mut hasher = DefaultHasher::new();
    place.files.hash(&mut hasher);
    Some(Stamp { nanos, bytes: meta.len(), beside: hasher.finish() })
}

/// Reads files side by side.
fn read_many(places: &[(SkillSource, Place)], wanted: &[usize]) -> Vec<SkillFile> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = wanted.len().div_ceil(threads).max(1);
    if wanted.len() < 16 || threads == 1 {
        return wanted.iter().map(|at| read::read(&places[*at].1)).collect();
    }
    std::thread::scope(|scope| {
        let parts: Vec<_> = wanted
            .chunks(share)
            .map(|part| {
                let work =
                    move || part.iter().map(|at| read::read(&places[*at].1)).collect::<Vec<_>>();
                (part, scope.spawn(work))
            })
            .collect();
        let mut skills = Vec::with_capacity(wanted.len());
        for (part, thread) in parts {
            match thread.join() {
                Ok(read) => skills.extend(read),
                Err(_) => skills.extend(part.iter().map(|at| read::read(&places[*at].1))),
            }
        }
        skills
    })
}

/// The first usable skill of a name has it.
fn mark_shadowed(found: &mut [Found]) {
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    for found in found {
        if !found.skill.usable() {
            continue;
        }
        match owners.get(&folded(&found.skill.name)) {
            None => {
                owners.insert(folded(&found.skill.name), found.file.clone());
            }
            Some(owner) => {
                found.shadowed_by = Some(owner.clone());
                let skill = Arc::make_mut(&mut found.skill);
                skill.warnings.push(Warning::DuplicateName);
                skill.refusal = Some(format!("{} has this name already", owner.display()));
            }
        }
    }
}

fn mark_uses(found: &mut [Found]) {
    if found.iter().all(|found| found.skill.uses.is_empty()) {
        return;
    }
    let rows: Vec<(&str, &[String])> = found
        .iter()
        .map(|found| (found.skill.name.as_str(), found.skill.uses.as_slice()))
        .collect();
    for (at, warning) in uses::odd(&rows) {
        Arc::make_mut(&mut found[at].skill).warnings.push(warning);
    }
}
