//! Events of turns, stored as they happen.
//!
//! Neighbouring deltas of one batch are merged into one row under the last one's number: a reply of
//! 2,000 tokens is a handful of rows, the joined text is the same, and the highest number stored
//! always says how far the stream came.

use crate::{Result, Store, rim};
use hearth_protocol::{Event, EventBody, SessionKey, TurnId};
use sqlx::SqliteConnection;

impl Store {
    /// Stores a batch of events, in order, all or none.
    ///
    /// # Errors
    /// The database's; an unknown turn and a number used twice too.
    pub async fn append_events(&self, events: &[Event]) -> Result<()> {
        let mut tx = self.write().await?;
        for event in merged(events) {
            insert(&mut tx, &event).await?;
        }
        Ok(tx.commit().await?)
    }

    /// The events of a turn, in order, deltas merged.
    ///
    /// # Errors
    /// The database's.
    pub async fn events(&self, session: &SessionKey, turn: &TurnId) -> Result<Vec<Event>> {
        let mut connection = self.read().acquire().await?;
        of_turn(&mut connection, session, turn).await
    }
}

/// The same stream with neighbouring deltas joined.
pub(crate) fn merged(events: &[Event]) -> Vec<Event> {
    let mut out: Vec<Event> = Vec::with_capacity(events.len());
    for event in events {
        if let Some(last) = out.last_mut().filter(|last| last.turn == event.turn)
            && join(&mut last.body, &event.body)
        {
            last.seq = event.seq;
            last.at = event.at;
        } else {
            out.push(event.clone());
        }
    }
    out
}

/// Adds a delta to one of the same kind; false where they do not belong together.
fn join(body: &mut EventBody, next: &EventBody) -> bool {
    match (body, next) {
        (EventBody::Text { text }, EventBody::Text { text: more })
        | (EventBody::Reasoning { text }, EventBody::Reasoning { text: more }) => {
            text.push_str(more);
            true
        }
        (
            EventBody::ToolOutput { call, text },
            EventBody::ToolOutput { call: same, text: more },
        ) if call == same => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

pub(crate) async fn insert(db: &mut SqliteConnection, event: &Event) -> Result<()> {
    let body = rim::json(&event.body)?;
    sqlx::query(
        "INSERT INTO events (turn, seq, kind, at, body) VALUES (?1, ?2, ?4 ->> 'event', ?3, ?4)",
    )
    .bind(event.turn.as_str())
    .bind(rim::signed(event.seq))
    .bind(event.at)
    .bind(body)
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn of_turn(
    db: &mut SqliteConnection,
    session: &SessionKey,
    turn: &TurnId,
) -> Result<Vec<Event>> {
    let rows: Vec<EventRow> =
        sqlx::query_as("SELECT turn, seq, at, body FROM events WHERE turn = ? ORDER BY seq")
            .bind(turn.as_str())
            .fetch_all(db)
            .await?;
    rows.into_iter().map(|row| row.parse(session)).collect()
}

#[derive(sqlx::FromRow)]
pub(crate) struct EventRow {
    turn: String,
    seq: i64,
    at: f64,
    body: String,
}

impl EventRow {
    pub(crate) fn parse(self, session: &SessionKey) -> Result<Event> {
        Ok(Event {
            body: rim::parse_json("events", &self.body)?,
            seq: rim::unsigned(self.seq),
            turn: TurnId(self.turn),
            session: session.clone(),
            at: self.at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u64, body: EventBody) -> Event {
        Event { body, seq, turn: "t".into(), session: SessionKey::main(), at: seq as f64 }
    }

    #[test]
    fn neighbouring_deltas_merge_and_nothing_else() {
        let text = |text: &str| EventBody::Text { text: text.into() };
        let thought = |text: &str| EventBody::Reasoning { text: text.into() };
        let output =
            |call: &str, text: &str| EventBody::ToolOutput { call: call.into(), text: text.into() };
        let all = [
            event(1, EventBody::Started {}),
            event(2, text("a")),
            event(3, text("b")),
            event(4, thought("c")),
            event(5, text("d")),
            event(6, output("1", "e")),
            event(7, output("2", "f")),
            event(8, output("2", "g")),
        ];
        let expected = vec![
            event(1, EventBody::Started {}),
            event(3, text("ab")),
            event(4, thought("c")),
            event(5, text("d")),
            event(6, output("1", "e")),
            event(8, output("2", "fg")),
        ];
        assert_eq!(merged(&all), expected);
    }
}
