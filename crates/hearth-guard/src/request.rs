//! What is asked of policy, and what it answers.

use crate::class::Class;
use crate::command::Shell;
use crate::taint::Taint;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One call that may run or not.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What it does.
    pub class: Class,
    /// Arguments that fit its schema: the very value that would run.
    pub arguments: &'a Map<String, Value>,
    /// A person started this turn.
    pub by_person: bool,
    /// What the turn has read.
    pub taint: &'a Taint,
    /// Tools that active skills, or the parent of a sub-agent, narrow the choice to.
    pub narrowed_to: Option<&'a [String]>,
    /// The arguments hold a known secret.
    pub holds_secret: bool,
    /// The language of `exec`'s commands.
    pub shell: Shell,
    /// This machine holds a command to the workspace, and off the network.
    pub confined: bool,
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

/// What the person has answered already, and whether they can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers {
    /// They said yes to this tool for this turn, before it had read anything.
    pub yes_to_tool: bool,
    /// They approved exactly this call, and it holds.
    pub standing: Option<Scope>,
    /// Somebody can answer a question now.
    pub attended: bool,
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
    /// What becomes of it by what the person has answered before. Only a question is changed by answers:
    /// a denial stays one, and where nobody can answer, a question is one too.
    #[must_use]
    pub fn settled(self, answers: Answers) -> Self {
        if self.verdict != Verdict::Ask {
            return self;
        }
        let is_taint = self.rule.starts_with("taint:");
        if answers.yes_to_tool && !is_taint {
            return Self::allow("yes_to", "you allowed this tool for this turn");
        }
        // What was allowed for always was allowed to the person's assistant, not to a page it has read.
        match answers.standing {
            Some(Scope::Once) => Self::allow("approval", "you allowed this call"),
            Some(Scope::Session) => {
                Self::allow("approval", "you allowed exactly this for this session")
            }
            Some(Scope::Always) if !is_taint => {
                Self::allow("approval", "you allowed exactly this for always")
            }
            // They said it before the turn read what it has read, so whoever is there is asked all the same.
            _ if answers.attended => self,
            _ if answers.yes_to_tool => {
                let why = format!("you allowed this tool for this turn, though {}", self.why);
                Self::allow(format!("yes_to:{}", self.rule), why)
            }
            _ => {
                let why = format!("{}, and nobody is here to be asked", self.why);
                Self::deny(self.rule, why)
            }
        }
    }

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
