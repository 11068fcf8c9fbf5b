//! Changes of entries, text to text.
//!
//! Invariant: every byte that does not belong to the change stays as it was; line ends are those of the
//! file; what was broken at the end of a file (an open comment or code block) is closed before an entry is
//! added, so that it does not swallow it.

use super::draft::{self, Draft, taken};
use super::scan::{pair, scan};
use super::{Entry, Status, bullets, entries};
use std::ops::Range;

/// Why an entry cannot be changed. Nothing was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// No entry has the id.
    #[error("no entry has the id `{0}`")]
    Unknown(String),
    /// Several have it.
    #[error("several entries have the id `{id}` (lines {numbers}); give each its own", numbers = numbered(lines))]
    Ambiguous {
        /// The id.
        id: String,
        /// Where they are.
        lines: Vec<usize>,
    },
    /// It holds no more.
    #[error("the entry `{id}` is superseded by `{by}` already")]
    Superseded {
        /// The id.
        id: String,
        /// By which.
        by: String,
    },
    /// There is nothing to write.
    #[error("the entry would be empty")]
    Empty,
    /// It would be too long for prompts.
    #[error("it would have {chars} characters, over the {cap} that a prompt carries")]
    OverCap {
        /// Its length.
        chars: usize,
        /// The limit.
        cap: usize,
    },
}

