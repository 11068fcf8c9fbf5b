//! The policy: one judgement for every call, whoever asks.
//!
//! Invariants: deny wins over everything; where nobody can answer, ask is deny; a mistake in the
//! settings leaves only reading in the workspace; the same request under the same settings and files gets
//! the same answer. The order is: settings sound → deny lists → narrowing → profile → limits of
//! arguments → taint → what the person answered before.
//! Absent here: asking, remembering answers, and running (the engine).

mod arguments;
mod contact;
mod profile;
mod query;
mod rules;
mod taint;

pub use profile::Profile;
pub use rules::{Mistake, Rules, entry_fault};

use crate::class::{Class, Named};
use crate::command::Allowed;
use crate::place;
use crate::request::{Judgement, Request, Verdict};
use std::path::{Path, PathBuf};

/// The folders that policy speaks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The workspace.
    pub workspace: PathBuf,
    /// Hearth's own folder: settings, database, secrets.
    pub home: PathBuf,
    /// The person's home folder, for `~`.
    pub person: Option<PathBuf>,
}

/// Rules, ready to judge. Cheap to build; built anew when settings change.
#[derive(Debug, Clone)]
pub struct Policy {
    profile: Profile,
    places: Places,
    roots: Vec<PathBuf>,
    domains: Vec<String>,
    blocked: Vec<String>,
    allow: Vec<Named>,
    deny: Vec<Named>,
    commands: Allowed,
    max_size: u64,
    mistake: Option<Mistake>,
}

impl Policy {
    /// The policy of these rules.
    #[must_use]
    pub fn new(rules: &Rules, places: Places) -> Self {
        let own = |key: &str, list: &[String]| {
            let fault = list.iter().find_map(|entry| entry_fault(key, entry));
            fault.map(|message| Mistake { line: 0, key: format!("guard.{key}"), message })
        };
        let mistake = rules.mistakes.first().cloned().or_else(|| {
            own("allow_tools", &rules.allow_tools)
                .or_else(|| own("deny_tools", &rules.deny_tools))
                .or_else(|| own("allowed_domains", &rules.allowed_domains))
                .or_else(|| own("allowed_roots", &rules.allowed_roots))
                .or_else(|| own("blocked_paths", &rules.blocked_paths))
        });
        let named = |list: &[String]| list.iter().filter_map(|e| Named::parse(e).ok()).collect();
        let mut commands = Allowed::new(rules.profile.commands());
        rules.allow_commands.iter().for_each(|entry| commands.add(entry));
        let home = |text: &String| at_home(text, places.person.as_deref());
        Self {
            profile: rules.profile,
            roots: rules.allowed_roots.iter().map(|root| PathBuf::from(home(root))).collect(),
            domains: rules.allowed_domains.iter().filter_map(|e| place::domain(e)).collect(),
            blocked: rules.blocked_paths.iter().map(home).collect(),
            allow: named(&rules.allow_tools),
            deny: named(&rules.deny_tools),
            commands,
            max_size: rules.max_size,
            mistake,
            places,
        }
    }

    /// Replaces the commands that run without asking: to see what another list would mean.
    #[must_use]
    pub fn with_commands(mut self, commands: Allowed) -> Self {
        self.commands = commands;
        self
    }

    /// The profile in force.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// What is wrong with the settings, if the guard is closed because of it.
    #[must_use]
    pub fn mistake(&self) -> Option<&Mistake> {
        self.mistake.as_ref()
    }

    /// Whether a tool can run at all: what cannot is not offered to the model.
    #[must_use]
    pub fn offers(&self, tool: &str, class: Class) -> bool {
        if self.deny.iter().any(|named| named.names(tool)) {
            return false;
        }
        self.profile.level(class) != Verdict::Deny || self.is_allowed_by_name(tool)
    }

    /// May this call run? Answers that the person gave before come after:
    /// [`Judgement::settled`](crate::request::Judgement::settled).
    #[must_use]
    pub fn judge(&self, request: &Request<'_>) -> Judgement {
        if let Some(denied) = self.refused_by_name(request) {
            return denied;
        }
        let limits = self.arguments(request);
        if limits.verdict == Verdict::Deny {
            return limits;
        }
        if request.holds_secret && request.class != Class::Converse {
            return Judgement::deny("secret", "the arguments hold one of your secrets");
        }
        let named = self.is_allowed_by_name(request.tool);
        if let Some(tainted) = self.tainted(request, named) {
            return tainted;
        }
        if limits.verdict == Verdict::Ask {
            return limits;
        }
        if !named && self.profile.level(request.class) == Verdict::Ask {
            let why = match request.class {
                Class::ThirdParty => format!("{} is a third party's tool", request.tool),
                _ => format!("{} sends something out", request.tool),
            };
            return Judgement::ask(self.profile_rule(), why);
        }
        limits
    }

    fn refused_by_name(&self, request: &Request<'_>) -> Option<Judgement> {
        let Request { tool, class, .. } = *request;
        if let Some(mistake) = &self.mistake {
            let closed = class != Class::Read && class != Class::Converse;
            let place = match mistake.line {
                0 => "hearth.toml".to_owned(),
                line => format!("hearth.toml line {line}"),
            };
            let why = format!(
                "{place}: {} {}; until it is mended, only reading in the workspace is allowed",
                mistake.key, mistake.message
            );
            if closed {
                return Some(Judgement::deny("settings", why));
            }
        }
        if self.deny.iter().any(|named| named.names(tool)) {
            return Some(Judgement::deny("deny_tools", format!("deny_tools names {tool}")));
        }
        if let Some(narrowed) = request.narrowed_to
            && class != Class::Converse
            && !narrowed.iter().any(|name| name == tool)
        {
            return Some(Judgement::deny(
                "narrowed",
                format!("{tool} is not among the tools of this task"),
            ));
        }
        let level = self.profile.level(class);
        if level == Verdict::Deny && !self.is_allowed_by_name(tool) {
            let why = format!("the profile {} has no {tool}", self.profile.as_str());
            return Some(Judgement::deny(self.profile_rule(), why));
        }
        None
    }

    fn is_allowed_by_name(&self, tool: &str) -> bool {
        self.allow.iter().any(|named| named.names(tool))
    }

    fn profile_rule(&self) -> String {
        format!("profile:{}", self.profile.as_str())
    }
}

/// `~` as the file tools understand it.
fn at_home(text: &str, person: Option<&Path>) -> String {
    match (text.strip_prefix('~'), person) {
        (Some(rest), Some(person)) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            format!("{}{rest}", person.display())
        }
        _ => text.to_owned(),
    }
}
