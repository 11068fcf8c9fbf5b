//! Running a tool: its cancel, its time, what it shows, what came of it.
//!
//! Invariant: a cancelled call tells nothing more.

use super::Told;
use super::observing;
use super::own::{self, Desk, SKILL_LOAD};
use crate::audit::Note;
use crate::engine::Inner;
use crate::guard;
use crate::logging::redactor;
use crate::notebook::{By, has_mark};
use crate::{masking, skills};
use hearth_agent::machine::Input;
use hearth_guard::path::{Part, part_of};
use hearth_guard::{Class, Source, Taint};
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Arguments, CallId, ToolCall, WireError};
use hearth_tools::{Access, Extras, Invocation, LiveOutput, Outcome};
use hearth_workspace::framed;
use serde_json::{Map, Value, json};
use std::time::Instant;
use tokio::sync::mpsc;

/// Runs a call; the outcome is told. A cancelled one tells nothing. `seen`: what it replaces, where the person was
/// asked about it.
pub(super) async fn run(desk: Desk, call: ToolCall, seen: Option<String>) {
    let begun = Instant::now();
    let observation = observing::begin(&desk, &call).await;
    let outcome = tokio::select! {
        () = desk.cancel.cancelled() => None,
        outcome = outcome(&desk, &call, seen) => Some(outcome),
    };
    if let Some(observation) = observation {
        observing::end(&desk, observation).await;
    }
    let Some(outcome) = outcome else { return };
    let Outcome { ok, text, full, .. } = match noted(&desk, &call, &outcome).await {
        Ok(()) => outcome,
        // The model must not read what nobody knows it has read.
        Err(error) => Outcome::failed(format!("The result could not be noted: {error}.")),
    };
    let name = full.as_ref().and_then(|path| path.file_stem());
    let kept = name.map(|name| format!("output:{}", name.display()));
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let done = Input::ToolDone { call: call.id, ok, text, kept, ms };
    desk.say(Told::Input(Box::new(done)));
}

async fn outcome(desk: &Desk, call: &ToolCall, seen: Option<String>) -> Outcome {
    let engine = &desk.engine;
    let Arguments::Object(arguments) = &call.arguments else {
        return Outcome::failed("the arguments are no JSON object");
    };
    if own::is(&call.name) {
        return masked(own::run(desk, &call.id, &call.name, arguments).await);
    }
    let Some(tool) = engine.tools.get(&call.name) else {
        return Outcome::failed(format!("there is no tool {}", call.name));
    };
    let (live, shown) = mpsc::unbounded_channel();
    let turn = desk.begin.turn.clone();
    let mut extras = Extras::default();
    if tool.descriptor().may(Access::RunsCommands) {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        extras = skills::extras(engine, &desk.skills, text("command"), text("cwd")).await;
        // Whatever was allowed by a yes would be a question by the rules alone.
        let rules = super::policy::rules(engine, &desk.begin, &desk.skills, call);
        let is_unasked = rules.verdict == hearth_agent::machine::Verdict::Allow;
        extras.keeps = is_unasked.then_some(guard::is_kept);
        desk.skills.command_runs(&call.id, text("command"));
    }
    extras.seen = seen;
    let invocation = Invocation {
        extras,
        cancel: desk.cancel.clone(),
        live: LiveOutput::to(live),
        ..Invocation::new(arguments.clone(), turn.clone(), call.id.clone())
    };
    let limit = tool.descriptor().limit;
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    let writes = tool.descriptor().may(Access::WritesWorkspace);
    if writes && let Some(why) = loses(engine, arguments).await {
        return Outcome::failed(why);
    }
    let memory = if writes { memory_text(engine, path).await } else { None };
    let ran = tokio::time::timeout(limit, tool.run(invocation));
    let (outcome, ()) = tokio::join!(ran, show(shown, &call.id, desk));
    for event in engine.take_told(&turn) {
        desk.say(Told::Event(event));
    }
    let outcome = outcome.unwrap_or_else(|_| {
        Outcome::failed(format!("{} was stopped after {} seconds.", call.name, limit.as_secs()))
    });
    let outcome = match call.name.as_str() {
        "memory_get" => Outcome { text: framed(path, &outcome.text).into_owned(), ..outcome },
        _ => outcome,
    };
    // Before it is cut, and before the whole of it is kept.
    let outcome = engine.outputs.fit(&turn, &call.id, masked(outcome));
    if outcome.ok && writes {
        if let Some(before) = memory
            && let Err(error) = engine.mark_added(path, &before, &by(desk)).await
        {
            let (what, hint) = (error.message, error.hint);
            return Outcome::failed(format!(
                "What is new in {path} cannot be marked: {what} {hint}"
            ));
        }
        told_of(engine, path.to_owned()).await;
    }
    outcome
}

