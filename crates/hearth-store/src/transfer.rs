//! A session as JSON Lines, out and in again.
//!
//! First line: the session. Then its turns, messages, events and what was still held or streaming, each
//! kind in order, those left behind by a rewind too. Usage, manifests and versions of files stay home.
//!
//! Invariants: export and import give back the same session; an import is one transaction, so a bad line
//! imports nothing; ids are kept, except where the session comes in under another key: then turns and
//! messages get new ones. A session that was running comes in as interrupted.

use crate::turns::{self, Turn, TurnState};
use crate::{Result, Store, StoreError, events, messages, recovery, rim, sessions};
use hearth_protocol::{Event, Message, MessageId, SessionKey, TurnId};
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;
use std::collections::HashMap;
use std::io::BufRead;

/// Raised when a reader of the format before would misunderstand a file.
const FORMAT: u32 = 1;

/// What an import brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The session it made.
    pub session: SessionKey,
    /// Turns in it.
    pub turns: usize,
    /// Messages in it.
    pub messages: usize,
    /// Events in it.
    pub events: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Session(SessionLine),
    Turn(Turn),
    Message(MessageLine),
    Event(Event),
    Held(Message),
    Partial(PartialLine),
}

#[derive(Serialize, Deserialize, sqlx::FromRow)]
struct SessionLine {
    format: u32,
    #[sqlx(try_from = "String")]
    key: SessionKey,
    title: String,
    named: bool,
    pinned: bool,
    archived: bool,
    model: Option<String>,
    created_at: i64,
    updated_at: i64,
}

#[derive(Serialize, Deserialize)]
struct MessageLine {
    #[serde(flatten)]
    message: Message,
    #[serde(default)]
    replaced: bool,
}

#[derive(Serialize, Deserialize, sqlx::FromRow)]
struct PartialLine {
    turn: String,
    step: u32,
    text: String,
    reasoning: String,
}

impl Store {
    /// A session as JSON Lines, each ended by a line feed.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn export(&self, key: &SessionKey) -> Result<String> {
        let mut db = self.snapshot().await?;
        let mut lines = vec![Line::Session(session_line(&mut db, key).await?)];
        let turns = turns::all(&mut db, key).await?;
        lines.extend(turns.iter().cloned().map(Line::Turn));
        lines.extend(message_lines(&mut db, key).await?);
        for turn in &turns {
            let events = events::of_turn(&mut db, key, &turn.id).await?;
            lines.extend(events.into_iter().map(Line::Event));
            lines.extend(turns::held(&mut db, &turn.id).await?.into_iter().map(Line::Held));
            lines.extend(partial_line(&mut db, &turn.id).await?.map(Line::Partial));
        }
        let mut out = String::new();
        for line in &lines {
            out.push_str(&rim::json(line)?);
            out.push('\n');
        }
        Ok(out)
    }

    /// Makes a session of JSON Lines, under its own key or another one.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where the key is taken: nothing is mixed or overwritten;
    /// [`StoreError::Import`] with the line that cannot be used; or the database's.
    pub async fn import(
        &self,
        lines: impl BufRead,
        as_key: Option<&SessionKey>,
        at: i64,
    ) -> Result<Imported> {
        let mut lines = read(lines)?.into_iter();
        let Some((_, Line::Session(head))) = lines.next() else {
            return Err(bad(1, "the first line must be the session"));
        };
        let key = as_key.unwrap_or(&head.key).clone();
        let mut tx = self.write().await?;
        insert_session(&mut tx, &key, &head).await?;
        let mut import = Import::new(&mut tx, key, as_key.is_some());
        for (number, line) in lines {
            import.line(number, line).await?;
        }
        let imported = import.end(at).await?;
        tx.commit().await?;
        Ok(imported)
    }
}

