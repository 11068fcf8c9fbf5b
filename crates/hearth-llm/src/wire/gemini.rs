//! Gemini `streamGenerateContent`. The end is a `finishReason`; calls always come whole.

use super::merge::{CallDraft, Merge, StreamError, plain};
use super::{count_of, error_field, list_of, text_of};
use hearth_protocol::{Finish, TokenUsage};
use serde_json::Value;

pub(crate) fn event(json: &Value, merge: &mut Merge) {
    if let Some(error) = error_field(json) {
        merge.fail(StreamError::of(error));
        return;
    }
    if let Some(usage) = json.get("usageMetadata").filter(|usage| usage.is_object()) {
        // It grows from chunk to chunk; thoughts are billed as output.
        let sum = |a, b| count_of(usage, a).saturating_add(count_of(usage, b));
        merge.usage = Some(TokenUsage {
            input: sum("promptTokenCount", "toolUsePromptTokenCount"),
            cached: count_of(usage, "cachedContentTokenCount"),
            output: sum("candidatesTokenCount", "thoughtsTokenCount"),
        });
    }
    let feedback = json.get("promptFeedback").unwrap_or(&Value::Null);
    let blocked = text_of(feedback, "blockReason");
    if !blocked.is_empty() {
        let message = "prompt blocked".to_owned();
        merge.error = Some(StreamError { message, kind: Some(blocked.to_owned()) });
        merge.finish_as(Finish::ContentFilter, Some(blocked));
        merge.complete = true;
    }
    let Some(candidate) = list_of(json, "candidates").first() else { return };
    for part in candidate.get("content").map_or(&[][..], |content| list_of(content, "parts")) {
        self::part(part, merge);
    }
    let reason = text_of(candidate, "finishReason");
    if !reason.is_empty() {
        merge.finish(reason);
        merge.complete = true;
    }
}

fn part(part: &Value, merge: &mut Merge) {
    let signature = text_of(part, "thoughtSignature");
    let mut signed_call = None;
    if let Some(function) = part.get("functionCall") {
        signed_call = Some(merge.calls.len());
        merge.calls.push(CallDraft {
            id: function.get("id").and_then(Value::as_str).map(str::to_owned),
            name: text_of(function, "name").to_owned(),
            raw: function
                .get("args")
                .filter(|args| !args.is_null())
                .map_or_else(String::new, plain),
        });
    } else if part.get("executableCode").is_some() {
        merge.server_tool("code_execution");
    } else if let Some(call) = part.get("toolCall") {
        let kind = text_of(call, "toolType");
        merge.server_tool(if kind.is_empty() { "tool" } else { kind });
    } else if part.get("thought").and_then(Value::as_bool) == Some(true) {
        merge.reasoning(text_of(part, "text"));
    } else {
        merge.text(text_of(part, "text"));
    }
    if !signature.is_empty() {
        merge.signature.sign_gemini(signed_call, signature);
    }
}
