//! Chat completions, as OpenAI and the many servers after it stream them.
//!
//! The end is the finish reason of choice 0. `[DONE]` alone is none, and many servers never send it.

use super::merge::{CallDraft, Merge, StreamError};
use super::{count_of, error_field, list_of, text_of};
use hearth_protocol::TokenUsage;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub(crate) struct Codec {
    by_index: HashMap<u64, usize>,
}

impl Codec {
    pub(crate) fn event(&mut self, json: &Value, merge: &mut Merge) {
        let choices = list_of(json, "choices");
        if let Some(error) = error_field(json)
            && choices.is_empty()
        {
            merge.fail(StreamError::of(error));
            return;
        }
        if let Some(usage) = usage_of(json) {
            merge.usage = Some(usage);
        }
        for choice in choices {
            // Only the first alternative is ours.
            if count_of(choice, "index") == 0 {
                self.choice(choice, merge);
            }
        }
    }

    fn choice(&mut self, choice: &Value, merge: &mut Merge) {
        if let Some(delta) = choice.get("delta") {
            content(delta, merge);
            thinking(delta, merge);
            merge.refusal(text_of(delta, "refusal"));
            for piece in list_of(delta, "tool_calls") {
                self.call_piece(piece, merge);
            }
        }
        let reason = text_of(choice, "finish_reason");
        if !reason.is_empty() {
            merge.finish(reason);
            merge.complete = true;
        }
    }

    fn call_piece(&mut self, piece: &Value, merge: &mut Merge) {
        let function = piece.get("function").unwrap_or(&Value::Null);
        let id = Some(text_of(piece, "id")).filter(|id| !id.is_empty());
        let index = piece.get("index").and_then(Value::as_u64);
        let name = text_of(function, "name");
        let at = self.find(index, id, name, merge).unwrap_or_else(|| {
            merge.calls.push(CallDraft::default());
            let at = merge.calls.len() - 1;
            if let Some(index) = index {
                self.by_index.insert(index, at);
            }
            at
        });
        let Some(call) = merge.calls.get_mut(at) else { return };
        if call.id.is_none() {
            call.id = id.map(str::to_owned);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        match function.get("arguments") {
            Some(Value::String(text)) => call.raw.push_str(text),
            Some(Value::Object(fields)) => {
                call.raw.push_str(&Value::Object(fields.clone()).to_string());
            }
            _ => {}
        }
    }

    /// By index; without one, a new id opens a call and a piece without id continues the last one.
    /// The same index with another id and a name is another call: some servers send index 0 for each.
    fn find(
        &self,
        index: Option<u64>,
        id: Option<&str>,
        name: &str,
        merge: &Merge,
    ) -> Option<usize> {
        let at = match (index, id) {
            (Some(index), _) => self.by_index.get(&index).copied(),
            (None, Some(id)) => merge.calls.iter().position(|call| call.id.as_deref() == Some(id)),
            (None, None) => merge.calls.len().checked_sub(1),
        }?;
        let known = merge.calls.get(at)?.id.as_deref();
        let another = !name.is_empty() && matches!((known, id), (Some(a), Some(b)) if a != b);
        (!another).then_some(at)
    }
}

fn content(delta: &Value, merge: &mut Merge) {
    match delta.get("content") {
        Some(Value::String(text)) => merge.text(text),
        // Mistral: a list of text and thinking parts.
        Some(Value::Array(parts)) => {
            for part in parts {
                match text_of(part, "type") {
                    "text" => merge.text(text_of(part, "text")),
                    "thinking" => {
                        for thought in list_of(part, "thinking") {
                            merge.reasoning(text_of(thought, "text"));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Three names for the same thing; some servers send two of them with the same text in one delta.
fn thinking(delta: &Value, merge: &mut Merge) {
    let details = list_of(delta, "reasoning_details");
    let plain = ["reasoning_content", "reasoning"]
        .iter()
        .map(|name| text_of(delta, name))
        .find(|text| !text.is_empty());
    match plain {
        Some(text) => merge.reasoning(text),
        None => {
            for detail in details {
                let text = text_of(detail, "text");
                merge.reasoning(if text.is_empty() { text_of(detail, "summary") } else { text });
            }
        }
    }
    for detail in details {
        if detail.get("data").is_some() || !text_of(detail, "signature").is_empty() {
            merge.signature.push_detail(detail.clone());
        }
    }
}

/// On a chunk of its own with empty choices, or on any chunk: the last one counts.
fn usage_of(json: &Value) -> Option<TokenUsage> {
    let filled = |value: &&Value| value.as_object().is_some_and(|fields| !fields.is_empty());
    let usage = json
        .get("usage")
        .filter(filled)
        .or_else(|| json.get("x_groq").and_then(|groq| groq.get("usage")).filter(filled))?;
    let details = usage.get("prompt_tokens_details").unwrap_or(&Value::Null);
    let cached = match count_of(details, "cached_tokens") {
        0 => count_of(usage, "prompt_cache_hit_tokens"),
        cached => cached,
    };
    Some(TokenUsage {
        input: count_of(usage, "prompt_tokens"),
        cached,
        output: count_of(usage, "completion_tokens"),
    })
}
