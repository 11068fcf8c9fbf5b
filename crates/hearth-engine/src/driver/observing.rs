//! What a call changes in the workspace: versions of its turn and what stands beside them, so that undo puts it back.
//!
//! Invariant: what could not be kept is noted with the turn, and said when it is taken back.

use super::own::Desk;
use crate::unkept;
use hearth_protocol::api::files::Author;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Arguments, ToolCall};
use hearth_store::ReshapedRow;
use hearth_tools::Access;
use hearth_workspace::{Attribution, Observation, Reshape, Seen};
use serde_json::Value;
use std::sync::Arc;

/// What is looked at around a call.
pub(super) enum Look {
    /// The whole workspace, around a command.
    All(Observation),
    /// Folders that a file tool may make on its way.
    Folders(Vec<String>),
}

/// Looks before a call runs; none where it changes no file.
pub(super) async fn begin(desk: &Desk, call: &ToolCall) -> Option<Look> {
    let tool = desk.engine.tools.get(&call.name)?;
    let may = |access| tool.descriptor().may(access);
    let workspace = Arc::clone(&desk.engine.workspace);
    if may(Access::RunsCommands) {
        let by = Attribution { author: Author::Turn, turn: Some(desk.begin.turn.clone()) };
        let look = tokio::task::spawn_blocking(move || workspace.observe(by)).await.ok()?;
        return Some(Look::All(look));
    }
    let Arguments::Object(arguments) = &call.arguments else { return None };
    let path = arguments.get("path").and_then(Value::as_str)?.to_owned();
    if !may(Access::WritesWorkspace) {
        return None;
    }
    let missing = tokio::task::spawn_blocking(move || workspace.missing_above(&path)).await.ok()?;
    (!missing.is_empty()).then_some(Look::Folders(missing))
}

/// Records what it changed.
pub(super) async fn end(desk: &Desk, look: Look) {
    let engine = &desk.engine;
    let workspace = Arc::clone(&engine.workspace);
    let seen = tokio::task::spawn_blocking(move || match look {
        Look::All(observation) => observation.end(),
        Look::Folders(missing) => {
            Seen { reshaped: workspace.folders_among(missing), ..Seen::default() }
        }
    });
    let Ok(seen) = seen.await else { return };
    for changed in seen.changed {
        engine.bus.send(Signal::File(changed));
    }
    let turn = &desk.begin.turn;
    let rows: Vec<_> = seen.reshaped.iter().filter_map(row).collect();
    if !rows.is_empty()
        && let Err(error) = engine.store.add_reshaped(turn, &rows).await
    {
        tracing::warn!(%error, "which permissions, links and folders a call changed was not noted");
    }
    if let Err(error) = unkept::add(&engine.store, turn, seen.unkept).await {
        tracing::warn!(%error, "what a command changed and is not kept was not noted");
    }
}

fn row(Reshape { path, before, after }: &Reshape) -> Option<ReshapedRow> {
    let [before, after] = [before, after].map(|shape| serde_json::to_string(shape).ok());
    Some(ReshapedRow { path: path.clone(), before: before?, after: after? })
}
