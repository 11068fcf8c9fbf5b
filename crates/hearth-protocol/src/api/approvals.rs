//! Questions to the person: may this call run, and what an `ask_user` call wants to know.

use crate::{ApprovalState, Arguments, SessionKey, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the person says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow,
    /// It may not.
    Deny,
}

/// How far an allowance reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This call alone.
    #[default]
    Once,
    /// Calls of exactly this form, in this session.
    Session,
    /// Calls of exactly this form, everywhere, until revoked.
    Always,
}

/// Decide an approval that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Decide {
    /// Which.
    pub id: String,
    /// Yes or no.
    pub decision: Decision,
    /// How far a yes reaches.
    #[serde(default)]
    pub scope: ApprovalScope,
}

/// Decide all that is still open of a batch: each as if it were decided alone, a yes for this call only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecideAll {
    /// One approval of the batch.
    pub id: String,
    /// Yes or no.
    pub decision: Decision,
}

/// An approval: asked and open, or allowed and standing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ApprovalRow {
    /// Its id.
    pub id: String,
    /// `asked`: open; `allowed`: standing.
    pub state: ApprovalState,
    /// How far it reaches, once allowed.
    pub scope: Option<ApprovalScope>,
    /// The tool.
    pub tool: String,
    /// What runs, exactly.
    pub arguments: Arguments,
    /// What else is pinned beside tool and arguments, such as the resolved program, in words.
    pub pinned: Vec<String>,
    /// Why it was asked.
    pub reason: String,
    /// Where it was asked.
    pub session: SessionKey,
    /// The turn that asked.
    pub turn: TurnId,
    /// Names those that were asked together; none where it was asked alone.
    pub batch: Option<String>,
    /// Unix seconds.
    pub asked_at: i64,
    /// Unix seconds; an open one is void from then on.
    pub expires_at: i64,
    /// Unix seconds.
    pub decided_at: Option<i64>,
}

/// A question of `ask_user` that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionRow {
    /// Its id.
    pub id: String,
    /// The question.
    pub text: String,
    /// Answers offered; may be empty.
    pub choices: Vec<String>,
    /// Where it was asked.
    pub session: SessionKey,
    /// The turn that asked.
    pub turn: TurnId,
    /// Unix seconds.
    pub asked_at: i64,
}
