//! Identifiers: what has to be repeated to the letter. Found by their form, in any language.
//!
//! An identifier is a run of letters, digits and a few joining marks that holds a digit or is an address: an
//! id, a URL, a mail address, a path, a version, an amount, a date, a time, a number of four digits or more.

use hearth_protocol::{Message, Part, Role};
use std::collections::HashSet;

/// So many must survive a compaction.
pub const MOST_IDENTIFIERS: usize = 12;
/// Longer runs are data, not names.
const LONGEST: usize = 200;
/// Of the places, so many are for what the summary before this one held.
const EARLIER_PLACES: usize = 4;

/// Up to twelve identifiers of a history and of the summary that stands before it: what the person wrote comes
/// first, the latest first.
#[must_use]
pub fn identifiers(messages: &[Message], earlier: Option<&str>) -> Vec<String> {
    let of_role = |role: Role| messages.iter().rev().filter(move |m| m.role == role);
    let mut own: Vec<String> = Vec::new();
    for role in [Role::User, Role::Assistant, Role::Tool] {
        own.extend(of_role(role).flat_map(in_message));
    }
    let before: Vec<String> = earlier.map(in_text).unwrap_or_default();
    let mut seen = HashSet::new();
    let mut fresh = |all: Vec<String>| -> Vec<String> {
        all.into_iter().filter(|id| seen.insert(id.clone())).collect()
    };
    let (own, before) = (fresh(own), fresh(before));
    let places = MOST_IDENTIFIERS - EARLIER_PLACES.min(before.len());
    let (first, rest) = own.split_at(places.min(own.len()));
    let all = first.iter().chain(&before).chain(rest);
    all.take(MOST_IDENTIFIERS).cloned().collect()
}

/// Those of a text, in order.
#[must_use]
pub(super) fn in_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !is_joined(c)) {
        let run = run.trim_matches(is_edge);
        if run.len() <= LONGEST && is_identifier(run) {
            found.push(run.to_owned());
        }
    }
    found
}

fn in_message(message: &Message) -> Vec<String> {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult(result) => Some(result.text.as_str()),
        _ => None,
    });
    texts.flat_map(in_text).collect()
}

/// Part of an identifier: letters other than CJK (a word of Chinese joins what stands beside it), digits, marks.
fn is_joined(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '#' | '+' | '%' | '&' | '=' | '?' | '~')
        || matches!(c, '\\' | '$' | '€' | '£' | '¥' | ',')
}

/// Marks that end a sentence rather than an identifier.
fn is_edge(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '?' | '-' | '=' | '&' | '+')
}

fn is_identifier(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
    let marks = |all: &[char]| run.contains(all);
    let address = letters > 0 && (run.contains("://") || is_mail(run));
    let path = letters > 1 && run.len() > 3 && run.matches(['/', '\\']).count() > 1;
    let mixed = digits > 0 && letters > 0 && run.len() > 2 && !is_ordinal(run);
    let amount = digits > 1 && marks(&['-', '.', '/', ':', ',', '$', '€', '£', '¥', '%', '#']);
    address || path || mixed || amount || digits >= 4
}

fn is_mail(run: &str) -> bool {
    run.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// `3rd`, `21st`: said, not named.
fn is_ordinal(run: &str) -> bool {
    let rest = run.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(rest.to_ascii_lowercase().as_str(), "st" | "nd" | "rd" | "th" | "s" | "x")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(in_text(text), expected, "{text}");
    }

    #[test]
    fn identifiers_are_known_by_their_form() {
        check("Ask Zhang Wei about order A-7731, please.", &["A-7731"]);
        check("订单号QX7T2M，金额是 12,800 元。", &["QX7T2M", "12,800"]);
        check(
            "see https://a.example/x?y=1. Mail eva@b.example",
            &["https://a.example/x?y=1", "eva@b.example"],
        );
        check("会议改到15:30，电话0571-88234567", &["15:30", "0571-88234567"]);
        check("in /home/eva/notes.md, version v1.4.2", &["/home/eva/notes.md", "v1.4.2"]);
        check("on the 3rd of May at noon, 2 cats and/or 10 dogs", &[]);
        check("第二段，三句话。", &[]);
    }

    #[test]
    fn the_persons_latest_come_first_and_some_of_the_earlier_stay() {
        let said = |role, text: String| Message::text(role, text, 0);
        let mut messages = vec![said(Role::Tool, "log id-999".into())];
        messages.extend((10..40).map(|n| said(Role::User, format!("order A-{n}00"))));
        let ids = identifiers(&messages, Some("kept: B-1, B-2, B-3, B-4, B-5"));
        assert_eq!(ids.len(), MOST_IDENTIFIERS);
        assert_eq!(ids[0], "A-3900");
        assert_eq!(ids[8..], ["B-1", "B-2", "B-3", "B-4"]);
        assert_eq!(identifiers(&[], None), [""; 0]);
    }
}
