//! What commands of a turn changed and no version tells: noted with the turn, for its undo.

use hearth_protocol::TurnId;
use hearth_protocol::api::files::{Undone, UndoneState};
use hearth_store::{Store, StoreError};

/// Files that are named.
const MOST: usize = 50;
const LARGE: &str = "a command changed it, and it is too large to be kept";
const MANY: &str = "a command ran, and the workspace holds more files than are kept around one; others may have changed";

/// What to note of a command: files too large to be kept, and whether all others were looked at.
pub(crate) fn of(too_large: Vec<String>, whole: bool) -> Vec<String> {
    let rest = (!whole).then(|| ".".to_owned());
    too_large.into_iter().take(MOST).chain(rest).collect()
}

/// Notes what is not kept.
pub(crate) async fn add(
    store: &Store,
    turn: &TurnId,
    paths: Vec<String>,
) -> Result<(), StoreError> {
    if paths.is_empty() {
        return Ok(());
    }
    let mut all = noted(store, turn).await?;
    all.extend(paths);
    all.sort();
    all.dedup();
    let text = serde_json::to_string(&all).unwrap_or_default();
    store.set_meta(&key(turn), Some(&text)).await
}

/// What is said of it when the turn is taken back.
pub(crate) async fn rows(store: &Store, turn: &TurnId) -> Result<Vec<Undone>, StoreError> {
    let row = |path: String| {
        let why = if path == "." { MANY } else { LARGE };
        Undone { path, state: UndoneState::Refused, why: why.to_owned() }
    };
    Ok(noted(store, turn).await?.into_iter().map(row).collect())
}

async fn noted(store: &Store, turn: &TurnId) -> Result<Vec<String>, StoreError> {
    let text = store.meta(&key(turn)).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

fn key(turn: &TurnId) -> String {
    format!("unkept/{turn}")
}
