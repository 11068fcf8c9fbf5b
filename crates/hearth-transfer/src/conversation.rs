//! A past conversation, whoever had it: exchanges of a person's message and what came of it.
//!
//! Invariants: each exchange begins with the person's message, but the first, which may begin without; the
//! calls of a conversation have different ids; a result names a call before it.

use hearth_protocol::{Arguments, CallId, Message, MessageId, Part, Role, ToolCall, ToolResult};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// A past conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Its id in the source.
    pub id: String,
    /// Its title there; may be empty.
    pub title: String,
    /// Unix seconds; 0 where the source says nothing.
    pub created_at: i64,
    /// Unix seconds of the last change; never before a message.
    pub updated_at: i64,
    /// It was put out of sight there.
    pub archived: bool,
    /// In order.
    pub exchanges: Vec<Exchange>,
    /// What of it did not come along, such as `pictures: 2`; empty where all did.
    pub left_out: String,
}

/// A person's message and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The model that answered, where the source says so.
    pub model: Option<String>,
    /// In order.
    pub messages: Vec<Message>,
}

impl Conversation {
    /// How many messages it has.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.messages.len()).sum()
    }
}

/// What is known of a conversation besides its messages.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) created_at: Option<i64>,
    pub(crate) updated_at: Option<i64>,
    pub(crate) archived: bool,
}

/// Puts a conversation together, message by message.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    exchanges: Vec<Exchange>,
    /// Ids of the source to ids here; those without a result come first to one without a name.
    calls: HashMap<String, CallId>,
    open: Vec<CallId>,
    made: usize,
    left_out: BTreeMap<&'static str, u64>,
    latest: i64,
}

impl Builder {
    /// The time of a message without one: that of the message before.
    pub(crate) fn at(&mut self, at: Option<i64>) -> i64 {
        let at = at.unwrap_or(self.latest);
        self.latest = self.latest.max(at);
        at
    }

    /// The person speaks.
    pub(crate) fn user(&mut self, at: Option<i64>, parts: Vec<Part>) {
        if parts.is_empty() {
            return;
        }
        let at = self.at(at);
        self.exchanges
            .push(Exchange { model: None, messages: vec![message(Role::User, parts, at)] });
    }

    /// The assistant speaks, thinks or calls.
    pub(crate) fn assistant(&mut self, at: Option<i64>, model: Option<&str>, parts: Vec<Part>) {
        if parts.is_empty() {
            return;
        }
        let at = self.at(at);
        let exchange = self.current();
        if let Some(model) = model {
            exchange.model = Some(model.to_owned());
        }
        exchange.messages.push(message(Role::Assistant, parts, at));
    }

    /// A call, under an id of its own; its result is expected.
    pub(crate) fn call(&mut self, id: Option<&str>, name: &str, arguments: Value) -> Part {
        self.made += 1;
        let own = CallId(format!("call-{}", self.made));
        if let Some(id) = id {
            self.calls.insert(id.to_owned(), own.clone());
        }
        self.open.push(own.clone());
        Part::ToolCall(ToolCall {
            id: own,
            name: tool_name(name),
            arguments: arguments_of(arguments),
        })
    }

    /// The result of the call of this id; without one, of the oldest call that still waits.
    pub(crate) fn result(&mut self, at: Option<i64>, id: Option<&str>, ok: bool, text: String) {
        let named = id.and_then(|id| self.calls.get(id).cloned());
        let call = match (named, id) {
            (Some(call), _) => Some(call),
            // A result that names an unknown call answers none.
            (None, Some(_)) => None,
            (None, None) => self.open.first().cloned(),
        };
        let Some(call) = call.filter(|call| self.open.contains(call)) else {
            return self.leave_out("results of tools");
        };
        self.open.retain(|other| *other != call);
        let at = self.at(at);
        let part = Part::ToolResult(ToolResult { call, ok, text });
        self.current().messages.push(message(Role::Tool, vec![part], at));
    }

