//! What the strictest server of each wire format demands of a request's messages.
//!
//! Written from the formats' own rules, apart from the code under test.

use hearth_llm::wire::Format;
use serde_json::Value;
use std::collections::HashSet;

/// Why a request would be refused; none where it is in order.
#[must_use]
pub fn refusal(format: Format, body: &Value) -> Option<String> {
    let checked = match format {
        Format::OpenaiChat => chat(&body["messages"], true),
        Format::Ollama => chat(&body["messages"], false),
        Format::OpenaiResponses => responses(&body["input"]),
        Format::Anthropic => anthropic(&body["messages"]),
        Format::Gemini => gemini(&body["contents"]),
    };
    checked.err()
}

type Checked = Result<(), String>;

fn must(holds: bool, why: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(why.into()) }
}

fn list(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("no list: {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Whether content says something: a text, or parts that are not empty.
fn says(content: &Value) -> bool {
    match content {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(parts) => {
            !parts.is_empty() && parts.iter().all(|part| part.get("text").is_none_or(says))
        }
        _ => false,
    }
}

/// OpenAI's chat form, and Ollama's, whose calls have no ids and objects for arguments.
fn chat(messages: &Value, ids: bool) -> Checked {
    let messages = list(messages)?;
    let rest = messages.iter().skip_while(|message| text(message, "role") == "system");
    let mut last = "system";
    let (mut open, mut seen): (Vec<String>, HashSet<String>) = (Vec::new(), HashSet::new());
    for message in rest {
        let role = text(message, "role");
        if role == "tool" {
            let name = if ids { text(message, "tool_call_id") } else { text(message, "tool_name") };
            let at = open.iter().position(|id| id == name);
            let at = at.ok_or_else(|| format!("a result without its call: {message}"))?;
            open.remove(at);
            must(says(&message["content"]), "an empty result")?;
        } else {
            must(open.is_empty(), format!("{role} stands where results are due: {open:?}"))?;
            must(role == "user" || role == "assistant", format!("a {role} in the history"))?;
            must(last != role, format!("{role} speaks twice"))?;
            must(last != "system" || role == "user", "the assistant begins")?;
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            must(says(&message["content"]) || !calls.is_empty(), format!("empty: {message}"))?;
            for call in &calls {
                let arguments = &call["function"]["arguments"];
                let object = match arguments.as_str() {
                    Some(text) if ids => serde_json::from_str(text).unwrap_or_default(),
                    _ => arguments.clone(),
                };
                must(object.is_object(), format!("arguments are no object: {call}"))?;
                let id = if ids { text(call, "id") } else { text(&call["function"], "name") };
                must(!id.is_empty(), "a call without id")?;
                must(!ids || seen.insert(id.to_owned()), format!("an id twice: {id}"))?;
                open.push(id.to_owned());
            }
        }
        last = role;
    }
    must(open.is_empty(), format!("calls without result: {open:?}"))?;
    must(last == "user" || last == "tool", format!("it ends with {last}"))
}

fn responses(input: &Value) -> Checked {
    let (mut open, mut seen): (Vec<String>, HashSet<String>) = (Vec::new(), HashSet::new());
    let mut last = String::new();
    for item in list(input)? {
        let kind = item["type"].as_str().unwrap_or("message");
        let id = text(item, "call_id").to_owned();
        match kind {
            "function_call" => {
                let arguments: Value =
                    serde_json::from_str(text(item, "arguments")).unwrap_or_default();
                must(arguments.is_object(), format!("arguments are no object: {item}"))?;
                must(!id.is_empty() && seen.insert(id.clone()), format!("a bad id: {item}"))?;
                open.push(id);
            }
            "function_call_output" => {
                let at = open.iter().position(|call| *call == id);
                open.remove(at.ok_or_else(|| format!("a result without its call: {item}"))?);
                must(says(&item["output"]), "an empty result")?;
            }
            "message" => {
                must(open.is_empty(), format!("a message where results are due: {item}"))?;
                must(says(&item["content"]), format!("an empty message: {item}"))?;
                let role = text(item, "role");
                must(!last.is_empty() || role != "assistant", "the assistant begins")?;
                last = role.to_owned();
                continue;
            }
            "reasoning" => continue,
            other => return Err(format!("an item of kind {other}")),
        }
        last = kind.to_owned();
    }
    must(open.is_empty(), format!("calls without result: {open:?}"))?;
    must(last == "user" || last == "function_call_output", format!("it ends with {last}"))
}

fn anthropic(messages: &Value) -> Checked {
    let mut due: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    let mut last = "assistant";
    for message in list(messages)? {
        let role = text(message, "role");
        must(role != last, format!("{role} speaks twice, or the assistant begins"))?;
        must(says(&message["content"]), format!("empty: {message}"))?;
        let empty = Vec::new();
        let blocks = message["content"].as_array().unwrap_or(&empty);
        let results = blocks.iter().take_while(|block| text(block, "type") == "tool_result");
        let mut answered: Vec<String> = Vec::new();
        for result in results {
            must(result.get("content").is_none_or(says), "an empty result")?;
            answered.push(text(result, "tool_use_id").to_owned());
        }
        let all = blocks.iter().filter(|block| text(block, "type") == "tool_result").count();
        must(all == answered.len(), "results stand behind other blocks")?;
        must(same(&answered, &due), format!("due {due:?}, answered {answered:?}"))?;
        due.clear();
        for call in blocks.iter().filter(|block| text(block, "type") == "tool_use") {
            must(call["input"].is_object(), format!("input is no object: {call}"))?;
            let id = text(call, "id").to_owned();
            must(!id.is_empty() && seen.insert(id.clone()), format!("a bad id: {call}"))?;
            due.push(id);
        }
        last = role;
    }
    must(due.is_empty() && last == "user", format!("it ends with {last}, due {due:?}"))
}

fn gemini(contents: &Value) -> Checked {
    let mut due: Vec<String> = Vec::new();
    let mut last = "model";
    for content in list(contents)? {
        let role = text(content, "role");
        must(role != last, format!("{role} speaks twice, or the model begins"))?;
        let parts = list(&content["parts"])?;
        must(!parts.is_empty(), "no parts")?;
        must(parts.iter().all(|part| part.get("text").is_none_or(says)), "an empty text")?;
        let names = |kind: &str| -> Vec<String> {
            parts
                .iter()
                .filter_map(|part| part.get(kind))
                .map(|call| text(call, "name").to_owned())
                .collect()
        };
        let answered = names("functionResponse");
        must(same(&answered, &due), format!("due {due:?}, answered {answered:?}"))?;
        due = names("functionCall");
        let calls = parts.iter().filter_map(|part| part.get("functionCall"));
        must(calls.map(|call| &call["args"]).all(Value::is_object), "args are no object")?;
        last = role;
    }
    must(due.is_empty() && last == "user", format!("it ends with {last}, due {due:?}"))
}

fn same(a: &[String], b: &[String]) -> bool {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_strict_server_refuses_is_found() {
        let call =
            json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let user = json!({"role": "user", "content": "hi"});
        let asks = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let result = json!({"role": "tool", "tool_call_id": "a", "content": "ok"});
        let check =
            |messages: &[&Value]| refusal(Format::OpenaiChat, &json!({"messages": messages}));
        assert_eq!(check(&[&user, &asks, &result]), None);
        for bad in [
            vec![&user, &asks],
            vec![&user, &result],
            vec![&user, &user],
            vec![&asks, &result],
            vec![&user, &asks, &user],
            vec![&user, &asks, &result, &asks, &result],
        ] {
            assert!(check(&bad).is_some(), "{bad:?}");
        }
        let use_it = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]});
        let given = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]});
        let check =
            |messages: &[&Value]| refusal(Format::Anthropic, &json!({"messages": messages}));
        assert_eq!(check(&[&user, &use_it, &given]), None);
        assert!(check(&[&user, &use_it, &user]).is_some());
        assert!(check(&[&user, &given]).is_some());
    }
}
