//! Blocks with a trigger, and the entries of `tasks:`.
//!
//! A block is a run of `key: value` lines; a blank line, a heading or a list item ends it. `prompt` may go on
//! in the lines below it; a line there that looks like a key which Hearth does not know is a problem and no
//! part of the prompt, unless it is indented.

use super::free::unlisted;
use super::lines::{Line, trim};
use super::{Item, named};
use hearth_protocol::api::heartbeat::{ItemKind, JobAction, MissedPolicy};
use hearth_schedule::{NEAREST, Schedule, Tz, span};
use std::collections::HashMap;

/// The keys that Hearth knows, each with the names it goes by.
const KEYS: [(Key, &[&str]); 8] = [
    (Key::Name, &["name"]),
    (Key::Trigger, &["trigger"]),
    (Key::Interval, &["interval"]),
    (Key::Action, &["action"]),
    (Key::Prompt, &["prompt"]),
    (Key::Skill, &["skill"]),
    (Key::Zone, &["zone", "time_zone", "timezone"]),
    (Key::Missed, &["missed"]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Name,
    Trigger,
    Interval,
    Action,
    Prompt,
    Skill,
    Zone,
    Missed,
}

/// An item before its values are understood.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    pub(super) line: u32,
    task: bool,
    heading: String,
    values: HashMap<Key, (u32, String)>,
    /// What is wrong with it, by line.
    pub(super) faults: Vec<(u32, String)>,
    /// What is odd about it and does not keep it from running, by line.
    pub(super) oddities: Vec<(u32, String)>,
    /// How far its keys are indented.
    column: usize,
}

/// Takes blocks and tasks out; what is left are the free lines.
pub(super) fn take(lines: &[Line]) -> (Vec<Raw>, Vec<Line>) {
    let mut taker = Taker::default();
    let mut index = 0;
    while index < lines.len() {
        index = taker.step(lines, index);
    }
    (taker.found, taker.rest)
}

#[derive(Default)]
struct Taker {
    found: Vec<Raw>,
    rest: Vec<Line>,
    /// The heading that the next block stands right under.
    heading: String,
}

impl Taker {
    /// Takes what begins at a line; returns the line behind it.
    fn step(&mut self, lines: &[Line], index: usize) -> usize {
        let line = &lines[index];
        if is_tasks(line) {
            self.heading.clear();
            return self.tasks(lines, index + 1);
        }
        if let Some(end) = block_end(lines, index) {
            let group = &lines[index..end];
            if is_block(group) {
                self.block(group);
                self.heading.clear();
                return end;
            }
        }
        if let Some(heading) = line.heading() {
            heading.clone_into(&mut self.heading);
        } else if !line.is_blank() {
            self.heading.clear();
        }
        self.rest.push(line.clone());
        index + 1
    }

    fn block(&mut self, group: &[Line]) {
        let begin = |line: &Line, heading: &str| Raw {
            line: line.number,
            heading: heading.to_owned(),
            column: line.indent() + line.mark(),
            ..Raw::default()
        };
        let Some(first) = group.first() else { return };
        let mut raw = begin(first, &self.heading);
        let mut open = None;
        for line in group {
            match pair(line) {
                Some((key, value)) => {
                    // Two blocks without a blank line between them.
                    if key == Key::Trigger && raw.has(Key::Trigger) && raw.is_whole() {
                        self.found.push(std::mem::replace(&mut raw, begin(line, "")));
                    }
                    raw.put(key, value, line.number);
                    open = Some(key);
                }
                None => raw.other(open, line),
            }
        }
        self.found.push(raw);
    }

    fn tasks(&mut self, lines: &[Line], from: usize) -> usize {
        let mut index = from;
        let mut raw: Option<Raw> = None;
        let mut open = None;
        while let Some(line) = lines.get(index) {
            let begins = unlisted(line.trimmed()).is_some();
            match pair(line) {
                Some((key, value)) if begins || line.indent() > 0 => {
                    if begins || raw.is_none() {
                        self.found.extend(raw.take());
                        let column = line.indent() + line.mark();
                        let line = line.number;
                        raw = Some(Raw { line, task: true, column, ..Raw::default() });
                    }
                    if let Some(raw) = &mut raw {
                        raw.put(key, value, line.number);
                    }
                    open = Some(key);
                }
                _ if line.is_blank() && is_task_line(next_said(lines, index)) => {}
                _ if !line.is_blank() && line.indent() > 0 && !begins => {
                    if let Some(raw) = &mut raw {
                        raw.other(open, line);
                    }
                }
                _ => break,
            }
            index += 1;
        }
        self.found.extend(raw);
        index
    }
}

