//! `metadata`: what a skill needs and how it shows itself, under any of the names its owners used.

use super::text;
use super::warning::{Warning, Warnings};
use super::yaml::{self, Node};
use hearth_protocol::api::skills::SkillRequires;

/// Whoever wrote it, it is read alike.
const OWNERS: [&str; 6] = ["hearth", "openclaw", "clawdbot", "moltbot", "clawdis", "nanobot"];

/// What it says.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) requires: SkillRequires,
    pub(super) always: bool,
    pub(super) emoji: Option<String>,
    pub(super) primary_env: Option<String>,
    pub(super) optional_env: Vec<String>,
    pub(super) skill_key: Option<String>,
    pub(super) homepage: Option<String>,
    pub(super) hints: Vec<String>,
}

/// Lists that may stand beside it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Beside<'a> {
    pub(super) os: Option<&'a Node>,
    pub(super) channels: Option<&'a Node>,
    pub(super) senders: Option<&'a Node>,
}

/// Reads it, and what may stand beside it.
pub(super) fn metadata(
    given: Option<&Node>,
    beside: Beside<'_>,
    warnings: &mut Warnings,
) -> Metadata {
    let mut metadata = Metadata::default();
    let parsed;
    let map = match given {
        Some(Node::Text(text)) => {
            parsed = map_of(text);
            warnings.add_if(parsed.is_none(), Warning::MetadataInvalid);
            parsed.as_ref()
        }
        Some(node @ Node::Map(_)) => Some(node),
        Some(Node::List(_)) => {
            warnings.add(Warning::MetadataInvalid);
            None
        }
        None | Some(Node::Null) => None,
    };
    if let Some(map) = map {
        for owner in OWNERS.iter().filter_map(|owner| map.get(owner)) {
            let inner = owner.text().and_then(map_of);
            metadata.add(inner.as_ref().unwrap_or(owner));
        }
    }
    let needs = &mut metadata.requires;
    join(&mut needs.os, beside.os);
    join(&mut needs.channels, beside.channels);
    join(&mut needs.senders, beside.senders);
    metadata.clean(warnings);
    metadata
}

fn map_of(text: &str) -> Option<Node> {
    let read = yaml::parse(text).or_else(|_| yaml::parse(&yaml::without_comments(text))).ok()?;
    read.root.filter(|root| matches!(root, Node::Map(_)))
}

impl Metadata {
    fn add(&mut self, owner: &Node) {
        let needs = &mut self.requires;
        join(&mut needs.os, owner.get("os"));
        if let Some(requires) = owner.get("requires") {
            join(&mut needs.bins, requires.get("bins"));
            join(&mut needs.any_bins, requires.get("anyBins"));
            join(&mut needs.env, requires.get("env"));
            join(&mut needs.config, requires.get("config"));
            join(&mut needs.channels, requires.get("channels"));
            join(&mut needs.senders, requires.get("senders"));
        }
        join(&mut self.optional_env, owner.get("optionalEnv"));
        self.always |= owner.get("always").and_then(Node::flag).unwrap_or(false);
        let text = |key: &str| owner.get(key).and_then(Node::text).map(str::to_owned);
        first(&mut self.emoji, text("emoji"));
        first(&mut self.primary_env, text("primaryEnv"));
        first(&mut self.skill_key, text("skillKey"));
        first(&mut self.homepage, text("homepage"));
        if let Some(Node::List(ways)) = owner.get("install") {
            self.hints.extend(ways.iter().filter_map(hint));
        }
    }
}

impl Metadata {
    /// YAML and JSON may have written out what the file itself does not hold.
    fn clean(&mut self, warnings: &mut Warnings) {
        let needs = &mut self.requires;
        let lists = [
            &mut needs.bins,
            &mut needs.any_bins,
            &mut needs.env,
            &mut needs.config,
            &mut needs.os,
            &mut needs.channels,
            &mut needs.senders,
            &mut self.hints,
            &mut self.optional_env,
        ];
        lists.into_iter().for_each(|list| text::clean_lines(list, warnings));
        for one in [&mut self.emoji, &mut self.primary_env, &mut self.skill_key, &mut self.homepage]
        {
            *one = one.take().map(|one| text::clean_line(&one, warnings));
        }
    }
}

fn first(known: &mut Option<String>, new: Option<String>) {
    if known.is_none() {
        *known = new;
    }
}

fn join(known: &mut Vec<String>, more: Option<&Node>) {
    for text in more.map(Node::texts).unwrap_or_default() {
        if !known.contains(&text) {
            known.push(text);
        }
    }
}

/// A way to install something, as a line for people: `brew jq`.
fn hint(way: &Node) -> Option<String> {
    let text = |key: &str| way.get(key).and_then(Node::text);
    if let Some(label) = text("label") {
        return Some(label.to_owned());
    }
    let what = ["formula", "package", "module", "url", "command"].into_iter().find_map(text)?;
    Some(format!("{} {what}", text("kind").or_else(|| text("id")).unwrap_or("install")))
}
