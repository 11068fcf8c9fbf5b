//! What a model's reply to a beat says: nothing, or something to show.
//!
//! The typed result is asked for; the token `HEARTBEAT_OK` and plain text are understood too.

use super::markup::{held, line_of, markless};
use crate::think;
use serde_json::{Map, Value};

/// The word for "nothing to say".
const TOKEN: &str = "HEARTBEAT_OK";
/// A reply that begins with the token and has no more than this behind it says nothing.
const SHORT: usize = 300;
/// How deep a result may stand in other objects.
const DEPTH: usize = 3;
/// Ways to say no where `true` or `false` was asked for.
const NO: [&str; 14] = [
    "false", "no", "0", "none", "null", "off", "never", "silent", "n", "f", "否", "不", "无",
    "nein",
];
/// Characters that may be missing at the end of a typed result.
const MENDED: usize = 400;

/// What a reply says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Nothing, and why.
    Silent(Silence),
    /// Something to show.
    Alert {
        /// Headline; may be empty.
        title: String,
        /// The text.
        body: String,
        /// The model's reason; may be empty.
        why: String,
    },
    /// It is not of the form that was asked for, and no text for a person either.
    Garbage,
}

/// Why nothing is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// The model's own reason.
    Because(String),
    /// The reply was empty.
    Mute,
    /// The token.
    AllWell,
    /// The typed result says so, without a reason.
    NothingToSay,
    /// It wanted to speak and had no words.
    NoWords,
}

impl Said {
    /// The text as one: headline, then body.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Alert { title, body, .. } if title.is_empty() || body.is_empty() => {
                format!("{title}{body}")
            }
            Self::Alert { title, body, .. } => format!("{title} — {body}"),
            Self::Silent(_) | Self::Garbage => String::new(),
        }
    }
}

/// Reads a reply.
#[must_use]
pub fn read(reply: &str) -> Said {
    let (visible, _) = think::split(reply);
    let text = visible.trim_matches(is_blank);
    if text.is_empty() {
        return Said::Silent(Silence::Mute);
    }
    // In whatever markup it stands, the token alone is the token.
    if tokens(text).next().is_some() && !says(&bare(text)) {
        return Said::Silent(Silence::AllWell);
    }
    let inner = unfenced(text).trim();
    if inner.starts_with('{') || is_scalar(inner) {
        return typed(inner).unwrap_or(Said::Garbage);
    }
    if let Some(list) = inner.strip_prefix('[') {
        // Brackets begin a list of results, or a sentence.
        let value = match list.trim_start().starts_with('{') {
            true => parsed(inner),
            false => serde_json::from_str(inner).ok(),
        };
        let Some(value) = value else { return plain(text) };
        return of_value(&value, 0).unwrap_or(Said::Garbage);
    }
    if let Some(said) = embedded(text) {
        return said;
    }
    plain(text)
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn is_scalar(text: &str) -> bool {
    matches!(text, "null" | "true" | "false" | "\"\"") || text.parse::<f64>().is_ok()
}

/// The inside of a reply that is one code block.
fn unfenced(text: &str) -> &str {
    let inner = ["```", "~~~"].iter().find_map(|mark| {
        let body = text.strip_prefix(mark)?;
        let (_, body) = body.split_once('\n')?;
        Some(body.trim_end().strip_suffix(mark).unwrap_or(body))
    });
    inner.unwrap_or(text)
}

/// A typed result; none where it is of another type.
fn typed(text: &str) -> Option<Said> {
    of_value(&parsed(text)?, 0)
}

/// JSON, mended where its end is missing.
fn parsed(text: &str) -> Option<Value> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next().and_then(Result::ok).or_else(|| mended(text))
}

/// A result, several in a list, or one within another object.
fn of_value(value: &Value, depth: usize) -> Option<Said> {
    if depth > DEPTH {
        return None;
    }
    match value {
        Value::Object(object) => of_object(object)
            .or_else(|| object.values().find_map(|inner| of_value(inner, depth + 1))),
        Value::Array(list) => {
            together(list.iter().filter_map(|inner| of_value(inner, depth + 1)).collect())
        }
        _ => None,
    }
}

/// Several results as one: every alert is shown.
fn together(mut said: Vec<Said>) -> Option<Said> {
    if said.iter().any(|one| matches!(one, Said::Alert { .. })) {
        said.retain(|one| matches!(one, Said::Alert { .. }));
    }
    if said.len() < 2 {
        return said.pop();
    }
    match said.first()? {
        Said::Alert { why, .. } => Some(Said::Alert {
            title: String::new(),
            body: said.iter().map(Said::text).collect::<Vec<_>>().join("\n"),
            why: why.clone(),
        }),
        first => Some(first.clone()),
    }
}

/// A typed result behind or between other words.
fn embedded(text: &str) -> Option<Said> {
    text.match_indices('{').map(|(at, _)| &text[at..]).find_map(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next()?.ok()? {
            Value::Object(object) if object.contains_key("notify") => of_object(&object),
            _ => None,
        }
    })
}

