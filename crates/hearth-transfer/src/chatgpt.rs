//! A conversation of ChatGPT's export: a tree of messages, of which the branch in view is read.
//!
//! Invariant: only what the person saw or was told of comes along: hidden and system messages stay out, tools
//! become calls and results, what has no text is counted.

use crate::conversation::{Builder, Conversation, Facts, text, thought};
use crate::time::seconds;
use hearth_protocol::Part;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// What an element of this export has.
pub(crate) const MARK: &str = "mapping";

/// The conversation of an element; why not, where it is none.
pub(crate) fn conversation(element: &Value) -> Result<Conversation, String> {
    let mapping = element.get(MARK).and_then(Value::as_object);
    let mapping = mapping.ok_or("it has no messages (`mapping`)")?;
    let word = |key: &str| element.get(key).and_then(Value::as_str);
    let id = word("conversation_id").or(word("id")).filter(|id| !id.is_empty());
    let id = id.ok_or("it has no id")?.to_owned();
    let mut builder = Builder::default();
    for node in path(mapping, word("current_node")) {
        if let Some(message) = node.get("message").filter(|message| message.is_object()) {
            take(&mut builder, message);
        }
    }
    let at = |key: &str| element.get(key).and_then(seconds);
    Ok(builder.done(Facts {
        id,
        title: word("title").unwrap_or_default().to_owned(),
        created_at: at("create_time"),
        updated_at: at("update_time"),
        archived: element.get("is_archived").and_then(Value::as_bool).unwrap_or(false),
    }))
}

/// The nodes from the root to the one in view; without one, to the latest leaf.
fn path<'a>(mapping: &'a Map<String, Value>, current: Option<&'a str>) -> Vec<&'a Value> {
    let known = current.filter(|id| mapping.contains_key(*id));
    let mut at = known.or_else(|| latest_leaf(mapping));
    let mut seen = HashSet::new();
    let mut nodes = Vec::new();
    while let Some(id) = at.filter(|id| seen.insert(*id)) {
        let Some(node) = mapping.get(id) else { break };
        nodes.push(node);
        at = node.get("parent").and_then(Value::as_str);
    }
    nodes.reverse();
    nodes
}

fn latest_leaf(mapping: &Map<String, Value>) -> Option<&str> {
    let parents: HashSet<&str> =
        mapping.values().filter_map(|node| node.get("parent")?.as_str()).collect();
    let leaves = mapping.iter().filter(|(id, _)| !parents.contains(id.as_str()));
    let at = |node: &Value| node.get("message")?.get("create_time").and_then(seconds);
    // Of several without a time the last one is taken.
    leaves.max_by_key(|(_, node)| at(node).unwrap_or_default()).map(|(id, _)| id.as_str())
}

fn take(builder: &mut Builder, message: &Value) {
    let meta = |key: &str| message.get("metadata").and_then(|meta| meta.get(key));
    let is = |key: &str| meta(key).and_then(Value::as_bool).unwrap_or(false);
    if is("is_visually_hidden_from_conversation") || is("is_user_system_message") {
        return;
    }
    let role = message.pointer("/author/role").and_then(Value::as_str).unwrap_or_default();
    let at = message.get("create_time").and_then(seconds);
    let content = message.get("content").unwrap_or(&Value::Null);
    let model = meta("model_slug").and_then(Value::as_str).map(|slug| format!("chatgpt/{slug}"));
    match role {
        "user" => {
            let parts = parts(builder, content);
            for file in meta("attachments").and_then(Value::as_array).into_iter().flatten() {
                let kind = file.get("mime_type").and_then(Value::as_str).unwrap_or_default();
                // Pictures are counted where they stand in the text.
                if !kind.starts_with("image/") {
                    builder.leave_out("files");
                }
            }
            builder.user(at, parts);
        }
        "assistant" => {
            let parts = said(builder, message, content);
            builder.assistant(at, model.as_deref(), parts);
        }
        "tool" => {
            let parts = parts(builder, content);
            let ok = content.get("content_type").and_then(Value::as_str) != Some("system_error");
            let words = parts.iter().filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            });
            let result = words.collect::<Vec<_>>().join("\n");
            builder.result(at, None, ok, result);
        }
        _ => {}
    }
}

/// What the assistant says, or calls: a message to somebody else than all is a call.
fn said(builder: &mut Builder, message: &Value, content: &Value) -> Vec<Part> {
    let recipient = message.get("recipient").and_then(Value::as_str).unwrap_or("all");
    if recipient == "all" {
        return parts(builder, content);
    }
    let words: Vec<String> = parts(builder, content)
        .into_iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        })
        .collect();
    let words = words.join("\n");
    let arguments = match serde_json::from_str::<Value>(&words) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ => json!({ "input": words }),
    };
    vec![builder.call(None, recipient, arguments)]
}

