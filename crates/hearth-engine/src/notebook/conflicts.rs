//! What speaks against an entry and only the person can settle.

use super::{By, Done, Fact, row};
use crate::engine::Inner;
use hearth_protocol::api::entries::{EntryConflict, EntryTake};
use hearth_protocol::{ErrorCode, SessionKey, TurnId, WireError};
use serde::{Deserialize, Serialize};

/// What would be written, as it is kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Proposed {
    text: String,
    title: String,
    kind: String,
    session: Option<SessionKey>,
    turn: Option<TurnId>,
}

/// What the ledger keeps of a fact that speaks against an entry.
pub(crate) fn conflict_draft(fact: &Fact, by: &By) -> String {
    let proposed = Proposed {
        text: fact.text.clone(),
        title: fact.title.clone(),
        kind: fact.kind.clone(),
        session: by.session.clone(),
        turn: by.turn.clone(),
    };
    serde_json::to_string(&proposed).unwrap_or_default()
}

impl Inner {
    /// What is to be settled. What speaks against an entry that is gone or holds no more is settled by that.
    pub(crate) async fn conflicts(&self) -> Result<Vec<EntryConflict>, WireError> {
        let all = self.on_workspace(|workspace| workspace.all_held()).await?;
        let mut open = Vec::new();
        for stored in self.store.conflicts().await? {
            let held = all.iter().find(|held| held.id == stored.entry && !held.entry.superseded);
            let Some(held) = held else { continue };
            open.push(EntryConflict {
                conflict: stored.id,
                held: row(held),
                text: proposed(&stored.draft).text,
                at: stored.at,
                why: stored.why,
            });
        }
        Ok(open)
    }

    /// Settles a conflict; returns what was written, if anything.
    pub(crate) async fn settle(
        &self,
        conflict: i64,
        take: EntryTake,
    ) -> Result<Option<Done>, WireError> {
        let all = self.store.conflicts().await?;
        let missing = || {
            let message = format!("there is no conflict {conflict}");
            WireError::new(ErrorCode::NotFound, message, "It may be settled already.")
        };
        let stored = all.into_iter().find(|stored| stored.id == conflict).ok_or_else(missing)?;
        let draft = proposed(&stored.draft);
        let by = By {
            session: draft.session.clone(),
            turn: draft.turn.clone(),
            ..By::person("you settled a conflict")
        };
        let fact = Fact {
            text: draft.text,
            title: draft.title,
            kind: draft.kind,
            confidence: Some(1.0),
            ..Fact::default()
        };
        let done = match take {
            EntryTake::Held => None,
            EntryTake::Other => Some(self.supersede(&stored.entry, &fact, &by).await?.1),
            EntryTake::Both => Some(self.remember(&fact, &by).await?),
        };
        self.store.settle_conflict(conflict).await?;
        Ok(done)
    }
}

fn proposed(draft: &str) -> Proposed {
    serde_json::from_str(draft).unwrap_or_default()
}
