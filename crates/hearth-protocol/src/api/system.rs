//! Health, usage, and what a shell needs to know of the whole.

use crate::api::files::FileChanged;
use crate::api::models::PullProgress;
use crate::api::transfer::ImportProgress;
use crate::{Event, Purpose, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One check of `hearth doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DoctorRow {
    /// What was checked.
    pub check: String,
    /// It is in order.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do; empty where it is in order.
    pub fix: String,
}

/// Tokens and money by day, purpose and model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UsageRow {
    /// The local day, `YYYY-MM-DD`.
    pub day: String,
    /// What for.
    pub purpose: Purpose,
    /// `PROVIDER/MODEL`.
    pub model: String,
    /// Model calls.
    pub calls: u64,
    /// Prompt tokens.
    pub input: u64,
    /// Of these, read from a cache.
    pub cached: u64,
    /// Tokens written.
    pub output: u64,
    /// US dollars.
    pub usd: f64,
}

/// The signals that a message holds (`hearth signals`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalsRow {
    /// The message.
    pub text: String,
    /// Of `correction`, `proper_noun`, `preference`, `decision`, `draft_change`, `exact_value`.
    pub signals: Vec<String>,
}

/// How far the built-in model has read a turn's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadingProgress {
    /// The turn.
    pub turn: TurnId,
    /// Tokens read so far.
    pub done: u64,
    /// Tokens to read (what the model still knows from before is not among them).
    pub total: u64,
}

/// Everything that a window hears on its one channel, numbered by the shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Signal {
    /// An event of a turn.
    Turn(Event),
    /// A workspace file changed.
    File(FileChanged),
    /// The built-in model reads a turn's prompt; it is not an event, since it leaves nothing behind.
    Reading(ReadingProgress),
    /// A download moved on.
    Pull(PullProgress),
    /// An import moved on.
    Import(ImportProgress),
    /// The list of sessions changed.
    Sessions,
    /// The settings changed.
    Settings,
    /// The heartbeat's items, jobs, slots or log changed.
    Heartbeat,
    /// The inbox of notices changed.
    Notices,
    /// The shell asks the window to go somewhere, such as `/chat/assistant:main`.
    Navigate(String),
}
