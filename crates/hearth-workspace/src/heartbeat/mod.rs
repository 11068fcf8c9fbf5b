//! HEARTBEAT.md: a free checklist, blocks with a trigger, and `tasks:` entries, mixed.
//!
//! Invariants: any text is accepted; what cannot be understood is an item with an error and its line, and
//! never runs; comments, headings, done and empty items are nothing to do, so that a file without anything to
//! do has no item. Absent here: when it is time, and what a beat does.

mod blocks;
mod free;
mod lines;
mod markup;
mod placeholder;

use hearth_protocol::api::files::FileProblem;
use hearth_protocol::api::heartbeat::{ItemKind, JobAction, MissedPolicy};
use hearth_schedule::{Schedule, Tz};
use std::collections::HashMap;

/// More blocks and tasks than this are a mistake.
const MOST: usize = 200;
/// Characters of a name made of a prompt.
const NAME: usize = 40;

/// Something to do, as the file says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Stable while its name stays; for an item without one, while its words stay.
    pub id: String,
    /// For people.
    pub name: String,
    /// Which form it has.
    pub kind: ItemKind,
    /// Where it begins, from 1.
    pub line: u32,
    /// Where its trigger stands.
    pub trigger_line: u32,
    /// As written; empty for the checklist, which follows the settings.
    pub trigger: String,
    /// When it is time; none for the checklist and where it cannot be read.
    pub schedule: Option<Schedule>,
    /// What it does.
    pub action: JobAction,
    /// What it asks for; for a skill its name, and on the next lines what it is asked ([`skill_of`]).
    pub text: String,
    /// The zone it names, if any.
    pub zone: Option<Tz>,
    /// What becomes of missed slots, where it says so.
    pub missed: Option<MissedPolicy>,
    /// What cannot be read; then it never runs.
    pub error: Option<String>,
}

/// What of HEARTBEAT.md is to be done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heartbeat {
    /// In the order of the file; the checklist first.
    pub items: Vec<Item>,
    /// What cannot be read or is not known, by line.
    pub problems: Vec<FileProblem>,
}

impl Heartbeat {
    /// Nothing to do: no model is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.items.iter().any(|item| item.error.is_none())
    }

    /// Items whose one time is past.
    #[must_use]
    pub fn past(&self, now: i64, zone: Tz) -> Vec<FileProblem> {
        let is_past = |item: &&Item| {
            let schedule = item.schedule.as_ref().filter(|schedule| schedule.is_once());
            schedule.is_some_and(|at| at.next_after(now, now, item.zone.unwrap_or(zone)).is_none())
        };
        let problem = |item: &Item| FileProblem {
            line: item.trigger_line,
            message: format!("`trigger: {}` is past: it does not come again.", item.trigger),
        };
        self.items.iter().filter(is_past).map(problem).collect()
    }
}

/// The text of an item that runs a skill: its name, and what it is asked.
pub(crate) fn skill_text(name: &str, asked: &str) -> String {
    format!("{}\n{}", name.trim(), asked.trim()).trim().to_owned()
}

/// The name of the skill that an item or a job runs, and what it is asked.
#[must_use]
pub fn skill_of(text: &str) -> (&str, &str) {
    let (name, asked) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    (name.trim(), asked.trim())
}

/// Reads HEARTBEAT.md.
#[must_use]
pub fn heartbeat(text: &str) -> Heartbeat {
    let lines = lines::of(text);
    let (mut found, rest) = blocks::take(&lines);
    if found.len() > MOST {
        let first = &mut found[MOST];
        let why = format!("There are more than {MOST} items: this one and those below never run.");
        first.fault(first.line, why);
        found.truncate(MOST + 1);
    }
    let mut heartbeat = Heartbeat::default();
    heartbeat.items.extend(free::checklist(&rest));
    let mut used = HashMap::new();
    for mut raw in found {
        heartbeat.items.push(raw.item(&mut used));
        let problem = |(line, message)| FileProblem { line, message };
        heartbeat.problems.extend(raw.faults.into_iter().chain(raw.oddities).map(problem));
    }
    heartbeat.problems.sort_by_key(|problem| problem.line);
    heartbeat
}

/// The beginning of a text as a name.
fn named(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(NAME) {
        None => words,
        Some((at, _)) => format!("{}…", &words[..at]),
    }
}

#[cfg(test)]
mod tests;
