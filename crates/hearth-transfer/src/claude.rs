//! A conversation of Claude's export: messages in order, each of blocks.
//!
//! Invariant: a call and its result, which the export keeps in one message, become messages of their own.

use crate::conversation::{Builder, Conversation, Facts, given, text, thought};
use crate::time::seconds;
use hearth_protocol::Part;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What an element of this export has.
pub(crate) const MARK: &str = "chat_messages";

/// The conversation of an element; why not, where it is none.
pub(crate) fn conversation(element: &Value) -> Result<Conversation, String> {
    let messages = element.get(MARK).and_then(Value::as_array);
    let messages = messages.ok_or("it has no messages (`chat_messages`)")?;
    let word = |key: &str| element.get(key).and_then(Value::as_str);
    let id = word("uuid").filter(|id| !id.is_empty()).ok_or("it has no id")?.to_owned();
    let model = word("model").map(|model| format!("claude/{model}"));
    let mut builder = Builder::default();
    for message in branch(messages) {
        take(&mut builder, message, model.as_deref());
    }
    let at = |key: &str| element.get(key).and_then(seconds);
    Ok(builder.done(Facts {
        id,
        title: word("name").unwrap_or_default().to_owned(),
        created_at: at("created_at"),
        updated_at: at("updated_at"),
        archived: false,
    }))
}

/// The messages that lead to the last one. Exports that name no parents are linear.
fn branch(messages: &[Value]) -> Vec<&Value> {
    let id = |message: &Value| message.get("uuid").and_then(Value::as_str).map(str::to_owned);
    let parent = |message: &Value| {
        message.get("parent_message_uuid").and_then(Value::as_str).map(str::to_owned)
    };
    let place: HashMap<String, usize> =
        messages.iter().enumerate().filter_map(|(at, message)| Some((id(message)?, at))).collect();
    let named = messages.iter().skip(1).all(|message| parent(message).is_some());
    let Some(mut at) = messages.len().checked_sub(1).filter(|_| named) else {
        return messages.iter().collect();
    };
    let mut seen = HashSet::new();
    let mut path = Vec::new();
    while seen.insert(at) {
        path.push(&messages[at]);
        let before = parent(&messages[at]).and_then(|parent| place.get(&parent).copied());
        let Some(before) = before else { break };
        at = before;
    }
    path.reverse();
    path
}

fn take(builder: &mut Builder, message: &Value, model: Option<&str>) {
    let at = message.get("created_at").and_then(seconds);
    let whole = message.get("text").and_then(Value::as_str).unwrap_or_default();
    let blocks: Vec<&Value> =
        message.get("content").and_then(Value::as_array).into_iter().flatten().collect();
    match message.get("sender").and_then(Value::as_str) {
        Some("human") => {
            let mut parts = words(builder, &blocks, whole);
            parts.extend(along(builder, message));
            builder.user(at, parts);
        }
        Some("assistant") => reply(builder, at, model, &blocks, whole),
        _ => builder.leave_out("messages of an unknown sender"),
    }
}

/// What the person wrote, as one text.
fn words(builder: &mut Builder, blocks: &[&Value], whole: &str) -> Vec<Part> {
    let mut texts = Vec::new();
    for block in blocks {
        match kind(block) {
            "text" | "voice_note" => texts.extend(field(block, "text")),
            "image" => builder.leave_out("pictures"),
            _ => builder.leave_out("pieces of an unknown kind"),
        }
    }
    let said = if texts.is_empty() { whole.to_owned() } else { texts.join("\n\n") };
    text(&said).into_iter().collect()
}

/// Files that were given along: their text where the export has it.
fn along(builder: &mut Builder, message: &Value) -> Vec<Part> {
    let list = |key: &str| message.get(key).and_then(Value::as_array).into_iter().flatten();
    let mut parts = Vec::new();
    for attachment in list("attachments") {
        let name = field(attachment, "file_name").filter(|name| !name.trim().is_empty());
        match field(attachment, "extracted_content").filter(|content| !content.is_empty()) {
            Some(content) => parts.push(given(name.unwrap_or("pasted text"), content)),
            None => builder.leave_out("files"),
        }
    }
    for _ in list("files") {
        builder.leave_out("files");
    }
    parts
}

