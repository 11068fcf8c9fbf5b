//! MCP servers: settings, state, tools.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// A server as it stands in `hearth.toml`. It has a command or a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpEdit {
    /// Its name: letters, digits, `-` and `_`.
    pub id: String,
    /// A program that speaks on its standard input and output, and its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// Streamable HTTP.
    #[serde(default)]
    pub url: String,
    /// Added to the program's environment; `secret:NAME` stands for a stored secret.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Seconds for one call.
    pub timeout_s: u64,
    /// Its tools are offered.
    pub enabled: bool,
}

/// How a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum McpState {
    /// Turned off.
    Off,
    /// Not started: nobody called yet.
    Asleep,
    /// It answers.
    Running,
    /// It could not be started, or fell over.
    Failed,
}

/// How a tool stands to what was allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum McpToolState {
    /// As it was; it is offered.
    Same,
    /// Described otherwise; not offered until it is allowed again.
    Changed,
    /// Not there before; not offered until it is allowed.
    New,
    /// The server has it no more.
    Gone,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpToolRow {
    /// The server's name for it.
    pub name: String,
    /// The name under which models see it.
    pub offered_as: String,
    /// What the server says it does.
    pub description: String,
    /// Its arguments, as a JSON schema.
    pub schema: Value,
    /// How it stands.
    pub state: McpToolState,
    /// What was allowed, where it is described otherwise now.
    pub taken: Option<McpTaken>,
}

/// A tool as it was when the person allowed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpTaken {
    /// What the server said it does.
    pub description: String,
    /// Its arguments, as a JSON schema.
    pub schema: Value,
}

/// A server with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpRow {
    /// Its settings.
    pub server: McpEdit,
    /// How it is.
    pub state: McpState,
    /// If it failed, why.
    pub problem: Option<String>,
    /// Its tools, as far as they are known.
    pub tools: Vec<McpToolRow>,
}
