//! Anthropic messages. The type inside the payload decides; the end is `message_stop`.

use super::merge::{CallDraft, Merge, StreamError};
use super::{count_of, text_of};
use hearth_protocol::TokenUsage;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub(crate) struct Codec {
    blocks: HashMap<u64, Block>,
    usage: Option<Map<String, Value>>,
}

#[derive(Debug, Clone)]
enum Block {
    Call { at: usize, given: Value },
    Thinking { text: String, signature: String },
    Redacted(Value),
    Other,
}

impl Codec {
    pub(crate) fn event(&mut self, json: &Value, merge: &mut Merge) {
        let index = count_of(json, "index");
        match text_of(json, "type") {
            "message_start" => {
                let message = json.get("message").unwrap_or(&Value::Null);
                self.usage.get_or_insert_default();
                self.add_usage(message);
            }
            "content_block_start" => {
                let block = json.get("content_block").unwrap_or(&Value::Null);
                self.blocks.insert(index, start(block, merge));
            }
            "content_block_delta" => {
                let delta = json.get("delta").unwrap_or(&Value::Null);
                self.delta(index, delta, merge);
            }
            "content_block_stop" => {
                if let Some(block) = self.blocks.remove(&index) {
                    stop(block, merge);
                }
            }
            "message_delta" => {
                self.add_usage(json);
                let delta = json.get("delta").unwrap_or(&Value::Null);
                let reason = text_of(delta, "stop_reason");
                if !reason.is_empty() {
                    merge.finish(reason);
                }
            }
            "message_stop" => merge.complete = true,
            "error" => merge.fail(StreamError::of(json.get("error").unwrap_or(&Value::Null))),
            _ => {}
        }
    }

    /// At the end of the stream: usage is spread over several events, the latest of each field counts.
    pub(crate) fn close(&mut self, merge: &mut Merge) {
        let Some(usage) = self.usage.take().map(Value::Object) else { return };
        let cached = count_of(&usage, "cache_read_input_tokens");
        // `input_tokens` leaves out what was read from or written to the prompt cache.
        let written = count_of(&usage, "cache_creation_input_tokens");
        let plain = count_of(&usage, "input_tokens");
        merge.usage = Some(TokenUsage {
            input: plain.saturating_add(cached).saturating_add(written),
            cached,
            output: count_of(&usage, "output_tokens"),
        });
    }

    fn add_usage(&mut self, holder: &Value) {
        let Some(Value::Object(fields)) = holder.get("usage") else { return };
        let Some(usage) = &mut self.usage else { return };
        let said = fields.iter().filter(|(_, value)| !value.is_null());
        usage.extend(said.map(|(name, value)| (name.clone(), value.clone())));
    }

    fn delta(&mut self, index: u64, delta: &Value, merge: &mut Merge) {
        match (text_of(delta, "type"), self.blocks.get_mut(&index)) {
            ("text_delta", _) => merge.text(text_of(delta, "text")),
            ("thinking_delta", block) => {
                let piece = text_of(delta, "thinking");
                merge.reasoning(piece);
                if let Some(Block::Thinking { text, .. }) = block {
                    text.push_str(piece);
                }
            }
            ("signature_delta", Some(Block::Thinking { signature, .. })) => {
                signature.push_str(text_of(delta, "signature"));
            }
            ("input_json_delta", Some(Block::Call { at, .. })) => {
                if let Some(call) = merge.calls.get_mut(*at) {
                    call.raw.push_str(text_of(delta, "partial_json"));
                }
            }
            _ => {}
        }
    }
}

fn start(block: &Value, merge: &mut Merge) -> Block {
    match text_of(block, "type") {
        "tool_use" => {
            merge.calls.push(CallDraft {
                id: block.get("id").and_then(Value::as_str).map(str::to_owned),
                name: text_of(block, "name").to_owned(),
                raw: String::new(),
            });
            let given = block.get("input").cloned().unwrap_or(Value::Null);
            Block::Call { at: merge.calls.len() - 1, given }
        }
        kind @ ("server_tool_use" | "mcp_tool_use") => {
            let name = text_of(block, "name");
            merge.server_tool(if name.is_empty() { kind } else { name });
            Block::Other
        }
        "text" => {
            merge.text(text_of(block, "text"));
            Block::Other
        }
        "thinking" => {
            let text = text_of(block, "thinking").to_owned();
            merge.reasoning(&text);
            Block::Thinking { text, signature: text_of(block, "signature").to_owned() }
        }
        "redacted_thinking" => Block::Redacted(block.clone()),
        _ => Block::Other,
    }
}

fn stop(block: Block, merge: &mut Merge) {
    match block {
        // A tool without parameters sends no pieces: then the input given at the start counts.
        Block::Call { at, given: Value::Object(fields) } if !fields.is_empty() => {
            if let Some(call) = merge.calls.get_mut(at)
                && call.raw.is_empty()
            {
                call.raw = Value::Object(fields).to_string();
            }
        }
        Block::Thinking { text, signature } if !signature.is_empty() => {
            let block = json!({"type": "thinking", "thinking": text, "signature": signature});
            merge.signature.push_anthropic(block);
        }
        Block::Redacted(block) => merge.signature.push_anthropic(block),
        _ => {}
    }
}
