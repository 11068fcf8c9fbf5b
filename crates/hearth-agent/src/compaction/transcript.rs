//! A history as a text that a model can summarise: no calls and results as such, so nothing can be parted.

use crate::cut::{first_chars, last_chars};
use hearth_protocol::{Arguments, Message, Part, Role};
use std::fmt::Write;

/// Characters of a tool result and of a call's arguments in a transcript.
const RESULT_CHARS: usize = 1_200;
const ARGUMENT_CHARS: usize = 300;

/// A message as one entry, at most so many characters long; empty where nothing in it is worth telling.
pub(super) fn entry(message: &Message, chars: usize) -> String {
    let mut text = String::new();
    for part in &message.parts {
        let said = match part {
            Part::Text { text } => text.trim().to_owned(),
            Part::ToolCall(call) => {
                format!(
                    "[calls {} {}]",
                    call.name,
                    clipped(&arguments(&call.arguments), ARGUMENT_CHARS)
                )
            }
            Part::ToolResult(result) => {
                let state = if result.ok { "result" } else { "error" };
                format!("[{state}] {}", clipped(result.text.trim(), RESULT_CHARS))
            }
            Part::Image { .. } => "[an image]".to_owned(),
            Part::Reasoning { .. } => String::new(),
        };
        if !said.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{gap}{said}");
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("{}: {}\n", speaker(message.role), clipped(&text, chars))
}

fn speaker(role: Role) -> &'static str {
    match role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
        Role::System => "System",
    }
}

fn arguments(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Object(object) => serde_json::to_string(object).unwrap_or_default(),
        Arguments::Malformed(text) => text.clone(),
    }
}

/// Beginning and end of a text that is too long.
pub(crate) fn clipped(text: &str, chars: usize) -> String {
    let all = text.chars().count();
    if all <= chars {
        return text.to_owned();
    }
    let marker = " […] ";
    let room = chars.saturating_sub(marker.len());
    let (head, tail) = (first_chars(text, room * 7 / 10), last_chars(text, room * 2 / 10));
    format!("{head}{marker}{tail}")
}
