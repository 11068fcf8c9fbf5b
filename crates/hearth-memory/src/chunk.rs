//! Files cut into what is found and shown as one: an entry, a bullet, a paragraph, a turn.
//!
//! Invariants: chunks are in the order of the file, none is empty or longer than [`LONGEST`] characters;
//! line ranges are of the file as it lies on disk. Any text is accepted. Superseded entries have no chunk.

use chrono::{DateTime, NaiveDate};
use hearth_workspace::{Entry, entries};

use crate::Spoken;
use crate::daily::Bullet;
use crate::question::is_label;

/// In characters: more than the embedding model reads of most texts, less than a page.
pub(crate) const LONGEST: usize = 1_600;

/// Who speaks in Hearth's own conversations.
const PERSON: &str = "User";
const ASSISTANT: &str = "Assistant";

/// A part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Lines, from 1, both included.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Id of the memory entry it is or belongs to.
    pub(crate) entry: Option<String>,
    /// Id it was imported under.
    pub(crate) doc: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) speaker: Option<String>,
    /// `YYYY-MM-DD`, or with ` HH:MM`.
    pub(crate) at: Option<String>,
    /// What stands over it.
    pub(crate) title: String,
    pub(crate) text: String,
    /// Part of a conversation of two or more.
    pub(crate) dialogue: bool,
}

impl Chunk {
    /// What the embedding model reads; its vector is the mean of these. A turn belongs to its day and its speaker.
    /// A note stands for itself: a day in front helps some questions and harms as many, and both together are
    /// better than either in both languages.
    pub(crate) fn readings(&self) -> Vec<String> {
        let day = self.at.as_deref().map(|at| &at[..at.len().min(10)]);
        let head = who(self.speaker.as_deref(), self.dialogue).unwrap_or(&self.title);
        let with = |day: Option<&str>| match (head, day) {
            ("", None) => self.text.clone(),
            ("", Some(day)) => format!("({day}): {}", self.text),
            (head, None) => format!("{head}: {}", self.text),
            (head, Some(day)) => format!("{head} ({day}): {}", self.text),
        };
        match day {
            Some(_) if !self.dialogue => vec![with(None), with(day)],
            _ => vec![with(day)],
        }
    }

    /// What the keyword side reads.
    pub(crate) fn searched(&self) -> String {
        format!("{} {} {}", self.speaker.as_deref().unwrap_or_default(), self.title, self.text)
    }
}

/// The speaker, where that says something: a note that stands alone under `user` or `memory` is nobody's in
/// particular.
pub(crate) fn who(speaker: Option<&str>, dialogue: bool) -> Option<&str> {
    speaker.filter(|speaker| dialogue || !is_label(speaker))
}

/// The chunks of a file.
pub(crate) fn chunks(path: &str, text: &str) -> Vec<Chunk> {
    let mut found = match path {
        "MEMORY.md" => of_entries(text),
        "USER.md" => of_person(text),
        _ => of_blocks(text, day_of(path)),
    };
    found.retain(|chunk| !chunk.text.is_empty());
    mark_dialogues(&mut found);
    found.into_iter().flat_map(split).collect()
}

/// The chunks of a stretch of a conversation; lines are places of messages.
pub(crate) fn conversation_chunks(session: &str, turns: &[Spoken]) -> Vec<Chunk> {
    let chunk = |turn: &Spoken| {
        let place = usize::try_from(turn.position).unwrap_or(0);
        Chunk {
            from: place,
            to: place,
            doc: Some(turn.id.clone()),
            session: Some(session.to_owned()),
            speaker: Some(if turn.by_assistant { ASSISTANT } else { PERSON }.to_owned()),
            at: Some(turn.at.clone()),
            text: turn.text.trim().to_owned(),
            ..Chunk::default()
        }
    };
    let mut found: Vec<Chunk> = turns.iter().map(chunk).collect();
    found.retain(|chunk| !chunk.text.is_empty());
    mark_dialogues(&mut found);
    found.into_iter().flat_map(split).collect()
}

/// The day in a daily log's name.
pub(crate) fn day_of(path: &str) -> Option<NaiveDate> {
    let name = path.strip_prefix("memory/")?;
    NaiveDate::parse_from_str(name.get(..10)?, "%Y-%m-%d").ok()
}

