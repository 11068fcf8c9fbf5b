//! What happened to memory entries, what speaks against some, and how far conversations were flushed.
//!
//! Absent here: the entries, which stand in the workspace's files; forgetting (`crate::forgetting`).

use crate::{Result, Store, StoreError, rim, sessions};
use hearth_protocol::api::entries::{EntryChange, EntryEvent};
use hearth_protocol::{MessageId, SessionKey, TurnId};

/// What speaks against an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConflict {
    /// Its number.
    pub id: i64,
    /// The entry.
    pub entry: String,
    /// What would take its place, JSON of the caller.
    pub draft: String,
    /// Unix seconds.
    pub at: i64,
    /// Why it was not settled by itself.
    pub why: String,
}

/// An entry whose place another one took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    /// Its id.
    pub entry: String,
    /// What it said.
    pub text: String,
    /// What took its place.
    pub by: Option<String>,
    /// The turns it was told in.
    pub turns: Vec<TurnId>,
}

/// A conversation that was used after it was flushed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unflushed {
    /// Which.
    pub session: SessionKey,
    /// Its last message, Unix seconds.
    pub last_at: i64,
    /// Bytes of what is not flushed.
    pub bytes: u64,
}

impl Store {
    /// Notes what happened to entries.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_entry_events(&self, events: &[EntryEvent]) -> Result<()> {
        let mut tx = self.write().await?;
        for event in events {
            sqlx::query(
                "INSERT INTO entry_events
                     (entry, change, at, day, path, title, text, other, session, turn, author, why)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(&event.entry)
            .bind(rim::word(&event.change)?)
            .bind(event.at)
            .bind(&event.day)
            .bind(&event.path)
            .bind(&event.title)
            .bind(&event.text)
            .bind(&event.other)
            .bind(event.session.as_ref().map(SessionKey::as_str))
            .bind(event.turn.as_ref().map(TurnId::as_str))
            .bind(rim::word(&event.author)?)
            .bind(&event.why)
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// What happened to an entry, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn entry_history(&self, entry: &str) -> Result<Vec<EntryEvent>> {
        let rows: Vec<EventRow> =
            sqlx::query_as("SELECT * FROM entry_events WHERE entry = ? ORDER BY id")
                .bind(entry)
                .fetch_all(self.read())
                .await?;
        rows.into_iter().map(EventRow::parse).collect()
    }

    /// The latest things that happened to any entry up to a day, newest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn entry_timeline(&self, until: Option<&str>, most: u32) -> Result<Vec<EntryEvent>> {
        let rows: Vec<EventRow> = sqlx::query_as(
            "SELECT * FROM entry_events WHERE ?1 IS NULL OR day <= ?1 ORDER BY day DESC, id DESC LIMIT ?2",
        )
        .bind(until)
        .bind(most)
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(EventRow::parse).collect()
    }

