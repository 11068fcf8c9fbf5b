//! Conversations as memory reads them: in stretches of a fixed number of places, each with a mark.
//!
//! Invariant: only the active path is given out, and a mark changes whenever a message of its stretch comes,
//! goes or changes its length.

use crate::messages::MessageRow;
use crate::{Result, Store};
use hearth_protocol::{Message, SessionKey};
use sqlx::FromRow;

/// Places a stretch has.
const PLACES: i64 = 64;

/// A stretch of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Stretch {
    /// The session's key.
    pub session: String,
    /// Which stretch of it.
    pub number: i64,
    /// Changes with what is in it.
    pub mark: String,
}

#[derive(FromRow)]
struct Placed {
    position: i64,
    #[sqlx(flatten)]
    message: MessageRow,
}

impl Store {
    /// All stretches with something said by the person or the assistant.
    ///
    /// # Errors
    /// The database's.
    pub async fn stretches(&self) -> Result<Vec<Stretch>> {
        let rows = sqlx::query_as(
            "SELECT session, position / ?1 AS number,
                 count(*) || ':' || sum(rowid) || ':' || sum(octet_length(parts)) AS mark
             FROM messages WHERE replaced = 0 AND role IN ('user', 'assistant')
             GROUP BY session, position / ?1 ORDER BY session, number",
        );
        Ok(rows.bind(PLACES).fetch_all(self.read()).await?)
    }

    /// What was said in a stretch, each with its place in the conversation, in order.
    ///
    /// # Errors
    /// The database's, or a row that cannot be read.
    pub async fn said(&self, session: &SessionKey, number: i64) -> Result<Vec<(i64, Message)>> {
        let rows: Vec<Placed> = sqlx::query_as(
            "SELECT position, id, turn, role, parts, at FROM messages
             WHERE session = ? AND position >= ? AND position < ? AND replaced = 0
                 AND role IN ('user', 'assistant') ORDER BY position",
        )
        .bind(session.as_str())
        .bind(number.saturating_mul(PLACES))
        .bind(number.saturating_add(1).saturating_mul(PLACES))
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(|row| Ok((row.position, row.message.parse()?))).collect()
    }
}
