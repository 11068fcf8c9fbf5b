//! Changing the index: files, generations, vectors.

use sqlx::{Sqlite, Transaction};

use super::{Index, Pending, ids_of};
use crate::Result;
use crate::chunk::Chunk;
use crate::tokens::terms;

/// Names how [`Chunk::readings`] writes texts; another form makes all vectors anew.
const FORM: &str = "2";

/// A number kept in `meta`.
fn number(value: &[u8]) -> i64 {
    std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A chunk, its vector as the model gave it where it is new, and as it is searched.
pub(crate) type Vectors<'a> = (&'a Pending, Option<Vec<u8>>, Vec<u8>);

impl Index {
    /// The generation searches see; 0 before the first was finished.
    pub(crate) async fn generation(&self) -> Result<i64> {
        Ok(self.meta("generation").await?.map_or(0, |value| number(&value)))
    }

    /// The generation being built: the one a stop left behind, else a new one.
    pub(crate) async fn begin_generation(&self) -> Result<i64> {
        if let Some(building) = self.meta("building").await? {
            return Ok(number(&building));
        }
        let generation = self.generation().await? + 1;
        self.set_meta("building", generation.to_string().as_bytes()).await?;
        Ok(generation)
    }

    /// Makes a built generation the one that is searched, and forgets the others.
    pub(crate) async fn switch_generation(&self, generation: i64) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query("INSERT OR REPLACE INTO meta (key, value) VALUES ('generation', ?)")
            .bind(generation.to_string().into_bytes())
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM meta WHERE key = 'building'").execute(&mut *tx).await?;
        let (first, last) = ids_of(generation);
        sqlx::query("DELETE FROM files WHERE generation <> ?")
            .bind(generation)
            .execute(&mut *tx)
            .await?;
        for statement in [
            "DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE id < ?1 OR id > ?2)",
            "DELETE FROM vectors WHERE chunk < ?1 OR chunk > ?2",
            "DELETE FROM chunks WHERE id < ?1 OR id > ?2",
        ] {
            sqlx::query(statement).bind(first).bind(last).execute(&mut *tx).await?;
        }
        sqlx::query("DELETE FROM embedding_cache WHERE key NOT IN (SELECT hash FROM chunks)")
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.kept.empty();
        Ok(())
    }

    /// Makes every file look changed.
    pub(crate) async fn doubt(&self, generation: i64) -> Result<()> {
        sqlx::query("UPDATE files SET hash = '' WHERE generation = ?")
            .bind(generation)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// Puts the chunks of a file in the place of its old ones, whose ids are returned; none removes the file.
    pub(crate) async fn put_file(
        &self,
        generation: i64,
        path: &str,
        file: Option<(&str, &[Chunk])>,
    ) -> Result<Vec<i64>> {
        let mut tx = self.begin().await?;
        let removed = remove_file(&mut tx, generation, path).await?;
        if let Some((hash, chunks)) = file {
            insert_file(&mut tx, generation, path, hash, chunks).await?;
        }
        // A text that is nowhere any more must not stay in the cache either.
        for (_, hash) in &removed {
            sqlx::query(
                "DELETE FROM embedding_cache WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE hash = ?1)",
            )
            .bind(hash.as_slice())
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        if !removed.is_empty() {
            self.kept.empty();
        }
        Ok(removed.into_iter().map(|(id, _)| id).collect())
    }

    /// Keeps vectors as the model gave them, by text, and as they are searched, by chunk.
    pub(crate) async fn put_vectors(&self, rows: &[Vectors<'_>]) -> Result<()> {
        let mut tx = self.begin().await?;
        for (pending, raw, data) in rows {
            if let Some(raw) = raw {
                sqlx::query("INSERT OR REPLACE INTO embedding_cache (key, data) VALUES (?, ?)")
                    .bind(pending.hash.as_slice())
                    .bind(raw.as_slice())
                    .execute(&mut *tx)
                    .await?;
            }
            // The chunk may have gone while its text was embedded.
            sqlx::query(
                "INSERT OR REPLACE INTO vectors (chunk, data) SELECT id, ?2 FROM chunks WHERE id = ?1",
            )
            .bind(pending.id)
            .bind(data.as_slice())
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// Forgets all vectors where they are of another model, or of texts as [`Chunk::readings`] does not write
    /// them any more.
    pub(crate) async fn take_model(&self, model: &str) -> Result<bool> {
        let same = self.meta("model").await?.as_deref() == Some(model.as_bytes());
        let (form, wanted) = (self.meta("form").await?, FORM.as_bytes());
        if same && form.as_deref() == Some(wanted) {
            return Ok(false);
        }
        let mut tx = self.begin().await?;
        for statement in [
            "DELETE FROM vectors",
            "DELETE FROM embedding_cache",
            "DELETE FROM meta WHERE key LIKE 'centre/%'",
        ] {
            sqlx::query(statement).execute(&mut *tx).await?;
        }
        if form.as_deref() != Some(wanted) {
            // Chunks are known by the hash of what the model reads.
            sqlx::query("UPDATE files SET hash = ''").execute(&mut *tx).await?;
        }
        for (key, value) in [("model", model.as_bytes()), ("form", wanted)] {
            sqlx::query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
                .bind(key)
                .bind(value)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

async fn remove_file(
    tx: &mut Transaction<'static, Sqlite>,
    generation: i64,
    path: &str,
) -> Result<Vec<(i64, Vec<u8>)>> {
    let file: Option<i64> =
        sqlx::query_scalar("SELECT id FROM files WHERE generation = ? AND path = ?")
            .bind(generation)
            .bind(path)
            .fetch_optional(&mut **tx)
            .await?;
    let Some(file) = file else { return Ok(Vec::new()) };
    let removed = sqlx::query_as("SELECT id, hash FROM chunks WHERE file = ?")
        .bind(file)
        .fetch_all(&mut **tx)
        .await?;
    for statement in [
        "DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)",
        "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE file = ?)",
        "DELETE FROM chunks WHERE file = ?",
        "DELETE FROM files WHERE id = ?",
    ] {
        sqlx::query(statement).bind(file).execute(&mut **tx).await?;
    }
    Ok(removed)
}

async fn insert_file(
    tx: &mut Transaction<'static, Sqlite>,
    generation: i64,
    path: &str,
    hash: &str,
    chunks: &[Chunk],
) -> Result<()> {
    let words: Vec<Vec<String>> = chunks.iter().map(|chunk| terms(&chunk.searched())).collect();
    let file = sqlx::query(
        "INSERT INTO files (generation, path, hash, chunks, terms) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(generation)
    .bind(path)
    .bind(hash)
    .bind(i64::try_from(chunks.len()).unwrap_or(0))
    .bind(i64::try_from(words.iter().map(Vec::len).sum::<usize>()).unwrap_or(0))
    .execute(&mut **tx)
    .await?
    .last_insert_rowid();
    let count = i64::try_from(chunks.len()).unwrap_or(0);
    let mut id = take_ids(tx, generation, count).await?;
    for (chunk, words) in chunks.iter().zip(&words) {
        let joined = words.join(" ");
        insert_chunk(tx, id, file, chunk, (&joined, words.len())).await?;
        sqlx::query("INSERT INTO chunks_fts (rowid, terms) VALUES (?, ?)")
            .bind(id)
            .bind(joined)
            .execute(&mut **tx)
            .await?;
        id += 1;
    }
    Ok(())
}

/// The first of so many new ids.
async fn take_ids(
    tx: &mut Transaction<'static, Sqlite>,
    generation: i64,
    count: i64,
) -> Result<i64> {
    let value: Option<Vec<u8>> = sqlx::query_scalar("SELECT value FROM meta WHERE key = 'next'")
        .fetch_optional(&mut **tx)
        .await?;
    let first = value.map_or(0, |value| number(&value)).max(ids_of(generation).0);
    sqlx::query("INSERT OR REPLACE INTO meta (key, value) VALUES ('next', ?)")
        .bind((first + count).to_string().into_bytes())
        .execute(&mut **tx)
        .await?;
    Ok(first)
}

async fn insert_chunk(
    tx: &mut Transaction<'static, Sqlite>,
    id: i64,
    file: i64,
    chunk: &Chunk,
    (words, terms): (&str, usize),
) -> Result<()> {
    let hash = blake3::hash(chunk.readings().join("\n").as_bytes());
    sqlx::query(
        "INSERT INTO chunks (id, file, line_from, line_to, entry, doc, session, speaker, at, title, \
         text, words, dialogue, terms, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id)
    .bind(file)
    .bind(i64::try_from(chunk.from).unwrap_or(0))
    .bind(i64::try_from(chunk.to).unwrap_or(0))
    .bind(&chunk.entry)
    .bind(&chunk.doc)
    .bind(&chunk.session)
    .bind(&chunk.speaker)
    .bind(&chunk.at)
    .bind(&chunk.title)
    .bind(&chunk.text)
    .bind(words)
    .bind(chunk.dialogue)
    .bind(i64::try_from(terms).unwrap_or(0))
    .bind(&hash.as_bytes()[..16])
    .execute(&mut **tx)
    .await?;
    Ok(())
}
