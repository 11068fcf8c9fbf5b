//! One SKILL.md as it counts: fields, problems, what the body holds and what lies beside it.

use super::body::{self, Named};
use super::fields::{self, Fields};
use super::walk::{Beside, Place};
use super::warning::{Warning, Warnings};
use super::{front, lines, rough_tokens, text};
use hearth_protocol::api::skills::{SkillCheck, SkillRequires};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Larger files are refused.
const MAX_BYTES: u64 = 2 * 1024 * 1024;
const MAX_BODY_LINES: usize = 500;
const MAX_BODY_CHARS: usize = 15_000;

/// Everything about a skill but its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of the frontmatter")]
pub struct SkillFile {
    pub name: String,
    pub description: String,
    pub triggers: Vec<String>,
    pub requires: SkillRequires,
    /// No requirement keeps it away.
    pub always: bool,
    /// None: it does not narrow.
    pub allowed_tools: Option<Vec<String>>,
    pub user_invocable: bool,
    pub model_invocable: bool,
    pub uses: Vec<String>,
    pub version: Option<String>,
    pub license: Option<String>,
    pub homepage: Option<String>,
    pub emoji: Option<String>,
    pub primary_env: Option<String>,
    /// Variables or secrets that its scripts are given where they are there.
    pub optional_env: Vec<String>,
    pub skill_key: Option<String>,
    /// How what it requires could be installed, for people.
    pub hints: Vec<String>,
    pub self_check: Vec<String>,
    /// Paths within its folder.
    pub references: Vec<String>,
    /// Paths within its folder.
    pub scripts: Vec<String>,
    pub warnings: Vec<Warning>,
    /// If it cannot be used, why.
    pub refusal: Option<String>,
    /// About the tokens of its body.
    pub tokens: u64,
}

impl SkillFile {
    /// Whether it could be activated, were its requirements met.
    #[must_use]
    pub fn usable(&self) -> bool {
        self.refusal.is_none()
    }

    /// As `hearth skills check` shows it.
    #[must_use]
    pub fn check(&self, path: String) -> SkillCheck {
        SkillCheck {
            path,
            usable: self.usable(),
            name: self.name.clone(),
            description: self.description.clone(),
            triggers: self.triggers.clone(),
            requires: self.requires.clone(),
            allowed_tools: self.allowed_tools.clone(),
            warnings: self.warnings.iter().map(|warning| warning.code().to_owned()).collect(),
            self_check: self.self_check.clone(),
            references: self.references.clone(),
            uses: self.uses.clone(),
            version: self.version.clone(),
            scripts: self.scripts.clone(),
            user_invocable: self.user_invocable,
            model_invocable: self.model_invocable,
        }
    }
}

/// Reads one SKILL.md in its folder, whatever its bytes are.
#[must_use]
pub(super) fn read(place: &Place) -> SkillFile {
    let folder = place.folder.file_name().map(|n| n.to_string_lossy().into_owned());
    let folder = folder.unwrap_or_default();
    let mut warnings = Warnings::default();
    let name = place.file.file_name().unwrap_or_default();
    warnings.add_if(name != "SKILL.md", Warning::FileName);
    let bytes = match bytes(place) {
        Ok(bytes) => bytes,
        Err(why) => {
            warnings.add_if(why == Refused::TooBig, Warning::FileTooBig);
            warnings.add_if(why == Refused::Outside, Warning::ReferenceOutside);
            return refused(folder, &why.to_string(), warnings);
        }
    };
    let Some((file, _)) = parsed(&bytes, &folder, &mut warnings, Some(place)) else {
        let list = warnings.into_list();
        let why = list.iter().find_map(|w| w.refusal()).unwrap_or_default().to_owned();
        return SkillFile { warnings: list, ..refused(folder, &why, Warnings::default()) };
    };
    SkillFile { warnings: warnings.into_list(), ..file }
}

/// Reads a SKILL.md from its bytes: what counts, and the body. None: it cannot be used at all.
#[must_use]
pub fn read_skill(bytes: &[u8], folder: &str) -> Option<(SkillFile, String)> {
    let mut warnings = Warnings::default();
    let (file, body) = parsed(bytes, folder, &mut warnings, None)?;
    Some((SkillFile { warnings: warnings.into_list(), ..file }, body))
}

