//! Messages: appended in order, never changed. What a rewind leaves behind stays stored, off the path.

use crate::sessions::{missing, touch};
use crate::{Result, Store, StoreError, rim};
use hearth_protocol::{Message, MessageId, Role, SessionKey, TurnId};
use sqlx::SqliteConnection;

impl Store {
    /// Appends messages to a session, all or none. An assistant message replaces what was saved of its
    /// turn's stream.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] without the session, or the database's.
    pub async fn append(&self, session: &SessionKey, messages: &[Message]) -> Result<()> {
        let mut tx = self.write().await?;
        append(&mut tx, session, messages).await?;
        Ok(tx.commit().await?)
    }

    /// The messages of the active path, in order: what a model may read.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn messages(&self, session: &SessionKey) -> Result<Vec<Message>> {
        let mut connection = self.read().acquire().await?;
        active(&mut connection, session).await
    }

    /// A message and its session, on the active path or not.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn message(&self, id: &MessageId) -> Result<(SessionKey, Message)> {
        let mut connection = self.read().acquire().await?;
        let place = place(&mut connection, id).await?;
        Ok((place.session, place.message))
    }
}

pub(crate) async fn append(
    db: &mut SqliteConnection,
    session: &SessionKey,
    messages: &[Message],
) -> Result<()> {
    let mut position = next_position(db, session).await?;
    for message in messages {
        insert(db, session, position, message).await?;
        if let (Role::Assistant, Some(turn)) = (message.role, &message.turn) {
            sqlx::query("DELETE FROM partials WHERE turn = ?")
                .bind(turn.as_str())
                .execute(&mut *db)
                .await?;
        }
        position += 1;
    }
    let Some(latest) = messages.iter().map(|message| message.at).max() else { return Ok(()) };
    let first = messages.iter().find(|message| message.role == Role::User);
    touch(db, session, latest, first).await
}

/// The place after the session's last message.
async fn next_position(db: &mut SqliteConnection, session: &SessionKey) -> Result<i64> {
    let row: Option<i64> = sqlx::query_scalar(
        "SELECT coalesce((SELECT max(position) FROM messages WHERE session = ?1), 0) + 1
         FROM sessions WHERE key = ?1",
    )
    .bind(session.as_str())
    .fetch_optional(db)
    .await?;
    row.ok_or_else(|| missing(session))
}

pub(crate) async fn insert(
    db: &mut SqliteConnection,
    session: &SessionKey,
    position: i64,
    message: &Message,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO messages (id, session, turn, position, role, parts, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(message.id.as_str())
    .bind(session.as_str())
    .bind(message.turn.as_ref().map(TurnId::as_str))
    .bind(position)
    .bind(rim::word(&message.role)?)
    .bind(rim::json(&message.parts)?)
    .bind(message.at)
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn active(
    db: &mut SqliteConnection,
    session: &SessionKey,
) -> Result<Vec<Message>> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT id, turn, role, parts, at FROM messages
         WHERE session = ? AND replaced = 0 ORDER BY position",
    )
    .bind(session.as_str())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(MessageRow::parse).collect()
}

/// Where a message stands.
pub(crate) struct Place {
    pub(crate) session: SessionKey,
    pub(crate) position: i64,
    pub(crate) replaced: bool,
    pub(crate) message: Message,
}

pub(crate) async fn place(db: &mut SqliteConnection, id: &MessageId) -> Result<Place> {
    let row: Option<PlaceRow> = sqlx::query_as(
        "SELECT session, position, replaced, id, turn, role, parts, at FROM messages WHERE id = ?",
    )
    .bind(id.as_str())
    .fetch_optional(db)
    .await?;
    let row = row.ok_or_else(|| StoreError::NotFound { what: "message", key: id.to_string() })?;
    Ok(Place {
        session: crate::sessions::parse_key(row.session)?,
        position: row.position,
        replaced: row.replaced,
        message: row.message.parse()?,
    })
}

#[derive(sqlx::FromRow)]
struct PlaceRow {
    session: String,
    position: i64,
    replaced: bool,
    #[sqlx(flatten)]
    message: MessageRow,
}

#[derive(sqlx::FromRow)]
pub(crate) struct MessageRow {
    id: String,
    turn: Option<String>,
    role: String,
    parts: String,
    at: i64,
}

impl MessageRow {
    pub(crate) fn parse(self) -> Result<Message> {
        Ok(Message {
            id: MessageId(self.id),
            role: rim::parse_word("messages", self.role)?,
            parts: rim::parse_json("messages", &self.parts)?,
            at: self.at,
            turn: self.turn.map(TurnId),
        })
    }
}
