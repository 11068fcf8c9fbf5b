//! Running a tool: its cancel, its time, what it shows, its whole result kept where the model is shown a
//! part.
//!
//! Invariant: a cancelled call tells nothing more.

use super::Told;
use super::own::{self, Desk};
use crate::engine::Inner;
use crate::outputs;
use hearth_agent::machine::Input;
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Arguments, CallId, ToolCall};
use hearth_tools::{Access, Invocation, LiveOutput, Outcome};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Runs a call; the outcome is told. A cancelled one tells nothing. A result of more than `keep_over` bytes
/// is kept on disk.
pub(super) async fn run(desk: Desk, call: ToolCall, keep_over: usize) {
    let begun = Instant::now();
    let outcome = tokio::select! {
        () = desk.cancel.cancelled() => return,
        outcome = outcome(&desk, &call) => outcome,
    };
    let text = outcome.text;
    let kept = if text.len() > keep_over { keep(&desk.engine, &text).await } else { None };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let done = Input::ToolDone { call: call.id, ok: outcome.ok, text, kept, ms };
    desk.say(Told::Input(Box::new(done)));
}

async fn outcome(desk: &Desk, call: &ToolCall) -> Outcome {
    let engine = &desk.engine;
    let Arguments::Object(arguments) = &call.arguments else {
        return Outcome::failed("the arguments are no JSON object");
    };
    if own::is(&call.name) {
        return own::run(desk, &call.id, &call.name, arguments).await;
    }
    if let Some(outcome) = page(engine, &call.name, arguments).await {
        return outcome;
    }
    let Some(tool) = engine.tools.get(&call.name) else {
        return Outcome::failed(format!("there is no tool {}", call.name));
    };
    let (live, shown) = mpsc::unbounded_channel();
    let turn = desk.begin.turn.clone();
    let invocation = Invocation {
        cancel: desk.cancel.clone(),
        live: LiveOutput::to(live),
        ..Invocation::new(arguments.clone(), turn, call.id.clone())
    };
    let limit = tool.descriptor().limit;
    let ran = tokio::time::timeout(limit, tool.run(invocation));
    let (outcome, ()) = tokio::join!(ran, show(shown, &call.id, desk));
    let outcome = outcome.unwrap_or_else(|_| {
        Outcome::failed(format!("{} was stopped after {} seconds.", call.name, limit.as_secs()))
    });
    if outcome.ok && tool.descriptor().may(Access::WritesWorkspace) {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        told_of(engine, path.to_owned()).await;
    }
    outcome
}

/// What a tool shows while it runs.
async fn show(mut shown: mpsc::UnboundedReceiver<String>, call: &CallId, desk: &Desk) {
    while let Some(text) = shown.recv().await {
        let call = call.clone();
        desk.say(Told::Input(Box::new(Input::ToolOutput { call, text })));
    }
}

/// `read_file` of a kept result.
async fn page(engine: &Inner, tool: &str, arguments: &Map<String, Value>) -> Option<Outcome> {
    let path = arguments.get("path").and_then(Value::as_str)?;
    if tool != "read_file" || !path.starts_with(outputs::PREFIX) {
        return None;
    }
    let number = |key: &str| {
        arguments.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    };
    let (from, lines, path) = (number("from").unwrap_or(1), number("lines"), path.to_owned());
    let kept = engine.outputs.clone();
    let read = tokio::task::spawn_blocking(move || kept.page(&path, from, lines)).await;
    Some(match read {
        Ok(Some(page)) => Outcome::done(page),
        _ => Outcome::failed("This result is not kept any more. Run the call again."),
    })
}

async fn keep(engine: &Arc<Inner>, text: &str) -> Option<String> {
    let (outputs, text) = (engine.outputs.clone(), text.to_owned());
    let kept = tokio::task::spawn_blocking(move || outputs.keep(&text)).await;
    match kept {
        Ok(Ok(path)) => Some(path),
        // The model is shown a part and told so; a full disk does not fail the call.
        Ok(Err(error)) => {
            tracing::warn!(%error, "a tool result could not be kept");
            None
        }
        Err(_) => None,
    }
}

/// Windows that show the file read it again.
async fn told_of(engine: &Inner, path: String) {
    let place = path.clone();
    if let Ok(file) = engine.on_workspace(move |workspace| workspace.read(&place)).await {
        let changed = FileChanged { path, author: Author::Turn, hash: file.hash };
        engine.bus.send(Signal::File(changed));
    }
}
