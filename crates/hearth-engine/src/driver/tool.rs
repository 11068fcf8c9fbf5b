//! Tools in a turn: whether a call may run, and running it.
//!
//! Policy of this version: reading inside the workspace is always allowed, writing there only in turns that
//! a person started; both are undone from the versions. There is no tool that reaches further.

use super::Told;
use crate::engine::Inner;
use hearth_agent::machine::{Input, Verdict};
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Arguments, CallId, EventBody, Origin, ToolCall, TurnId};
use hearth_tools::{Access, Invocation, LiveOutput, Outcome};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Policy's answer to a call.
pub(super) fn verdict(engine: &Inner, origin: Origin, call: &ToolCall) -> Input {
    let by_person = matches!(origin, Origin::Window | Origin::Quick | Origin::Cli);
    let (verdict, why) = match engine.tools.get(&call.name) {
        Some(tool) => match tool.descriptor().access {
            [Access::Reads] => (Verdict::Allow, "reading in the workspace is allowed"),
            [Access::ReadsMemory] => (Verdict::Allow, "reading in memory is allowed"),
            [Access::WritesWorkspace | Access::WritesMemory] if by_person => {
                (Verdict::Allow, "the person started this turn")
            }
            [Access::WritesWorkspace | Access::WritesMemory] => {
                (Verdict::Deny, "files are only changed in turns that the person started")
            }
            _ => (Verdict::Ask, "the tool reaches beyond the workspace"),
        },
        None => (Verdict::Deny, "there is no such tool"),
    };
    Input::Verdict { call: call.id.clone(), verdict, why: why.to_owned() }
}

/// Runs a call; the outcome is told. A cancelled one tells nothing.
pub(super) async fn run(
    engine: Arc<Inner>,
    turn: TurnId,
    call: ToolCall,
    cancel: CancellationToken,
    tell: mpsc::UnboundedSender<Told>,
) {
    let begun = Instant::now();
    let outcome = tokio::select! {
        () = cancel.cancelled() => return,
        outcome = outcome(&engine, turn, &call, &cancel, &tell) => outcome,
    };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let done = Input::ToolDone { call: call.id, ok: outcome.ok, text: outcome.text, ms };
    // The turn may have ended by a cancel; then nobody listens any more.
    let _ = tell.send(Told::Input(Box::new(done)));
}

async fn outcome(
    engine: &Inner,
    turn: TurnId,
    call: &ToolCall,
    cancel: &CancellationToken,
    tell: &mpsc::UnboundedSender<Told>,
) -> Outcome {
    let Some(tool) = engine.tools.get(&call.name) else {
        return Outcome::failed(format!("there is no tool {}", call.name));
    };
    let Arguments::Object(arguments) = &call.arguments else {
        return Outcome::failed("the arguments are no JSON object");
    };
    let (live, shown) = mpsc::unbounded_channel();
    let invoked = turn.clone();
    let invocation = Invocation {
        cancel: cancel.clone(),
        live: LiveOutput::to(live),
        ..Invocation::new(arguments.clone(), turn, call.id.clone())
    };
    let limit = tool.descriptor().limit;
    let ran = tokio::time::timeout(limit, tool.run(invocation));
    let (outcome, ()) = tokio::join!(ran, show(shown, &call.id, tell));
    for event in engine.take_told(&invoked) {
        let _ = tell.send(Told::Event(event));
    }
    let outcome = outcome.unwrap_or_else(|_| {
        Outcome::failed(format!("{} was stopped after {} seconds.", call.name, limit.as_secs()))
    });
    if outcome.ok && tool.descriptor().may(Access::WritesWorkspace) {
        let path = arguments.get("path").and_then(serde_json::Value::as_str).unwrap_or_default();
        told_of(engine, path.to_owned()).await;
    }
    outcome
}

/// What a tool shows while it runs, as events.
async fn show(
    mut shown: mpsc::UnboundedReceiver<String>,
    call: &CallId,
    tell: &mpsc::UnboundedSender<Told>,
) {
    while let Some(text) = shown.recv().await {
        let event = EventBody::ToolOutput { call: call.clone(), text };
        let _ = tell.send(Told::Event(event));
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