fn next_said(lines: &[Line], from: usize) -> Option<&Line> {
    lines[from..].iter().find(|line| !line.is_blank())
}

/// Whether a line behind a blank one still belongs to `tasks:`.
fn is_task_line(line: Option<&Line>) -> bool {
    line.is_some_and(|line| {
        pair(line).is_some_and(|(key, _)| key != Key::Trigger)
            && (line.indent() > 0 || unlisted(line.trimmed()).is_some())
    })
}

fn is_tasks(line: &Line) -> bool {
    let text = line.trimmed().to_lowercase();
    let rest = text.strip_prefix("tasks").map(str::trim_start);
    rest.is_some_and(|rest| matches!(rest.replace(' ', "").as_str(), ":" | "：" | ":[]" | ":null"))
}

/// `key: value` of a key that Hearth knows, behind a list mark or in bold.
fn pair(line: &Line) -> Option<(Key, String)> {
    let text = line.trimmed();
    let text = unlisted(text).unwrap_or(text);
    let (name, value) = text.split_once([':', '：'])?;
    let name = name.trim().trim_matches(['*', '_', '`']).to_lowercase();
    let (key, _) = KEYS.iter().find(|(_, names)| names.contains(&name.as_str()))?;
    let value = trim(value.trim_start_matches("**"));
    Some((*key, unquoted(value).to_owned()))
}

fn unquoted(value: &str) -> &str {
    let marks = ["\"", "'", "`"];
    let inner = marks.iter().find_map(|mark| value.strip_prefix(mark)?.strip_suffix(mark));
    inner.unwrap_or(value)
}

/// The word before the colon of a line that looks like a key and is none that Hearth knows.
fn unknown_key(line: &Line) -> Option<&str> {
    let (word, value) = line.trimmed().split_once(':')?;
    let is_word = word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'));
    let apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (is_word && apart && pair(line).is_none()).then_some(word)
}

/// Where a run of keys that begins at a line ends; none where no key begins there.
fn block_end(lines: &[Line], from: usize) -> Option<usize> {
    // Keys that Hearth does not know may stand before those that it does.
    let unknown = lines[from..].iter().take_while(|line| unknown_key(line).is_some()).count();
    let from = from + unknown;
    let first =
        lines.get(from).filter(|line| unknown == 0 || unlisted(line.trimmed()).is_none())?;
    pair(first)?;
    let mut end = from + 1;
    // A block scalar goes on over blank lines as long as what follows is indented.
    let mut scalar = is_scalar(&lines[from]);
    while let Some(line) = lines.get(end) {
        let goes_on = match pair(line) {
            // A list item with a trigger is a block of its own.
            Some((Key::Trigger, _)) => unlisted(line.trimmed()).is_none(),
            Some(_) => true,
            None if line.is_blank() => {
                scalar
                    && next_said(lines, end)
                        .is_some_and(|next| next.indent() > 0 && pair(next).is_none())
            }
            None => {
                line.heading().is_none()
                    && unlisted(line.trimmed()).is_none_or(|_| line.indent() > 0)
            }
        };
        if !goes_on || is_tasks(line) {
            break;
        }
        if pair(line).is_some() {
            scalar = is_scalar(line);
        }
        end += 1;
    }
    Some(end)
}

fn is_scalar(line: &Line) -> bool {
    pair(line).is_some_and(|(_, value)| matches!(value.as_str(), "|" | ">" | "|-" | ">-"))
}

/// A run of keys is a block where it has a trigger, or an action that Hearth knows beside a prompt.
fn is_block(group: &[Line]) -> bool {
    let pairs: Vec<(Key, String)> = group.iter().filter_map(pair).collect();
    let has = |wanted: Key| pairs.iter().any(|(key, _)| *key == wanted);
    let acts = pairs.iter().any(|(key, value)| *key == Key::Action && action(value).is_some());
    has(Key::Trigger) || acts && pairs.len() > 1
}

