//! What a source offers: its skills, the rights they ask for, and their installation.
//!
//! Invariants: an offer is complete in memory, so what is installed is what was shown; a skill that is the
//! person's own is never replaced.

use super::error::{InstallError, Result, trouble};
use super::names::{self, shown};
use super::parcel::{self, Files, Parcel};
use super::place::{self, Origin};
use super::{archive, folder, git, rights};
use crate::skills::{SkillFile, read_skill};
use hearth_protocol::api::skills::{SkillFileChange, SkillFileFate, SkillIncoming, SkillInstall};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Folders above a skill's own, as when skills are looked for.
const MAX_DEPTH: usize = 6;

/// Skills read from a source, not yet installed.
#[derive(Debug)]
pub struct Offer {
    from: String,
    skills: Vec<Offered>,
}

#[derive(Debug)]
struct Offered {
    /// Its folder once it is installed.
    folder: String,
    skill: SkillFile,
    files: Files,
    hash: String,
}

impl Offer {
    /// Reads a folder, a zip file or a git address. `scratch` is a folder of its own for a clone, gone when
    /// this returns. Blocks, a clone for minutes.
    ///
    /// # Errors
    /// Why the source is refused as a whole.
    pub fn read(source: &str, scratch: &Path) -> Result<Self> {
        let source = source.trim();
        if let Some(address) = git::address(source) {
            let read = address.and_then(|address| {
                let place = git::fetch(&address, scratch)?;
                folder::read(&place)
            });
            let _ = fs::remove_dir_all(scratch);
            return Self::of(source.to_owned(), &last_part(source), read?);
        }
        let path = Path::new(source);
        let not_one = || InstallError::NotASource { from: shown(source) };
        let meta = fs::metadata(path).map_err(|_| not_one())?;
        let whole = path.canonicalize().map_err(|error| trouble(path, error))?;
        let from = whole.to_str().ok_or_else(not_one)?.to_owned();
        let is_zip = whole.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        if meta.is_dir() {
            Self::of(from, &last_part(source), folder::read(&whole)?)
        } else if meta.is_file() && is_zip {
            let name = whole.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Self::of(from, &name, archive::read(&whole)?)
        } else {
            Err(not_one())
        }
    }

    pub(super) fn of(from: String, name: &str, parcel: Parcel) -> Result<Self> {
        let files = parcel.into_files();
        let mut skills: Vec<Offered> = Vec::new();
        for above in skill_folders(&files) {
            let offered = offered(&files, &above, name)?;
            if skills.iter().any(|other| other.folder == offered.folder) {
                return Err(InstallError::Twice { name: offered.folder });
            }
            skills.push(offered);
        }
        if skills.is_empty() { Err(InstallError::NoSkill) } else { Ok(Self { from, skills }) }
    }

    /// Keeps the skills of these names alone.
    ///
    /// # Errors
    /// If one is not offered.
    pub fn choose(mut self, names: &[String]) -> Result<Self> {
        let offers = |name: &String| self.skills.iter().any(|offered| offered.is_called(name));
        if let Some(name) = names.iter().find(|name| !offers(name)) {
            return Err(InstallError::NotOffered { name: shown(name) });
        }
        self.skills.retain(|offered| names.iter().any(|name| offered.is_called(name)));
        Ok(self)
    }

    /// Names of the skills it offers.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.skills.iter().map(|offered| offered.folder.clone()).collect()
    }

    /// Hash of what would be installed.
    #[must_use]
    pub fn hash(&self) -> String {
        match self.skills.as_slice() {
            [only] => only.hash.clone(),
            several => parcel::hash_of(
                several.iter().map(|offered| offered.hash.as_str()).collect::<String>().as_bytes(),
            ),
        }
    }

    /// What installing it into a folder of skills would bring.
    #[must_use]
    pub fn preview(&self, place: &Path) -> SkillInstall {
        let refused = self.skills.iter().find_map(|o| place::may_put(place, &o.folder).err());
        SkillInstall {
            path: self.from.clone(),
            hash: self.hash(),
            skills: self.skills.iter().map(|offered| offered.incoming(place)).collect(),
            refused: refused.map(|refusal| refusal.to_string()),
        }
    }

    /// Installs every skill of this offer into a folder of skills, if `hash` is that of what was shown.
    /// What is replaced is set aside. Returns their names. Blocks.
    ///
    /// # Errors
    /// Nothing is written if one of them may not be installed; else the first failure of the disk.
    pub fn install(&self, hash: &str, place: &Path, now: u64) -> Result<Vec<String>> {
        if hash != self.hash() {
            return Err(InstallError::NotAsShown);
        }
        for offered in &self.skills {
            place::may_put(place, &offered.folder)?;
        }
        for offered in &self.skills {
            let origin = Origin {
                from: self.from.clone(),
                hash: offered.hash.clone(),
                at: now,
                version: offered.skill.version.clone(),
            };
            place::put(place, &offered.folder, &offered.files, &origin)?;
        }
        Ok(self.names())
    }
}

