//! Turns: queued, running, done or interrupted; the messages held for them; the stream so far.
//!
//! Invariant: what a person sends is stored before anything else happens with it. The message of a
//! queued turn is *held* and takes its place in the session when the turn starts, so that it never
//! lands between the messages of the turn before it.

use crate::sessions::ensure;
use crate::{Result, Store, StoreError, messages, rim};
use hearth_protocol::{Message, Origin, SessionKey, StopReason, TurnId};
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// Waits in its lane.
    Queued,
    /// At work.
    Running,
    /// Ended by itself, by a limit or by the person.
    Done,
    /// The process ended first.
    Interrupted,
}

/// A turn to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// Its id.
    pub id: TurnId,
    /// Its session; made where absent.
    pub session: SessionKey,
    /// Who started it.
    pub origin: Origin,
    /// Unix seconds.
    pub at: i64,
}

/// A stored turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// Who started it.
    pub origin: Origin,
    /// Where it stands.
    pub state: TurnState,
    /// Why it ended.
    pub stop: Option<StopReason>,
    /// The model of its last step.
    pub model: Option<String>,
    /// Model calls made.
    pub steps: u32,
    /// Unix seconds.
    pub queued_at: i64,
    /// Unix seconds.
    pub started_at: Option<i64>,
    /// Unix seconds.
    pub ended_at: Option<i64>,
    /// Left behind by a rewind.
    pub replaced: bool,
}

/// What was shown of a reply that is still streaming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// Which model call of the turn, from 1.
    pub step: u32,
    /// Visible text.
    pub text: String,
    /// Thinking.
    pub reasoning: String,
}

impl Store {
    /// Stores a new turn with the message that starts it, held until [`Store::start_turn`].
    ///
    /// # Errors
    /// The database's.
    pub async fn queue_turn(&self, turn: &NewTurn, message: Option<&Message>) -> Result<()> {
        let mut tx = self.write().await?;
        queue(&mut tx, turn, message).await?;
        Ok(tx.commit().await?)
    }

    /// Holds a message for a queued or running turn, to be taken with [`Store::take_held`].
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such turn is open, or the database's.
    pub async fn hold(&self, turn: &TurnId, message: &Message) -> Result<()> {
        let mut tx = self.write().await?;
        session_of_open(&mut tx, turn).await?;
        hold(&mut tx, turn, message).await?;
        Ok(tx.commit().await?)
    }

    /// Sets a queued turn to work and moves its held messages into the session; returns them.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such turn is open, or the database's.
    pub async fn start_turn(&self, turn: &TurnId, at: i64) -> Result<Vec<Message>> {
        let mut tx = self.write().await?;
        let session = session_of_open(&mut tx, turn).await?;
        sqlx::query("UPDATE turns SET state = 'running', started_at = ? WHERE id = ?")
            .bind(at)
            .bind(turn.as_str())
            .execute(&mut *tx)
            .await?;
        let taken = take_held(&mut tx, &session, turn).await?;
        tx.commit().await?;
        Ok(taken)
    }

    /// Moves the messages held for a running turn into its session; returns them.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such turn is open, or the database's.
    pub async fn take_held(&self, turn: &TurnId) -> Result<Vec<Message>> {
        let mut tx = self.write().await?;
        let session = session_of_open(&mut tx, turn).await?;
        let taken = take_held(&mut tx, &session, turn).await?;
        tx.commit().await?;
        Ok(taken)
    }

    /// Saves the whole of what was shown so far of a streaming reply. After a crash it becomes the reply.
    /// A turn that is not open is left alone.
    ///
    /// # Errors
    /// The database's.
    pub async fn save_partial(&self, turn: &TurnId, partial: &Partial) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO partials (turn, step, text, reasoning)
             SELECT id, ?2, ?3, ?4 FROM turns WHERE id = ?1 AND state = 'running'
             ON CONFLICT (turn) DO UPDATE SET
                 step = excluded.step, text = excluded.text, reasoning = excluded.reasoning",
        )
        .bind(turn.as_str())
        .bind(partial.step)
        .bind(&partial.text)
        .bind(&partial.reasoning)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// What was saved of a turn's streaming reply.
    ///
    /// # Errors
    /// The database's.
    pub async fn partial(&self, turn: &TurnId) -> Result<Option<Partial>> {
        let mut connection = self.read().acquire().await?;
        partial(&mut connection, turn).await
    }

    /// Ends a turn. Its messages and events, the last one `done`, must be stored before.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where no such turn is open, or the database's.
    pub async fn finish_turn(
        &self,
        turn: &TurnId,
        stop: StopReason,
        steps: u32,
        model: Option<&str>,
        at: i64,
    ) -> Result<()> {
        let mut tx = self.write().await?;
        let session = session_of_open(&mut tx, turn).await?;
        // A message that came too late to be seen still belongs to the conversation.
        take_held(&mut tx, &session, turn).await?;
        close(&mut tx, turn, TurnState::Done, stop, steps, at).await?;
        sqlx::query("UPDATE turns SET model = ? WHERE id = ?")
            .bind(model)
            .bind(turn.as_str())
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Whether the turn before this one in its session was cut off by the end of the process.
    ///
    /// # Errors
    /// The database's.
    pub async fn follows_interrupted(&self, turn: &TurnId) -> Result<bool> {
        let state: Option<String> = sqlx::query_scalar(
            "SELECT b.state FROM turns t JOIN turns b ON b.session = t.session
                 AND b.position < t.position AND b.replaced = 0
             WHERE t.id = ? ORDER BY b.position DESC LIMIT 1",
        )
        .bind(turn.as_str())
        .fetch_optional(self.read())
        .await?;
        Ok(state.as_deref() == Some("interrupted"))
    }

    /// The turns of a session, in order, those left behind by a rewind too.
    ///
    /// # Errors
    /// The database's, or [`StoreError::Row`].
    pub async fn turns(&self, session: &SessionKey) -> Result<Vec<Turn>> {
        let mut connection = self.read().acquire().await?;
        all(&mut connection, session).await
    }
}

