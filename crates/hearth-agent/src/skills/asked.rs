//! Skills that a message names outright: `/skill NAME`, or words that a skill declares as its triggers.

use super::rank::Candidate;

/// What a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// `/skill NAME`, by the person.
    Command {
        /// The skill, by its place.
        at: usize,
        /// What follows the name.
        rest: String,
    },
    /// Triggers that stand in it, with the skill's place; the longest first.
    Triggers(Vec<(usize, String)>),
    /// None.
    Nothing,
}

impl Asked {
    /// Without the triggers of some skills. What the person asked for by name stays.
    pub(super) fn without(self, is_out: impl Fn(usize) -> bool) -> Self {
        let Self::Triggers(mut all) = self else { return self };
        all.retain(|(at, _)| !is_out(*at));
        if all.is_empty() { Self::Nothing } else { Self::Triggers(all) }
    }

    /// Why a skill is certain; none: it is not named.
    pub(super) fn why(&self, at: usize) -> Option<String> {
        match self {
            Self::Command { at: named, .. } => {
                (*named == at).then(|| "you asked for it".to_owned())
            }
            Self::Triggers(all) => {
                let found = all.iter().find(|(named, _)| *named == at);
                found.map(|(_, trigger)| format!("its trigger {trigger:?}"))
            }
            Self::Nothing => None,
        }
    }
}

/// Triggers that activate at once; more would be noise.
const MOST: usize = 2;

/// What a message names of these skills.
#[must_use]
pub fn asked(text: &str, skills: &[Candidate]) -> Asked {
    if let Some(rest) = crate::commands::skill_argument(text)
        && let Some((at, rest)) = named(rest, skills, |skill| skill.by_user)
    {
        return Asked::Command { at, rest: rest.to_owned() };
    }
    let text = text.to_lowercase();
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.by_model) {
        let mut triggers = skill.triggers.iter().filter(|trigger| stands_in(trigger, &text));
        if let Some(trigger) = triggers.next() {
            found.push((at, trigger.clone()));
        }
    }
    found.sort_by_key(|(at, trigger)| (std::cmp::Reverse(trigger.chars().count()), *at));
    found.truncate(MOST);
    if found.is_empty() { Asked::Nothing } else { Asked::Triggers(found) }
}

/// The skill that a job names, whoever else may name it.
pub(super) fn named_by_job(text: &str, skills: &[Candidate]) -> Option<usize> {
    let rest = crate::commands::skill_argument(text)?;
    named(rest, skills, |_| true).map(|(at, _)| at)
}

/// The skill whose name a text begins with, and what follows; the longest name wins.
fn named<'a>(
    text: &'a str,
    skills: &[Candidate],
    may: fn(&Candidate) -> bool,
) -> Option<(usize, &'a str)> {
    let lower = text.to_lowercase();
    let mut best: Option<(usize, usize)> = None;
    for (at, skill) in skills.iter().enumerate().filter(|(_, skill)| may(skill)) {
        let name = skill.name.to_lowercase();
        let ends = |rest: &str| {
            rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ':')
        };
        let fits = lower.strip_prefix(&name).is_some_and(ends) && lower.len() == text.len();
        if fits && best.is_none_or(|(_, length)| name.len() > length) {
            best = Some((at, name.len()));
        }
    }
    let (at, length) = best?;
    Some((at, text[length..].trim_start_matches(':').trim()))
}

/// Whether a trigger stands in a text as whole words; in scripts without spaces, anywhere.
fn stands_in(trigger: &str, text: &str) -> bool {
    let trigger = trigger.to_lowercase();
    if trigger.chars().count() < 2 {
        return false;
    }
    let is_letter = |c: char| c.is_alphanumeric() && c < '\u{2e80}';
    text.match_indices(&trigger).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        let cuts = |outside: Option<char>, inside: Option<char>| {
            outside.is_some_and(is_letter) && inside.is_some_and(is_letter)
        };
        !cuts(before, found.chars().next()) && !cuts(after, found.chars().next_back())
    })
}
