//! The turn as a state machine: inputs in, effects out.
//!
//! The six stages, repeated: assemble the context and call the model ([`Effect::CallModel`]), parse its
//! tool calls, execute them one after another ([`Effect::CheckPolicy`], [`Effect::RunTool`]), append the
//! results ([`Effect::Persist`]), decide whether to stop.
//!
//! Invariants:
//! * The driver performs the effects of one input in order before it gives the next input.
//! * Before each `CallModel` the persisted messages are well-formed: every call has its result.
//! * Every persisted call gets exactly one `tool_start` and one `tool_end`, whatever happens.
//! * The visible reply is the concatenation of the `text` events.
//! * A turn ends once: its last event is one `done`, followed by [`Effect::Finish`]; inputs after that
//!   change nothing.
//! * What the person said while the turn ran is persisted, at the latest when the turn ends.
//!
//! Absent here: ids and times of messages (the driver stamps a [`Draft`]), retries and fallback (the
//! driver's; it says [`Input::Failed`] when it gave up), the `usage`, `provider` and `approval` events.

mod listen;
mod stop;
mod tools;
mod turn;
mod written;

pub use turn::{Turn, error_code};

use crate::TokenCounter;
use hearth_protocol::{
    CallId, EventBody, Fault, Message, MessageId, ModelDelta, ModelReply, Part, Role, StopReason,
    ToolCall, ToolSpec, TurnId, WireError,
};
use std::fmt;
use std::sync::Arc;

/// When a turn stops, and how much one step may bring.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Model calls.
    pub steps: u32,
    /// Seconds of work; waiting for the person's approval does not count.
    pub seconds: f64,
    /// So many times the same (tool, arguments, result) end the turn.
    pub repeats: u32,
    /// How often in a row a tool's bad arguments go back to the model.
    pub mends: u32,
    /// How often a call that the model only wrote about goes back to it; for small models, which do that.
    pub written: u32,
    /// Characters of a tool result.
    pub result_chars: usize,
    /// Share of the window for one tool result.
    pub result_share: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 40,
            seconds: 15.0 * 60.0,
            repeats: 3,
            mends: 2,
            written: 0,
            result_chars: 40_000,
            result_share: 0.30,
        }
    }
}

/// What a turn needs to know before it begins.
#[derive(Clone)]
pub struct TurnConfig {
    /// When to stop.
    pub limits: Limits,
    /// The tools offered: calls of others, or with arguments that miss the schema, go back as errors.
    pub tools: Arc<[ToolSpec]>,
    /// The model's window in tokens.
    pub window: u64,
    /// The model's tokens.
    pub counter: Arc<dyn TokenCounter>,
}

impl fmt::Debug for TurnConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnConfig")
            .field("limits", &self.limits)
            .field("tools", &self.tools.len())
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

/// A message without id and time; the driver stamps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
}

impl Draft {
    /// The message to store. `at` is Unix seconds.
    #[must_use]
    pub fn stamp(self, id: MessageId, at: i64, turn: TurnId) -> Message {
        Message { id, role: self.role, parts: self.parts, at, turn: Some(turn) }
    }
}

/// What policy says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Ask the person.
    Ask,
    /// Never.
    Deny,
}

/// What happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The person's message (or the heartbeat's, or a job's). The first input.
    Begin {
        /// What it says.
        parts: Vec<Part>,
    },
    /// A piece of the model's reply.
    Delta(ModelDelta),
    /// The model's reply, whole. Text that was not streamed before is emitted now.
    Reply(ModelReply),
    /// The driver gave up on this model call, after retries and fallback.
    Failed {
        /// Why.
        fault: Fault,
        /// What had come by then, where it is more than the deltas.
        partial: Option<ModelReply>,
    },
    /// The budget does not allow this model call.
    BudgetRefused {
        /// Which budget, for the person.
        why: String,
    },
    /// Something other than the model makes going on impossible, for example a full disk.
    Broken(WireError),
    /// Policy's answer to [`Effect::CheckPolicy`].
    Verdict {
        /// The call.
        call: CallId,
        /// The answer.
        verdict: Verdict,
        /// Why; the model reads it when the answer is no.
        why: String,
    },
    /// The person allowed the call.
    Approved {
        /// The call.
        call: CallId,
    },
    /// The person refused, or did not answer in time.
    Denied {
        /// The call.
        call: CallId,
        /// Why; the model reads it.
        why: String,
    },
    /// A running tool wrote something.
    ToolOutput {
        /// The call.
        call: CallId,
        /// The delta.
        text: String,
    },
    /// A running tool begins or ends to wait for the person; such time is not the turn's.
    Waits {
        /// The call.
        call: CallId,
        /// Begins, or ends.
        waits: bool,
    },
    /// A tool ended.
    ToolDone {
        /// The call.
        call: CallId,
        /// Whether it did what was asked.
        ok: bool,
        /// Its result, whole; it is cut here.
        text: String,
        /// Where the whole result is kept, for the marker of a cut one.
        kept: Option<String>,
        /// How long it ran, in milliseconds.
        ms: u64,
    },
    /// A message of the person while the turn runs.
    Steer {
        /// What it says.
        parts: Vec<Part>,
    },
    /// The person stops the turn.
    Cancel,
    /// Time since the turn began; to be said about once a second.
    Elapsed {
        /// Seconds.
        seconds: f64,
    },
}

/// What the driver has to do, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Number, stamp, store and send this event.
    Emit(EventBody),
    /// Stamp and store this message: it is history from now on.
    Persist(Draft),
    /// Check the budget, assemble the prompt from what is persisted, call the model; answer with
    /// `Delta`s and one `Reply`, or with `Failed`, `BudgetRefused` or `Broken`.
    CallModel {
        /// From 1.
        step: u32,
    },
    /// Abort the model call that runs. Nothing is expected back.
    CancelModel,
    /// Ask policy; answer with `Verdict`. The arguments are checked against the schema: what is checked
    /// here is what runs.
    CheckPolicy(ToolCall),
    /// Ask the person (and emit `approval`); answer with `Approved` or `Denied`. What comes after it in the
    /// same reply ([`Turn::upcoming`]) may be asked with it.
    AskApproval {
        /// What would run.
        call: ToolCall,
        /// Why it is asked.
        why: String,
    },
    /// Run it; answer with `ToolDone`.
    RunTool(ToolCall),
    /// Kill the tool that runs. Nothing is expected back.
    CancelTool {
        /// The call.
        call: CallId,
    },
    /// The turn is over, `done` was emitted. An approval still open is void.
    Finish {
        /// Why it ended.
        stop: StopReason,
        /// The whole visible reply.
        reply: String,
    },
}
