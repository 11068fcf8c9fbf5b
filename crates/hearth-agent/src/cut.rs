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
const MARKER_CHARS: usize = 200;
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

/// The text as the model shall see it: whole where it fits, else cut with a marker that names where the
/// whole is kept.
#[must_use]
pub fn cut_result(
    text: String,
    limits: CutLimits,
    kept: Option<&str>,
    counter: &dyn TokenCounter,
) -> String {
    let chars = text.chars().count();
    let Some(mut room) = room_for(&text, chars, limits, counter) else { return text };
    let tail = tail_matters(&text);
    loop {
        let cut = shown(&text, chars, room, tail, kept);
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

fn shown(text: &str, chars: usize, room: usize, tail: bool, whole: Option<&str>) -> String {
    let tail_room = if tail { room * TAIL_PERCENT / 100 } else { 0 };
    let head = back_to_line(first_chars(text, room - tail_room));
    let end = if tail_room == 0 { "" } else { on_to_line(last_chars(text, tail_room)) };
    let kept = head.chars().count() + end.chars().count();
    let left_out = chars - kept;
    let part = if end.is_empty() { "the beginning" } else { "the beginning and the end" };
    let whole = whole.map(|path| format!("; the whole: read_file {path}")).unwrap_or_default();
    format!(
        "{head}\n[cut: {kept} of {chars} characters shown, {part}; {left_out} left out here{whole}]\n{end}"
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One token a character.
    struct Chars;

    impl TokenCounter for Chars {
        fn count(&self, text: &str) -> u64 {
            text.chars().count() as u64
        }

        fn exact(&self) -> bool {
            true
        }
    }

    fn check(text: &str, limits: CutLimits, marker: Option<&str>, ends_with: &str) {
        let cut = cut_result(text.to_owned(), limits, None, &Chars);
        match marker {
            None => assert_eq!(cut, text),
            Some(marker) => {
                let size = cut.chars().count();
                assert!(size <= limits.chars && size as u64 <= limits.tokens, "{size}");
                assert!(cut.contains(marker) && cut.ends_with(ends_with), "{cut}");
                assert_eq!(cut.chars().next(), text.chars().next());
            }
        }
    }

    #[test]
    fn results_keep_their_limits_and_the_end_that_matters() {
        let by_chars = CutLimits { chars: 1_000, tokens: 100_000 };
        let by_tokens = CutLimits { chars: 100_000, tokens: 1_000 };
        for limits in [by_chars, by_tokens] {
            check(&"x".repeat(1_000), limits, None, "");
            check(
                &"字".repeat(1_001),
                limits,
                Some("of 1001 characters shown, the beginning;"),
                "\n",
            );
            let error = "x\n".repeat(5_000) + "error: no such file";
            check(&error, limits, Some("the beginning and the end"), "error: no such file");
            let summary = "ok ✓\n".repeat(5_000) + "测试总计 5,000";
            check(&summary, limits, Some("the beginning and the end"), "总计 5,000");
            let json = format!("[{}0]", "1,".repeat(5_000));
            check(&json, limits, Some("the beginning and the end"), "1,0]");
            check(&"line\n".repeat(5_000), limits, Some("the beginning;"), "\n");
        }
    }
}
