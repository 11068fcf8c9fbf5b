//! The table of keys: one row each, read by the parser, the editor and the message about a wrong value.
//!
//! Keys that this version does not act on yet are listed too: a file written for a later version, or by
//! the book, must not be called wrong.

use super::{Busy, Settings};
use hearth_protocol::Thinking;
use hearth_schedule::{NEAREST, Quiet, span};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a value must look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// Any text of one line.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 0.
    Count,
    /// A number from 0.
    Amount,
    /// A list of texts.
    TextList,
    /// `PROVIDER/MODEL`.
    Model,
    /// A list of `PROVIDER/MODEL`.
    ModelList,
    /// A table of short names, each with its `PROVIDER/MODEL`.
    Aliases,
    /// A length of time such as `30m`, `2h`, after which a model is asked again.
    Span,
    /// `HH:MM-HH:MM`, or empty for none.
    Quiet,
    /// An IANA time zone, or empty for the system's.
    Zone,
    /// A size such as `10MB`.
    Size,
    /// A list of the guard; each entry is checked as the guard understands it.
    Guarded(&'static str),
}

/// One key of `hearth.toml`.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Dotted path.
    pub path: &'static str,
    /// What its value must look like.
    pub kind: Kind,
    pub(super) apply: fn(&mut Settings, &Value),
}

/// The row of a dotted path.
#[must_use]
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// All rows.
#[must_use]
pub fn keys() -> &'static [Key] {
    KEYS
}

const fn key(path: &'static str, kind: Kind, apply: fn(&mut Settings, &Value)) -> Key {
    Key { path, kind, apply }
}

/// A key that a later piece of work reads.
const fn known(path: &'static str, kind: Kind) -> Key {
    Key { path, kind, apply: |_, _| {} }
}

#[rustfmt::skip]
const KEYS: &[Key] = &[
    key("model.default", Kind::Model, |s, v| s.model_default = text(v)),
    key("model.fallback", Kind::ModelList, |s, v| s.model_fallback = texts(v)),
    key("model.aliases", Kind::Aliases, |s, v| s.model_aliases = aliases(v)),
    key("model.thinking", Kind::Choice(&["default", "off", "low", "medium", "high"]), |s, v| s.thinking = thinking(v)),
    key("sessions.keep_days", Kind::Count, |s, v| s.keep_days = count(v)),
    key("models.idle_minutes", Kind::Count, |s, v| s.idle_minutes = count(v)),
    key("workspace.path", Kind::Text, |s, v| s.workspace_path = text(v)),
    key("budget.daily_usd", Kind::Amount, |s, v| s.budget.daily_usd = amount(v)),
    key("budget.daily_tokens", Kind::Count, |s, v| s.budget.daily_tokens = count(v)),
    key("budget.monthly_usd", Kind::Amount, |s, v| s.budget.monthly_usd = amount(v)),
    key("budget.monthly_tokens", Kind::Count, |s, v| s.budget.monthly_tokens = count(v)),
    key("context.busy", Kind::Choice(&["steer", "queue", "interrupt"]), |s, v| s.busy = busy(v)),
    key("context.strategy", Kind::Choice(&["truncate", "summarize", "sliding_window", "hybrid"]), |s, v| s.strategy = text(v)),
    key("ui.language", Kind::Choice(&["system", "en", "zh-CN"]), |s, v| s.ui.language = text(v)),
    key("ui.theme", Kind::Choice(&["system", "light", "dark"]), |s, v| s.ui.theme = text(v)),
    key("ui.shortcut", Kind::Text, |s, v| s.ui.shortcut = text(v)),
    key("ui.start_at_login", Kind::Bool, |s, v| s.ui.start_at_login = v.as_bool().unwrap_or_default()),
    key("ui.first_start_done", Kind::Bool, |s, v| s.ui.first_start_done = v.as_bool().unwrap_or_default()),
    key("ui.tray_explained", Kind::Bool, |s, v| s.ui.tray_explained = v.as_bool().unwrap_or_default()),
    key("heartbeat.time_zone", Kind::Zone, |s, v| s.time_zone = text(v)),
    key("heartbeat.enabled", Kind::Bool, |s, v| s.heartbeat.enabled = v.as_bool().unwrap_or_default()),
    key("heartbeat.every", Kind::Span, |s, v| s.heartbeat.every = text(v)),
    key("heartbeat.quiet", Kind::Quiet, |s, v| s.heartbeat.quiet = text(v)),
    key("heartbeat.max_per_day", Kind::Count, |s, v| s.heartbeat.max_per_day = u32::try_from(count(v)).unwrap_or(u32::MAX)),
    key("heartbeat.pause_on_battery", Kind::Bool, |s, v| s.heartbeat.pause_on_battery = v.as_bool().unwrap_or_default()),
    key("memory.embedding", Kind::Text, |s, v| s.memory_embedding = text(v)),
    key("memory.recall", Kind::Bool, |s, v| s.memory_recall = v.as_bool().unwrap_or_default()),
    key("memory.index_conversations", Kind::Bool, |s, v| s.memory_index_conversations = v.as_bool().unwrap_or_default()),
    known("context.strategy", Kind::Choice(&["truncate", "summarize", "sliding_window", "hybrid"])),
    key("guard.profile", Kind::Choice(&["read-only", "assistant", "coding", "full"]), |s, v| s.guard.profile = profile(v)),
    key("guard.allowed_roots", Kind::Guarded("allowed_roots"), |s, v| s.guard.allowed_roots = texts(v)),
    key("guard.allowed_domains", Kind::Guarded("allowed_domains"), |s, v| s.guard.allowed_domains = texts(v)),
    key("guard.blocked_paths", Kind::Guarded("blocked_paths"), |s, v| s.guard.blocked_paths = texts(v)),
    key("guard.allow_tools", Kind::Guarded("allow_tools"), |s, v| s.guard.allow_tools = texts(v)),
    key("guard.deny_tools", Kind::Guarded("deny_tools"), |s, v| s.guard.deny_tools = texts(v)),
    key("guard.allow_commands", Kind::Guarded("allow_commands"), |s, v| s.guard.allow_commands = texts(v)),
    key("guard.max_size", Kind::Size, |s, v| s.guard.max_size = size(v)),
    key("search.kind", Kind::Choice(&["", "searxng", "brave", "tavily"]), |s, v| s.search_kind = text(v)),
    key("search.base_url", Kind::Text, |s, v| s.search_url = text(v)),
    key("skills.extra", Kind::TextList, |s, v| s.skills_extra = texts(v)),
    key("skills.disabled", Kind::TextList, |s, v| s.skills_disabled = texts(v)),
    key("skills.enabled", Kind::TextList, |s, v| s.skills_enabled = texts(v)),
];

