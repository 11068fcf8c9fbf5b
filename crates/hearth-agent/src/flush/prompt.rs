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

/// What a small model is asked in one language. In another one it answers in that, or repeats the example.
struct Small {
    rules: &'static str,
    /// Stands before the conversation.
    example: &'static str,
    /// Stands behind it.
    ask: &'static str,
}

const SMALL_EN: Small = Small {
    rules: "List every fact about the user in this conversation that will still matter in a month: names, \
dates, plans, decisions, likes and dislikes, family, health, belongings. One short sentence each. Copy names \
and numbers exactly. Leave out questions and small talk. Answer with JSON only.",
    example: "",
    ask: r#"JSON like {"entries":[{"text":"The user's dog is called Rex.","kind":"fact"},{"text":"The user decided to leave Acme on 3 May 2025.","kind":"decision"},{"text":"The user likes tea without sugar.","kind":"preference"}]}
Nothing worth it: {"entries":[]}"#,
};

const SMALL_ZH: Small = Small {
    rules: "列出对话里关于用户、一个月后仍然有用的每一条事实：姓名、日期、计划、决定、喜好、家人、健康、物品。\
每条一句短话，用中文写。人名和数字照抄。写事实本身，不要写用户问了、说了或记下了什么。不要写问题和闲聊。只回答JSON。",
    example: r#"例子，对话「user: 我家的狗叫雷克斯。我决定五月三日辞职。我喝茶不加糖。」的回答：
{"entries":[{"text":"用户的狗叫雷克斯。","kind":"fact"},{"text":"用户决定五月三日辞职。","kind":"decision"},{"text":"用户喝茶不加糖。","kind":"preference"}]}
没有值得记的：{"entries":[]}

"#,
    ask: "上面对话的JSON：",
};

/// Characters of conversation that each kind of model reads. To the small one a Chinese character counts as
/// [`WIDE`], since it costs as many tokens as so many letters: it reads 10 to 30 tokens a second.
const LARGE: usize = 24_000;
const SMALL: usize = 2_000;
const WIDE: usize = 2;
/// Characters of one message; the end of a long one is rarely a fact about the person.
const MESSAGE_LARGE: usize = 3_000;
const MESSAGE_SMALL: usize = 500;
/// Of the assistant's messages, which are there to be understood and not to be remembered, a small one reads
/// so much less.
const LESS_OF_THE_ASSISTANT: usize = 4;
/// Tokens of answer: a dozen entries in each language, or what a large model has to say.
const ANSWER_SMALL: u32 = 240;
const ANSWER_LARGE: u32 = 1_500;
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
    let read: Vec<&str> = said.iter().map(|message| read_of(message, small)).collect();
    // The newest messages are read where not all fit.
    let mut from = said.len();
    let mut left = if small { SMALL } else { LARGE };
    while from > 0 {
        let cost = cost(read[from - 1], small) + 16;
        if cost > left && from < said.len() {
            break;
        }
        left = left.saturating_sub(cost);
        from -= 1;
    }
    let words = small.then(|| small_words(said));
    let mut user = words.map_or("", |words| words.example).to_owned();
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
        let _ = writeln!(user, "[{}] {who}: {}", number + 1, read[number]);
    }
    let _ = match words {
        Some(words) => write!(user, "\n{}", words.ask),
        None => {
            write!(user, "\nJSON by this schema; `from` holds numbers of messages: {}", schema())
        }
    };
    FlushPrompt {
        system: words.map_or(RULES, |words| words.rules).to_owned(),
        user,
        answer_tokens: if small { ANSWER_SMALL } else { ANSWER_LARGE },
        shown: from..said.len(),
    }
}

/// What is read of a message.
fn read_of(message: &Said, small: bool) -> &str {
    let each = match (small, message.role) {
        (false, _) => MESSAGE_LARGE,
        (true, Role::User) => MESSAGE_SMALL,
        (true, _) => MESSAGE_SMALL / LESS_OF_THE_ASSISTANT,
    };
    let text = message.text.trim();
    let mut left = each;
    let end = text.char_indices().find(|(_, c)| {
        let cost = weight(*c, small);
        let full = left < cost;
        left = left.saturating_sub(cost);
        full
    });
    text[..end.map_or(text.len(), |(at, _)| at)].trim_end()
}

/// What a text costs of the room.
fn cost(text: &str, small: bool) -> usize {
    text.chars().map(|c| weight(c, small)).sum()
}

fn weight(c: char, small: bool) -> usize {
    if small && c > '\u{2e7f}' { WIDE } else { 1 }
}

/// The words of the language that the person speaks: a Chinese character says as much as three letters.
fn small_words(said: &[Said]) -> &'static Small {
    let spoken =
        || said.iter().filter(|one| one.role == Role::User).flat_map(|one| one.text.chars());
    let wide = spoken().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
    let letters = spoken().filter(char::is_ascii_alphabetic).count();
    if wide * 3 > letters { &SMALL_ZH } else { &SMALL_EN }
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
