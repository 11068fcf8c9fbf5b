//! Gathers what one stream says into one reply: the same for every wire format.
//!
//! Invariants: the text deltas given out, joined, are the reply's text; a call whose arguments are no
//! JSON object is kept as it came; call ids are unique within the reply. Left out: wire formats.

use super::signature::Signature;
use hearth_protocol::{Arguments, CallId, Finish, ModelDelta, ModelReply, TokenUsage, ToolCall};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// An error that a server put into its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamError {
    /// The server's words.
    pub message: String,
    /// Its type, status or code.
    pub kind: Option<String>,
}

impl StreamError {
    /// Reads the value of an `error` field: an object, or bare text.
    pub(crate) fn of(value: &Value) -> Self {
        let Value::Object(fields) = value else {
            return Self { message: plain(value), kind: None };
        };
        // Gemini sends a number as `code` and the word as `status`: the word says more.
        let kind = ["type", "status", "code"]
            .iter()
            .filter_map(|name| fields.get(*name))
            .find(|value| !value.is_null() && value.as_str() != Some(""))
            .map(plain);
        Self { message: fields.get("message").map(plain).unwrap_or_default(), kind }
    }
}

/// A JSON value as text without quotes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A tool call as far as it has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallDraft {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) raw: String,
}

/// The reply so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Merge {
    text: String,
    reasoning: String,
    refusal: String,
    pub(crate) calls: Vec<CallDraft>,
    server_tools: Vec<String>,
    finish: Option<Finish>,
    finish_raw: Option<String>,
    pub(crate) usage: Option<TokenUsage>,
    pub(crate) error: Option<StreamError>,
    pub(crate) complete: bool,
    /// Nothing after this counts.
    pub(crate) ended: bool,
    /// Well-formed events seen.
    pub(crate) events: usize,
    pub(crate) signature: Signature,
    fresh: Vec<ModelDelta>,
}

impl Merge {
    pub(crate) fn text(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.text.push_str(piece);
            match self.fresh.last_mut() {
                Some(ModelDelta::Text(last)) => last.push_str(piece),
                _ => self.fresh.push(ModelDelta::Text(piece.to_owned())),
            }
        }
    }

    pub(crate) fn reasoning(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.reasoning.push_str(piece);
            match self.fresh.last_mut() {
                Some(ModelDelta::Reasoning(last)) => last.push_str(piece),
                _ => self.fresh.push(ModelDelta::Reasoning(piece.to_owned())),
            }
        }
    }

    pub(crate) fn refusal(&mut self, piece: &str) {
        self.refusal.push_str(piece);
    }

    pub(crate) fn server_tool(&mut self, name: &str) {
        self.server_tools.push(name.to_owned());
        self.fresh.push(ModelDelta::ServerTool(name.to_owned()));
    }

    pub(crate) fn finish(&mut self, raw: &str) {
        self.finish_as(finish_of(raw), Some(raw));
    }

    pub(crate) fn finish_as(&mut self, finish: Finish, raw: Option<&str>) {
        self.finish = Some(finish);
        self.finish_raw = raw.map(str::to_owned);
    }

    /// An error ends the stream; what came before it is kept.
    pub(crate) fn fail(&mut self, error: StreamError) {
        self.error = Some(error);
        self.finish = Some(Finish::Error);
        self.complete = false;
        self.ended = true;
    }

    /// Some event said something. Usage alone stands in more than one format.
    pub(crate) fn understood(&self) -> bool {
        let said = [&self.text, &self.reasoning, &self.refusal].iter().any(|text| !text.is_empty());
        let asked = !self.calls.is_empty() || !self.server_tools.is_empty();
        let ended = self.complete || self.ended || self.finish.is_some();
        said || asked || ended || self.error.is_some()
    }

    /// The deltas since the last time.
    pub(crate) fn take_fresh(&mut self) -> Vec<ModelDelta> {
        std::mem::take(&mut self.fresh)
    }

    /// The reply, and the error that ended it.
    pub(crate) fn into_parts(self) -> (ModelReply, Option<StreamError>) {
        let tool_calls = calls_of(self.calls);
        // Gemini, Ollama and the Responses API say `stop` also when they want a tool run.
        let finish = match self.finish {
            Some(Finish::Stop) if !tool_calls.is_empty() => Some(Finish::ToolCalls),
            other => other,
        };
        let reply = ModelReply {
            complete: self.complete,
            text: self.text,
            reasoning: self.reasoning,
            reasoning_signature: if self.complete { self.signature.seal() } else { None },
            refusal: (!self.refusal.is_empty()).then_some(self.refusal),
            tool_calls,
            server_tools: self.server_tools,
            finish,
            finish_raw: self.finish_raw,
            usage: self.usage,
        };
        (reply, self.error)
    }
}

fn calls_of(drafts: Vec<CallDraft>) -> Vec<ToolCall> {
    let mut seen = HashSet::new();
    let with_unique_ids = drafts.into_iter().map(|draft| {
        let given = draft.id.filter(|id| !id.is_empty() && seen.insert(id.clone()));
        let id = given.map_or_else(made_id, CallId);
        ToolCall { id, name: draft.name, arguments: arguments_of(draft.raw) }
    });
    with_unique_ids.collect()
}

/// Some providers cap ids at 40 characters and some want a prefix that reads like their own.
fn made_id() -> CallId {
    CallId(format!("call_{}", CallId::new()))
}

/// Nothing, or the word `null`, means no arguments; anything but an object is kept as it came.
fn arguments_of(raw: String) -> Arguments {
    if matches!(raw.trim(), "" | "null") {
        return Arguments::Object(Map::new());
    }
    Arguments::parse(&raw)
}

/// One small set of words for the reasons of all providers.
fn finish_of(raw: &str) -> Finish {
    match raw {
        "stop" | "end_turn" | "stop_sequence" | "STOP" | "completed" | "eos" => Finish::Stop,
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "max_output_tokens"
        | "model_context_window_exceeded" => Finish::Length,
        "tool_calls" | "tool_use" | "function_call" => Finish::ToolCalls,
        "content_filter" | "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" => {
            Finish::ContentFilter
        }
        "refusal" => Finish::Refusal,
        "pause_turn" => Finish::Pause,
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "error" => Finish::Error,
        _ => Finish::Other,
    }
}
