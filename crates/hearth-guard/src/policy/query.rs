//! What a question to a search engine, or an address, could carry out of the machine.
//!
//! A question after text of others is made of the person's own words: whoever wrote that text chooses the
//! words otherwise, and which of them are sent can tell anything. After files of the workspace and what is remembered it may say
//! what the model likes, as long as it reads as a question. Both have an end, since how often something is
//! asked tells a little too.

use crate::request::Request;
use crate::taint::{Taint, Trust, is_same};
use serde_json::Value;

/// Longer questions carry more than a question.
const QUERY_CHARS: usize = 160;
/// Longer runs of letters and digits are no words.
const WORD_CHARS: usize = 24;
/// Questions of one turn after text that is not the person's.
const MOST: u32 = 8;
/// Characters of a path that a domain of `allowed_domains` is asked for.
const PATH_CHARS: usize = 80;
/// Words that join others and say nothing.
const JOINING: &[&str] = &[
    "a", "an", "and", "at", "by", "for", "from", "how", "in", "is", "of", "on", "or", "the", "to",
    "vs", "what", "when", "where", "who", "with",
];
/// Words of a note that say whom it is about. None denies, commands or names anything.
const FILLING: &[&str] = &[
    "user", "person", "they", "them", "their", "he", "him", "his", "she", "her", "it", "its", "i",
    "my", "me", "s", "are", "was", "were", "has", "have", "that", "this", "who", "which",
];
/// The same in Chinese, where no space parts it from the next word.
const ABOUT: &[&str] = &["用户的", "用户", "他的", "她的", "他", "她"];
/// Words without which a text says something else.
#[rustfmt::skip]
const TURNING: &[&str] = &[
    "not", "never", "no", "nor", "none", "nothing", "nobody", "neither", "without", "cannot", "hardly", "stop", "avoid",
    "if", "unless", "except", "until", "before", "after", "when", "maybe", "perhaps", "instead", "only", "false", "wrong",
];
/// The same as parts of words: those of Chinese, and the short forms of English.
#[rustfmt::skip]
const TURNING_PARTS: &[&str] = &[
    "n't", "n\u{2019}t", "不", "没", "别", "勿", "未", "无", "非", "莫", "否", "停", "禁", "如果", "要是", "除", "可能", "也许", "只",
    "之前", "之后", "以前", "以后",
];
/// Of those, in one note.
const MOST_FILLING: usize = 8;
/// Of those, in one question.
const MOST_JOINING: usize = 3;

/// Why a question needs a yes; none where it does not.
pub(super) fn trouble(request: &Request<'_>) -> Option<&'static str> {
    let taint = request.taint;
    let trust = taint.trust();
    if trust == Trust::Person {
        return None;
    }
    let query = request.arguments.get("query").and_then(Value::as_str).unwrap_or_default();
    if !is_a_question(query) {
        return Some("sending this much to a search engine");
    }
    if !taint.is_private() || trust < Trust::Untrusted && taint.searches() < MOST {
        return None;
    }
    if taint.searches() >= MOST {
        return Some("so many questions to a search engine");
    }
    (!is_own(query, taint)).then_some("a question to a search engine that is not in your own words")
}

/// Words and numbers as people write them.
fn is_a_question(query: &str) -> bool {
    query.chars().count() <= QUERY_CHARS && !query.contains("://") && !is_data(query)
}

/// Whether a part of a text reads as a key, a code or a number of somebody, not as words.
fn is_data(text: &str) -> bool {
    let parts = text.split_whitespace();
    let mut pieces =
        parts.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_'));
    pieces.any(|piece| {
        let count = |is: fn(&char) -> bool| piece.chars().filter(is).count();
        let digits = count(char::is_ascii_digit);
        let letters = count(|c| c.is_alphabetic());
        let plain = count(char::is_ascii_alphanumeric);
        // `2026`, `a4`, `rtx4090`, `covid-19`, but not `7f3d-9921`.
        plain > WORD_CHARS || digits > 4 && (letters > 0 || digits > 8) || changes(piece) > 2
    })
}

/// How often letters and digits change places.
fn changes(piece: &str) -> usize {
    let kinds: Vec<bool> =
        piece.chars().filter(char::is_ascii_alphanumeric).map(|c| c.is_ascii_digit()).collect();
    kinds.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Whether a question is made of what the person said in this turn.
fn is_own(query: &str, taint: &Taint) -> bool {
    let mut joining = 0;
    taint.words_of(query).all(|word| {
        taint.said_word(&word) || {
            joining += 1;
            joining <= MOST_JOINING && JOINING.contains(&word.as_str())
        }
    })
}

/// Whether a note is what the person said in this turn, word after word, but for words that only say whom it is about.
/// What denies or makes a condition could be left out of it: then it is nobody's words.
pub(super) fn is_said(note: &str, taint: &Taint) -> bool {
    let fills = |word: &str| FILLING.contains(&word) || JOINING.contains(&word);
    let all: Vec<String> = taint.words_of(note).collect();
    let telling: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .filter(|word| !fills(word) && !ABOUT.contains(word))
        .collect();
    if telling.is_empty() {
        return all.is_empty();
    }
    let said: Vec<String> = taint.words_of(taint.said_text()).filter(|word| !fills(word)).collect();
    all.len() - telling.len() <= MOST_FILLING
        && !is_turned(taint.said_text())
        && said
            .windows(telling.len())
            .any(|span| span.iter().zip(&telling).all(|(said, word)| is_told(said, word)))
}

/// Whether a word of a note is that of the person, whoever it says it is about.
fn is_told(said: &str, word: &str) -> bool {
    let rest = ABOUT.iter().find_map(|about| word.strip_prefix(about));
    is_same(said, word) || rest.is_some_and(|rest| is_same(said, rest))
}

/// Whether a text denies something or makes a condition.
fn is_turned(said: &str) -> bool {
    let mut words = said.split(|c: char| !c.is_alphanumeric());
    words.any(|word| TURNING.contains(&word))
        || TURNING_PARTS.iter().any(|part| said.contains(part))
}

/// Whether an address holds more than a place: a question, a code, or a long path, not in the person's
/// words.
pub(super) fn carries_data(url: &str, taint: &Taint) -> bool {
    let Ok(url) = url::Url::parse(url.trim()) else { return true };
    let host = url.host_str().unwrap_or_default();
    let said = |text: &str| is_own(text, taint);
    let path = url.path();
    let asks = url.query().is_some_and(|query| !query.is_empty() && !said(query));
    let is_long = path.len() > PATH_CHARS || is_data(path);
    asks || is_data(host) || is_long && !said(path)
}
