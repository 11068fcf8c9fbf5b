//! Taking back what a turn did to workspace files: their texts, and what stands beside them.
//!
//! Invariants: what anybody changed since, or between two writes of the turn, stays: overlapping changes are a
//! conflict and that file is left alone; taking back is itself a version; what was taken back is not the latest
//! turn any more. The changes of a turn's sub-agents are its own.

use super::files::changed;
use crate::{Engine, reshaped, unkept};
use hearth_protocol::api::files::{Author, FileSave, FileSaved, RevisionRow, Undone, UndoneState};
use hearth_protocol::{
    ErrorCode, EventBody, RevisionId, SessionKey, SubagentState, TurnId, WireError,
};
use hearth_store::Content;
use hearth_workspace::{Attribution, Reshape, Reshaping, WorkspaceError, WorkspaceRoot};
use std::collections::HashSet;

/// What is noted of a turn all of whose files were taken back.
const WHOLE: &str = "1";
/// What is noted where some were left as they are: they may be tried again.
const PART: &str = "part";
pub(crate) const CHANGED_SINCE: &str = "it was changed since in the same place";

/// Takes back a turn's file changes, file by file.
///
/// # Errors
/// `not_found` where there is no such turn or it changed no file; `invalid_request` where it is taken back
/// already; `home_busy`; the database's.
pub async fn turn(engine: &Engine, turn: TurnId) -> Result<Vec<Undone>, WireError> {
    engine.inner.must_own()?;
    let rows = revisions(engine, &turn).await?;
    let (mut unkept, mut beside) = (Vec::new(), Vec::new());
    for turn in family(engine, &turn).await? {
        unkept.extend(unkept::rows(&engine.inner.store, &turn).await?);
        beside.extend(reshaped::of(&engine.inner.store, &turn).await?);
    }
    if rows.is_empty() && unkept.is_empty() && beside.is_empty() {
        return Err(nothing(engine, &turn).await?);
    }
    if engine.inner.store.meta(&taken_back(&turn)).await?.as_deref() == Some(WHOLE) {
        let message = format!("turn {turn} is taken back already");
        let hint =
            "`hearth files history PATH` has each version of a file, to restore any of them.";
        return Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
    }
    let undone = all(engine, spans(engine, rows).await?, beside).await?;
    let left = |row: &Undone| matches!(row.state, UndoneState::Conflict | UndoneState::Refused);
    let state = if undone.iter().any(left) { PART } else { WHOLE };
    engine.inner.store.set_meta(&taken_back(&turn), Some(state)).await?;
    // Nothing more can be done about these: they are said, and the turn counts as taken back.
    Ok(undone.into_iter().chain(unkept).collect())
}

/// Takes texts back and what stands beside them: what was made goes first, then what was there comes back.
async fn all(
    engine: &Engine,
    spans: Vec<Span>,
    beside: Vec<Reshape>,
) -> Result<Vec<Undone>, WireError> {
    let inner = &engine.inner;
    let mut reshaping = Reshaping::new(beside);
    reshaping = inner.on_workspace(move |root| Ok(reshaping.ready(root))).await?;
    let (made, there): (Vec<_>, Vec<_>) = spans.into_iter().partition(|span| span.before.is_none());
    let mut undone: Vec<Undone> = Vec::new();
    for span in made {
        said(&mut undone, one(engine, span).await?);
    }
    reshaping = inner.on_workspace(move |root| Ok(reshaping.clear(root))).await?;
    for span in there {
        let row = match reshaping.blocks(&span.last.path) {
            true => {
                let (path, state) = (span.last.path, UndoneState::Conflict);
                Undone { path, state, why: CHANGED_SINCE.to_owned() }
            }
            false => one(engine, span).await?,
        };
        said(&mut undone, row);
    }
    let is_back = |row: &&Undone| row.state == UndoneState::Restored;
    let restored = undone.iter().filter(is_back).map(|row| row.path.clone()).collect();
    let ends = inner.on_workspace(move |root| Ok(reshaping.finish(root, &restored))).await?;
    for row in ends.into_iter().map(reshaped::row) {
        said(&mut undone, row);
    }
    Ok(undone)
}

/// Adds what became of a path: one row each, that says what was left.
fn said(undone: &mut Vec<Undone>, row: Undone) {
    let is_left = |row: &Undone| matches!(row.state, UndoneState::Conflict | UndoneState::Refused);
    match undone.iter_mut().find(|one| one.path == row.path) {
        None => undone.push(row),
        Some(one) if is_left(one) && is_left(&row) => {
            if !one.why.contains(&row.why) {
                one.why = format!("{}; {}", one.why, row.why);
            }
        }
        Some(one) if is_left(one) => {}
        // Of two texts the first that is taken back is the later one.
        Some(one) if row.state != UndoneState::Merged && one.state == UndoneState::Merged => {}
        Some(one) => *one = row,
    }
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
        if store.meta(&taken_back(&turn.id)).await?.is_some() {
            continue;
        }
        for one in family(engine, &turn.id).await? {
            if !store.revisions_of_turn(&one).await?.is_empty()
                || !store.reshaped(&one).await?.is_empty()
            {
                return Ok(Some(turn.id));
            }
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

/// What a turn wrote in one file with nobody else between, and what the file held before.
struct Span {
    before: Option<Content>,
    last: RevisionRow,
}

/// The spans of each file, latest first, as rows come.
async fn spans(engine: &Engine, rows: Vec<RevisionRow>) -> Result<Vec<Span>, WireError> {
    let mut spans: Vec<Span> = Vec::new();
    let is_ours = |before: &Content| rows.iter().any(|row| row.rev == before.row.rev);
    let mut inside: HashSet<RevisionId> = HashSet::new();
    for row in &rows {
        if inside.contains(&row.rev) {
            continue;
        }
        let mut before = engine.inner.store.revision_before(row).await?;
        while let Some(earlier) = before.take_if(|before| is_ours(before)) {
            inside.insert(earlier.row.rev);
            before = engine.inner.store.revision_before(&earlier.row).await?;
        }
        let before = before.filter(|content| !content.row.deleted);
        spans.push(Span { before, last: row.clone() });
    }
    Ok(spans)
}

async fn one(engine: &Engine, Span { before, last }: Span) -> Result<Undone, WireError> {
    let after = engine.inner.store.revision(last.rev).await?;
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
        UndoneState::Conflict => CHANGED_SINCE,
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
