//! What turns changed in the workspace beside the texts of files, so that it can be taken back.
//!
//! Invariant: several changes of one turn count as one, from what was there before it; where somebody else changed
//! it between two of them, only what came after counts. Absent here: what a state is (JSON of the engine).

use crate::{Result, Store};
use hearth_protocol::TurnId;

/// One path and its states, JSON.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ReshapedRow {
    /// Path within the workspace.
    pub path: String,
    /// Before the turn.
    pub before: String,
    /// After it.
    pub after: String,
}

impl Store {
    /// Adds changes to those of a turn.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_reshaped(&self, turn: &TurnId, rows: &[ReshapedRow]) -> Result<()> {
        let mut tx = self.write().await?;
        for row in rows {
            sqlx::query(
                "INSERT INTO reshaped (turn, path, before, after) VALUES (?, ?, ?, ?)
                 ON CONFLICT (turn, path) DO UPDATE SET after = excluded.after,
                     before = CASE WHEN reshaped.after = excluded.before THEN reshaped.before
                                   ELSE excluded.before END",
            )
            .bind(turn.as_str())
            .bind(&row.path)
            .bind(&row.before)
            .bind(&row.after)
            .execute(&mut *tx)
            .await?;
        }
        sqlx::query("DELETE FROM reshaped WHERE turn = ? AND before = after")
            .bind(turn.as_str())
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// The changes of a turn, by path.
    ///
    /// # Errors
    /// The database's.
    pub async fn reshaped(&self, turn: &TurnId) -> Result<Vec<ReshapedRow>> {
        let rows =
            sqlx::query_as("SELECT path, before, after FROM reshaped WHERE turn = ? ORDER BY path");
        Ok(rows.bind(turn.as_str()).fetch_all(self.read()).await?)
    }
}
