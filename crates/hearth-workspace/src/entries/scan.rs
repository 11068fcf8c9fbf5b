//! Finding headings and comments in Markdown, and reading what an entry's comment says.
//!
//! Invariants: any text is accepted; code is text; a comment that describes an entry and was broken by
//! hand (no `-->` before the next heading) ends with its line, so that it hides no entry below it.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use std::ops::Range;

/// Kinds of memory entries.
pub(crate) const KINDS: [&str; 5] = ["fact", "preference", "event", "decision", "lesson"];
const KEYS: [&str; 8] =
    ["id", "kind", "time", "source", "confidence", "status", "expiry", "importance"];
pub(super) const MIDDLING: f64 = 0.5;

/// An HTML comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) line: usize,
    pub(crate) start: usize,
    /// Behind its last byte; where it was broken, behind the last of its first line.
    pub(crate) end: usize,
    pub(crate) body: String,
    pub(crate) closed: bool,
    /// It describes an entry and has no end before the next heading.
    pub(crate) broken: bool,
    first_line: (usize, usize),
}

impl Comment {
    /// Whether it describes an entry and is no remark: it begins with a known key.
    pub(crate) fn is_entry(&self) -> bool {
        let first = marks(&self.body).next().unwrap_or_default();
        pair(first).is_some_and(|(key, _)| KEYS.contains(&key.as_str()))
    }

    /// Its bytes.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    fn is_open(&self) -> bool {
        !self.closed && !self.broken
    }

    fn break_off(&mut self) {
        self.broken = true;
        self.body.truncate(self.first_line.0);
        self.end = self.first_line.1;
    }
}

/// The comments of a text; those in code are text.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = Comment> {
    scan(text).comments.into_iter()
}

/// The parts of an entry's comment, between `;` or one a line.
pub(crate) fn marks(body: &str) -> impl Iterator<Item = &str> {
    body.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty())
}

/// `key: value` or `key=value`; the key in lower case.
pub(crate) fn pair(part: &str) -> Option<(String, &str)> {
    let (key, value) = part.split_once([':', '='])?;
    let key = key.trim();
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| (key.to_ascii_lowercase(), value.trim()))
}

/// A date, or a date and time; Unix seconds.
pub(crate) fn time(value: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(value) {
        return Some(time.timestamp());
    }
    for format in ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"] {
        if let Ok(time) = NaiveDateTime::parse_from_str(value, format) {
            return Some(time.and_utc().timestamp());
        }
    }
    let date = NaiveDate::parse_from_str(value, "%Y-%m-%d").ok()?;
    Some(date.and_time(chrono::NaiveTime::MIN).and_utc().timestamp())
}

/// A number from 0 to 1, or low, medium, high.
pub(crate) fn share(value: &str) -> Option<f64> {
    match value {
        "low" => Some(0.2),
        "medium" => Some(MIDDLING),
        "high" => Some(0.9),
        number => number.parse().ok().filter(|share| (0.0..=1.0).contains(share)),
    }
}

pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) title: String,
}

#[derive(Default)]
pub(super) struct Scan {
    pub(super) headings: Vec<Heading>,
    pub(super) comments: Vec<Comment>,
    /// The mark of a code block that has no end.
    pub(super) open_fence: Option<&'static str>,
}

/// Finds headings of the first two levels, and comments, outside code and each other.
pub(super) fn scan(text: &str) -> Scan {
    let mut found = Scan::default();
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        found.line(line, index + 1, start);
        start += line.len();
    }
    if let Some(last) = found.open_comment().filter(|last| last.is_entry()) {
        last.break_off();
    }
    found
}

/// The mark with which a line begins or ends a code block.
pub(super) fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark))
}

/// The level of a heading of the first two levels.
pub(super) fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let ends = line.len() == level || line[level..].starts_with([' ', '\t', '\r', '\n']);
    (matches!(level, 1 | 2) && ends).then_some(level)
}

impl Scan {
    fn line(&mut self, line: &str, number: usize, start: usize) {
        let heads = heading_level(line).is_some();
        if let Some(open) = self.open_comment() {
            if !(heads && open.is_entry()) {
                self.comment_line(line, number, start);
                return;
            }
            open.break_off();
        }
        match (self.open_fence, fence(line)) {
            (Some(mark), _) => {
                if line.trim_start().starts_with(mark) {
                    self.open_fence = None;
                }
            }
            (None, Some(mark)) => self.open_fence = Some(mark),
            (None, None) => {
                if let Some(level) = heading_level(line) {
                    let title = line[level..].trim().to_owned();
                    self.headings.push(Heading { level, line: number, start, title });
                }
                self.comment_line(line, number, start);
            }
        }
    }

    pub(super) fn open_comment(&mut self) -> Option<&mut Comment> {
        self.comments.last_mut().filter(|comment| comment.is_open())
    }

    fn comment_line(&mut self, line: &str, number: usize, start: usize) {
        let plain_end = line.trim_end_matches(['\r', '\n']).len();
        let mut at = 0;
        loop {
            if let Some(open) = self.open_comment() {
                let Some(end) = line[at..].find("-->") else {
                    open.body.push_str(&line[at..]);
                    if open.line == number {
                        open.first_line = (open.body.len(), start + plain_end.max(at));
                    }
                    return;
                };
                open.body.push_str(&line[at..at + end]);
                open.closed = true;
                at += end + 3;
                open.end = start + at;
            }
            let Some(next) = line[at..].find("<!--") else { return };
            let begins = at + next;
            at = begins + 4;
            if line[..begins].matches('`').count().is_multiple_of(2) {
                self.comments.push(Comment {
                    line: number,
                    start: start + begins,
                    end: start + at,
                    body: String::new(),
                    closed: false,
                    broken: false,
                    first_line: (0, start + at),
                });
            }
        }
    }
}