    /// Something that does not come along, by its plural.
    pub(crate) fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    pub(crate) fn done(self, facts: Facts) -> Conversation {
        let said = |pick: fn(i64, i64) -> i64| {
            let times = self.exchanges.iter().flat_map(|exchange| &exchange.messages);
            times.map(|message| message.at).filter(|at| *at > 0).reduce(pick)
        };
        let (first, last) = (said(i64::min), said(i64::max));
        let created_at = facts.created_at.or(first).unwrap_or_default();
        let updated_at = [facts.updated_at, last, Some(created_at)].into_iter().flatten().max();
        let mut exchanges = self.exchanges;
        // The earliest messages may come without a time.
        for message in exchanges.iter_mut().flat_map(|exchange| &mut exchange.messages) {
            if message.at == 0 {
                message.at = created_at;
            }
        }
        let left_out: Vec<String> =
            self.left_out.iter().map(|(what, count)| format!("{what}: {count}")).collect();
        Conversation {
            id: facts.id,
            title: one_line(&facts.title),
            created_at,
            updated_at: updated_at.unwrap_or(created_at),
            archived: facts.archived,
            exchanges,
            left_out: left_out.join(", "),
        }
    }

    fn current(&mut self) -> &mut Exchange {
        if self.exchanges.is_empty() {
            self.exchanges.push(Exchange { model: None, messages: Vec::new() });
        }
        let last = self.exchanges.len() - 1;
        &mut self.exchanges[last]
    }
}

/// A text part; none where nothing is said.
pub(crate) fn text(text: &str) -> Option<Part> {
    let said = text.trim_matches(['\n', '\r', ' ', '\t', '\0']);
    (!said.is_empty()).then(|| Part::Text { text: said.to_owned() })
}

/// A part of thinking; none where nothing was thought.
pub(crate) fn thought(text: &str) -> Option<Part> {
    let text = text.trim();
    (!text.is_empty()).then(|| Part::Reasoning { text: text.to_owned(), signature: None })
}

/// A file that was given along with its text, as Hearth keeps one: its name, then the text in a fence.
pub(crate) fn given(name: &str, content: &str) -> Part {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    Part::Text { text: format!("{}:\n{fence}\n{content}\n{fence}", one_line(name)) }
}

/// A name on one line, without what drives a terminal.
pub(crate) fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names of tools are letters, digits, `_` and `-` for every provider.
fn tool_name(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(64).map(fit).collect();
    if name.is_empty() { "tool".to_owned() } else { name }
}

fn arguments_of(value: Value) -> Arguments {
    match value {
        Value::Object(map) => Arguments::Object(map),
        Value::Null => Arguments::Object(Map::new()),
        other => Arguments::Object(Map::from_iter([("input".to_owned(), other)])),
    }
}

fn message(role: Role, parts: Vec<Part>, at: i64) -> Message {
    Message { id: MessageId::new(), role, parts, at, turn: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_goes_to_its_call_and_a_stray_one_is_left_out() {
        let mut builder = Builder::default();
        builder.user(Some(10), text("go").into_iter().collect());
        let parts = vec![
            builder.call(Some("x"), "read file", json!({"path": "a"})),
            builder.call(None, "", json!("words")),
        ];
        builder.assistant(None, Some("m"), parts);
        builder.result(None, None, true, "first".to_owned());
        builder.result(Some(12), Some("nobody"), true, "stray".to_owned());
        builder.result(Some(13), Some("x"), true, "again".to_owned());
        let done = builder.done(Facts { id: "c".to_owned(), ..Facts::default() });
        assert_eq!((done.created_at, done.updated_at, done.messages()), (10, 10, 3));
        assert_eq!(done.left_out, "results of tools: 2");
        let exchange = &done.exchanges[0];
        assert_eq!(exchange.model.as_deref(), Some("m"));
        let calls: Vec<_> = exchange.messages[1].tool_calls().collect();
        assert_eq!((calls[0].name.as_str(), calls[1].name.as_str()), ("read_file", "tool"));
        assert_eq!(
            calls[1].arguments,
            Arguments::Object(Map::from_iter([("input".into(), json!("words"))]))
        );
        let Part::ToolResult(result) = &exchange.messages[2].parts[0] else { panic!("a result") };
        assert_eq!((result.call.as_str(), result.text.as_str()), ("call-1", "first"));
    }

    #[test]
    fn a_given_file_has_a_fence_longer_than_any_in_it() {
        let Part::Text { text } = given("a\nb.md", "```\nx\n```") else { panic!("text") };
        assert_eq!(text, "a b.md:\n````\n```\nx\n```\n````");
    }
}
