//! Taking back what a turn did to workspace files.
//!
//! Invariants: what anybody changed since stays: overlapping changes are a conflict and that file is left
//! alone; taking back is itself a version; what was taken back is not the latest turn any more. The changes of
//! a turn's sub-agents are its own.

use super::files::changed;
use crate::{Engine, unkept};
use hearth_protocol::api::files::{Author, FileSave, FileSaved, RevisionRow, Undone, UndoneState};
use hearth_protocol::{ErrorCode, EventBody, SessionKey, SubagentState, TurnId, WireError};
use hearth_store::Content;
use hearth_workspace::{Attribution, WorkspaceError, WorkspaceRoot};

/// What is noted of a turn all of whose files were taken back.
const WHOLE: &str = "1";
/// What is noted where some were left as they are: they may be tried again.
const PART: &str = "part";

/// Takes back a turn's file changes, file by file.
///
/// # Errors
/// `not_found` where there is no such turn or it changed no file; `invalid_request` where it is taken back
/// already; `home_busy`; the database's.
pub async fn turn(engine: &Engine, turn: TurnId) -> Result<Vec<Undone>, WireError> {
    engine.inner.must_own()?;
    let rows = revisions(engine, &turn).await?;
    let mut unkept = Vec::new();
    for turn in family(engine, &turn).await? {
        unkept.extend(unkept::rows(&engine.inner.store, &turn).await?);
    }
    if rows.is_empty() && unkept.is_empty() {
        return Err(nothing(engine, &turn).await?);
    }
    if engine.inner.store.meta(&taken_back(&turn)).await?.as_deref() == Some(WHOLE) {
        let message = format!("turn {turn} is taken back already");
        let hint =
            "`hearth files history PATH` has each version of a file, to restore any of them.";
        return Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
    }
    let mut undone = Vec::new();
    for (first, last) in spans(rows) {
        undone.push(one(engine, first, last).await?);
    }
    let left = |row: &Undone| matches!(row.state, UndoneState::Conflict | UndoneState::Refused);
    let state = if undone.iter().any(left) { PART } else { WHOLE };
    engine.inner.store.set_meta(&taken_back(&turn), Some(state)).await?;
    // Nothing more can be done about these: they are said, and the turn counts as taken back.
    undone.extend(unkept);
    Ok(undone)
}

/// Why there is nothing to take back.
async fn nothing(engine: &Engine, turn: &TurnId) -> Result<WireError, WireError> {
    let known = engine.inner.store.session_of_turn(turn).await?.is_some();
    let (message, hint) = match (known, ran_commands(engine, turn).await?) {
        (false, _) => (
            format!("there is no turn {turn}"),
            "`hearth sessions show KEY --json` names the turns.",
        ),
        (true, false) => (format!("turn {turn} changed no file of the workspace"), ""),
        (true, true) => (
            format!("turn {turn} changed no file of the workspace"),
            "What its commands changed elsewhere is not recorded.",
        ),
    };
    Ok(WireError::new(ErrorCode::NotFound, message, hint))
}

