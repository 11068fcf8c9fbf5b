//! The model's answer, read and held against what was said.
//!
//! Invariants: whatever the answer is, what comes out fits the schema; a fact whose numbers were not said,
//! or whose words have nothing to do with the conversation, is dropped; so is what looks like a secret.

use super::words::Words;
use super::{Fact, Kind, Said};
use hearth_protocol::{Role, TurnId};
use serde_json::{Map, Value};

/// Facts of one flush.
const MOST: usize = 20;
const LONGEST: usize = 600;
/// Of a fact's words, how many were said.
const GROUNDED: f64 = 0.3;

/// The answer holds no JSON of the wanted form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the model's answer is not the JSON that was asked for")]
pub struct Garbage;

/// The facts of an answer that stand on what was said.
///
/// # Errors
/// [`Garbage`] where it is no answer at all; an empty list is one.
pub fn read(answer: &str, said: &[Said]) -> Result<Vec<Fact>, Garbage> {
    let entries = entries(answer).ok_or(Garbage)?;
    let all = Words::of(&said.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n"));
    Ok(entries.iter().take(MOST).filter_map(|entry| fact(entry, said, &all)).collect())
}

/// The list of entries in an answer, wherever the JSON stands in it; one that was cut off gives the
/// entries that are whole.
fn entries(answer: &str) -> Option<Vec<Map<String, Value>>> {
    let answer = answer.rsplit("</think>").next().unwrap_or(answer);
    for (at, _) in answer.match_indices(['{', '[']) {
        let mut stream = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next()
            && let Some(list) = list(value)
        {
            return Some(list);
        }
    }
    let cut = answer.find("\"entries\"").map(|at| &answer[at..])?;
    let whole = cut.match_indices('{').filter_map(|(at, _)| {
        let mut stream = serde_json::Deserializer::from_str(&cut[at..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(Value::Object(entry))) if entry.contains_key("text") => Some(entry),
            _ => None,
        }
    });
    let whole: Vec<_> = whole.collect();
    (!whole.is_empty()).then_some(whole)
}

fn list(value: Value) -> Option<Vec<Map<String, Value>>> {
    let items = match value {
        Value::Object(mut object) => match object.remove("entries") {
            Some(Value::Array(items)) => items,
            Some(_) => return None,
            // One entry alone, as small models answer.
            None if object.contains_key("text") => vec![Value::Object(object)],
            None => return None,
        },
        Value::Array(items) => items,
        _ => return None,
    };
    let read = |item: Value| match item {
        Value::Object(entry) => Some(entry),
        _ => None,
    };
    let empty = items.is_empty();
    let entries: Vec<_> = items.into_iter().filter_map(read).collect();
    (empty || !entries.is_empty()).then_some(entries)
}

fn fact(entry: &Map<String, Value>, said: &[Said], all: &Words) -> Option<Fact> {
    let text = word(entry, "text").replace(['\n', '\r'], " ");
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST || is_secret(text) {
        return None;
    }
    let words = Words::of(text);
    let grounded = words.numbers.iter().all(|number| all.numbers.contains(number))
        && (words.words.is_empty() || words.within(all) >= GROUNDED);
    if !grounded || is_no_fact(text, &words) {
        return None;
    }
    let from = sources(entry, said, &words);
    let kind = Kind::of(&word(entry, "kind")).unwrap_or(Kind::Fact);
    let date = word(entry, "expires");
    Some(Fact {
        text: text.to_owned(),
        title: word(entry, "title").chars().take(80).collect(),
        kind,
        about_person: entry.get("about_user").and_then(Value::as_bool).unwrap_or(false),
        hearsay: !from.iter().any(|message| message.role == Role::User),
        expiry: if is_date(&date) { date } else { String::new() },
        importance: entry.get("importance").and_then(Value::as_f64).unwrap_or(0.5).clamp(0.0, 1.0),
        replaces: Some(word(entry, "replaces")).filter(|id| !id.is_empty()),
        turns: turns(&from),
    })
}

/// The messages that a fact stands on: those the model names, if they have to do with it, or else those that
/// do.
fn sources<'a>(entry: &Map<String, Value>, said: &'a [Said], words: &Words) -> Vec<&'a Said> {
    let numbers =
        entry.get("from").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let named = numbers
        .iter()
        .filter_map(Value::as_u64)
        .filter_map(|number| said.get(usize::try_from(number).ok()?.checked_sub(1)?));
    let fits = |message: &&Said| {
        let in_message = Words::of(&message.text);
        words.within(&in_message) >= GROUNDED
            || !words.numbers.is_empty() && words.numbers.is_subset(&in_message.numbers)
    };
    let named: Vec<&Said> = named.filter(fits).collect();
    if named.is_empty() { said.iter().filter(fits).collect() } else { named }
}

fn turns(from: &[&Said]) -> Vec<TurnId> {
    let mut turns: Vec<TurnId> = Vec::new();
    for turn in from.iter().filter_map(|message| message.turn.clone()) {
        if !turns.contains(&turn) {
            turns.push(turn);
        }
    }
    turns
}

