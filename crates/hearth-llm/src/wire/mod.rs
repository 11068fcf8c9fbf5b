//! The five wire formats, read: bytes in, deltas out, one merged reply at the end. No IO.
//!
//! Invariants: the result does not depend on where the bytes were cut; no input panics; unknown
//! events, blocks and fields change nothing; a stream that ends early is never complete.
//! Left out: requests (`encode`), HTTP (`client`), what an error means (`fault`).

mod anthropic;
mod frame;
mod gemini;
mod merge;
mod ollama;
mod openai_chat;
mod openai_responses;
mod signature;
mod sniff;

pub use merge::StreamError;
pub(crate) use merge::plain;
pub(crate) use signature::Signature;
pub(crate) use sniff::recognise;

use crate::call::CallError;
use crate::fault::{self, Trouble};
use frame::{Framing, Splitter};
use hearth_protocol::api::models::ProviderKind;
use hearth_protocol::{Finish, ModelDelta, ModelReply};
use merge::Merge;
use serde_json::Value;

/// What a server on the network speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Chat completions.
    OpenaiChat,
    /// The Responses API.
    OpenaiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Gemini `streamGenerateContent`.
    Gemini,
    /// Ollama `/api/chat`.
    Ollama,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The format of a kind of provider; none for the model in this process.
    #[must_use]
    pub fn of(kind: ProviderKind) -> Option<Self> {
        match kind {
            ProviderKind::Openai => Some(Self::OpenaiChat),
            ProviderKind::OpenaiResponses => Some(Self::OpenaiResponses),
            ProviderKind::Anthropic => Some(Self::Anthropic),
            ProviderKind::Gemini => Some(Self::Gemini),
            ProviderKind::Ollama => Some(Self::Ollama),
            ProviderKind::Local => None,
        }
    }

    /// The kind of provider that speaks it.
    #[must_use]
    pub fn kind(self) -> ProviderKind {
        match self {
            Self::OpenaiChat => ProviderKind::Openai,
            Self::OpenaiResponses => ProviderKind::OpenaiResponses,
            Self::Anthropic => ProviderKind::Anthropic,
            Self::Gemini => ProviderKind::Gemini,
            Self::Ollama => ProviderKind::Ollama,
        }
    }
}

#[derive(Debug, Clone)]
enum Codec {
    OpenaiChat(openai_chat::Codec),
    OpenaiResponses(openai_responses::Codec),
    Anthropic(anthropic::Codec),
    Gemini,
    Ollama,
}

/// Reads one streamed reply.
#[derive(Debug, Clone)]
pub struct Decoder {
    splitter: Splitter,
    codec: Codec,
    merge: Merge,
}

impl Decoder {
    /// A reader for one reply.
    #[must_use]
    pub fn new(format: Format) -> Self {
        let codec = match format {
            Format::OpenaiChat => Codec::OpenaiChat(openai_chat::Codec::default()),
            Format::OpenaiResponses => Codec::OpenaiResponses(openai_responses::Codec::default()),
            Format::Anthropic => Codec::Anthropic(anthropic::Codec::default()),
            Format::Gemini => Codec::Gemini,
            Format::Ollama => Codec::Ollama,
        };
        let framing = if format == Format::Ollama { Framing::Lines } else { Framing::Sse };
        Self { splitter: Splitter::new(framing), codec, merge: Merge::default() }
    }

