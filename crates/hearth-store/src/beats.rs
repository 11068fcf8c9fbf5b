//! The heartbeat's log: what each beat did, and why.

use crate::{Result, Store, rim};
use hearth_protocol::SessionKey;
use hearth_protocol::api::heartbeat::{BeatRow, LastRun};

const COLUMNS: &str =
    "id, at, slot, item, name, kind, decision, why, title, body, model_calls, tokens, usd, session";

impl Store {
    /// Adds a line; its `id` is given here.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_beat(&self, beat: &BeatRow) -> Result<i64> {
        let mut tx = self.write().await?;
        let id: i64 = sqlx::query_scalar(
            "INSERT INTO beats (at, slot, item, name, kind, decision, why, title, body, model_calls, tokens, usd,
                 session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(beat.at)
        .bind(beat.slot)
        .bind(&beat.item)
        .bind(&beat.name)
        .bind(rim::word(&beat.kind)?)
        .bind(rim::word(&beat.decision)?)
        .bind(&beat.why)
        .bind(&beat.title)
        .bind(&beat.body)
        .bind(beat.model_calls)
        .bind(rim::signed(beat.tokens))
        .bind(beat.usd)
        .bind(beat.session.as_ref().map(SessionKey::as_str))
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The latest lines, newest first.
    ///
    /// # Errors
    /// The database's, or [`crate::StoreError::Row`].
    pub async fn beats(&self, limit: u32) -> Result<Vec<BeatRow>> {
        let sql = format!("SELECT {COLUMNS} FROM beats ORDER BY id DESC LIMIT ?");
        let rows: Vec<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(limit).fetch_all(self.read()).await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// The last run of an item, and what it cost since a time.
    ///
    /// # Errors
    /// The database's.
    pub async fn last_beat(&self, item: &str, since: i64) -> Result<(Option<LastRun>, f64)> {
        let row: Option<(i64, String, String, f64)> = sqlx::query_as(
            "SELECT at, decision, why, usd FROM beats WHERE item = ? ORDER BY id DESC LIMIT 1",
        )
        .bind(item)
        .fetch_optional(self.read())
        .await?;
        let usd: f64 =
            sqlx::query_scalar("SELECT total(usd) FROM beats WHERE item = ? AND at >= ?")
                .bind(item)
                .bind(since)
                .fetch_one(self.read())
                .await?;
        let last = row.map(|(at, decision, why, usd)| {
            Ok::<_, crate::StoreError>(LastRun {
                at,
                decision: rim::parse_word("beats", decision)?,
                why,
                usd,
            })
        });
        Ok((last.transpose()?, usd))
    }

    /// What beats and jobs cost since a time.
    ///
    /// # Errors
    /// The database's.
    pub async fn beats_usd(&self, since: i64) -> Result<f64> {
        let usd = sqlx::query_scalar("SELECT total(usd) FROM beats WHERE at >= ?").bind(since);
        Ok(usd.fetch_one(self.read()).await?)
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    at: i64,
    slot: Option<i64>,
    item: String,
    name: String,
    kind: String,
    decision: String,
    why: String,
    title: String,
    body: String,
    model_calls: u32,
    tokens: i64,
    usd: f64,
    session: Option<String>,
}

impl Row {
    fn parse(self) -> Result<BeatRow> {
        Ok(BeatRow {
            id: self.id,
            at: self.at,
            slot: self.slot,
            item: self.item,
            name: self.name,
            kind: rim::parse_word("beats", self.kind)?,
            decision: rim::parse_word("beats", self.decision)?,
            why: self.why,
            title: self.title,
            body: self.body,
            model_calls: self.model_calls,
            tokens: rim::unsigned(self.tokens),
            usd: self.usd,
            session: self.session.map(crate::sessions::parse_key).transpose()?,
        })
    }
}
