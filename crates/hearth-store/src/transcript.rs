//! A conversation as the window shows it.

use crate::{Result, Store, TurnState, events, messages, sessions, turns};
use hearth_protocol::api::chat::{Transcript, TurnView};
use hearth_protocol::{Event, Message, Part, Role, SessionKey, TurnId};
use sqlx::SqliteConnection;
use std::collections::HashMap;

impl Store {
    /// The active path of a session, turn by turn, with the events that are not text. A queued turn
    /// shows the message held for it.
    ///
    /// # Errors
    /// [`crate::StoreError::NotFound`], or the database's.
    pub async fn transcript(&self, key: &SessionKey) -> Result<Transcript> {
        let mut db = self.snapshot().await?;
        let session = sessions::info(&mut db, key).await?.ok_or_else(|| sessions::missing(key))?;
        let mut views = Views::default();
        for message in messages::active(&mut db, key).await? {
            views.add(message);
        }
        for turn in turns::all(&mut db, key).await?.into_iter().filter(|turn| !turn.replaced) {
            let view = views.of(turn.id.clone());
            view.running = matches!(turn.state, TurnState::Queued | TurnState::Running);
            if view.running {
                view.messages.extend(turns::held(&mut db, &turn.id).await?);
            }
        }
        for event in shown_events(&mut db, key).await? {
            views.of(event.turn.clone()).events.push(event);
        }
        for (turn, path) in changed_files(&mut db, key).await? {
            if let Some(&at) = views.index.get(&turn) {
                views.list[at].files.push(path);
            }
        }
        Ok(Transcript { session, turns: views.list })
    }
}

/// Which turn changed which file, each once; then what it changed beside texts.
async fn changed_files(
    db: &mut SqliteConnection,
    key: &SessionKey,
) -> Result<Vec<(TurnId, String)>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT turn, path FROM (
             SELECT r.turn, r.path, MIN(r.id) AS first FROM turns t JOIN revisions r ON r.turn = t.id
             WHERE t.session = ?1 AND t.replaced = 0 GROUP BY r.turn, r.path
             UNION ALL
             SELECT s.turn, s.path, 1 << 62 FROM turns t JOIN reshaped s ON s.turn = t.id
             WHERE t.session = ?1 AND t.replaced = 0
                 AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.turn = s.turn AND r.path = s.path)
         ) ORDER BY first, path",
    )
    .bind(key.as_str())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|(turn, path)| Ok((TurnId(turn), path))).collect()
}

async fn shown_events(db: &mut SqliteConnection, key: &SessionKey) -> Result<Vec<Event>> {
    let rows: Vec<events::EventRow> = sqlx::query_as(
        "SELECT e.turn, e.seq, e.at, e.body FROM turns t JOIN events e ON e.turn = t.id
         WHERE t.session = ? AND t.replaced = 0 AND e.kind NOT IN ('text', 'reasoning')
         ORDER BY t.position, e.seq",
    )
    .bind(key.as_str())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| row.parse(key)).collect()
}

/// Turns in the order of their first message. What belongs to no turn stands between them, piece by piece: what
/// Hearth says by itself, and imported questions with their replies.
#[derive(Default)]
struct Views {
    list: Vec<TurnView>,
    index: HashMap<TurnId, usize>,
}

impl Views {
    fn add(&mut self, message: Message) {
        if let Some(turn) = message.turn.clone() {
            return self.of(turn).messages.push(message);
        }
        match self.list.last_mut() {
            Some(last) if last.turn.is_none() && !begins(&message, last) => {
                last.messages.push(message);
            }
            _ => self.list.push(view(None, vec![message])),
        }
    }

    fn of(&mut self, turn: TurnId) -> &mut TurnView {
        let next = self.list.len();
        let at = *self.index.entry(turn.clone()).or_insert(next);
        if at == next {
            self.list.push(view(Some(turn), Vec::new()));
        }
        &mut self.list[at]
    }
}

/// Whether a message of no turn is a piece of its own: a question, and a reply behind a reply.
fn begins(message: &Message, piece: &TurnView) -> bool {
    let calls =
        |before: &Message| before.parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    match message.role {
        Role::User => true,
        Role::Assistant => {
            piece.messages.last().is_some_and(|last| last.role == Role::Assistant && !calls(last))
        }
        Role::System | Role::Tool => false,
    }
}

fn view(turn: Option<TurnId>, messages: Vec<Message>) -> TurnView {
    TurnView { turn, messages, events: Vec::new(), running: false, files: Vec::new() }
}
