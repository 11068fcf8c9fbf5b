//! What turns changed beside the texts of files: read from the ledger, and said when it is taken back.

use crate::api::undo::CHANGED_SINCE;
use hearth_protocol::TurnId;
use hearth_protocol::api::files::{Undone, UndoneState};
use hearth_store::{ReshapedRow, Store, StoreError};
use hearth_workspace::{Reshape, Reshaped};

/// What a turn changed.
pub(crate) async fn of(store: &Store, turn: &TurnId) -> Result<Vec<Reshape>, StoreError> {
    let parse = |ReshapedRow { path, before, after }| {
        let [before, after] =
            [before, after].map(|shape: String| serde_json::from_str(&shape).ok());
        Some(Reshape { path, before: before?, after: after? })
    };
    Ok(store.reshaped(turn).await?.into_iter().filter_map(parse).collect())
}

/// What became of it. A folder is named with a slash.
pub(crate) fn row((what, end): (Reshape, Reshaped)) -> Undone {
    let kinds = [&what.before, &what.after];
    let is_folder =
        kinds.iter().any(|kind| kind.is_folder()) && !kinds.iter().any(|kind| kind.is_file());
    let path = if is_folder { format!("{}/", what.path) } else { what.path };
    let (state, why) = match end {
        Reshaped::Back => (UndoneState::Restored, String::new()),
        Reshaped::Removed => (UndoneState::Removed, String::new()),
        Reshaped::Changed => (UndoneState::Conflict, CHANGED_SINCE.to_owned()),
        Reshaped::ModeChanged => {
            (UndoneState::Conflict, "its permissions were changed since".to_owned())
        }
        Reshaped::NotEmpty => {
            (UndoneState::Conflict, "something else is in this folder".to_owned())
        }
        Reshaped::Failed(why) => (UndoneState::Refused, why),
    };
    Undone { path, state, why }
}
