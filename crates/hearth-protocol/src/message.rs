//! What a conversation is made of: messages of typed parts, in one form for every provider.

use crate::{CallId, MessageId, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions from Hearth.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
}

/// The arguments of a tool call.
///
/// Text that is no JSON object is kept as it came: it goes back to the model as an error and never runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Arguments {
    /// A JSON object, the only form that may run.
    Object(Map<String, Value>),
    /// What the model sent instead.
    Malformed(String),
}

/// One request of the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolCall {
    /// Unique in its conversation.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
}

/// What came back from a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolResult {
    /// The call it answers.
    pub call: CallId,
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// The result as the model reads it.
    pub text: String,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text, as Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// The model's thinking. Providers that sign it want it back unchanged.
    Reasoning {
        /// Readable form; may be empty where the provider hides it.
        text: String,
        /// The provider's signature or opaque form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A request to run a tool.
    ToolCall(ToolCall),
    /// The outcome of one.
    ToolResult(ToolResult),
    /// An image, base64.
    Image {
        /// For example `image/png`.
        media_type: String,
        /// Base64 without line breaks.
        data: String,
    },
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// Unix seconds.
    pub at: i64,
    /// The turn it belongs to; none for imported history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}

impl Message {
    /// A message of one text part with a new id.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>, at: i64) -> Self {
        let parts = vec![Part::Text { text: text.into() }];
        Self { id: MessageId::new(), role, parts, at, turn: None }
    }

    /// All text parts, joined.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolSpec {
    /// The name that models, skills and policies use.
    pub name: String,
    /// One or two sentences for the model.
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}
