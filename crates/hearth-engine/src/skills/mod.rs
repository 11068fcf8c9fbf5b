//! Skills in the engine: all sources followed, gates looked at, messages matched, what is active kept.
//!
//! Invariants: a changed SKILL.md counts from the next message; nothing is read again that has not changed;
//! what was read is kept in `<home>/skills.json`, which may be deleted. Absent here: what a message asks for
//! (`hearth_agent::skills`), what may run (the guard).

mod embedded;
mod machine;
mod matching;
pub(crate) mod prompt;
mod record;
mod scripts;
mod tasks;
pub(crate) mod turn;
mod vectors;

pub(crate) use scripts::extras;

use matching::PATIENCE;

use crate::engine::{Access, Inner};
use crate::settings::Settings;
use hearth_agent::skills::{Candidate, Indexed, Matcher};
use hearth_protocol::api::skills::{SkillOrigin, SkillRow, SkillSource};
use hearth_protocol::{ErrorCode, WireError};
use hearth_workspace::skills::{
    Found, Machine, Programs, SkillRoot, Skills, gate, gate_of_message, origin,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vectors::Vectors;

/// What was read of all skills, for the next process.
const KEPT: &str = "skills.json";

/// The skills of an open home.
#[derive(Default)]
pub(crate) struct Skillset {
    files: Arc<Skills>,
    known: Mutex<Option<Arc<Known>>>,
    programs: Mutex<Option<Programs>>,
    pub(crate) vectors: Vectors,
}

/// Skills as of one look.
#[derive(Debug)]
pub(crate) struct Known {
    /// All of them, the first source first.
    pub(crate) found: Vec<Found>,
    /// Why each cannot be used; empty: it can.
    pub(crate) reasons: Vec<String>,
    /// The candidates' places in `found`.
    places: Vec<usize>,
    /// Prepared when the first message comes: lists do not need it.
    matcher: OnceLock<Matcher>,
}

impl Inner {
    /// The skills as they are now; only what changed is read.
    pub(crate) async fn skills(&self) -> Result<Arc<Known>, WireError> {
        let settings = self.settings.current();
        let roots = roots(self, &settings);
        let machine = self.skillset.machine(self, &settings).await;
        let files = Arc::clone(&self.skillset.files);
        let before = self.skillset.latest();
        let kept = self.home.root().join(KEPT);
        let keeps = self.access == Access::Own;
        let work = move || {
            if before.is_none() {
                files.take(&std::fs::read(&kept).unwrap_or_default());
            }
            let found = files.scan(&roots);
            files.keep_only(&found);
            if keeps && let Some(text) = files.kept() {
                // Derived: without it the next start reads all files again.
                if let Err(error) = write(&kept, &text) {
                    tracing::debug!(%error, "what was read of skills was not kept");
                }
            }
            let reasons: Vec<String> =
                found.iter().map(|one| gate(&one.skill, &machine).unwrap_or_default()).collect();
            match before.filter(|known| known.found == found && known.reasons == reasons) {
                Some(same) => same,
                None => Arc::new(Known::new(found, reasons)),
            }
        };
        let known = tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| WireError::new(ErrorCode::Internal, error.to_string(), ""))?;
        *self.skillset.known.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Arc::clone(&known));
        Ok(known)
    }
}

impl Skillset {
    /// The skills as of the last look, if there was one.
    pub(crate) fn latest(&self) -> Option<Arc<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn machine(&self, engine: &Inner, settings: &Settings) -> Machine {
        let kept = || self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept().clone();
        let (machine, programs) = machine::machine(engine, settings, before).await;
        *kept() = Some(programs);
        machine
    }
}

impl Known {
    fn new(found: Vec<Found>, reasons: Vec<String>) -> Self {
        let places: Vec<usize> = (0..found.len()).filter(|at| reasons[*at].is_empty()).collect();
        Self { matcher: OnceLock::new(), places, found, reasons }
    }

    /// The skills that can be used, prepared for messages.
    pub(crate) fn matcher(&self) -> &Matcher {
        self.matcher.get_or_init(|| {
            let candidate = |at: &usize| {
                let Found { skill, source, .. } = &self.found[*at];
                Candidate {
                    name: skill.name.clone(),
                    description: skill.description.clone(),
                    triggers: skill.triggers.clone(),
                    by_model: skill.model_invocable,
                    by_user: skill.user_invocable,
                    bundled: *source == SkillSource::Bundled,
                }
            };
            Matcher::new(self.places.iter().map(candidate).collect())
        })
    }

    /// The skill of a candidate.
    pub(crate) fn candidate(&self, at: usize) -> &Found {
        &self.found[self.places[at]]
    }

