//! Requests as Gemini `generateContent`: results as `functionResponse`, signatures on their parts.

use super::dialect::short_name;
use super::{arguments_object, put, reasoning_of, system_text, temperature, tool_name};
use crate::wire::Signature;
use hearth_protocol::{Message, ModelRequest, Part, Role, Thinking, ToolResult};
use serde_json::{Map, Value, json};

/// Google's own word for a call that another model made: Gemini 3 refuses calls without a signature.
const UNSIGNED: &str = "skip_thought_signature_validator";

pub(crate) fn body(request: &ModelRequest) -> Value {
    let mut body = Map::new();
    let system = system_text(request);
    if !system.is_empty() {
        put(&mut body, "systemInstruction", json!({"parts": [{"text": system}]}));
    }
    put(&mut body, "contents", json!(contents(request)));
    if !request.tools.is_empty() {
        let declared: Value = request.tools.iter().map(tool).collect();
        put(&mut body, "tools", json!([{"functionDeclarations": declared}]));
    }
    let mut config = Map::new();
    put(&mut config, "maxOutputTokens", request.max_output.map(Value::from));
    put(&mut config, "temperature", temperature(request));
    put(&mut config, "thinkingConfig", thinking(request));
    if !config.is_empty() {
        put(&mut body, "generationConfig", Value::Object(config));
    }
    Value::Object(body)
}

fn tool(spec: &hearth_protocol::ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "parametersJsonSchema": spec.schema})
}

fn contents(request: &ModelRequest) -> Vec<Value> {
    let strict = short_name(&request.model).starts_with("gemini-3");
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let before = request.messages.get(..at).unwrap_or_default();
        let (role, parts) = match message.role {
            Role::Assistant => ("model", model_parts(message, strict)),
            _ => ("user", user_parts(message, before)),
        };
        if parts.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, held)) if *last == role => held.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    if turns.first().is_some_and(|(role, _)| *role == "model") {
        turns.insert(0, ("user", vec![json!({"text": "…"})]));
    }
    turns.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

fn user_parts(message: &Message, before: &[Message]) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text { text } if !text.is_empty() => Some(json!({"text": text})),
        Part::Image { media_type, data } => {
            Some(json!({"inlineData": {"mimeType": media_type, "data": data}}))
        }
        Part::ToolResult(result) => Some(response(result, tool_name(before, result.call.as_str()))),
        _ => None,
    };
    message.parts.iter().filter_map(part).collect()
}

fn response(result: &ToolResult, name: &str) -> Value {
    let field = if result.ok { "result" } else { "error" };
    json!({"functionResponse": {
        "id": result.call, "name": name, "response": {(field): result.text},
    }})
}

fn model_parts(message: &Message, strict: bool) -> Vec<Value> {
    let (call_marks, text_mark) =
        match Signature::open(reasoning_of(message).and_then(|(_, signature)| signature)) {
            Signature::Gemini { calls, text } => (calls, text),
            _ => (Vec::new(), None),
        };
    let mut out = Vec::new();
    let text = message.joined_text();
    if !text.is_empty() {
        out.push(signed(json!({"text": text}), text_mark));
    }
    for (at, call) in message.tool_calls().enumerate() {
        let known = call_marks.get(at).cloned().flatten();
        let mark = known.or_else(|| (strict && at == 0).then(|| UNSIGNED.to_owned()));
        let function = json!({"id": call.id, "name": call.name, "args": arguments_object(call)});
        out.push(signed(json!({"functionCall": function}), mark));
    }
    out
}

fn signed(mut part: Value, mark: Option<String>) -> Value {
    if let (Some(mark), Some(fields)) = (mark, part.as_object_mut()) {
        fields.insert("thoughtSignature".to_owned(), Value::String(mark));
    }
    part
}

/// Gemini 3 takes a level, 2.5 a budget; older ones take neither.
fn thinking(request: &ModelRequest) -> Option<Value> {
    let name = short_name(&request.model);
    let pro = name.contains("pro");
    if name.starts_with("gemini-3") {
        let level = match request.thinking {
            Thinking::Default => return Some(json!({"includeThoughts": true})),
            Thinking::Off if pro => "low",
            Thinking::Off => "minimal",
            Thinking::Low => "low",
            Thinking::Medium if pro => "high",
            Thinking::Medium => "medium",
            Thinking::High => "high",
        };
        return Some(json!({"includeThoughts": true, "thinkingLevel": level}));
    }
    if !name.starts_with("gemini-2.5") {
        return None;
    }
    let budget = match request.thinking {
        Thinking::Default => return Some(json!({"includeThoughts": true})),
        Thinking::Off if pro => 128,
        Thinking::Off => 0,
        Thinking::Low => 2048,
        Thinking::Medium => 8192,
        Thinking::High => 24_576,
    };
    Some(json!({"includeThoughts": budget > 0, "thinkingBudget": budget}))
}