fn numbered(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

type Changed<T> = Result<T, EntryFault>;

fn find(path: &str, text: &str, id: &str) -> Changed<Entry> {
    let all = super::entries_of(path, text);
    let mut found: Vec<Entry> = all.into_iter().filter(|entry| entry.handle(text) == id).collect();
    let same = |found: &[Entry]| {
        found.windows(2).all(|two| text[two[0].range.clone()] == text[two[1].range.clone()])
    };
    match found.len() {
        0 => Err(EntryFault::Unknown(id.to_owned())),
        // Copies of one entry: which of them is meant makes no difference.
        n if n == 1 || same(&found) => Ok(found.swap_remove(0)),
        _ => {
            let lines = found.iter().map(|entry| entry.line).collect();
            Err(EntryFault::Ambiguous { id: id.to_owned(), lines })
        }
    }
}

/// Adds an entry at the end: a bullet to a daily log, a section to any other file. Returns its id too.
///
/// # Errors
/// [`EntryFault::Empty`].
pub fn append_entry(path: &str, text: &str, draft: &Draft) -> Changed<(String, String)> {
    if draft::body(&draft.text).is_empty() && draft::title(&draft.title).is_empty() {
        return Err(EntryFault::Empty);
    }
    let log = path.starts_with("memory/");
    let id = draft.id(&taken(text, log));
    let block = if log { draft.bullet(&id) } else { draft.section(&id) };
    let end = line_end(text);
    let mut out = text.to_owned();
    let mut add = |part: &str| out.push_str(&part.replace('\n', end));
    if !text.is_empty() && !text.ends_with('\n') {
        add("\n");
    }
    let closing = closing(text, log);
    add(&closing);
    match (log, text.trim().is_empty()) {
        (true, true) => add(&heading_of_log(path)),
        (true, false) if follows_text(text) || !closing.is_empty() => add("\n"),
        (true, false) => {}
        (false, true) if text.is_empty() => {}
        (false, _) if ends_blank(text) && closing.is_empty() => {}
        (false, _) => add("\n"),
    }
    add(&block);
    Ok((out, id))
}

fn heading_of_log(path: &str) -> String {
    let day = path.strip_prefix("memory/").and_then(|name| name.get(..10)).unwrap_or_default();
    if day.is_empty() { String::new() } else { format!("# {day}\n\n") }
}

/// Whether the last line is no bullet, so that a blank line must stand before one.
fn follows_text(text: &str) -> bool {
    let last = text.trim_end_matches(['\n', '\r']).lines().next_back().unwrap_or_default();
    let list = ["- ", "* ", "+ ", "  ", "\t"].iter().any(|sign| last.starts_with(sign));
    !list && !ends_blank(text)
}

fn ends_blank(text: &str) -> bool {
    text.ends_with("\n\n") || text.ends_with("\n\r\n")
}

/// What ends the open comment or code block at the end of a text.
fn closing(text: &str, log: bool) -> String {
    if log {
        return bullets::open_code(text).map(|mark| format!("{mark}\n")).unwrap_or_default();
    }
    let mut scan = scan(text);
    if scan.open_comment().is_some() {
        return "-->\n".to_owned();
    }
    scan.open_fence.map(|mark| format!("{mark}\n")).unwrap_or_default()
}

/// Marks an entry as superseded and adds the one that takes its place. Returns the new id too.
///
/// # Errors
/// Where the old one is not there, or holds no more.
pub fn supersede_entry(
    path: &str,
    text: &str,
    id: &str,
    draft: &Draft,
) -> Changed<(String, String)> {
    let old = current(path, text, id)?;
    let log = path.starts_with("memory/");
    let draft = Draft { id: draft.id(&taken(text, log)), ..draft.clone() };
    let by = format!("superseded by {}", draft.id);
    append_entry(path, &with_mark(text, &old, "status", &by), &draft)
}

fn current(path: &str, text: &str, id: &str) -> Changed<Entry> {
    let entry = find(path, text, id)?;
    match &entry.status {
        Status::Superseded(by) => Err(EntryFault::Superseded { id: id.to_owned(), by: by.clone() }),
        Status::Active | Status::Expired => Ok(entry),
    }
}

/// Sets marks of an entry's comment, which it gets where it has none.
///
/// # Errors
/// Where it is not there.
pub fn mark_entry(path: &str, text: &str, id: &str, marks: &[(&str, &str)]) -> Changed<String> {
    let mut text = text.to_owned();
    let line = find(path, &text, id)?.line;
    for (key, value) in marks {
        // By its place: an entry without an id has another handle after the first mark.
        let all = super::entries_of(path, &text);
        let entry = all.into_iter().find(|entry| entry.line == line);
        let entry = entry.ok_or_else(|| EntryFault::Unknown(id.to_owned()))?;
        text = with_mark(&text, &entry, key, value);
    }
    Ok(text)
}

/// Removes an entry, and its exact copies.
///
/// # Errors
/// Where it is not there.
pub fn remove_entry(path: &str, text: &str, id: &str) -> Changed<String> {
    let entry = find(path, text, id)?;
    let gone = &text[entry.range.clone()];
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for copy in super::entries_of(path, text) {
        if &text[copy.range.clone()] == gone {
            out.push_str(&text[at..copy.range.start]);
            at = copy.range.end;
        }
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// Rewrites the title or text of an entry; its comment stays.
///
/// # Errors
/// Where it is not there, or would be empty.
pub fn edit_entry(
    path: &str,
    text: &str,
    id: &str,
    title: Option<&str>,
    body: Option<&str>,
) -> Changed<String> {
    let entry = find(path, text, id)?;
    let new_body = body.map(draft::body);
    if new_body.as_deref() == Some("") {
        return Err(EntryFault::Empty);
    }
    let end = line_end(text);
    let old = &text[entry.range.clone()];
    let new = if entry.bullet {
        let Some(body) = new_body else { return Ok(text.to_owned()) };
        bullet_with(old, &entry, &body, end)
    } else {
        section_with(text, &entry, title.map(draft::title), new_body.as_deref(), end)
    };
    Ok(replaced(text, &entry.range, &new))
}

fn bullet_with(old: &str, entry: &Entry, body: &str, end: &str) -> String {
    let clock = bullets::leading_time(old[2..].trim_start()).map(|(clock, _)| format!("{clock} "));
    let mark = entry
        .mark
        .as_ref()
        .map(|mark| &old[mark.start - entry.range.start..mark.end - entry.range.start]);
    let after = &old[old.trim_end().len()..];
    format!(
        "{}{}{} {}{after}",
        &old[..2],
        clock.unwrap_or_default(),
        body.replace('\n', &format!("{end}  ")),
        mark.unwrap_or_default()
    )
}

fn section_with(
    text: &str,
    entry: &Entry,
    title: Option<String>,
    body: Option<&str>,
    end: &str,
) -> String {
    let old = &text[entry.range.clone()];
    let (heading, rest) = old.split_at(old.find('\n').map_or(old.len(), |at| at + 1));
    let mut out = match title.filter(|title| !title.is_empty()) {
        Some(title) => {
            let ended = heading.len() - heading.trim_end_matches(['\r', '\n']).len();
            format!("## {title}{}", &heading[heading.len() - ended..])
        }
        None => heading.to_owned(),
    };
    let Some(body) = body else { return out + rest };
    if !out.ends_with('\n') {
        out.push_str(end);
    }
    if let Some(mark) = &entry.mark {
        out.push_str(&text[mark.clone()]);
        out.push_str(end);
    }
    out.push_str(&body.replace('\n', end));
    let blank = &old[old.trim_end().len()..];
    out.push_str(if blank.is_empty() { end } else { blank });
    out
}

/// The text with one mark of an entry set.
fn with_mark(text: &str, entry: &Entry, key: &str, value: &str) -> String {
    let value = draft::value(value);
    let end = line_end(text);
    let Some(mark) = &entry.mark else {
        let section = &text[entry.range.clone()];
        let at = section.find('\n').map(|at| entry.range.start + at + 1);
        let handle = entry.handle(text);
        let comment = format!("<!-- id: {handle}; {key}: {value} -->{end}");
        return match at {
            Some(at) => replaced(text, &(at..at), &comment),
            None => replaced(text, &(entry.range.end..entry.range.end), &format!("{end}{comment}")),
        };
    };
    let comment = &text[mark.clone()];
    let inner = comment.strip_suffix("-->").unwrap_or(comment);
    let mut new = match part_of(inner, key) {
        Some(range) => replaced(inner, &range, &value),
        None => {
            let kept = inner.trim_end();
            let separator = if kept.ends_with(';') { " " } else { "; " };
            format!("{kept}{separator}{key}: {value} ")
        }
    };
    if !new.ends_with(char::is_whitespace) {
        new.push(' ');
    }
    new.push_str("-->");
    replaced(text, mark, &new)
}

/// The bytes of a key's value in a comment.
fn part_of(comment: &str, wanted: &str) -> Option<Range<usize>> {
    let inner = comment.strip_prefix("<!--")?;
    let mut at = 4;
    for part in inner.split_inclusive([';', '\n']) {
        let plain = part.trim_end_matches([';', '\n']);
        if let Some((key, value)) = pair(plain.trim())
            && key == wanted
        {
            let offset = plain.rfind(value).filter(|_| !value.is_empty());
            let start = at + offset.unwrap_or(plain.trim_end().len());
            return Some(start..start + value.len());
        }
        at += part.len();
    }
    None
}

fn replaced(text: &str, range: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// The line end of a file: that of all its lines, or else the plain one.
fn line_end(text: &str) -> &'static str {
    let ends = text.matches('\n').count();
    if ends > 0 && text.matches("\r\n").count() == ends { "\r\n" } else { "\n" }
}

/// The sections of a text that hold no more because their time is over at `now`.
pub(crate) fn overdue(path: &str, text: &str, now: i64) -> Vec<Entry> {
    let all = if path.starts_with("memory/") { bullets(path, text) } else { entries(text) };
    let over = |entry: &Entry| !entry.superseded && entry.expiry.is_some_and(|at| at <= now);
    all.into_iter().filter(over).collect()
}
