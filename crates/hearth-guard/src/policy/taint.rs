//! The third level: what may follow after text that is not the person's own.

use super::{Policy, Profile, contact, query};
use crate::class::Class;
use crate::path::{self, Part};
use crate::place;
use crate::request::{Judgement, Request};
use crate::taint::Trust;
use serde_json::Value;

impl Policy {
    /// The question that must be asked because of what the turn has read; none where there is none.
    pub(super) fn tainted(&self, request: &Request<'_>, named: bool) -> Option<Judgement> {
        let trust = request.taint.trust();
        let ask = |rule: &str, what: &str| {
            let from = match (trust, request.by_person) {
                (Trust::Person, false) => "nobody is at the keyboard in this turn".to_owned(),
                _ if request.taint.is_fresh() => {
                    format!("this turn has read {}", request.taint.names().join(", "))
                }
                _ => format!("this conversation has read {}", request.taint.names().join(", ")),
            };
            Some(Judgement::ask(format!("taint:{rule}"), format!("{from}; {what} needs your yes")))
        };
        let alone = trust == Trust::Person && request.by_person;
        match request.class {
            Class::Write => match written(request) {
                Part::Instruction if !alone && !is_dictated_item(request, trust) => {
                    ask("instructions", "changing the assistant's own rules")
                }
                Part::Memory if trust >= Trust::Local => ask("memory", "changing memory"),
                Part::Ordinary if !request.by_person => Some(Judgement::ask(
                    "background",
                    "it changes a file in a turn that no person started",
                )),
                Part::Ordinary if trust == Trust::Untrusted && is_run_by(request) => {
                    ask("script", "writing a file that other programs run")
                }
                _ => None,
            },
            Class::Remember if trust >= Trust::Local && !is_dictated(request, trust) => {
                ask("memory", "changing memory")
            }
            // What is added carries the mark of what was read; what goes does not come back by itself.
            Class::Remember
                if request.tool != "memory_append" && request.taint.mark().is_some() =>
            {
                Some(Judgement::ask(
                    "taint:memory",
                    "what this conversation has read may hold the words of others; changing what is remembered \
                     needs your yes",
                ))
            }
            Class::Run if trust == Trust::Untrusted => ask("run", "running a command"),
            Class::Run if trust == Trust::Local && !request.confined => {
                ask("unconfined", "running a command, which nothing confines on this machine,")
            }
            Class::Fetch => self.way_out(request, alone).and_then(|what| ask("way-out", what)),
            Class::Search => query::trouble(request).and_then(|what| ask("way-out", what)),
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
        // The person allowed the place, not what an untrusted text would have told to it.
        let is_allowed = self.is_allowed_domain(&host)
            && (taint.trust() < Trust::Untrusted || !query::carries_data(url, taint));
        let known = taint.was_asked_for(url)
            || taint.was_listed(url)
            || is_allowed
            || taint.trust() < Trust::Untrusted && taint.host_was_named(&host);
        (!known).then_some("reading an address that neither you nor a search named")
    }
}

fn written(request: &Request<'_>) -> Part {
    request.arguments.get("path").and_then(Value::as_str).map_or(Part::Ordinary, path::part_of)
}

fn is_run_by(request: &Request<'_>) -> bool {
    let path = request.arguments.get("path").and_then(Value::as_str);
    path.is_some_and(path::is_run_by_others)
}

fn has_link(request: &Request<'_>) -> bool {
    request.arguments.values().filter_map(Value::as_str).any(contact::is_named_in)
}

/// Something that happens once, or that will happen no more. After files of the workspace, which others may have
/// written, only a reminder: it shows its own words once, as a notice may, and nothing works on it.
fn is_small(request: &Request<'_>, trust: Trust) -> bool {
    let text = |name: &str| text_of(request, name);
    let schedule = text("schedule").trim().to_ascii_lowercase();
    let is_once = schedule.starts_with("at ") || schedule.starts_with("in ");
    let leads_nowhere =
        || !["name", "prompt", "text"].iter().any(|name| contact::is_named_in(text(name)));
    let reminds = || matches!(text("do"), "" | "remind") && leads_nowhere();
    // One that comes again says what the person just said.
    let is_said = || {
        let given = ["name", "prompt", "text"].map(text);
        text("action") == "add"
            && given.iter().any(|text| !text.is_empty())
            && given.iter().all(|text| query::is_said(text, request.taint))
    };
    let small = match trust {
        Trust::Person | Trust::Remembered => {
            text("action") == "remove" || is_once || reminds() && is_said()
        }
        Trust::Local => reminds() && (is_once || is_said()),
        Trust::Untrusted => false,
    };
    request.by_person && small
}

/// A new note in the words that the person said in this turn: whoever wrote a file of the workspace can choose
/// none of them.
fn is_dictated(request: &Request<'_>, trust: Trust) -> bool {
    let is_said = |name: &str| query::is_said(text_of(request, name), request.taint);
    request.by_person
        && trust <= Trust::Local
        && request.tool == "memory_append"
        && !has_link(request)
        && is_said("title")
        && is_said("text")
}

/// What is to be looked at, added to HEARTBEAT.md in the words that the person said in this turn; nothing else in it
/// changes.
fn is_dictated_item(request: &Request<'_>, trust: Trust) -> bool {
    let (old, new) = (text_of(request, "old"), text_of(request, "new"));
    let added = new.strip_prefix(old).or_else(|| new.strip_suffix(old)).unwrap_or_default();
    request.by_person
        && trust <= Trust::Local
        && request.tool == "edit_file"
        && text_of(request, "path") == "HEARTBEAT.md"
        && !old.is_empty()
        && !added.trim().is_empty()
        && !contact::is_named_in(added)
        && query::is_said(added, request.taint)
}

fn text_of<'a>(request: &Request<'a>, name: &str) -> &'a str {
    request.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Looking at what is planned changes nothing.
fn is_look(request: &Request<'_>) -> bool {
    let action = request.arguments.get("action").and_then(Value::as_str).unwrap_or_default();
    matches!(action, "list" | "preview" | "next" | "history")
}
