//! OpenAI's Responses API. The end is `response.completed` or `response.incomplete`.

use super::merge::{CallDraft, Merge, StreamError};
use super::{count_of, error_field, text_of};
use hearth_protocol::{Finish, TokenUsage};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub(crate) struct Codec {
    by_output: HashMap<u64, usize>,
}

impl Codec {
    pub(crate) fn event(&mut self, json: &Value, merge: &mut Merge) {
        let delta = text_of(json, "delta");
        let item = json.get("item").unwrap_or(&Value::Null);
        let output = json.get("output_index").and_then(Value::as_u64);
        match text_of(json, "type") {
            "response.output_text.delta" => merge.text(delta),
            "response.refusal.delta" => merge.refusal(delta),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                merge.reasoning(delta);
            }
            "response.output_item.added" => self.added(item, output, merge),
            "response.function_call_arguments.delta" => {
                let at = output.and_then(|output| self.by_output.get(&output));
                if let Some(call) = at.and_then(|&at| merge.calls.get_mut(at)) {
                    call.raw.push_str(delta);
                }
            }
            "response.output_item.done" => self.done(item, output, merge),
            "response.completed" | "response.incomplete" | "response.failed" => end(json, merge),
            "error" => merge.fail(StreamError::of(error_field(json).unwrap_or(json))),
            _ => {}
        }
    }

    fn added(&mut self, item: &Value, output: Option<u64>, merge: &mut Merge) {
        match text_of(item, "type") {
            "function_call" => {
                let call = CallDraft {
                    id: item.get("call_id").and_then(Value::as_str).map(str::to_owned),
                    name: text_of(item, "name").to_owned(),
                    raw: text_of(item, "arguments").to_owned(),
                };
                self.open(call, output, merge);
            }
            other if other.ends_with("_call") => merge.server_tool(other),
            _ => {}
        }
    }

    /// The finished item is the truth: whole arguments, final id.
    fn done(&mut self, item: &Value, output: Option<u64>, merge: &mut Merge) {
        match text_of(item, "type") {
            "function_call" => {
                let known = output.and_then(|output| self.by_output.get(&output)).copied();
                let at = known.unwrap_or_else(|| self.open(CallDraft::default(), output, merge));
                let Some(call) = merge.calls.get_mut(at) else { return };
                let last = |field| Some(text_of(item, field)).filter(|text| !text.is_empty());
                if let Some(id) = last("call_id") {
                    call.id = Some(id.to_owned());
                }
                if let Some(name) = last("name") {
                    name.clone_into(&mut call.name);
                }
                if let Some(raw) = last("arguments") {
                    raw.clone_into(&mut call.raw);
                }
            }
            // Without its encrypted content the server could not find it again: we store nothing there.
            "reasoning" if !text_of(item, "encrypted_content").is_empty() => {
                merge.signature.push_responses(item.clone());
            }
            _ => {}
        }
    }

    fn open(&mut self, call: CallDraft, output: Option<u64>, merge: &mut Merge) -> usize {
        merge.calls.push(call);
        let at = merge.calls.len() - 1;
        if let Some(output) = output {
            self.by_output.insert(output, at);
        }
        at
    }
}

fn end(json: &Value, merge: &mut Merge) {
    let response = json.get("response").unwrap_or(&Value::Null);
    if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
        let details = usage.get("input_tokens_details").unwrap_or(&Value::Null);
        merge.usage = Some(TokenUsage {
            input: count_of(usage, "input_tokens"),
            cached: count_of(details, "cached_tokens"),
            output: count_of(usage, "output_tokens"),
        });
    }
    let kind = text_of(json, "type");
    if kind == "response.failed" || error_field(response).is_some() {
        merge.error = Some(StreamError::of(response.get("error").unwrap_or(&Value::Null)));
        merge.finish_as(Finish::Error, Some("failed"));
    } else if kind == "response.incomplete" {
        let details = response.get("incomplete_details").unwrap_or(&Value::Null);
        let reason = text_of(details, "reason");
        merge.finish(if reason.is_empty() { "incomplete" } else { reason });
        merge.complete = true;
    } else {
        merge.finish("completed");
        merge.complete = true;
    }
}
