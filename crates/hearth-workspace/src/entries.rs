//! MEMORY.md as entries: `## ` sections, each with an optional comment line
//! `<!-- id: m1; kind: fact; time: 2026-11-29; importance: 0.8; status: active -->`.
//!
//! Invariants: any text is accepted; ranges are byte ranges of the text, so that whoever rewrites
//! one entry leaves every other byte as it was; entries go into a prompt whole or not at all.

use crate::inject::{Injected, chars, inject};
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use std::ops::Range;

/// Kinds of memory entries.
pub(crate) const KINDS: [&str; 5] = ["fact", "preference", "event", "decision", "lesson"];
const KEYS: [&str; 8] =
    ["id", "kind", "time", "source", "confidence", "status", "expiry", "importance"];
const MIDDLING: f64 = 0.5;

/// One `## ` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Text of its heading.
    pub title: String,
    /// Bytes of the whole section, heading included.
    pub range: Range<usize>,
    /// Line of its heading, from 1.
    pub line: usize,
    /// From its comment.
    pub id: Option<String>,
    /// From its comment, as written.
    pub kind: Option<String>,
    /// From its comment, Unix seconds.
    pub time: Option<i64>,
    /// From its comment, 0 to 1; 0.5 where not said.
    pub importance: f64,
    /// Another entry took its place.
    pub superseded: bool,
}

/// The entries of a text, in its order.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry> {
    let scan = scan(text);
    let mut found = Vec::new();
    for (index, heading) in scan.headings.iter().enumerate() {
        if heading.level != 2 {
            continue;
        }
        let end = scan.headings.get(index + 1).map_or(text.len(), |next| next.start);
        let range = heading.start..end;
        let comment =
            scan.comments.iter().find(|c| range.contains(&c.start) && c.closed && c.is_entry());
        found.push(entry(heading, range, comment));
    }
    found
}

fn entry(heading: &Heading, range: Range<usize>, comment: Option<&Comment>) -> Entry {
    let mut entry = Entry {
        title: heading.title.clone(),
        range,
        line: heading.line,
        id: None,
        kind: None,
        time: None,
        importance: MIDDLING,
        superseded: false,
    };
    for part in comment.iter().flat_map(|c| c.body.split(';')) {
        let Some((key, value)) = pair(part.trim()) else { continue };
        match key.as_str() {
            "id" => entry.id = Some(value.to_owned()),
            "kind" => entry.kind = Some(value.to_owned()),
            "time" => entry.time = time(value),
            "importance" => entry.importance = share(value).unwrap_or(MIDDLING),
            "status" => entry.superseded = value.starts_with("superseded"),
            _ => {}
        }
    }
    entry
}

/// MEMORY.md for a prompt: whole entries, the newest and most important, at most `cap` characters.
/// Superseded entries stay on disk only. What is left out is named by count.
#[must_use]
pub fn inject_memory(path: &str, text: &str, cap: usize) -> Injected {
    let all = entries(text);
    let raw = chars(text);
    if all.iter().all(|entry| !entry.superseded) && raw <= cap {
        return inject(path, text, cap);
    }
    let note = |shown: usize| {
        format!(
            "\n[{path}: {shown} of {} entries shown, the newest and most important; {} left out. \
             Search memory for them.]\n",
            all.len(),
            all.len() - shown
        )
    };
    let frame: usize = chars(&text[..all.first().map_or(text.len(), |entry| entry.range.start)]);
    let keep_frame = frame * 4 <= cap;
    let room = cap.saturating_sub(chars(&note(all.len())) + 1);
    let chosen = choose(text, &all, room.saturating_sub(if keep_frame { frame } else { 0 }));
    if chosen.is_empty() {
        // No entries, or each too large: head and tail of what there is.
        let current: String = current(text, &all);
        return Injected { raw, ..inject(path, &current, cap) };
    }
    let mut out = String::new();
    if keep_frame {
        out.push_str(&text[..all[0].range.start]);
    }
    for index in &chosen {
        let section = &text[all[*index].range.clone()];
        out.push_str(section);
        if !section.ends_with('\n') {
            out.push('\n');
        }
    }
    out.push_str(note(chosen.len()).as_str());
    Injected { shown: chars(&out), text: out, raw, truncated: true }
}