fn of_entries(text: &str) -> Vec<Chunk> {
    let all = entries(text);
    let mut found = of_blocks(&text[..all.first().map_or(text.len(), |e| e.range.start)], None);
    found.extend(sections(text, &all));
    found
}

/// USER.md: what the person wrote is cut like any note, what Hearth wrote there are entries.
fn of_person(text: &str) -> Vec<Chunk> {
    let written: Vec<Entry> = entries(text).into_iter().filter(|e| e.id.is_some()).collect();
    let mut by_hand = String::with_capacity(text.len());
    let mut at = 0;
    for entry in &written {
        by_hand.push_str(&text[at..entry.range.start]);
        // Lines keep their numbers.
        let lines = text[entry.range.clone()].matches('\n').count();
        by_hand.push_str(&"\n".repeat(lines));
        at = entry.range.end;
    }
    by_hand.push_str(&text[at..]);
    let mut found = of_blocks(&by_hand, None);
    found.extend(sections(text, &written));
    found.sort_by_key(|chunk| chunk.from);
    found
}

/// The entries that hold, whole.
fn sections(text: &str, all: &[Entry]) -> Vec<Chunk> {
    let mut found = Vec::new();
    for entry in all.iter().filter(|entry| !entry.superseded) {
        let section = &text[entry.range.clone()];
        let body = section.split_once('\n').map_or("", |(_, body)| body);
        let at = entry.time.and_then(|time| DateTime::from_timestamp(time, 0));
        found.push(Chunk {
            from: entry.line,
            to: entry.line + section.trim_end().lines().count().saturating_sub(1),
            entry: entry.id.clone(),
            at: at.map(|at| at.format("%Y-%m-%d").to_string()),
            title: entry.title.clone(),
            text: match without_comments(body).trim() {
                "" => entry.title.clone(),
                body => body.to_owned(),
            },
            ..Chunk::default()
        });
    }
    found
}

/// List items and paragraphs, each under its heading.
fn of_blocks(text: &str, day: Option<NaiveDate>) -> Vec<Chunk> {
    let mut blocks = Blocks { day, ..Blocks::default() };
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let (number, trimmed) = (index + 1, line.trim());
        if let Some(mark) = fence {
            blocks.add(line, number);
            if trimmed.starts_with(mark) {
                fence = None;
            }
        } else if trimmed.is_empty() {
            blocks.blank();
        } else if let Some(mark) = fence_mark(trimmed).filter(|_| !blocks.holds(line)) {
            fence = Some(mark);
            blocks.add(line, number);
        } else if let Some(title) = heading(line) {
            blocks.end();
            title.clone_into(&mut blocks.title);
        } else if let Some(item) = top_item(line) {
            blocks.end();
            blocks.item = true;
            blocks.add(item, number);
        } else {
            blocks.line(line, number);
        }
    }
    blocks.end();
    blocks.found
}

#[derive(Default)]
struct Blocks {
    found: Vec<Chunk>,
    day: Option<NaiveDate>,
    title: String,
    block: String,
    from: usize,
    to: usize,
    item: bool,
    /// Blank lines that belong to the block only if it goes on.
    blanks: usize,
}

impl Blocks {
    fn add(&mut self, line: &str, number: usize) {
        if self.block.is_empty() {
            self.from = number;
        } else {
            self.block.push_str(&"\n".repeat(self.blanks + 1));
        }
        self.blanks = 0;
        self.to = number;
        self.block.push_str(line);
    }

    fn line(&mut self, line: &str, number: usize) {
        let goes_on = match self.blanks {
            0 => !(self.item && self.block.ends_with("-->")),
            _ => false,
        };
        if !goes_on && !self.holds(line) {
            self.end();
        }
        let line = match (self.item, line.strip_prefix("  ")) {
            (true, Some(inner)) => inner,
            _ => line,
        };
        self.add(line, number);
    }

    /// Whether a line belongs to the list item before it by its indentation.
    fn holds(&self, line: &str) -> bool {
        self.item && (line.starts_with("  ") || line.starts_with('\t'))
    }

    fn blank(&mut self) {
        if !self.block.is_empty() {
            self.blanks += 1;
        }
    }

