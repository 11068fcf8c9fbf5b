//! Compactions: where early messages left the window, what stands for them, and the way back to them.
//!
//! Invariant: a compaction never changes a message. One whose last message a rewind left behind does not count.

use crate::messages::MessageRow;
use crate::{Result, Store, StoreError, rim};
use hearth_protocol::{Message, MessageId, SessionKey, TurnId};
use sqlx::SqliteConnection;

/// A compaction to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCompaction<'a> {
    /// Its session.
    pub session: &'a SessionKey,
    /// The turn during which it was made.
    pub turn: Option<&'a TurnId>,
    /// The last message that the summary stands for.
    pub through: &'a MessageId,
    /// The strategy's name.
    pub strategy: &'a str,
    /// A model wrote the summary; else the host did.
    pub by_model: bool,
    /// What stands for the messages.
    pub summary: &'a str,
    /// Tokens of the prompt before.
    pub from_tokens: u64,
    /// Tokens of the prompt after.
    pub to_tokens: u64,
    /// Unix seconds.
    pub at: i64,
}

/// A stored compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Its number.
    pub id: i64,
    /// The turn during which it was made.
    pub turn: Option<TurnId>,
    /// The last message that the summary stands for.
    pub through: MessageId,
    /// The strategy's name.
    pub strategy: String,
    /// A model wrote the summary; else the host did.
    pub by_model: bool,
    /// What stands for the messages.
    pub summary: String,
    /// Tokens of the prompt before.
    pub from_tokens: u64,
    /// Tokens of the prompt after.
    pub to_tokens: u64,
    /// Unix seconds.
    pub at: i64,
    /// Messages that left the window with it.
    pub messages: u64,
}

/// What a model may read of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Window {
    /// What stands for the messages before these.
    pub earlier: Option<Compaction>,
    /// The messages since, in order.
    pub messages: Vec<Message>,
}

impl Window {
    /// A compaction of these messages was stored: its summary stands for them from now on.
    pub fn compacted(&mut self, compaction: Compaction) {
        let last = self.messages.iter().position(|message| message.id == compaction.through);
        if let Some(last) = last {
            self.messages.drain(..=last);
        }
        self.earlier = Some(compaction);
    }
}

/// Valid compactions of a session with their places, oldest first.
const VALID: &str = "
    SELECT v.*, (SELECT count(*) FROM messages x WHERE x.session = ?1 AND x.replaced = 0
        AND x.position > v.since AND x.position <= v.until) AS messages
    FROM (SELECT c.id, c.turn, c.through, c.strategy, c.writer, c.summary, c.from_tokens, c.to_tokens,
            c.at, m.position AS until,
            lag(m.position, 1, 0) OVER (ORDER BY m.position, c.id) AS since
        FROM compactions c JOIN messages m ON m.id = c.through AND m.replaced = 0
        WHERE c.session = ?1) v
    ORDER BY v.until, v.id";

