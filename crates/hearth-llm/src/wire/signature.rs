//! What a provider wants back unchanged with its own thinking, as one opaque text.
//!
//! Invariant: a signature of one wire format is never sent in another. Left out: the thinking itself
//! as people read it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The opaque form, by wire format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Signature {
    /// Nothing to send back.
    #[default]
    None,
    /// Thinking blocks, redacted ones too, as they go back.
    Anthropic(Vec<Value>),
    /// Reasoning items with encrypted content.
    Responses(Vec<Value>),
    /// Gemini signs parts: `calls` by position, and the text.
    Gemini {
        /// One for each tool call, where it was signed.
        calls: Vec<Option<String>>,
        /// Of the last signed text part.
        text: Option<String>,
    },
    /// OpenRouter's signed or encrypted `reasoning_details`.
    Details(Vec<Value>),
}

impl Signature {
    /// As it is kept in a message; none where there is nothing to send back.
    pub(crate) fn seal(&self) -> Option<String> {
        let empty = match self {
            Self::None => true,
            Self::Anthropic(items) | Self::Responses(items) | Self::Details(items) => {
                items.is_empty()
            }
            Self::Gemini { calls, text } => text.is_none() && calls.iter().all(Option::is_none),
        };
        if empty { None } else { serde_json::to_string(self).ok() }
    }

    /// Reads what [`Signature::seal`] wrote; anything else is nothing.
    pub(crate) fn open(sealed: Option<&str>) -> Self {
        sealed.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Adds an item of Anthropic's.
    pub(crate) fn push_anthropic(&mut self, block: Value) {
        match self {
            Self::Anthropic(blocks) => blocks.push(block),
            _ => *self = Self::Anthropic(vec![block]),
        }
    }

    /// Adds an item of the Responses API.
    pub(crate) fn push_responses(&mut self, item: Value) {
        match self {
            Self::Responses(items) => items.push(item),
            _ => *self = Self::Responses(vec![item]),
        }
    }

    /// Adds an OpenRouter detail.
    pub(crate) fn push_detail(&mut self, detail: Value) {
        match self {
            Self::Details(details) => details.push(detail),
            _ => *self = Self::Details(vec![detail]),
        }
    }

    /// Notes Gemini's signature of the call at `position`, or of text.
    pub(crate) fn sign_gemini(&mut self, position: Option<usize>, signature: &str) {
        if !matches!(self, Self::Gemini { .. }) {
            *self = Self::Gemini { calls: Vec::new(), text: None };
        }
        let Self::Gemini { calls, text } = self else { return };
        match position {
            None => *text = Some(signature.to_owned()),
            Some(position) => {
                if calls.len() <= position {
                    calls.resize(position + 1, None);
                }
                if let Some(slot) = calls.get_mut(position) {
                    *slot = Some(signature.to_owned());
                }
            }
        }
    }
}
