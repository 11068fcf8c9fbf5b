//! Asking the index.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::FromRow;
use sqlx::sqlite::SqliteRow;

use super::row::Read;
use super::{Index, Row, ids_of};
use crate::Result;
use crate::chunk::Chunk;

/// Chunks that a search by words scores inside the index.
const MOST_LOOKED_AT: i64 = 5_000;

/// A chunk without a vector.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Pending {
    pub(crate) id: i64,
    pub(crate) hash: Vec<u8>,
    speaker: Option<String>,
    at: Option<String>,
    title: String,
    text: String,
    dialogue: bool,
}

impl Pending {
    /// What the model reads.
    pub(crate) fn readings(&self) -> Vec<String> {
        let chunk = Chunk {
            speaker: self.speaker.clone(),
            at: self.at.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            dialogue: self.dialogue,
            ..Chunk::default()
        };
        chunk.readings()
    }
}

/// How much there is.
#[derive(Debug, Clone, Copy, Default, FromRow)]
pub(crate) struct Totals {
    pub(crate) files: i64,
    pub(crate) chunks: i64,
    pub(crate) terms: i64,
}

impl Index {
    /// The files of a generation and their hashes.
    pub(crate) async fn files(&self, generation: i64) -> Result<HashMap<String, String>> {
        let rows: Vec<(String, String)> =
            sqlx::query_as("SELECT path, hash FROM files WHERE generation = ?")
                .bind(generation)
                .fetch_all(&self.readers)
                .await?;
        Ok(rows.into_iter().collect())
    }

    /// The hash under which a file was read.
    pub(crate) async fn file(&self, generation: i64, path: &str) -> Result<Option<String>> {
        let hash = sqlx::query_scalar("SELECT hash FROM files WHERE generation = ? AND path = ?");
        Ok(hash.bind(generation).bind(path).fetch_optional(&self.readers).await?)
    }

    pub(crate) async fn totals(&self, generation: i64) -> Result<Totals> {
        let totals = sqlx::query_as(
            "SELECT count(*) AS files, coalesce(sum(chunks), 0) AS chunks, \
             coalesce(sum(terms), 0) AS terms FROM files WHERE generation = ?",
        );
        Ok(totals.bind(generation).fetch_one(&self.readers).await?)
    }

