//! Requests of the Responses API. Nothing is stored at the provider, so thinking goes back encrypted.

use super::dialect::{is_openai_reasoning, openai_effort};
use super::{arguments_text, data_url, put, reasoning_of, system_text, temperature};
use crate::wire::Signature;
use hearth_protocol::{Message, ModelRequest, Part, Role, Thinking};
use serde_json::{Map, Value, json};

pub(crate) fn body(request: &ModelRequest) -> Value {
    let thinks = is_openai_reasoning(&request.model);
    let mut body = Map::new();
    put(&mut body, "model", json!(request.model));
    let system = system_text(request);
    if !system.is_empty() {
        put(&mut body, "instructions", json!(system));
    }
    put(&mut body, "input", request.messages.iter().flat_map(items).collect::<Value>());
    put(&mut body, "stream", json!(true));
    put(&mut body, "store", json!(false));
    if !request.tools.is_empty() {
        put(&mut body, "tools", request.tools.iter().map(tool).collect::<Value>());
    }
    put(&mut body, "max_output_tokens", request.max_output.map(Value::from));
    // Models that do not think refuse these fields, models that do refuse a temperature.
    if thinks {
        put(&mut body, "include", json!(["reasoning.encrypted_content"]));
        if request.thinking != Thinking::Default {
            let effort = openai_effort(request.thinking, &request.model);
            put(&mut body, "reasoning", json!({"effort": effort, "summary": "auto"}));
        }
    } else {
        put(&mut body, "temperature", temperature(request));
    }
    Value::Object(body)
}

fn tool(spec: &hearth_protocol::ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.schema,
        "strict": false,
    })
}

fn items(message: &Message) -> Vec<Value> {
    let mut out = Vec::new();
    if let Some((_, signature)) = reasoning_of(message)
        && let Signature::Responses(items) = Signature::open(signature)
    {
        out.extend(items);
    }
    let (role, text_kind) = match message.role {
        Role::Assistant => ("assistant", "output_text"),
        Role::System => ("system", "input_text"),
        Role::User | Role::Tool => ("user", "input_text"),
    };
    let content: Vec<Value> =
        message.parts.iter().filter_map(|part| content_part(part, text_kind)).collect();
    let said = (!content.is_empty()).then(|| json!({"role": role, "content": content}));
    // Results come before what a person adds, calls after what the model said.
    let (mut results, mut calls) = (Vec::new(), Vec::new());
    for part in &message.parts {
        match part {
            Part::ToolResult(result) => results.push(json!({
                "type": "function_call_output",
                "call_id": result.call,
                "output": result.text,
            })),
            Part::ToolCall(call) => calls.push(json!({
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": arguments_text(call),
            })),
            _ => {}
        }
    }
    out.append(&mut results);
    out.extend(said);
    out.append(&mut calls);
    out
}

fn content_part(part: &Part, text_kind: &str) -> Option<Value> {
    match part {
        Part::Text { text } if !text.is_empty() => Some(json!({"type": text_kind, "text": text})),
        Part::Image { media_type, data } => {
            Some(json!({"type": "input_image", "image_url": data_url(media_type, data)}))
        }
        _ => None,
    }
}
