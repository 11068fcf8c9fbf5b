//! `hearth files`: the workspace's files and their versions.

use crate::access::Reach;
use crate::args::Files;
use crate::terminal::{Failure, print, print_json, print_rows, warn};
use hearth_engine::door::Call;
use hearth_engine::{Engine, api};
use hearth_protocol::api::files::{FileSaved, Undone, UndoneState};
use hearth_protocol::{ErrorCode, RevisionId, WireError};

pub(crate) async fn run(reach: &Reach, command: Files, json: bool) -> Result<(), Failure> {
    match command {
        Files::List => {
            let engine = reach.read().await?;
            let rows = api::files::list(&engine).await?;
            print_rows(json, &rows, |row| {
                let state = match (&row.problem, row.exists) {
                    (Some(problem), _) => problem.clone(),
                    (None, false) => "missing".to_owned(),
                    (None, true) if row.persona => {
                        format!("{} of {} chars in the prompt", row.injected_chars, row.chars)
                    }
                    (None, true) => format!("{} chars", row.chars),
                };
                vec![row.path.clone(), format!("{} B", row.bytes), state]
            })
        }
        Files::History { path } => {
            let engine = reach.read().await?;
            let rows = api::files::history(&engine, path.clone()).await?;
            if rows.is_empty() {
                return none_yet(&engine, path, json).await;
            }
            print_rows(json, &rows, |row| {
                let author = format!("{:?}", row.author).to_lowercase();
                let size =
                    if row.deleted { "deleted".to_owned() } else { format!("{} B", row.bytes) };
                vec![row.rev.0.to_string(), engine.local_time(row.at), author, size]
            })
        }
        Files::Diff { path, rev } => {
            let engine = reach.read().await?;
            let diff = api::files::diff(&engine, path, RevisionId(rev)).await?;
            if json { print_json(&diff) } else { print(&diff.unified) }
        }
        Files::Restore { path, rev } => {
            let call = Call::Restore { path: path.clone(), rev: RevisionId(rev) };
            let saved: FileSaved = serde_json::from_value(reach.call(call, &mut |_| {}).await?)?;
            if json {
                print_json(&saved)
            } else {
                print(&format!("{path} is as it was in version {rev}\n"))
            }
        }
    }
}

/// A file that is there may have no version yet; one that nobody knows is a mistake.
async fn none_yet(engine: &Engine, path: String, json: bool) -> Result<(), Failure> {
    let unknown = match api::files::read(engine, path.clone()).await {
        Ok(file) => !file.exists,
        Err(error) => error.code == ErrorCode::NotFound,
    };
    if unknown {
        let what = format!("there is no file {path} in the workspace, and no version of one");
        let hint = "`hearth files list` shows the files.";
        return Err(WireError::new(ErrorCode::NotFound, what, hint).into());
    }
    if json { Ok(()) } else { print(&format!("{path} has no versions yet.\n")) }
}

/// `hearth undo`: takes back a turn's file changes.
pub(crate) async fn undo(reach: &Reach, turn: &str, json: bool) -> Result<(), Failure> {
    let call = Call::Undo { turn: turn.into() };
    let rows: Vec<Undone> = serde_json::from_value(reach.call(call, &mut |_| {}).await?)?;
    print_rows(json, &rows, |row| {
        let state = format!("{:?}", row.state).to_lowercase();
        vec![row.path.clone(), state, row.why.clone()]
    })?;
    if api::undo::ran_commands(&reach.read().await?, &turn.into()).await? {
        warn(
            "the turn also ran commands; what those changed outside of the workspace or in hidden folders is not recorded",
        );
    }
    let left = |row: &Undone| matches!(row.state, UndoneState::Conflict | UndoneState::Refused);
    match rows.iter().filter(|row| left(row)).count() {
        0 => Ok(()),
        n => Err(Failure::said(format!("{n} of {} files were left as they are", rows.len()))),
    }
}
