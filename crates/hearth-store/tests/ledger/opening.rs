//! Opening good, foreign, damaged, newer and older databases.

use crate::support::{Home, exchange};
use hearth_protocol::{ErrorCode, SessionKey};
use hearth_store::{Store, StoreError};
use sqlx::{Connection, SqliteConnection};
use std::fs;

/// Runs SQL on a closed database, as another program would.
async fn sql(path: &std::path::Path, statement: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut db = SqliteConnection::connect_with(&options).await.expect("connects");
    sqlx::query(statement).execute(&mut db).await.expect("runs");
    db.close().await.expect("closes");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hearth.db");
    fs::write(&path, "Dear diary, ".repeat(1000)).unwrap();
    let before = fs::read(&path).unwrap();
    for outcome in [Store::open(&path).await, Store::open_reader(&path).await] {
        let error = outcome.expect_err("no database");
        assert!(
            matches!(&error, StoreError::Damaged { path: named, .. } if *named == path),
            "{error}"
        );
        assert_eq!(error.code(), ErrorCode::Storage);
        assert!(error.hint().contains("backup"));
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hearth.db");
    sql(&path, "CREATE TABLE recipes (name TEXT)").await;
    let error = Store::open(&path).await.expect_err("foreign");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_damaged_page_is_found() {
    let home = Home::new().await;
    for number in 0..50 {
        let id = format!("t{number}");
        exchange(&home.store, &SessionKey::main(), &id, &"question ".repeat(50), "answer").await;
    }
    home.store.check().await.expect("sound");
    let path = home.path();
    home.store.close().await;
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    fs::write(&path, &bytes).unwrap();
    let outcome = match Store::open(&path).await {
        Ok(store) => store.check().await,
        Err(error) => Err(error),
    };
    assert!(matches!(outcome, Err(StoreError::Damaged { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_newer_or_older_schema_is_named() {
    let home = Home::new().await;
    let path = home.path();
    home.store.close().await;
    sql(&path, "UPDATE _sqlx_migrations SET version = 9000 WHERE version = 1").await;
    for outcome in [Store::open(&path).await, Store::open_reader(&path).await] {
        let error = outcome.expect_err("newer");
        assert!(matches!(error, StoreError::Newer { found: 9000, .. }), "{error}");
        assert!(error.to_string().contains("hearth.db"));
    }
    sql(&path, "DELETE FROM _sqlx_migrations WHERE version <> 9000").await;
    sql(&path, "UPDATE _sqlx_migrations SET version = 0").await;
    let error = Store::open_reader(&path).await.expect_err("older");
    assert!(matches!(error, StoreError::Older { found: 0, .. }), "{error}");
}

#[tokio::test]
async fn a_path_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("absent/hearth.db"), folder.path().to_path_buf()] {
        let error = Store::open(&path).await.expect_err("no place for it");
        assert!(
            matches!(&error, StoreError::Unopened { path: named, .. } if *named == path),
            "{error:?}"
        );
    }
    let error = Store::open_reader(&folder.path().join("hearth.db")).await.expect_err("absent");
    assert!(matches!(error, StoreError::Unopened { .. }), "{error:?}");
}

#[tokio::test]
async fn a_reader_reads_beside_the_owner_and_writes_nothing() {
    let home = Home::new().await;
    let reader = Store::open_reader(&home.path()).await.expect("opens");
    exchange(&home.store, &SessionKey::main(), "t1", "hello", "hi").await;
    assert_eq!(reader.messages(&SessionKey::main()).await.unwrap().len(), 2);
    let error = reader.set_meta("a", Some("b")).await.expect_err("read only");
    assert!(matches!(error, StoreError::Disk(_)), "{error:?}");
}