impl Kind {
    /// Why a value does not fit, in words for the person; none where it fits.
    #[must_use]
    pub fn refuses(self, value: &Value) -> Option<String> {
        if let (Self::Guarded(key), Some(list)) = (self, value.as_array()) {
            let fault = |item: &Value| hearth_guard::entry_fault(key, item.as_str()?);
            if let Some(fault) = list.iter().find_map(fault) {
                return Some(fault);
            }
        }
        let (fits, wanted) = match self {
            Self::Bool => (value.is_boolean(), "true or false".to_owned()),
            Self::Text => (value.is_string(), "a text in quotes".to_owned()),
            Self::Choice(words) => {
                let fits = value.as_str().is_some_and(|word| words.contains(&word));
                (fits, format!("one of {}", quoted(words)))
            }
            Self::Count => (value.as_u64().is_some(), "a whole number from 0".to_owned()),
            Self::Amount => (
                value.as_f64().is_some_and(|n| n.is_finite() && n >= 0.0),
                "a number from 0".to_owned(),
            ),
            Self::TextList | Self::Guarded(_) => {
                (list_of(value, |_| true), "a list of texts".to_owned())
            }
            Self::Model => (value.as_str().is_some_and(is_model), model_form()),
            Self::ModelList => (list_of(value, is_model), format!("a list, each {}", model_form())),
            Self::Aliases => (
                value.as_object().is_some_and(|table| {
                    table.iter().all(|(name, model)| {
                        !name.contains('/') && model.as_str().is_some_and(is_model)
                    })
                }),
                format!("a table of names without \"/\", each with {}", model_form()),
            ),
            Self::Span => (
                value.as_str().and_then(span).is_some_and(|length| length >= NEAREST),
                "a time such as \"30m\" or \"2h\", a minute or more".to_owned(),
            ),
            Self::Quiet => (
                value.as_str().is_some_and(|text| Quiet::parse(text).is_ok()),
                "\"HH:MM-HH:MM\", or \"\" for none".to_owned(),
            ),
            Self::Zone => (
                value
                    .as_str()
                    .is_some_and(|zone| zone.is_empty() || zone.parse::<chrono_tz::Tz>().is_ok()),
                "a time zone such as \"Europe/Berlin\", or \"\" for the system's".to_owned(),
            ),
            Self::Size => {
                (value.as_str().is_some_and(is_size), "a size such as \"10MB\"".to_owned())
            }
        };
        (!fits).then(|| format!("must be {wanted}"))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().map(|list| list.iter().map(text).collect()).unwrap_or_default()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn amount(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

fn profile(value: &Value) -> hearth_guard::Profile {
    hearth_guard::Profile::parse(value.as_str().unwrap_or_default()).unwrap_or_default()
}

fn size(value: &Value) -> u64 {
    let text = value.as_str().unwrap_or_default();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().unwrap_or_default();
    let bytes = match unit.trim() {
        "GB" => 1_000_000_000,
        "MB" => 1_000_000,
        "KB" => 1_000,
        _ => 1,
    };
    number.saturating_mul(bytes)
}

fn busy(value: &Value) -> Busy {
    match value.as_str() {
        Some("queue") => Busy::Queue,
        Some("interrupt") => Busy::Interrupt,
        _ => Busy::Steer,
    }
}

fn aliases(value: &Value) -> BTreeMap<String, String> {
    let rows = value.as_object().into_iter().flatten();
    rows.map(|(name, model)| (name.clone(), text(model))).collect()
}

fn thinking(value: &Value) -> Thinking {
    match value.as_str() {
        Some("off") => Thinking::Off,
        Some("low") => Thinking::Low,
        Some("medium") => Thinking::Medium,
        Some("high") => Thinking::High,
        _ => Thinking::Default,
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

fn list_of(value: &Value, fits: fn(&str) -> bool) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(|item| item.as_str().is_some_and(fits)))
}

pub(super) fn is_model(text: &str) -> bool {
    matches!(text.split_once('/'), Some((provider, model)) if !provider.is_empty() && !model.is_empty())
}

fn model_form() -> String {
    "a model as \"PROVIDER/MODEL\", such as \"local/qwen\"".to_owned()
}

fn is_size(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < text.len() && matches!(unit.trim(), "B" | "KB" | "MB" | "GB")
}
