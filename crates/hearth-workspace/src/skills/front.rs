//! Where the frontmatter is, and what is left as body.

use super::warning::{Warning, Warnings};

/// A file in its two parts.
pub(super) struct Parts<'a> {
    /// Text between the fences; none: there is no frontmatter.
    pub(super) front: Option<String>,
    /// What follows.
    pub(super) body: &'a str,
}

/// So many lines may stand before the frontmatter.
const LINES_BEFORE: usize = 40;

/// Splits a clean text.
pub(super) fn split<'a>(text: &'a str, warnings: &mut Warnings) -> Parts<'a> {
    let Some(open) = opening(text) else {
        warnings.add(Warning::NoFrontmatter);
        return Parts { front: None, body: text };
    };
    warnings.add_if(open.start > 0, Warning::TextBeforeFrontmatter);
    warnings.add_if(open.is_long, Warning::FenceOdd);
    let (front, body) = match closing(text, open.end) {
        Some(close) => {
            warnings.add_if(close.is_long, Warning::FenceOdd);
            (&text[open.end..close.start], &text[close.end..])
        }
        None => {
            warnings.add(Warning::FrontmatterUnterminated);
            let end = open.end + keys_end(&text[open.end..]);
            (&text[open.end..end], &text[end..])
        }
    };
    let body = if text[..open.start].trim_start().starts_with("```") {
        body.trim_end().trim_end_matches('`')
    } else {
        body
    };
    Parts { front: Some(first_sides(front, warnings)), body }
}

/// A line of dashes: from its first byte to the first of the next line.
struct Fence {
    start: usize,
    end: usize,
    is_long: bool,
}

fn fence(line: &str, at: usize) -> Option<Fence> {
    let dashes = line.trim_end();
    let is_fence = dashes.len() >= 3 && dashes.bytes().all(|b| b == b'-');
    is_fence.then(|| Fence { start: at, end: at + line.len(), is_long: dashes.len() > 3 })
}

fn opening(text: &str) -> Option<Fence> {
    let mut at = 0;
    let mut only_blank = true;
    for line in text.split_inclusive('\n').take(LINES_BEFORE) {
        if let Some(open) = fence(line, at) {
            // After a text, a line of dashes is a rule unless keys stand below it and it is closed.
            let next = text[open.end..].lines().next().unwrap_or_default();
            let is_front = only_blank || (is_key(next) && closing(text, open.end).is_some());
            if is_front {
                return Some(open);
            }
        }
        only_blank &= line.trim().is_empty();
        at += line.len();
    }
    None
}

fn closing(text: &str, from: usize) -> Option<Fence> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if let Some(close) = fence(line, at) {
            return Some(close);
        }
        at += line.len();
    }
    None
}

/// Without a closing fence: up to the first blank line, or the first that is no key.
fn keys_end(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let belongs = is_key(line) || line.starts_with([' ', '\t', '#']);
        if line.trim().is_empty() || !belongs {
            break;
        }
        end += line.len();
    }
    end
}

/// Whether a line begins with a key.
pub(super) fn is_key(line: &str) -> bool {
    key_of(line).is_some()
}

/// The key at the start of a line, and the rest after its colon.
pub(super) fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let is_key = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key.chars().count() <= 40
        && key.split(' ').count() <= 2
        && key.chars().all(plain);
    is_key.then_some((key, rest))
}

/// Of what a merge left open the first side counts.
fn first_sides(front: &str, warnings: &mut Warnings) -> String {
    if !front.starts_with("<<<<<<< ") && !front.contains("\n<<<<<<< ") {
        return front.to_owned();
    }
    warnings.add(Warning::MergeMarkers);
    warnings.add(Warning::YamlInvalid);
    let mut kept = String::with_capacity(front.len());
    let mut other = false;
    for line in front.split_inclusive('\n') {
        match line.get(..7) {
            Some("<<<<<<<") => other = false,
            Some("=======" | "|||||||") => other = true,
            Some(">>>>>>>") => other = false,
            _ if other => {}
            _ => kept.push_str(line),
        }
    }
    kept
}
