//! Stored conversations.

use crate::{Engine, clock};
use hearth_protocol::api::chat::{
    CompactionRow, MessageRow, SessionChange, SessionInfo, Transcript,
};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, Event, Message, Part, Role, SessionKey, TurnId, WireError};
pub use hearth_store::Imported;
use hearth_store::{Compaction, StoreError};
use rand::Rng;

/// Messages that a search returns.
const MOST_FOUND: u32 = 50;

/// All of them, newest first.
///
/// # Errors
/// The database's.
pub async fn list(engine: &Engine) -> Result<Vec<SessionInfo>, WireError> {
    let mut rows = engine.inner.store.sessions().await?;
    for row in &mut rows {
        row.running |= engine.inner.live.is_busy(&row.key);
    }
    Ok(rows)
}

/// One, whole. One that was never used is empty.
///
/// # Errors
/// The database's.
pub async fn open(engine: &Engine, session: SessionKey) -> Result<Transcript, WireError> {
    if engine.inner.store.session(&session).await?.is_none() {
        let session = SessionInfo {
            key: session,
            title: String::new(),
            turns: 0,
            updated_at: clock::now(),
            pinned: false,
            archived: false,
            running: false,
            model: None,
        };
        return Ok(Transcript { session, turns: Vec::new() });
    }
    Ok(engine.inner.store.transcript(&session).await?)
}

/// A new one.
///
/// # Errors
/// `home_busy`, or the database's.
pub async fn create(engine: &Engine) -> Result<SessionInfo, WireError> {
    engine.inner.must_own()?;
    let key = new_key();
    engine.inner.store.ensure_session(&key, clock::now()).await?;
    engine.inner.bus.send(Signal::Sessions);
    find(engine, &key).await
}

/// Renames, pins, archives, or picks its model.
///
/// # Errors
/// `not_found`, `home_busy`, or the database's.
pub async fn change(
    engine: &Engine,
    session: SessionKey,
    change: SessionChange,
) -> Result<SessionInfo, WireError> {
    engine.inner.must_own()?;
    let before = engine.inner.store.session(&session).await?.and_then(|row| row.model);
    engine.inner.store.change_session(&session, &change).await?;
    // Another model may have a smaller window.
    let switched = change.model.is_some() && change.model != before;
    if change.archived == Some(true) || switched {
        engine.inner.flush_ended(&session);
    }
    engine.inner.bus.send(Signal::Sessions);
    find(engine, &session).await
}

/// Removes one for good.
///
/// # Errors
/// `not_found`; `invalid_request` while a turn runs in it.
pub async fn delete(engine: &Engine, session: SessionKey) -> Result<(), WireError> {
    engine.inner.must_own()?;
    engine.inner.store.delete_session(&session).await?;
    engine.inner.bus.send(Signal::Sessions);
    Ok(())
}

/// The messages of one, complete.
///
/// # Errors
/// `not_found`, or the database's.
pub async fn messages(engine: &Engine, session: SessionKey) -> Result<Vec<Message>, WireError> {
    find(engine, &session).await?;
    Ok(engine.inner.store.messages(&session).await?)
}

/// The messages of one as lists show them, with a row of the system behind the last message that a
/// compaction took out of the window.
///
/// # Errors
/// As [`messages`].
pub async fn rows(engine: &Engine, session: SessionKey) -> Result<Vec<MessageRow>, WireError> {
    let mut marks = engine.inner.store.compactions(&session).await?;
    let mut rows = Vec::new();
    for message in messages(engine, session).await? {
        let here = |mark: &mut Compaction| mark.through == message.id;
        let here: Vec<_> = marks.extract_if(.., here).collect();
        rows.push(row(message));
        rows.extend(here.into_iter().map(mark));
    }
    Ok(rows)
}

/// Where early messages of one left the window, oldest first.
///
/// # Errors
/// The database's.
pub async fn compactions(
    engine: &Engine,
    session: SessionKey,
) -> Result<Vec<CompactionRow>, WireError> {
    let rows = engine.inner.store.compactions(&session).await?;
    Ok(rows.into_iter().map(compaction_row).collect())
}

/// The messages that left the window with a compaction, as they were.
///
/// # Errors
/// `not_found`, or the database's.
pub async fn originals(
    engine: &Engine,
    session: SessionKey,
    compaction: u64,
) -> Result<Vec<Message>, WireError> {
    let id = i64::try_from(compaction).unwrap_or(i64::MAX);
    Ok(engine.inner.store.originals(&session, id).await?)
}

