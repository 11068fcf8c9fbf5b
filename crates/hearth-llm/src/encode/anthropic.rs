//! Requests as Anthropic messages: results in the user's message, cache marks, signed thinking first.

use super::dialect::short_name;
use super::{arguments_object, put, reasoning_of, temperature};
use crate::wire::Signature;
use hearth_protocol::{Message, ModelRequest, Part, Role, SystemBlock, Thinking};
use serde_json::{Map, Value, json};

/// The API wants a limit; this many every current model can write.
const DEFAULT_MAX_OUTPUT: u32 = 8192;

pub(crate) fn body(request: &ModelRequest) -> Value {
    let mut body = Map::new();
    put(&mut body, "model", json!(request.model));
    let (thinking, max_tokens) = thinking(request);
    put(&mut body, "max_tokens", json!(max_tokens));
    put(&mut body, "stream", json!(true));
    let system = system(&request.system);
    if !system.is_empty() {
        put(&mut body, "system", json!(system));
    }
    put(&mut body, "messages", json!(messages(request)));
    if !request.tools.is_empty() {
        put(&mut body, "tools", request.tools.iter().map(tool).collect::<Value>());
    }
    if thinking.is_empty() {
        put(&mut body, "temperature", temperature(request));
    }
    body.extend(thinking);
    Value::Object(body)
}

fn cache_mark() -> Value {
    json!({"type": "ephemeral"})
}

/// The mark stands on the last stable block; it covers the tools too.
fn system(blocks: &[SystemBlock]) -> Vec<Value> {
    let last_stable = blocks.iter().rposition(|block| block.stable && !blank(&block.text));
    let written = blocks.iter().enumerate().filter(|(_, block)| !blank(&block.text));
    written
        .map(|(at, block)| {
            let mut out = json!({"type": "text", "text": block.text});
            if let (true, Some(fields)) = (Some(at) == last_stable, out.as_object_mut()) {
                fields.insert("cache_control".to_owned(), cache_mark());
            }
            out
        })
        .collect()
}

/// Text of nothing but white space is refused by the API.
fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn tool(spec: &hearth_protocol::ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "input_schema": spec.schema})
}

/// Roles alternate, the person speaks first, and what a step adds is read from the cache by the next.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message.role {
            Role::Assistant => ("assistant", assistant(message)),
            _ => ("user", user(message)),
        };
        if blocks.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, held)) if *last == role => held.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_some_and(|(role, _)| *role == "assistant") {
        turns.insert(0, ("user", vec![json!({"type": "text", "text": "…"})]));
    }
    finish_last(&mut turns, !request.tools.is_empty());
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn finish_last(turns: &mut [(&str, Vec<Value>)], with_tools: bool) {
    let Some((role, blocks)) = turns.last_mut() else { return };
    let Some(Value::Object(last)) = blocks.last_mut() else { return };
    if *role == "assistant" {
        // A beginning that the model goes on from must not end in white space.
        if let Some(Value::String(text)) = last.get_mut("text") {
            text.truncate(text.trim_end().len());
        }
    } else if with_tools {
        last.insert("cache_control".to_owned(), cache_mark());
    }
}

fn user(message: &Message) -> Vec<Value> {
    let results = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => {
            let mut block = json!({
                "type": "tool_result",
                "tool_use_id": wire_id(result.call.as_str()),
                "content": if blank(&result.text) { "(empty)" } else { &result.text },
            });
            if let (false, Some(fields)) = (result.ok, block.as_object_mut()) {
                fields.insert("is_error".to_owned(), json!(true));
            }
            Some(block)
        }
        _ => None,
    });
    // Results must come first in their message.
    results.chain(message.parts.iter().filter_map(content_block)).collect()
}

fn content_block(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } if !blank(text) => Some(json!({"type": "text", "text": text})),
        Part::Image { media_type, data } => Some(json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data},
        })),
        _ => None,
    }
}

fn assistant(message: &Message) -> Vec<Value> {
    let mut out = Vec::new();
    if let Some((_, signature)) = reasoning_of(message)
        && let Signature::Anthropic(blocks) = Signature::open(signature)
    {
        out.extend(blocks);
    }
    out.extend(message.parts.iter().filter_map(content_block));
    out.extend(message.tool_calls().map(|call| {
        json!({
            "type": "tool_use",
            "id": wire_id(call.id.as_str()),
            "name": call.name,
            "input": arguments_object(call),
        })
    }));
    out
}

/// Ids of other providers may hold characters that are refused here.
fn wire_id(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    id.chars().map(plain).collect()
}

/// The fields that ask for thinking, and the limit of tokens, which counts thinking in.
fn thinking(request: &ModelRequest) -> (Map<String, Value>, u32) {
    let max = request.max_output.unwrap_or(DEFAULT_MAX_OUTPUT);
    let mut fields = Map::new();
    let (effort, budget) = match request.thinking {
        Thinking::Default | Thinking::Off => return (fields, max),
        Thinking::Low => ("low", 2048),
        Thinking::Medium => ("medium", 8192),
        Thinking::High => ("high", 24_576),
    };
    if chooses_its_own_budget(&request.model) {
        put(&mut fields, "thinking", json!({"type": "adaptive"}));
        put(&mut fields, "output_config", json!({"effort": effort}));
        return (fields, max.saturating_add(budget));
    }
    put(&mut fields, "thinking", json!({"type": "enabled", "budget_tokens": budget}));
    (fields, max.saturating_add(budget))
}

/// From version 4.6 on the model decides how long it thinks, and a budget is refused.
fn chooses_its_own_budget(model: &str) -> bool {
    let name = short_name(model);
    let numbers = name.split(['-', '.']).filter(|part| part.len() <= 2);
    let mut numbers = numbers.filter_map(|part| part.parse::<u32>().ok());
    let major = numbers.next().unwrap_or(0);
    let minor = numbers.next().unwrap_or(0);
    (major, minor) >= (4, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_names() {
        let adaptive = [
            "claude-opus-4-6",
            "claude-opus-4-7-20260401",
            "claude-sonnet-5",
            "anthropic/claude-opus-4.8",
        ];
        assert!(adaptive.iter().all(|name| chooses_its_own_budget(name)));
        let budgeted = [
            "claude-sonnet-4-20250514",
            "claude-3-7-sonnet-latest",
            "claude-haiku-4-5",
            "MiniMax-M2",
        ];
        assert!(!budgeted.iter().any(|name| chooses_its_own_budget(name)));
    }
}