fn parts(builder: &mut Builder, content: &Value) -> Vec<Part> {
    let word = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
    match word("content_type") {
        "thoughts" => {
            let thoughts = content.get("thoughts").and_then(Value::as_array);
            let thoughts = thoughts.into_iter().flatten().filter_map(|one| {
                let part = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default();
                thought(&format!("{}\n{}", part("summary"), part("content")))
            });
            thoughts.collect()
        }
        // How long it thought, and what the person told it about themselves once and for all.
        "reasoning_recap" | "user_editable_context" | "model_editable_context" => Vec::new(),
        "code" | "execution_output" | "system_error" => {
            text(&clean(&either(content, "text"))).into_iter().collect()
        }
        "tether_browsing_display" => text(&clean(word("result"))).into_iter().collect(),
        "tether_quote" => {
            let quote = format!("{}\n{}\n{}", word("title"), word("url"), word("text"));
            text(&clean(&quote)).into_iter().collect()
        }
        _ => pieces(builder, content),
    }
}

/// A field, or the text in `parts`.
fn either(content: &Value, key: &str) -> String {
    let field = content.get(key).and_then(Value::as_str).map(str::to_owned);
    field.unwrap_or_else(|| {
        let parts = content.get("parts").and_then(Value::as_array);
        let texts = parts.into_iter().flatten().filter_map(Value::as_str);
        texts.collect::<Vec<_>>().join("\n")
    })
}

/// Text and what stands between it, as one part.
fn pieces(builder: &mut Builder, content: &Value) -> Vec<Part> {
    let Some(pieces) = content.get("parts").and_then(Value::as_array) else {
        let whole = either(content, "text");
        if whole.is_empty() && content.get("content_type").is_some() {
            builder.leave_out("pieces of an unknown kind");
        }
        return text(&clean(&whole)).into_iter().collect();
    };
    let mut whole: Vec<String> = Vec::new();
    for piece in pieces {
        match piece {
            Value::String(text) => whole.push(clean(text)),
            Value::Object(piece) => whole.extend(piece_text(builder, piece)),
            _ => {}
        }
    }
    whole.retain(|piece| !piece.trim().is_empty());
    text(&whole.join("\n")).into_iter().collect()
}

fn piece_text(builder: &mut Builder, piece: &Map<String, Value>) -> Option<String> {
    let spoken = piece.get("text").and_then(Value::as_str);
    match piece.get("content_type").and_then(Value::as_str).unwrap_or_default() {
        "image_asset_pointer" => {
            builder.leave_out("pictures");
            Some("[picture]".to_owned())
        }
        "audio_asset_pointer" | "real_time_user_audio_video_asset_pointer" => {
            builder.leave_out("recordings");
            None
        }
        _ if spoken.is_some() => spoken.map(clean),
        _ => {
            builder.leave_out("pieces of an unknown kind");
            None
        }
    }
}

/// Begins, divides and ends what ChatGPT writes for its own page into a text.
const OPEN: char = '\u{e200}';
const DIVIDE: char = '\u{e202}';
const CLOSE: char = '\u{e201}';

