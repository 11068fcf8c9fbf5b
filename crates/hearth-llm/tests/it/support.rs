//! Recorded streams and their expected results.

use hearth_llm::wire::{Decoded, Decoder, Format};
use hearth_protocol::{Arguments, ModelDelta, ModelReply};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
}

pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) raw: Vec<u8>,
    pub(crate) expected: Value,
}

/// All recorded streams, in a fixed order.
pub(crate) fn recorded() -> Vec<Recorded> {
    let mut all = Vec::new();
    for format in Format::ALL {
        let folder = match format {
            Format::OpenaiChat => "openai-chat",
            Format::OpenaiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::Gemini => "gemini",
            Format::Ollama => "ollama",
        };
        let wire = fixtures().join("wire");
        for entry in std::fs::read_dir(wire.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            let expected =
                std::fs::read(wire.join("expected").join(format!("{name}.json"))).unwrap();
            let expected = serde_json::from_slice(&expected).unwrap();
            all.push(Recorded { format, raw: std::fs::read(path).unwrap(), expected, name });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// What came out of a decoder: the deltas and the end.
pub(crate) struct Read {
    pub(crate) deltas: Vec<ModelDelta>,
    pub(crate) decoded: Decoded,
}

/// The results of the stream cut at each of these places.
pub(crate) fn read_cut(format: Format, raw: &[u8], ends: &[usize]) -> Vec<Read> {
    let mut decoder = Decoder::new(format);
    let mut deltas = Vec::new();
    let mut from = 0;
    let mut cuts = Vec::new();
    for &end in ends {
        deltas.extend(decoder.feed(&raw[from..end]));
        from = end;
        let mut decoded = decoder.clone().finish();
        let mut deltas = deltas.clone();
        deltas.append(&mut decoded.deltas);
        cuts.push(Read { deltas, decoded });
    }
    cuts
}

pub(crate) fn read<'a>(format: Format, pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let mut decoder = Decoder::new(format);
    let mut deltas = Vec::new();
    for piece in pieces {
        deltas.extend(decoder.feed(piece));
    }
    let mut decoded = decoder.finish();
    deltas.append(&mut decoded.deltas);
    Read { deltas, decoded }
}

impl Read {
    /// Joined text, joined thinking, server tools.
    pub(crate) fn shown(&self) -> (String, String, Vec<String>) {
        let mut shown = (String::new(), String::new(), Vec::new());
        for delta in &self.deltas {
            match delta {
                ModelDelta::Text(text) => shown.0.push_str(text),
                ModelDelta::Reasoning(text) => shown.1.push_str(text),
                ModelDelta::ServerTool(name) => shown.2.push(name.clone()),
                ModelDelta::Reading { .. } => {}
            }
        }
        shown
    }

    pub(crate) fn check_deltas_are_the_reply(&self, context: &str) {
        let reply = &self.decoded.reply;
        let want = (reply.text.clone(), reply.reasoning.clone(), reply.server_tools.clone());
        assert_eq!(self.shown(), want, "{context}");
    }

    /// The result in the form of `expected/`; ids that we made are left out as there.
    pub(crate) fn as_expected(&self, expected: &Value) -> Value {
        let reply = &self.decoded.reply;
        let mut out = json!({
            "complete": reply.complete,
            "text": reply.text,
            "reasoning": reply.reasoning,
            "tool_calls": calls(reply, expected),
            "finish_reason": reply.finish,
            "finish_raw": reply.finish_raw,
        });
        let fields = out.as_object_mut().unwrap();
        if let Some(refusal) = &reply.refusal {
            fields.insert("refusal".into(), json!(refusal));
        }
        if !reply.server_tools.is_empty() {
            fields.insert("server_tools".into(), json!(reply.server_tools));
        }
        if let Some(usage) = reply.usage {
            let mut said = json!({"input": usage.input, "output": usage.output});
            if usage.cached > 0 {
                said["cached"] = json!(usage.cached);
            }
            fields.insert("usage".into(), said);
        }
        if let Some(error) = &self.decoded.error {
            fields.insert("error".into(), json!({"message": error.message, "type": error.kind}));
        }
        out
    }
}

fn calls(reply: &ModelReply, expected: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    for (at, call) in reply.tool_calls.iter().enumerate() {
        let mut fields = Map::new();
        if expected["tool_calls"][at].get("id").is_some() {
            fields.insert("id".into(), json!(call.id));
        } else {
            assert!(!call.id.as_str().is_empty());
        }
        fields.insert("name".into(), json!(call.name));
        match &call.arguments {
            Arguments::Object(object) => fields.insert("arguments".into(), json!(object)),
            Arguments::Malformed(raw) => {
                fields.insert("arguments".into(), Value::Null);
                fields.insert("arguments_raw".into(), json!(raw))
            }
        };
        out.push(Value::Object(fields));
    }
    out
}

/// Where events end: after each blank line, or each line of JSON.
pub(crate) fn event_ends(format: Format, raw: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let text = String::from_utf8_lossy(raw);
    let lone_cr = !raw.contains(&b'\n');
    for at in 1..=raw.len() {
        let before = &text.as_bytes()[..at];
        let ended = match format {
            Format::Ollama => before.ends_with(b"\n"),
            _ if lone_cr => before.ends_with(b"\r\r"),
            _ => before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n"),
        };
        if ended {
            ends.push(at);
        }
    }
    ends
}
