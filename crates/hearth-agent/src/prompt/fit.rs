//! How much of the history fits: whole turns, newest first.
//!
//! Invariant: the turn being answered is never cut; a turn is kept whole or left out whole, so calls and
//! results stay together.

use super::{ModelRoom, Slot};
use crate::TokenCounter;
use hearth_protocol::{Arguments, ManifestSection, Message, Part, Role};

/// What a template puts around a message (two marks, the role, two line breaks), and what an image costs about.
const MESSAGE_TOKENS: u64 = 5;
const IMAGE_TOKENS: u64 = 1_000;

/// Messages that fit, and how the manifest names them.
pub(super) struct Fitted {
    pub(super) messages: Vec<Message>,
    pub(super) sections: Vec<ManifestSection>,
}

impl Fitted {
    /// Says that messages before this one, which nobody answered, are not in the prompt.
    pub(super) fn name_unanswered(&mut self, left_out: usize) {
        let message = Slot::Message.name();
        if let Some(section) = self.sections.iter_mut().find(|section| section.name == message) {
            section.reason.push_str(&format!(
                "; {left_out} unanswered before it left out, they do not fit the window"
            ));
            section.truncated = true;
        }
    }

    /// Tokens of the turn being answered.
    pub(super) fn turn_tokens(&self) -> u64 {
        let history = Slot::History.name();
        self.sections.iter().filter(|s| s.name != history).map(|s| s.tokens).sum()
    }
}

/// Where the turn being answered begins.
pub(super) fn current_turn(messages: &[Message]) -> usize {
    (0..messages.len()).rev().find(|at| begins_turn(messages, *at)).unwrap_or(0)
}

/// Whether a message is the first of its turn.
pub(crate) fn begins_turn(messages: &[Message], at: usize) -> bool {
    let message = &messages[at];
    let same = |before: &Message| before.turn.is_some() && before.turn == message.turn;
    message.role == Role::User && !at.checked_sub(1).is_some_and(|before| same(&messages[before]))
}

/// Keeps the turn being answered and as many whole turns before it as there is room for.
pub(super) fn fit(
    mut messages: Vec<Message>,
    current: impl Fn(&[Message]) -> usize,
    fixed: u64,
    room: &ModelRoom,
    counter: &dyn TokenCounter,
) -> Fitted {
    let current = current(&messages);
    let mut parts: Vec<Shown> = Vec::new();
    if current < messages.len() {
        parts.push(Shown::of(&messages[current..=current], counter));
        parts.push(Shown::of(&messages[current + 1..], counter));
    }
    let taken = fixed + parts.iter().map(|part| part.tokens).sum::<u64>();
    let left = room.window.saturating_sub(room.output_reserve).saturating_sub(taken);
    let (start, history_tokens) = first_kept(&messages[..current], left, counter);
    let turns = |range: std::ops::Range<usize>| {
        range.filter(|at| *at == 0 || begins_turn(&messages, *at)).count()
    };
    let (out, kept) = (turns(0..start), turns(start..current));
    let mut sections = Vec::new();
    if current > 0 {
        let mut shown = Shown::text_of(&messages[start..current]);
        shown.tokens = history_tokens;
        shown.raw_chars += left_out_chars(&messages[..start]);
        let reason = match out {
            0 => format!("all {kept} earlier turns"),
            _ => format!("the latest {kept} turns; {out} older ones left out, the window is full"),
        };
        sections.push(shown.section(Slot::History, reason, out > 0));
    }
    let reasons = ["what is being answered", "calls and results of this turn so far"];
    for ((shown, slot), reason) in parts.into_iter().zip([Slot::Message, Slot::Steps]).zip(reasons)
    {
        if shown.raw_chars > 0 || slot == Slot::Message {
            sections.push(shown.section(slot, reason.to_owned(), false));
        }
    }
    messages.drain(..start);
    Fitted { messages, sections }
}

/// Where the kept history begins, and its tokens.
fn first_kept(history: &[Message], left: u64, counter: &dyn TokenCounter) -> (usize, u64) {
    let (mut start, mut tokens, mut turn_tokens) = (history.len(), 0, 0);
    for at in (0..history.len()).rev() {
        turn_tokens += message_tokens(&history[at], counter);
        if tokens + turn_tokens > left {
            break;
        }
        if at == 0 || begins_turn(history, at) {
            start = at;
            tokens += turn_tokens;
            turn_tokens = 0;
        }
    }
    (start, tokens)
}

/// Characters of messages that are not shown; without building their text, there may be many.
fn left_out_chars(messages: &[Message]) -> u64 {
    let chars = |part: &Part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.chars().count(),
        Part::ToolCall(call) => arguments_text(&call.arguments).chars().count(),
        Part::ToolResult(result) => result.text.chars().count(),
        Part::Image { .. } => 0,
    };
    messages.iter().flat_map(|message| &message.parts).map(chars).sum::<usize>() as u64
}

/// Messages as the manifest shows them.
struct Shown {
    text: String,
    raw_chars: u64,
    tokens: u64,
}

impl Shown {
    fn of(messages: &[Message], counter: &dyn TokenCounter) -> Self {
        let tokens = messages.iter().map(|message| message_tokens(message, counter)).sum();
        Self { tokens, ..Self::text_of(messages) }
    }

    fn text_of(messages: &[Message]) -> Self {
        let mut text = String::new();
        for message in messages {
            for part in &message.parts {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(role_name(message.role));
                text.push_str(": ");
                show_part(part, &mut text);
            }
        }
        Self { raw_chars: text.chars().count() as u64, text, tokens: 0 }
    }

    fn section(self, slot: Slot, reason: String, truncated: bool) -> ManifestSection {
        ManifestSection {
            name: slot.name().to_owned(),
            source: "conversation".to_owned(),
            chars: self.text.chars().count() as u64,
            raw_chars: self.raw_chars,
            tokens: self.tokens,
            reason,
            truncated,
            cached_part: false,
            text: Some(self.text),
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

fn show_part(part: &Part, text: &mut String) {
    match part {
        Part::Text { text: said } => text.push_str(said),
        Part::Reasoning { text: thought, .. } => {
            text.push_str("(thinking) ");
            text.push_str(thought);
        }
        Part::ToolCall(call) => {
            text.push_str(&call.name);
            text.push(' ');
            text.push_str(&arguments_text(&call.arguments));
        }
        Part::ToolResult(result) => text.push_str(&result.text),
        Part::Image { media_type, .. } => {
            text.push_str("(image ");
            text.push_str(media_type);
            text.push(')');
        }
    }
}

fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Object(object) => serde_json::to_string(object).unwrap_or_default(),
        Arguments::Malformed(text) => text.clone(),
    }
}

/// What a message takes in a request.
pub(crate) fn message_tokens(message: &Message, counter: &dyn TokenCounter) -> u64 {
    let parts = message.parts.iter().map(|part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => counter.count(text),
        Part::ToolCall(call) => {
            counter.count(&call.name) + counter.count(&arguments_text(&call.arguments))
        }
        Part::ToolResult(result) => counter.count(&result.text),
        Part::Image { .. } => IMAGE_TOKENS,
    });
    MESSAGE_TOKENS + parts.sum::<u64>()
}