impl Store {
    /// Stores a compaction; returns its number.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] without its last message, or the database's.
    pub async fn compact(&self, new: &NewCompaction<'_>) -> Result<i64> {
        let mut tx = self.write().await?;
        let done = sqlx::query(
            "INSERT INTO compactions
                 (session, turn, through, strategy, writer, summary, from_tokens, to_tokens, at)
             SELECT m.session, ?2, m.id, ?4, ?5, ?6, ?7, ?8, ?9
             FROM messages m WHERE m.id = ?3 AND m.session = ?1 AND m.replaced = 0",
        )
        .bind(new.session.as_str())
        .bind(new.turn.map(TurnId::as_str))
        .bind(new.through.as_str())
        .bind(new.strategy)
        .bind(if new.by_model { "model" } else { "host" })
        .bind(new.summary)
        .bind(rim::signed(new.from_tokens))
        .bind(rim::signed(new.to_tokens))
        .bind(new.at)
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "message", key: new.through.to_string() });
        }
        tx.commit().await?;
        Ok(done.last_insert_rowid())
    }

    /// What a model may read of a conversation: the latest summary and the messages after it.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn window(&self, session: &SessionKey) -> Result<Window> {
        let mut db = self.snapshot().await?;
        let latest = valid(&mut db, session).await?.pop();
        let since = latest.as_ref().map_or(0, |row| row.until);
        let messages = between(&mut db, session, since, i64::MAX).await?;
        Ok(Window { earlier: latest.map(CompactionRow::parse), messages })
    }

    /// The compactions of a session, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn compactions(&self, session: &SessionKey) -> Result<Vec<Compaction>> {
        let mut db = self.snapshot().await?;
        let rows = valid(&mut db, session).await?;
        Ok(rows.into_iter().map(CompactionRow::parse).collect())
    }

    /// The messages that left the window with a compaction, as they were.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn originals(&self, session: &SessionKey, id: i64) -> Result<Vec<Message>> {
        let mut db = self.snapshot().await?;
        let found = valid(&mut db, session).await?.into_iter().find(|row| row.id == id);
        let missing = || StoreError::NotFound { what: "compaction", key: id.to_string() };
        let row = found.ok_or_else(missing)?;
        between(&mut db, session, row.since, row.until).await
    }

    /// Messages of the active paths that hold all of these words, whatever their case, the latest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn find_messages(
        &self,
        session: Option<&SessionKey>,
        words: &[String],
        most: u32,
    ) -> Result<Vec<(SessionKey, Message)>> {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let rows: Vec<FoundRow> = sqlx::query_as(
            "SELECT session, id, turn, role, parts, at FROM messages
             WHERE replaced = 0 AND (?1 IS NULL OR session = ?1)
                 AND NOT EXISTS (SELECT 1 FROM json_each(?2) w WHERE instr(lower(parts), w.value) = 0)
             ORDER BY at DESC, position DESC LIMIT ?3",
        )
        .bind(session.map(SessionKey::as_str))
        .bind(rim::json(&words)?)
        .bind(most)
        .fetch_all(self.read())
        .await?;
        let parse =
            |row: FoundRow| Ok((crate::sessions::parse_key(row.session)?, row.message.parse()?));
        rows.into_iter().map(parse).collect()
    }
}

/// Copies the compactions before a place along with their messages, which keep their positions.
pub(crate) async fn copy(
    db: &mut SqliteConnection,
    from: &SessionKey,
    to: &SessionKey,
    before: i64,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO compactions
             (session, through, strategy, writer, summary, from_tokens, to_tokens, at)
         SELECT ?2, n.id, c.strategy, c.writer, c.summary, c.from_tokens, c.to_tokens, c.at
         FROM compactions c JOIN messages o ON o.id = c.through AND o.replaced = 0
             JOIN messages n ON n.session = ?2 AND n.position = o.position
         WHERE c.session = ?1 AND o.position < ?3 GROUP BY c.id ORDER BY c.id",
    )
    .bind(from.as_str())
    .bind(to.as_str())
    .bind(before)
    .execute(db)
    .await?;
    Ok(())
}

async fn valid(db: &mut SqliteConnection, session: &SessionKey) -> Result<Vec<CompactionRow>> {
    Ok(sqlx::query_as(VALID).bind(session.as_str()).fetch_all(db).await?)
}

async fn between(
    db: &mut SqliteConnection,
    session: &SessionKey,
    since: i64,
    until: i64,
) -> Result<Vec<Message>> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT id, turn, role, parts, at FROM messages
         WHERE session = ? AND replaced = 0 AND position > ? AND position <= ? ORDER BY position",
    )
    .bind(session.as_str())
    .bind(since)
    .bind(until)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(MessageRow::parse).collect()
}

#[derive(sqlx::FromRow)]
struct CompactionRow {
    id: i64,
    turn: Option<String>,
    through: String,
    strategy: String,
    writer: String,
    summary: String,
    from_tokens: i64,
    to_tokens: i64,
    at: i64,
    until: i64,
    since: i64,
    messages: i64,
}

impl CompactionRow {
    fn parse(self) -> Compaction {
        Compaction {
            id: self.id,
            turn: self.turn.map(TurnId),
            through: MessageId(self.through),
            strategy: self.strategy,
            by_model: self.writer == "model",
            summary: self.summary,
            from_tokens: rim::unsigned(self.from_tokens),
            to_tokens: rim::unsigned(self.to_tokens),
            at: self.at,
            messages: rim::unsigned(self.messages),
        }
    }
}

#[derive(sqlx::FromRow)]
struct FoundRow {
    session: String,
    #[sqlx(flatten)]
    message: MessageRow,
}
