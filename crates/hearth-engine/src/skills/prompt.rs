//! What a prompt carries of skills: the index, those near to the message, and what is active.
//!
//! Invariant: the index is the same for every message while the skills are the same.

use super::Known;
use super::record::Loaded;
use super::turn::{TurnSkills, shell_word};
use crate::catalogue::rough_counter;
use crate::engine::Inner;
use hearth_agent::TokenCounter;
use hearth_agent::prompt::{Section, Slot};
use hearth_agent::skills::{INDEX_TOKENS, index_text, nearest_text, small_index_text};
use hearth_protocol::WireError;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Longer bodies are cut; the rest can be read as a reference.
const BODY_CHARS: usize = 24_000;
const NEAREST: usize = 3;
/// Below this share of the threshold a skill is not near.
const NEAR: f64 = 0.5;

/// How much the index says of each skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Its name: in a small prompt.
    Names,
    /// Name and purpose.
    Lines,
}

/// The index of skills; none where there are none. What it says is chosen by a count that never learns: the text
/// stands above the cache boundary.
fn index(known: &Known, barred: &BTreeMap<String, String>, width: Width) -> Option<Section> {
    let skills = known.index(barred);
    let counter = rough_counter();
    let text = match width {
        Width::Names => small_index_text(&skills, &*counter)?,
        Width::Lines => index_text(&skills, INDEX_TOKENS, &*counter)?,
    };
    let reason = format!("{} skills, their bodies not read", skills.len());
    Some(section(Slot::SkillIndex, "skills".to_owned(), text, reason, false))
}

impl Inner {
    /// The index as the next turn will have it.
    pub(crate) async fn skill_index(&self, width: Width) -> Result<Option<Section>, WireError> {
        Ok(index(&*self.skills().await?, &BTreeMap::new(), width))
    }
}

impl TurnSkills {
    /// The sections of this turn; no width: the turn has no skills but what it was given.
    pub(crate) fn sections(
        &self,
        width: Option<Width>,
        counter: &dyn TokenCounter,
    ) -> Vec<Section> {
        let mut state = self.lock();
        let mut sections = Vec::new();
        if let Some((known, width)) = state.known.clone().zip(width) {
            let index = index(&known, &state.barred, width);
            let text = index.as_ref().and_then(|section| section.text.as_deref());
            state.activity.index_tokens = text.map_or(0, |text| counter.count(text));
            sections.extend(index);
            let least = state.activity.decision.threshold * NEAR;
            let near: Vec<(&str, &str, f32)> = state
                .activity
                .decision
                .ranked
                .iter()
                .filter(|one| one.score >= least && one.score > 0.0)
                .filter(|one| !state.loaded.contains_key(&one.name))
                .filter_map(|one| {
                    let found = known.usable(&one.name)?;
                    Some((found.skill.name.as_str(), found.skill.description.as_str(), 0.0))
                })
                .take(NEAREST)
                .collect();
            if let Some(text) = nearest_text(&near) {
                let reason = "nearest to the message, not active".to_owned();
                sections.push(section(
                    Slot::NearestSkills,
                    "skills".to_owned(),
                    text,
                    reason,
                    false,
                ));
            }
        }
        for one in &state.ledger.active {
            if let Some(loaded) = state.loaded.get(&one.shown.name) {
                sections.push(active(loaded, &one.shown.reason));
            }
        }
        sections
    }
}

fn active(loaded: &Loaded, reason: &str) -> Section {
    let skill = &loaded.found.skill;
    let (body, is_cut) = match loaded.body.char_indices().nth(BODY_CHARS) {
        Some((end, _)) => (&loaded.body[..end], true),
        None => (loaded.body.as_str(), false),
    };
    let mut text = format!(
        "Instructions for this task, from the skill {name} in {folder}. They give no rights that you do not have. \
         Paths in them, such as scripts/ or references/, are relative to that folder, not to the workspace: in \
         commands write {word}/scripts/…, or give exec {folder} as its cwd.\n\n{body}\n",
        name = skill.name,
        folder = loaded.found.folder.display(),
        word = shell_word(&loaded.found.folder),
    );
    if is_cut {
        let file = loaded.found.file.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(text, "\n[… cut; skill_load with the reference {file} brings all of it]");
    }
    for (path, content) in &loaded.references {
        let _ = writeln!(text, "\n--- {path}\n{}", content.trim_end());
    }
    let unread: Vec<&str> = skill
        .references
        .iter()
        .map(String::as_str)
        .filter(|path| !loaded.references.iter().any(|(read, _)| read == path))
        .collect();
    if !unread.is_empty() {
        let _ =
            writeln!(text, "\nNot read yet, one at a time with skill_load: {}", unread.join(", "));
    }
    if !skill.uses.is_empty() {
        let _ =
            writeln!(text, "\nIt may use these skills, with skill_load: {}", skill.uses.join(", "));
    }
    if !skill.self_check.is_empty() {
        text.push_str(
            "\nWhen the task is done, end your reply with its self-check, each box ticked with what shows it, or \
             left open with what is missing:\n",
        );
        for item in &skill.self_check {
            let _ = writeln!(text, "- [ ] {item} — ");
        }
    }
    let source = format!("skill {}", skill.name);
    section(Slot::ActiveSkill, source, text, format!("active: {reason}"), is_cut)
}

fn section(slot: Slot, source: String, text: String, reason: String, truncated: bool) -> Section {
    Section {
        slot,
        source,
        raw_chars: text.chars().count() as u64,
        text: Some(text.into()),
        truncated,
        reason,
    }
}
