//! Whether a call may run: the guard's rules, what the person allowed before, and whether anybody can be
//! asked. Every judgement is in the audit log before it is acted on.

use super::{Begin, consent, own};
use crate::audit::Note;
use crate::engine::Inner;
use crate::skills::turn::TurnSkills;
use crate::{guard, logging};
use hearth_agent::machine::Verdict;
use hearth_guard::{Answers, Class, Judgement, Request, Scope, Shell, Trust};
use hearth_protocol::api::approvals::ApprovalScope;
use hearth_protocol::{Arguments, Origin, ToolCall, WireError};
use hearth_tools::{Access, Invocation, Tool};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What policy says of a call, and what an approval of it pins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// The rule that gave it.
    pub(super) rule: String,
    /// How far what the turn has read is believed.
    pub(super) trust: Trust,
    /// For the person where it is asked, for the model where it is denied.
    pub(super) why: String,
    /// What an approval holds on to beside tool and arguments, in words.
    pub(super) pinned: Vec<String>,
}

/// The rules alone.
pub(super) fn rules(engine: &Inner, begin: &Begin, skills: &TurnSkills, call: &ToolCall) -> Judged {
    let (judgement, pinned) = judgement(engine, begin, skills, call);
    judged(engine, begin, judgement, pinned)
}

/// What the person will have to be asked about a call that is not reached yet, as things are; nothing is
/// noted. None where they will not.
pub(super) async fn foresee(
    engine: &Inner,
    begin: &Begin,
    skills: &TurnSkills,
    call: &ToolCall,
) -> Result<Option<Judged>, WireError> {
    let (judgement, pinned) = judgement(engine, begin, skills, call);
    let judgement = settled(engine, begin, call, judgement, &pinned).await?;
    if judgement.verdict != hearth_guard::Verdict::Ask
        || useless(engine, begin, call).await.is_some()
    {
        // What comes to nothing as things are may do well after the calls before it.
        return Ok(None);
    }
    Ok(Some(judged(engine, begin, judgement, pinned)))
}

/// Why nobody needs to be asked about a call, since it would come to nothing.
async fn useless(engine: &Inner, begin: &Begin, call: &ToolCall) -> Option<String> {
    let (tool, call) = invocation(engine, begin, call)?;
    if tool.descriptor().may(Access::WritesWorkspace)
        && let Some(why) = super::tool::loses(engine, &call.arguments).await
    {
        return Some(why);
    }
    tokio::task::spawn_blocking(move || tool.refuses(&call)).await.ok()?
}

/// The file that a call which is asked about would change, as it is now.
pub(super) async fn replaced(engine: &Inner, begin: &Begin, call: &ToolCall) -> Option<String> {
    let (tool, call) = invocation(engine, begin, call)?;
    tokio::task::spawn_blocking(move || tool.replaces(&call)).await.ok()?
}

fn invocation(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
) -> Option<(Arc<dyn Tool>, Invocation)> {
    let Arguments::Object(arguments) = &call.arguments else { return None };
    let tool = engine.tools.get(&call.name)?;
    Some((tool, Invocation::new(arguments.clone(), begin.turn.clone(), call.id.clone())))
}

/// How the file of a call stands that waits for the person's word.
pub(super) enum Stands {
    /// As it was seen.
    Same,
    /// It changed, and the call fits it still.
    Changed(String),
    /// It changed, and what was asked comes to nothing.
    Void(String),
}

/// Looks at the file again; `seen`: as it was.
pub(super) async fn stands(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
    seen: &Option<String>,
) -> Stands {
    let now = replaced(engine, begin, call).await;
    let (Some(now), true) = (now, seen.is_some()) else { return Stands::Same };
    if seen.as_ref() == Some(&now) {
        return Stands::Same;
    }
    let Some((tool, mut call)) = invocation(engine, begin, call) else { return Stands::Same };
    call.extras.seen.clone_from(seen);
    match tokio::task::spawn_blocking(move || tool.refuses(&call)).await {
        Ok(Some(why)) => Stands::Void(why),
        _ => Stands::Changed(now),
    }
}

/// Notes that a call does not run, since the person refused it before it was reached.
pub(super) async fn refuse(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
    why: &str,
) -> Result<(), WireError> {
    note(engine, begin, call, &denied("approval", why)).await
}

/// The rules, then what the person said before: for this turn, or for this exact form. What nobody can be
/// asked about is denied.
pub(super) async fn judge(
    engine: &Inner,
    begin: &Begin,
    skills: &TurnSkills,
    call: &ToolCall,
) -> Result<Judged, WireError> {
    let (judgement, pinned) = judgement(engine, begin, skills, call);
    let is_sensitive = judgement.verdict == hearth_guard::Verdict::Ask;
    let mut judgement = settled(engine, begin, call, judgement, &pinned).await?;
    if judgement.verdict == hearth_guard::Verdict::Ask
        && let Some(why) = useless(engine, begin, call).await
    {
        judgement = denied("useless", &why);
    }
    note(engine, begin, call, &judgement).await?;
    // What would have been asked runs on a yes given before.
    if is_sensitive && judgement.verdict == hearth_guard::Verdict::Allow {
        let title = engine.words().ran_unasked(&call.name);
        engine.notice_calls(&begin.session, title, std::iter::once(call), false);
    }
    Ok(judged(engine, begin, judgement, pinned))
}