    /// Notes that entries were recalled; one that was recalled on that day already is left as it is.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_recalled(&self, events: Vec<EntryEvent>) -> Result<()> {
        let recalled = rim::word(&EntryChange::Recalled)?;
        let mut new = Vec::with_capacity(events.len());
        for event in events {
            let known: Option<i64> = sqlx::query_scalar(
                "SELECT id FROM entry_events WHERE entry = ? AND day = ? AND change = ? LIMIT 1",
            )
            .bind(&event.entry)
            .bind(&event.day)
            .bind(&recalled)
            .fetch_optional(self.read())
            .await?;
            if known.is_none() {
                new.push(event);
            }
        }
        match new.is_empty() {
            true => Ok(()),
            false => self.add_entry_events(&new).await,
        }
    }

    /// What was superseded, the latest first: its id, its words then, what took its place, and the turns it came
    /// from. What was forgotten since has no words and is left out.
    ///
    /// # Errors
    /// The database's.
    pub async fn superseded(&self, most: u32) -> Result<Vec<Superseded>> {
        let rows: Vec<(String, String, Option<String>, Option<String>)> = sqlx::query_as(
            "SELECT entry, text, other,
                    (SELECT group_concat(told.turn) FROM entry_events told
                      WHERE told.entry = entry_events.entry AND told.change IN (?1, ?2))
               FROM entry_events WHERE change = ?3 AND text <> '' ORDER BY id DESC LIMIT ?4",
        )
        .bind(rim::word(&EntryChange::Created)?)
        .bind(rim::word(&EntryChange::Strengthened)?)
        .bind(rim::word(&EntryChange::Superseded)?)
        .bind(most)
        .fetch_all(self.read())
        .await?;
        let one = |(entry, text, by, turns): (_, _, _, Option<String>)| Superseded {
            entry,
            text,
            by,
            turns: turns
                .unwrap_or_default()
                .split(',')
                .filter(|turn| !turn.is_empty())
                .map(|turn| TurnId(turn.to_owned()))
                .collect(),
        };
        Ok(rows.into_iter().map(one).collect())
    }

    /// Keeps what speaks against an entry, unless it is kept already; returns its number.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_conflict(&self, entry: &str, draft: &str, at: i64, why: &str) -> Result<i64> {
        let mut tx = self.write().await?;
        let known: Option<i64> =
            sqlx::query_scalar("SELECT id FROM entry_conflicts WHERE entry = ? AND draft = ?")
                .bind(entry)
                .bind(draft)
                .fetch_optional(&mut *tx)
                .await?;
        if let Some(id) = known {
            return Ok(id);
        }
        let id = sqlx::query_scalar(
            "INSERT INTO entry_conflicts (entry, draft, at, why) VALUES (?, ?, ?, ?) RETURNING id",
        )
        .bind(entry)
        .bind(draft)
        .bind(at)
        .bind(why)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(id)
    }

    /// What is to be settled, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn conflicts(&self) -> Result<Vec<StoredConflict>> {
        let rows: Vec<(i64, String, String, i64, String)> =
            sqlx::query_as("SELECT id, entry, draft, at, why FROM entry_conflicts ORDER BY id")
                .fetch_all(self.read())
                .await?;
        let row = |(id, entry, draft, at, why)| StoredConflict { id, entry, draft, at, why };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Takes a conflict off the list.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn settle_conflict(&self, id: i64) -> Result<()> {
        let mut tx = self.write().await?;
        let done = sqlx::query("DELETE FROM entry_conflicts WHERE id = ?")
            .bind(id)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        match done.rows_affected() {
            0 => Err(StoreError::NotFound { what: "conflict", key: id.to_string() }),
            _ => Ok(()),
        }
    }

    /// The conversation of a turn.
    ///
    /// # Errors
    /// The database's.
    pub async fn session_of_turn(&self, turn: &TurnId) -> Result<Option<SessionKey>> {
        let key: Option<String> = sqlx::query_scalar("SELECT session FROM turns WHERE id = ?")
            .bind(turn.as_str())
            .fetch_optional(self.read())
            .await?;
        key.map(sessions::parse_key).transpose()
    }

    /// Up to which message a conversation was flushed.
    ///
    /// # Errors
    /// The database's.
    pub async fn flushed_to(&self, session: &SessionKey) -> Result<Option<MessageId>> {
        let id: Option<String> =
            sqlx::query_scalar("SELECT message FROM flushed WHERE session = ?")
                .bind(session.as_str())
                .fetch_optional(self.read())
                .await?;
        Ok(id.map(MessageId))
    }

    /// Notes up to which message a conversation was flushed.
    ///
    /// # Errors
    /// The database's.
    pub async fn set_flushed(&self, session: &SessionKey, to: &MessageId, at: i64) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO flushed (session, message, at) VALUES (?, ?, ?)
             ON CONFLICT (session) DO UPDATE SET message = excluded.message, at = excluded.at",
        )
        .bind(session.as_str())
        .bind(to.as_str())
        .bind(at)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Conversations with messages of the person that are not flushed, the longest silent first.
    ///
    /// # Errors
    /// The database's.
    pub async fn unflushed(&self) -> Result<Vec<Unflushed>> {
        let rows: Vec<(String, i64, i64)> = sqlx::query_as(
            "SELECT m.session, max(m.at) AS last, sum(octet_length(m.parts)) FROM messages m LEFT JOIN flushed f ON f.session = m.session
             WHERE m.replaced = 0
                 AND m.position > coalesce((SELECT position FROM messages p WHERE p.id = f.message), 0)
             GROUP BY m.session
             HAVING sum(m.role = 'user') > 0 ORDER BY last",
        )
        .fetch_all(self.read())
        .await?;
        let row = |(session, last_at, bytes): (String, i64, i64)| {
            let session = sessions::parse_key(session)?;
            Ok(Unflushed { session, last_at, bytes: u64::try_from(bytes).unwrap_or(0) })
        };
        rows.into_iter().map(row).collect()
    }
}

#[derive(sqlx::FromRow)]
pub(crate) struct EventRow {
    entry: String,
    change: String,
    at: i64,
    day: String,
    path: String,
    title: String,
    text: String,
    other: Option<String>,
    session: Option<String>,
    turn: Option<String>,
    author: String,
    why: String,
}

impl EventRow {
    fn parse(self) -> Result<EntryEvent> {
        Ok(EntryEvent {
            entry: self.entry,
            change: rim::parse_word::<EntryChange>("entry_events", self.change)?,
            at: self.at,
            day: self.day,
            path: self.path,
            title: self.title,
            text: self.text,
            other: self.other,
            session: self.session.map(sessions::parse_key).transpose()?,
            turn: self.turn.map(TurnId),
            author: rim::parse_word("entry_events", self.author)?,
            why: self.why,
        })
    }
}
