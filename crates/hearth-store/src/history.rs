//! Conversations that were had elsewhere, brought in whole.
//!
//! Invariants: one transaction each, so a conversation is here whole or not at all; one that is here already is
//! not touched; it counts as written to memory, so no model is asked to read what was said years ago.

use crate::{Result, Store, messages, rim};
use hearth_protocol::{Message, Origin, SessionKey, StopReason, TurnId};
use sqlx::SqliteConnection;

/// A conversation from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Its key here; the same each time it is brought.
    pub key: SessionKey,
    /// Its title; empty: the beginning of the first message.
    pub title: String,
    /// It was put out of sight there.
    pub archived: bool,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// A model and the messages of each turn, in order.
    pub turns: Vec<(Option<String>, Vec<Message>)>,
    /// What it has read, as the guard writes it.
    pub taint: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brought {
    /// It is here now.
    Added,
    /// It was here, with so many messages less than it has now.
    There(u64),
}

impl History {
    fn messages(&self) -> u64 {
        self.turns.iter().map(|(_, messages)| messages.len() as u64).sum()
    }
}

impl Store {
    /// Brings a conversation in.
    ///
    /// # Errors
    /// The database's; nothing is written then.
    pub async fn bring_in(&self, history: &History, at: i64) -> Result<Brought> {
        let mut tx = self.write().await?;
        if let Some(there) = there(&mut tx, history).await? {
            return Ok(there);
        }
        session(&mut tx, history).await?;
        let mut position = 0;
        for (number, (model, messages)) in (1..).zip(&history.turns) {
            let id = turn(&mut tx, history, number, model.as_deref(), messages).await?;
            for message in messages {
                position += 1;
                let message = Message { turn: Some(id.clone()), ..message.clone() };
                messages::insert(&mut tx, &history.key, position, &message).await?;
            }
        }
        remembered(&mut tx, history, at).await?;
        tx.commit().await?;
        Ok(Brought::Added)
    }

    /// What [`Store::bring_in`] would do.
    ///
    /// # Errors
    /// The database's.
    pub async fn would_bring_in(&self, history: &History) -> Result<Brought> {
        let mut connection = self.read().acquire().await?;
        Ok(there(&mut connection, history).await?.unwrap_or(Brought::Added))
    }
}

async fn there(db: &mut SqliteConnection, history: &History) -> Result<Option<Brought>> {
    let held: Option<i64> = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM messages WHERE session = ?1) FROM sessions WHERE key = ?1",
    )
    .bind(history.key.as_str())
    .fetch_optional(db)
    .await?;
    Ok(held.map(|held| Brought::There(history.messages().saturating_sub(rim::unsigned(held)))))
}

async fn session(db: &mut SqliteConnection, history: &History) -> Result<()> {
    let first = history.turns.iter().flat_map(|(_, messages)| messages).next();
    let named = !history.title.is_empty();
    let title = match first {
        Some(first) if !named => crate::sessions::title_of(&first.joined_text()),
        _ => history.title.clone(),
    };
    sqlx::query(
        "INSERT INTO sessions (key, title, named, archived, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(history.key.as_str())
    .bind(title)
    .bind(named)
    .bind(history.archived)
    .bind(history.created_at)
    .bind(history.updated_at)
    .execute(db)
    .await?;
    Ok(())
}

async fn turn(
    db: &mut SqliteConnection,
    history: &History,
    position: i64,
    model: Option<&str>,
    messages: &[Message],
) -> Result<TurnId> {
    let id = TurnId::new();
    let times = || messages.iter().map(|message| message.at);
    let began = times().min().unwrap_or(history.created_at);
    let steps = messages.iter().filter(|one| one.role == hearth_protocol::Role::Assistant).count();
    sqlx::query(
        "INSERT INTO turns (id, session, position, origin, state, stop, model, steps, queued_at,
             started_at, ended_at) VALUES (?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?)",
    )
    .bind(id.as_str())
    .bind(history.key.as_str())
    .bind(position)
    .bind(rim::word(&Origin::Channel)?)
    .bind(rim::word(&StopReason::Finished)?)
    .bind(model)
    .bind(rim::signed(steps as u64))
    .bind(began)
    .bind(began)
    .bind(times().max().unwrap_or(began))
    .execute(db)
    .await?;
    Ok(id)
}

/// It was read by nobody here, but it is history: memory is made of what is said from now on.
async fn remembered(db: &mut SqliteConnection, history: &History, at: i64) -> Result<()> {
    let last = history.turns.iter().flat_map(|(_, messages)| messages).next_back();
    if let Some(last) = last {
        sqlx::query("INSERT INTO flushed (session, message, at) VALUES (?, ?, ?)")
            .bind(history.key.as_str())
            .bind(last.id.as_str())
            .bind(at)
            .execute(&mut *db)
            .await?;
    }
    sqlx::query("INSERT INTO taints (session, taint) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(history.key.as_str())
        .bind(&history.taint)
        .execute(db)
        .await?;
    Ok(())
}
