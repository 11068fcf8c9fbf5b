//! Approvals: what the person was asked, what they said, and what stands.
//!
//! Invariants: an approval is decided once; an allowance is found by its exact form only; after a crash
//! nothing that was asked is open any more. Absent here: what has to be asked, and what makes a form.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope};
use hearth_protocol::{ApprovalState, SessionKey, TurnId};
use sqlx::SqliteConnection;

/// A question to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewApproval {
    /// The row, `asked`.
    pub row: ApprovalRow,
    /// Hash of the tool, its arguments and what else is pinned.
    pub form: String,
}

const COLUMNS: &str = "id, session, turn, batch, tool, arguments, pinned, reason, state, scope, \
                       asked_at, expires_at, decided_at";

impl Store {
    /// Stores what is asked: all of it, or nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn ask_approvals(&self, all: &[NewApproval]) -> Result<()> {
        let mut tx = self.write().await?;
        for NewApproval { row, form } in all {
            sqlx::query(
                "INSERT INTO approvals (id, session, turn, batch, tool, arguments, form, pinned, reason,
                     state, asked_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'asked', ?, ?)",
            )
            .bind(&row.id)
            .bind(row.session.as_str())
            .bind(row.turn.as_str())
            .bind(&row.batch)
            .bind(&row.tool)
            .bind(rim::json(&row.arguments)?)
            .bind(form)
            .bind(rim::json(&row.pinned)?)
            .bind(&row.reason)
            .bind(row.asked_at)
            .bind(row.expires_at)
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// Gives an approval that is open another reason.
    ///
    /// # Errors
    /// The database's.
    pub async fn reword_approval(&self, id: &str, reason: &str) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query("UPDATE approvals SET reason = ? WHERE id = ? AND state = 'asked'")
            .bind(reason)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Decides an approval that is open; returns it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such approval is open, or the database's.
    pub async fn decide_approval(
        &self,
        id: &str,
        state: ApprovalState,
        scope: ApprovalScope,
        at: i64,
    ) -> Result<ApprovalRow> {
        let mut tx = self.write().await?;
        let row = decide(&mut tx, id, state, scope, at).await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Decides all that is open of the batch of an approval, a yes for the one call only; returns them in the
    /// order they were asked.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where nothing of it is open, or the database's.
    pub async fn decide_batch(
        &self,
        id: &str,
        state: ApprovalState,
        at: i64,
    ) -> Result<Vec<ApprovalRow>> {
        let mut tx = self.write().await?;
        let open: Vec<String> = sqlx::query_scalar(
            "SELECT id FROM approvals WHERE state = 'asked'
                 AND (id = ?1 OR batch = (SELECT batch FROM approvals WHERE id = ?1)) ORDER BY rowid",
        )
        .bind(id)
        .fetch_all(&mut *tx)
        .await?;
        if open.is_empty() {
            return Err(missing("open approval", id));
        }
        let mut rows = Vec::with_capacity(open.len());
        for id in open {
            rows.push(decide(&mut tx, &id, state, ApprovalScope::Once, at).await?);
        }
        tx.commit().await?;
        Ok(rows)
    }

    /// Takes a standing allowance back.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such allowance stands, or the database's.
    pub async fn revoke_approval(&self, id: &str, at: i64) -> Result<()> {
        let mut tx = self.write().await?;
        let done = sqlx::query(
            "UPDATE approvals SET state = 'revoked', decided_at = ?
             WHERE id = ? AND state = 'allowed' AND scope <> 'once'",
        )
        .bind(at)
        .bind(id)
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Err(missing("standing approval", id));
        }
        Ok(tx.commit().await?)
    }

    /// The allowance that stands for a form in a session, if any.
    ///
    /// # Errors
    /// The database's.
    pub async fn standing_approval(
        &self,
        form: &str,
        session: &SessionKey,
    ) -> Result<Option<ApprovalScope>> {
        let scope: Option<String> = sqlx::query_scalar(
            "SELECT scope FROM approvals WHERE form = ?1 AND state = 'allowed'
                 AND (scope = 'always' OR scope = 'session' AND session = ?2)
             ORDER BY scope LIMIT 1",
        )
        .bind(form)
        .bind(session.as_str())
        .fetch_optional(self.read())
        .await?;
        scope.map(|scope| rim::parse_word("approvals", scope)).transpose()
    }

    /// Those that are open, then those that stand, each newest first and a batch in its order.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn approvals(&self, now: i64) -> Result<Vec<ApprovalRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM approvals
             WHERE state = 'asked' AND expires_at > ? OR state = 'allowed' AND scope <> 'once'
             ORDER BY state = 'allowed', asked_at DESC, rowid"
        );
        let rows: Vec<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(now).fetch_all(self.read()).await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// Nobody waits any more for these: those that are open expire.
    ///
    /// # Errors
    /// The database's.
    pub async fn void_approvals(&self, ids: &[&str], at: i64) -> Result<()> {
        let mut tx = self.write().await?;
        for id in ids {
            sqlx::query(
                "UPDATE approvals SET state = 'expired', decided_at = ? WHERE id = ? AND state = 'asked'",
            )
            .bind(at)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// Nobody waits any more for what was asked before a crash.
    pub(crate) async fn expire_approvals(&self, at: i64) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query("UPDATE approvals SET state = 'expired', decided_at = ? WHERE state = 'asked'")
            .bind(at)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }
}

async fn decide(
    db: &mut SqliteConnection,
    id: &str,
    state: ApprovalState,
    scope: ApprovalScope,
    at: i64,
) -> Result<ApprovalRow> {
    let sql = format!(
        "UPDATE approvals SET state = ?, scope = ?, decided_at = ?
         WHERE id = ? AND state = 'asked' RETURNING {COLUMNS}"
    );
    let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(rim::word(&state)?)
        .bind((state == ApprovalState::Allowed).then(|| rim::word(&scope)).transpose()?)
        .bind(at)
        .bind(id)
        .fetch_optional(db)
        .await?;
    row.ok_or_else(|| missing("open approval", id))?.parse()
}

fn missing(what: &'static str, id: &str) -> StoreError {
    StoreError::NotFound { what, key: id.to_owned() }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    session: String,
    turn: String,
    batch: Option<String>,
    tool: String,
    arguments: String,
    pinned: String,
    reason: String,
    state: String,
    scope: Option<String>,
    asked_at: i64,
    expires_at: i64,
    decided_at: Option<i64>,
}

impl Row {
    fn parse(self) -> Result<ApprovalRow> {
        Ok(ApprovalRow {
            id: self.id,
            state: rim::parse_word("approvals", self.state)?,
            scope: self.scope.map(|scope| rim::parse_word("approvals", scope)).transpose()?,
            tool: self.tool,
            arguments: rim::parse_json("approvals", &self.arguments)?,
            pinned: rim::parse_json("approvals", &self.pinned)?,
            reason: self.reason,
            session: crate::sessions::parse_key(self.session)?,
            turn: TurnId(self.turn),
            batch: self.batch,
            asked_at: self.asked_at,
            expires_at: self.expires_at,
            decided_at: self.decided_at,
        })
    }
}
