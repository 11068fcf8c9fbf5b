//! Memory entries: `## ` sections, each with an optional comment line
//! `<!-- id: m1; kind: fact; time: 2026-11-29; importance: 0.8; status: active -->`, and the bullets of
//! daily logs that end in such a comment.
//!
//! Invariants: any text is accepted; ranges are byte ranges of the text, so that whoever rewrites
//! one entry leaves every other byte as it was.
//! Absent here: the disk (`crate::remember`), and what is worth remembering.

mod bullets;
mod change;
mod draft;
mod scan;
mod show;

use bullets::bullets;
pub use bullets::name_bullets;
pub(crate) use change::overdue;
pub use change::{EntryFault, append_entry, edit_entry, mark_entry, remove_entry, supersede_entry};
pub use draft::Draft;
pub(crate) use scan::{Comment, KINDS, comments, marks, pair, share, time};
pub(crate) use show::inject_user;
pub use show::{foreign, framed, inject_memory};

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed fixture is a failed test")]
mod tests;

use scan::{Heading, MIDDLING, scan};
use std::ops::Range;

/// Whether an entry holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Status {
    /// It does.
    #[default]
    Active,
    /// Another entry, named here, took its place.
    Superseded(String),
    /// Its time is over.
    Expired,
}

/// One memory entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Text of its heading; of a bullet, the beginning of its text.
    pub title: String,
    /// Bytes of the whole section, heading included, or of the bullet.
    pub range: Range<usize>,
    /// Line of its heading, from 1.
    pub line: usize,
    /// Its last line that is not blank.
    pub last_line: usize,
    /// From its comment.
    pub id: Option<String>,
    /// From its comment, as written.
    pub kind: Option<String>,
    /// From its comment, Unix seconds.
    pub time: Option<i64>,
    /// From its comment: the session and turn, the file or the person it comes from.
    pub source: Option<String>,
    /// From its comment, 0 to 1.
    pub confidence: Option<f64>,
    /// From its comment, 0 to 1; 0.5 where not said.
    pub importance: f64,
    /// From its comment: how often it was told.
    pub seen: u32,
    /// From its comment, Unix seconds.
    pub expiry: Option<i64>,
    /// From its comment: whose text it may hold, where it is not the person's. It never loses this.
    pub taint: Option<String>,
    /// From its comment.
    pub status: Status,
    /// It holds no more: superseded or expired.
    pub superseded: bool,
    /// Bytes of its comment.
    pub mark: Option<Range<usize>>,
    /// It is a bullet of a daily log.
    pub bullet: bool,
}

impl Entry {
    /// Its id, or one made of its text where it has none: good as long as the text stays.
    #[must_use]
    pub fn handle(&self, text: &str) -> String {
        self.id.clone().unwrap_or_else(|| made_id(&text[self.range.clone()]))
    }

    /// What it says, without heading and comment.
    #[must_use]
    pub fn body(&self, text: &str) -> String {
        if self.bullet {
            return bullets::said(&text[self.range.clone()]).replace("\r\n", "\n");
        }
        let section = &text[self.range.clone()];
        let from = self.range.start + section.find('\n').map_or(section.len(), |at| at + 1);
        let rest = match &self.mark {
            Some(mark) if mark.start >= from => {
                format!("{}{}", &text[from..mark.start], &text[mark.end..self.range.end])
            }
            _ => text[from..self.range.end].to_owned(),
        };
        rest.replace("\r\n", "\n").trim().to_owned()
    }

    fn read_marks(&mut self, comment: &str) {
        for (key, value) in marks(comment).filter_map(pair) {
            match key.as_str() {
                "id" if !value.is_empty() => self.id = Some(value.to_owned()),
                "kind" => self.kind = Some(value.to_owned()),
                "time" => self.time = time(value),
                "source" => self.source = Some(value.to_owned()),
                "confidence" => self.confidence = share(value),
                "importance" => self.importance = share(value).unwrap_or(MIDDLING),
                "seen" => self.seen = value.parse().unwrap_or(1).max(1),
                "expiry" => self.expiry = time(value),
                "taint" if !value.is_empty() => self.taint = Some(value.to_owned()),
                "status" => self.status = status(value),
                _ => {}
            }
        }
        self.superseded = self.status != Status::Active;
    }
}

/// An id made of what an entry says.
fn made_id(entry: &str) -> String {
    format!("at-{}", &crate::hash(entry.trim().as_bytes())[..10])
}

fn status(value: &str) -> Status {
    match value.strip_prefix("superseded") {
        Some(by) => {
            let by = by.trim_start();
            Status::Superseded(by.strip_prefix("by").unwrap_or(by).trim().to_owned())
        }
        None if value == "expired" => Status::Expired,
        None => Status::Active,
    }
}

/// The sections of a text that are entries, in its order.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry> {
    let scan = scan(text);
    let mut found = Vec::new();
    let mut comments = scan.comments.iter().filter(|c| (c.closed || c.broken) && c.is_entry());
    let mut next = comments.next();
    for (index, heading) in scan.headings.iter().enumerate() {
        let end = scan.headings.get(index + 1).map_or(text.len(), |next| next.start);
        let range = heading.start..end;
        let mut own = None;
        while let Some(comment) = next.filter(|comment| comment.start < end) {
            if range.contains(&comment.start) && own.is_none() {
                own = Some(comment);
            }
            next = comments.next();
        }
        if heading.level == 2 {
            found.push(section(text, heading, range, own));
        }
    }
    found
}

/// The entries of a file: bullets of a daily log, sections of any other.
#[must_use]
pub fn entries_of(path: &str, text: &str) -> Vec<Entry> {
    if path.starts_with("memory/") { bullets(path, text) } else { entries(text) }
}

/// The lines of a memory file that no entry holds, so that no mark can stand at them; blank ones and the
/// file's own title left out.
pub fn loose_lines<'a>(path: &str, text: &'a str) -> impl Iterator<Item = &'a str> {
    let mut held = entries_of(path, text).into_iter().map(|entry| entry.range).peekable();
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or(path);
    let title = stem.to_lowercase();
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        while held.peek().is_some_and(|range| range.end <= start) {
            held.next();
        }
        let inside = held.peek().is_some_and(|range| range.contains(&start));
        let line = line.trim();
        let own = line.strip_prefix("# ").is_some_and(|name| name.to_lowercase() == title);
        (!inside && !own && !line.is_empty()).then_some(line)
    })
}

fn section(text: &str, heading: &Heading, range: Range<usize>, own: Option<&Comment>) -> Entry {
    let lines = text[range.clone()].trim_end().lines().count();
    let mut entry = Entry {
        title: heading.title.clone(),
        range,
        line: heading.line,
        last_line: heading.line + lines.saturating_sub(1),
        importance: MIDDLING,
        seen: 1,
        mark: own.map(Comment::range),
        ..Entry::default()
    };
    if let Some(comment) = own {
        entry.read_marks(&comment.body);
    }
    entry
}