    /// Why candidates are not for messages of the owner by a channel, by their places.
    pub(crate) fn barred(&self, channel: &str) -> BTreeMap<usize, String> {
        let why = |(at, place): (usize, &usize)| {
            Some((at, gate_of_message(&self.found[*place].skill, channel, "")?))
        };
        self.places.iter().enumerate().filter_map(why).collect()
    }

    /// The usable skill of a name, whatever its case.
    pub(crate) fn usable(&self, name: &str) -> Option<&Found> {
        let name = name.trim().to_lowercase();
        let mut places = self.places.iter().map(|at| &self.found[*at]);
        places.find(|one| one.skill.name.to_lowercase() == name)
    }

    /// The first skill of a name and why it cannot be used.
    pub(crate) fn any(&self, name: &str) -> Option<(&Found, &str)> {
        let lower = name.trim().to_lowercase();
        let named = |(one, _): &(&Found, &String)| one.skill.name.to_lowercase() == lower;
        let all = || self.found.iter().zip(&self.reasons);
        let best = all().filter(named).find(|(_, reason)| reason.is_empty());
        best.or_else(|| all().find(named)).map(|(one, reason)| (one, reason.as_str()))
    }

    /// Whether the model may load any.
    pub(crate) fn has_loadable(&self) -> bool {
        self.places.iter().any(|at| self.found[*at].skill.model_invocable)
    }

    /// Those that the model may load, for the index; without those barred, by their folded names.
    pub(crate) fn index(&self, barred: &BTreeMap<String, String>) -> Vec<Indexed> {
        let may = self.places.iter().map(|at| &self.found[*at]);
        may.filter(|one| one.skill.model_invocable)
            .filter(|one| !barred.contains_key(&one.skill.name.to_lowercase()))
            .map(|one| Indexed {
                name: one.skill.name.clone(),
                description: one.skill.description.clone(),
                rank: u8::from(!one.skill.always) * 8 + one.source as u8,
            })
            .collect()
    }

    /// Tokens of all usable bodies, about.
    pub(crate) fn all_tokens(&self) -> u64 {
        self.places.iter().map(|at| self.found[*at].skill.tokens).sum()
    }

    /// As lists show them.
    pub(crate) fn rows(&self, settings: &Settings) -> Vec<SkillRow> {
        self.found.iter().zip(&self.reasons).map(|(one, why)| row(one, why, settings)).collect()
    }
}

/// A skill as a list shows it.
pub(crate) fn row(one: &Found, reason: &str, settings: &Settings) -> SkillRow {
    let skill = &one.skill;
    let lower = skill.name.to_lowercase();
    SkillRow {
        name: skill.name.clone(),
        path: one.file.display().to_string(),
        source: one.source,
        eligible: reason.is_empty(),
        reason: reason.to_owned(),
        tokens: skill.tokens,
        description: skill.description.clone(),
        emoji: skill.emoji.clone(),
        version: skill.version.clone(),
        enabled: !settings.skills_disabled.iter().any(|name| name.to_lowercase() == lower),
        user_invocable: skill.user_invocable,
        model_invocable: skill.model_invocable,
        triggers: skill.triggers.clone(),
        requires: skill.requires.clone(),
        allowed_tools: skill.allowed_tools.clone(),
        scripts: skill.scripts.clone(),
        references: skill.references.clone(),
        uses: skill.uses.clone(),
        problems: skill.warnings.iter().map(|warning| warning.code().to_owned()).collect(),
        installed: installed(one),
    }
}

/// Where a skill was installed from; only those of the home and the workspace can be.
fn installed(one: &Found) -> Option<SkillOrigin> {
    let may = matches!(one.source, SkillSource::Home | SkillSource::Workspace);
    may.then(|| origin(&one.folder)).flatten()
}

/// All sources, the first wins.
fn roots(engine: &Inner, settings: &Settings) -> Vec<SkillRoot> {
    let workspace = engine.workspace.folder();
    let home = engine.home.root();
    let person = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let at = |source, folder: PathBuf| SkillRoot { source, folder };
    let mut roots = vec![
        at(SkillSource::Workspace, workspace.join("skills")),
        at(SkillSource::WorkspaceAgents, workspace.join(".agents/skills")),
    ];
    roots.extend(person.iter().map(|p| at(SkillSource::Personal, p.join(".agents/skills"))));
    roots.push(at(SkillSource::Home, home.join("skills")));
    roots.push(at(SkillSource::Bundled, home.join("bundled-skills")));
    for folder in &settings.skills_extra {
        let folder = match (folder.strip_prefix("~/"), &person) {
            (Some(rest), Some(person)) => person.join(rest),
            _ => workspace.join(folder),
        };
        roots.push(at(SkillSource::Extra, folder));
    }
    roots
}

fn write(path: &Path, text: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
    file.write_all(text)?;
    file.commit()
}
