//! The markup around the token of a reply.

use super::reply::{is_blank, says};
use std::ops::Range;

/// Marks that stand on both sides of what they hold.
const PAIRS: [(char, char); 13] = [
    ('*', '*'),
    ('_', '_'),
    ('~', '~'),
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('(', ')'),
    ('（', '）'),
    ('[', ']'),
    ('【', '】'),
];

/// The line, or the lines, that a piece of text stands in.
pub(super) fn line_of(text: &str, from: usize, to: usize) -> Range<usize> {
    let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
    start..end
}

/// What goes with the token: a line without other words whole; else the marks and tags around it, and the stop
/// behind it at a line's end.
pub(super) fn held(text: &str, from: usize, to: usize) -> Range<usize> {
    let line = line_of(text, from, to);
    if !says(&markless(&text[line.start..from])) && !says(&markless(&text[to..line.end])) {
        return line;
    }
    let (mut from, mut to) = (from, to);
    while let Some(wider) = wider(text, from, to) {
        (from, to) = (wider.start, wider.end);
    }
    let rest = &text[to..line.end];
    let stops = |c: char| is_blank(c) || matches!(c, '.' | '!' | '。' | '！' | '…' | ',' | '，');
    if !rest.is_empty() && rest.trim_matches(stops).is_empty() {
        to = line.end;
    }
    from..to
}

/// One pair of marks, or of tags, more.
fn wider(text: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let (before, after) = (&text[..from], &text[to..]);
    let (open, close) = (before.chars().next_back()?, after.chars().next()?);
    if PAIRS.contains(&(open, close)) {
        return Some(from - open.len_utf8()..to + close.len_utf8());
    }
    let tag = before.ends_with('>').then(|| before.rfind('<')).flatten()?;
    let end = after.starts_with("</").then(|| after.find('>')).flatten()?;
    Some(tag..to + end + 1)
}

/// Without comments, tags, character references, the lines that open and close code blocks, and the marks of
/// list items.
pub(super) fn markless(text: &str) -> String {
    let mut out = String::new();
    for line in uncommented(text).lines() {
        let line = line.trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            continue;
        }
        out.push_str(unmarked(line));
        out.push('\n');
    }
    unreferenced(&untagged(&out))
}

/// What follows the mark of a list item and its box.
fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let item = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    let item = item.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let rest = item.unwrap_or(line).trim_start();
    ["[x]", "[X]", "[ ]"].iter().find_map(|tick| rest.strip_prefix(tick)).unwrap_or(rest)
}

fn uncommented(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    out + rest
}

fn untagged(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let name = after.strip_prefix('/').unwrap_or(after);
        match after.find('>').filter(|_| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            Some(end) => rest = &after[end + 1..],
            None => rest = after,
        }
    }
    out + rest
}

/// `&nbsp;` and the like are no words.
fn unreferenced(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('&') {
        let after = &rest[start + 1..];
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
        };
        out.push_str(&rest[..start]);
        rest = match after.find(';').filter(|end| *end <= 16 && is_name(&after[..*end])) {
            Some(end) => &after[end + 1..],
            None => after,
        };
    }
    out + rest
}
