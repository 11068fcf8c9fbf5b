//! What the store's tests share: a throw-away database and short words for messages and events.

use hearth_protocol::{
    Arguments, Event, EventBody, Message, MessageId, Origin, Part, Role, SessionKey, ToolCall,
    ToolResult, TurnId,
};
use hearth_store::{NewTurn, Store};
use sqlx::Connection;
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) struct Home {
    pub(crate) store: Store,
    pub(crate) folder: TempDir,
}

impl Home {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("hearth.db")).await.expect("opens");
        Self { store, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("hearth.db")
    }

    /// Bytes of prompt texts in the file.
    pub(crate) async fn texts_size(&self) -> u64 {
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(self.path()).read_only(true);
        let mut db = sqlx::SqliteConnection::connect_with(&options).await.expect("connects");
        let size: i64 =
            sqlx::query_scalar("SELECT coalesce(sum(octet_length(text)), 0) FROM texts")
                .fetch_one(&mut db)
                .await
                .expect("sums");
        u64::try_from(size).expect("a size")
    }

    /// As after the end of the process: the old handle is gone, a new one opens the file.
    pub(crate) async fn reopen(self) -> Self {
        self.store.close().await;
        let store = Store::open(&self.folder.path().join("hearth.db")).await.expect("opens again");
        Self { store, folder: self.folder }
    }
}

pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::parse(text).expect("a session key")
}

pub(crate) fn turn(id: &str, session: &SessionKey) -> NewTurn {
    NewTurn { id: id.into(), session: session.clone(), origin: Origin::Window, at: 100 }
}

pub(crate) fn say(role: Role, id: &str, turn: &str, text: &str) -> Message {
    let parts = vec![Part::Text { text: text.into() }];
    Message { id: id.into(), role, parts, at: 100, turn: Some(turn.into()) }
}

pub(crate) fn calls(id: &str, turn: &str, text: &str, calls: &[&str]) -> Message {
    let mut message = say(Role::Assistant, id, turn, text);
    let call = |id: &&str| {
        Part::ToolCall(ToolCall {
            id: (*id).into(),
            name: "read_file".into(),
            arguments: Arguments::Object(serde_json::Map::new()),
        })
    };
    message.parts.extend(calls.iter().map(call));
    message
}

pub(crate) fn result(id: &str, turn: &str, call: &str) -> Message {
    let text = format!("result of {call}");
    Message {
        id: MessageId(id.into()),
        role: Role::Tool,
        parts: vec![Part::ToolResult(ToolResult { call: call.into(), ok: true, text })],
        at: 100,
        turn: Some(turn.into()),
    }
}

pub(crate) fn event(session: &SessionKey, turn: &str, seq: u64, body: EventBody) -> Event {
    Event { body, seq, turn: turn.into(), session: session.clone(), at: 100.0 + seq as f64 }
}

pub(crate) fn text(text: &str) -> EventBody {
    EventBody::Text { text: text.into() }
}

pub(crate) fn tool_start(call: &str) -> EventBody {
    let arguments = Arguments::Object(serde_json::Map::new());
    EventBody::ToolStart { call: call.into(), tool: "read_file".into(), arguments }
}

pub(crate) fn tool_end(call: &str) -> EventBody {
    EventBody::ToolEnd { call: call.into(), ok: true, result: "r".into(), ms: 5 }
}

/// A finished turn: question and answer.
pub(crate) async fn exchange(
    store: &Store,
    session: &SessionKey,
    id: &str,
    question: &str,
    answer: &str,
) {
    let user = say(Role::User, &format!("{id}-q"), id, question);
    let reply = say(Role::Assistant, &format!("{id}-a"), id, answer);
    let turn_id: TurnId = id.into();
    store.queue_turn(&turn(id, session), Some(&user)).await.expect("queues");
    store.start_turn(&turn_id, 101).await.expect("starts");
    let done = EventBody::Done {
        reply: answer.into(),
        stop: hearth_protocol::StopReason::Finished,
        steps: 1,
    };
    let events = [
        event(session, id, 1, EventBody::Started {}),
        event(session, id, 2, text(answer)),
        event(session, id, 3, done),
    ];
    store.append(session, &[reply]).await.expect("appends");
    store.append_events(&events).await.expect("stores events");
    let finished = hearth_protocol::StopReason::Finished;
    store.finish_turn(&turn_id, finished, 1, Some("local/qwen"), 102).await.expect("finishes");
}

/// `role:text` of each message, for whole comparisons.
pub(crate) fn lines(messages: &[Message]) -> Vec<String> {
    let line = |message: &Message| {
        let parts: Vec<String> = message
            .parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => text.clone(),
                Part::Reasoning { text, .. } => format!("({text})"),
                Part::ToolCall(call) => format!("call {}", call.id),
                Part::ToolResult(result) => format!("{} {}", result.call, result.ok),
                Part::Image { .. } => "image".into(),
            })
            .collect();
        format!("{:?}: {}", message.role, parts.join(" + ")).to_lowercase()
    };
    messages.iter().map(line).collect()
}
