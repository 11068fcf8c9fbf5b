//! Small models explain how they would use a tool and stop, or repeat what they were told of their tools. So a
//! message that is about files or notes ends, in their prompt, with a word on how to begin and an example of a call;
//! talk about anything else is left alone, for the same word makes them look for files where there is nothing to look
//! up.
//!
//! Invariant: what is added depends on the message alone, so an earlier message stands the same in every prompt.

use hearth_protocol::{Message, Part, Role};

/// The tool of the example.
pub(super) const EXAMPLE: &str = "read_file";
const HINT: &str = "[If this needs a tool, reply with nothing but the first call, such as \
                    {\"name\": \"read_file\", \"arguments\": {\"path\": \"...\"}}]";

/// Words that files and notes are asked for with.
const WORDS: [&str; 6] = ["file", "files", "folder", "folders", "note", "notes"];
const CHINESE: [&str; 5] = ["文件", "笔记", "便签", "记下", "记到"];

/// Adds the hint to the person's messages that want it.
pub(super) fn add(messages: &mut [Message]) {
    for message in messages.iter_mut().filter(|message| message.role == Role::User) {
        let about_files = is_about_files(&message.joined_text());
        let last = message.parts.iter_mut().rev().find_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        });
        if let (true, Some(text)) = (about_files, last) {
            text.push_str("\n\n");
            text.push_str(HINT);
        }
    }
}

fn is_about_files(text: &str) -> bool {
    words(text).any(|word| is_file(word) || WORDS.contains(&word.to_ascii_lowercase().as_str()))
        || CHINESE.iter().any(|word| text.contains(word))
}

/// Whether a text names a file.
#[must_use]
pub fn names_a_file(text: &str) -> bool {
    words(text).any(is_file)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    text.split(move |c| !in_name(c))
}

/// `orders.md`, but no `3.14`, `e.g.` or the end of a sentence.
fn is_file(word: &str) -> bool {
    let Some((stem, ending)) = word.trim_end_matches('.').rsplit_once('.') else { return false };
    let is_ending = (2..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(|c| c.is_ascii_alphanumeric());
    is_ending && stem.chars().any(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_notes_are_known_and_talk_is_left_alone() {
        for text in [
            "What does plan-2.txt say?",
            "Look into (notes/todo.md).",
            "在orders.md里找灯的订单号",
            "Make a note of it.",
            "Which Files are there?",
            "把它记到便签里",
        ] {
            assert!(is_about_files(text), "{text}");
        }
        for text in [
            "What is the capital of France?",
            "Pi is 3.14, e.g. in geometry. And so on...",
            "It is notable. Profile me.",
            "法国的首都是哪里？",
            "",
        ] {
            assert!(!is_about_files(text), "{text}");
        }
    }

    #[test]
    fn the_same_message_always_gets_the_same_hint() {
        let user = |text: &str| Message::text(Role::User, text, 0);
        let mut messages = [
            user("Read a.md."),
            Message::text(Role::Assistant, "I read a.md.", 0),
            user("Thanks!"),
        ];
        let before = messages.clone();
        add(&mut messages);
        assert_eq!(messages[0].joined_text(), format!("Read a.md.\n\n{HINT}"));
        assert_eq!(messages[1..], before[1..]);
    }
}