pub(crate) async fn queue(
    db: &mut SqliteConnection,
    turn: &NewTurn,
    message: Option<&Message>,
) -> Result<()> {
    ensure(db, &turn.session, turn.at).await?;
    sqlx::query(
        "INSERT INTO turns (id, session, position, origin, state, queued_at)
         SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, 'queued', ?4 FROM turns WHERE session = ?2",
    )
    .bind(turn.id.as_str())
    .bind(turn.session.as_str())
    .bind(rim::word(&turn.origin)?)
    .bind(turn.at)
    .execute(&mut *db)
    .await?;
    if let Some(message) = message {
        hold(db, &turn.id, message).await?;
    }
    crate::sessions::touch(db, &turn.session, turn.at, message).await
}

pub(crate) async fn hold(
    db: &mut SqliteConnection,
    turn: &TurnId,
    message: &Message,
) -> Result<()> {
    let message = Message { turn: Some(turn.clone()), ..message.clone() };
    sqlx::query("INSERT INTO held (turn, message) VALUES (?, ?)")
        .bind(turn.as_str())
        .bind(rim::json(&message)?)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn held(db: &mut SqliteConnection, turn: &TurnId) -> Result<Vec<Message>> {
    let rows: Vec<String> =
        sqlx::query_scalar("SELECT message FROM held WHERE turn = ? ORDER BY number")
            .bind(turn.as_str())
            .fetch_all(db)
            .await?;
    rows.iter().map(|row| rim::parse_json("held", row)).collect()
}

pub(crate) async fn take_held(
    db: &mut SqliteConnection,
    session: &SessionKey,
    turn: &TurnId,
) -> Result<Vec<Message>> {
    let taken = held(db, turn).await?;
    if taken.is_empty() {
        return Ok(taken);
    }
    messages::append(db, session, &taken).await?;
    sqlx::query("DELETE FROM held WHERE turn = ?").bind(turn.as_str()).execute(db).await?;
    Ok(taken)
}

pub(crate) async fn partial(db: &mut SqliteConnection, turn: &TurnId) -> Result<Option<Partial>> {
    let row: Option<(u32, String, String)> =
        sqlx::query_as("SELECT step, text, reasoning FROM partials WHERE turn = ?")
            .bind(turn.as_str())
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(step, text, reasoning)| Partial { step, text, reasoning }))
}

/// Writes how a turn ended.
pub(crate) async fn close(
    db: &mut SqliteConnection,
    turn: &TurnId,
    state: TurnState,
    stop: StopReason,
    steps: u32,
    at: i64,
) -> Result<()> {
    sqlx::query("UPDATE turns SET state = ?, stop = ?, steps = ?, ended_at = ? WHERE id = ?")
        .bind(rim::word(&state)?)
        .bind(rim::word(&stop)?)
        .bind(steps)
        .bind(at)
        .bind(turn.as_str())
        .execute(&mut *db)
        .await?;
    sqlx::query("DELETE FROM partials WHERE turn = ?").bind(turn.as_str()).execute(db).await?;
    Ok(())
}

async fn session_of_open(db: &mut SqliteConnection, turn: &TurnId) -> Result<SessionKey> {
    let session: Option<String> = sqlx::query_scalar(
        "SELECT session FROM turns WHERE id = ? AND state IN ('queued', 'running')",
    )
    .bind(turn.as_str())
    .fetch_optional(db)
    .await?;
    let missing = || StoreError::NotFound { what: "open turn", key: turn.to_string() };
    crate::sessions::parse_key(session.ok_or_else(missing)?)
}

pub(crate) async fn all(db: &mut SqliteConnection, session: &SessionKey) -> Result<Vec<Turn>> {
    let rows: Vec<TurnRow> = sqlx::query_as(
        "SELECT id, origin, state, stop, model, steps, queued_at, started_at, ended_at, replaced
         FROM turns WHERE session = ? ORDER BY position",
    )
    .bind(session.as_str())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(TurnRow::parse).collect()
}

#[derive(sqlx::FromRow)]
struct TurnRow {
    id: String,
    origin: String,
    state: String,
    stop: Option<String>,
    model: Option<String>,
    steps: u32,
    queued_at: i64,
    started_at: Option<i64>,
    ended_at: Option<i64>,
    replaced: bool,
}

impl TurnRow {
    fn parse(self) -> Result<Turn> {
        Ok(Turn {
            id: TurnId(self.id),
            origin: rim::parse_word("turns", self.origin)?,
            state: rim::parse_word("turns", self.state)?,
            stop: self.stop.map(|stop| rim::parse_word("turns", stop)).transpose()?,
            model: self.model,
            steps: self.steps,
            queued_at: self.queued_at,
            started_at: self.started_at,
            ended_at: self.ended_at,
            replaced: self.replaced,
        })
    }
}
