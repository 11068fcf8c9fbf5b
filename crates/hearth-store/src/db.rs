//! Opening `hearth.db`: one writing connection, a few reading ones, migrations, checks.
//!
//! Invariants: all writes go through one connection with `BEGIN IMMEDIATE`, so they never deadlock;
//! readers see the last committed state and never wait for a writer (WAL).

use crate::{Result, StoreError};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqliteLockingMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Connection, Sqlite, SqliteConnection, Transaction};
use std::path::{Path, PathBuf};
use std::time::Duration;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const READERS: u32 = 4;
/// Statements that a connection keeps compiled: those of a turn. Of the driver's 100 each would hold all in time.
const STATEMENTS: usize = 32;
/// Pages that a connection keeps, in KiB. What is read here is read once in a turn; the system keeps the file.
const CACHE: &str = "-512";

/// The ledger. Cheap to clone; all clones share the connections.
#[derive(Debug, Clone)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Store {
    /// Opens the database of a home this process owns, makes it where absent, and migrates it.
    /// Call [`Store::recover`] next.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::Newer`], [`StoreError::Unopened`]; the file stays as it is.
    pub async fn open(path: &Path) -> Result<Self> {
        let options = options(path).create_if_missing(true);
        let writer = connect(path, options.clone()).await?;
        let opened = prepare(path, &writer).await;
        if let Err(error) = opened {
            writer.close().await;
            return Err(error);
        }
        Ok(Self { writer, readers: readers(options) })
    }

    /// Opens the database of a home that another process owns, to read only; also where the disk has no
    /// room or cannot be written.
    ///
    /// # Errors
    /// As [`Store::open`], and [`StoreError::Older`] where it would have to be migrated.
    pub async fn open_reader(path: &Path) -> Result<Self> {
        let options = options(path).read_only(true);
        match Self::reader(path, options).await {
            // Beside the file, readers need a small shared one, and there is no room or leave for it.
            Err(StoreError::DiskFull | StoreError::Disk(_) | StoreError::Unopened { .. }) => {
                Self::lone_reader(path).await
            }
            opened => opened,
        }
    }

    /// A single connection that shares nothing: its index of the write-ahead log is in memory. Nobody else
    /// can use the database meanwhile.
    async fn lone_reader(path: &Path) -> Result<Self> {
        let log = std::fs::metadata(path.with_extension("db-wal"));
        let nothing_in_log = log.map_or(true, |meta| meta.len() == 0);
        // A log with something in it must be read too; a file alone needs no locks.
        let options = match nothing_in_log {
            true => options(path).read_only(true).immutable(true),
            false => options(path).locking_mode(SqliteLockingMode::Exclusive),
        };
        let store = Self::reader(path, options).await?;
        Ok(Self { readers: store.writer.clone(), writer: store.writer })
    }

    async fn reader(path: &Path, options: SqliteConnectOptions) -> Result<Self> {
        let writer = connect(path, options.clone()).await?;
        let known = newest_known();
        let found = match applied(&writer).await.map_err(|error| at(path, error))? {
            Some(found) if found > known => {
                Err(StoreError::Newer { path: path.into(), found, known })
            }
            found if found != Some(known) => {
                Err(StoreError::Older { path: path.into(), found: found.unwrap_or(0), known })
            }
            _ => Ok(()),
        };
        if let Err(error) = found {
            writer.close().await;
            return Err(error);
        }
        Ok(Self { writer, readers: readers(options) })
    }

    /// Reads the whole file and compares its pages and indexes: slow on a large one, for `doctor`.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with SQLite's first finding.
    pub async fn check(&self) -> Result<()> {
        let finding: String =
            sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(&self.readers).await?;
        match finding.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::Damaged { path: PathBuf::from("hearth.db"), detail: finding }),
        }
    }

    /// Ends all connections; the write-ahead log is folded into the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Begins a writing transaction; dropped without a commit it leaves no trace.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// The writing connection, for what must be on the disk when it is committed, not a moment later.
    pub(crate) async fn durable(&self) -> Result<PoolConnection<Sqlite>> {
        let mut connection = self.writer.acquire().await?;
        sqlx::query("PRAGMA synchronous = FULL").execute(&mut *connection).await?;
        Ok(connection)
    }

    /// Gives the connection of [`Store::durable`] back.
    pub(crate) async fn done_durable(&self, mut connection: PoolConnection<Sqlite>) -> Result<()> {
        sqlx::query("PRAGMA synchronous = NORMAL").execute(&mut *connection).await?;
        Ok(())
    }

    /// Writes the file anew, so that nothing of what was deleted is left in its unused pages.
    pub(crate) async fn scrub(&self) -> Result<()> {
        sqlx::query("VACUUM").execute(&self.writer).await?;
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.writer).await?;
        Ok(())
    }

    /// Writes all of it, as it is at one moment, into a new file. Others go on reading and writing.
    ///
    /// # Errors
    /// The database's, also where the file is there already.
    pub async fn copy_to(&self, path: &Path) -> Result<()> {
        let name = path.to_str().ok_or_else(|| {
            StoreError::Refused(format!("{} is no name for a database", path.display()))
        })?;
        sqlx::query("VACUUM INTO ?").bind(name).execute(&self.readers).await?;
        Ok(())
    }

    /// For single reading statements.
    pub(crate) fn read(&self) -> &SqlitePool {
        &self.readers
    }

    /// For several reading statements that must see one state.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>> {
        Ok(self.readers.begin().await?)
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("cache_size", CACHE)
        .statement_cache_capacity(STATEMENTS)
        .foreign_keys(true)
}

