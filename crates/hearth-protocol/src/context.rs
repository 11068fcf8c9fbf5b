//! What a model call was given, and why.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How much of the prompt a run carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptMode {
    /// Everything: conversations with the person.
    Full,
    /// Tools, AGENTS.md, TOOLS.md, task and runtime: sub-agents.
    Minimal,
    /// Identity, HEARTBEAT.md, USER.md and today's log.
    Heartbeat,
    /// The identity line only.
    None,
}

/// One section of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ManifestSection {
    /// Stable name, such as `soul`, `history`, `message`.
    pub name: String,
    /// File path in the workspace, or where else it comes from.
    pub source: String,
    /// Unicode scalar values as sent.
    pub chars: u64,
    /// Unicode scalar values of the source before it was cut.
    pub raw_chars: u64,
    /// Tokens, counted or estimated for this model.
    pub tokens: u64,
    /// Why it is there.
    pub reason: String,
    /// Whether it was cut.
    pub truncated: bool,
    /// Whether it stands above the cache boundary.
    pub cached_part: bool,
    /// The text as it was sent. Left out of lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Everything that one model call was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextManifest {
    /// Sections in the order of the prompt.
    pub sections: Vec<ManifestSection>,
    /// Sum of the sections' tokens.
    pub total_tokens: u64,
    /// The model's window in tokens.
    pub window: u64,
    /// `PROVIDER/MODEL`.
    pub model: String,
    /// Prompt mode.
    pub mode: PromptMode,
    /// Whether the tokens were counted by the model's own tokenizer.
    pub exact: bool,
}
