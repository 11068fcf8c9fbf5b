//! How much of a file a prompt carries: caps, cuts, and the share of each file.
//!
//! Invariants: characters are Unicode scalar values; what comes out never exceeds its cap, markers
//! included; what is cut or left out is named. Pure functions: the same input gives the same bytes.

use crate::PersonaFile;
use crate::entries::{inject_memory, inject_user};

/// Cap of one file.
pub const DEFAULT_FILE_CHARS: usize = 20_000;
/// Cap of all files together.
pub const DEFAULT_TOTAL_CHARS: usize = 60_000;

/// A file's text as a prompt carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injected {
    /// The text, with a marker where something is left out.
    pub text: String,
    /// Characters of it.
    pub shown: usize,
    /// Characters of the file.
    pub raw: usize,
    /// Whether something is left out.
    pub truncated: bool,
}

/// What files may take of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Characters a file.
    pub file_chars: usize,
    /// Characters in all.
    pub total_chars: usize,
    /// Tokens in all.
    pub total_tokens: u64,
}

impl Budget {
    /// The default caps, and a quarter of the model's window.
    #[must_use]
    pub const fn for_window(window_tokens: u64) -> Self {
        Self {
            file_chars: DEFAULT_FILE_CHARS,
            total_chars: DEFAULT_TOTAL_CHARS,
            total_tokens: window_tokens / 4,
        }
    }

    /// What is left for files that stand lower in the prompt.
    #[must_use]
    pub fn after(self, taken: &[Injected], count: &dyn Fn(&str) -> u64) -> Self {
        let shown: usize = taken.iter().map(|part| part.shown).sum();
        Self {
            total_chars: self.total_chars.saturating_sub(shown),
            total_tokens: self.total_tokens.saturating_sub(tokens(taken, count)),
            ..self
        }
    }
}

/// Cuts each of `(path, text)` so that all keep to the budget; the result is in the same order.
/// Small files stay whole and the large ones share what is left, so that a swollen file never
/// pushes another out. MEMORY.md is cut by entries. `count` counts tokens.
///
/// Files below the cache boundary belong in a second call with [`Budget::after`]: then a growing
/// log does not change what stands above.
#[must_use]
pub fn distribute(
    files: &[(&str, &str)],
    budget: Budget,
    count: &dyn Fn(&str) -> u64,
) -> Vec<Injected> {
    let needs: Vec<usize> = files.iter().map(|(_, t)| chars(t).min(budget.file_chars)).collect();
    let mut total = budget.total_chars;
    loop {
        let caps = shares(&needs, total);
        let parts: Vec<Injected> =
            files.iter().zip(&caps).map(|((path, text), cap)| one(path, text, *cap)).collect();
        let used = tokens(&parts, count);
        if used <= budget.total_tokens || total == 0 {
            return parts;
        }
        // Fewer characters by the part that is over, and always fewer.
        let shown: usize = parts.iter().map(|part| part.shown).sum();
        let ratio = u128::from(budget.total_tokens) * shown.min(total) as u128 / u128::from(used);
        let less = usize::try_from(ratio).unwrap_or(total);
        total = less.min(total - total / 50 - 1);
    }
}

fn one(path: &str, text: &str, cap: usize) -> Injected {
    match PersonaFile::at(path) {
        Some(PersonaFile::Memory) => inject_memory(path, text, cap),
        Some(PersonaFile::User) => inject_user(path, text, cap),
        _ => inject(path, text, cap),
    }
}

fn tokens(parts: &[Injected], count: &dyn Fn(&str) -> u64) -> u64 {
    parts.iter().map(|part| count(&part.text)).sum()
}

/// Shares `total` so that each gets what it needs or as much as any other.
fn shares(needs: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|index| needs[*index]);
    let mut caps = vec![0; needs.len()];
    let mut left = total;
    for (done, index) in order.into_iter().enumerate() {
        caps[index] = needs[index].min(left / (needs.len() - done));
        left -= caps[index];
    }
    caps
}

/// Cuts a text to `cap` characters: the first 70 %, a marker, the last 20 %, on lines where
/// possible.
#[must_use]
pub fn inject(path: &str, text: &str, cap: usize) -> Injected {
    let raw = chars(text);
    if raw <= cap {
        return Injected { text: text.to_owned(), shown: raw, raw, truncated: false };
    }
    let longest = chars(&marker(path, raw, raw));
    let Some(room) = cap.checked_sub(longest) else { return left_out(path, raw, cap) };
    let head_cap = (cap * 7 / 10).min(room * 7 / 9);
    let tail_cap = (cap / 5).min(room - head_cap);
    let head = head(text, head_cap);
    let tail = tail(text, tail_cap);
    let marker = marker(path, chars(head) + chars(tail), raw);
    let text = format!("{head}{marker}{tail}");
    Injected { shown: chars(&text), text, raw, truncated: true }
}

fn marker(path: &str, shown: usize, raw: usize) -> String {
    format!(
        "\n[… {path}: {shown} of {raw} characters shown; the middle is left out. Read the file for it. …]\n"
    )
}

fn left_out(path: &str, raw: usize, cap: usize) -> Injected {
    let note = format!("[… {path}: left out …]\n");
    let text = if chars(&note) <= cap { note } else { String::new() };
    Injected { shown: chars(&text), text, raw, truncated: true }
}

/// At most `cap` characters from the start, back to the end of a line unless that costs half.
fn head(text: &str, cap: usize) -> &str {
    let cut = &text[..byte_of(text, cap)];
    match cut.rfind('\n') {
        Some(end) if chars(&cut[..=end]) * 2 >= cap => &cut[..=end],
        _ => cut,
    }
}

