//! Requests as chat completions.

use super::dialect::Dialect;
use super::{
    Target, arguments_text, current_turn, data_url, put, reasoning_of, system_text, temperature,
};
use crate::wire::Signature;
use hearth_protocol::{Message, ModelRequest, Part, Role, ToolCall, ToolResult};
use serde_json::{Map, Value, json};

pub(crate) fn body(target: &Target<'_>, request: &ModelRequest) -> Value {
    let dialect = Dialect::of(target.base_url, &request.model);
    let mut body = Map::new();
    put(&mut body, "model", json!(request.model));
    put(&mut body, "messages", messages(&dialect, request));
    put(&mut body, "stream", json!(true));
    // Mistral refuses the field and sends usage anyway.
    if !dialect.mistral {
        put(&mut body, "stream_options", json!({"include_usage": true}));
    }
    if !request.tools.is_empty() {
        put(&mut body, "tools", request.tools.iter().map(tool).collect::<Value>());
    }
    let limit = if dialect.openai { "max_completion_tokens" } else { "max_tokens" };
    put(&mut body, limit, request.max_output.map(Value::from));
    if !(dialect.openai && dialect.reasoning_model) {
        put(&mut body, "temperature", temperature(request));
    }
    if let Some((name, value)) = dialect.thinking(request.thinking, &request.model) {
        put(&mut body, name, value);
    }
    Value::Object(body)
}

fn tool(spec: &hearth_protocol::ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.schema},
    })
}

fn messages(dialect: &Dialect, request: &ModelRequest) -> Value {
    let mut out = Vec::new();
    let system = system_text(request);
    if !system.is_empty() {
        out.push(json!({"role": "system", "content": system}));
    }
    let current = current_turn(&request.messages);
    for (at, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::Assistant => out.extend(assistant(dialect, message, at >= current)),
            Role::System => out.push(json!({"role": "system", "content": message.joined_text()})),
            Role::User | Role::Tool => {
                out.extend(results(message).map(|result| tool_message(dialect, result)));
                out.extend(user(message));
            }
        }
    }
    Value::Array(out)
}

fn results(message: &Message) -> impl Iterator<Item = &ToolResult> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    })
}

fn tool_message(dialect: &Dialect, result: &ToolResult) -> Value {
    let id = dialect.call_id(result.call.as_str());
    json!({"role": "tool", "tool_call_id": id, "content": result.text})
}

/// Plain text where there is nothing else: not every server reads lists of parts.
fn user(message: &Message) -> Option<Value> {
    let text = message.joined_text();
    let mut parts: Vec<Value> = message.parts.iter().filter_map(content_part).collect();
    let has_image = message.parts.iter().any(|part| matches!(part, Part::Image { .. }));
    if has_image {
        return Some(json!({"role": "user", "content": std::mem::take(&mut parts)}));
    }
    (!text.is_empty()).then(|| json!({"role": "user", "content": text}))
}

fn content_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } if !text.is_empty() => Some(json!({"type": "text", "text": text})),
        Part::Image { media_type, data } => {
            let url = data_url(media_type, data);
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => None,
    }
}

fn assistant(dialect: &Dialect, message: &Message, in_current_turn: bool) -> Option<Value> {
    let text = message.joined_text();
    let calls: Vec<Value> = message.tool_calls().map(|one| call(dialect, one)).collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut out = Map::new();
    put(&mut out, "role", json!("assistant"));
    if let Some((thinking, signature)) = reasoning_of(message) {
        if dialect.wants_thinking_back && in_current_turn && !thinking.is_empty() {
            put(&mut out, "reasoning_content", json!(thinking));
        }
        if let (true, Signature::Details(details)) =
            (dialect.openrouter, Signature::open(signature))
        {
            put(&mut out, "reasoning_details", json!(details));
        }
    }
    out.insert("content".to_owned(), if text.is_empty() { Value::Null } else { json!(text) });
    if !calls.is_empty() {
        put(&mut out, "tool_calls", json!(calls));
    }
    Some(Value::Object(out))
}

fn call(dialect: &Dialect, call: &ToolCall) -> Value {
    json!({
        "id": dialect.call_id(call.id.as_str()),
        "type": "function",
        "function": {"name": call.name, "arguments": arguments_text(call)},
    })
}
