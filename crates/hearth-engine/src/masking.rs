//! No secret where it is not needed: what is shown, stored, sent to a model or given to a tool.
//!
//! Invariants: a known value stands in no event, stored message or prompt and reaches no tool by its
//! arguments (where one is needed it comes by another way: the header of a provider, the environment of an MCP
//! server or of a skill's script); keys of well-known services are masked in what models read and people are
//! shown. What a person wrote is stored with known values masked alone. Files of the workspace are never
//! changed by this.
//! Absent here: the audit log and the log files, which mask what only looks like a key, too.

use crate::logging::redactor;
use hearth_guard::redact::MASK;
use hearth_llm::{CallError, ChatModel, Sink};
use hearth_protocol::{
    Arguments, EventBody, Message, ModelDelta, ModelReply, ModelRequest, Part, ToolCall, ToolResult,
};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How a text is masked.
type Way = fn(&str) -> Cow<'_, str>;

/// Known values alone.
fn values(text: &str) -> Cow<'_, str> {
    redactor().values(text)
}

/// Known values, and keys of well-known services.
fn secrets(text: &str) -> Cow<'_, str> {
    redactor().secrets(text)
}

/// A text for people and models.
pub(crate) fn text(text: &mut String) {
    put(text, secrets);
}

fn put(text: &mut String, way: Way) {
    if let Cow::Owned(masked) = way(text) {
        *text = masked;
    }
}

fn value(value: &mut Value, way: Way) {
    match value {
        Value::String(text) => put(text, way),
        Value::Array(items) => items.iter_mut().for_each(|item| self::value(item, way)),
        Value::Object(object) => object.values_mut().for_each(|item| self::value(item, way)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn arguments(arguments: &mut Arguments, way: Way) {
    match arguments {
        Arguments::Object(object) => object.values_mut().for_each(|item| value(item, way)),
        Arguments::Malformed(text) => put(text, way),
    }
}

/// A call as the tool gets it. Keys of known forms stay: the file may be about one.
pub(crate) fn call(call: &ToolCall) -> ToolCall {
    let mut call = call.clone();
    put(&mut call.name, values);
    arguments(&mut call.arguments, values);
    call
}

/// The arguments of a call as they are shown and stored.
pub(crate) fn shown(given: &Arguments) -> Arguments {
    let mut given = given.clone();
    arguments(&mut given, secrets);
    given
}

/// What a person said, before it is stored.
pub(crate) fn said(parts: &mut [Part]) {
    parts.iter_mut().for_each(|one| part(one, values));
}

/// A message of a turn, before it is stored.
pub(crate) fn message(message: &mut Message) {
    message.parts.iter_mut().for_each(|one| part(one, secrets));
}

fn part(part: &mut Part, way: Way) {
    match part {
        Part::Text { text } | Part::ToolResult(ToolResult { text, .. }) => put(text, way),
        Part::Reasoning { text, signature } => {
            if let Cow::Owned(masked) = way(text) {
                // It was signed as it stood.
                (*text, *signature) = (masked, None);
            }
        }
        Part::ToolCall(call) => {
            put(&mut call.name, way);
            arguments(&mut call.arguments, way);
        }
        Part::Image { .. } => {}
    }
}

/// What is shown of a turn.
pub(crate) fn event(body: &mut EventBody) {
    match body {
        // The many: masked in place.
        EventBody::Text { text: shown }
        | EventBody::Reasoning { text: shown }
        | EventBody::ToolOutput { text: shown, .. }
        | EventBody::ToolEnd { result: shown, .. }
        | EventBody::Done { reply: shown, .. } => text(shown),
        EventBody::ToolStart { tool, arguments: given, .. } => {
            text(tool);
            arguments(given, secrets);
        }
        EventBody::Started {} | EventBody::Usage(_) | EventBody::Compacted { .. } => {}
        other => {
            let Ok(mut all) = serde_json::to_value(&*other) else { return };
            let before = all.clone();
            value(&mut all, secrets);
            if all != before
                && let Ok(masked) = serde_json::from_value(all)
            {
                *other = masked;
            }
        }
    }
}

/// Whether a text that is to take the place of another one has masks where that one has secrets: whoever wrote
/// it was not shown them, and they would be lost.
pub(crate) fn loses_secrets(before: &str, after: &str) -> bool {
    after.contains(MASK)
        && matches!(redactor().secrets(before), Cow::Owned(shown)
            if shown.matches(MASK).count() > before.matches(MASK).count())
}

/// A model that is told no secret and tells none.
pub(crate) struct Masked(pub(crate) Arc<dyn ChatModel>);

#[async_trait::async_trait]
impl ChatModel for Masked {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError> {
        let mut request = request.clone();
        request.system.iter_mut().for_each(|block| text(&mut block.text));
        request.messages.iter_mut().for_each(message);
        let (mut said, mut thought) = (redactor().stream(), redactor().stream());
        let mut pass = |delta: ModelDelta| match delta {
            ModelDelta::Text(piece) => tell(said.feed(&piece), ModelDelta::Text, sink),
            ModelDelta::Reasoning(piece) => {
                tell(thought.feed(&piece), ModelDelta::Reasoning, sink);
            }
            other => sink(other),
        };
        let result = self.0.call(&request, &mut pass, cancel).await;
        tell(thought.finish(), ModelDelta::Reasoning, sink);
        tell(said.finish(), ModelDelta::Text, sink);
        match result {
            Ok(mut reply) => {
                self::reply(&mut reply);
                Ok(reply)
            }
            Err(mut error) => {
                self::reply(&mut error.partial);
                Err(error)
            }
        }
    }
}

fn tell(piece: String, delta: fn(String) -> ModelDelta, sink: Sink<'_>) {
    if !piece.is_empty() {
        sink(delta(piece));
    }
}

/// Calls stay as they are: the guard has to see what they hold.
fn reply(reply: &mut ModelReply) {
    text(&mut reply.text);
    if let Cow::Owned(masked) = secrets(&reply.reasoning) {
        (reply.reasoning, reply.reasoning_signature) = (masked, None);
    }
    reply.refusal.iter_mut().for_each(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_write_that_would_lose_a_secret_is_known() {
        let key = "key = sk-proj-abcdefghij0123456789\nmode = 1\n";
        assert!(loses_secrets(key, "key = sk-***\nmode = 2\n"));
        assert!(!loses_secrets(key, "mode = 2\n"), "it was taken out on purpose");
        assert!(!loses_secrets("a *** b", "a *** c"), "no secret stands there");
    }

    #[test]
    fn events_of_every_kind_are_masked() {
        let key = "sk-proj-abcdefghij0123456789";
        let mut notice = EventBody::Notice { title: format!("{key}!"), body: key.to_owned() };
        event(&mut notice);
        let masked = EventBody::Notice { title: "sk-***!".to_owned(), body: "sk-***".to_owned() };
        assert_eq!(notice, masked);
        let Value::Object(object) = json!({"a": [{"b": key}]}) else { return };
        let given = shown(&Arguments::Object(object));
        assert_eq!(json!(given), json!({"a": [{"b": "sk-***"}]}));
    }
}