impl Raw {
    fn has(&self, key: Key) -> bool {
        self.values.contains_key(&key)
    }

    fn is_whole(&self) -> bool {
        self.has(Key::Prompt) || self.has(Key::Action)
    }

    fn put(&mut self, key: Key, value: String, line: u32) {
        if self.has(key) {
            let name =
                KEYS.iter().find(|(known, _)| *known == key).map_or("", |(_, names)| names[0]);
            let why = format!(
                "`{name}:` stands here twice: keep one, or put a blank line between two blocks."
            );
            self.fault(line, why);
            return;
        }
        self.values.insert(key, (line, value));
    }

    /// A line without a key that Hearth knows.
    fn other(&mut self, open: Option<Key>, line: &Line) {
        match unknown_key(line).filter(|_| line.indent() <= self.column) {
            Some(word) => {
                let why = format!(
                    "`{word}:` is no key that Hearth knows: it is left out. Indent the line if it belongs to \
                     the prompt."
                );
                self.oddities.push((line.number, why));
            }
            None => self.go_on(open, line),
        }
    }

    /// A line that goes on with the value above it.
    fn go_on(&mut self, open: Option<Key>, line: &Line) {
        let Some((_, value)) = open.and_then(|key| self.values.get_mut(&key)) else { return };
        if matches!(value.as_str(), "|" | ">" | "|-" | ">-") {
            value.clear();
        }
        if !value.is_empty() {
            value.push('\n');
        }
        value.push_str(line.trimmed());
    }

    /// Notes what is wrong.
    pub(super) fn fault(&mut self, line: u32, why: impl Into<String>) {
        self.faults.push((line, why.into()));
    }

    fn value(&self, key: Key) -> Option<(u32, String)> {
        self.values.get(&key).cloned()
    }

    /// Understands the values.
    pub(super) fn item(&mut self, used: &mut HashMap<String, u32>) -> Item {
        let (trigger, schedule) = if self.task { self.interval() } else { self.trigger() };
        let (action, text) = self.what();
        let zone = self.zone();
        let missed = self.missed();
        self.pace(schedule.as_ref(), action);
        let name = [self.value(Key::Name).map(|(_, name)| name), Some(self.heading.clone())];
        let name = name.into_iter().flatten().find(|name| !name.trim().is_empty());
        let seed = name.clone().unwrap_or_else(|| format!("{trigger}|{action:?}|{text}"));
        let kind = if self.task { ItemKind::Task } else { ItemKind::Block };
        let error = self.faults.first().map(|(_, why)| why.clone());
        Item {
            id: id(kind, &seed, used),
            name: name.unwrap_or_else(|| named(&text)),
            kind,
            line: self.line,
            trigger_line: self.value(Key::Trigger).map_or(self.line, |(line, _)| line),
            trigger,
            schedule: schedule.filter(|_| error.is_none()),
            action,
            text,
            zone,
            missed,
            error,
        }
    }

    /// What asks a model more than once a minute never runs.
    fn pace(&mut self, schedule: Option<&Schedule>, action: JobAction) {
        let nearest = schedule.and_then(Schedule::nearest);
        if action == JobAction::ConsolidateMemory || nearest.is_none_or(|apart| apart >= NEAREST) {
            return;
        }
        let key = if self.task { Key::Interval } else { Key::Trigger };
        let Some((line, value)) = self.value(key) else { return };
        self.fault(
            line,
            format!("`{value}` would ask a model more than once a minute: leave a minute or more."),
        );
    }

    fn trigger(&mut self) -> (String, Option<Schedule>) {
        let Some((line, value)) = self.value(Key::Trigger) else {
            self.fault(self.line, "This block has no `trigger:`, so it never runs.");
            return (String::new(), None);
        };
        let value = value.split(" #").next().unwrap_or_default().trim().to_owned();
        match Schedule::parse(&value) {
            Ok(schedule) => (value, Some(schedule)),
            Err(fault) => {
                self.fault(line, format!("`trigger: {value}`: {fault}."));
                (value, None)
            }
        }
    }

