//! Taking a conversation up again from one of its user messages: in place, or as a branch.
//!
//! Invariants: nothing is deleted; what is left behind stays stored, off the active path; the change
//! and the new turn are one transaction, so a crash never leaves a shortened conversation.

use crate::messages::{Place, place};
use crate::turns::{NewTurn, queue};
use crate::{Result, Store, StoreError, compactions, sessions};
use hearth_protocol::{Message, MessageId, Role, SessionKey, TurnId};
use sqlx::SqliteConnection;

impl Store {
    /// Leaves a user message and all after it behind, and queues the turn that goes on from there.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Refused`] while a turn is open, or where the message is
    /// not the user's, of another session or left behind already; or the database's.
    pub async fn rewind(&self, from: &MessageId, turn: &NewTurn, message: &Message) -> Result<()> {
        let mut tx = self.write().await?;
        let place = user_message(&mut tx, from).await?;
        if place.session != turn.session {
            return Err(StoreError::Refused(format!("the message is not of {}", turn.session)));
        }
        sessions::refuse_running(&mut tx, &place.session).await?;
        leave_behind(&mut tx, &place).await?;
        queue(&mut tx, turn, Some(message)).await?;
        Ok(tx.commit().await?)
    }

    /// Copies what stands before a user message into the new session of `turn`, and queues the turn there.
    ///
    /// # Errors
    /// As [`Store::rewind`], and [`StoreError::Exists`] where the new session exists.
    pub async fn branch(&self, from: &MessageId, turn: &NewTurn, message: &Message) -> Result<()> {
        let mut tx = self.write().await?;
        let place = user_message(&mut tx, from).await?;
        copy_session(&mut tx, &place.session, turn).await?;
        copy_turns(&mut tx, &place, &turn.session).await?;
        copy_imported(&mut tx, &place, &turn.session).await?;
        compactions::copy(&mut tx, &place.session, &turn.session, place.position).await?;
        queue(&mut tx, turn, Some(message)).await?;
        Ok(tx.commit().await?)
    }
}

async fn user_message(db: &mut SqliteConnection, id: &MessageId) -> Result<Place> {
    let place = place(db, id).await?;
    if place.replaced || place.message.role != Role::User {
        let why = "only a user's message of the present conversation can be taken up again";
        return Err(StoreError::Refused(why.to_owned()));
    }
    Ok(place)
}

async fn leave_behind(db: &mut SqliteConnection, place: &Place) -> Result<()> {
    sqlx::query("UPDATE messages SET replaced = 1 WHERE session = ? AND position >= ?")
        .bind(place.session.as_str())
        .bind(place.position)
        .execute(&mut *db)
        .await?;
    // A turn that began before the message (which steered it) keeps its beginning and stays.
    sqlx::query(
        "UPDATE turns SET replaced = 1
         WHERE session = ?1 AND position >= coalesce((SELECT position FROM turns WHERE id = ?2), 0)
             AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn = turns.id AND m.replaced = 0)",
    )
    .bind(place.session.as_str())
    .bind(place.message.turn.as_ref().map(TurnId::as_str))
    .execute(db)
    .await?;
    Ok(())
}

async fn copy_session(db: &mut SqliteConnection, from: &SessionKey, turn: &NewTurn) -> Result<()> {
    let to = &turn.session;
    let done = sqlx::query(
        "INSERT INTO sessions (key, title, named, model, created_at, updated_at)
         SELECT ?1, title, named, model, ?2, ?2 FROM sessions WHERE key = ?3 ON CONFLICT DO NOTHING",
    )
    .bind(to.as_str())
    .bind(turn.at)
    .bind(from.as_str())
    .execute(db)
    .await?;
    match done.rows_affected() {
        0 => Err(StoreError::Exists { what: "session", key: to.to_string() }),
        _ => Ok(()),
    }
}

/// Copies the turns that have messages before the place, under new ids. Events come along where the
/// whole turn does.
async fn copy_turns(db: &mut SqliteConnection, place: &Place, to: &SessionKey) -> Result<()> {
    let turns: Vec<(String, bool)> = sqlx::query_as(
        "SELECT t.id, max(m.position) < ?2 FROM turns t JOIN messages m ON m.turn = t.id
         WHERE t.session = ?1 AND m.replaced = 0 GROUP BY t.id
         HAVING min(m.position) < ?2 ORDER BY t.position",
    )
    .bind(place.session.as_str())
    .bind(place.position)
    .fetch_all(&mut *db)
    .await?;
    for (old, whole) in turns {
        let new = TurnId::new();
        sqlx::query(
            "INSERT INTO turns (id, session, position, origin, state, stop, model, steps, queued_at, started_at, ended_at)
             SELECT ?1, ?2, position, origin, 'done', stop, model, steps, queued_at, started_at, ended_at
             FROM turns WHERE id = ?3",
        )
        .bind(new.as_str())
        .bind(to.as_str())
        .bind(&old)
        .execute(&mut *db)
        .await?;
        copy_messages(db, place, to, Some((&old, &new))).await?;
        if whole {
            sqlx::query(
                "INSERT INTO events (turn, seq, kind, at, body)
                 SELECT ?1, seq, kind, at, body FROM events WHERE turn = ?2",
            )
            .bind(new.as_str())
            .bind(&old)
            .execute(&mut *db)
            .await?;
        }
    }
    Ok(())
}

async fn copy_imported(db: &mut SqliteConnection, place: &Place, to: &SessionKey) -> Result<()> {
    copy_messages(db, place, to, None).await
}

async fn copy_messages(
    db: &mut SqliteConnection,
    place: &Place,
    to: &SessionKey,
    turn: Option<(&str, &TurnId)>,
) -> Result<()> {
    let ids: Vec<String> = sqlx::query_scalar(
        "SELECT id FROM messages
         WHERE session = ? AND position < ? AND replaced = 0 AND turn IS ? ORDER BY position",
    )
    .bind(place.session.as_str())
    .bind(place.position)
    .bind(turn.map(|(old, _)| old))
    .fetch_all(&mut *db)
    .await?;
    for id in ids {
        sqlx::query(
            "INSERT INTO messages (id, session, turn, position, role, parts, at)
             SELECT ?1, ?2, ?3, position, role, parts, at FROM messages WHERE id = ?4",
        )
        .bind(MessageId::new().as_str())
        .bind(to.as_str())
        .bind(turn.map(|(_, new)| new.as_str()))
        .bind(id)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}
