//! Requests of Ollama's own API: plain text messages, arguments as objects, the window said.

use super::dialect::short_name;
use super::{Target, arguments_object, put, system_text, temperature, tool_name};
use hearth_protocol::{Message, ModelRequest, Part, Role, Thinking};
use serde_json::{Map, Value, json};

pub(crate) fn body(target: &Target<'_>, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    put(&mut body, "model", json!(request.model));
    put(&mut body, "messages", json!(messages(request)));
    put(&mut body, "stream", json!(true));
    if !request.tools.is_empty() {
        put(&mut body, "tools", request.tools.iter().map(tool).collect::<Value>());
    }
    let mut options = Map::new();
    put(&mut options, "num_predict", request.max_output.map(Value::from));
    put(&mut options, "temperature", temperature(request));
    put(&mut options, "num_ctx", target.window.filter(|&window| window > 0).map(Value::from));
    if !options.is_empty() {
        put(&mut body, "options", Value::Object(options));
    }
    put(&mut body, "think", thinking(request));
    Value::Object(body)
}

fn tool(spec: &hearth_protocol::ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.schema},
    })
}

/// Models that cannot think refuse `true`, so nothing is said by default. gpt-oss takes words only.
fn thinking(request: &ModelRequest) -> Option<Value> {
    let words = short_name(&request.model).starts_with("gpt-oss");
    match request.thinking {
        Thinking::Default => None,
        Thinking::Off | Thinking::Low if words => Some(json!("low")),
        Thinking::Medium if words => Some(json!("medium")),
        Thinking::High if words => Some(json!("high")),
        level => Some(json!(level != Thinking::Off)),
    }
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut out = Vec::new();
    let system = system_text(request);
    if !system.is_empty() {
        out.push(json!({"role": "system", "content": system}));
    }
    for (at, message) in request.messages.iter().enumerate() {
        for part in &message.parts {
            if let Part::ToolResult(result) = part {
                let before = request.messages.get(..at).unwrap_or_default();
                let name = tool_name(before, result.call.as_str());
                out.push(json!({"role": "tool", "tool_name": name, "content": result.text}));
            }
        }
        out.extend(said(message));
    }
    out
}

fn said(message: &Message) -> Option<Value> {
    let role = match message.role {
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::User | Role::Tool => "user",
    };
    let calls: Vec<Value> = message
        .tool_calls()
        .map(|call| json!({"function": {"name": call.name, "arguments": arguments_object(call)}}))
        .collect();
    let images: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Image { data, .. } => Some(data.as_str()),
            _ => None,
        })
        .collect();
    let text = message.joined_text();
    if text.is_empty() && calls.is_empty() && images.is_empty() {
        return None;
    }
    let mut out = Map::new();
    put(&mut out, "role", json!(role));
    put(&mut out, "content", json!(text));
    if !images.is_empty() {
        put(&mut out, "images", json!(images));
    }
    if !calls.is_empty() {
        put(&mut out, "tool_calls", json!(calls));
    }
    Some(Value::Object(out))
}
