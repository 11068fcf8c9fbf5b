//! The prompt of one model call: which sections, in which order, and what of the history fits.
//!
//! Invariants:
//! * Sections stand in the order of [`Slot`]; which exist in which mode is [`Slot::modes`] alone.
//! * With unchanged files the text above the cache boundary is byte-identical from turn to turn.
//! * The manifest names every section that was sent, and what was left out; its total is the sum.
//! * Calls and results are never split; the oldest whole turns are left out first.
//!
//! Absent here: reading files and capping each of them (`hearth-workspace`), finding memories and skills.

mod assemble;
mod fit;
mod framing;
mod hint;
mod shrink;
mod slot;

pub use assemble::{assemble, fixed_tokens, preview};
pub(crate) use fit::{begins_turn, message_tokens};
pub use hint::names_a_file;
pub use slot::Slot;

use crate::history::Unsendable;
use hearth_protocol::{ContextManifest, Message, PromptMode, SystemBlock, ToolSpec};
use std::sync::Arc;
use thiserror::Error;

/// A section that the engine brings: a file, a log, recalled memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its place. Sections of one slot keep their order.
    pub slot: Slot,
    /// Where it comes from, for example `SOUL.md` or `memory/2026-11-29.md`; also its heading.
    pub source: String,
    /// Its text, already capped; `None`: the file is missing (a marker stands in the prompt).
    pub text: Option<Arc<str>>,
    /// Unicode scalar values of the source before it was cut.
    pub raw_chars: u64,
    /// Whether it was cut.
    pub truncated: bool,
    /// Why it is there.
    pub reason: String,
}

/// The day as the person's calendar shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today {
    /// `2026-11-29`.
    pub date: String,
    /// `Sunday`.
    pub weekday: String,
    /// `Europe/Berlin`.
    pub zone: String,
}

/// The model that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRoom {
    /// `PROVIDER/MODEL`, for the manifest.
    pub model: String,
    /// Its window in tokens.
    pub window: u64,
    /// Tokens kept free for its reply.
    pub output_reserve: u64,
    /// How many tokens everything but the history may take, where the model is slow to read (the built-in
    /// one): sections are cut further to fit. `None`: as given.
    pub prompt_tokens: Option<u64>,
}

/// For the built-in model and small windows: what a first request may take, tools with their template and the
/// message included. With [`WRAPPING_TOKENS`] it stays within 800; an estimate may be two hundredths off. Later
/// requests may bring 200 more of what belongs to their turn.
pub const SMALL_PROMPT_TOKENS: u64 = 800 - WRAPPING_TOKENS - 16;
/// What the template of an open model puts around the system prompt and before the reply: marks, roles, line
/// breaks.
const WRAPPING_TOKENS: u64 = 8;

/// Everything a prompt is made of.
#[derive(Debug, Clone)]
pub struct PromptParts {
    /// How much of it.
    pub mode: PromptMode,
    /// For whom.
    pub room: ModelRoom,
    /// The assistant's name.
    pub name: String,
    /// Tools offered with the request.
    pub tools: Arc<[ToolSpec]>,
    /// Files, logs, memory; those that the mode does not carry are left out.
    pub sections: Vec<Section>,
    /// The day.
    pub today: Today,
    /// Stored messages of the session, oldest first, the message being answered and what followed it
    /// included. They are repaired here.
    pub history: Vec<Message>,
}

/// A prompt ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// System prompt: up to the cache boundary, and the rest.
    pub system: Vec<SystemBlock>,
    /// History and message, well-formed.
    pub messages: Vec<Message>,
    /// Tools for the request; none in a mode without them.
    pub tools: Vec<ToolSpec>,
    /// What was given and why, texts included.
    pub manifest: ContextManifest,
}

/// Why a prompt cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptError {
    /// There is nothing to answer.
    #[error(transparent)]
    Unsendable(#[from] Unsendable),
    /// Even without history it does not fit.
    #[error("the message needs {needed} tokens with its prompt, and the model has room for {room}")]
    Overflow {
        /// What is needed.
        needed: u64,
        /// What there is.
        room: u64,
    },
}