    /// Takes the next bytes, cut anywhere; gives what they add.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelDelta> {
        for event in self.splitter.feed(bytes) {
            self.event(&event);
        }
        if self.splitter.overlong() && !self.merge.ended {
            let message = "the server sent an event without end".to_owned();
            self.merge.fail(StreamError { message, kind: None });
        }
        self.merge.take_fresh()
    }

    /// Nothing that could follow would change the reply: the connection may be dropped.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.merge.ended
    }

    /// The reply has reached its end; usage may follow.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.merge.complete
    }

    /// Well-formed events so far; with none, the answer was no stream at all.
    #[must_use]
    pub fn events(&self) -> usize {
        self.merge.events
    }

    /// Something of it meant something in this format.
    #[must_use]
    pub fn understood(&self) -> bool {
        self.merge.understood()
    }

    /// Takes the end of the stream. The deltas are those of a last event without a newline.
    #[must_use]
    pub fn finish(mut self) -> Decoded {
        for event in self.splitter.finish() {
            self.event(&event);
        }
        if let Codec::Anthropic(codec) = &mut self.codec {
            codec.close(&mut self.merge);
        }
        let deltas = self.merge.take_fresh();
        let events = self.merge.events;
        let (reply, error) = self.merge.into_parts();
        Decoded { deltas, reply, error, events }
    }

    fn event(&mut self, data: &str) {
        if self.merge.ended {
            return;
        }
        if matches!(self.codec, Codec::OpenaiChat(_)) && data.trim() == "[DONE]" {
            self.merge.events += 1;
            self.merge.ended = true;
            return;
        }
        // A stray line of a proxy is skipped and the stream goes on.
        let Some(json) = parse(data) else { return };
        self.merge.events += 1;
        match &mut self.codec {
            Codec::OpenaiChat(codec) => codec.event(&json, &mut self.merge),
            Codec::OpenaiResponses(codec) => codec.event(&json, &mut self.merge),
            Codec::Anthropic(codec) => codec.event(&json, &mut self.merge),
            Codec::Gemini => gemini::event(&json, &mut self.merge),
            Codec::Ollama => ollama::event(&json, &mut self.merge),
        }
    }
}

/// A stream read to its end.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// Deltas that only the end brought out.
    pub deltas: Vec<ModelDelta>,
    /// The merged reply.
    pub reply: ModelReply,
    /// The error that ended it, or that explains its finish.
    pub error: Option<StreamError>,
    /// Well-formed events seen.
    pub events: usize,
}

impl Decoded {
    /// The reply if it is whole, else the fault and what came. `trouble` is why the bytes ended, if
    /// the connection did not simply close; it means nothing to a reply that is whole already.
    ///
    /// # Errors
    /// [`CallError`] for a stream that was cut or that ended in an error.
    pub fn conclude(self, url: &str, trouble: Option<Trouble>) -> Result<ModelReply, CallError> {
        let reply = self.reply;
        let shown = !reply.text.is_empty();
        let empty = !shown && reply.tool_calls.is_empty();
        let failed = reply.finish == Some(Finish::Error) && empty;
        if reply.complete && !failed {
            return Ok(reply);
        }
        let fault = match (self.error, trouble) {
            (Some(error), _) => fault::of_stream_error(&error, url, shown),
            (None, Some(trouble)) if self.events == 0 => trouble.fault(url),
            (None, _) if failed => {
                let message = reply.finish_raw.clone().unwrap_or_default();
                fault::of_stream_error(&StreamError { message, kind: None }, url, shown)
            }
            (None, _) => fault::of_cut(url, self.events > 0, shown),
        };
        Err(CallError { fault, partial: Box::new(ModelReply { complete: false, ..reply }) })
    }
}

/// An event's JSON object. Half of a surrogate pair (an emoji cut by a careless server) makes JSON
/// invalid for us but must not lose the text around it.
fn parse(data: &str) -> Option<Value> {
    let value: Value = match serde_json::from_str(data) {
        Ok(value) => value,
        Err(_) => serde_json::from_str(&mend_surrogates(data)?).ok()?,
    };
    value.is_object().then_some(value)
}

/// Replaces each lone `\uD8xx` escape; none if there is nothing to mend.
fn mend_surrogates(data: &str) -> Option<String> {
    let mut out = String::with_capacity(data.len());
    let mut rest = data;
    let mut mended = false;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        let length = match (escape_unit(rest), rest.get(6..).and_then(escape_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended = true;
                out.push_str("\\ufffd");
                rest = rest.get(6..)?;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest.chars().nth(1)?.len_utf8(),
        };
        out.push_str(rest.get(..length)?);
        rest = rest.get(length..)?;
    }
    out.push_str(rest);
    mended.then_some(out)
}

/// The code unit of a `\uXXXX` that stands first.
fn escape_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// A field as text; empty if it is absent or something else.
pub(crate) fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A field as a list; empty if it is absent or something else.
pub(crate) fn list_of<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A field as a count; zero if it is absent or something else.
pub(crate) fn count_of(value: &Value, field: &str) -> u64 {
    let number = value.get(field);
    number.and_then(Value::as_u64).unwrap_or_else(|| {
        // Some servers send 12.0.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let rounded = number.and_then(Value::as_f64).unwrap_or_default() as u64;
        rounded
    })
}

/// An error field that says something: not null, false, empty text or an empty object.
pub(crate) fn error_field(value: &Value) -> Option<&Value> {
    value.get("error").filter(|error| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    })
}
