//! The five wire formats, written: one [`ModelRequest`] becomes the JSON body of each provider.
//!
//! Invariants: calls and results stay paired and in order; arguments are always a JSON object; thinking
//! goes back only to the format that signed it; nothing empty is sent where a provider refuses it.
//! Left out: repairing broken histories (the caller sends whole pairs), URLs and keys (`client`).

mod anthropic;
mod dialect;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

pub(crate) use dialect::short_name;

use crate::wire::Format;
use hearth_protocol::{Arguments, Message, ModelRequest, Part, Role, ToolCall};
use serde_json::{Map, Value, json};

/// Where a request goes, as far as its body depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Base URL: servers of the same format differ in what they refuse.
    pub base_url: &'a str,
    /// The window that the person configured; Ollama cuts prompts silently without one.
    pub window: Option<u64>,
}

/// The body of a streaming request.
#[must_use]
pub fn encode(format: Format, target: &Target<'_>, request: &ModelRequest) -> Value {
    match format {
        Format::OpenaiChat => openai_chat::body(target, request),
        Format::OpenaiResponses => openai_responses::body(request),
        Format::Anthropic => anthropic::body(request),
        Format::Gemini => gemini::body(request),
        Format::Ollama => ollama::body(target, request),
    }
}

/// The system prompt as one text.
fn system_text(request: &ModelRequest) -> String {
    let blocks = request.system.iter().map(|block| block.text.as_str());
    blocks.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Arguments as an object. What was no object goes back as it was, in a field that says so.
fn arguments_object(call: &ToolCall) -> Map<String, Value> {
    match &call.arguments {
        Arguments::Object(fields) => fields.clone(),
        Arguments::Malformed(raw) => {
            Map::from_iter([("malformed_arguments".to_owned(), Value::String(raw.clone()))])
        }
    }
}

fn arguments_text(call: &ToolCall) -> String {
    Value::Object(arguments_object(call)).to_string()
}

/// The thinking of a message: readable form and signature.
fn reasoning_of(message: &Message) -> Option<(&str, Option<&str>)> {
    message.parts.iter().find_map(|part| match part {
        Part::Reasoning { text, signature } => Some((text.as_str(), signature.as_deref())),
        _ => None,
    })
}

/// The name of the tool that a result answers: the last call with that id before it.
fn tool_name<'a>(messages: &'a [Message], id: &str) -> &'a str {
    let calls = messages.iter().rev().flat_map(Message::tool_calls);
    calls.into_iter().find(|call| call.id.as_str() == id).map_or("tool", |call| call.name.as_str())
}

/// Where the messages after the last one of the person begin.
fn current_turn(messages: &[Message]) -> usize {
    messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1)
}

/// `data:` form of an image.
fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

/// Adds a field unless it is null.
fn put(body: &mut Map<String, Value>, name: &str, value: impl Into<Option<Value>>) {
    if let Some(value) = value.into()
        && !value.is_null()
    {
        body.insert(name.to_owned(), value);
    }
}

/// 0.7 as an `f32` must not become 0.699999988079071.
fn temperature(request: &ModelRequest) -> Option<Value> {
    let number = request.temperature?;
    Some(json!((f64::from(number) * 1000.0).round() / 1000.0))
}
