//! Jobs: what happens by itself, and where each of them stands.
//!
//! Absent here: when a schedule fires, and the slots (`slots`).

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::SessionKey;
use hearth_protocol::api::heartbeat::{ItemKind, JobAction, JobSource, JobState, MissedPolicy};

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub source: JobSource,
    /// Which form it has.
    pub kind: ItemKind,
    /// For people.
    pub name: String,
    /// As written.
    pub schedule: String,
    /// The zone of its clock.
    pub zone: String,
    /// What it does.
    pub action: JobAction,
    /// What it shows or asks for.
    pub text: String,
    /// What becomes of missed slots.
    pub missed: MissedPolicy,
    /// Whether it runs.
    pub state: JobState,
    /// Why it rests.
    pub why: String,
    /// Failures in a row.
    pub failures: u32,
    /// It failed, and is tried again then.
    pub retry_at: Option<i64>,
    /// Where `every` counts from.
    pub anchor: i64,
    /// Slots up to here are dealt with.
    pub cursor: i64,
    /// The conversation it was made in.
    pub session: Option<SessionKey>,
    /// When it was made.
    pub created_at: i64,
}

impl StoredJob {
    /// A job that begins now and has nothing behind it; what it does and when is to be filled in.
    #[must_use]
    pub fn new(id: impl Into<String>, source: JobSource, kind: ItemKind, now: i64) -> Self {
        Self {
            id: id.into(),
            source,
            kind,
            name: String::new(),
            schedule: String::new(),
            zone: "UTC".to_owned(),
            action: JobAction::default(),
            text: String::new(),
            missed: MissedPolicy::Skip,
            state: JobState::Active,
            why: String::new(),
            failures: 0,
            retry_at: None,
            anchor: now,
            cursor: now,
            session: None,
            created_at: now,
        }
    }
}

const COLUMNS: &str = "id, source, kind, name, schedule, zone, action, text, missed, state, why, failures, \
                       retry_at, anchor, cursor, session, created_at";

impl Store {
    /// All jobs, oldest first.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn jobs(&self) -> Result<Vec<StoredJob>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs ORDER BY created_at, id");
        let rows: Vec<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(self.read()).await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// One job.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn job(&self, id: &str) -> Result<StoredJob> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?");
        let row: Option<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(self.read()).await?;
        row.ok_or_else(|| missing(id))?.parse()
    }

    /// Stores a job, in the place of one with its id.
    ///
    /// # Errors
    /// The database's.
    pub async fn put_job(&self, job: &StoredJob) -> Result<()> {
        let mut tx = self.write().await?;
        let sql = format!(
            "INSERT OR REPLACE INTO jobs ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(&job.id)
            .bind(rim::word(&job.source)?)
            .bind(rim::word(&job.kind)?)
            .bind(&job.name)
            .bind(&job.schedule)
            .bind(&job.zone)
            .bind(rim::word(&job.action)?)
            .bind(&job.text)
            .bind(rim::word(&job.missed)?)
            .bind(rim::word(&job.state)?)
            .bind(&job.why)
            .bind(job.failures)
            .bind(job.retry_at)
            .bind(job.anchor)
            .bind(job.cursor)
            .bind(job.session.as_ref().map(SessionKey::as_str))
            .bind(job.created_at)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Removes a job; its slots stay as history.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn remove_job(&self, id: &str) -> Result<()> {
        let mut tx = self.write().await?;
        let done = sqlx::query("DELETE FROM jobs WHERE id = ?").bind(id).execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(missing(id));
        }
        Ok(tx.commit().await?)
    }

    /// Notes how a run of a job ended: failures in a row, when it is tried again, whether it rests for good.
    ///
    /// # Errors
    /// The database's.
    pub async fn set_job_health(
        &self,
        id: &str,
        (failures, retry_at): (u32, Option<i64>),
        (state, why): (JobState, &str),
    ) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query("UPDATE jobs SET failures = ?, retry_at = ?, state = ?, why = ? WHERE id = ?")
            .bind(failures)
            .bind(retry_at)
            .bind(rim::word(&state)?)
            .bind(why)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }
}

fn missing(id: &str) -> StoreError {
    StoreError::NotFound { what: "job", key: id.to_owned() }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    source: String,
    kind: String,
    name: String,
    schedule: String,
    zone: String,
    action: String,
    text: String,
    missed: String,
    state: String,
    why: String,
    failures: u32,
    retry_at: Option<i64>,
    anchor: i64,
    cursor: i64,
    session: Option<String>,
    created_at: i64,
}

impl Row {
    fn parse(self) -> Result<StoredJob> {
        Ok(StoredJob {
            id: self.id,
            source: rim::parse_word("jobs", self.source)?,
            kind: rim::parse_word("jobs", self.kind)?,
            name: self.name,
            schedule: self.schedule,
            zone: self.zone,
            action: rim::parse_word("jobs", self.action)?,
            text: self.text,
            missed: rim::parse_word("jobs", self.missed)?,
            state: rim::parse_word("jobs", self.state)?,
            why: self.why,
            failures: self.failures,
            retry_at: self.retry_at,
            anchor: self.anchor,
            cursor: self.cursor,
            session: self.session.map(crate::sessions::parse_key).transpose()?,
            created_at: self.created_at,
        })
    }
}
