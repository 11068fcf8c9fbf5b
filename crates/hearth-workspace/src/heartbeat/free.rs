//! The free lines: which of them say something to do.

use super::lines::{Line, trim};
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
    let Some(next) = lines.get(index + 1).map(Line::trimmed) else { return false };
    let underline = next.len() >= 2 && next.bytes().all(|byte| byte == b'=');
    underline || is_table_rule(next) && lines[index].trimmed().contains('|')
}

fn is_table_rule(text: &str) -> bool {
    text.contains('|') && text.contains('-') && text.chars().all(|c| "|-: ".contains(c))
}

/// Whether a line, taken alone, is something to do.
fn says_something(line: &Line) -> bool {
    if line.heading().is_some() {
        return false;
    }
    let mut text = trim(&line.text);
    while let Some(inner) = text.strip_prefix('>') {
        text = trim(inner);
    }
    let item = unlisted(text);
    let text = item.unwrap_or(text);
    if let Some((done, rest)) = boxed(text) {
        return !done && !is_nothing(rest);
    }
    !is_nothing(text)
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
        "" | " " => Some((false, trim(rest))),
        "x" | "X" => Some((true, trim(rest))),
        _ => None,
    }
}

fn is_nothing(text: &str) -> bool {
    let text = untagged(text);
    let text = trim(&text);
    let rule = |mark: char| {
        text.chars().filter(|c| *c == mark).count() >= 3
            && text.chars().all(|c| c == mark || c == ' ')
    };
    let underline = text.len() >= 2 && text.bytes().all(|byte| byte == b'=');
    text.is_empty()
        || ['-', '*', '_'].into_iter().any(rule)
        || underline
        || is_table_rule(text)
        || text.starts_with("[//]:")
        || text == "![]()"
        || is_placeholder(text)
}

/// `_(write here …)_`: italics around brackets.
fn is_placeholder(text: &str) -> bool {
    let inner = text.trim_matches(['_', '*']);
    inner.len() < text.len()
        && text.starts_with(['_', '*'])
        && text.ends_with(['_', '*'])
        && (inner.starts_with('(') && inner.ends_with(')')
            || inner.starts_with('（') && inner.ends_with('）'))
}

/// The text without HTML tags.
fn untagged(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        let after = &rest[start + 1..];
        let name = after.strip_prefix('/').unwrap_or(after);
        let Some(end) =
            after.find('>').filter(|_| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        else {
            out.push_str(&rest[..=start]);
            rest = after;
            continue;
        };
        out.push_str(&rest[..start]);
        rest = &after[end + 1..];
    }
    out + rest
}
