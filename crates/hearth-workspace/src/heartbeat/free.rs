//! The free lines: which of them say something to do.

use super::lines::{Line, trim};
use super::markup::{entities, is_reference, says, unlinked, untagged};
use super::placeholder::is_placeholder;
use super::{Item, named};
use hearth_protocol::api::heartbeat::{ItemKind, JobAction};

/// The checklist, if any line has something to do.
pub(super) fn checklist(lines: &[Line]) -> Option<Item> {
    let to_do: Vec<&Line> = lines
        .iter()
        .enumerate()
        .filter(|(index, line)| !is_head(lines, *index) && says_something(line))
        .map(|(_, line)| line)
        .collect();
    let first = to_do.first()?;
    let text = to_do.iter().map(|line| line.text.trim_end()).collect::<Vec<_>>().join("\n");
    Some(Item {
        id: "checklist".to_owned(),
        name: named(trim(&first.text).trim_start_matches(['-', '*', '+', '>', ' ', '[', ']'])),
        kind: ItemKind::Checklist,
        line: first.number,
        trigger_line: first.number,
        trigger: String::new(),
        schedule: None,
        action: JobAction::SendMessage,
        text,
        zone: None,
        missed: None,
        error: None,
    })
}

/// A heading underlined on the next line, or the head of a table.
fn is_head(lines: &[Line], index: usize) -> bool {
    let line = &lines[index];
    let Some(next) = lines.get(index + 1).filter(|next| next.number == line.number + 1) else {
        return false;
    };
    let ((depth, text), (below, rule)) = (unquoted(line.trimmed()), unquoted(next.trimmed()));
    if depth != below {
        return false;
    }
    let underlined = |mark: u8| rule.len() >= 2 && rule.bytes().all(|byte| byte == mark);
    let words = unlisted(text).is_none() && boxed(text).is_none();
    words && (underlined(b'=') || underlined(b'-') && is_title(lines, index, text))
        || is_table_rule(rule) && text.contains('|')
}

/// Whether what stands over `---` is a heading: one line of words, and no sentence. A rule under a task is a rule.
fn is_title(lines: &[Line], index: usize, text: &str) -> bool {
    let alone = index.checked_sub(1).is_none_or(|before| {
        let before = &lines[before];
        before.number + 1 < lines[index].number
            || before.heading().is_some()
            || !says_something(before)
    });
    alone && !text.ends_with(['.', '!', '?', '。', '！', '？', ';', '；', ','])
}

fn is_table_rule(text: &str) -> bool {
    text.contains('|') && text.contains('-') && text.chars().all(|c| "|-: ".contains(c))
}

/// How deep a line is quoted, and what stands there.
fn unquoted(text: &str) -> (usize, &str) {
    let (mut text, mut depth) = (trim(text), 0);
    while let Some(inner) = text.strip_prefix('>') {
        (text, depth) = (trim(inner), depth + 1);
    }
    (depth, text)
}

/// Whether a line, taken alone, is something to do.
fn says_something(line: &Line) -> bool {
    let (_, mut text) = unquoted(&line.text);
    // Lists and quotations may hold each other.
    while let Some(inner) = unlisted(text) {
        (_, text) = unquoted(inner);
    }
    if super::lines::heading(text).is_some() {
        return false;
    }
    match boxed(text) {
        Some((done, rest)) => !done && !is_nothing(rest),
        None => !is_nothing(text),
    }
}

/// What follows the mark of a list item, if the line is one.
pub(super) fn unlisted(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        _ => text[digits..].strip_prefix(['.', ')'])?,
    };
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| trim(rest))
}

/// Whether a box is ticked, and what follows it.
fn boxed(text: &str) -> Option<(bool, &str)> {
    let inner = text.strip_prefix('[')?;
    let (mark, rest) = inner.split_once(']')?;
    match mark {
        // `[](address)` is a link.
        "" if rest.starts_with('(') => None,
        "" | " " => Some((false, trim(rest))),
        "x" | "X" => Some((true, trim(rest))),
        _ => None,
    }
}

/// Markdown's structure alone: rules, empty cells, tags, links without words. And what only asks for tasks.
fn is_nothing(text: &str) -> bool {
    if is_reference(text) {
        return true;
    }
    let text = unlinked(&entities(&untagged(text)));
    !says(&text) || is_placeholder(trim(&text))
}