/// Whether a turn or its sub-agents ran commands, which may have changed what no version tells.
///
/// # Errors
/// The database's.
pub async fn ran_commands(engine: &Engine, turn: &TurnId) -> Result<bool, WireError> {
    let store = &engine.inner.store;
    for turn in family(engine, turn).await? {
        let Some(session) = store.session_of_turn(&turn).await? else { continue };
        let ran =
            |body: &EventBody| matches!(body, EventBody::ToolStart { tool, .. } if tool == "exec");
        if store.events(&session, &turn).await?.iter().any(|event| ran(&event.body)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The last turn of a session that changed a file and was not taken back, if any.
///
/// # Errors
/// The database's.
pub(crate) async fn latest(
    engine: &Engine,
    session: &SessionKey,
) -> Result<Option<TurnId>, WireError> {
    let store = &engine.inner.store;
    for turn in store.turns(session).await?.into_iter().rev() {
        let is_back = store.meta(&taken_back(&turn.id)).await?.is_some();
        if !is_back && !revisions(engine, &turn.id).await?.is_empty() {
            return Ok(Some(turn.id));
        }
    }
    Ok(None)
}

fn taken_back(turn: &TurnId) -> String {
    format!("undone/{turn}")
}

/// What a turn and its sub-agents wrote, latest first.
async fn revisions(engine: &Engine, turn: &TurnId) -> Result<Vec<RevisionRow>, WireError> {
    let mut rows = Vec::new();
    for turn in family(engine, turn).await? {
        rows.extend(engine.inner.store.revisions_of_turn(&turn).await?);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.rev.0));
    Ok(rows)
}

/// A turn and those of its sub-agents.
async fn family(engine: &Engine, turn: &TurnId) -> Result<Vec<TurnId>, WireError> {
    let store = &engine.inner.store;
    let mut turns = vec![turn.clone()];
    if let Some(session) = store.session_of_turn(turn).await? {
        for event in store.events(&session, turn).await? {
            let EventBody::Subagent { id, state: SubagentState::Started, .. } = event.body else {
                continue;
            };
            let child = format!("{}:subagent:{id}", session.agent());
            let Ok(child) = SessionKey::parse(&child) else { continue };
            turns.extend(store.turns(&child).await?.into_iter().map(|turn| turn.id));
        }
    }
    Ok(turns)
}

/// The turn's first and last version of each file. Rows come latest first.
fn spans(rows: Vec<RevisionRow>) -> Vec<(RevisionRow, RevisionRow)> {
    let mut spans: Vec<(RevisionRow, RevisionRow)> = Vec::new();
    for row in rows {
        match spans.iter_mut().find(|(_, last)| last.path == row.path) {
            Some((first, _)) => *first = row,
            None => spans.push((row.clone(), row)),
        }
    }
    spans
}

async fn one(engine: &Engine, first: RevisionRow, last: RevisionRow) -> Result<Undone, WireError> {
    let store = &engine.inner.store;
    let before = store.revision_before(&first).await?.filter(|content| !content.row.deleted);
    let after = store.revision(last.rev).await?;
    let path = last.path.clone();
    let done = engine.inner.on_workspace(move |workspace| back(workspace, before, after)).await;
    let (state, hash) = match done {
        Ok(done) => done,
        // One file that cannot be taken back does not keep the others from it.
        Err(error) => {
            return Ok(Undone { path, state: UndoneState::Refused, why: error.message });
        }
    };
    if let Some(hash) = hash {
        changed(engine, path.clone(), hash);
    }
    let why = match state {
        UndoneState::Conflict => "it was changed since in the same place; left as it is",
        _ => "",
    };
    Ok(Undone { path, state, why: why.to_owned() })
}

/// Brings one file back; the new hash where it was written.
fn back(
    workspace: &WorkspaceRoot,
    before: Option<Content>,
    after: Content,
) -> Result<(UndoneState, Option<String>), WorkspaceError> {
    let user = Attribution::from(Author::User);
    let path = after.row.path.as_str();
    let now = workspace.fingerprint(path)?;
    let is_as_left = now.as_ref() == Some(&after.row.hash);
    let Some(before) = before else {
        let Some(now) = now else { return Ok((UndoneState::Restored, None)) };
        if after.row.deleted || !is_as_left {
            return Ok((UndoneState::Conflict, None));
        }
        workspace.remove(path, &now, &user)?;
        return Ok((UndoneState::Removed, Some(String::new())));
    };
    if after.row.deleted && now.is_some() {
        return Ok((UndoneState::Conflict, None));
    }
    // Byte for byte, which need be no text, where nothing came since.
    if after.row.deleted || is_as_left {
        let hash = workspace.restore(path, &before.bytes, &user)?;
        return Ok((UndoneState::Restored, Some(hash)));
    }
    let edit = FileSave {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&before.bytes).into_owned(),
        base_hash: after.row.hash.clone(),
        base_text: String::from_utf8_lossy(&after.bytes).into_owned(),
        confirmed: true,
    };
    Ok(match workspace.save(&edit, &user)? {
        FileSaved::Written { hash } => (UndoneState::Restored, Some(hash)),
        FileSaved::Merged { hash, .. } => (UndoneState::Merged, Some(hash)),
        FileSaved::Conflict { .. } | FileSaved::ConfirmShrink { .. } => {
            (UndoneState::Conflict, None)
        }
    })
}