/// The text without references to sources that only ChatGPT's page can follow; names stay.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([OPEN, '【']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if rest.starts_with(OPEN) { marked(rest, &mut out) } else { cited(rest) };
        match taken {
            Some(length) => rest = &rest[length..],
            None => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..first]);
                rest = &rest[first..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The length of a marked stretch; the name in it, if there is one, goes to `out`.
fn marked(text: &str, out: &mut String) -> Option<usize> {
    let end = text.find(CLOSE)?;
    let inside = &text[OPEN.len_utf8()..end];
    let mut fields = inside.split(DIVIDE);
    if fields.next() == Some("entity") {
        let named = fields.next().and_then(|list| serde_json::from_str::<Vec<Value>>(list).ok());
        if let Some(name) = named.as_ref().and_then(|list| list.get(1)?.as_str()) {
            out.push_str(name);
        }
    }
    Some(end + CLOSE.len_utf8())
}

/// The length of `【4:0†source】`.
fn cited(text: &str) -> Option<usize> {
    let end = text.find('】')?;
    let inside = &text['【'.len_utf8()..end];
    let is_reference = inside.contains('†') && inside.starts_with(|c: char| c.is_ascii_digit());
    is_reference.then_some(end + '】'.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(parent: Option<&str>, role: &str, at: i64, content: Value) -> Value {
        json!({ "parent": parent, "children": [], "message": {
            "author": { "role": role }, "create_time": at, "content": content,
            "metadata": {}, "recipient": "all" } })
    }

    fn words(text: &str) -> Value {
        json!({ "content_type": "text", "parts": [text] })
    }

    fn lines(conversation: &Conversation) -> Vec<String> {
        let messages = conversation.exchanges.iter().flat_map(|exchange| &exchange.messages);
        messages.map(|message| format!("{:?}: {}", message.role, message.joined_text())).collect()
    }

    #[test]
    fn the_branch_in_view_is_read() {
        let element = json!({
            "id": "c1", "title": "  Trip\nto Lisbon ", "create_time": 100.5, "update_time": 400.0,
            "current_node": "d", "is_archived": true,
            "mapping": {
                "root": { "parent": null, "message": null },
                "s": node(Some("root"), "system", 0, words("PRIVATE")),
                "a": node(Some("s"), "user", 110, words("Where to?")),
                "b": node(Some("a"), "assistant", 120, words("OLD BRANCH")),
                "c": node(Some("a"), "assistant", 130, words("Alfama\u{e200}cite\u{e202}turn0\u{e201} first.【4:0†source】")),
                "d": node(Some("c"), "user", 140, words("Then \u{e200}entity\u{e202}[\"city\",\"Sintra\",\"x\"]\u{e201}?")),
            }
        });
        let read = conversation(&element).expect("a conversation");
        assert_eq!(
            lines(&read),
            ["User: Where to?", "Assistant: Alfama first.", "User: Then Sintra?"]
        );
        assert_eq!(
            (read.title.as_str(), read.created_at, read.updated_at),
            ("Trip to Lisbon", 100, 400)
        );
        assert!(read.archived);
        assert_eq!(read.exchanges.len(), 2);
        let mut older = element.clone();
        older["current_node"] = json!("gone");
        assert_eq!(lines(&conversation(&older).expect("the latest leaf")), lines(&read));
    }

    #[test]
    fn tools_thoughts_and_pictures() {
        let mut call =
            node(Some("a"), "assistant", 20, json!({"content_type": "code", "text": "plot()"}));
        call["message"]["recipient"] = json!("python");
        call["message"]["metadata"] = json!({"model_slug": "gpt-5"});
        let mut hidden = node(Some("e"), "assistant", 50, words("HIDDEN"));
        hidden["message"]["metadata"] = json!({"is_visually_hidden_from_conversation": true});
        let picture = json!({"content_type": "multimodal_text", "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "Plot this",
            {"content_type": "audio_transcription", "text": "please"}, {"content_type": "hologram"}, 7]});
        let element = json!({ "conversation_id": "c2", "mapping": {
            "a": node(None, "user", 10, picture),
            "b": call,
            "c": node(Some("b"), "tool", 30, json!({"content_type": "execution_output", "text": "<plot>"})),
            "d": node(Some("c"), "assistant", 40, json!({"content_type": "thoughts", "thoughts": [{"summary": "Trend", "content": "up"}]})),
            "e": node(Some("d"), "assistant", 45, words("It rises.")),
            "f": hidden,
            "g": node(Some("f"), "tool", 60, words("nobody asked")),
            "h": node(Some("g"), "assistant", 70, json!({"content_type": "brand_new"})),
        }});
        let read = conversation(&element).expect("a conversation");
        let said = lines(&read);
        assert_eq!(said[0], "User: [picture]\nPlot this\nplease");
        assert_eq!(said.last().map(String::as_str), Some("Assistant: It rises."));
        assert_eq!(read.exchanges[0].model.as_deref(), Some("chatgpt/gpt-5"));
        assert_eq!(read.left_out, "pictures: 1, pieces of an unknown kind: 2, results of tools: 1");
        let text = format!("{:?}", read.exchanges);
        assert!(text.contains("<plot>") && text.contains("Trend\\nup") && !text.contains("HIDDEN"));
    }

    #[test]
    fn odd_trees_end() {
        let circle = json!({ "id": "c", "current_node": "a", "mapping": {
            "a": node(Some("b"), "user", 1, words("one")),
            "b": node(Some("a"), "assistant", 2, words("two")), "x": 4, "y": null }});
        assert_eq!(conversation(&circle).expect("ends").messages(), 2);
        for (element, why) in [
            (json!({"id": "c"}), "mapping"),
            (json!({"id": "c", "mapping": []}), "mapping"),
            (json!({"mapping": {}}), "no id"),
            (json!(null), "mapping"),
        ] {
            let refused = conversation(&element).expect_err("none");
            assert!(refused.contains(why), "{element}: {refused}");
        }
        let empty = json!({"id": "c", "mapping": {}, "create_time": "never"});
        assert_eq!(conversation(&empty).expect("empty").messages(), 0);
    }
}
