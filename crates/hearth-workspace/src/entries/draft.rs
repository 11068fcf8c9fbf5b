//! An entry that is to be written: its text made safe for its place.
//!
//! Invariant: whatever the text is, what is written is one entry, and reads back as one.

use super::scan::{fence, heading_level};
use super::{Entry, entries};
use std::fmt::Write as _;

const TITLE_CHARS: usize = 60;

/// What is to be written. Empty parts are left out, or made of the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// Its id; empty: one is made.
    pub id: String,
    /// Its heading; empty: the beginning of the text.
    pub title: String,
    /// What it says.
    pub text: String,
    /// `fact`, `preference`, `event`, `decision` or `lesson`.
    pub kind: String,
    /// Local date and time with its distance from UTC, as RFC 3339.
    pub time: String,
    /// The session and turn, the file or the person it comes from.
    pub source: String,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    /// From 0 to 1.
    pub importance: Option<f64>,
    /// Until when it holds.
    pub expiry: String,
    /// How often it was told, if more than once.
    pub seen: u32,
    /// Whose text it may hold, where it is not the person's.
    pub taint: String,
}

impl Draft {
    /// Its id, or one that no entry of `taken` has.
    pub(super) fn id(&self, taken: &[Entry]) -> String {
        if !self.id.is_empty() {
            return value(&self.id).replace(char::is_whitespace, "-");
        }
        let mut number = 0_u32;
        loop {
            let of = format!("{}\0{}\0{}\0{number}", self.time, self.title, self.text);
            let id = format!("m{}", &crate::hash(of.as_bytes())[..10]);
            if taken.iter().all(|entry| entry.id.as_ref() != Some(&id)) {
                return id;
            }
            number += 1;
        }
    }

    fn comment(&self, id: &str) -> String {
        let mut out = format!("<!-- id: {id}");
        let share = |share: Option<f64>| share.map(|share| format!("{share:.2}"));
        let seen = (self.seen > 1).then(|| self.seen.to_string());
        let marks = [
            ("kind", Some(self.kind.clone())),
            ("time", Some(self.time.clone())),
            ("source", Some(self.source.clone())),
            ("confidence", share(self.confidence)),
            ("importance", share(self.importance)),
            ("seen", seen),
            ("expiry", Some(self.expiry.clone())),
            ("taint", Some(self.taint.clone())),
            ("status", Some("active".to_owned())),
        ];
        for (key, said) in marks {
            let said = value(&said.unwrap_or_default());
            if !said.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(out, "; {key}: {said}");
            }
        }
        out + " -->"
    }

    /// As a section, lines ended by `\n`.
    pub(super) fn section(&self, id: &str) -> String {
        let body = body(&self.text);
        let title = match title(&self.title) {
            title if title.is_empty() => short(&body, TITLE_CHARS),
            title => title,
        };
        let title = if title.is_empty() { "Note".to_owned() } else { title };
        format!(
            "## {title}\n{}\n{body}{}",
            self.comment(id),
            if body.is_empty() { "" } else { "\n" }
        )
    }

    /// As a bullet of a daily log, lines ended by `\n`.
    pub(super) fn bullet(&self, id: &str) -> String {
        let clock = self.time.get(11..16).filter(|clock| clock.as_bytes()[2] == b':');
        let clock = clock.map(|clock| format!("{clock} ")).unwrap_or_default();
        let said = match (title(&self.title), body(&self.text)) {
            (title, body) if title.is_empty() || body.starts_with(&title) => body,
            (title, body) => format!("{title}: {body}"),
        };
        format!("- {clock}{} {}\n", said.replace('\n', "\n  "), self.comment(id))
    }
}

/// A mark's value on one line, without what would end it.
pub(super) fn value(text: &str) -> String {
    let one_line = text.replace([';', '\n', '\r', '\t', '\0', '<', '>'], " ").replace("--", "-");
    one_line.trim().to_owned()
}

/// A heading's text on one line.
pub(super) fn title(text: &str) -> String {
    let text = harmless(text).replace('\n', " ");
    text.trim().trim_start_matches('#').trim().to_owned()
}

/// The first sentence or line, cut at a word where it is too long.
pub(super) fn short(text: &str, most: usize) -> String {
    let first = text.trim_start_matches(['#', '\\', ' ', '-', '*', '`', '~']).lines().next();
    let line = first.unwrap_or_default().trim();
    let ends = ['。', '！', '？'];
    let sentence = line.find(ends).map_or(line, |at| &line[..at]);
    let sentence = sentence.split_once(". ").map_or(sentence, |(first, _)| first);
    let sentence = sentence.trim_end_matches(['.', '。', '!', '！']);
    let Some((limit, _)) = sentence.char_indices().nth(most) else { return title(sentence) };
    let cut = &sentence[..limit];
    let at = cut.rfind(' ').filter(|at| *at * 2 > limit).unwrap_or(limit);
    title(&format!("{}…", cut[..at].trim_end()))
}

/// A text that stays within its entry: no heading of its own level, no comment, no open code block.
pub(super) fn body(text: &str) -> String {
    let text = harmless(text);
    let mut out = String::with_capacity(text.len());
    let mut code: Option<&str> = None;
    for line in text.trim_matches('\n').trim_end().lines() {
        match (code, fence(line)) {
            (Some(mark), _) if line.trim_start().starts_with(mark) => code = None,
            (None, Some(mark)) => code = Some(mark),
            (None, None) if heading_level(line).is_some() => out.push('\\'),
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(code.unwrap_or_default());
    out.trim_end().to_owned()
}

/// Without control characters and the beginnings of comments.
fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("<!--", "&lt;!--");
    text.chars()
        .filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || *c == '\u{feff}'))
        .collect()
}

/// The entries whose ids are taken in a text.
pub(super) fn taken(text: &str, log: bool) -> Vec<Entry> {
    if log { super::bullets("", text) } else { entries(text) }
}