/// Messages that hold all the words of a text, in one conversation or in all, the latest first: what left a
/// window is found all the same.
///
/// # Errors
/// The database's.
pub async fn find_text(
    engine: &Engine,
    session: Option<SessionKey>,
    text: &str,
) -> Result<Vec<(SessionKey, Message)>, WireError> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    Ok(engine.inner.store.find_messages(session.as_ref(), &words, MOST_FOUND).await?)
}

/// The stored events of a turn.
///
/// # Errors
/// The database's.
pub async fn events(
    engine: &Engine,
    session: SessionKey,
    turn: TurnId,
) -> Result<Vec<Event>, WireError> {
    if engine.inner.access == crate::Access::Own {
        engine.inner.log.flush().await?;
    }
    Ok(engine.inner.store.events(&session, &turn).await?)
}

/// One as JSON Lines: itself, its turns, messages and events.
///
/// # Errors
/// `not_found`, or the database's.
pub async fn export(engine: &Engine, session: SessionKey) -> Result<String, WireError> {
    find(engine, &session).await?;
    if engine.inner.access == crate::Access::Own {
        engine.inner.log.flush().await?;
    }
    Ok(engine.inner.store.export(&session).await?)
}

/// Makes a session of an export, whole or not at all: under the key that is named, else under its own, else,
/// where that is taken, under a new one.
///
/// # Errors
/// `invalid_request` with the line that cannot be used, or where the named key is taken; `home_busy`; the
/// database's.
pub async fn import(
    engine: &Engine,
    lines: &str,
    session: Option<SessionKey>,
) -> Result<Imported, WireError> {
    engine.inner.must_own()?;
    let store = &engine.inner.store;
    let imported = match store.import(lines.as_bytes(), session.as_ref(), clock::now()).await {
        Err(StoreError::Exists { .. }) if session.is_none() => {
            store.import(lines.as_bytes(), Some(&new_key()), clock::now()).await?
        }
        other => other?,
    };
    engine.inner.bus.send(Signal::Sessions);
    Ok(imported)
}

/// A key that no session has: `assistant:chat-` and eight letters or digits.
#[must_use]
pub fn new_key() -> SessionKey {
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut chance = rand::rng();
    let name: String =
        (0..8).map(|_| char::from(LETTERS[chance.random_range(0..LETTERS.len())])).collect();
    SessionKey::parse(&format!("assistant:chat-{name}")).unwrap_or_else(|_| SessionKey::main())
}

async fn find(engine: &Engine, session: &SessionKey) -> Result<SessionInfo, WireError> {
    let found = engine.inner.store.session(session).await?;
    found.ok_or_else(|| {
        let message = format!("there is no session {session}");
        WireError::new(
            ErrorCode::NotFound,
            message,
            "`hearth sessions list` shows those there are.",
        )
    })
}

fn compaction_row(stored: Compaction) -> CompactionRow {
    CompactionRow {
        id: u64::try_from(stored.id).unwrap_or_default(),
        turn: stored.turn,
        through: stored.through,
        strategy: stored.strategy,
        by_model: stored.by_model,
        summary: stored.summary,
        from_tokens: stored.from_tokens,
        to_tokens: stored.to_tokens,
        messages: stored.messages,
        at: stored.at,
    }
}

fn mark(stored: Compaction) -> MessageRow {
    let Compaction { id, messages, from_tokens, to_tokens, strategy, .. } = &stored;
    let head = format!(
        "[compaction {id}: {messages} messages left the window, {from_tokens} → {to_tokens} tokens, {strategy}]"
    );
    MessageRow {
        role: Role::System,
        text: format!("{head}\n{}", stored.summary),
        tool_calls: Vec::new(),
        at: stored.at,
        turn: stored.turn,
    }
}

fn row(message: Message) -> MessageRow {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult(result) => Some(result.text.as_str()),
        Part::Reasoning { .. } | Part::ToolCall(_) | Part::Image { .. } => None,
    });
    MessageRow {
        role: message.role,
        text: texts.collect::<Vec<_>>().join(""),
        tool_calls: message.tool_calls().cloned().collect(),
        at: message.at,
        turn: message.turn,
    }
}
