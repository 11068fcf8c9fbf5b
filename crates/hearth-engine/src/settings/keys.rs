//! The table of keys: one row each, read by the parser, the editor and the message about a wrong value.
//!
//! Keys that this version does not act on yet are listed too: a file written for a later version, or by
//! the book, must not be called wrong.

use super::{Busy, Settings};
use serde_json::Value;

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
    /// A length of time such as `30m`, `2h`, `45s`.
    Span,
    /// `HH:MM-HH:MM`, or empty for none.
    Quiet,
    /// An IANA time zone, or empty for the system's.
    Zone,
    /// A size such as `10MB`.
    Size,
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
    key("models.idle_minutes", Kind::Count, |s, v| s.idle_minutes = count(v)),
    key("workspace.path", Kind::Text, |s, v| s.workspace_path = text(v)),
    key("budget.daily_usd", Kind::Amount, |s, v| s.budget.daily_usd = amount(v)),
    key("budget.daily_tokens", Kind::Count, |s, v| s.budget.daily_tokens = count(v)),
    key("budget.monthly_usd", Kind::Amount, |s, v| s.budget.monthly_usd = amount(v)),
    key("budget.monthly_tokens", Kind::Count, |s, v| s.budget.monthly_tokens = count(v)),
    key("context.busy", Kind::Choice(&["steer", "queue", "interrupt"]), |s, v| s.busy = busy(v)),
    key("ui.language", Kind::Choice(&["system", "en", "zh-CN"]), |s, v| s.ui.language = text(v)),
    key("ui.theme", Kind::Choice(&["system", "light", "dark"]), |s, v| s.ui.theme = text(v)),
    key("ui.shortcut", Kind::Text, |s, v| s.ui.shortcut = text(v)),
    key("ui.start_at_login", Kind::Bool, |s, v| s.ui.start_at_login = v.as_bool().unwrap_or_default()),
    key("ui.first_start_done", Kind::Bool, |s, v| s.ui.first_start_done = v.as_bool().unwrap_or_default()),
    key("ui.tray_explained", Kind::Bool, |s, v| s.ui.tray_explained = v.as_bool().unwrap_or_default()),
    key("heartbeat.time_zone", Kind::Zone, |s, v| s.time_zone = text(v)),
    known("heartbeat.enabled", Kind::Bool),
    known("heartbeat.every", Kind::Span),
    known("heartbeat.quiet", Kind::Quiet),
    known("heartbeat.max_per_day", Kind::Count),
    key("memory.embedding", Kind::Text, |s, v| s.memory_embedding = text(v)),
    known("memory.index_conversations", Kind::Bool),
    known("context.strategy", Kind::Choice(&["truncate", "summarize", "sliding_window", "hybrid"])),
    known("guard.profile", Kind::Choice(&["read-only", "assistant", "coding", "full"])),
    known("guard.allowed_roots", Kind::TextList),
    known("guard.allowed_domains", Kind::TextList),
    known("guard.blocked_paths", Kind::TextList),
    known("guard.allow_tools", Kind::TextList),
    known("guard.deny_tools", Kind::TextList),
    known("guard.max_size", Kind::Size),
    known("skills.extra", Kind::TextList),
];

impl Kind {
    /// Why a value does not fit, in words for the person; none where it fits.
    #[must_use]
    pub fn refuses(self, value: &Value) -> Option<String> {
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
            Self::TextList => (list_of(value, |_| true), "a list of texts".to_owned()),
            Self::Model => (value.as_str().is_some_and(is_model), model_form()),
            Self::ModelList => (list_of(value, is_model), format!("a list, each {}", model_form())),
            Self::Span => {
                (value.as_str().is_some_and(is_span), "a time such as \"30m\" or \"2h\"".to_owned())
            }
            Self::Quiet => (
                value.as_str().is_some_and(is_quiet),
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

fn busy(value: &Value) -> Busy {
    match value.as_str() {
        Some("queue") => Busy::Queue,
        Some("interrupt") => Busy::Interrupt,
        _ => Busy::Steer,
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

fn is_span(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < text.len() && matches!(unit, "s" | "m" | "h" | "d")
}

fn is_size(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < text.len() && matches!(unit.trim(), "B" | "KB" | "MB" | "GB")
}

fn is_quiet(text: &str) -> bool {
    text.is_empty() || text.split_once('-').is_some_and(|(from, to)| is_time(from) && is_time(to))
}

fn is_time(text: &str) -> bool {
    text.len() == 5 && chrono::NaiveTime::parse_from_str(text, "%H:%M").is_ok()
}