fn of_object(object: &Map<String, Value>) -> Option<Said> {
    let field = |name: &str| {
        let text = object.get(name).map(texts).unwrap_or_default();
        text.trim_matches(is_blank).to_owned()
    };
    let (title, mut body, why) = (field("title"), field("body"), field("why"));
    if body.is_empty() {
        let other = ["text", "message", "content", "summary"].map(field);
        body = other.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    }
    let words = !title.is_empty() || !body.is_empty();
    let notify = match object.get("notify") {
        Some(Value::Bool(notify)) => *notify,
        Some(Value::String(word)) => match word.trim().to_lowercase().as_str() {
            "true" | "yes" => true,
            no if NO.contains(&no) => false,
            _ => words,
        },
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        // Of the wrong type: words beside it are an alert, which must not be lost.
        Some(Value::Null) => words,
        Some(_) if words => true,
        None if object.contains_key("title") || object.contains_key("body") => true,
        _ => return None,
    };
    if !notify {
        let nothing = why.is_empty();
        return Some(Said::Silent(match nothing {
            true => Silence::NothingToSay,
            false => Silence::Because(why),
        }));
    }
    // The token is understood within the typed result, too.
    let spoken = |text: String| match plain(&text) {
        Said::Alert { body, .. } => body,
        Said::Silent(_) | Said::Garbage => String::new(),
    };
    let (title, body) = (spoken(title), spoken(body));
    Some(match title.is_empty() && body.is_empty() {
        true => Said::Silent(Silence::NoWords),
        false => Said::Alert { title, body, why },
    })
}

/// The words of a field, whatever its type.
fn texts(value: &Value) -> String {
    let all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(texts).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(list) => all(&mut list.iter()),
        Value::Object(object) => all(&mut object.values()),
        Value::Bool(_) | Value::Null => String::new(),
    }
}

/// A JSON object whose end is missing: closed where it stops, or a little before.
fn mended(text: &str) -> Option<Value> {
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).rev().take(MENDED);
    ends.map(|end| &text[..end]).find_map(|head| {
        let closed = format!("{}{}", head.trim_end().trim_end_matches(','), closers(head)?);
        serde_json::from_str(&closed).ok()
    })
}

/// What closes everything that a text has opened.
fn closers(text: &str) -> Option<String> {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' if !in_string => open.push('}'),
            '[' if !in_string => open.push(']'),
            '}' | ']' if !in_string => drop(open.pop()),
            _ => {}
        }
    }
    // A text that is closed already is broken elsewhere.
    if escaped || open.is_empty() {
        return None;
    }
    let quote = if in_string { "\"" } else { "" };
    Some(quote.chars().chain(open.into_iter().rev()).collect())
}

/// Plain text, with or without the token.
fn plain(text: &str) -> Said {
    let text = text.replace("\\_", "_");
    let alert = |body: &str| {
        let body = body.trim_matches(is_blank);
        Said::Alert { title: String::new(), body: body.to_owned(), why: String::new() }
    };
    let Some((first, _)) = tokens(&text).next() else {
        return match says(&text) {
            true => alert(&text),
            // An emoji alone is an alert; marks alone are not.
            false if text.chars().any(|c| !c.is_ascii() && !is_blank(c)) => alert(&text),
            false => Said::Silent(Silence::Mute),
        };
    };
    let rest = without_tokens(&text, |_, _| true);
    if !says(&markless(&rest)) {
        return Said::Silent(Silence::AllWell);
    }
    if !says(&markless(&text[..first])) {
        let lead = |c: char| is_blank(c) || is_mark(c);
        let shown = rest.trim_start_matches(lead).trim_matches(is_blank);
        return match shown.chars().count() <= SHORT {
            true => Said::Silent(Silence::AllWell),
            false => alert(shown),
        };
    }
    // Behind the text, or on a line of its own, it is the token; inside a sentence it is a word.
    let stands_alone = |from: usize, to: usize| {
        let line = line_of(&text, from, to);
        let alone = !says(&bare(&text[line.start..from])) && !says(&bare(&text[to..line.end]));
        alone || !says(&bare(&text[to..]))
    };
    alert(&without_tokens(&text, stands_alone))
}

/// Where the token stands as a word of its own.
fn tokens(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let upper = text.to_ascii_uppercase();
    let found: Vec<_> = upper.match_indices(TOKEN).map(|(at, _)| (at, at + TOKEN.len())).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric();
    found.into_iter().filter(move |(from, to)| {
        let before = upper[..*from].trim_end_matches('_').chars().next_back();
        let after = upper[*to..].trim_start_matches('_').chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// What a text says beside markup and tokens.
fn bare(text: &str) -> String {
    markless(&without_tokens(text, |_, _| true))
}

/// The text without its tokens, and without the markup that held nothing else.
fn without_tokens(text: &str, taken: impl Fn(usize, usize) -> bool) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (from, to) in tokens(text).filter(|(from, to)| taken(*from, *to)) {
        let held = held(text, from, to);
        // What two tokens share is taken with the first.
        out.push_str(text.get(at..held.start).unwrap_or_default());
        at = held.end.max(at);
    }
    out + &text[at..]
}

/// Whether there is a letter or a digit of any script.
pub(super) fn says(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '。' | '！' | '，' | '、' | '：' | '；' | '…' | '—' | '”' | '」')
}
