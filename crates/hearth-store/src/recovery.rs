//! After a crash: every turn that was open becomes a well-formed past.
//!
//! Invariants: running it twice changes nothing; each turn is healed in one transaction; what was
//! saved of a streaming reply becomes a message; each tool call has a result; the events end with
//! `done`; a reservation whose call never reported is booked as it was estimated, because the
//! provider may well charge for it.

use crate::turns::{self, TurnState};
use crate::{Result, Store, events, messages, sessions};
use hearth_protocol::{
    ApprovalState, ErrorCode, Event, EventBody, Message, MessageId, Part, Role, SessionKey,
    StopReason, ToolCall, ToolResult, TurnId,
};
use sqlx::SqliteConnection;
use std::collections::HashSet;

/// What a model reads where a result should be.
const INTERRUPTED: &str = "interrupted: Hearth ended before this call returned. \
    It may have had effects; look before running it again.";

/// A turn that was open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Its session.
    pub session: SessionKey,
    /// The turn.
    pub turn: TurnId,
    /// It had told its end already and only lacked the mark.
    pub was_done: bool,
}

impl Store {
    /// Heals what a crash left open. The owner of a home calls it once, before any turn starts.
    ///
    /// # Errors
    /// The database's; what was healed before stays.
    pub async fn recover(&self, at: i64) -> Result<Vec<Recovered>> {
        let open: Vec<(String, String)> = sqlx::query_as(
            "SELECT id, session FROM turns WHERE state IN ('queued', 'running') ORDER BY session, position",
        )
        .fetch_all(self.read())
        .await?;
        let mut recovered = Vec::with_capacity(open.len());
        for (id, key) in open {
            let (turn, session) = (TurnId(id), sessions::parse_key(key)?);
            let mut tx = self.write().await?;
            let was_done = heal(&mut tx, &session, &turn, at).await?;
            tx.commit().await?;
            recovered.push(Recovered { session, turn, was_done });
        }
        self.expire_approvals(at).await?;
        self.book_reservations().await?;
        Ok(recovered)
    }

    async fn book_reservations(&self) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO usage (at, day, session, turn, model, purpose, input, cached, output, usd, estimated)
             SELECT at, day, session, turn, model, purpose, tokens, 0, 0, usd, 1 FROM reservations",
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query("DELETE FROM reservations").execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }
}

/// Heals one open turn; true where its events were complete.
pub(crate) async fn heal(
    db: &mut SqliteConnection,
    session: &SessionKey,
    turn: &TurnId,
    at: i64,
) -> Result<bool> {
    answer_calls(db, session, turn, at).await?;
    keep_partial(db, session, turn, at).await?;
    turns::take_held(db, session, turn).await?;
    let replies: Vec<Message> = of_turn(db, turn)
        .await?
        .into_iter()
        .map(|(_, message)| message)
        .filter(|message| message.role == Role::Assistant)
        .collect();
    let past = events::of_turn(db, session, turn).await?;
    if let Some(EventBody::Done { stop, steps, .. }) = past.last().map(|event| &event.body) {
        turns::close(db, turn, TurnState::Done, *stop, *steps, at).await?;
        return Ok(true);
    }
    let reply: String = replies.iter().map(Message::joined_text).collect();
    let steps = u32::try_from(replies.len()).unwrap_or(u32::MAX);
    let next = past.last().map_or(1, |event| event.seq + 1);
    for (seq, body) in (next..).zip(closing(&past, reply, steps)) {
        let (turn, session) = (turn.clone(), session.clone());
        events::insert(db, &Event { body, seq, turn, session, at: at as f64 }).await?;
    }
    turns::close(db, turn, TurnState::Interrupted, StopReason::Failed, steps, at).await?;
    Ok(false)
}

