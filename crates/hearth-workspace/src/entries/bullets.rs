//! The bullets of a daily log that are entries: `- 09:30 text <!-- id: m1; kind: event -->`, further lines
//! indented. Bullets without such a comment are the log's own and no entries.

use super::scan::{fence, marks, pair, time};
use super::{Entry, MIDDLING, made_id};
use chrono::NaiveDate;
use std::ops::Range;

const TITLE_CHARS: usize = 48;

/// The entries of a daily log.
pub(crate) fn bullets(path: &str, text: &str) -> Vec<Entry> {
    let day = path.strip_prefix("memory/").and_then(|name| name.get(..10));
    let day = day.and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
    items(text).0.into_iter().filter_map(|(line, range)| bullet(text, day, line, range)).collect()
}

fn bullet(text: &str, day: Option<NaiveDate>, line: usize, range: Range<usize>) -> Option<Entry> {
    let item = &text[range.clone()];
    let (said, comment) = parts(item)?;
    let begins = range.start + said;
    let mut entry = Entry {
        line,
        last_line: line + item.trim_end().lines().count().saturating_sub(1),
        importance: MIDDLING,
        seen: 1,
        mark: Some(begins..range.start + item.trim_end().len()),
        range,
        bullet: true,
        ..Entry::default()
    };
    entry.read_marks(comment);
    entry.id.as_ref()?;
    let body = entry.body(text);
    entry.title = super::draft::short(&body, TITLE_CHARS);
    if entry.time.is_none() {
        let clock = leading_time(item[2..].trim_start()).map_or("00:00", |(clock, _)| clock);
        entry.time =
            day.and_then(|day| time(&format!("{day} {clock}")).or_else(|| time(&day.to_string())));
    }
    Some(entry)
}

/// A daily log with an id for each bullet that has none and is not `known`, made of its text; so it can be
/// marked. Any other file stays as it is.
#[must_use]
pub fn name_bullets(path: &str, text: &str, known: impl Fn(&str) -> bool) -> String {
    let mut out = text.to_owned();
    if !path.starts_with("memory/") {
        return out;
    }
    for (_, range) in items(text).0.into_iter().rev() {
        let item = text[range.clone()].trim_end();
        if parts(item).is_some() || known(item) {
            continue;
        }
        let id = made_id(item);
        // A comment that is there keeps its place, since only the last one is read.
        let (at, new) = match item.rfind("<!--").filter(|_| item.ends_with("-->")) {
            Some(at) => (range.start + at + 4, format!(" id: {id};")),
            // On a line of its own it ends no code block.
            None if item.contains('\n') => {
                (range.start + item.len(), format!("\n  <!-- id: {id} -->"))
            }
            None => (range.start + item.len(), format!(" <!-- id: {id} -->")),
        };
        out.insert_str(at, &new);
    }
    out
}

/// Where the comment of an item begins, and what it says.
fn parts(item: &str) -> Option<(usize, &str)> {
    let inner = item.trim_end().strip_suffix("-->")?;
    let at = inner.rfind("<!--")?;
    let comment = &inner[at + 4..];
    marks(comment).filter_map(pair).any(|(key, _)| key == "id").then_some((at, comment))
}

/// What an item says: without its sign, time and comment.
pub(super) fn said(item: &str) -> String {
    let end = parts(item).map_or(item.len(), |(at, _)| at);
    let text = item.get(2..end).unwrap_or_default().trim();
    let text = leading_time(text).map_or(text, |(_, rest)| rest);
    text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// `HH:MM` and what follows.
pub(super) fn leading_time(text: &str) -> Option<(&str, &str)> {
    let clock = text.get(..5)?;
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|_| digits.len() == 2);
    (number(hours)? < 24 && number(minutes)? < 60).then(|| (clock, text[5..].trim_start()))
}

/// The mark of a code block at the margin that has no end. Comments are the log's text, not its frame.
pub(super) fn open_code(text: &str) -> Option<&'static str> {
    items(text).1
}

type Item = (usize, Range<usize>);

/// Line and bytes of each list item that begins at the margin, outside code; and code that has no end.
fn items(text: &str) -> (Vec<Item>, Option<&'static str>) {
    let mut found: Vec<Item> = Vec::new();
    let (mut open, mut code, mut start) = (false, None, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let begins = ["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign));
        let inner = line.starts_with("  ") || line.starts_with('\t');
        match (code, fence(line)) {
            (Some(mark), _) => {
                if line.trim_start().starts_with(mark) {
                    code = None;
                }
            }
            (None, Some(mark)) if !(open && inner) => (code, open) = (Some(mark), false),
            (None, _) if begins => {
                found.push((index + 1, start..end));
                open = true;
            }
            (None, _) if open && inner => {
                if let Some((_, range)) = found.last_mut() {
                    range.end = end;
                }
            }
            // A blank line belongs to the item only if it goes on below.
            (None, _) => open &= line.trim().is_empty(),
        }
        start = end;
    }
    (found, code)
}
