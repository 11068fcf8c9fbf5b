//! The ledger of slots: one row a job and time, written before a run starts.
//!
//! Invariants: a slot that was begun is never begun again; a stretch of missed slots is one row; what is due
//! and the job's cursor are written in one transaction, so a kill leaves a slot either not dealt with or in a
//! state; after a crash nothing is running any more.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::api::heartbeat::{SlotRow, SlotState};

/// Slots that did not run, together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedSlots {
    /// The first.
    pub from: i64,
    /// The last.
    pub to: i64,
    /// How many.
    pub count: u64,
    /// Why.
    pub why: String,
    /// The person is asked whether it shall run.
    pub asks: bool,
}

/// What became due of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSlots<'a> {
    /// The job.
    pub job: &'a str,
    /// Its name for people.
    pub name: &'a str,
    /// The slot to be run.
    pub run: Option<i64>,
    /// Why it runs, where that is not plain.
    pub why: &'a str,
    /// Those that are not.
    pub missed: Vec<MissedSlots>,
    /// Slots up to here are dealt with.
    pub cursor: i64,
}

impl Store {
    /// Writes what became due. True where the slot to be run is queued now; false where it ran before.
    ///
    /// # Errors
    /// The database's.
    pub async fn take_due(&self, due: &DueSlots<'_>) -> Result<bool> {
        let mut tx = self.write().await?;
        for missed in &due.missed {
            miss(&mut tx, due, missed).await?;
        }
        let mut queued = false;
        if let Some(slot) = due.run {
            queued = queue(&mut tx, due.job, due.name, slot, due.why).await?;
        }
        sqlx::query(
            "UPDATE jobs SET cursor = ?1,
                 retry_at = CASE WHEN retry_at <= ?1 THEN NULL ELSE retry_at END WHERE id = ?2",
        )
        .bind(due.cursor)
        .bind(due.job)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(queued)
    }

    /// Queues a slot by hand, or one that was missed; false where it ran before.
    ///
    /// # Errors
    /// The database's.
    pub async fn queue_slot(&self, job: &str, name: &str, slot: i64, why: &str) -> Result<bool> {
        let mut tx = self.write().await?;
        let queued = queue(&mut tx, job, name, slot, why).await?;
        tx.commit().await?;
        Ok(queued)
    }

