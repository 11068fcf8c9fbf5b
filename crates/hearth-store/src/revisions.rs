//! Versions of workspace files: who wrote which bytes when.
//!
//! Invariants: a version is never changed or dropped; equal content is kept once; the same content again
//! for the same path makes no new version, so a watcher may report Hearth's own writes.
//! Hashes are BLAKE3 in lower-case hexadecimal, as those of the workspace.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::api::files::{Author, RevisionRow};
use hearth_protocol::{RevisionId, TurnId};
use sqlx::SqliteConnection;
use std::collections::HashMap;

/// A change of a file, to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<'a> {
    /// Path within the workspace, `/` between parts.
    pub path: &'a str,
    /// Unix seconds.
    pub at: i64,
    /// Who wrote it.
    pub author: Author,
    /// The turn, where one wrote it.
    pub turn: Option<&'a TurnId>,
    /// The file's bytes; none where it was deleted.
    pub content: Option<&'a [u8]>,
}

/// A version with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The version.
    pub row: RevisionRow,
    /// Its bytes; empty where the file was deleted.
    pub bytes: Vec<u8>,
}

impl Store {
    /// Records a change; returns its version, or the latest one where that holds the same.
    ///
    /// # Errors
    /// The database's.
    pub async fn record(&self, change: &Change<'_>) -> Result<RevisionId> {
        let hash = change.content.map(|bytes| blake3::hash(bytes).to_hex().to_string());
        let mut tx = self.write().await?;
        if let Some((id, latest)) = latest(&mut tx, change.path).await?
            && latest == hash
        {
            return Ok(id);
        }
        if let (Some(hash), Some(bytes)) = (&hash, change.content) {
            sqlx::query("INSERT INTO contents (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .bind(hash)
                .bind(bytes)
                .execute(&mut *tx)
                .await?;
        }
        let id: i64 = sqlx::query_scalar(
            "INSERT INTO revisions (path, at, author, turn, bytes, hash, deleted)
             VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(change.path)
        .bind(change.at)
        .bind(rim::word(&change.author)?)
        .bind(change.turn.map(TurnId::as_str))
        .bind(rim::signed(change.content.map_or(0, <[u8]>::len) as u64))
        .bind(&hash)
        .bind(hash.is_none())
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(RevisionId(id))
    }

    /// The versions of a file, latest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn history(&self, path: &str) -> Result<Vec<RevisionRow>> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT id, path, at, author, turn, bytes, hash FROM revisions WHERE path = ? ORDER BY id DESC",
        )
        .bind(path)
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// The versions that a turn wrote, latest first: undo walks them in this order.
    ///
    /// # Errors
    /// The database's.
    pub async fn revisions_of_turn(&self, turn: &TurnId) -> Result<Vec<RevisionRow>> {
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT id, path, at, author, turn, bytes, hash FROM revisions WHERE turn = ? ORDER BY id DESC",
        )
        .bind(turn.as_str())
        .fetch_all(self.read())
        .await?;
        rows.into_iter().map(Row::parse).collect()
    }

    /// A version with its bytes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn revision(&self, id: RevisionId) -> Result<Content> {
        let row: Option<ContentRow> = sqlx::query_as(
            "SELECT r.id, path, at, author, turn, r.bytes, r.hash, c.bytes AS content
             FROM revisions r LEFT JOIN contents c ON c.hash = r.hash WHERE r.id = ?",
        )
        .bind(id.0)
        .fetch_optional(self.read())
        .await?;
        let missing = || StoreError::NotFound { what: "version", key: id.0.to_string() };
        row.ok_or_else(missing)?.parse()
    }

    /// The version before another one of the same file; none for the first.
    ///
    /// # Errors
    /// The database's.
    pub async fn revision_before(&self, row: &RevisionRow) -> Result<Option<Content>> {
        let row: Option<ContentRow> = sqlx::query_as(
            "SELECT r.id, path, at, author, turn, r.bytes, r.hash, c.bytes AS content
             FROM revisions r LEFT JOIN contents c ON c.hash = r.hash
             WHERE path = ? AND r.id < ? ORDER BY r.id DESC LIMIT 1",
        )
        .bind(&row.path)
        .bind(row.rev.0)
        .fetch_optional(self.read())
        .await?;
        row.map(ContentRow::parse).transpose()
    }

    /// The hash each known file had last; none where it was deleted. Comparing them with the disk at
    /// start finds what was edited meanwhile.
    ///
    /// # Errors
    /// The database's.
    pub async fn latest_hashes(&self) -> Result<HashMap<String, Option<String>>> {
        let rows: Vec<(String, Option<String>)> = sqlx::query_as(
            "SELECT path, hash FROM revisions
             WHERE id IN (SELECT max(id) FROM revisions GROUP BY path)",
        )
        .fetch_all(self.read())
        .await?;
        Ok(rows.into_iter().collect())
    }
}

/// A unified diff of two texts.
#[must_use]
pub fn unified_diff(before: &str, after: &str) -> String {
    diffy::create_patch(before, after).to_string()
}

async fn latest(
    db: &mut SqliteConnection,
    path: &str,
) -> Result<Option<(RevisionId, Option<String>)>> {
    let row: Option<(i64, Option<String>)> =
        sqlx::query_as("SELECT id, hash FROM revisions WHERE path = ? ORDER BY id DESC LIMIT 1")
            .bind(path)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(id, hash)| (RevisionId(id), hash)))
}

#[derive(sqlx::FromRow)]
struct ContentRow {
    #[sqlx(flatten)]
    row: Row,
    content: Option<Vec<u8>>,
}

impl ContentRow {
    fn parse(self) -> Result<Content> {
        Ok(Content { row: self.row.parse()?, bytes: self.content.unwrap_or_default() })
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    path: String,
    at: i64,
    author: String,
    turn: Option<String>,
    bytes: i64,
    hash: Option<String>,
}

impl Row {
    fn parse(self) -> Result<RevisionRow> {
        Ok(RevisionRow {
            rev: RevisionId(self.id),
            path: self.path,
            at: self.at,
            author: rim::parse_word("revisions", self.author)?,
            turn: self.turn.map(TurnId),
            bytes: rim::unsigned(self.bytes),
            deleted: self.hash.is_none(),
            hash: self.hash.unwrap_or_default(),
        })
    }
}