    fn interval(&mut self) -> (String, Option<Schedule>) {
        let Some((line, value)) = self.value(Key::Interval) else {
            self.fault(self.line, "This task has no `interval:` such as 30m, so it never runs.");
            return (String::new(), None);
        };
        match span(&value) {
            Some(seconds) => (format!("every {value}"), Some(Schedule::every(seconds))),
            None => {
                let why =
                    format!("`interval: {value}` is no length of time such as 30m, 2h or 1d.");
                self.fault(line, why);
                (value, None)
            }
        }
    }

    fn what(&mut self) -> (JobAction, String) {
        let prompt = self.value(Key::Prompt).map(|(_, prompt)| prompt).unwrap_or_default();
        let skill = self.value(Key::Skill).map(|(_, skill)| skill);
        let (line, written) = self.value(Key::Action).unwrap_or((self.line, String::new()));
        let Some((action, named)) = action(&written) else {
            self.fault(
                line,
                format!(
                    "`action: {written}` is unknown: write send_message, run_turn, run_skill or \
                     consolidate_memory."
                ),
            );
            return (JobAction::SendMessage, prompt);
        };
        let text = match action {
            JobAction::RunSkill => match skill.or(named) {
                Some(name) => crate::heartbeat::skill_text(&name, &prompt),
                // The prompt of a skill is its name, where nothing else names one.
                None if is_skill_name(&prompt) => prompt,
                None => String::new(),
            },
            _ => prompt,
        };
        if text.trim().is_empty() && action != JobAction::ConsolidateMemory {
            let what = if action == JobAction::RunSkill { "skill" } else { "prompt" };
            self.fault(
                self.line,
                format!("There is no `{what}:` here, so there is nothing to do."),
            );
        }
        (action, text)
    }

    fn zone(&mut self) -> Option<Tz> {
        let (line, name) = self.value(Key::Zone)?;
        let zone = name.parse().ok();
        if zone.is_none() {
            self.fault(
                line,
                format!("There is no time zone {name:?}; they are named like Europe/Berlin."),
            );
        }
        zone
    }

    fn missed(&mut self) -> Option<MissedPolicy> {
        let (line, word) = self.value(Key::Missed)?;
        match word.to_lowercase().replace(['_', '-'], " ").as_str() {
            "run once" | "run" => Some(MissedPolicy::RunOnce),
            "skip" => Some(MissedPolicy::Skip),
            "ask" => Some(MissedPolicy::Ask),
            _ => {
                self.fault(
                    line,
                    format!("`missed: {word}` is unknown: write run_once, skip or ask."),
                );
                None
            }
        }
    }
}

/// Whether a text is one word as skills are named.
fn is_skill_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        && text.starts_with(char::is_alphanumeric)
}

/// An action by its name; `run_skill NAME` names the skill too. None written: a message.
fn action(written: &str) -> Option<(JobAction, Option<String>)> {
    let written = written.split(" #").next().unwrap_or_default().trim();
    let (word, rest) = written.split_once([' ', ':']).unwrap_or((written, ""));
    let rest = rest.trim();
    let action = match word.to_lowercase().replace('-', "_").as_str() {
        "" | "send_message" => JobAction::SendMessage,
        "run_turn" => JobAction::RunTurn,
        "run_skill" => JobAction::RunSkill,
        "consolidate_memory" => JobAction::ConsolidateMemory,
        _ => return None,
    };
    let skill = (!rest.is_empty()).then(|| unquoted(rest).to_owned());
    (skill.is_none() || action == JobAction::RunSkill).then_some((action, skill))
}

/// One word a name; a second one of the same name has its number behind it.
fn id(kind: ItemKind, seed: &str, used: &mut HashMap<String, u32>) -> String {
    let kind = if kind == ItemKind::Task { "task" } else { "block" };
    let hash = blake3::hash(seed.trim().to_lowercase().as_bytes()).to_hex();
    let id = format!("{kind}-{}", &hash[..10]);
    let count = used.entry(id.clone()).or_default();
    *count += 1;
    match *count {
        1 => id,
        more => format!("{id}-{more}"),
    }
}
