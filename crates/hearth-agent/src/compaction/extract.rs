//! The summary that needs no model: what was said, shortened. It stands where a model fails or is not asked.

use super::transcript::{clipped, entry};
use crate::TokenCounter;
use hearth_protocol::{Message, Role};

/// Characters of a message of the person, and of any other.
const SAID_CHARS: usize = 220;
const OTHER_CHARS: usize = 110;

/// An extract of at most so many tokens: the earlier summary, then the latest messages that fit, in order.
#[must_use]
pub fn extract(
    messages: &[Message],
    earlier: Option<&str>,
    tokens: u64,
    counter: &dyn TokenCounter,
) -> String {
    let earlier = earlier.map(|text| fitted(text, tokens * 2 / 5, counter)).unwrap_or_default();
    let mut left = tokens.saturating_sub(counter.count(&earlier));
    let mut lines: Vec<String> = Vec::new();
    for message in messages.iter().rev() {
        let line = line(message);
        let cost = counter.count(&line) + 1;
        if line.is_empty() {
            continue;
        }
        if cost > left {
            break;
        }
        left -= cost;
        lines.push(line);
    }
    lines.reverse();
    let gap = if earlier.is_empty() || lines.is_empty() { "" } else { "\n" };
    format!("{earlier}{gap}{}", lines.concat())
}

fn line(message: &Message) -> String {
    let chars = if message.role == Role::User { SAID_CHARS } else { OTHER_CHARS };
    let entry = entry(message, chars).replace('\n', " ");
    let entry = entry.trim();
    if entry.is_empty() { String::new() } else { format!("- {entry}\n") }
}

/// A text cut to so many tokens, beginning and end kept.
pub(super) fn fitted(text: &str, tokens: u64, counter: &dyn TokenCounter) -> String {
    let text = text.trim();
    let mut cut = text.to_owned();
    let mut chars = text.chars().count();
    while chars > 0 && counter.count(&cut) > tokens {
        chars = chars * 4 / 5;
        cut = clipped(text, chars);
    }
    cut
}