/// At most `cap` characters from the end, on to the start of a line unless that costs half.
fn tail(text: &str, cap: usize) -> &str {
    let from = byte_of(text, chars(text) - cap);
    let cut = &text[from..];
    if text[..from].ends_with('\n') {
        return cut;
    }
    match cut.find('\n') {
        Some(end) if chars(&cut[end + 1..]) * 2 >= cap => &cut[end + 1..],
        _ => cut,
    }
}

fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

/// Unicode scalar values of a text.
pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_is_untouched() {
        let text = "字".repeat(20_000);
        assert_eq!(inject("SOUL.md", &text, 20_000).text, text);
        assert!(!inject("SOUL.md", &text, 20_000).truncated);
        assert_eq!(
            inject("SOUL.md", "", 0),
            Injected { text: String::new(), shown: 0, raw: 0, truncated: false }
        );
    }

    #[test]
    fn a_long_file_keeps_head_and_tail_on_lines_and_names_itself() {
        let text: String = (0..4000).map(|n| format!("line {n:05}\n")).collect();
        let injected = inject("SOUL.md", &text, 20_000);
        assert!(injected.shown <= 20_000 && injected.truncated);
        let (head, rest) = injected.text.split_once("\n[… ").expect("a marker");
        let (marker, tail) = rest.split_once(" …]\n").expect("its end");
        assert!((13_900..=14_000).contains(&chars(head)), "{}", chars(head));
        assert!((3_900..=4_000).contains(&chars(tail)), "{}", chars(tail));
        assert!(
            head.starts_with("line 00000")
                && head.ends_with(|c: char| c.is_ascii_digit() || c == '\n')
        );
        assert!(tail.starts_with("line ") && tail.ends_with("line 03999\n"));
        let shown = chars(head) + chars(tail);
        assert_eq!(
            marker,
            format!(
                "SOUL.md: {shown} of 44000 characters shown; the middle is left out. Read the file for it."
            )
        );
    }

    #[test]
    fn one_endless_line_is_cut_between_characters() {
        let injected = inject("USER.md", &"👩‍🚀字e\u{301}".repeat(10_000), 20_000);
        assert!(injected.shown > 17_900 && injected.shown <= 20_000);
    }

    #[test]
    fn files_share_a_total_without_pushing_each_other_out() {
        let big = "word ".repeat(10_000);
        let files = [
            ("AGENTS.md", big.as_str()),
            ("SOUL.md", &big),
            ("IDENTITY.md", &big),
            ("USER.md", "Ada"),
            ("TOOLS.md", &big),
            ("MEMORY.md", &big),
        ];
        let budget = Budget::for_window(1_000_000);
        let parts = distribute(&files, budget, &|t| t.len() as u64 / 4);
        assert!(parts.iter().map(|p| p.shown).sum::<usize>() <= 60_000);
        assert_eq!(parts[3].text, "Ada");
        assert!(parts.iter().enumerate().all(|(i, p)| i == 3 || p.shown > 10_700 && p.truncated));
        let left = budget.after(&parts, &|t| t.len() as u64 / 4);
        assert!(left.total_chars < 6_300);
    }

    #[test]
    fn a_small_window_rules_and_all_that_is_cut_is_named() {
        let big = "字".repeat(15_000);
        let files = [("AGENTS.md", big.as_str()), ("SOUL.md", &big), ("USER.md", "阿达")];
        let count = |t: &str| chars(t) as u64;
        let parts = distribute(&files, Budget::for_window(4_096), &count);
        let used: u64 = parts.iter().map(|p| count(&p.text)).sum();
        assert!(used <= 1_024 && used > 800, "{used}");
        assert_eq!(parts[2].text, "阿达");
        assert!(parts[0].text.contains("[… AGENTS.md:") && parts[1].text.contains("[… SOUL.md:"));
        let parts = distribute(&files, Budget { total_tokens: 0, ..Budget::for_window(0) }, &count);
        assert!(parts.iter().all(|p| p.text.is_empty() && p.truncated));
    }

    proptest! {
        #[test]
        fn nothing_ever_exceeds_its_cap(text in "(?s).{0,400}", repeat in 1usize..20, cap in 0usize..3000) {
            let text = text.repeat(repeat);
            for path in ["SOUL.md", "MEMORY.md"] {
                let injected = one(path, &text, cap);
                prop_assert!(injected.shown <= cap);
                prop_assert_eq!(injected.shown, chars(&injected.text));
                prop_assert_eq!(injected.raw, chars(&text));
                prop_assert_eq!(injected.truncated, injected.text != text);
            }
            let injected = inject("SOUL.md", &text, cap);
            if let Some((head, rest)) = injected.text.split_once("\n[… SOUL.md: ") {
                let tail = rest.split_once(" …]\n").expect("whole marker").1;
                prop_assert!(text.starts_with(head) && text.ends_with(tail));
                prop_assert!(chars(head) <= cap * 7 / 10 && chars(tail) <= cap / 5);
            }
        }

        #[test]
        fn shares_are_within_the_total(needs in prop::collection::vec(0usize..30_000, 0..12), total in 0usize..90_000) {
            let caps = shares(&needs, total);
            prop_assert!(caps.iter().sum::<usize>() <= total);
            prop_assert!(caps.iter().zip(&needs).all(|(cap, need)| cap <= need));
            if needs.iter().sum::<usize>() <= total {
                prop_assert_eq!(caps, needs);
            }
        }
    }
}
