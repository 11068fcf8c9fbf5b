//! Talking: submit, stop, and the stored conversations.

use crate::{Attachment, Event, Message, MessageId, Origin, SessionKey, ToolCall, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Start a turn (or steer the running one). Answers at once with [`Submitted`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Submit {
    /// Where to.
    pub session: SessionKey,
    /// The text.
    pub text: String,
    /// Who asks.
    pub origin: Origin,
    /// The shell's id of this message: the same id twice starts one turn.
    pub message_id: String,
    /// Files.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// `PROVIDER/MODEL` for this turn; the session's or the default one if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Tools allowed for this turn without asking.
    #[serde(default)]
    pub yes_to: Vec<String>,
}

/// What became of a [`Submit`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Submitted {
    /// A turn runs or waits in its lane.
    Turn {
        /// Its id.
        turn: TurnId,
    },
    /// The running turn takes the message at its next tool boundary.
    Steered {
        /// The running turn.
        turn: TurnId,
    },
    /// It was a command; this is its answer, as Markdown.
    Command {
        /// The answer.
        text: String,
    },
    /// The same message came before.
    Duplicate,
}

/// Take the conversation up again from one of its messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Rewind {
    /// Which session.
    pub session: SessionKey,
    /// The user message to send again.
    pub message: MessageId,
    /// Its new text; the old one if absent (retry).
    pub text: Option<String>,
    /// Leave this session as it is and go on in a new one (branch).
    pub branch: bool,
    /// The shell's id of this message.
    pub message_id: String,
}

/// What became of a [`Rewind`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Rewound {
    /// Where the conversation goes on.
    pub session: SessionKey,
    /// The new turn.
    pub turn: TurnId,
}

/// One stored conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionInfo {
    /// Its key.
    pub key: SessionKey,
    /// Given by the person, else the first message's beginning.
    pub title: String,
    /// Turns so far.
    pub turns: u64,
    /// Unix seconds.
    pub updated_at: i64,
    /// Kept on top.
    pub pinned: bool,
    /// Out of sight.
    pub archived: bool,
    /// A turn is running or waiting.
    pub running: bool,
    /// `PROVIDER/MODEL` picked for this session; none: the default.
    pub model: Option<String>,
}

/// Change a stored conversation. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionChange {
    /// New title.
    pub title: Option<String>,
    /// Pin or unpin.
    pub pinned: Option<bool>,
    /// Archive or bring back.
    pub archived: Option<bool>,
    /// Model for this session; an empty text means the default.
    pub model: Option<String>,
}

/// A stored message as lists show it (`hearth sessions show`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MessageRow {
    /// Who speaks, as in [`crate::Role`].
    pub role: crate::Role,
    /// The text parts, joined; for tool results the result.
    pub text: String,
    /// Calls that the model made here.
    pub tool_calls: Vec<ToolCall>,
    /// Unix seconds.
    pub at: i64,
    /// The turn.
    pub turn: Option<TurnId>,
}

/// A conversation as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Transcript {
    /// Its row in the list.
    pub session: SessionInfo,
    /// Turns in order.
    pub turns: Vec<TurnView>,
}

/// One turn as the window shows it: its messages and the events that are not messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TurnView {
    /// Its id; none for imported messages.
    pub turn: Option<TurnId>,
    /// In order.
    pub messages: Vec<Message>,
    /// Events other than `text` and `reasoning`, in order.
    pub events: Vec<Event>,
    /// Still running.
    pub running: bool,
    /// Workspace files that it changed, by path: what can be taken back.
    pub files: Vec<String>,
}

/// Where early messages of a conversation left the window, and what stands for them. The messages stay stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CompactionRow {
    /// Its number, to open the originals.
    pub id: u64,
    /// The turn during which it was made.
    pub turn: Option<TurnId>,
    /// The last message that the summary stands for.
    pub through: MessageId,
    /// Which strategy.
    pub strategy: String,
    /// A model wrote the summary; else Hearth did.
    pub by_model: bool,
    /// What stands for the messages, as Markdown.
    pub summary: String,
    /// Tokens of the prompt before.
    pub from_tokens: u64,
    /// Tokens of the prompt after.
    pub to_tokens: u64,
    /// Messages that left the window with it.
    pub messages: u64,
    /// Unix seconds.
    pub at: i64,
}

/// A `/` command, for completion and `/help`. Its description is the interface's, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommandRow {
    /// Without the slash.
    pub name: String,
    /// The same in Chinese, where natural; without the slash.
    pub aliases: Vec<String>,
    /// What follows it, such as `[focus]`; may be empty.
    pub argument: String,
}
