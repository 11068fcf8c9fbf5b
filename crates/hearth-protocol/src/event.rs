//! What the engine tells its shells while it works: one numbered stream per turn.
//!
//! The same objects are printed by `hearth ask --json`, one a line, and stored in `hearth.db`.

use crate::{Arguments, CallId, ErrorCode, SessionKey, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One event of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Event {
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
    /// From 1, without gaps, within the turn.
    pub seq: u64,
    /// The turn.
    pub turn: TurnId,
    /// The session.
    pub session: SessionKey,
    /// Unix seconds, with fraction.
    pub at: f64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventBody {
    /// The turn began; no model work yet.
    Started {},
    /// A piece of the visible reply.
    Text {
        /// The delta.
        text: String,
    },
    /// A piece of the model's thinking.
    Reasoning {
        /// The delta.
        text: String,
    },
    /// A tool call is about to run.
    ToolStart {
        /// The call.
        call: CallId,
        /// The tool's name.
        tool: String,
        /// As the model gave them.
        arguments: Arguments,
    },
    /// Output of a running tool.
    ToolOutput {
        /// The call.
        call: CallId,
        /// The delta.
        text: String,
    },
    /// A tool call ended.
    ToolEnd {
        /// The call.
        call: CallId,
        /// Whether it did what was asked.
        ok: bool,
        /// The result, cut as the model saw it.
        result: String,
        /// How long it ran, in milliseconds.
        ms: u64,
    },
    /// A step in the life of a skill.
    Skill {
        /// The skill.
        name: String,
        /// What happened to it.
        state: SkillState,
        /// Why.
        reason: String,
        /// Match score, 0 to 1.
        score: f64,
        /// Tokens added (or freed, on release).
        tokens: u64,
    },
    /// Something was remembered, recalled or forgotten.
    Memory {
        /// What happened.
        kind: MemoryEventKind,
        /// Entry id.
        id: String,
        /// Workspace path.
        path: String,
        /// First line, from 1.
        from: u32,
        /// Last line.
        to: u32,
        /// Why.
        why: String,
    },
    /// An approval changed its state.
    Approval {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
        /// What would run.
        arguments: Arguments,
        /// Its state now.
        verdict: ApprovalState,
        /// Why it was asked or decided.
        reason: String,
        /// Names those that were asked together; absent where it was asked alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        batch: Option<String>,
    },
    /// A question to the person.
    Question {
        /// Its id.
        id: String,
        /// The question.
        text: String,
        /// Answers offered; may be empty.
        choices: Vec<String>,
    },
    /// What one model call used.
    Usage(Usage),
    /// Older messages were summarised.
    Compacted {
        /// Tokens before.
        from_tokens: u64,
        /// Tokens after.
        to_tokens: u64,
        /// Which strategy.
        strategy: String,
    },
    /// The model's server made us wait or change.
    Provider {
        /// What is going on.
        state: ProviderState,
        /// The model asked or switched to.
        model: String,
        /// How long the wait is.
        seconds: f64,
        /// Why.
        why: String,
    },
    /// A sub-agent changed its state.
    Subagent {
        /// Its id.
        id: String,
        /// Its state.
        state: SubagentState,
        /// Its result, when it has one.
        result: Option<String>,
    },
    /// A message was taken into the running turn.
    Steered {
        /// The message.
        text: String,
    },
    /// Work was taken up again after an interruption.
    Recovered {
        /// From what: `crash`, `compaction` or `continue`.
        from: String,
    },
    /// Something the person should know.
    Notice {
        /// Headline.
        title: String,
        /// One or two sentences.
        body: String,
    },
    /// The turn ended. Always the last event.
    Done {
        /// The whole visible reply.
        reply: String,
        /// Why it ended.
        stop: StopReason,
        /// Model calls made.
        steps: u32,
    },
    /// Something failed; `done` follows unless the turn never began.
    Error {
        /// For programs.
        code: ErrorCode,
        /// What happened, for people.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// What one model call used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Usage {
    /// `PROVIDER/MODEL`.
    pub model: String,
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Prompt tokens that the provider read from its cache.
    pub cached: u64,
    /// Tokens written, thinking included.
    pub output: u64,
    /// Price in US dollars; 0 where the model is free or its price unknown.
    pub usd: f64,
    /// What the call was for.
    pub purpose: Purpose,
}

/// What a model call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Purpose {
    Turn,
    Flush,
    Compaction,
    Heartbeat,
    Cron,
    Consolidation,
    Subagent,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had nothing more to do.
    Finished,
    /// Too many steps.
    Steps,
    /// Too long.
    Time,
    /// The budget of the day or month is used up.
    Budget,
    /// The same call with the same result, three times.
    Repeat,
    /// The person stopped it.
    Cancelled,
    /// An error ended it.
    Failed,
}

/// A step in the life of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum SkillState {
    Considered,
    Activated,
    Reference,
    SelfCheck,
    Released,
}

/// What happened to a memory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum MemoryEventKind {
    Created,
    Recalled,
    Superseded,
    Forgotten,
    Consolidated,
}

/// Where an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum ApprovalState {
    Asked,
    Allowed,
    Denied,
    Expired,
}

/// What the connection to a model is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    /// The provider asked for a pause.
    Waiting,
    /// Trying again.
    Retrying,
    /// Another model took over.
    Switched,
}

/// Where a sub-agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum SubagentState {
    Started,
    Finished,
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_one_flat_object() {
        let event = Event {
            body: EventBody::Text { text: "hi".into() },
            seq: 2,
            turn: "t1".into(),
            session: SessionKey::main(),
            at: 1.5,
        };
        let expected = json!({"event": "text", "text": "hi", "seq": 2, "turn": "t1",
            "session": "assistant:main", "at": 1.5});
        assert_eq!(serde_json::to_value(&event).expect("serialises"), expected);
        assert_eq!(serde_json::from_value::<Event>(expected).expect("reads"), event);
    }
}