fn reply(
    builder: &mut Builder,
    at: Option<i64>,
    model: Option<&str>,
    blocks: &[&Value],
    whole: &str,
) {
    let mut parts: Vec<Part> = Vec::new();
    for block in blocks {
        match kind(block) {
            "text" => parts.extend(field(block, "text").and_then(text)),
            "thinking" => parts.extend(field(block, "thinking").and_then(thought)),
            "tool_use" => {
                let input = block.get("input").cloned().unwrap_or_else(|| json!({}));
                let name = field(block, "name").unwrap_or_default();
                parts.push(builder.call(field(block, "id"), name, input));
            }
            "tool_result" => {
                builder.assistant(at, model, std::mem::take(&mut parts));
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                let said = result_text(builder, block);
                builder.result(at, field(block, "tool_use_id"), !failed, said);
            }
            // What is left of a context, and the like: nothing that was said.
            "token_budget" | "flag" | "redacted_thinking" => {}
            _ => builder.leave_out("pieces of an unknown kind"),
        }
    }
    if blocks.is_empty() {
        parts.extend(text(whole));
    }
    builder.assistant(at, model, parts);
}

fn result_text(builder: &mut Builder, block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            let texts: Vec<&str> = list.iter().filter_map(|one| field(one, "text")).collect();
            if texts.is_empty() && !list.is_empty() {
                builder.leave_out("results without text");
            }
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn kind(block: &Value) -> &str {
    field(block, "type").unwrap_or_default()
}

fn field<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::Role;

    #[test]
    fn blocks_become_messages() {
        let element = json!({
            "uuid": "u-1", "name": "Clause", "created_at": "2025-02-03T10:00:00.000000Z",
            "updated_at": "2025-02-03T11:00:00.000000Z", "account": {"uuid": "a"},
            "chat_messages": [
                {"uuid": "m1", "sender": "human", "text": "Look", "created_at": "2025-02-03T10:00:01Z",
                 "content": [{"type": "text", "text": "Look at this."}],
                 "attachments": [{"file_name": "a.md", "extracted_content": "# A"}, {"file_name": "b.bin"}],
                 "files": [{"file_name": "c.png"}]},
                {"uuid": "m2", "sender": "assistant", "text": "", "created_at": "2025-02-03T10:00:05Z",
                 "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "I search."},
                    {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "caps"}},
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}]},
                    {"type": "text", "text": "Done."}, {"type": "token_budget"}, {"type": "widget"}]},
                {"uuid": "m3", "sender": "system", "text": "x"},
            ]
        });
        let read = conversation(&element).expect("a conversation");
        let messages = &read.exchanges[0].messages;
        let roles: Vec<Role> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
        assert_eq!(messages[0].joined_text(), "Look at this.a.md:\n```\n# A\n```");
        assert_eq!(messages[1].tool_calls().count(), 1);
        assert_eq!(messages[3].joined_text(), "Done.");
        assert_eq!(messages[0].at, 1_738_576_801);
        assert_eq!(
            read.left_out,
            "files: 2, messages of an unknown sender: 1, pieces of an unknown kind: 1"
        );
    }

    #[test]
    fn older_exports_have_text_alone() {
        let element = json!({ "uuid": "u", "name": "", "chat_messages": [
            {"sender": "human", "text": "a haiku"}, {"sender": "assistant", "text": "rain"}, "odd", null]});
        let read = conversation(&element).expect("a conversation");
        assert_eq!(read.messages(), 2);
        assert_eq!(read.left_out, "messages of an unknown sender: 2");
    }

    #[test]
    fn the_last_branch_is_read() {
        let said = |id: &str, parent: &str, sender: &str, text: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": text});
        let root = "00000000-0000-4000-8000-000000000000";
        let element = json!({ "uuid": "u", "chat_messages": [
            said("1", root, "human", "q"), said("2", "1", "assistant", "OLD"),
            said("3", "1", "assistant", "new"), said("4", "3", "human", "and?")]});
        let read = conversation(&element).expect("a conversation");
        let texts: Vec<String> = read
            .exchanges
            .iter()
            .flat_map(|exchange| &exchange.messages)
            .map(hearth_protocol::Message::joined_text)
            .collect();
        assert_eq!(texts, ["q", "new", "and?"]);
        let circle = json!({ "uuid": "u", "chat_messages": [
            said("1", "2", "human", "a"), said("2", "1", "assistant", "b")]});
        assert_eq!(conversation(&circle).expect("ends").messages(), 2);
        for odd in [
            json!({}),
            json!(7),
            json!({"uuid": "u", "chat_messages": {}}),
            json!({"chat_messages": []}),
        ] {
            conversation(&odd).expect_err("none");
        }
    }
}
