//! The engine's side of a model call: what is asked, what streams back, how it ends, how it fails.
//! Providers' wire formats are turned into these words by `hearth-llm`.

use crate::{Message, ToolCall, ToolSpec};
use serde::{Deserialize, Serialize};

/// How much a model may think before it answers, where it can.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// The provider's default.
    #[default]
    Default,
    /// None.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

/// One block of the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemBlock {
    /// Its text.
    pub text: String,
    /// The same from turn to turn: providers may cache up to the last such block.
    pub stable: bool,
}

/// One model call, in no provider's format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The provider's own name of the model (without `PROVIDER/`).
    pub model: String,
    /// System prompt, in order.
    pub system: Vec<SystemBlock>,
    /// History and message; pairs of calls and results whole.
    pub messages: Vec<Message>,
    /// Tools offered.
    pub tools: Vec<ToolSpec>,
    /// Most tokens to write.
    pub max_output: Option<u32>,
    /// Sampling temperature; the provider's default if absent.
    pub temperature: Option<f32>,
    /// Thinking.
    pub thinking: Thinking,
}

/// A piece of a streaming reply, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelDelta {
    /// Visible text.
    Text(String),
    /// Thinking.
    Reasoning(String),
    /// A tool that the provider ran on its side: shown, never run here.
    ServerTool(String),
    /// The built-in model is still reading the prompt: never part of a reply.
    Reading {
        /// Tokens read so far.
        done: u64,
        /// Tokens to read.
        total: u64,
    },
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// The limit of tokens.
    Length,
    /// It wants tools to be run.
    ToolCalls,
    /// The provider filtered the content.
    ContentFilter,
    /// The model refused.
    Refusal,
    /// A long turn was paused by the provider; ask again to go on.
    Pause,
    /// The provider reported an error as the reason.
    Error,
    /// A word we do not know.
    Other,
}

/// Tokens of one call. `input` counts cached ones in; `output` counts thinking in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Prompt tokens.
    pub input: u64,
    /// Of these, read from the provider's cache.
    pub cached: u64,
    /// Tokens written.
    pub output: u64,
}

/// A whole reply, merged from its deltas.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// It reached its end. A reply that was cut is never complete, and its calls never run.
    pub complete: bool,
    /// Visible text.
    pub text: String,
    /// Thinking.
    pub reasoning: String,
    /// The provider's signature of the thinking, to be sent back unchanged.
    pub reasoning_signature: Option<String>,
    /// A refusal sent apart from the text.
    pub refusal: Option<String>,
    /// Tool calls in order of first appearance, ids made where the provider gave none.
    pub tool_calls: Vec<ToolCall>,
    /// Tools that the provider ran on its side.
    pub server_tools: Vec<String>,
    /// Why it stopped.
    pub finish: Option<Finish>,
    /// The provider's word for it.
    pub finish_raw: Option<String>,
    /// Tokens, where the provider said.
    pub usage: Option<TokenUsage>,
}

/// What went wrong with a call, as far as anybody acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Wrong or missing key.
    BadKey,
    /// Not allowed: region, permission.
    Forbidden,
    /// Quota, billing or balance.
    Quota,
    /// Too many requests.
    RateLimited,
    /// Server overloaded or failing.
    Unavailable,
    /// The prompt does not fit.
    ContextOverflow,
    /// No such model.
    ModelMissing,
    /// The URL answers, but it is no model server.
    WrongUrl,
    /// The request was refused as wrong.
    Rejected,
    /// Nothing listens there.
    Refused,
    /// No network or name.
    Offline,
    /// Certificate or clock.
    Tls,
    /// No byte in time.
    Timeout,
    /// The stream ended before the reply did.
    Cut,
    /// The built-in model's files are missing or damaged.
    ModelFiles,
    /// The call was cancelled by us.
    Cancelled,
}

/// Whether, and when, to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "retry")]
pub enum Retry {
    /// Not with this model.
    No,
    /// After our own growing pause.
    Backoff,
    /// After the provider's pause.
    After {
        /// Milliseconds, at most 60,000.
        ms: u64,
    },
    /// The provider's pause is too long to be taken in silence: show it.
    Ask {
        /// Milliseconds, where they are known and sane.
        ms: Option<u64>,
    },
    /// Once, after a compaction.
    AfterCompaction,
    /// Ask again without repeating what was shown.
    Resume,
}

/// A failed call. Its message holds no tags, no keys and no bodies longer than a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// For people: what and why.
    pub message: String,
    /// For people: what to do.
    pub hint: String,
    /// Whether to try again.
    pub retry: Retry,
    /// HTTP status, where one came.
    pub status: Option<u16>,
}
