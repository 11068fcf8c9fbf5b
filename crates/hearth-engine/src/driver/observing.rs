//! What a command changes in the workspace: versions of its turn, so that undo puts them back.
//!
//! Invariant: what could not be kept is noted with the turn, and said when it is taken back.

use super::own::Desk;
use crate::unkept;
use hearth_protocol::ToolCall;
use hearth_protocol::api::files::Author;
use hearth_protocol::api::system::Signal;
use hearth_tools::Access;
use hearth_workspace::{Attribution, Observation};
use std::sync::Arc;

/// Looks at the files of the workspace before a command runs; none where a call runs no command.
pub(super) async fn begin(desk: &Desk, call: &ToolCall) -> Option<Observation> {
    let tool = desk.engine.tools.get(&call.name)?;
    if !tool.descriptor().may(Access::RunsCommands) {
        return None;
    }
    let workspace = Arc::clone(&desk.engine.workspace);
    let by = Attribution { author: Author::Turn, turn: Some(desk.begin.turn.clone()) };
    tokio::task::spawn_blocking(move || workspace.observe(by)).await.ok()
}

/// Records what it changed.
pub(super) async fn end(desk: &Desk, observation: Observation) {
    let Ok(seen) = tokio::task::spawn_blocking(move || observation.end()).await else { return };
    let engine = &desk.engine;
    for changed in seen.changed {
        engine.bus.send(Signal::File(changed));
    }
    let missed = unkept::of(seen.too_large, seen.whole);
    if let Err(error) = unkept::add(&engine.store, &desk.begin.turn, missed).await {
        tracing::warn!(%error, "what a command changed and is not kept was not noted");
    }
}
