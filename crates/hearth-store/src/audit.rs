//! The guard's ledger: the audit log (rows that are only added, and the head that names the last one) and
//! what each session has read.
//!
//! Invariants: a row and the new head are one transaction, on the disk when the call returns; the next row
//! is made from the head as it is at that moment. What rows mean and how they are hashed is the guard's.

use crate::{Result, Store};
use hearth_protocol::{SessionKey, TurnId};
use sqlx::SqliteConnection;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns; their meaning is the guard's")]
pub struct AuditRow {
    pub seq: i64,
    pub chain: i64,
    pub at: i64,
    pub kind: String,
    pub session: String,
    pub turn: String,
    pub body: String,
    pub prev: String,
    pub hash: String,
}

/// The end of the log.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AuditHead {
    /// Number of the last row.
    pub seq: i64,
    /// Its chain.
    pub chain: i64,
    /// Its hash.
    pub hash: String,
}

impl Store {
    /// Adds the row that `next` makes from the head. `next` is given the last number in use, too: rows
    /// may have been added by another hand.
    ///
    /// # Errors
    /// The database's; then nothing was added.
    pub async fn append_audit(
        &self,
        next: impl FnOnce(Option<AuditHead>, i64) -> AuditRow + Send,
    ) -> Result<()> {
        let mut connection = self.durable().await?;
        let added = append(&mut connection, next).await;
        self.done_durable(connection).await?;
        added
    }

    /// The head; none where nothing was ever added.
    ///
    /// # Errors
    /// The database's.
    pub async fn audit_head(&self) -> Result<Option<AuditHead>> {
        let mut connection = self.read().acquire().await?;
        head(&mut connection).await
    }

    /// Rows after a number, in order.
    ///
    /// # Errors
    /// The database's.
    pub async fn audit_after(&self, seq: i64, limit: u32) -> Result<Vec<AuditRow>> {
        let rows = sqlx::query_as(
            "SELECT seq, chain, at, kind, session, turn, body, prev, hash FROM audit
             WHERE seq > ? ORDER BY seq LIMIT ?",
        );
        Ok(rows.bind(seq).bind(limit).fetch_all(self.read()).await?)
    }

    /// What a session has read, as the guard wrote it.
    ///
    /// # Errors
    /// The database's.
    pub async fn taint(&self, session: &SessionKey) -> Result<Option<String>> {
        let taint = sqlx::query_scalar("SELECT taint FROM taints WHERE session = ?");
        Ok(taint.bind(session.as_str()).fetch_optional(self.read()).await?)
    }

    /// What the session of a turn has read, as it was stored last.
    ///
    /// # Errors
    /// The database's.
    pub async fn taint_of_turn(&self, turn: &TurnId) -> Result<Option<String>> {
        let taint = sqlx::query_scalar(
            "SELECT taints.taint FROM taints JOIN turns ON turns.session = taints.session WHERE turns.id = ?",
        );
        Ok(taint.bind(turn.as_str()).fetch_optional(self.read()).await?)
    }

    /// Sets what a session has read.
    ///
    /// # Errors
    /// The database's.
    pub async fn set_taint(&self, session: &SessionKey, taint: &str) -> Result<()> {
        let mut tx = self.write().await?;
        let set = sqlx::query(
            "INSERT INTO taints (session, taint) VALUES (?, ?)
             ON CONFLICT (session) DO UPDATE SET taint = excluded.taint",
        );
        set.bind(session.as_str()).bind(taint).execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }

    /// The last rows, in order.
    ///
    /// # Errors
    /// The database's.
    pub async fn audit_tail(&self, limit: u32) -> Result<Vec<AuditRow>> {
        let rows = sqlx::query_as(
            "SELECT * FROM (SELECT seq, chain, at, kind, session, turn, body, prev, hash FROM audit
             ORDER BY seq DESC LIMIT ?) ORDER BY seq",
        );
        Ok(rows.bind(limit).fetch_all(self.read()).await?)
    }
}

#[cfg(feature = "tamper")]
impl Store {
    /// Changes a row as another hand would, for tests.
    #[expect(clippy::expect_used, reason = "for tests only")]
    pub async fn tamper_with_audit(&self, seq: i64) {
        let mut tx = self.write().await.expect("begins");
        sqlx::query("DROP TRIGGER audit_is_not_changed").execute(&mut *tx).await.expect("drops");
        let change = sqlx::query("UPDATE audit SET body = '{}' WHERE seq = ?").bind(seq);
        change.execute(&mut *tx).await.expect("changes");
        tx.commit().await.expect("commits");
    }
}

async fn append(
    connection: &mut SqliteConnection,
    next: impl FnOnce(Option<AuditHead>, i64) -> AuditRow + Send,
) -> Result<()> {
    use sqlx::Connection;
    let mut tx = connection.begin_with("BEGIN IMMEDIATE").await?;
    let now = head(&mut tx).await?;
    let last: i64 =
        sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM audit").fetch_one(&mut *tx).await?;
    let last = now.as_ref().map_or(last, |head| head.seq.max(last));
    let row = next(now, last);
    sqlx::query(
        "INSERT INTO audit (seq, chain, at, kind, session, turn, body, prev, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(row.seq)
    .bind(row.chain)
    .bind(row.at)
    .bind(&row.kind)
    .bind(&row.session)
    .bind(&row.turn)
    .bind(&row.body)
    .bind(&row.prev)
    .bind(&row.hash)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "INSERT INTO audit_head (only, seq, chain, hash) VALUES (1, ?, ?, ?)
         ON CONFLICT (only) DO UPDATE SET seq = excluded.seq, chain = excluded.chain, hash = excluded.hash",
    )
    .bind(row.seq)
    .bind(row.chain)
    .bind(&row.hash)
    .execute(&mut *tx)
    .await?;
    Ok(tx.commit().await?)
}

async fn head(connection: &mut SqliteConnection) -> Result<Option<AuditHead>> {
    let head = sqlx::query_as("SELECT seq, chain, hash FROM audit_head WHERE only = 1");
    Ok(head.fetch_optional(connection).await?)
}
