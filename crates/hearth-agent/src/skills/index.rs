//! What the prompt says of skills that are not active: the index, the same for every message, and the few
//! that are near to this one.
//!
//! Invariants: the index stays within its tokens; while the skills are the same it is byte for byte the
//! same; which ones do not fit is decided neither by the alphabet nor by the message, and they are named by
//! count.

use crate::TokenCounter;
use std::fmt::Write as _;

/// What the index may take.
pub const INDEX_TOKENS: u64 = 200;
/// What that of a small prompt may take.
pub const SMALL_INDEX_TOKENS: u64 = 64;
/// How wide a line's description may be, wider first. A Chinese character is two wide.
const WIDTHS: [usize; 9] = [72, 60, 48, 40, 32, 26, 20, 14, 0];
/// More skills than this are listed by their names alone.
const DESCRIBED: usize = 60;
const NEAREST_CHARS: usize = 320;
const HEAD: &str =
    "Skills, by name (skill_load NAME brings one's instructions; do so before work it is for):";
/// The index of a small prompt; a small model calls what it only reads the name of, unless it is told.
const SMALL_HEAD: &str = "Skills (no tools; their instructions come by themselves):";

/// A skill in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// Its name.
    pub name: String,
    /// What it says it is for.
    pub description: String,
    /// The lower, the sooner it is listed where not all fit.
    pub rank: u8,
}

/// The index within a number of tokens; none where there are no skills.
#[must_use]
pub fn index_text(skills: &[Indexed], tokens: u64, counter: &dyn TokenCounter) -> Option<String> {
    if skills.is_empty() {
        return None;
    }
    let mut sorted: Vec<&Indexed> = skills.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    if sorted.len() <= DESCRIBED {
        for width in WIDTHS {
            let text = lines(&sorted, width);
            if counter.count(&text) <= tokens {
                return Some(text);
            }
        }
    }
    Some(names_that_fit(HEAD, sorted, tokens, counter))
}

/// The index of a small prompt, by names alone; none where there are no skills.
#[must_use]
pub fn small_index_text(skills: &[Indexed], counter: &dyn TokenCounter) -> Option<String> {
    let skills: Vec<&Indexed> = skills.iter().collect();
    let text = |skills| names_that_fit(SMALL_HEAD, skills, SMALL_INDEX_TOKENS, counter);
    (!skills.is_empty()).then(|| text(skills))
}

fn lines(skills: &[&Indexed], width: usize) -> String {
    let mut text = HEAD.to_owned();
    for skill in skills {
        text.push('\n');
        text.push_str(&shown(&skill.name));
        let short = shortened(&skill.description, width);
        if !short.is_empty() {
            text.push_str(": ");
            text.push_str(&short);
        }
    }
    text
}

/// Names in one line; those that do not fit are counted.
fn names_that_fit(
    head: &str,
    mut skills: Vec<&Indexed>,
    tokens: u64,
    counter: &dyn TokenCounter,
) -> String {
    let all = skills.len();
    // A hash has no favourites in the alphabet.
    skills.sort_by_key(|skill| (skill.rank, *blake3::hash(skill.name.as_bytes()).as_bytes()));
    let text = |count: usize| {
        let mut names: Vec<String> =
            skills[..count].iter().map(|skill| shown(&skill.name)).collect();
        names.sort();
        let mut text = format!("{head}\n{}", names.join(", "));
        if count < all {
            let _ =
                write!(text, "\n… and {} more, named where a message is near to them", all - count);
        }
        text
    };
    let (mut fits, mut over) = (0, all.min(400) + 1);
    while fits + 1 < over {
        let middle = usize::midpoint(fits, over);
        if counter.count(&text(middle)) <= tokens { fits = middle } else { over = middle }
    }
    text(fits)
}

/// The skills nearest to a message, more fully: name, description and how near.
#[must_use]
pub fn nearest_text(skills: &[(&str, &str, f32)]) -> Option<String> {
    if skills.is_empty() {
        return None;
    }
    let mut text = "Skills near to this message, not active yet:".to_owned();
    for (name, description, _) in skills {
        let description = shortened(description, NEAREST_CHARS);
        let _ = write!(text, "\n{}: {description}", shown(name));
    }
    Some(text)
}

/// Names and descriptions are other people's words: one line, nothing that could pass for a heading.
fn shown(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    flat.replace("===", "--").chars().take(64).collect()
}

/// The beginning of a description, cut where a word ends.
fn shortened(description: &str, width: usize) -> String {
    let flat = description.split_whitespace().collect::<Vec<_>>().join(" ").replace("===", "--");
    let mut used = 0;
    let mut end = 0;
    let mut word_end = 0;
    for (at, c) in flat.char_indices() {
        let wide = if c >= '\u{2e80}' { 2 } else { 1 };
        if used + wide > width {
            let cut = if c >= '\u{2e80}' || word_end == 0 { end } else { word_end };
            return trimmed(&flat[..cut]);
        }
        used += wide;
        if c == ' ' {
            word_end = at;
        } else if c >= '\u{2e80}' {
            word_end = at + c.len_utf8();
        }
        end = at + c.len_utf8();
    }
    trimmed(&flat)
}

fn trimmed(text: &str) -> String {
    text.trim_end_matches([' ', ',', '.', ';', ':', '，', '。', '；', '：', '、', '-']).to_owned()
}
