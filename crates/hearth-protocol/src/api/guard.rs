//! The guard as shells see it: the audit log, and why a call would run or not.

use crate::SessionKey;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditEntry {
    /// Its number, from 1.
    pub seq: i64,
    /// Unix seconds.
    pub at: i64,
    /// `tool_call`, `tool_result`, `file_write`, `send`, `approval`, `secret` or `chain`.
    pub kind: String,
    /// The session; empty where there is none.
    pub session: String,
    /// The turn; empty where there is none.
    pub turn: String,
    /// What happened, secrets masked.
    pub body: Value,
    /// Which chain it belongs to.
    pub chain: i64,
    /// The hash before.
    pub prev: String,
    /// The hash of all of it.
    pub hash: String,
}

/// What a check of the whole audit log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AuditCheck {
    /// Nothing was ever changed.
    pub ok: bool,
    /// Entries there are.
    pub entries: u64,
    /// Number of the first entry that is not as it was written, or not there.
    pub broken_at: Option<i64>,
    /// All from `broken_at` to this one are not there.
    pub missing_to: Option<i64>,
    /// The chain that is being written now is whole.
    pub current_ok: bool,
}

/// What would become of a call, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Explained {
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// The rule that says so.
    pub rule: String,
    /// In words.
    pub why: String,
}

/// A call to be explained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Explain {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// As if exactly these programs and commands were allowed without asking; none: as the settings say.
    #[serde(default)]
    pub allow: Option<Vec<String>>,
    /// The language of a command: `sh`, `cmd` or `powershell`; none: this system's.
    #[serde(default)]
    pub shell: Option<String>,
    /// As if the turn had read a web page.
    #[serde(default)]
    pub tainted: bool,
    /// In this conversation, after what it has read; none: in a new one.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<SessionKey>,
    /// As if the person had just said this.
    #[serde(default)]
    #[ts(optional)]
    pub said: Option<String>,
}
