//! A transcript of OpenClaw: JSON Lines, a tree by `id` and `parentId`, of which the branch to the last entry is
//! read.
//!
//! Invariant: one transcript is in memory; a line that is none is counted and the others are read.

use crate::conversation::{Builder, Conversation, Facts, text, thought};
use crate::time::seconds;
use hearth_protocol::Part;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, ErrorKind};

/// Bytes of one transcript.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Reads a transcript. `id` is what it is called where it does not say itself.
///
/// # Errors
/// Why it cannot be read: the disk, its size, or not a line in it is one of a transcript.
pub fn read_transcript(lines: impl BufRead, id: &str) -> io::Result<Conversation> {
    let mut read = Lines::default();
    let mut size = 0;
    for line in lines.split(b'\n') {
        let line = line?;
        size += line.len() as u64;
        if size > LARGEST {
            let why = format!("it is larger than {} MB", LARGEST >> 20);
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        read.line(&line);
    }
    if read.entries.is_empty() && read.header.is_none() {
        let why = "no line of it is one of a transcript";
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    Ok(read.conversation(id))
}

#[derive(Default)]
struct Lines {
    header: Option<Value>,
    entries: Vec<Value>,
    broken: u64,
    name: Option<String>,
    /// The entry that the last navigation led to.
    leaf: Option<String>,
}

impl Lines {
    fn line(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Map<String, Value>>(line) else {
            self.broken += 1;
            return;
        };
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match word("type").as_deref() {
            Some("session") if self.header.is_none() => self.header = Some(Value::Object(value)),
            Some("leaf") => self.leaf = word("targetId"),
            Some(kind) => {
                if kind == "session_info" {
                    self.name = word("name").or(self.name.take());
                }
                self.entries.push(Value::Object(value));
            }
            None => self.broken += 1,
        }
    }

    fn conversation(self, id: &str) -> Conversation {
        let mut builder = Builder::default();
        for _ in 0..self.broken {
            builder.leave_out("lines that are no JSON");
        }
        for entry in self.branch() {
            take(&mut builder, entry);
        }
        let header = |key: &str| self.header.as_ref().and_then(|header| header.get(key));
        let own = header("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        builder.done(Facts {
            id: own.unwrap_or(id).to_owned(),
            title: self.name.clone().unwrap_or_default(),
            created_at: header("timestamp").and_then(seconds),
            updated_at: None,
            archived: false,
        })
    }

    /// The entries that lead to the current one; all of them where they form no tree.
    fn branch(&self) -> Vec<&Value> {
        let id = |entry: &Value| entry.get("id").and_then(Value::as_str).map(str::to_owned);
        let place: HashMap<String, usize> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| Some((id(entry)?, at)))
            .collect();
        let side = |entry: &&Value| entry.get("appendMode").is_some_and(|mode| mode == "side");
        let last = self.entries.iter().rfind(|entry| !side(entry)).and_then(id);
        let named = self.leaf.clone().filter(|leaf| place.contains_key(leaf));
        let Some(mut at) = named.or(last).and_then(|leaf| place.get(&leaf).copied()) else {
            return self.entries.iter().collect();
        };
        let mut seen = HashSet::new();
        let mut path = Vec::new();
        loop {
            if !seen.insert(at) {
                return self.entries.iter().collect();
            }
            path.push(&self.entries[at]);
            let Some(parent) = self.entries[at].get("parentId").and_then(Value::as_str) else {
                break;
            };
            match place.get(parent) {
                Some(before) => at = *before,
                // Its beginning is cut off: nothing of what is there shall be lost.
                None => return self.entries.iter().collect(),
            }
        }
        path.reverse();
        path
    }
}

fn take(builder: &mut Builder, entry: &Value) {
    if entry.get("type").and_then(Value::as_str) != Some("message") {
        return;
    }
    let Some(message) = entry.get("message") else { return };
    let word = |key: &str| message.get(key).and_then(Value::as_str);
    let at = message.get("timestamp").and_then(seconds);
    let at = at.or_else(|| entry.get("timestamp").and_then(seconds));
    match word("role") {
        Some("user") => {
            let parts = content(builder, message);
            builder.user(at, parts);
        }
        Some("assistant") => {
            let model = word("model").map(|model| match word("provider") {
                Some(provider) => format!("{provider}/{model}"),
                None => model.to_owned(),
            });
            let mut parts = content(builder, message);
            if parts.is_empty() {
                parts
                    .extend(word("errorMessage").and_then(|why| text(&format!("[failed: {why}]"))));
            }
            builder.assistant(at, model.as_deref(), parts);
        }
        Some("toolResult") => {
            let failed = message.get("isError").and_then(Value::as_bool).unwrap_or(false);
            let words = content(builder, message).into_iter().filter_map(|part| match part {
                Part::Text { text } => Some(text),
                _ => None,
            });
            let said = words.collect::<Vec<_>>().join("\n");
            builder.result(at, word("toolCallId"), !failed, said);
        }
        // The person ran a command themselves.
        Some("bashExecution") => {
            let ran = format!(
                "$ {}\n{}",
                word("command").unwrap_or_default(),
                word("output").unwrap_or_default()
            );
            builder.user(at, text(&ran).into_iter().collect());
        }
        // What extensions and summaries put in: nobody said it.
        _ => {}
    }
}