/// The text without its superseded entries.
fn current(text: &str, all: &[Entry]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for entry in all.iter().filter(|entry| entry.superseded) {
        out.push_str(&text[at..entry.range.start]);
        at = entry.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Indices of the entries to show, in order of the text.
fn choose(text: &str, all: &[Entry], room: usize) -> Vec<usize> {
    let mut left = room;
    let mut chosen = Vec::new();
    for index in by_rank(all) {
        let section = &text[all[index].range.clone()];
        let cost = chars(section) + usize::from(!section.ends_with('\n'));
        if cost <= left {
            left -= cost;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Current entries, best first: age rank plus twice the importance, each from 0 to 1, so that the
/// oldest of highest importance stands beside the newest ordinary one. An entry without a time
/// is as old as the one above it, since people and Hearth add at the end.
fn by_rank(all: &[Entry]) -> Vec<usize> {
    let mut last = i64::MIN;
    let mut aged: Vec<(i64, usize)> = Vec::new();
    for (index, entry) in all.iter().enumerate() {
        last = entry.time.unwrap_or(last);
        if !entry.superseded {
            aged.push((last, index));
        }
    }
    aged.sort_unstable();
    let newest = aged.len().saturating_sub(1).max(1);
    let mut ranked: Vec<(f64, usize)> = aged
        .iter()
        .enumerate()
        .map(|(age, (_, index))| {
            #[expect(clippy::cast_precision_loss, reason = "counts of entries are small")]
            let recency = age as f64 / newest as f64;
            (recency + 2.0 * all[*index].importance, *index)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    ranked.into_iter().map(|(_, index)| index).collect()
}

/// An HTML comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) line: usize,
    pub(crate) start: usize,
    pub(crate) body: String,
    pub(crate) closed: bool,
}

impl Comment {
    /// Whether it describes an entry and is no remark: it begins with a known key.
    pub(crate) fn is_entry(&self) -> bool {
        let first = self.body.split(';').next().unwrap_or_default();
        pair(first.trim()).is_some_and(|(key, _)| KEYS.contains(&key.as_str()))
    }
}

/// The comments of a text; those in code are text.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = Comment> {
    scan(text).comments.into_iter()
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

struct Heading {
    level: usize,
    line: usize,
    start: usize,
    title: String,
}

#[derive(Default)]
struct Scan {
    headings: Vec<Heading>,
    comments: Vec<Comment>,
}

/// Finds headings of the first two levels, and comments, outside code and each other.
fn scan(text: &str) -> Scan {
    let mut found = Scan::default();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let in_comment = found.comments.last().is_some_and(|c| !c.closed);
        if in_comment {
            found.comment_line(line, index + 1, start);
        } else if let Some(mark) = fence {
            if line.trim_start().starts_with(mark) {
                fence = None;
            }
        } else if let Some(mark) =
            ["```", "~~~"].iter().find(|m| line.trim_start().starts_with(**m))
        {
            fence = Some(mark);
        } else {
            found.heading_line(line, index + 1, start);
            found.comment_line(line, index + 1, start);
        }
        start += line.len();
    }
    found
}

impl Scan {
    fn heading_line(&mut self, line: &str, number: usize, start: usize) {
        let level = line.bytes().take_while(|b| *b == b'#').count();
        let title = line[level..].trim();
        if matches!(level, 1 | 2) && line[level..].starts_with([' ', '\t', '\r', '\n']) {
            self.headings.push(Heading { level, line: number, start, title: title.to_owned() });
        }
    }

    fn comment_line(&mut self, line: &str, number: usize, start: usize) {
        let mut at = 0;
        loop {
            if let Some(open) = self.comments.last_mut().filter(|c| !c.closed) {
                let Some(end) = line[at..].find("-->") else {
                    open.body.push_str(&line[at..]);
                    return;
                };
                open.body.push_str(&line[at..at + end]);
                open.closed = true;
                at += end + 3;
            }
            let Some(next) = line[at..].find("<!--") else { return };
            let begins = at + next;
            at = begins + 4;
            if line[..begins].matches('`').count().is_multiple_of(2) {
                self.comments.push(Comment {
                    line: number,
                    start: start + begins,
                    body: String::new(),
                    closed: false,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &str, comment: &str, body: &str) -> String {
        let comment =
            if comment.is_empty() { String::new() } else { format!("<!-- {comment} -->\n") };
        format!("## {title}\n{comment}{body}\n\n")
    }

    #[test]
    fn sections_are_entries_with_or_without_a_comment() {
        let text = "\u{feff}# Memory\n\n## Tea\n<!-- a remark -->\n<!-- id: m1; kind: preference; time: 1970-01-02; importance: high -->\nGreen\n```\n## not this\n```\n## Old\n<!-- status: superseded by m1 -->\n# Part\nx\n##Nor this\n<!--\n## hidden\n-->\n##  Last  \n";
        let found = entries(text);
        let titles: Vec<_> =
            found.iter().map(|e| (e.title.as_str(), e.line, e.superseded)).collect();
        assert_eq!(titles, [("Tea", 3, false), ("Old", 10, true), ("Last", 18, false)]);
        assert_eq!(found[0].id.as_deref(), Some("m1"));
        assert_eq!(found[0].time, Some(86400));
        assert!((found[0].importance - 0.9).abs() < 1e-9);
        assert!(text[found[1].range.clone()].ends_with("m1 -->\n"), "a part ends an entry");
    }

    #[test]
    fn a_file_within_the_cap_is_whole() {
        let text = format!("# M\n{}", section("A", "id: a", "x"));
        assert_eq!(inject_memory("MEMORY.md", &text, 1000).text, text);
    }

    #[test]
    fn the_newest_and_most_important_are_kept_whole() {
        let body = "x".repeat(100);
        let mut text = "# Memory\n\n".to_owned();
        text += &section("Vital", "id: v; time: 2020-01-01; importance: 1", &body);
        for day in 1..=20 {
            text += &section(
                &format!("Day {day}"),
                &format!("id: d{day}; time: 2026-01-{day:02}"),
                &body,
            );
        }
        let injected = inject_memory("MEMORY.md", &text, 1000);
        assert!(injected.truncated && injected.shown <= 1000 && injected.raw == chars(&text));
        assert_eq!(injected.shown, chars(&injected.text));
        let kept: Vec<_> = entries(&injected.text).into_iter().map(|e| e.title).collect();
        assert_eq!(kept, ["Vital", "Day 17", "Day 18", "Day 19", "Day 20"]);
        assert!(injected.text.starts_with("# Memory\n"));
        assert!(injected.text.contains("[MEMORY.md: 5 of 21 entries shown"), "{}", injected.text);
        assert!(injected.text.contains("16 left out"));
    }

    #[test]
    fn free_sections_count_too_and_later_means_newer() {
        let body = "字".repeat(100);
        let text: String = (1..=10).map(|n| section(&format!("N{n}"), "", &body)).collect();
        let injected = inject_memory("MEMORY.md", &text, 500);
        let kept: Vec<_> = entries(&injected.text).into_iter().map(|e| e.title).collect();
        assert_eq!(kept, ["N8", "N9", "N10"]);
    }

    #[test]
    fn superseded_entries_are_never_current() {
        let text = section("Old", "id: a; status: superseded by b", "Berlin")
            + &section("New", "id: b", "Lisbon");
        let injected = inject_memory("MEMORY.md", &text, 1000);
        assert!(injected.text.contains("Lisbon") && !injected.text.contains("Berlin"));
        assert!(injected.text.contains("1 of 2 entries shown"));
    }

    #[test]
    fn one_entry_larger_than_the_cap_is_cut_like_a_file() {
        let text = section("Big", "", &"long line\n".repeat(500));
        let injected = inject_memory("MEMORY.md", &text, 1000);
        assert!(injected.truncated && injected.shown <= 1000 && injected.shown > 700);
        assert_eq!(injected.raw, chars(&text));
    }
}
