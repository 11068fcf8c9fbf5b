//! The third level: what may follow after text that is not the person's own.

use super::{Policy, Profile};
use crate::class::Class;
use crate::path::{self, Part};
use crate::place;
use crate::request::{Judgement, Request};
use crate::taint::Trust;
use serde_json::Value;

/// Longer questions carry more than a question.
const QUERY_CHARS: usize = 160;
/// Longer runs of letters and digits are no words.
const WORD_CHARS: usize = 24;

/// Files that other programs run, by their ending or their name.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "ps1", "psm1", "bat", "cmd", "vbs", "py", "rb", "pl", "js", "mjs",
    "cjs", "ts", "lua", "php", "desktop", "lnk", "reg", "service",
];
const RECIPES: &[&str] = &[
    "makefile",
    "justfile",
    "package.json",
    "cargo.toml",
    "build.rs",
    "dockerfile",
    "gemfile",
    "rakefile",
    "setup.cfg",
    "pyproject.toml",
    "tox.ini",
    "cmakelists.txt",
];

impl Policy {
    /// The question that must be asked because of what the turn has read; none where there is none.
    pub(super) fn tainted(&self, request: &Request<'_>, named: bool) -> Option<Judgement> {
        let trust = request.taint.trust();
        let ask = |rule: &str, what: &str| {
            let from = match (trust, request.by_person) {
                (Trust::Person, false) => "nobody is at the keyboard in this turn".to_owned(),
                _ => format!("this turn has read {}", request.taint.names().join(", ")),
            };
            Some(Judgement::ask(format!("taint:{rule}"), format!("{from}; {what} needs your yes")))
        };
        let alone = trust == Trust::Person && request.by_person;
        match request.class {
            Class::Write => match written(request) {
                Part::Instruction if !alone => {
                    ask("instructions", "changing the assistant's own rules")
                }
                Part::Memory if trust >= Trust::Local => ask("memory", "changing memory"),
                Part::Ordinary if !request.by_person => Some(Judgement::ask(
                    "background",
                    "it changes a file in a turn that no person started",
                )),
                Part::Ordinary if trust == Trust::Untrusted && is_script(request) => {
                    ask("script", "writing a file that other programs run")
                }
                _ => None,
            },
            Class::Remember if trust >= Trust::Local => ask("memory", "changing memory"),
            // What is added carries the mark of what was read; what goes does not come back by itself.
            Class::Remember
                if request.tool != "memory_append" && request.taint.mark().is_some() =>
            {
                Some(Judgement::ask(
                    "taint:memory",
                    "what this turn has read may hold the words of others; changing what is remembered \
                     needs your yes",
                ))
            }
            Class::Run if trust == Trust::Untrusted => ask("run", "running a command"),
            Class::Fetch => self.way_out(request, alone).and_then(|what| ask("way-out", what)),
            Class::Search if trust == Trust::Untrusted && !is_a_question(request) => {
                ask("way-out", "sending this much to a search engine")
            }
            Class::Send if !alone => ask("send", "sending something"),
            Class::Notify
                if trust == Trust::Untrusted || trust != Trust::Person && has_link(request) =>
            {
                ask("notify", "showing you this")
            }
            Class::Schedule if !is_look(request) && !alone && !is_small(request, trust) => {
                ask("schedule", "planning something")
            }
            Class::ThirdParty if trust == Trust::Untrusted => {
                ask("third-party", "a third party's tool")
            }
            Class::ThirdParty if !alone && !named && self.profile == Profile::Full => {
                ask("third-party", "a third party's tool")
            }
            _ => None,
        }
    }

    /// Why an address is a way out for what is private; none where it carries nothing that the model chose.
    fn way_out(&self, request: &Request<'_>, alone: bool) -> Option<&'static str> {
        if alone || !request.taint.is_private() {
            return None;
        }
        let url = request.arguments.get("url").and_then(Value::as_str).unwrap_or_default();
        let host = place::host_of(url).unwrap_or_default();
        let taint = request.taint;
        let known = taint.was_asked_for(url)
            || taint.was_listed(url)
            || self.is_allowed_domain(&host)
            || taint.trust() < Trust::Untrusted && taint.host_was_named(&host);
        (!known).then_some("reading an address that neither you nor a search named")
    }
}

fn written(request: &Request<'_>) -> Part {
    request.arguments.get("path").and_then(Value::as_str).map_or(Part::Ordinary, path::part_of)
}

fn is_script(request: &Request<'_>) -> bool {
    let path = request.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    RECIPES.contains(&name.as_str()) || SCRIPTS.contains(&ending)
}

fn is_a_question(request: &Request<'_>) -> bool {
    let query = request.arguments.get("query").and_then(Value::as_str).unwrap_or_default();
    let long_word = |word: &str| {
        word.chars().filter(char::is_ascii_alphanumeric).count() > WORD_CHARS
            || word.contains("://")
    };
    query.chars().count() <= QUERY_CHARS && !query.split_whitespace().any(long_word)
}

fn has_link(request: &Request<'_>) -> bool {
    let mut texts = request.arguments.values().filter_map(Value::as_str);
    texts.any(|text| text.contains("://") || text.contains("www."))
}

/// Something that happens once, or that will happen no more, by the person's words and what is remembered alone.
fn is_small(request: &Request<'_>, trust: Trust) -> bool {
    let mut texts = request.arguments.values().filter_map(Value::as_str);
    let is_once = |text: &str| text.starts_with("at ") || text.starts_with("in ");
    let removes = request.arguments.get("action").and_then(Value::as_str) == Some("remove");
    request.by_person && trust <= Trust::Remembered && (removes || texts.any(is_once))
}

/// Looking at what is planned changes nothing.
fn is_look(request: &Request<'_>) -> bool {
    let action = request.arguments.get("action").and_then(Value::as_str).unwrap_or_default();
    matches!(action, "list" | "preview" | "next" | "history")
}
