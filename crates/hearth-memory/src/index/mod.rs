//! `index.db`: what was read from the files, ready to be searched. Nothing in it is the only copy.
//!
//! Invariants: one connection writes; a chunk's id holds its generation in the upper bits and is never given
//! twice; a search sees one generation, the current one, and the switch to another is one transaction. A
//! file that is damaged or of another layout is set aside, never overwritten, and a new one begun.

mod read;
mod row;
mod write;

pub(crate) use read::Pending;
pub(crate) use row::{Row, mark};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Result;

const LAYOUT: i64 = 1;
const READERS: u32 = 3;
/// Statements that a connection keeps compiled: those of a search.
const STATEMENTS: usize = 16;
/// Pages that a reader keeps, in KiB: a search by words touches many of them.
const READER_CACHE: &str = "-3072";
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// An index up to this size is checked whole when it is opened; it takes a tenth of a second.
const CHECKED_WHOLE: i64 = 64 << 20;
/// Bits of a chunk's id below its generation.
const GENERATION_BITS: i64 = 40;

/// The open index. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    writer: SqlitePool,
    readers: SqlitePool,
    kept: row::Kept,
}

/// An opened index, and what had to be done to get it.
pub(crate) struct Opened {
    pub(crate) index: Index,
    /// Where a damaged file lies now.
    pub(crate) set_aside: Option<PathBuf>,
}

impl Index {
    /// Opens the file, making it where it is absent or damaged. One that is only locked is left alone.
    pub(crate) async fn open(path: &Path) -> Result<Opened> {
        match Self::attempt(path).await {
            Ok(index) => Ok(Opened { index, set_aside: None }),
            Err(error) if !error.is_damage() => Err(error),
            Err(_) => Self::open_anew(path).await,
        }
    }

    /// Sets the file aside and begins a new one.
    pub(crate) async fn open_anew(path: &Path) -> Result<Opened> {
        let set_aside = set_aside(path)?;
        tracing::warn!(path = %set_aside.display(), "the memory index was unusable and is set aside");
        Ok(Opened { index: Self::attempt(path).await?, set_aside: Some(set_aside) })
    }

    async fn attempt(path: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY_TIMEOUT)
            .statement_cache_capacity(STATEMENTS)
            // What is removed is overwritten: forgotten text must not lie in the file.
            .pragma("secure_delete", "ON");
        let pool = || SqlitePoolOptions::new().idle_timeout(None).max_lifetime(None);
        let writer = pool().max_connections(1).connect_with(options.clone()).await?;
        if let Err(error) = prepare(&writer).await {
            writer.close().await;
            return Err(error);
        }
        let options = options.pragma("cache_size", READER_CACHE);
        let readers = pool().max_connections(READERS).connect_lazy_with(options);
        Ok(Self { writer, readers, kept: row::Kept::default() })
    }

    /// Wipes words of removed chunks from the full text and the write-ahead log.
    pub(crate) async fn scrub(&self) -> Result<()> {
        for statement in [
            "INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            sqlx::query(statement).execute(&self.writer).await?;
        }
        Ok(())
    }

    /// Ends all connections.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// A value by name.
    pub(crate) async fn meta(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let value = sqlx::query_scalar("SELECT value FROM meta WHERE key = ?").bind(key);
        Ok(value.fetch_optional(&self.readers).await?)
    }

    /// Sets a value.
    pub(crate) async fn set_meta(&self, key: &str, value: &[u8]) -> Result<()> {
        sqlx::query("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
            .bind(key)
            .bind(value)
            .execute(&self.writer)
            .await?;
        Ok(())
    }
}

async fn size(writer: &SqlitePool) -> Result<i64> {
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(writer).await?;
    let page: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(writer).await?;
    Ok(pages.saturating_mul(page))
}

/// First and last id of a generation.
fn ids_of(generation: i64) -> (i64, i64) {
    (generation << GENERATION_BITS, ((generation + 1) << GENERATION_BITS) - 1)
}

async fn prepare(writer: &SqlitePool) -> Result<()> {
    let layout: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(writer).await?;
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema").fetch_one(writer).await?;
    if tables == 0 {
        let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *tx).await?;
        tx.commit().await?;
    } else if layout != LAYOUT {
        return Err(crate::MemoryError::Layout(layout));
    }
    if size(writer).await? <= CHECKED_WHOLE {
        let said: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(writer).await?;
        if said != "ok" {
            tracing::warn!(said, "the memory index is damaged");
            return Err(crate::MemoryError::Damaged(said));
        }
    }
    // Touches each table, so that damage to any shows now.
    for look in [
        "SELECT count(*) FROM (SELECT 1 FROM meta LIMIT 1)",
        "SELECT count(*) FROM (SELECT text FROM chunks ORDER BY id DESC LIMIT 1)",
        "SELECT count(*) FROM (SELECT hash FROM files LIMIT 1)",
        "SELECT count(*) FROM (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'a' LIMIT 1)",
        "SELECT count(*) FROM (SELECT data FROM vectors ORDER BY chunk DESC LIMIT 1)",
        "SELECT count(*) FROM (SELECT data FROM embedding_cache LIMIT 1)",
    ] {
        sqlx::query(look).execute(writer).await?;
    }
    Ok(())
}

/// Moves the file out of the way, with what SQLite keeps beside it.
fn set_aside(path: &Path) -> Result<PathBuf> {
    let aside = path.with_extension("damaged.db");
    let moved = std::fs::rename(path, &aside);
    for suffix in ["-wal", "-shm"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        // Absent after a clean end.
        let _ = std::fs::remove_file(beside);
    }
    moved.map_err(|error| sqlx::Error::Io(error).into()).map(|()| aside)
}
