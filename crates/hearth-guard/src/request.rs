//! What is asked of policy, and what it answers.

use crate::class::Class;
use crate::command::Shell;
use crate::taint::Taint;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// One call that may run or not.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What it does.
    pub class: Class,
    /// Arguments that fit its schema: the very value that would run.
    pub arguments: &'a Map<String, Value>,
    /// Somebody can answer a question now.
    pub attended: bool,
    /// A person started this turn.
    pub by_person: bool,
    /// What the turn has read.
    pub taint: &'a Taint,
    /// Tools that active skills, or the parent of a sub-agent, narrow the choice to.
    pub narrowed_to: Option<&'a [String]>,
    /// Tools that the person said yes to for this turn.
    pub yes_to: &'a [String],
    /// Approvals that hold now.
    pub standing: &'a [Standing],
    /// The arguments hold a known secret.
    pub holds_secret: bool,
    /// The language of `exec`'s commands.
    pub shell: Shell,
}

/// How long an approval holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This call.
    Once,
    /// Calls of this form in this session.
    Session,
    /// Calls of this form, always.
    Always,
}

/// An approval that was given and holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// What was approved, as [`form`] writes it.
    pub form: String,
    /// How long.
    pub scope: Scope,
}

/// What names one exact call: tool and arguments, the order of keys left aside. Equal forms run the same.
#[must_use]
pub fn form(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut hash = Sha256::new();
    hash.update((tool.len() as u64).to_le_bytes());
    hash.update(tool);
    feed(&mut hash, &Value::Object(arguments.clone()));
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Every value with its kind and length, so that no two values feed the same bytes.
fn feed(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            hash.update([b'{']);
            hash.update((entries.len() as u64).to_le_bytes());
            for (key, value) in entries {
                hash.update((key.len() as u64).to_le_bytes());
                hash.update(key);
                feed(hash, value);
            }
        }
        Value::Array(items) => {
            hash.update([b'[']);
            hash.update((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| feed(hash, item));
        }
        other => {
            let text = other.to_string();
            hash.update([b'v']);
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
    }
}

/// What policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Ask the person.
    Ask,
    /// Never.
    Deny,
}

/// The answer, with the rule that gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Allow, ask or deny.
    pub verdict: Verdict,
    /// The rule's name, stable: for the audit and for explanations.
    pub rule: String,
    /// One sentence for people, without a full stop.
    pub why: String,
}

impl Judgement {
    pub(crate) fn new(verdict: Verdict, rule: impl Into<String>, why: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), why: why.into() }
    }

    pub(crate) fn allow(rule: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(Verdict::Allow, rule, why)
    }

    pub(crate) fn ask(rule: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(Verdict::Ask, rule, why)
    }

    pub(crate) fn deny(rule: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(Verdict::Deny, rule, why)
    }
}