impl Offered {
    fn is_called(&self, name: &str) -> bool {
        self.folder == name || self.skill.name == name
    }

    fn incoming(&self, place: &Path) -> SkillIncoming {
        let scripts = rights::scripts(&self.files);
        let installed = place.join(&self.folder);
        let origin = place::read_origin(&installed);
        let changes = origin.as_ref().map_or_else(Vec::new, |_| changes(&installed, &self.files));
        SkillIncoming {
            name: self.folder.clone(),
            description: self.skill.description.clone(),
            files: self.files.len() as u64,
            bytes: self.files.values().map(|item| item.bytes.len() as u64).sum(),
            hosts: rights::hosts(&self.files, &scripts),
            scripts,
            requires: self.skill.requires.clone(),
            allowed_tools: self.skill.allowed_tools.clone(),
            problems: self.skill.warnings.iter().map(|w| w.code().to_owned()).collect(),
            replaces: origin.map(|origin| origin.version.unwrap_or_default()),
            changes,
            rival: None,
        }
    }
}

fn changes(installed: &Path, files: &Files) -> Vec<SkillFileChange> {
    let there = folder::read(installed).map(Parcel::into_files).unwrap_or_default();
    let paths: BTreeSet<&String> = there.keys().chain(files.keys()).collect();
    let fate = |path: &String| match (there.get(path), files.get(path)) {
        (None, _) => Some(SkillFileFate::Added),
        (_, None) => Some(SkillFileFate::Removed),
        (Some(old), Some(new)) => (old.bytes != new.bytes).then_some(SkillFileFate::Changed),
    };
    let changes = paths
        .into_iter()
        .filter_map(|path| Some(SkillFileChange { path: path.clone(), change: fate(path)? }));
    changes.collect()
}

/// Folders with a SKILL.md, each with a slash at its end; those inside another belong to it.
fn skill_folders(files: &Files) -> Vec<String> {
    let mut folders: Vec<String> = files
        .keys()
        .filter_map(|path| {
            let at = path.rfind('/').map_or(0, |at| at + 1);
            path[at..].eq_ignore_ascii_case("skill.md").then(|| path[..at].to_owned())
        })
        .filter(|above| above.matches('/').count() <= MAX_DEPTH)
        .collect();
    folders.sort_by_key(String::len);
    let mut outer: Vec<String> = Vec::new();
    for folder in folders {
        if !outer.iter().any(|other| folder.starts_with(other.as_str())) {
            outer.push(folder);
        }
    }
    outer.sort();
    outer
}

fn offered(files: &Files, above: &str, source: &str) -> Result<Offered> {
    let own: Files = files
        .iter()
        .filter_map(|(path, item)| Some((path.strip_prefix(above)?.to_owned(), item.clone())))
        .collect();
    let folder = match above.trim_end_matches('/') {
        "" => source.to_owned(),
        path => last_part(path),
    };
    let file = own.iter().find(|(path, _)| path.eq_ignore_ascii_case("skill.md"));
    let bytes = file.map_or(&[][..], |(_, item)| item.bytes.as_slice());
    let unusable = |why: &str| InstallError::Unusable { name: shown(&folder), why: why.to_owned() };
    let (skill, _) = read_skill(bytes, &folder)
        .ok_or_else(|| unusable("its SKILL.md is empty or no UTF-8 text"))?;
    if let Some(why) = &skill.refusal {
        return Err(unusable(why));
    }
    let folder = names::folder_name(&skill.name, &folder)?;
    Ok(Offered { hash: parcel::hash(&own), folder, skill, files: own })
}

/// The last part of a path or address, without `.git`.
fn last_part(source: &str) -> String {
    let trimmed = source.trim_end_matches(['/', '\\', '#']);
    let last = trimmed.rsplit(['/', '\\', ':', '#']).next().unwrap_or(trimmed);
    last.strip_suffix(".git").unwrap_or(last).to_owned()
}