/// Gives each call without a result one, right behind the results that its neighbours have.
async fn answer_calls(
    db: &mut SqliteConnection,
    session: &SessionKey,
    turn: &TurnId,
    at: i64,
) -> Result<()> {
    let stored = of_turn(db, turn).await?;
    let answered: HashSet<_> = stored.iter().flat_map(|(_, message)| results(message)).collect();
    // From the end, so that earlier positions stay what they are.
    for (index, (position, message)) in stored.iter().enumerate().rev() {
        let open: Vec<&ToolCall> =
            message.tool_calls().filter(|call| !answered.contains(&call.id)).collect();
        if open.is_empty() {
            continue;
        }
        let after = stored[index + 1..]
            .iter()
            .take_while(|(_, next)| next.role == Role::Tool)
            .last()
            .map_or(*position, |(last, _)| *last);
        sqlx::query(
            "UPDATE messages SET position = position + 1 WHERE session = ? AND position > ?",
        )
        .bind(session.as_str())
        .bind(after)
        .execute(&mut *db)
        .await?;
        let message = interrupted(&open, turn, at);
        messages::insert(db, session, after + 1, &message).await?;
    }
    Ok(())
}

fn results(message: &Message) -> impl Iterator<Item = hearth_protocol::CallId> + '_ {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(result.call.clone()),
        _ => None,
    })
}

fn interrupted(calls: &[&ToolCall], turn: &TurnId, at: i64) -> Message {
    let result = |call: &&ToolCall| {
        Part::ToolResult(ToolResult { call: call.id.clone(), ok: false, text: INTERRUPTED.into() })
    };
    Message {
        id: MessageId::new(),
        role: Role::Tool,
        parts: calls.iter().map(result).collect(),
        at,
        turn: Some(turn.clone()),
    }
}

/// Makes the saved stream a message. Thinking alone makes none: a message without content would be
/// refused by providers, and the events keep it.
async fn keep_partial(
    db: &mut SqliteConnection,
    session: &SessionKey,
    turn: &TurnId,
    at: i64,
) -> Result<()> {
    let Some(partial) = turns::partial(db, turn).await? else { return Ok(()) };
    if partial.text.is_empty() {
        return Ok(());
    }
    let thought = (!partial.reasoning.is_empty())
        .then_some(Part::Reasoning { text: partial.reasoning, signature: None });
    let text = Part::Text { text: partial.text };
    let message = Message {
        id: MessageId::new(),
        role: Role::Assistant,
        parts: thought.into_iter().chain([text]).collect(),
        at,
        turn: Some(turn.clone()),
    };
    messages::append(db, session, &[message]).await
}

/// The events that end a stream which stopped in the middle.
fn closing(past: &[Event], reply: String, steps: u32) -> Vec<EventBody> {
    let mut calls = Vec::new();
    let mut approvals = Vec::new();
    for event in past {
        match &event.body {
            EventBody::ToolStart { call, .. } => calls.push((call, event.at)),
            EventBody::ToolEnd { call, .. } => calls.retain(|(open, _)| *open != call),
            EventBody::Approval { id, verdict: ApprovalState::Asked, .. } => {
                approvals.push((id, &event.body));
            }
            EventBody::Approval { id, .. } => approvals.retain(|(open, _)| *open != id),
            _ => {}
        }
    }
    let last = past.last().map_or(0.0, |event| event.at);
    let expired = approvals.into_iter().map(|(_, asked)| expired(asked));
    let ended = calls.into_iter().map(|(call, began)| EventBody::ToolEnd {
        call: call.clone(),
        ok: false,
        result: INTERRUPTED.to_owned(),
        ms: ((last - began) * 1000.0).max(0.0) as u64,
    });
    let why = EventBody::Error {
        code: ErrorCode::Internal,
        message: "Hearth ended while this turn was not finished.".to_owned(),
        hint: "What was shown is kept. Send the message again to go on.".to_owned(),
    };
    let done = EventBody::Done { reply, stop: StopReason::Failed, steps };
    expired.chain(ended).chain([why, done]).collect()
}

fn expired(asked: &EventBody) -> EventBody {
    let mut body = asked.clone();
    if let EventBody::Approval { verdict, .. } = &mut body {
        *verdict = ApprovalState::Expired;
    }
    body
}

/// Messages of a turn on the active path with their positions, in order.
async fn of_turn(db: &mut SqliteConnection, turn: &TurnId) -> Result<Vec<(i64, Message)>> {
    let rows: Vec<PositionedRow> = sqlx::query_as(
        "SELECT position, id, turn, role, parts, at FROM messages
         WHERE turn = ? AND replaced = 0 ORDER BY position",
    )
    .bind(turn.as_str())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| Ok((row.position, row.message.parse()?))).collect()
}

#[derive(sqlx::FromRow)]
struct PositionedRow {
    position: i64,
    #[sqlx(flatten)]
    message: messages::MessageRow,
}
