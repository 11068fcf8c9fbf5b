//! Terms of a text for comparing it with another: words, and pairs of characters where words are not parted.

use std::collections::BTreeSet;

/// Words that say nothing about the subject.
const STOP: [&str; 52] = [
    "the", "a", "an", "is", "are", "was", "were", "be", "to", "of", "in", "on", "at", "for", "and",
    "or", "not", "no", "it", "its", "this", "that", "my", "our", "your", "we", "you", "i", "me",
    "us", "please", "what", "when", "where", "which", "who", "how", "do", "did", "does", "now",
    "with", "by", "from", "as", "will", "would", "again", "tell", "again", "actually", "sorry",
];

/// The terms of a text.
#[must_use]
pub(super) fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for run in runs(text) {
        if run.chars().any(is_cjk) {
            let chars: Vec<char> = run.chars().collect();
            terms.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if run.chars().count() > 1 || run.chars().any(char::is_numeric) {
            terms.insert(stem(&run));
        }
    }
    terms
}

/// Terms without bare numbers: what a statement is about, rather than what it says of it.
#[must_use]
pub(super) fn subject(text: &str) -> BTreeSet<String> {
    let value = |term: &String| term.chars().all(|c| c.is_numeric() || "年月日号点元".contains(c));
    terms(text).into_iter().filter(|term| !value(term)).collect()
}

/// Runs of letters and digits, split where the script changes.
fn runs(text: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut last: Option<bool> = None;
    for c in text.chars().flat_map(char::to_lowercase) {
        if !(c.is_alphanumeric()) {
            last = None;
            continue;
        }
        let cjk = is_cjk(c);
        match runs.last_mut().filter(|_| last == Some(cjk)) {
            Some(run) => run.push(c),
            None => runs.push(c.to_string()),
        }
        last = Some(cjk);
    }
    runs.retain(|run| !STOP.contains(&run.as_str()));
    runs
}

/// Plural and singular are the same subject.
fn stem(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 3 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}
