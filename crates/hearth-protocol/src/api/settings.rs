//! Settings: `hearth.toml` as the window sees it, secrets, first start.

use crate::api::models::ProviderRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A key of `hearth.toml` that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SettingsProblem {
    /// Line in `hearth.toml`, from 1.
    pub line: u32,
    /// Dotted key.
    pub key: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// The settings that the window shows and edits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SettingsView {
    /// Home folder.
    pub home: String,
    /// Workspace folder.
    pub workspace: String,
    /// `model.default`.
    pub model_default: String,
    /// `model.fallback`.
    pub model_fallback: Vec<String>,
    /// Providers.
    pub providers: Vec<ProviderRow>,
    /// Keys that could not be used.
    pub problems: Vec<SettingsProblem>,
    /// `ui.language`: `system`, `en` or `zh-CN`.
    pub language: String,
    /// `ui.theme`: `system`, `light` or `dark`.
    pub theme: String,
    /// `ui.shortcut`, such as `CmdOrCtrl+Shift+Space`; empty: none.
    pub shortcut: String,
    /// `ui.start_at_login`.
    pub start_at_login: bool,
    /// `context.busy`: `steer`, `queue` or `interrupt`.
    pub busy: String,
    /// `budget.daily_usd`.
    pub daily_usd: f64,
    /// `budget.daily_tokens`.
    pub daily_tokens: u64,
    /// `budget.monthly_usd`.
    pub monthly_usd: f64,
    /// `budget.monthly_tokens`.
    pub monthly_tokens: u64,
    /// The first start was finished or skipped.
    pub first_start_done: bool,
    /// `keyring`, `passphrase` or `locked`.
    pub secrets: String,
    /// `guard.*`.
    pub guard: GuardView,
}

/// What the assistant may do on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GuardView {
    /// `guard.profile`: `read-only`, `assistant`, `coding` or `full`.
    pub profile: String,
    /// `guard.allowed_roots`: folders outside the workspace that file tools may reach.
    pub allowed_roots: Vec<String>,
    /// `guard.allowed_domains`: where it is not empty, nothing else is reached.
    pub allowed_domains: Vec<String>,
    /// `guard.blocked_paths`: files and folders that nothing touches.
    pub blocked_paths: Vec<String>,
    /// `guard.allow_commands`: programs by name and exact commands, besides the profile's.
    pub allow_commands: Vec<String>,
    /// `guard.allow_tools`: tools and groups that the profile would ask about or refuse.
    pub allow_tools: Vec<String>,
    /// `guard.deny_tools`: tools and groups that never run.
    pub deny_tools: Vec<String>,
    /// The section has a mistake, so nothing is allowed until it is mended.
    pub closed: bool,
}

/// Set one key of `hearth.toml`, comments kept. The value is checked before it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SettingSet {
    /// Dotted key, such as `ui.theme`.
    pub key: String,
    /// The value as JSON; null removes the key.
    pub value: Value,
}

/// What the person says of themselves at the first start; writes IDENTITY.md and USER.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Meet {
    /// What the assistant is called.
    pub assistant_name: String,
    /// What the person is called.
    pub user_name: String,
    /// Tone, in the person's words.
    pub tone: String,
    /// IANA time zone.
    pub time_zone: String,
}