/// A judgement after what the person said before.
async fn settled(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
    judgement: Judgement,
    pinned: &[String],
) -> Result<Judgement, WireError> {
    if judgement.verdict != hearth_guard::Verdict::Ask {
        return Ok(judgement);
    }
    let form = consent::form(call, pinned);
    let standing = engine.store.standing_approval(&form, &begin.session).await?;
    Ok(judgement.settled(Answers {
        yes_to_tool: begin.asker.yes_to.contains(&call.name),
        standing: standing.map(|scope| match scope {
            ApprovalScope::Once => Scope::Once,
            ApprovalScope::Session => Scope::Session,
            ApprovalScope::Always => Scope::Always,
        }),
        attended: begin.asker.answers() || engine.host.can_ask(),
    }))
}

fn judged(engine: &Inner, begin: &Begin, judgement: Judgement, pinned: Vec<String>) -> Judged {
    let verdict = match judgement.verdict {
        hearth_guard::Verdict::Allow => Verdict::Allow,
        hearth_guard::Verdict::Ask => Verdict::Ask,
        hearth_guard::Verdict::Deny => Verdict::Deny,
    };
    let trust = engine.taints.of(&begin.session).trust();
    Judged { verdict, rule: judgement.rule, trust, why: judgement.why, pinned }
}

fn denied(rule: &str, why: &str) -> Judgement {
    let (rule, why) = (rule.to_owned(), why.to_owned());
    Judgement { verdict: hearth_guard::Verdict::Deny, rule, why }
}

fn judgement(
    engine: &Inner,
    begin: &Begin,
    skills: &TurnSkills,
    call: &ToolCall,
) -> (Judgement, Vec<String>) {
    let no = |why: &str| denied("unknown", why);
    let Arguments::Object(arguments) = &call.arguments else {
        return (no("the arguments are no JSON object"), Vec::new());
    };
    let Some(class) = class(engine, &call.name) else {
        return (no("there is no such tool"), Vec::new());
    };
    let pinned = if class == Class::Run { guard::pins(engine, arguments) } else { Vec::new() };
    let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    if class == Class::Run
        && let Some(why) = skills.refuses_command(command)
    {
        return (denied("narrowed", &why), pinned);
    }
    let narrowed_to = narrowed(begin, skills, &call.name);
    let judgement = guard::policy(engine).judge(&Request {
        tool: &call.name,
        class,
        arguments,
        by_person: matches!(begin.origin, Origin::Window | Origin::Quick | Origin::Cli),
        taint: &engine.taints.of(&begin.session),
        narrowed_to: narrowed_to.as_deref(),
        holds_secret: holds_secret(arguments),
        shell: Shell::here(),
        confined: guard::is_confined(),
    });
    (judgement, pinned)
}

/// What the parent of a sub-agent and active skills leave of the tools. Loading skills stays possible: else
/// a skill that narrows could use no other.
fn narrowed(begin: &Begin, skills: &TurnSkills, tool: &str) -> Option<Vec<String>> {
    let parent = begin.parent.as_ref().map(|parent| parent.tools.clone());
    match (parent, skills.narrowed().filter(|_| tool != own::SKILL_LOAD)) {
        (Some(mut parent), Some(skills)) => {
            parent.retain(|tool| skills.contains(tool));
            Some(parent)
        }
        (parent, skills) => parent.or(skills),
    }
}

/// What a tool does; none where there is no such tool.
pub(super) fn class(engine: &Inner, tool: &str) -> Option<Class> {
    if own::is(tool) {
        return Some(Class::of_tool(tool));
    }
    Some(guard::class(engine.tools.get(tool)?.descriptor()))
}

fn holds_secret(arguments: &Map<String, Value>) -> bool {
    fn any(value: &Value) -> bool {
        match value {
            Value::String(text) => logging::redactor().finds(text),
            Value::Array(items) => items.iter().any(any),
            Value::Object(object) => object.iter().any(|(_, value)| any(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    arguments.values().any(any)
}

/// The arguments with lengths in the place of what is to be remembered.
fn without_words(arguments: &Map<String, Value>) -> Value {
    let shown = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value.as_str()) {
            ("text" | "title", Some(text)) => json!({"chars": text.chars().count()}),
            _ => value.clone(),
        };
        (key.clone(), value)
    };
    Value::Object(arguments.iter().map(shown).collect())
}

/// The arguments of a call as the audit log keeps them: it cannot be changed, and what is remembered may be
/// forgotten.
pub(super) fn noted(engine: &Inner, tool: &str, arguments: &Arguments) -> Value {
    match (arguments, class(engine, tool)) {
        (Arguments::Object(arguments), Some(Class::Remember)) => without_words(arguments),
        (arguments, _) => json!(arguments),
    }
}

async fn note(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
    judgement: &Judgement,
) -> Result<(), WireError> {
    let Judgement { verdict, rule, why } = judgement;
    let arguments = noted(engine, &call.name, &call.arguments);
    let body = json!({"call": call.id, "tool": call.name, "arguments": arguments,
        "verdict": verdict, "rule": rule, "why": why});
    let (session, turn) = (Some(&begin.session), Some(&begin.turn));
    engine.audit.note(Note { kind: "tool_call", session, turn, body: &body }).await
}
