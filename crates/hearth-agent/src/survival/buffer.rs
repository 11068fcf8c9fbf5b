//! memory/working-buffer.md: what was said since 60 % of the window, in the section of its session.
//!
//! Invariants: a section holds at most [`MOST_CHARS`] characters, the newest exchanges; after a compaction it
//! stands until the window fills again, then it begins anew. A message cannot break out of its exchange: each
//! of its lines is quoted.

use crate::TokenCounter;
use crate::compaction::clipped;
use hearth_protocol::{Message, Role};
use std::fmt::Write;

/// Characters of a session's exchanges.
pub const MOST_CHARS: usize = 16_000;
/// How the file begins.
pub const TITLE: &str = "# Working buffer\n\nWhat was said while a conversation's window filled up, so that \
nothing is lost when it is compacted. One section a conversation.";
/// Characters of what the person said, and of the reply's short form.
const SAID_CHARS: usize = 1_500;
const REPLY_CHARS: usize = 240;
const COMPACTED: &str = "<!-- compacted -->";

/// A message and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Local date and time.
    pub at: String,
    /// What the person said.
    pub said: String,
    /// The reply; shortened when written.
    pub reply: String,
}

/// A section with one more exchange.
#[must_use]
pub fn appended(section: &str, exchange: &Exchange) -> String {
    let begun = if section.contains(COMPACTED) { "" } else { section };
    let mut entries = entries(begun);
    entries.push(show(exchange));
    let mut chars: usize = entries.iter().map(|entry| entry.chars().count()).sum();
    while chars > MOST_CHARS && entries.len() > 1 {
        chars -= entries.remove(0).chars().count();
    }
    entries.concat().trim_end().to_owned()
}

/// A section after a compaction: it is read until the window fills again.
#[must_use]
pub fn compacted(section: &str) -> String {
    if section.trim().is_empty() || section.contains(COMPACTED) {
        return section.to_owned();
    }
    format!("{}\n{COMPACTED}", section.trim_end())
}

/// Whether a compaction passed since the section was written.
#[must_use]
pub fn is_compacted(section: &str) -> bool {
    section.contains(COMPACTED)
}

/// What of a section a prompt carries within so many tokens: the newest exchanges which the messages in the
/// window do not show.
#[must_use]
pub fn chosen(
    section: &str,
    window: &[Message],
    tokens: u64,
    counter: &dyn TokenCounter,
) -> String {
    let in_window: Vec<String> = window
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| quoted(&message.joined_text()))
        .collect();
    let mut left = tokens;
    let mut kept = Vec::new();
    for entry in entries(section).into_iter().rev() {
        if in_window.iter().any(|said| entry.contains(said.as_str())) {
            continue;
        }
        let size = counter.count(&entry);
        if size > left {
            break;
        }
        left -= size;
        kept.push(entry);
    }
    kept.reverse();
    kept.concat().trim_end().to_owned()
}

/// A section without the exchanges that hold a text.
#[must_use]
pub fn forgotten(section: &str, text: &str) -> String {
    let gone = text.trim().to_lowercase();
    let kept = entries(section)
        .into_iter()
        .filter(|entry| gone.is_empty() || !unquoted(entry).to_lowercase().contains(&gone));
    let mark = if is_compacted(section) { COMPACTED } else { "" };
    let kept: String = kept.collect();
    if kept.trim().is_empty() { String::new() } else { format!("{}\n{mark}", kept.trim_end()) }
        .trim_end()
        .to_owned()
}

fn show(exchange: &Exchange) -> String {
    let mut text = format!("- {}\n{}", exchange.at, quoted(&exchange.said));
    let reply = exchange.reply.split_whitespace().collect::<Vec<_>>().join(" ");
    if !reply.is_empty() {
        let _ = writeln!(text, "  Reply: {}", clipped(&reply, REPLY_CHARS));
    }
    text
}

fn quoted(said: &str) -> String {
    let said = clipped(said.trim(), SAID_CHARS);
    said.lines().map(|line| format!("  > {line}\n")).collect()
}

fn unquoted(entry: &str) -> String {
    let line = |line: &str| line.trim_start().trim_start_matches("> ").to_owned();
    entry.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The exchanges of a section, as they stand.
fn entries(section: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in section.lines().filter(|line| *line != COMPACTED) {
        match entries.last_mut().filter(|_| !line.starts_with("- ")) {
            Some(entry) => {
                entry.push_str(line);
                entry.push('\n');
            }
            None if line.trim().is_empty() => {}
            None => entries.push(format!("{line}\n")),
        }
    }
    entries
}
