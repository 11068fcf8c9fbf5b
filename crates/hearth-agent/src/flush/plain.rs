//! The host's own extract, for when no model answers or what it answers is no use: what the person said, as
//! they said it, in the daily log; what they asked to remember, in long-term memory.

use super::propose::is_secret;
use super::{Fact, Kind, Said};
use hearth_protocol::Role;

/// Messages of one flush.
const MOST: usize = 12;
const LONGEST: usize = 240;

const REMEMBER: [&str; 14] = [
    "remember",
    "don't forget",
    "do not forget",
    "keep in mind",
    "note that",
    "for the record",
    "from now on",
    "记住",
    "记得",
    "别忘",
    "不要忘",
    "记下",
    "以后都",
    "覚えて",
];
const PREFER: [&str; 12] = [
    "i prefer",
    "i like",
    "i love",
    "i hate",
    "i don't like",
    "my favorite",
    "my favourite",
    "我喜欢",
    "我不喜欢",
    "我更喜欢",
    "我讨厌",
    "我偏好",
];
const DECIDE: [&str; 9] = [
    "we decided",
    "i decided",
    "i have decided",
    "let's go with",
    "we will go with",
    "决定",
    "就这么定",
    "定下来",
    "我们选",
];

/// What the person said, without a model.
#[must_use]
pub fn plain_extract(said: &[Said]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for message in said.iter().filter(|message| message.role == Role::User) {
        let lasting = sentences(&message.text)
            .filter_map(|sentence| lasting(sentence).map(|kind| fact(sentence, kind, message)));
        let before = facts.len();
        facts.extend(lasting);
        if facts.len() == before
            && let Some(first) = sentences(&message.text).find(|sentence| is_statement(sentence))
        {
            facts.push(fact(first, Kind::Event, message));
        }
    }
    facts.retain(|fact| !is_secret(&fact.text));
    // The latest are kept, lasting ones first.
    while facts.len() > MOST {
        let at = facts.iter().position(|fact| fact.kind == Kind::Event).unwrap_or(0);
        facts.remove(at);
    }
    facts
}

fn fact(sentence: &str, kind: Kind, message: &Said) -> Fact {
    Fact {
        text: sentence.chars().take(LONGEST).collect(),
        title: String::new(),
        kind,
        about_person: false,
        hearsay: false,
        expiry: String::new(),
        importance: 0.5,
        replaces: None,
        turns: message.turn.iter().cloned().collect(),
    }
}

/// Sentences and lines of a text; a dot inside a number or name ends none.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        let ends_here = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => after.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends_here {
            ends.push(at + c.len_utf8());
        }
    }
    ends.push(text.len());
    let mut from = 0;
    ends.into_iter().filter_map(move |end| {
        let sentence = text[from..end].trim();
        from = end;
        (!sentence.is_empty()).then_some(sentence)
    })
}

fn lasting(sentence: &str) -> Option<Kind> {
    if !is_statement(sentence) {
        return None;
    }
    let lower = sentence.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    match () {
        () if has(&DECIDE) => Some(Kind::Decision),
        () if has(&PREFER) => Some(Kind::Preference),
        () if has(&REMEMBER) => Some(Kind::Fact),
        () => None,
    }
}

/// Not a question, and more than a word of thanks.
fn is_statement(sentence: &str) -> bool {
    let asks =
        sentence.ends_with(['?', '？']) || sentence.ends_with("吗") || sentence.ends_with("呢");
    let long = sentence.chars().count();
    let wide = sentence.chars().any(|c| u32::from(c) > 0x2e80);
    !asks && long >= if wide { 5 } else { 12 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_kept_as_it_was_said() {
        let said = |role, text: &str| Said { role, text: text.to_owned(), turn: None };
        let facts = plain_extract(&[
            said(Role::User, "Hi! Remember that version 3.14 ships on 2 May. How are you?"),
            said(Role::Assistant, "I prefer tea."),
            said(Role::User, "记住：我对花生过敏。谢谢"),
            said(Role::User, "I moved the bike into the cellar today"),
            said(Role::User, "ok"),
            said(Role::User, "Remember my password: hunter2"),
            said(Role::User, "What is the weather like?"),
        ]);
        let found: Vec<_> = facts.iter().map(|fact| (fact.kind, fact.text.as_str())).collect();
        assert_eq!(
            found,
            [
                (Kind::Fact, "Remember that version 3.14 ships on 2 May."),
                (Kind::Fact, "记住：我对花生过敏。"),
                (Kind::Event, "I moved the bike into the cellar today"),
            ]
        );
    }

    #[test]
    fn a_long_conversation_gives_a_short_extract() {
        let said: Vec<_> = (0..100)
            .map(|n| Said {
                role: Role::User,
                text: format!("Today I did thing number {n} and it went well"),
                turn: None,
            })
            .collect();
        let facts = plain_extract(&said);
        assert_eq!(facts.len(), MOST);
        assert!(facts[MOST - 1].text.contains("99"));
    }
}