/// Why a file cannot be written whole: the model was not shown all of it.
pub(super) async fn loses(engine: &Inner, arguments: &Map<String, Value>) -> Option<String> {
    let path = arguments.get("path").and_then(Value::as_str)?;
    let content = arguments.get("content").and_then(Value::as_str)?.to_owned();
    let place = path.to_owned();
    let file = engine.on_workspace(move |workspace| workspace.read(&place)).await.ok()?;
    masking::loses_secrets(&file.text, &content).then(|| {
        format!(
            "{path} holds a secret, which you were shown as ***: writing the file whole would lose it. Change \
             the other lines with edit_file."
        )
    })
}

/// The text of a memory file as it is now; none of any other file.
async fn memory_text(engine: &Inner, path: &str) -> Option<String> {
    if part_of(path) != Part::Memory {
        return None;
    }
    let place = path.to_owned();
    Some(engine.on_workspace(move |workspace| workspace.read(&place)).await.ok()?.text)
}

fn by(desk: &Desk) -> By {
    By {
        author: Author::Turn,
        session: Some(desk.begin.session.clone()),
        turn: Some(desk.begin.turn.clone()),
        why: "a file tool wrote it",
    }
}

/// Notes whose text a result brings, and what the call did, before the model sees it.
async fn noted(desk: &Desk, call: &ToolCall, outcome: &Outcome) -> Result<(), WireError> {
    let (engine, begin) = (&desk.engine, &desk.begin);
    let Arguments::Object(arguments) = &call.arguments else { return Ok(()) };
    let class = super::policy::class(engine, &call.name).unwrap_or(Class::ThirdParty);
    let source = match call.name.as_str() {
        // Hearth's own words; the skill's text was noted when it was read.
        SKILL_LOAD => Source::Person,
        _ => guard::source(&call.name, class, arguments, outcome),
    };
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    let url = arguments.get("url").and_then(Value::as_str).unwrap_or_default();
    let workspace = engine.workspace.folder();
    let lent = engine.borrowed.shown(workspace, &call.name, class, arguments, &outcome.text);
    let change = |taint: &mut Taint| {
        taint.read(source, &outcome.text);
        lent.iter().for_each(|source| taint.read(*source, ""));
        if source == Source::Memory && has_mark(path, &outcome.text) {
            taint.read(Source::Marked, "");
        }
        taint.follow(url);
        if class == Class::Search {
            taint.search();
        }
    };
    engine.taints.change(&begin.session, change).await?;
    let kind = match class {
        Class::Write | Class::Remember => "file_write",
        Class::Fetch | Class::Search | Class::Send | Class::ThirdParty => "send",
        _ => "tool_result",
    };
    let body = json!({"call": call.id, "tool": call.name, "ok": outcome.ok, "from": source,
        "path": arguments.get("path"), "url": arguments.get("url"), "bytes": outcome.text.len()});
    let (session, turn) = (Some(&begin.session), Some(&begin.turn));
    engine.audit.note(Note { kind, session, turn, body: &body }).await
}

/// What a tool shows while it runs.
async fn show(mut shown: mpsc::UnboundedReceiver<String>, call: &CallId, desk: &Desk) {
    let mut pieces = redactor().stream();
    let say = |text: String| {
        if !text.is_empty() {
            let call = call.clone();
            desk.say(Told::Input(Box::new(Input::ToolOutput { call, text })));
        }
    };
    while let Some(text) = shown.recv().await {
        say(pieces.feed(&text));
    }
    say(pieces.finish());
}

fn masked(mut outcome: Outcome) -> Outcome {
    masking::text(&mut outcome.text);
    outcome
}

/// Windows that show the file read it again.
async fn told_of(engine: &Inner, path: String) {
    let place = path.clone();
    if let Ok(file) = engine.on_workspace(move |workspace| workspace.read(&place)).await {
        let changed = FileChanged { path, author: Author::Turn, hash: file.hash };
        engine.bus.send(Signal::File(changed));
    }
}
