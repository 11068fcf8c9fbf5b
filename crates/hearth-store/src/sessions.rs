//! Sessions: the list, their names and marks.
//!
//! A session's title is the beginning of its first user message until the person names it.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::api::chat::{SessionChange, SessionInfo};
use hearth_protocol::{Message, SessionKey};
use sqlx::SqliteConnection;

/// Longest title made from a message, in characters.
const TITLE_CHARS: usize = 60;

impl Store {
    /// All sessions: pinned ones first, then the latest.
    ///
    /// # Errors
    /// The database's.
    pub async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        let rows: Vec<SessionRow> = sqlx::query_as(
            "SELECT key, title, pinned, archived, model, updated_at,
                 (SELECT count(*) FROM turns t WHERE t.session = s.key AND t.replaced = 0) AS turns,
                 EXISTS (SELECT 1 FROM turns t WHERE t.session = s.key
                     AND t.state IN ('queued', 'running')) AS running
             FROM sessions s ORDER BY pinned DESC, updated_at DESC, key",
        )
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(SessionRow::parse).collect()
    }

    /// One session, if it exists.
    ///
    /// # Errors
    /// The database's.
    pub async fn session(&self, key: &SessionKey) -> Result<Option<SessionInfo>> {
        let mut connection = self.read().acquire().await?;
        info(&mut connection, key).await
    }

    /// Makes a session where it does not exist; otherwise leaves it.
    ///
    /// # Errors
    /// The database's.
    pub async fn ensure_session(&self, key: &SessionKey, at: i64) -> Result<()> {
        let mut tx = self.write().await?;
        ensure(&mut tx, key, at).await?;
        Ok(tx.commit().await?)
    }

    /// Changes names and marks. An empty title goes back to the first message's beginning.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn change_session(&self, key: &SessionKey, change: &SessionChange) -> Result<()> {
        let mut tx = self.write().await?;
        let title = change.title.as_deref().map(str::trim);
        let done = sqlx::query(
            "UPDATE sessions SET title = coalesce(?2, title), named = coalesce(?3, named),
                 pinned = coalesce(?4, pinned), archived = coalesce(?5, archived),
                 model = nullif(coalesce(?6, model), '')
             WHERE key = ?1",
        )
        .bind(key.as_str())
        .bind(title)
        .bind(title.map(|title| !title.is_empty()))
        .bind(change.pinned)
        .bind(change.archived)
        .bind(change.model.as_deref())
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Err(missing(key));
        }
        if title == Some("") {
            title_again(&mut tx, key).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Deletes a session with its turns, messages, events and manifests. Usage and versions of files stay.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::Refused`] while a turn runs or waits, or the database's.
    pub async fn delete_session(&self, key: &SessionKey) -> Result<()> {
        let mut tx = self.write().await?;
        refuse_running(&mut tx, key).await?;
        let pieces = crate::manifests::pieces_of(&mut tx, key).await?;
        let done = sqlx::query("DELETE FROM sessions WHERE key = ?").bind(key.as_str());
        if done.execute(&mut *tx).await?.rows_affected() == 0 {
            return Err(missing(key));
        }
        crate::manifests::drop_unused(&mut tx, &pieces).await?;
        Ok(tx.commit().await?)
    }
}

pub(crate) fn missing(key: &SessionKey) -> StoreError {
    StoreError::NotFound { what: "session", key: key.to_string() }
}

pub(crate) async fn refuse_running(db: &mut SqliteConnection, key: &SessionKey) -> Result<()> {
    let running: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM turns WHERE session = ? AND state IN ('queued', 'running'))",
    )
    .bind(key.as_str())
    .fetch_one(db)
    .await?;
    match running {
        true => Err(StoreError::Refused(format!("a turn of {key} is running or waiting"))),
        false => Ok(()),
    }
}

pub(crate) async fn ensure(db: &mut SqliteConnection, key: &SessionKey, at: i64) -> Result<()> {
    sqlx::query(
        "INSERT INTO sessions (key, created_at, updated_at) VALUES (?1, ?2, ?2) ON CONFLICT DO NOTHING",
    )
    .bind(key.as_str())
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn info(
    db: &mut SqliteConnection,
    key: &SessionKey,
) -> Result<Option<SessionInfo>> {
    let row: Option<SessionRow> = sqlx::query_as(
        "SELECT key, title, pinned, archived, model, updated_at,
             (SELECT count(*) FROM turns t WHERE t.session = s.key AND t.replaced = 0) AS turns,
             EXISTS (SELECT 1 FROM turns t WHERE t.session = s.key
                 AND t.state IN ('queued', 'running')) AS running
         FROM sessions s WHERE key = ?",
    )
    .bind(key.as_str())
    .fetch_optional(db)
    .await?;
    row.map(SessionRow::parse).transpose()
}

/// Notes that a session was used, and names it after its first user message.
pub(crate) async fn touch(
    db: &mut SqliteConnection,
    key: &SessionKey,
    at: i64,
    first: Option<&Message>,
) -> Result<()> {
    sqlx::query(
        "UPDATE sessions SET updated_at = max(updated_at, ?2),
             title = CASE WHEN title = '' AND named = 0 THEN ?3 ELSE title END
         WHERE key = ?1",
    )
    .bind(key.as_str())
    .bind(at)
    .bind(first.map_or_else(String::new, |message| title_of(&message.joined_text())))
    .execute(db)
    .await?;
    Ok(())
}

async fn title_again(db: &mut SqliteConnection, key: &SessionKey) -> Result<()> {
    let parts: Option<String> = sqlx::query_scalar(
        "SELECT parts FROM messages WHERE session = ? AND role = 'user' AND replaced = 0
         ORDER BY position LIMIT 1",
    )
    .bind(key.as_str())
    .fetch_optional(&mut *db)
    .await?;
    let Some(parts) = parts else { return Ok(()) };
    let parts = rim::parse_json("messages", &parts)?;
    let text = Message { parts, ..Message::text(hearth_protocol::Role::User, "", 0) }.joined_text();
    sqlx::query("UPDATE sessions SET title = ? WHERE key = ?")
        .bind(title_of(&text))
        .bind(key.as_str())
        .execute(db)
        .await?;
    Ok(())
}

/// The first line that says something, cut between words where that is possible.
pub(crate) fn title_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let Some((cut, _)) = line.char_indices().nth(TITLE_CHARS) else { return line.to_owned() };
    let head = &line[..cut];
    let words = head.rfind(char::is_whitespace).filter(|at| *at > cut / 2);
    format!("{}…", head[..words.unwrap_or(cut)].trim_end())
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    key: String,
    title: String,
    pinned: bool,
    archived: bool,
    model: Option<String>,
    updated_at: i64,
    turns: i64,
    running: bool,
}

impl SessionRow {
    fn parse(self) -> Result<SessionInfo> {
        Ok(SessionInfo {
            key: parse_key(self.key)?,
            title: self.title,
            turns: rim::unsigned(self.turns),
            updated_at: self.updated_at,
            pinned: self.pinned,
            archived: self.archived,
            running: self.running,
            model: self.model,
        })
    }
}

pub(crate) fn parse_key(key: String) -> Result<SessionKey> {
    SessionKey::try_from(key)
        .map_err(|error| StoreError::Row { table: "sessions", why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        assert_eq!(title_of("\n  Plan the trip \nto Oslo"), "Plan the trip");
        assert_eq!(title_of(""), "");
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
        assert_eq!(title_of(long), "one two three four five six seven eight nine ten eleven…");
        assert_eq!(title_of(&"好".repeat(61)), format!("{}…", "好".repeat(60)));
    }
}
