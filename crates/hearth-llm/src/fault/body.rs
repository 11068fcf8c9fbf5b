//! Finds the server's words in an error body of any shape, and makes text fit to be shown.
//!
//! Invariant: [`clean`] gives one line without tags, control characters or anything that looks like a
//! key. Left out: what the words mean.

use crate::wire::plain;
use serde_json::Value;

/// Longest message shown, in characters.
const LONGEST: usize = 300;

/// What an error body says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BodyError {
    /// Its message, as it came.
    pub message: String,
    /// Its type, status or code.
    pub kind: Option<String>,
    /// It is a web page.
    pub html: bool,
    /// It is JSON.
    pub json: bool,
    /// There is nothing in it.
    pub is_empty: bool,
    /// It names an error: what is said is meant for people.
    pub is_error: bool,
}

/// Reads a body: `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail}`, a list of these, or text.
#[must_use]
pub(crate) fn read(body: &[u8]) -> BodyError {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let mut said = BodyError {
        message: text.chars().take(LONGEST).collect(),
        html: looks_like_html(text),
        is_empty: text.is_empty(),
        ..BodyError::default()
    };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return said };
    said.json = true;
    let first = match &value {
        Value::Array(items) => items.first(),
        other => Some(other),
    };
    if let Some(Value::Object(_)) = first
        && let Some((message, kind)) = first.and_then(find)
    {
        // A type alone says more than the braces around it.
        if let Some(message) = message.or_else(|| kind.clone()) {
            said.message = message;
        }
        said.kind = kind;
        said.is_error = true;
    }
    if matches!(&value, Value::Object(fields) if fields.is_empty()) {
        said.message.clear();
    }
    said
}

/// The message, if there is one, and the kind.
fn find(body: &Value) -> Option<(Option<String>, Option<String>)> {
    let full = |value: &&Value| !value.is_null() && value.as_str() != Some("");
    let first_of = |holder: &Value, names: &[&str]| {
        names.iter().find_map(|name| holder.get(*name).filter(full).map(plain))
    };
    match body.get("error") {
        Some(error @ Value::Object(_)) => {
            Some((first_of(error, &["message"]), first_of(error, &["type", "status", "code"])))
        }
        Some(Value::String(text)) => Some((Some(text.clone()), first_of(body, &["code"]))),
        _ => {
            if let Some(message) = first_of(body, &["message"]) {
                return Some((Some(message), first_of(body, &["type", "code"])));
            }
            first_of(body, &["detail"]).map(|detail| (Some(detail), None))
        }
    }
}

/// Some services answer a bad key with 400 or 403: the words tell.
pub(crate) fn names_key(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["api key", "api-key", "api_key", "apikey"].iter().any(|words| message.contains(words))
}

fn looks_like_html(text: &str) -> bool {
    let head: String = text.chars().take(200).collect::<String>().to_ascii_lowercase();
    head.starts_with('<') && !head.starts_with("<?xml")
        || head.contains("<html")
        || head.contains("<!doctype")
}

/// One line for people out of a server's words.
#[must_use]
pub fn clean(text: &str) -> String {
    let untagged = without_tags(text);
    let mut out = String::new();
    for word in untagged.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&without_key(word));
    }
    if out.chars().count() > LONGEST {
        out = out.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    out
}

/// A `<` that opens no tag ("a < b") stays.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let next = tag.chars().nth(1);
        let opens = next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match tag.find('>') {
            Some(end) if opens => {
                out.push(' ');
                rest = tag.get(end + 1..).unwrap_or_default();
            }
            None if opens => return out,
            _ => {
                out.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Servers quote keys back, often half masked: no part of one is shown.
fn without_key(word: &str) -> String {
    const PREFIXES: [&str; 9] =
        ["sk-", "sk_", "pk-", "gsk_", "xai-", "AIza", "key-", "key=", "nvapi-"];
    let starts = |(at, _): (usize, char)| {
        let tail = word.get(at..).unwrap_or_default();
        let before = word.get(..at).and_then(|head| head.chars().next_back());
        let at_edge = before.is_none_or(|c| !c.is_ascii_alphanumeric());
        at_edge && PREFIXES.iter().any(|prefix| tail.starts_with(prefix))
    };
    if let Some((at, _)) = word.char_indices().find(|&place| starts(place)) {
        return format!("{}[key]", word.get(..at).unwrap_or_default());
    }
    // A long run of letters and digits with both in it is a token of some kind; the names of models
    // are long too, but made of words.
    let is_token = |part: &str| {
        part.len() >= 32
            && part.bytes().any(|b| b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if parts.into_iter().any(is_token) && !word.contains("://") {
        return "[key]".to_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_without_tags_or_keys() {
        let cases = [
            ("<html><b>Bad</b> gateway</html>", "Bad gateway"),
            ("a < b and c > d\n\n e", "a < b and c > d e"),
            ("cut <script", "cut"),
            ("Incorrect API key provided: sk-ab***", "Incorrect API key provided: [key]"),
            ("key \"sk-proj-abc\".", "key \"[key]"),
            ("risk-free task-list", "risk-free task-list"),
            ("AIzaSyA1234 x", "[key] x"),
            ("token 0123456789abcdef0123456789abcdef bad", "token [key] bad"),
            (
                "no meta-llama/Llama-3.3-70B-Instruct-Turbo-Free",
                "no meta-llama/Llama-3.3-70B-Instruct-Turbo-Free",
            ),
            ("模型 不存在\u{7}", "模型 不存在"),
        ];
        for (raw, want) in cases {
            assert_eq!(clean(raw), want);
        }
        assert_eq!(clean(&"词".repeat(400)).chars().count(), 300);
    }
}
