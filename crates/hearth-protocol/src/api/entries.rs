//! Memory entries: listing, adding, correcting, forgetting them, and what happened to each.

use crate::api::files::Author;
use crate::{SessionKey, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A memory entry in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryRow {
    /// Its id, or one made of its text where the file gives none.
    pub id: String,
    /// `fact`, `preference`, `event`, `decision` or `lesson`; empty where not said.
    pub kind: String,
    /// Its heading.
    pub title: String,
    /// What it says.
    pub text: String,
    /// When it was written, Unix seconds, where that is known.
    pub at: Option<i64>,
    /// `active`, `superseded by ID`, or `expired`.
    pub status: String,
    /// File within the workspace.
    pub path: String,
    /// First and last line, from 1.
    pub lines: (u32, u32),
}

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EntryChange {
    /// It was written.
    Created,
    /// It was told again.
    Strengthened,
    /// Another one took its place.
    Superseded,
    /// Its text or title was rewritten.
    Edited,
    /// It was forgotten.
    Forgotten,
    /// It was brought back.
    Restored,
    /// Its time was over.
    Expired,
    /// It was merged into another one, or moved to a daily log.
    Consolidated,
    /// It was given to the assistant for an answer, for the first time that day.
    Recalled,
}

/// One thing that happened to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryEvent {
    /// The entry.
    pub entry: String,
    /// What happened.
    pub change: EntryChange,
    /// Unix seconds.
    pub at: i64,
    /// The local day, `YYYY-MM-DD`.
    pub day: String,
    /// File within the workspace.
    pub path: String,
    /// Its title then; empty where it was forgotten since.
    pub title: String,
    /// What it said then; empty where it was forgotten since.
    pub text: String,
    /// The other entry: the one that took its place, or whose place it took.
    pub other: Option<String>,
    /// The conversation it came from.
    pub session: Option<SessionKey>,
    /// The turn it came from.
    pub turn: Option<TurnId>,
    /// Who did it.
    pub author: Author,
    /// Why.
    pub why: String,
}

/// An entry with where it comes from and what happened to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EntryView {
    /// The entry as it stands; none where it is in no file any more.
    pub row: Option<EntryRow>,
    /// Where it comes from, as its file says.
    pub source: String,
    /// From 0 to 1, where it is said.
    pub confidence: Option<f64>,
    /// How often it was told.
    pub seen: u32,
    /// Unix seconds until which it holds.
    pub expiry: Option<i64>,
    /// Oldest first.
    pub history: Vec<EntryEvent>,
    /// It is forgotten, and can be brought back until then, Unix seconds.
    pub forgotten_until: Option<i64>,
}

/// Something to be remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryAdd {
    /// What.
    pub text: String,
    /// Its heading; none: the beginning of the text.
    #[serde(default)]
    pub title: Option<String>,
    /// Its kind; none: a fact.
    #[serde(default)]
    pub kind: Option<String>,
}

/// A change of an entry's words; what it says stays the same fact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryEdit {
    /// Which.
    pub id: String,
    /// Its heading, if that changes.
    #[serde(default)]
    pub title: Option<String>,
    /// What it says, if that changes.
    #[serde(default)]
    pub text: Option<String>,
}

/// What forgetting did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryForgotten {
    /// The entry.
    pub id: String,
    /// Files it was removed from.
    pub files: u64,
    /// Stored texts that were masked: messages, events, prompts.
    pub masked: u64,
    /// It can be brought back until then, Unix seconds; none where it was erased.
    pub until: Option<i64>,
}

/// Two things that cannot both be true, for the person to settle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryConflict {
    /// Its number.
    pub conflict: i64,
    /// What memory holds.
    pub held: EntryRow,
    /// What speaks against it.
    pub text: String,
    /// When it was found, Unix seconds.
    pub at: i64,
    /// Why it was not settled by itself.
    pub why: String,
}

/// How a conflict is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EntryTake {
    /// What memory holds stays.
    Held,
    /// The other takes its place.
    Other,
    /// Both are true.
    Both,
}

/// What a day changed in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryDay {
    /// The local day, `YYYY-MM-DD`.
    pub day: String,
    /// Newest first.
    pub events: Vec<EntryEvent>,
}
