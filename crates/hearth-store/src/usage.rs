//! What model calls used: one row a call. Sums for budgets, rows by day for people.

use crate::{Result, Store, rim};
use hearth_protocol::api::system::UsageRow;
use hearth_protocol::{SessionKey, TurnId, Usage};
use sqlx::SqliteConnection;

/// One call's usage, and where it belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageEntry {
    /// Unix seconds.
    pub at: i64,
    /// The person's local day, `YYYY-MM-DD`.
    pub day: String,
    /// The session, where there is one.
    pub session: Option<SessionKey>,
    /// The turn, where there is one.
    pub turn: Option<TurnId>,
    /// Tokens, money, model, purpose.
    pub usage: Usage,
}

/// Tokens (read and written) and money.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Tokens read and written.
    pub tokens: u64,
    /// US dollars.
    pub usd: f64,
}

impl Store {
    /// Books a call that had no reservation.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_usage(&self, entry: &UsageEntry) -> Result<()> {
        let mut tx = self.write().await?;
        insert(&mut tx, entry).await?;
        Ok(tx.commit().await?)
    }

    /// All that was used since a time (Unix seconds, inclusive).
    ///
    /// # Errors
    /// The database's.
    pub async fn spent_since(&self, since: i64) -> Result<Spent> {
        let mut connection = self.read().acquire().await?;
        spent_since(&mut connection, since).await
    }

    /// Rows by day, purpose and model, from a local day (`YYYY-MM-DD`, inclusive) on, latest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn usage_by_day(&self, from_day: &str) -> Result<Vec<UsageRow>> {
        let rows: Vec<DayRow> = sqlx::query_as(
            "SELECT day, purpose, model, count(*) AS calls, sum(input) AS input,
                 sum(cached) AS cached, sum(output) AS output, total(usd) AS usd
             FROM usage WHERE day >= ? GROUP BY day, purpose, model ORDER BY day DESC, purpose, model",
        )
        .bind(from_day)
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(DayRow::parse).collect()
    }
}

pub(crate) async fn insert(db: &mut SqliteConnection, entry: &UsageEntry) -> Result<()> {
    let usage = &entry.usage;
    sqlx::query(
        "INSERT INTO usage (at, day, session, turn, model, purpose, input, cached, output, usd)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(entry.at)
    .bind(&entry.day)
    .bind(entry.session.as_ref().map(SessionKey::as_str))
    .bind(entry.turn.as_ref().map(TurnId::as_str))
    .bind(&usage.model)
    .bind(rim::word(&usage.purpose)?)
    .bind(rim::signed(usage.input))
    .bind(rim::signed(usage.cached))
    .bind(rim::signed(usage.output))
    .bind(usage.usd)
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn spent_since(db: &mut SqliteConnection, since: i64) -> Result<Spent> {
    let (tokens, usd): (i64, f64) = sqlx::query_as(
        "SELECT coalesce(sum(input + output), 0), total(usd) FROM usage WHERE at >= ?",
    )
    .bind(since)
    .fetch_one(db)
    .await?;
    Ok(Spent { tokens: rim::unsigned(tokens), usd })
}

#[derive(sqlx::FromRow)]
struct DayRow {
    day: String,
    purpose: String,
    model: String,
    calls: i64,
    input: i64,
    cached: i64,
    output: i64,
    usd: f64,
}

impl DayRow {
    fn parse(self) -> Result<UsageRow> {
        Ok(UsageRow {
            day: self.day,
            purpose: rim::parse_word("usage", self.purpose)?,
            model: self.model,
            calls: rim::unsigned(self.calls),
            input: rim::unsigned(self.input),
            cached: rim::unsigned(self.cached),
            output: rim::unsigned(self.output),
            usd: self.usd,
        })
    }
}
