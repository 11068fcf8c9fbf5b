//! What the extracting model is asked. Short: the built-in model reads it too.

use super::{Known, Said};
use hearth_protocol::Role;
use serde_json::{Value, json};
use std::fmt::Write as _;

const RULES: &str = "You keep a personal assistant's memory. Read the conversation and list what is worth \
remembering for later: lasting facts, preferences, decisions with their reason, lessons, dated events. \
Leave out small talk, questions, what is only true now, passwords and keys, and whatever MEMORY says \
already. Write each entry as one short sentence that is clear by itself, in the user's language, with \
names, numbers and dates exactly as they were said. If it changes an entry of MEMORY, give that id in \
\"replaces\". Answer with JSON only.";

const RULES_SMALL: &str = "List facts about the user worth remembering from this conversation. One short \
sentence each, in the user's language. Copy names and numbers exactly. Skip questions and small talk. \
Answer with JSON only.";

const FORM_SMALL: &str = r#"{"entries":[{"text":"The user's dog is called Rex.","kind":"fact","from":[1]}]}
Nothing worth it: {"entries":[]}"#;

/// Characters of conversation that each kind of model reads.
const LARGE: usize = 24_000;
const SMALL: usize = 2_400;
/// Characters of one message; the end of a long one is rarely a fact about the person.
const MESSAGE_LARGE: usize = 3_000;
const MESSAGE_SMALL: usize = 500;
/// Entries of memory that are shown.
const KNOWN: usize = 40;

/// The words for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlushPrompt {
    /// The system text.
    pub system: String,
    /// The one message.
    pub user: String,
    /// Tokens of answer that are enough.
    pub answer_tokens: u32,
    /// Which messages it was given, by number from 0.
    pub shown: std::ops::Range<usize>,
}

/// Asks for what a conversation leaves behind. `small`: for the built-in model.
#[must_use]
pub fn prompt(said: &[Said], known: &[Known], today: &str, small: bool) -> FlushPrompt {
    let (room, each) = if small { (SMALL, MESSAGE_SMALL) } else { (LARGE, MESSAGE_LARGE) };
    // The newest messages are read where not all fit.
    let mut from = said.len();
    let mut left = room;
    while from > 0 {
        let cost = said[from - 1].text.chars().count().min(each) + 16;
        if cost > left && from < said.len() {
            break;
        }
        left = left.saturating_sub(cost);
        from -= 1;
    }
    let mut user = String::new();
    if !small && !known.is_empty() {
        user.push_str("MEMORY\n");
        for entry in known.iter().rev().take(KNOWN).rev() {
            let text: String = entry.text.chars().take(200).collect();
            let _ = writeln!(user, "{}: {}", entry.id, text.replace('\n', " "));
        }
        user.push('\n');
    }
    let _ = writeln!(user, "CONVERSATION ({today})");
    for (number, message) in said.iter().enumerate().skip(from) {
        let who = if message.role == Role::User { "user" } else { "assistant" };
        // In a short prompt the assistant's words are there to be understood, not to be remembered.
        let each = if small && message.role != Role::User { each / 4 } else { each };
        let text: String = message.text.chars().take(each).collect();
        let _ = writeln!(user, "[{}] {who}: {}", number + 1, text.trim());
    }
    let rules = if small { RULES_SMALL } else { RULES };
    let _ = match small {
        true => write!(user, "\nJSON like {FORM_SMALL}"),
        false => {
            write!(user, "\nJSON by this schema; `from` holds numbers of messages: {}", schema())
        }
    };
    FlushPrompt {
        system: rules.to_owned(),
        user,
        answer_tokens: if small { 300 } else { 1_500 },
        shown: from..said.len(),
    }
}

/// The JSON schema of the answer.
#[must_use]
pub fn schema() -> Value {
    let kinds = ["fact", "preference", "event", "decision", "lesson"];
    json!({
        "type": "object", "required": ["entries"], "additionalProperties": false,
        "properties": {"entries": {"type": "array", "maxItems": 20, "items": {
            "type": "object", "required": ["text", "kind", "from"], "additionalProperties": false,
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 600},
                "title": {"type": "string", "maxLength": 80},
                "kind": {"enum": kinds},
                "about_user": {"type": "boolean"},
                "from": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                "replaces": {"type": ["string", "null"]},
                "expires": {"type": ["string", "null"], "description": "YYYY-MM-DD"},
                "importance": {"type": "number", "minimum": 0, "maximum": 1},
            }}}}
    })
}