    fn end(&mut self) {
        let block = std::mem::take(&mut self.block);
        let item = std::mem::take(&mut self.item);
        self.blanks = 0;
        if block.is_empty() {
            return;
        }
        let bullet = match item {
            true => Bullet::read(&block),
            false => Bullet { text: block, ..Bullet::default() },
        };
        if bullet.over {
            return;
        }
        let at = self.day.map(|day| match &bullet.time {
            Some(time) => format!("{day} {time}"),
            None => day.to_string(),
        });
        self.found.push(Chunk {
            from: self.from,
            to: self.to,
            doc: bullet.id,
            session: bullet.session,
            speaker: bullet.speaker,
            at,
            title: self.title.clone(),
            text: without_comments(&bullet.text).trim().to_owned(),
            ..Chunk::default()
        });
    }
}

/// The text of a heading; the first level of a daily log only repeats its date.
fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_date = |title: &str| NaiveDate::parse_from_str(title, "%Y-%m-%d").is_ok();
    (1..=6).contains(&level).then_some(())?;
    let title = rest.strip_prefix([' ', '\t']).map(str::trim)?;
    Some(if is_date(title) { "" } else { title })
}

fn fence_mark(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

fn top_item(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "].iter().find_map(|sign| line.strip_prefix(sign))
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        match after.split_once("-->") {
            Some((_, next)) => rest = next,
            None => {
                // Not closed: text that only looks like one.
                out.push_str("<!--");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Context counts only where at least two speak in one session.
fn mark_dialogues(chunks: &mut [Chunk]) {
    use std::collections::{HashMap, HashSet};
    let mut speakers: HashMap<Option<String>, HashSet<String>> = HashMap::new();
    for chunk in chunks.iter() {
        if let Some(speaker) = &chunk.speaker {
            speakers.entry(chunk.session.clone()).or_default().insert(speaker.clone());
        }
    }
    for chunk in chunks {
        let others = speakers.get(&chunk.session).map_or(0, HashSet::len);
        chunk.dialogue = chunk.speaker.is_some() && others > 1;
    }
}

/// Parts of a long chunk, cut at lines, sentences or spaces where there are any.
fn split(chunk: Chunk) -> Vec<Chunk> {
    let mut parts = Vec::new();
    let mut rest = chunk.text.as_str();
    while let Some((limit, _)) = rest.char_indices().nth(LONGEST) {
        let window = &rest[..limit];
        let breaks = ['\n', '。', '.', '！', '？', ' ', '，'];
        let least = limit / 2;
        let at = breaks.iter().find_map(|mark| {
            window.rfind(*mark).map(|at| at + mark.len_utf8()).filter(|at| *at > least)
        });
        let (part, next) = rest.split_at(at.unwrap_or(limit));
        parts.push(part);
        rest = next;
    }
    if parts.is_empty() {
        return vec![chunk];
    }
    parts.push(rest);
    parts
        .into_iter()
        .map(|part| Chunk { text: part.trim().to_owned(), ..chunk.clone() })
        .filter(|part| !part.text.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(path: &str, text: &str) -> Vec<String> {
        chunks(path, text)
            .into_iter()
            .map(|c| {
                format!("{}-{} {}|{}|{}", c.from, c.to, c.at.unwrap_or_default(), c.title, c.text)
            })
            .collect()
    }

    #[test]
    fn a_turn_is_read_with_its_day_and_speaker_and_a_note_by_itself_too() {
        let read = |log: &str| -> Vec<String> {
            chunks("memory/2026-11-29.md", log).iter().flat_map(Chunk::readings).collect()
        };
        let turns =
            "- 09:00 **Ada**: one <!-- session: s -->\n- **user**: two <!-- session: s -->\n";
        assert_eq!(read(turns), ["Ada (2026-11-29): one", "user (2026-11-29): two"]);
        let notes = "- **Ada**: one <!-- session: s -->\n- **memory**: two <!-- session: t -->\n## Tea\n- three\n";
        assert_eq!(
            read(notes),
            [
                "Ada: one",
                "Ada (2026-11-29): one",
                "two",
                "(2026-11-29): two",
                "Tea: three",
                "Tea (2026-11-29): three"
            ]
        );
        assert_eq!(chunks("notes.md", "four").iter().flat_map(Chunk::readings).count(), 1);
    }

    #[test]
    fn a_daily_log_is_cut_at_its_bullets() {
        let log = "# 2026-11-29\n\n- 09:00 **A**: one <!-- id: 1; session: s -->\n- 09:01 **B**: two\n  lines\n\n  and more <!-- id: 2; session: s -->\nnot indented\n\n## Evening\ntext\r\n* last\n";
        assert_eq!(
            rows("memory/2026-11-29.md", log),
            [
                "3-3 2026-11-29 09:00||one",
                "4-7 2026-11-29 09:01||two\nlines\n\nand more",
                "8-8 2026-11-29||not indented",
                "11-11 2026-11-29|Evening|text",
                "12-12 2026-11-29|Evening|last",
            ]
        );
    }

    #[test]
    fn entries_are_whole_and_superseded_ones_are_gone() {
        let text = "# Memory\n\n## Tea\n<!-- id: m1; time: 2026-11-01 -->\nGreen.\n\nNot black.\n\n## Old\n<!-- id: m0; status: superseded by m1 -->\nBlack.\n## Bare\n";
        assert_eq!(
            rows("MEMORY.md", text),
            ["3-7 2026-11-01|Tea|Green.\n\nNot black.", "12-12 |Bare|Bare"]
        );
    }

    #[test]
    fn what_holds_no_more_is_no_chunk_anywhere() {
        let user = "# Your person\n\n- **Name:** Ada\n\n## Home\n<!-- id: m1; status: superseded by m2 -->\nBerlin\n\n## Home\n<!-- id: m2 -->\nLisbon\n\n## By hand\n- tea\n";
        assert_eq!(
            rows("USER.md", user),
            ["3-3 |Your person|**Name:** Ada", "9-11 |Home|Lisbon", "14-14 |By hand|tea"]
        );
        let log = "- 09:00 old <!-- id: m1; status: superseded by m2 -->\n- 09:01 new <!-- id: m2; kind: event -->\n- past <!-- id: m3; status: expired -->\n";
        assert_eq!(rows("memory/2026-01-01.md", log), ["2-2 2026-01-01 09:01||new"]);
    }

    #[test]
    fn long_lines_are_cut_and_lose_nothing() {
        let text = "字".repeat(10_000);
        let found = chunks("notes.md", &text);
        assert!(found.iter().all(|chunk| chunk.text.chars().count() <= LONGEST));
        assert_eq!(found.iter().map(|chunk| chunk.text.as_str()).collect::<String>(), text);
        assert!(found.iter().all(|chunk| (chunk.from, chunk.to) == (1, 1)));
    }

    #[test]
    fn any_text_is_accepted() {
        for text in
            ["", "\u{feff}", "#", "- ", "```\n- a", "<!--", "\0", "- \n-\n  \n", "## \r\n\r\n"]
        {
            for path in ["MEMORY.md", "memory/2026-01-01.md", "x.md"] {
                assert!(chunks(path, text).iter().all(|chunk| !chunk.text.is_empty()));
            }
        }
    }

    #[test]
    fn an_open_fence_in_a_bullet_swallows_nothing() {
        let log = "- a\n  ```\n  # code\n- b\n```\n- in code\n```\n- c\n";
        let found = rows("memory/2026-01-01.md", log);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[2], "8-8 2026-01-01||c");
    }

    #[test]
    fn messages_are_chunks_at_their_place() {
        let said = |position, by_assistant, text: &str| Spoken {
            id: format!("m{position}"),
            position,
            by_assistant,
            at: "2026-11-29 10:00".to_owned(),
            text: text.to_owned(),
        };
        let turns = [said(7, false, "Where is it?"), said(8, true, " \n"), said(9, true, "Here.")];
        let found = conversation_chunks("assistant:main", &turns);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|chunk| chunk.dialogue));
        assert_eq!((found[1].from, found[1].doc.as_deref()), (9, Some("m9")));
        assert_eq!(found[1].readings(), ["Assistant (2026-11-29): Here."]);
    }

    #[test]
    fn two_speakers_make_a_dialogue() {
        let one = chunks("memory/2026-01-01.md", "- **A**: x\n- **A**: y\n");
        let two = chunks("memory/2026-01-01.md", "- **A**: x\n- **B**: y\n- z\n");
        assert!(one.iter().all(|chunk| !chunk.dialogue));
        assert_eq!(two.iter().map(|chunk| chunk.dialogue).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(two[0].readings(), ["A (2026-01-01): x"]);
    }
}
