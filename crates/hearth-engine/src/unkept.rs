//! What commands of a turn changed and no version tells: noted with the turn, for its undo.

use hearth_protocol::TurnId;
use hearth_protocol::api::files::{Undone, UndoneState};
use hearth_store::{Store, StoreError};
use hearth_workspace::Unkept;

/// Files that are named.
const MOST: usize = 50;

fn why(unkept: Unkept) -> &'static str {
    match unkept {
        Unkept::Large => "a command changed it, and it is too large to be kept",
        Unkept::Unread => {
            "it could not be read after a command; whether its content changed is not known"
        }
        Unkept::Closed => "a command changed what is in this folder, which is not looked into",
        Unkept::Named => "a command changed it, and nothing is kept under such a name",
        Unkept::Special => "a command made or removed it, and it is no file, folder or link",
        Unkept::Many => {
            "a command ran, and the workspace holds more files than are kept around one; others may have changed"
        }
    }
}

/// Notes what is not kept.
pub(crate) async fn add(
    store: &Store,
    turn: &TurnId,
    unkept: Vec<(String, Unkept)>,
) -> Result<(), StoreError> {
    if unkept.is_empty() {
        return Ok(());
    }
    let mut all = noted(store, turn).await?;
    all.extend(unkept.into_iter().take(MOST));
    all.sort();
    all.dedup();
    let text = serde_json::to_string(&all).unwrap_or_default();
    store.set_meta(&key(turn), Some(&text)).await
}

/// What is said of it when the turn is taken back.
pub(crate) async fn rows(store: &Store, turn: &TurnId) -> Result<Vec<Undone>, StoreError> {
    let row = |(path, unkept)| {
        let path = if unkept == Unkept::Closed { format!("{path}/") } else { path };
        Undone { path, state: UndoneState::Refused, why: why(unkept).to_owned() }
    };
    Ok(noted(store, turn).await?.into_iter().map(row).collect())
}

async fn noted(store: &Store, turn: &TurnId) -> Result<Vec<(String, Unkept)>, StoreError> {
    let text = store.meta(&key(turn)).await?.unwrap_or_default();
    let before = || {
        // As earlier versions noted it.
        let paths: Vec<String> = serde_json::from_str(&text).ok()?;
        let why = |path: &String| if path == "." { Unkept::Many } else { Unkept::Large };
        Some(paths.into_iter().map(|path| (path.clone(), why(&path))).collect())
    };
    Ok(serde_json::from_str(&text).ok().or_else(before).unwrap_or_default())
}

fn key(turn: &TurnId) -> String {
    format!("unkept/{turn}")
}
