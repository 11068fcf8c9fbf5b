//! Cutting a tool result that is too large for the context.
//!
//! Invariants: a cut result keeps its limits, marker included; the marker says how much is shown; the
//! end is kept only where it is likely to matter. Absent here: keeping the whole output on disk.

use crate::TokenCounter;

/// How large a tool result may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutLimits {
    /// Unicode scalar values.
    pub chars: usize,
    /// Tokens.
    pub tokens: u64,
}

/// How much of a cut text goes to its end, in percent, when the end matters.
const TAIL_PERCENT: usize = 30;
/// Room for the marker.
const MARKER_CHARS: usize = 120;
/// How much of the end is looked at.
const LOOK_CHARS: usize = 1_500;
/// Words that tell an error or a summary near the end.
const TELLING: [&str; 22] = [
    "error",
    "failed",
    "failure",
    "fatal",
    "panic",
    "exception",
    "traceback",
    "denied",
    "exit code",
    "exit status",
    "aborted",
    "total",
    "summary",
    "result:",
    "passed",
    "finished",
    "warnings",
    "错误",
    "失败",
    "异常",
    "总计",
    "结果",
];

/// The text as the model shall see it: whole where it fits, else cut with a marker.
#[must_use]
pub fn cut_result(text: String, limits: CutLimits, counter: &dyn TokenCounter) -> String {
    let chars = text.chars().count();
    let Some(mut room) = room_for(&text, chars, limits, counter) else { return text };
    let tail = tail_matters(&text);
    loop {
        let cut = shown(&text, chars, room, tail);
        // A dense stretch may cost more than the average; each round takes a fifth away.
        if room == 0 || counter.count(&cut) <= limits.tokens {
            return cut;
        }
        room = room * 4 / 5;
    }
}

/// Characters that may stay, or `None` where the text fits as it is.
fn room_for(
    text: &str,
    chars: usize,
    limits: CutLimits,
    counter: &dyn TokenCounter,
) -> Option<usize> {
    let by_chars = limits.chars.saturating_sub(MARKER_CHARS);
    // Counting a huge text is slow: what is over by characters is counted only after it is cut.
    if chars > limits.chars {
        return Some(by_chars);
    }
    let tokens = counter.count(text);
    if tokens <= limits.tokens {
        return None;
    }
    let share = limits.tokens as f64 / tokens as f64;
    let room = (chars as f64 * share) as usize;
    Some(room.saturating_sub(MARKER_CHARS).min(by_chars))
}

fn tail_matters(text: &str) -> bool {
    let trimmed = text.trim();
    let json = (trimmed.starts_with('{') && trimmed.ends_with('}'))
        || (trimmed.starts_with('[') && trimmed.ends_with(']'));
    let end = last_chars(trimmed, LOOK_CHARS).to_lowercase();
    json || TELLING.iter().any(|word| end.contains(word))
}

fn shown(text: &str, chars: usize, room: usize, tail: bool) -> String {
    let tail_room = if tail { room * TAIL_PERCENT / 100 } else { 0 };
    let head = back_to_line(first_chars(text, room - tail_room));
    let end = if tail_room == 0 { "" } else { on_to_line(last_chars(text, tail_room)) };
    let kept = head.chars().count() + end.chars().count();
    let left_out = chars - kept;
    let part = if end.is_empty() { "the beginning" } else { "the beginning and the end" };
    format!(
        "{head}\n[cut: {kept} of {chars} characters shown, {part}; {left_out} left out here]\n{end}"
    )
}

/// The first `n` characters.
pub(crate) fn first_chars(text: &str, n: usize) -> &str {
    text.char_indices().nth(n).map_or(text, |(at, _)| &text[..at])
}

/// The last `n` characters.
pub(crate) fn last_chars(text: &str, n: usize) -> &str {
    match n.checked_sub(1) {
        Some(back) => text.char_indices().rev().nth(back).map_or(text, |(at, _)| &text[at..]),
        None => "",
    }
}

/// Ends at a line where that costs at most a fifth.
pub(crate) fn back_to_line(text: &str) -> &str {
    match text.rfind('\n') {
        Some(at) if at >= text.len() / 5 * 4 => &text[..at],
        _ => text,
    }
}

/// Begins at a line where that costs at most a fifth.
pub(crate) fn on_to_line(text: &str) -> &str {
    match text.find('\n') {
        Some(at) if at <= text.len() / 5 => &text[at + 1..],
        _ => text,
    }
}