async fn connect(path: &Path, options: SqliteConnectOptions) -> Result<SqlitePool> {
    let pool = pool().max_connections(1).before_acquire(|connection, _| Box::pin(idle(connection)));
    let pool = pool.connect_with(options).await;
    pool.map_err(|error| at(path, error.into()))
}

/// Whether a connection can begin a transaction. After an error such as a full disk SQLite has rolled
/// back by itself, and sqlx, whose own rollback then fails, counts that transaction as open for ever:
/// such a connection is given up for a new one.
async fn idle(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    // A rollback may still be on its way; the ping stands behind it.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

fn readers(options: SqliteConnectOptions) -> SqlitePool {
    pool()
        .max_connections(READERS)
        .connect_lazy_with(options.read_only(true).create_if_missing(false))
}

/// Connections to a file need neither a test before use nor a rest.
fn pool() -> SqlitePoolOptions {
    SqlitePoolOptions::new().test_before_acquire(false).idle_timeout(None).max_lifetime(None)
}

async fn prepare(path: &Path, writer: &SqlitePool) -> Result<()> {
    let known = newest_known();
    match applied(writer).await.map_err(|error| at(path, error))? {
        Some(found) if found > known => {
            return Err(StoreError::Newer { path: path.into(), found, known });
        }
        None if has_tables(writer).await.map_err(|error| at(path, error))? => {
            let detail = "it holds another program's tables".to_owned();
            return Err(StoreError::Damaged { path: path.into(), detail });
        }
        _ => {}
    }
    MIGRATIONS.run(writer).await.map_err(|error| migration(path, error))
}

fn newest_known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// The newest migration in the file; none in a new or foreign one, or where the first one was cut off.
async fn applied(pool: &SqlitePool) -> Result<Option<i64>> {
    let ledger: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
            .fetch_one(pool)
            .await?;
    if ledger == 0 {
        return Ok(None);
    }
    Ok(sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(pool).await?)
}

async fn has_tables(pool: &SqlitePool) -> Result<bool> {
    let tables: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name <> '_sqlx_migrations'",
    )
    .fetch_one(pool)
    .await?;
    Ok(tables > 0)
}

fn migration(path: &Path, error: MigrateError) -> StoreError {
    let failure = match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
        other => StoreError::Damaged { path: path.into(), detail: other.to_string() },
    };
    at(path, failure)
}

/// Names the file in errors that arise while it is opened.
fn at(path: &Path, error: StoreError) -> StoreError {
    let path = path.to_owned();
    match error {
        StoreError::Damaged { detail, .. } => StoreError::Damaged { path, detail },
        StoreError::Unopened { detail, .. } => StoreError::Unopened { path, detail },
        StoreError::Disk(detail) => StoreError::Unopened { path, detail },
        StoreError::Database(error @ sqlx::Error::Io(_)) => {
            StoreError::Unopened { path, detail: error.to_string() }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewTurn;
    use hearth_protocol::{ErrorCode, Message, Origin, Role, SessionKey, TurnId};

    #[tokio::test]
    async fn a_first_start_that_was_cut_off_is_made_good() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hearth.db");
        let writer = connect(&path, options(&path).create_if_missing(true)).await.expect("opens");
        let ledger = "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
                      installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL,
                      checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)";
        sqlx::query(ledger).execute(&writer).await.expect("makes the ledger alone");
        writer.close().await;
        let store = Store::open(&path).await.expect("opens all the same");
        assert!(store.sessions().await.expect("reads").is_empty());
    }

    #[tokio::test]
    async fn a_reader_alone_sees_what_stands_in_the_log_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hearth.db");
        let store = Store::open(&path).await.expect("opens");
        store.ensure_session(&SessionKey::main(), 1).await.expect("writes");
        // As after a crash: the log was not folded into the file.
        let crashed = folder.path().join("crashed.db");
        for end in ["", "-wal"] {
            let from = format!("{}{end}", path.display());
            std::fs::copy(from, format!("{}{end}", crashed.display())).expect("copies");
        }
        store.close().await;
        for file in [path, crashed] {
            let reader = Store::lone_reader(&file).await.expect("opens");
            assert_eq!(reader.sessions().await.expect("reads").len(), 1, "{}", file.display());
            reader.close().await;
        }
    }

    #[tokio::test]
    async fn a_full_disk_is_said_and_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("hearth.db")).await.expect("opens");
        let session = SessionKey::main();
        let turn = |id: &str| NewTurn {
            id: TurnId::from(id),
            session: session.clone(),
            origin: Origin::Cli,
            at: 1,
        };
        let big = Message::text(Role::User, "x".repeat(1 << 20), 1);
        let small = Message::text(Role::User, "x", 1);
        store.queue_turn(&turn("t1"), Some(&small)).await.expect("there is room");
        // The limit belongs to the connection, so the writer itself must take it.
        sqlx::query("PRAGMA max_page_count = 64").execute(&store.writer).await.expect("limits");

        let error = store.queue_turn(&turn("t2"), Some(&big)).await.expect_err("no room");
        assert!(matches!(error, StoreError::DiskFull), "{error:?}");
        assert_eq!(error.code(), ErrorCode::Storage);
        assert_eq!(store.turns(&session).await.expect("reads").len(), 1);
        store.queue_turn(&turn("t2"), Some(&small)).await.expect("a small one fits");
    }
}
