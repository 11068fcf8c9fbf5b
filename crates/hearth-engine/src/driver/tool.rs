//! Tools in a turn: whether a call may run, and running it.
//!
//! Policy of this version: reading inside the workspace is always allowed, writing there only in turns that
//! a person started; both are undone from the versions. There is no tool that reaches further.

use super::Told;
use crate::engine::Inner;
use hearth_agent::machine::{Input, Verdict};
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Arguments, Origin, ToolCall, TurnId};
use hearth_tools::{Access, Invocation, Outcome};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Policy's answer to a call.
pub(super) fn verdict(engine: &Inner, origin: Origin, call: &ToolCall) -> Input {
    let by_person = matches!(origin, Origin::Window | Origin::Quick | Origin::Cli);
    let (verdict, why) = match engine.tools.get(&call.name).map(|tool| tool.descriptor().access) {
        Some(Access::Reads) => (Verdict::Allow, "reading in the workspace is allowed"),
        Some(Access::WritesWorkspace) if by_person => {
            (Verdict::Allow, "the person started this turn")
        }
        Some(Access::WritesWorkspace) => {
            (Verdict::Deny, "files are only changed in turns that the person started")
        }
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
        outcome = outcome(&engine, turn, &call) => outcome,
    };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let done = Input::ToolDone { call: call.id, ok: outcome.ok, text: outcome.text, ms };
    // The turn may have ended by a cancel; then nobody listens any more.
    let _ = tell.send(Told::Input(Box::new(done)));
}

async fn outcome(engine: &Inner, turn: TurnId, call: &ToolCall) -> Outcome {
    let Some(tool) = engine.tools.get(&call.name) else {
        return Outcome::failed(format!("there is no tool {}", call.name));
    };
    let Arguments::Object(arguments) = &call.arguments else {
        return Outcome::failed("the arguments are no JSON object");
    };
    let outcome = tool.run(Invocation { arguments: arguments.clone(), turn }).await;
    if outcome.ok && tool.descriptor().access == Access::WritesWorkspace {
        let path = arguments.get("path").and_then(serde_json::Value::as_str).unwrap_or_default();
        told_of(engine, path.to_owned()).await;
    }
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