fn parsed(
    bytes: &[u8],
    folder: &str,
    warnings: &mut Warnings,
    place: Option<&Place>,
) -> Option<(SkillFile, String)> {
    let text = text::clean(bytes, warnings)?;
    if text.trim().is_empty() {
        warnings.add(Warning::FileEmpty);
        return None;
    }
    let parts = front::split(&text, warnings);
    let pairs = parts.front.as_deref().map(|front| lines::read(front, warnings));
    let body = parts.body.trim();
    let fields = fields::fields(&pairs.unwrap_or_default(), folder, body, warnings);
    let looked = body::look(body);
    warnings.add_if(body.is_empty(), Warning::BodyEmpty);
    warnings.add_if(looked.has_merge_markers, Warning::MergeMarkers);
    let is_long = body.lines().count() > MAX_BODY_LINES || body.chars().count() > MAX_BODY_CHARS;
    warnings.add_if(is_long, Warning::BodyLong);
    let (references, scripts) = match place {
        Some(place) => (references(&looked.named, place, warnings), scripts(&place.files)),
        None => (Vec::new(), Vec::new()),
    };
    let nothing = fields.description.is_empty() && body.is_empty();
    let refusal = nothing.then(|| "it has neither a description nor instructions".to_owned());
    let file = SkillFile {
        self_check: looked.self_check,
        references,
        scripts,
        refusal,
        tokens: rough_tokens(body),
        ..of(fields)
    };
    Some((file, body.to_owned()))
}

fn of(fields: Fields) -> SkillFile {
    SkillFile {
        name: fields.name,
        description: fields.description,
        triggers: fields.triggers,
        requires: fields.metadata.requires,
        always: fields.metadata.always,
        allowed_tools: fields.allowed_tools,
        user_invocable: fields.user_invocable,
        model_invocable: fields.model_invocable,
        uses: fields.uses,
        version: fields.version,
        license: fields.license,
        homepage: fields.homepage,
        emoji: fields.emoji,
        primary_env: fields.metadata.primary_env,
        optional_env: fields.metadata.optional_env,
        skill_key: fields.metadata.skill_key,
        hints: fields.metadata.hints,
        self_check: Vec::new(),
        references: Vec::new(),
        scripts: Vec::new(),
        warnings: Vec::new(),
        refusal: None,
        tokens: 0,
    }
}

fn refused(folder: String, why: &str, warnings: Warnings) -> SkillFile {
    let fields =
        Fields { name: folder, user_invocable: true, model_invocable: true, ..Fields::default() };
    SkillFile { warnings: warnings.into_list(), refusal: Some(why.to_owned()), ..of(fields) }
}

/// Why a file's bytes are not taken.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum Refused {
    #[error("its SKILL.md is larger than 2 MB")]
    TooBig,
    #[error("its SKILL.md is a link that leaves its folder")]
    Outside,
    #[error("its SKILL.md cannot be read: {0}")]
    Unreadable(String),
}

/// The bytes of a SKILL.md.
pub(super) fn bytes(place: &Place) -> Result<Vec<u8>, Refused> {
    if place.is_link && !stays_inside(&place.file, &place.folder) {
        return Err(Refused::Outside);
    }
    let unreadable = |error: std::io::Error| Refused::Unreadable(error.kind().to_string());
    // A pipe would be waited for, for ever.
    if !fs::metadata(&place.file).map_err(unreadable)?.is_file() {
        return Err(Refused::Unreadable("it is not a regular file".to_owned()));
    }
    let file = fs::File::open(&place.file).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES { Err(Refused::TooBig) } else { Ok(bytes) }
}

/// Whether a path, links followed, stays in a folder.
pub(super) fn stays_inside(path: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

/// Files that the body names and that are there.
fn references(named: &[Named], place: &Place, warnings: &mut Warnings) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for named in named {
        let Named::Inside { path, by_link } = named else {
            warnings.add(Warning::ReferenceOutside);
            continue;
        };
        let promised = *by_link || path.starts_with("references/") || path.starts_with("assets/");
        let beside = place.files.iter().find(|beside| beside.path == *path);
        let is_there = match beside {
            Some(beside) if beside.is_link => {
                let inside = stays_inside(&place.folder.join(path), &place.folder);
                warnings.add_if(!inside, Warning::ReferenceOutside);
                if !inside {
                    continue;
                }
                true
            }
            Some(_) => true,
            // Deeper, hidden, or a folder: rare enough to ask the disk.
            None if promised => {
                let there = place.folder.join(path);
                let inside = stays_inside(&there, &place.folder);
                warnings.add_if(!inside, Warning::ReferenceMissing);
                inside && there.is_file()
            }
            None => false,
        };
        let is_script = path.starts_with("scripts/");
        if is_there && !is_script && !found.contains(path) && !path.eq_ignore_ascii_case("skill.md")
        {
            found.push(path.clone());
        }
    }
    found
}

fn scripts(files: &[Beside]) -> Vec<String> {
    let scripts = files.iter().filter(|beside| beside.path.starts_with("scripts/"));
    scripts.map(|beside| beside.path.clone()).collect()
}
