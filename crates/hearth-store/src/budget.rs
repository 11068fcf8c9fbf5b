//! Spend limits that hold when calls run side by side: each call reserves what it may cost before it
//! is sent, and settles afterwards.
//!
//! Invariant: the check and the reservation are one transaction on the only writing connection, so what
//! is used plus what is reserved never passes a limit by more than the calls' own misestimates.

use crate::usage::{Spent, UsageEntry, insert, spent_since};
use crate::{Result, Store, StoreError, rim};
use hearth_protocol::{Purpose, SessionKey, TurnId};
use sqlx::SqliteConnection;

/// The limits in force. An absent one does not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// When the local day began, Unix seconds.
    pub day_start: i64,
    /// When the local month began, Unix seconds.
    pub month_start: i64,
    /// US dollars a day.
    pub daily_usd: Option<f64>,
    /// Tokens a day.
    pub daily_tokens: Option<u64>,
    /// US dollars a month.
    pub monthly_usd: Option<f64>,
    /// Tokens a month.
    pub monthly_tokens: Option<u64>,
}

/// What a call may cost at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Unix seconds.
    pub at: i64,
    /// The person's local day, `YYYY-MM-DD`.
    pub day: String,
    /// The session, where there is one.
    pub session: Option<SessionKey>,
    /// The turn, where there is one.
    pub turn: Option<TurnId>,
    /// `PROVIDER/MODEL`.
    pub model: String,
    /// What the call is for.
    pub purpose: Purpose,
    /// Tokens to read and write.
    pub tokens: u64,
    /// US dollars.
    pub usd: f64,
}

/// Names a reservation. It must be settled or released; [`Store::recover`] books those left by a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct ReservationId(i64);

/// The answer to a request for money.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Reservation {
    /// The call may be sent.
    Granted(ReservationId),
    /// It may not.
    Refused(Refusal),
}

/// The limit that stands in the way. Amounts are in US dollars or tokens, as the scope says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refusal {
    /// Which limit.
    pub scope: Scope,
    /// The limit.
    pub limit: f64,
    /// Used so far.
    pub used: f64,
    /// Reserved by calls that are running.
    pub reserved: f64,
}

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Scope {
    DailyUsd,
    DailyTokens,
    MonthlyUsd,
    MonthlyTokens,
}

impl Store {
    /// Reserves what a call may cost, or says which limit forbids it.
    ///
    /// # Errors
    /// The database's.
    pub async fn reserve(&self, limits: &Limits, estimate: &Estimate) -> Result<Reservation> {
        let mut tx = self.write().await?;
        let day = spent_since(&mut tx, limits.day_start).await?;
        let month = spent_since(&mut tx, limits.month_start).await?;
        let reserved = reserved(&mut tx).await?;
        if let Some(refusal) = refusal(limits, day, month, reserved, estimate) {
            return Ok(Reservation::Refused(refusal));
        }
        let id: i64 = sqlx::query_scalar(
            "INSERT INTO reservations (at, day, session, turn, model, purpose, tokens, usd)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(estimate.at)
        .bind(&estimate.day)
        .bind(estimate.session.as_ref().map(SessionKey::as_str))
        .bind(estimate.turn.as_ref().map(TurnId::as_str))
        .bind(&estimate.model)
        .bind(rim::word(&estimate.purpose)?)
        .bind(rim::signed(estimate.tokens))
        .bind(estimate.usd)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Reservation::Granted(ReservationId(id)))
    }

    /// Which limit forbids a call now, if one does. Reserves nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn would_refuse(
        &self,
        limits: &Limits,
        estimate: &Estimate,
    ) -> Result<Option<Refusal>> {
        let mut db = self.snapshot().await?;
        let day = spent_since(&mut db, limits.day_start).await?;
        let month = spent_since(&mut db, limits.month_start).await?;
        let reserved = reserved(&mut db).await?;
        Ok(refusal(limits, day, month, reserved, estimate))
    }

    /// Replaces a reservation by what the call really used.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where it was settled already, or the database's.
    pub async fn settle(&self, id: ReservationId, entry: &UsageEntry) -> Result<()> {
        let mut tx = self.write().await?;
        remove(&mut tx, id).await?;
        insert(&mut tx, entry).await?;
        Ok(tx.commit().await?)
    }

    /// Gives back a reservation of a call that cost nothing.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where it was settled already, or the database's.
    pub async fn release(&self, id: ReservationId) -> Result<()> {
        let mut tx = self.write().await?;
        remove(&mut tx, id).await?;
        Ok(tx.commit().await?)
    }
}

/// The first limit that the call would pass.
fn refusal(
    limits: &Limits,
    day: Spent,
    month: Spent,
    reserved: Spent,
    wanted: &Estimate,
) -> Option<Refusal> {
    let count = |tokens: u64| tokens as f64;
    let checks = [
        (Scope::DailyUsd, limits.daily_usd, day.usd),
        (Scope::DailyTokens, limits.daily_tokens.map(count), count(day.tokens)),
        (Scope::MonthlyUsd, limits.monthly_usd, month.usd),
        (Scope::MonthlyTokens, limits.monthly_tokens.map(count), count(month.tokens)),
    ];
    checks.into_iter().find_map(|(scope, limit, used)| {
        let limit = limit?;
        let (reserved, wanted) = match scope {
            Scope::DailyUsd | Scope::MonthlyUsd => (reserved.usd, wanted.usd),
            Scope::DailyTokens | Scope::MonthlyTokens => {
                (count(reserved.tokens), count(wanted.tokens))
            }
        };
        // A call that costs nothing is never held back by money.
        let passes = wanted > 0.0 && used + reserved + wanted > limit;
        passes.then_some(Refusal { scope, limit, used, reserved })
    })
}

async fn reserved(db: &mut SqliteConnection) -> Result<Spent> {
    let (tokens, usd): (i64, f64) =
        sqlx::query_as("SELECT coalesce(sum(tokens), 0), total(usd) FROM reservations")
            .fetch_one(db)
            .await?;
    Ok(Spent { tokens: rim::unsigned(tokens), usd })
}

async fn remove(db: &mut SqliteConnection, id: ReservationId) -> Result<()> {
    let done = sqlx::query("DELETE FROM reservations WHERE id = ?").bind(id.0).execute(db).await?;
    match done.rows_affected() {
        0 => Err(StoreError::NotFound { what: "open reservation", key: id.0.to_string() }),
        _ => Ok(()),
    }
}
