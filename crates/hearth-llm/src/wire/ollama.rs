//! Ollama `/api/chat`: one object a line. The end is `done: true`; calls always come whole.

use super::merge::{CallDraft, Merge, StreamError, plain};
use super::{count_of, error_field, list_of, text_of};
use hearth_protocol::TokenUsage;
use serde_json::Value;

pub(crate) fn event(json: &Value, merge: &mut Merge) {
    if let Some(error) = error_field(json) {
        merge.fail(StreamError::of(error));
        return;
    }
    let message = json.get("message").unwrap_or(&Value::Null);
    merge.text(text_of(message, "content"));
    merge.reasoning(text_of(message, "thinking"));
    for call in list_of(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        let arguments = function.get("arguments").filter(|arguments| !arguments.is_null());
        merge.calls.push(CallDraft {
            id: call.get("id").and_then(Value::as_str).map(str::to_owned),
            name: text_of(function, "name").to_owned(),
            raw: arguments.map_or_else(String::new, plain),
        });
    }
    if json.get("done").and_then(Value::as_bool) == Some(true) {
        let reason = text_of(json, "done_reason");
        merge.finish(if reason.is_empty() { "stop" } else { reason });
        merge.usage = Some(TokenUsage {
            input: count_of(json, "prompt_eval_count"),
            cached: 0,
            output: count_of(json, "eval_count"),
        });
        merge.complete = true;
    }
}
