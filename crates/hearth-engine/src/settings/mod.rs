//! `hearth.toml`: what it may hold, what is taken where it is silent, and changing it.
//!
//! Invariants: every key has a default, so a missing or empty file works; an unknown or invalid key is
//! reported with its line and never takes down the rest; a change keeps the person's comments.
//! Absent here: secrets (never in `hearth.toml`) and what the values mean to other parts.

mod edit;
mod file;
mod keys;
mod mcp;
mod parse;
mod provider;

pub use edit::SettingError;
pub use file::SettingsFile;
pub use keys::{Key, Kind, find, keys};
pub(crate) use mcp::fault as mcp_fault;
pub use parse::parse;
pub(crate) use provider::is_provider_id;

use hearth_protocol::Thinking;
use hearth_protocol::api::mcp::McpEdit;
use hearth_protocol::api::models::ProviderEdit;
use hearth_protocol::api::settings::SettingsProblem;
use std::collections::BTreeMap;

/// The built-in model that answers where nothing else is configured.
pub const BUILT_IN_MODEL: &str = "local/qwen";

/// All settings, with defaults where the file is silent.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `model.default`, `PROVIDER/MODEL`.
    pub model_default: String,
    /// `model.fallback`, asked in order when the default fails.
    pub model_fallback: Vec<String>,
    /// `model.aliases`: short names for models, each with what it stands for.
    pub model_aliases: BTreeMap<String, String>,
    /// `model.thinking`.
    pub thinking: Thinking,
    /// `[[providers]]`.
    pub providers: Vec<ProviderEdit>,
    /// `[[mcp]]`.
    pub mcp: Vec<McpEdit>,
    /// `search.kind`; empty: no search of the web.
    pub search_kind: String,
    /// `search.base_url`; empty: the kind's own.
    pub search_url: String,
    /// `workspace.path`; empty: `<home>/workspace`.
    pub workspace_path: String,
    /// `budget.*`; 0 means no limit.
    pub budget: Limits,
    /// `context.busy`.
    pub busy: Busy,
    /// `context.strategy`.
    pub strategy: String,
    /// `heartbeat.time_zone`; empty: the system's.
    pub time_zone: String,
    /// `heartbeat.*`, the rest.
    pub heartbeat: Heartbeat,
    /// `ui.*`.
    pub ui: Ui,
    /// `guard.*`.
    pub guard: hearth_guard::Rules,
    /// `memory.embedding`: folder of the embedding model below `models/`, or `off`.
    pub memory_embedding: String,
    /// `memory.index_conversations`: past conversations are recalled too.
    pub memory_index_conversations: bool,
    /// The prompt brings what memory knows of the message.
    pub memory_recall: bool,
    /// `skills.extra`: more folders with skills.
    pub skills_extra: Vec<String>,
    /// `skills.disabled`: skills that are turned off, by name.
    pub skills_disabled: Vec<String>,
    /// `skills.enabled`: if any is named here, these alone may be used.
    pub skills_enabled: Vec<String>,
    /// `models.idle_minutes`: the built-in model is unloaded after so long without use.
    pub idle_minutes: u64,
    /// `sessions.keep_days`: conversations without a word for so long are removed; 0 keeps all.
    pub keep_days: u64,
    /// Keys that could not be used.
    pub problems: Vec<SettingsProblem>,
}

impl Settings {
    /// The model that a name stands for: an alias's, else the name itself.
    #[must_use]
    pub fn model_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.model_aliases.get(name).map_or(name, String::as_str)
    }
}

/// When Hearth acts and speaks by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// HEARTBEAT.md is acted on.
    pub enabled: bool,
    /// How often its checklist is gone through.
    pub every: String,
    /// Quiet hours; empty: none.
    pub quiet: String,
    /// Notifications a day.
    pub max_per_day: u32,
    /// It rests while the computer saves its battery.
    pub pause_on_battery: bool,
}

/// What may be spent before Hearth degrades; 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// US dollars a day.
    pub daily_usd: f64,
    /// Tokens a day.
    pub daily_tokens: u64,
    /// US dollars a month.
    pub monthly_usd: f64,
    /// Tokens a month.
    pub monthly_tokens: u64,
}

/// What becomes of a message that comes while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Busy {
    /// It is taken in at the next tool boundary.
    Steer,
    /// It waits for its own turn.
    Queue,
    /// It stops the running turn.
    Interrupt,
}

impl Busy {
    /// As written in `hearth.toml`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::Queue => "queue",
            Self::Interrupt => "interrupt",
        }
    }
}

/// What only the window reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ui {
    /// `system`, `en` or `zh-CN`.
    pub language: String,
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Global shortcut of the quick prompt; empty: none.
    pub shortcut: String,
    /// Start hidden in the tray at login.
    pub start_at_login: bool,
    /// The first start was finished or skipped.
    pub first_start_done: bool,
    /// The person was told once that closing the window leaves the app in the tray.
    pub tray_explained: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model_default: BUILT_IN_MODEL.to_owned(),
            model_fallback: Vec::new(),
            model_aliases: BTreeMap::new(),
            thinking: Thinking::Default,
            providers: Vec::new(),
            mcp: Vec::new(),
            search_kind: String::new(),
            search_url: String::new(),
            workspace_path: String::new(),
            budget: Limits {
                daily_usd: 2.0,
                daily_tokens: 2_000_000,
                monthly_usd: 30.0,
                monthly_tokens: 40_000_000,
            },
            busy: Busy::Steer,
            strategy: "hybrid".to_owned(),
            time_zone: String::new(),
            heartbeat: Heartbeat {
                enabled: true,
                every: "30m".to_owned(),
                quiet: "22:30-07:30".to_owned(),
                max_per_day: 8,
                pause_on_battery: false,
            },
            ui: Ui {
                language: "system".to_owned(),
                theme: "system".to_owned(),
                shortcut: "CmdOrCtrl+Shift+Space".to_owned(),
                start_at_login: false,
                first_start_done: false,
                tray_explained: false,
            },
            guard: hearth_guard::Rules::default(),
            memory_embedding: "multilingual-e5-small".to_owned(),
            memory_index_conversations: true,
            memory_recall: true,
            skills_extra: Vec::new(),
            skills_disabled: Vec::new(),
            skills_enabled: Vec::new(),
            idle_minutes: 10,
            keep_days: 0,
            problems: Vec::new(),
        }
    }
}
