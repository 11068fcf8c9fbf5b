//! The steps of a reply as events of each wire format.

use super::{Reply, Step};
use crate::wire::Format;
use serde_json::{Value, json};

/// What stands open in the stream: Anthropic and the Responses API number their blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Text,
    Reasoning,
}

pub(crate) struct Speaker {
    format: Format,
    number: usize,
    usage: (u64, u64, u64),
    length: bool,
    calls: usize,
    has_calls: bool,
    block: usize,
    open: Open,
}

impl Speaker {
    pub(crate) fn new(format: Format, number: usize, reply: &Reply) -> Self {
        let has_calls = reply.steps.iter().any(|step| matches!(step, Step::Call { .. }));
        Self {
            format,
            number,
            usage: reply.usage.unwrap_or((10, 0, 5)),
            length: reply.length,
            calls: 0,
            has_calls,
            block: 0,
            open: Open::Nothing,
        }
    }

    pub(crate) fn begin(&mut self) -> Vec<String> {
        let (input, cached, _) = self.usage;
        match self.format {
            Format::OpenaiChat => {
                vec![self.chat(&json!({"role": "assistant", "content": ""}), None)]
            }
            Format::OpenaiResponses => {
                vec![self.event(
                    &json!({"type": "response.created", "response": {"status": "in_progress"}}),
                )]
            }
            Format::Anthropic => {
                let usage = json!({
                    "input_tokens": input.saturating_sub(cached),
                    "cache_read_input_tokens": cached,
                    "cache_creation_input_tokens": 0,
                    "output_tokens": 1,
                });
                let message = json!({"role": "assistant", "content": [], "usage": usage});
                vec![
                    self.event(&json!({"type": "message_start", "message": message})),
                    self.event(&json!({"type": "ping"})),
                ]
            }
            Format::Gemini | Format::Ollama => Vec::new(),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Vec<String> {
        match self.format {
            Format::OpenaiChat => vec![self.chat(&json!({"content": text}), None)],
            Format::OpenaiResponses => {
                let mut out = self.switch(Open::Text);
                out.push(self.event(&json!({
                    "type": "response.output_text.delta", "output_index": self.block, "delta": text,
                })));
                out
            }
            Format::Anthropic => {
                let mut out = self.switch(Open::Text);
                out.push(self.block_delta(&json!({"type": "text_delta", "text": text})));
                out
            }
            Format::Gemini => vec![self.gemini(&[json!({"text": text})])],
            Format::Ollama => vec![self.ollama(&json!({"role": "assistant", "content": text}))],
        }
    }

    pub(crate) fn reasoning(&mut self, text: &str) -> Vec<String> {
        match self.format {
            Format::OpenaiChat => vec![self.chat(&json!({"reasoning_content": text}), None)],
            Format::OpenaiResponses => {
                let mut out = self.switch(Open::Reasoning);
                out.push(self.event(&json!({
                    "type": "response.reasoning_summary_text.delta",
                    "output_index": self.block,
                    "delta": text,
                })));
                out
            }
            Format::Anthropic => {
                let mut out = self.switch(Open::Reasoning);
                out.push(self.block_delta(&json!({"type": "thinking_delta", "thinking": text})));
                out
            }
            Format::Gemini => vec![self.gemini(&[json!({"text": text, "thought": true})])],
            Format::Ollama => {
                vec![self.ollama(&json!({"role": "assistant", "content": "", "thinking": text}))]
            }
        }
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &str) -> Vec<String> {
        self.calls += 1;
        let id = format!("call_{}_{}", self.number, self.calls);
        let (head, tail) = halves(arguments);
        match self.format {
            Format::OpenaiChat => {
                let index = self.calls - 1;
                let piece = |function: Value, id: Option<&str>| json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]});
                vec![
                    self.chat(&piece(json!({"name": name, "arguments": ""}), Some(&id)), None),
                    self.chat(&piece(json!({"arguments": head}), None), None),
                    self.chat(&piece(json!({"arguments": tail}), None), None),
                ]
            }
            Format::OpenaiResponses => self.responses_call(&id, name, arguments),
            Format::Anthropic => {
                let mut out = self.switch(Open::Nothing);
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                out.push(self.block_start(&block));
                for piece in ["", head, tail] {
                    out.push(
                        self.block_delta(
                            &json!({"type": "input_json_delta", "partial_json": piece}),
                        ),
                    );
                }
                out.push(self.block_stop());
                out
            }
            Format::Gemini => {
                let args: Value = serde_json::from_str(arguments).unwrap_or_default();
                let call = json!({"functionCall": {"id": id, "name": name, "args": args}});
                vec![self.gemini(&[call])]
            }
            Format::Ollama => {
                let text = || Value::String(arguments.to_owned());
                let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| text());
                let call = json!({"id": id, "function": {"name": name, "arguments": args}});
                vec![
                    self.ollama(&json!({"role": "assistant", "content": "", "tool_calls": [call]})),
                ]
            }
        }
    }

    pub(crate) fn error(&mut self, kind: &str, message: &str) -> Vec<String> {
        let error = json!({"type": kind, "message": message});
        match self.format {
            Format::OpenaiChat => vec![self.event(&json!({"error": error}))],
            Format::OpenaiResponses | Format::Anthropic => {
                vec![self.event(&json!({"type": "error", "error": error}))]
            }
            Format::Gemini => {
                vec![
                    self.event(
                        &json!({"error": {"code": 503, "status": kind, "message": message}}),
                    ),
                ]
            }
            Format::Ollama => vec![format!("{}\n", json!({"error": message}))],
        }
    }

    pub(crate) fn end(&mut self) -> Vec<String> {
        let (input, cached, output) = self.usage;
        let finish = |length, calls, stop| match (self.length, self.has_calls) {
            (true, _) => length,
            (false, true) => calls,
            (false, false) => stop,
        };
        match self.format {
            Format::OpenaiChat => {
                let reason = finish("length", "tool_calls", "stop");
                let usage = json!({
                    "prompt_tokens": input,
                    "completion_tokens": output,
                    "prompt_tokens_details": {"cached_tokens": cached},
                });
                vec![
                    self.chat(&json!({}), Some(reason)),
                    self.event(&json!({"choices": [], "usage": usage})),
                    "data: [DONE]\n\n".to_owned(),
                ]
            }
            Format::OpenaiResponses => {
                let mut out = self.switch(Open::Nothing);
                out.push(self.responses_end());
                out
            }
            Format::Anthropic => {
                let reason = finish("max_tokens", "tool_use", "end_turn");
                let mut out = self.switch(Open::Nothing);
                out.push(self.event(&json!({
                    "type": "message_delta",
                    "delta": {"stop_reason": reason},
                    "usage": {"output_tokens": output},
                })));
                out.push(self.event(&json!({"type": "message_stop"})));
                out
            }
            Format::Gemini => {
                let reason = finish("MAX_TOKENS", "STOP", "STOP");
                let usage = json!({
                    "promptTokenCount": input,
                    "cachedContentTokenCount": cached,
                    "candidatesTokenCount": output,
                });
                let last =
                    json!({"candidates": [{"finishReason": reason}], "usageMetadata": usage});
                vec![self.event(&last)]
            }
            Format::Ollama => {
                let last = json!({
                    "message": {"role": "assistant", "content": ""},
                    "done": true,
                    "done_reason": finish("length", "stop", "stop"),
                    "prompt_eval_count": input,
                    "eval_count": output,
                });
                vec![format!("{last}\n")]
            }
        }
    }

    fn responses_call(&mut self, id: &str, name: &str, arguments: &str) -> Vec<String> {
        let (head, tail) = halves(arguments);
        let mut out = self.switch(Open::Nothing);
        let item = |arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
        let output = self.block;
        out.push(self.event(&json!({
            "type": "response.output_item.added", "output_index": output, "item": item(""),
        })));
        for delta in [head, tail] {
            out.push(self.event(&json!({
                "type": "response.function_call_arguments.delta", "output_index": output, "delta": delta,
            })));
        }
        out.push(self.event(&json!({
            "type": "response.output_item.done", "output_index": output, "item": item(arguments),
        })));
        self.block += 1;
        out
    }

    fn responses_end(&self) -> String {
        let (input, cached, output) = self.usage;
        let usage = json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": output,
        });
        let (kind, details) = if self.length {
            ("response.incomplete", json!({"reason": "max_output_tokens"}))
        } else {
            ("response.completed", Value::Null)
        };
        self.event(&json!({
            "type": kind, "response": {"usage": usage, "incomplete_details": details},
        }))
    }

    /// Closes the open block and opens another kind.
    fn switch(&mut self, next: Open) -> Vec<String> {
        let mut out = Vec::new();
        if self.open == next {
            return out;
        }
        if self.open != Open::Nothing {
            match self.format {
                Format::Anthropic => out.push(self.block_stop()),
                _ => self.block += 1,
            }
        }
        self.open = next;
        if self.format == Format::Anthropic {
            match next {
                Open::Nothing => {}
                Open::Text => out.push(self.block_start(&json!({"type": "text", "text": ""}))),
                Open::Reasoning => {
                    let block = json!({"type": "thinking", "thinking": "", "signature": "signed"});
                    out.push(self.block_start(&block));
                }
            }
        }
        out
    }

    fn block_start(&self, block: &Value) -> String {
        let index = self.block;
        self.event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    }

    fn block_delta(&self, delta: &Value) -> String {
        self.event(&json!({"type": "content_block_delta", "index": self.block, "delta": delta}))
    }

    fn block_stop(&mut self) -> String {
        let event = self.event(&json!({"type": "content_block_stop", "index": self.block}));
        self.block += 1;
        event
    }

    fn chat(&self, delta: &Value, finish: Option<&str>) -> String {
        self.event(&json!({
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    }

    fn gemini(&self, parts: &[Value]) -> String {
        self.event(&json!({"candidates": [{"content": {"role": "model", "parts": parts}}]}))
    }

    fn ollama(&self, message: &Value) -> String {
        format!("{}\n", json!({"message": message, "done": false}))
    }

    fn event(&self, payload: &Value) -> String {
        match (self.format, payload.get("type").and_then(Value::as_str)) {
            (Format::Gemini, _) => format!("data: {payload}\r\n\r\n"),
            (Format::OpenaiChat, _) | (_, None) => format!("data: {payload}\n\n"),
            (_, Some(name)) => format!("event: {name}\ndata: {payload}\n\n"),
        }
    }
}

/// Two pieces, cut where a character begins.
fn halves(text: &str) -> (&str, &str) {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(text.len(), |(at, _)| at);
    text.split_at(middle)
}