fn read(lines: impl BufRead) -> Result<Vec<(usize, Line)>> {
    let mut out = Vec::new();
    for (number, line) in (1..).zip(lines.split(b'\n')) {
        let line = line.map_err(|error| bad(number, error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_slice(&line).map_err(|error| bad(number, error))?;
        match &parsed {
            Line::Session(head) if head.format > FORMAT => {
                return Err(bad(number, format!("format {} is of a newer Hearth", head.format)));
            }
            Line::Session(_) if !out.is_empty() => {
                return Err(bad(number, "a second session; one file holds one"));
            }
            _ => out.push((number, parsed)),
        }
    }
    Ok(out)
}

fn bad(line: usize, why: impl std::fmt::Display) -> StoreError {
    StoreError::Import { line, why: why.to_string() }
}

async fn session_line(db: &mut SqliteConnection, key: &SessionKey) -> Result<SessionLine> {
    let row: Option<SessionLine> = sqlx::query_as(
        "SELECT ?2 AS format, key, title, named, pinned, archived, model, created_at, updated_at
         FROM sessions WHERE key = ?1",
    )
    .bind(key.as_str())
    .bind(FORMAT)
    .fetch_optional(db)
    .await?;
    row.ok_or_else(|| sessions::missing(key))
}

async fn message_lines(db: &mut SqliteConnection, key: &SessionKey) -> Result<Vec<Line>> {
    let rows: Vec<MarkedRow> = sqlx::query_as(
        "SELECT id, turn, role, parts, at, replaced FROM messages WHERE session = ? ORDER BY position",
    )
    .bind(key.as_str())
    .fetch_all(db)
    .await?;
    let line = |row: MarkedRow| {
        let (replaced, message) = (row.replaced, row.message.parse()?);
        Ok(Line::Message(MessageLine { message, replaced }))
    };
    rows.into_iter().map(line).collect()
}

#[derive(sqlx::FromRow)]
struct MarkedRow {
    replaced: bool,
    #[sqlx(flatten)]
    message: messages::MessageRow,
}

async fn partial_line(db: &mut SqliteConnection, turn: &TurnId) -> Result<Option<PartialLine>> {
    let row = sqlx::query_as("SELECT turn, step, text, reasoning FROM partials WHERE turn = ?");
    Ok(row.bind(turn.as_str()).fetch_optional(db).await?)
}

async fn insert_session(
    db: &mut SqliteConnection,
    key: &SessionKey,
    head: &SessionLine,
) -> Result<()> {
    let done = sqlx::query(
        "INSERT INTO sessions (key, title, named, pinned, archived, model, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(key.as_str())
    .bind(&head.title)
    .bind(head.named)
    .bind(head.pinned)
    .bind(head.archived)
    .bind(&head.model)
    .bind(head.created_at)
    .bind(head.updated_at)
    .execute(db)
    .await?;
    match done.rows_affected() {
        0 => Err(StoreError::Exists { what: "session", key: key.to_string() }),
        _ => Ok(()),
    }
}

/// An import under way.
struct Import<'a> {
    db: &'a mut SqliteConnection,
    key: SessionKey,
    /// New ids, since the old ones may be in use under the old key.
    renamed: bool,
    /// Turns so far: id in the file, id here.
    turns: HashMap<TurnId, TurnId>,
    /// Turns that were not over.
    open: Vec<TurnId>,
    messages: i64,
    events: usize,
}

impl<'a> Import<'a> {
    fn new(db: &'a mut SqliteConnection, key: SessionKey, renamed: bool) -> Self {
        let turns = HashMap::new();
        Self { db, key, renamed, turns, open: Vec::new(), messages: 0, events: 0 }
    }

    async fn line(&mut self, number: usize, line: Line) -> Result<()> {
        let outcome = match line {
            Line::Session(_) => Err(bad(number, "a second session; one file holds one")),
            Line::Turn(turn) => self.turn(turn).await,
            Line::Message(line) => self.message(number, line).await,
            Line::Event(event) => self.event(number, event).await,
            Line::Held(message) => self.held(number, message).await,
            Line::Partial(partial) => self.partial(number, partial).await,
        };
        outcome.map_err(|error| match error {
            StoreError::Database(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                bad(number, "its id or number is in use already")
            }
            other => other,
        })
    }

    async fn turn(&mut self, turn: Turn) -> Result<()> {
        let id = if self.renamed { TurnId::new() } else { turn.id.clone() };
        let open = matches!(turn.state, TurnState::Queued | TurnState::Running);
        sqlx::query(
            "INSERT INTO turns (id, session, position, origin, state, stop, model, steps, queued_at,
                 started_at, ended_at, replaced) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(id.as_str())
        .bind(self.key.as_str())
        .bind(rim::signed(self.turns.len() as u64 + 1))
        .bind(rim::word(&turn.origin)?)
        .bind(rim::word(&turn.state)?)
        .bind(turn.stop.map(|stop| rim::word(&stop)).transpose()?)
        .bind(turn.model)
        .bind(turn.steps)
        .bind(turn.queued_at)
        .bind(turn.started_at)
        .bind(turn.ended_at)
        .bind(turn.replaced)
        .execute(&mut *self.db)
        .await?;
        if open {
            self.open.push(id.clone());
        }
        self.turns.insert(turn.id, id);
        Ok(())
    }

    async fn message(&mut self, number: usize, line: MessageLine) -> Result<()> {
        let message = self.moved(number, line.message)?;
        self.messages += 1;
        messages::insert(self.db, &self.key, self.messages, &message).await?;
        if line.replaced {
            sqlx::query("UPDATE messages SET replaced = 1 WHERE id = ?")
                .bind(message.id.as_str())
                .execute(&mut *self.db)
                .await?;
        }
        Ok(())
    }

    async fn event(&mut self, number: usize, event: Event) -> Result<()> {
        let turn = self.here(number, &event.turn)?;
        self.events += 1;
        let session = self.key.clone();
        events::insert(self.db, &Event { turn, session, ..event }).await
    }

    async fn held(&mut self, number: usize, message: Message) -> Result<()> {
        let message = self.moved(number, message)?;
        let without = || bad(number, "a held message belongs to a turn");
        let turn = message.turn.clone().ok_or_else(without)?;
        turns::hold(self.db, &turn, &message).await
    }

    async fn partial(&mut self, number: usize, partial: PartialLine) -> Result<()> {
        let turn = self.here(number, &TurnId(partial.turn))?;
        sqlx::query("INSERT INTO partials (turn, step, text, reasoning) VALUES (?, ?, ?, ?)")
            .bind(turn.as_str())
            .bind(partial.step)
            .bind(partial.text)
            .bind(partial.reasoning)
            .execute(&mut *self.db)
            .await?;
        Ok(())
    }

    /// The message under its ids here.
    fn moved(&self, number: usize, mut message: Message) -> Result<Message> {
        if self.renamed {
            message.id = MessageId::new();
        }
        message.turn = message.turn.map(|turn| self.here(number, &turn)).transpose()?;
        Ok(message)
    }

    fn here(&self, number: usize, turn: &TurnId) -> Result<TurnId> {
        let unknown = || bad(number, format!("its turn {turn} is not in the lines before"));
        self.turns.get(turn).cloned().ok_or_else(unknown)
    }

    async fn end(self, at: i64) -> Result<Imported> {
        for turn in &self.open {
            recovery::heal(self.db, &self.key, turn, at).await?;
        }
        let count = "SELECT count(*) FROM messages WHERE session = ?";
        let messages: i64 =
            sqlx::query_scalar(count).bind(self.key.as_str()).fetch_one(&mut *self.db).await?;
        Ok(Imported {
            turns: self.turns.len(),
            messages: usize::try_from(messages).unwrap_or(0),
            events: self.events,
            session: self.key,
        })
    }
}