fn content(builder: &mut Builder, message: &Value) -> Vec<Part> {
    let blocks = match message.get("content") {
        Some(Value::String(said)) => return text(said).into_iter().collect(),
        Some(Value::Array(blocks)) => blocks,
        _ => return Vec::new(),
    };
    let mut parts = Vec::new();
    for block in blocks {
        let word = |key: &str| block.get(key).and_then(Value::as_str);
        match word("type").unwrap_or_default() {
            "text" => parts.extend(word("text").and_then(text)),
            "thinking" => parts.extend(word("thinking").and_then(thought)),
            "toolCall" => {
                let arguments = block.get("arguments").cloned().unwrap_or_else(|| json!({}));
                parts.push(builder.call(word("id"), word("name").unwrap_or_default(), arguments));
            }
            "image" => builder.leave_out("pictures"),
            _ => builder.leave_out("pieces of an unknown kind"),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[Value]) -> Conversation {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        read_transcript(text.join("\n").as_bytes(), "file-name").expect("a transcript")
    }

    fn said(conversation: &Conversation) -> Vec<String> {
        let messages = conversation.exchanges.iter().flat_map(|exchange| &exchange.messages);
        messages.map(hearth_protocol::Message::joined_text).collect()
    }

    fn line(id: &str, parent: Option<&str>, message: Value) -> Value {
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-04-08T01:03:50.000Z", "message": message})
    }

    #[test]
    fn a_transcript_of_today() {
        let read = read(&[
            json!({"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-04-08T01:03:43.107Z", "cwd": "/w"}),
            json!({"type": "model_change", "id": "1", "parentId": null, "provider": "p", "modelId": "m"}),
            line(
                "2",
                Some("1"),
                json!({"role": "user", "content": "hello", "timestamp": 1_775_610_224_000_i64}),
            ),
            line(
                "3",
                Some("2"),
                json!({"role": "assistant", "content": [{"type": "text", "text": "OLD"}]}),
            ),
            line(
                "4",
                Some("2"),
                json!({"role": "assistant", "provider": "p", "model": "m", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}, {"type": "image"}]}),
            ),
            line(
                "5",
                Some("4"),
                json!({"role": "toolResult", "toolCallId": "c", "isError": true, "content": [{"type": "text", "text": "no such file"}]}),
            ),
            line("6", Some("5"), json!({"role": "custom", "content": "INJECTED"})),
            json!({"type": "session_info", "id": "7", "parentId": "6", "name": "Greeting"}),
            line(
                "8",
                Some("7"),
                json!({"role": "assistant", "content": [], "errorMessage": "overloaded"}),
            ),
        ]);
        assert_eq!((read.id.as_str(), read.title.as_str()), ("s-1", "Greeting"));
        assert_eq!(said(&read), ["hello", "", "", "[failed: overloaded]"]);
        assert_eq!(read.exchanges[0].model.as_deref(), Some("p/m"));
        assert_eq!(
            (read.created_at, read.exchanges[0].messages[0].at),
            (1_775_610_223, 1_775_610_224)
        );
        assert_eq!(read.left_out, "pictures: 1");
    }

    #[test]
    fn branches_leaves_and_cut_beginnings() {
        let user = |text: &str| json!({"role": "user", "content": text});
        let tree = [
            line("a", None, user("one")),
            line("b", Some("a"), user("left")),
            line("c", Some("a"), user("right")),
        ];
        assert_eq!(said(&read(&tree)), ["one", "right"]);
        let mut moved = tree.to_vec();
        moved.push(json!({"type": "leaf", "targetId": "b"}));
        assert_eq!(said(&read(&moved)), ["one", "left"]);
        let mut side = tree.to_vec();
        side.push(json!({"type": "message", "id": "d", "parentId": "b", "appendMode": "side", "message": user("aside")}));
        assert_eq!(said(&read(&side)), ["one", "right"]);
        assert_eq!(said(&read(&tree[1..])), ["left", "right"], "the beginning is gone");
        let circle = [line("a", Some("b"), user("one")), line("b", Some("a"), user("two"))];
        assert_eq!(said(&read(&circle)), ["one", "two"]);
        let flat = json!({"type": "message", "message": user("old format")});
        assert_eq!(said(&read(&[flat])), ["old format"]);
    }

    #[test]
    fn broken_lines_are_counted() {
        let text = "{\"type\":\"session\",\"id\":\"s\"}\r\nnot json\n\n[1]\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n{\"type\":\"message\",\"mess";
        let read = read_transcript(text.as_bytes(), "f").expect("reads");
        assert_eq!(
            (said(&read), read.left_out.as_str()),
            (vec!["hi".to_owned()], "lines that are no JSON: 3")
        );
        read_transcript(&b"words\n"[..], "f").expect_err("nothing of a transcript");
        read_transcript(&b""[..], "f").expect_err("empty");
        assert_eq!(read_transcript(&b"{\"type\":\"session\"}"[..], "f").expect("a header").id, "f");
    }
}
