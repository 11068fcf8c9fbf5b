//! The inbox: everything that was said without being asked, shown or held back, and what the person said to it.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::MessageId;
use hearth_protocol::api::heartbeat::{NoticeChange, NoticeRow};
use sqlx::SqliteConnection;

/// A notice to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    /// The row as people see it.
    pub row: NoticeRow,
    /// When it is shown; none: it was, or never is.
    pub show_at: Option<i64>,
    /// It counts towards the day's limit.
    pub counts: bool,
}

const COLUMNS: &str =
    "id, title, body, reason, item, session, message, at, state, snoozed_until, shown_at, held";

impl Store {
    /// Keeps a notice.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_notice(&self, new: &NewNotice) -> Result<()> {
        let row = &new.row;
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO notices (id, title, body, reason, item, session, message, at, state, snoozed_until,
                 show_at, shown_at, counts, held) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&row.id)
        .bind(&row.title)
        .bind(&row.body)
        .bind(&row.reason)
        .bind(&row.item)
        .bind(row.session.as_str())
        .bind(row.message.as_ref().map(MessageId::as_str))
        .bind(row.at)
        .bind(rim::word(&row.state)?)
        .bind(row.snoozed_until)
        .bind(new.show_at)
        .bind(row.shown_at)
        .bind(new.counts)
        .bind(&row.held)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// The latest notices, newest first.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn notices(&self, limit: u32) -> Result<Vec<NoticeRow>> {
        let sql = format!("SELECT {COLUMNS} FROM notices ORDER BY at DESC, id DESC LIMIT ?");
        let rows: Vec<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(limit).fetch_all(self.read()).await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// Notices whose time to be shown has come, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn notices_to_show(&self, now: i64) -> Result<Vec<NoticeRow>> {
        let sql = format!("SELECT {COLUMNS} FROM notices WHERE show_at <= ? ORDER BY show_at, at");
        let rows: Vec<Row> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(now).fetch_all(self.read()).await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// When the next notice is to be shown.
    ///
    /// # Errors
    /// The database's.
    pub async fn next_notice(&self) -> Result<Option<i64>> {
        Ok(sqlx::query_scalar("SELECT min(show_at) FROM notices").fetch_one(self.read()).await?)
    }

    /// A notice was shown, or could not be: `held` says why.
    ///
    /// # Errors
    /// The database's.
    pub async fn notice_shown(&self, id: &str, shown_at: Option<i64>, held: &str) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "UPDATE notices SET show_at = NULL, shown_at = coalesce(?, shown_at), held = ?,
                 state = CASE state WHEN 'snoozed' THEN 'new' ELSE state END, snoozed_until = NULL
             WHERE id = ?",
        )
        .bind(shown_at)
        .bind(held)
        .bind(id)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Notes that a notice was not shown after all, and why.
    ///
    /// # Errors
    /// The database's.
    pub async fn notice_unshown(&self, id: &str, held: &str) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query("UPDATE notices SET shown_at = NULL, held = ? WHERE id = ?")
            .bind(held)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// What the person says to a notice; returns it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn change_notice(&self, id: &str, change: &NoticeChange) -> Result<NoticeRow> {
        let (state, until) = match change {
            NoticeChange::Snooze { until } => ("snoozed", Some(*until)),
            NoticeChange::Done => ("done", None),
            NoticeChange::Less => ("muted", None),
            NoticeChange::Reopen => ("new", None),
        };
        let mut tx = self.write().await?;
        let sql = format!(
            "UPDATE notices SET state = ?1, snoozed_until = ?2, show_at = ?2 WHERE id = ?3 RETURNING {COLUMNS}"
        );
        let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(state)
            .bind(until)
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
        let missing = || StoreError::NotFound { what: "notice", key: id.to_owned() };
        let row = row.ok_or_else(missing)?.parse()?;
        tx.commit().await?;
        Ok(row)
    }

    /// Texts that the person wants less of, newest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn unwanted(&self) -> Result<Vec<String>> {
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT title, body FROM notices WHERE state = 'muted' ORDER BY at DESC LIMIT 50",
        )
        .fetch_all(self.read())
        .await?;
        Ok(rows
            .into_iter()
            .map(|(title, body)| format!("{title} {body}").trim().to_owned())
            .collect())
    }

    /// How many that count were shown since a time.
    ///
    /// # Errors
    /// The database's.
    pub async fn shown_since(&self, since: i64) -> Result<u32> {
        let count =
            sqlx::query_scalar("SELECT count(*) FROM notices WHERE counts = 1 AND shown_at >= ?");
        Ok(count.bind(since).fetch_one(self.read()).await?)
    }

    /// When the same text was said last.
    ///
    /// # Errors
    /// The database's.
    pub async fn said_before(&self, title: &str, body: &str) -> Result<Option<i64>> {
        let at = sqlx::query_scalar("SELECT max(at) FROM notices WHERE title = ? AND body = ?");
        Ok(at.bind(title).bind(body).fetch_one(self.read()).await?)
    }

    /// Notices that nobody has said anything to.
    ///
    /// # Errors
    /// The database's.
    pub async fn notices_new(&self) -> Result<u32> {
        let count = sqlx::query_scalar("SELECT count(*) FROM notices WHERE state = 'new'");
        Ok(count.fetch_one(self.read()).await?)
    }
}

/// Masks what was said, and what the log of beats keeps of it. It is not put back: nobody reads it again.
pub(crate) async fn mask_said(
    db: &mut SqliteConnection,
    mask: crate::forgetting::Masked<'_>,
) -> Result<u64> {
    const TABLES: [(&str, &str); 2] = [
        (
            "SELECT rowid, title, body, reason FROM notices",
            "UPDATE notices SET title = ?, body = ?, reason = ? WHERE rowid = ?",
        ),
        (
            "SELECT rowid, title, body, why FROM beats",
            "UPDATE beats SET title = ?, body = ?, why = ? WHERE rowid = ?",
        ),
    ];
    let mut masked = 0;
    for (read, write) in TABLES {
        let rows: Vec<(i64, String, String, String)> =
            sqlx::query_as(read).fetch_all(&mut *db).await?;
        for (id, title, body, why) in rows {
            let texts = [title, body, why].map(|text| (mask(&text), text));
            if texts.iter().all(|(new, _)| new.is_none()) {
                continue;
            }
            let [title, body, why] = texts.map(|(new, old)| new.unwrap_or(old));
            let query = sqlx::query(write).bind(title).bind(body).bind(why).bind(id);
            query.execute(&mut *db).await?;
            masked += 1;
        }
    }
    Ok(masked)
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    title: String,
    body: String,
    reason: String,
    item: String,
    session: String,
    message: Option<String>,
    at: i64,
    state: String,
    snoozed_until: Option<i64>,
    shown_at: Option<i64>,
    held: String,
}

impl Row {
    fn parse(self) -> Result<NoticeRow> {
        Ok(NoticeRow {
            id: self.id,
            title: self.title,
            body: self.body,
            reason: self.reason,
            item: self.item,
            session: crate::sessions::parse_key(self.session)?,
            message: self.message.map(MessageId),
            at: self.at,
            state: rim::parse_word("notices", self.state)?,
            snoozed_until: self.snoozed_until,
            shown_at: self.shown_at,
            held: self.held,
        })
    }
}