    /// Chunks that hold any of the terms, the best first. Where a large store is full of some of them, the
    /// rarer ones choose alone: what holds only the others would not come first.
    pub(crate) async fn with_terms(
        &self,
        generation: i64,
        frequencies: &HashMap<String, i64>,
        limit: usize,
    ) -> Result<Vec<i64>> {
        let mut known: Vec<(&String, i64)> = frequencies.iter().map(|(t, n)| (t, *n)).collect();
        known.sort_unstable_by_key(|(term, count)| (*count, *term));
        let Some((_, rarest)) = known.first().copied() else { return Ok(Vec::new()) };
        let mut looked = 0;
        known.retain(|(_, count)| {
            looked += count;
            looked <= MOST_LOOKED_AT.max(rarest)
        });
        let quoted: Vec<String> =
            known.iter().map(|(term, _)| format!("\"{}\"", term.replace('"', "\"\""))).collect();
        let (first, last) = ids_of(generation);
        // Of a word that is everywhere the newest are as good as any.
        let statement = match rarest > MOST_LOOKED_AT {
            true => {
                "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ? \
                 ORDER BY rowid DESC LIMIT ?"
            }
            false => {
                "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ? \
                 ORDER BY rank LIMIT ?"
            }
        };
        let ids = sqlx::query_scalar(statement)
            .bind(quoted.join(" OR "))
            .bind(first)
            .bind(last)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&self.readers)
            .await?;
        Ok(ids)
    }

    /// Chunks of the days from one to another, both included, each `YYYY-MM-DD`.
    pub(crate) async fn of_days(
        &self,
        generation: i64,
        days: (&str, &str),
        limit: usize,
    ) -> Result<Vec<i64>> {
        let (first, last) = ids_of(generation);
        let ids = sqlx::query_scalar(
            "SELECT id FROM chunks WHERE at >= ? AND at < ? || '~' AND id BETWEEN ? AND ? LIMIT ?",
        )
        .bind(days.0)
        .bind(days.1)
        .bind(first)
        .bind(last)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.readers)
        .await?;
        Ok(ids)
    }

    /// The day of the oldest turn of a conversation.
    pub(crate) async fn first_day(&self, generation: i64) -> Result<Option<String>> {
        let (first, last) = ids_of(generation);
        let day = sqlx::query_scalar(
            "SELECT substr(min(at), 1, 10) FROM chunks WHERE id BETWEEN ? AND ? AND dialogue",
        );
        Ok(day.bind(first).bind(last).fetch_one(&self.readers).await?)
    }

    /// The chunks of these ids, by id. Those that are gone are left out.
    pub(crate) async fn rows(&self, ids: &[i64]) -> Result<Vec<Arc<Row>>> {
        let mut looked = self.kept.look(ids);
        if !looked.missing.is_empty() {
            let read = self.read_rows(&mut looked.missing).await?;
            self.kept.keep(&looked, &read);
            looked.rows.extend(read);
        }
        let mut rows = looked.rows;
        rows.sort_unstable_by_key(|row| row.id);
        rows.dedup_by_key(|row| row.id);
        Ok(rows)
    }

    async fn read_rows(&self, ids: &mut [i64]) -> Result<Vec<Arc<Row>>> {
        // As one value: thousands of rows are handed from thread to thread one by one, which costs more than
        // finding them.
        let rows = sqlx::query_scalar(
            "SELECT json_group_array(json_array(c.id, c.file, f.path, c.line_from, c.line_to, c.entry, c.doc, \
             c.session, c.speaker, c.at, c.title, c.text, c.words, \
             json(iif(c.dialogue, 'true', 'false')), c.terms)) \
             FROM json_each(?) AS wanted JOIN chunks AS c ON c.id = wanted.value \
             JOIN files AS f ON f.id = c.file",
        );
        // In order, so that neighbours are found on one page.
        ids.sort_unstable();
        let rows: String = rows.bind(list(ids)).fetch_one(&self.readers).await?;
        let rows: Vec<Read> =
            serde_json::from_str(&rows).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
        Ok(rows.into_iter().map(|read| Arc::new(Row::from(read))).collect())
    }

    /// In how many chunks each term stands.
    pub(crate) async fn frequencies(&self, terms: &[String]) -> Result<HashMap<String, i64>> {
        let wanted = serde_json::Value::from(terms).to_string();
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT v.term, v.doc FROM json_each(?) AS wanted JOIN chunks_vocab AS v \
             ON v.term = wanted.value",
        )
        .bind(wanted)
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().collect())
    }

    /// Chunks after an id that have no vector.
    pub(crate) async fn pending(
        &self,
        generation: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Pending>> {
        let statement = "SELECT id, hash, speaker, at, title, text, dialogue FROM chunks AS c \
             WHERE id > ? AND id BETWEEN ? AND ? \
             AND NOT EXISTS (SELECT 1 FROM vectors WHERE chunk = c.id) ORDER BY id LIMIT ?";
        self.page(statement, generation, after, limit).await
    }

    /// How many chunks have no vector.
    pub(crate) async fn stale(&self, generation: i64) -> Result<i64> {
        let (first, last) = ids_of(generation);
        let vectors: i64 =
            sqlx::query_scalar("SELECT count(*) FROM vectors WHERE chunk BETWEEN ? AND ?")
                .bind(first)
                .bind(last)
                .fetch_one(&self.readers)
                .await?;
        Ok(self.totals(generation).await?.chunks - vectors)
    }

    /// A vector as the model gave it.
    pub(crate) async fn cached(&self, hash: &[u8]) -> Result<Option<Vec<u8>>> {
        let data = sqlx::query_scalar("SELECT data FROM embedding_cache WHERE key = ?").bind(hash);
        Ok(data.fetch_optional(&self.readers).await?)
    }

    /// Vectors after an id, by id.
    pub(crate) async fn vectors(
        &self,
        generation: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, Vec<u8>)>> {
        let statement = "SELECT chunk, data FROM vectors WHERE chunk > ? AND chunk BETWEEN ? AND ? \
             ORDER BY chunk LIMIT ?";
        self.page(statement, generation, after, limit).await
    }

    /// The rows of a generation after an id, by id. The statement takes that id, the first and the last one of
    /// the generation, and how many.
    async fn page<T>(
        &self,
        statement: &'static str,
        generation: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<T>>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        let (first, last) = ids_of(generation);
        let rows = sqlx::query_as(statement)
            .bind(after)
            .bind(first)
            .bind(last)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&self.readers)
            .await?;
        Ok(rows)
    }
}

/// Ids as SQLite's `json_each` reads them.
fn list(ids: &[i64]) -> String {
    serde_json::Value::from(ids).to_string()
}