    /// A queued slot begins; false where it is not queued any more.
    ///
    /// # Errors
    /// The database's.
    pub async fn begin_slot(&self, job: &str, slot: i64, at: i64) -> Result<bool> {
        let mut tx = self.write().await?;
        let done = sqlx::query(
            "UPDATE slots SET state = 'running', started_at = ? WHERE job = ? AND slot = ? AND state = 'queued'",
        )
        .bind(at)
        .bind(job)
        .bind(slot)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// A slot that is queued or running ends.
    ///
    /// # Errors
    /// The database's.
    pub async fn end_slot(
        &self,
        job: &str,
        slot: i64,
        state: SlotState,
        why: &str,
        at: i64,
    ) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "UPDATE slots SET state = ?, why = ?, ended_at = ?
             WHERE job = ? AND slot = ? AND state IN ('queued', 'running')",
        )
        .bind(rim::word(&state)?)
        .bind(why)
        .bind(at)
        .bind(job)
        .bind(slot)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// After a crash: what ran is interrupted. Returns what was only queued: it never began.
    ///
    /// # Errors
    /// The database's.
    pub async fn recover_slots(&self, why: &str, at: i64) -> Result<Vec<SlotRow>> {
        let mut tx = self.write().await?;
        sqlx::query(
            "UPDATE slots SET state = 'interrupted', why = ?, ended_at = ? WHERE state = 'running'",
        )
        .bind(why)
        .bind(at)
        .execute(&mut *tx)
        .await?;
        let sql = format!("SELECT {COLUMNS} FROM slots WHERE state = 'queued' ORDER BY slot");
        let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// The latest slots, of one job or of all.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn slots(&self, job: Option<&str>, limit: u32) -> Result<Vec<SlotRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM slots WHERE ?1 IS NULL OR job = ?1 ORDER BY slot DESC, job LIMIT ?2"
        );
        let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(job)
            .bind(limit)
            .fetch_all(self.read())
            .await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// One slot.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn slot(&self, job: &str, slot: i64) -> Result<SlotRow> {
        let sql = format!("SELECT {COLUMNS} FROM slots WHERE job = ? AND slot = ?");
        let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(job)
            .bind(slot)
            .fetch_optional(self.read())
            .await?;
        let missing = || StoreError::NotFound { what: "slot", key: format!("{job} {slot}") };
        row.ok_or_else(missing)?.parse()
    }

    /// The person has said whether the missed slots of a job shall run.
    ///
    /// # Errors
    /// The database's.
    pub async fn answer_slots(&self, job: &str) -> Result<()> {
        let mut tx = self.write().await?;
        let done = sqlx::query("UPDATE slots SET asks = 0 WHERE job = ? AND asks = 1").bind(job);
        done.execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }

    /// Removes slots, beats and notices that are older; jobs and open slots stay.
    ///
    /// # Errors
    /// The database's.
    pub async fn prune_beats(&self, before: i64) -> Result<()> {
        let mut tx = self.write().await?;
        for sql in [
            "DELETE FROM slots WHERE coalesce(until, slot) < ? AND state NOT IN ('queued', 'running')",
            "DELETE FROM beats WHERE at < ?",
            "DELETE FROM notices WHERE at < ? AND state IN ('new', 'done') AND show_at IS NULL",
        ] {
            sqlx::query(sql).bind(before).execute(&mut *tx).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// Writes a stretch. Where its first slot has a row (a clock was put back), it begins a second later.
async fn miss(
    db: &mut sqlx::SqliteConnection,
    due: &DueSlots<'_>,
    missed: &MissedSlots,
) -> Result<()> {
    for from in missed.from..=missed.to {
        let done = sqlx::query(
            "INSERT INTO slots (job, slot, until, count, name, state, why, asks)
             VALUES (?, ?, ?, ?, ?, 'missed', ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(due.job)
        .bind(from)
        .bind((missed.to != from).then_some(missed.to))
        .bind(rim::signed(missed.count))
        .bind(due.name)
        .bind(&missed.why)
        .bind(missed.asks)
        .execute(&mut *db)
        .await?;
        if done.rows_affected() == 1 {
            break;
        }
    }
    Ok(())
}

/// A slot without a row, or one that was missed, is queued.
async fn queue(
    db: &mut sqlx::SqliteConnection,
    job: &str,
    name: &str,
    slot: i64,
    why: &str,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO slots (job, slot, count, name, state, why, asks) VALUES (?, ?, 1, ?, 'queued', ?, 0)
         ON CONFLICT (job, slot) DO UPDATE SET state = 'queued', why = excluded.why, asks = 0
             WHERE state = 'missed' AND until IS NULL",
    )
    .bind(job)
    .bind(slot)
    .bind(name)
    .bind(why)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

const COLUMNS: &str = "job, slot, until, count, name, state, why, asks, started_at, ended_at";

#[derive(sqlx::FromRow)]
struct Row {
    job: String,
    slot: i64,
    until: Option<i64>,
    count: i64,
    name: String,
    state: String,
    why: String,
    asks: bool,
    started_at: Option<i64>,
    ended_at: Option<i64>,
}

impl Row {
    fn parse(self) -> Result<SlotRow> {
        Ok(SlotRow {
            job: self.job,
            name: self.name,
            slot: self.slot,
            until: self.until,
            count: rim::unsigned(self.count),
            state: rim::parse_word("slots", self.state)?,
            why: self.why,
            asks: self.asks,
            started_at: self.started_at,
            ended_at: self.ended_at,
        })
    }
}