fn word(entry: &Map<String, Value>, key: &str) -> String {
    entry.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits =
        |part: &str, long: usize| part.len() == long && part.bytes().all(|b| b.is_ascii_digit());
    matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

/// Whether a text only asks or greets, or tells that something was asked or noted without saying what: small
/// models write such.
fn is_no_fact(text: &str, words: &Words) -> bool {
    let bare = text.trim_end_matches(['.', '。', '!', '！']);
    if bare.ends_with(['?', '？']) {
        return true;
    }
    let short = words.words.iter().all(|word| word.chars().count() < 2);
    let lower = bare.to_lowercase();
    let of_user = lower.trim_start_matches("the ").strip_prefix("user ");
    let asked = ["asked", "asks", "is asking", "wants to know", "wondered", "greeted", "thanked"];
    let noted = bare.strip_prefix("用户").is_some_and(|rest| {
        let vague = ["信息", "内容", "计划", "事情", "问题"];
        ["记下了", "记录了", "提到了", "说了"].iter().any(|verb| rest.starts_with(verb))
            && vague.iter().any(|end| rest.ends_with(end))
            || ["问了", "询问", "感谢", "打招呼"].iter().any(|verb| rest.starts_with(verb))
    });
    short && words.numbers.is_empty()
        || of_user.is_some_and(|rest| asked.iter().any(|verb| rest.starts_with(verb)))
        || noted
}

/// Whether a text seems to hold a password, key or code: these never go into a file.
pub(super) fn is_secret(text: &str) -> bool {
    let lower = text.to_lowercase();
    let named = [
        "password",
        "passwd",
        "passphrase",
        "api key",
        "api-key",
        "apikey",
        "secret key",
        "private key",
        "access token",
        "密码",
        "口令",
        "密钥",
        "验证码",
        "パスワード",
    ];
    if named.iter().any(|name| lower.contains(name)) {
        return true;
    }
    // Long words that mix letters and digits without being a date, a path or an address.
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '，' | '。' | '：'))
        .any(|word| {
            let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
            let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
            word.len() >= 20
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '='))
                && has(char::is_ascii_digit)
                && has(char::is_ascii_uppercase)
                && has(char::is_ascii_lowercase)
        })
        || lower.contains("-----begin ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[&str]) -> Vec<Said> {
        let message = |(at, text): (usize, &&str)| Said {
            role: if at % 2 == 0 { Role::User } else { Role::Assistant },
            text: (*text).to_owned(),
            turn: Some(TurnId(format!("t{}", at / 2 + 1))),
        };
        texts.iter().enumerate().map(message).collect()
    }

    fn texts(answer: &str, said: &[Said]) -> Result<Vec<String>, Garbage> {
        Ok(read(answer, said)?.into_iter().map(|fact| fact.text).collect())
    }

    #[test]
    fn json_is_found_wherever_it_stands() {
        let said = said(&["My dog is called Rex"]);
        let rex = r#"{"text":"The dog is called Rex","kind":"fact","from":[1]}"#;
        for answer in [
            format!(r#"{{"entries":[{rex}]}}"#),
            format!("Sure! Here it is:\n```json\n{{\"entries\": [{rex}]}}\n```\nAnything else?"),
            format!("<think>maybe {{}} or [1]?</think>[{rex}]"),
            rex.to_owned(),
            format!(r#"{{"entries":[{rex},{{"text":"cut o"#),
        ] {
            assert_eq!(
                texts(&answer, &said),
                Ok(vec!["The dog is called Rex".to_owned()]),
                "{answer}"
            );
        }
        assert_eq!(texts(r#"{"entries":[]}"#, &said), Ok(vec![]));
        for garbage in
            ["", "I have noted that.", "{}", r#"{"entries":"none"}"#, "[1, 2]", "{\"entries\": ["]
        {
            assert_eq!(texts(garbage, &said), Err(Garbage), "{garbage}");
        }
    }

    #[test]
    fn only_what_was_said_is_believed() {
        let said = said(&["The launch is on 17 March 2027", "Shall I book a table at Luigi's?"]);
        let one = |text: &str| {
            let entry =
                serde_json::json!({"entries": [{"text": text, "kind": "event", "from": [1]}]});
            texts(&entry.to_string(), &said).unwrap_or_default().len()
        };
        assert_eq!(one("Launch on 17 March 2027"), 1);
        assert_eq!(one("Launch on 18 March 2027"), 0, "a number that nobody said");
        assert_eq!(one("Paris has beautiful museums"), 0, "words that nobody said");
        assert_eq!(one(""), 0);
        assert_eq!(one(&"launch ".repeat(200)), 0);
        let fact = &read(r#"[{"text":"A table at Luigi's","kind":"decision","from":[2]}]"#, &said)
            .unwrap_or_default()[0];
        assert!(fact.hearsay);
        assert_eq!(fact.turns, [TurnId("t1".to_owned())]);
    }

    #[test]
    fn secrets_are_not_remembered() {
        for secret in [
            "My password is hunter2",
            "银行密码是123456",
            "Key sk-proj-Ab12Cd34Ef56Gh78Ij90",
            "-----BEGIN RSA PRIVATE KEY-----",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        for fine in
            ["Order A-7731", "See https://example.com/2026-11-29/notes", "The cat is called Ada"]
        {
            assert!(!is_secret(fine), "{fine}");
        }
    }
}
