//! What commands changed in the workspace, taken back with their turn.

#![cfg(target_os = "linux")]

use crate::approvals::home;
use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::api::files::UndoneState::{self, Conflict, Refused, Removed, Restored};
use hearth_protocol::{Event, EventBody, SessionKey, TurnId};
use hearth_tests::{TestHome, ask, message};
use serde_json::json;

/// A turn that runs one command, which the person allowed.
pub(crate) async fn turn(home: &TestHome, engine: &Engine, command: &str) -> TurnId {
    home.server.push(Reply::new().call("exec", &json!({ "command": command })));
    home.server.push(Reply::new().text("Done."));
    let request = Submit { yes_to: vec!["exec".to_owned()], ..message("do it") };
    let events = ask(engine, request).await.expect("asks");
    let ran = |event: &Event| matches!(&event.body, EventBody::ToolEnd { ok: true, .. });
    assert!(events.iter().any(ran), "{events:?}");
    events[0].turn.clone()
}

pub(crate) async fn undo(engine: &Engine, turn: &TurnId) -> Vec<(String, UndoneState)> {
    let rows = api::undo::turn(engine, turn.clone()).await.expect("undoes");
    let mut rows: Vec<_> = rows.into_iter().map(|row| (row.path, row.state)).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

pub(crate) fn states(expected: &[(&str, UndoneState)]) -> Vec<(String, UndoneState)> {
    expected.iter().map(|(path, state)| ((*path).to_owned(), *state)).collect()
}

#[tokio::test]
async fn what_a_command_changed_made_and_removed_is_put_back() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = |name: &str| home.path(&format!("workspace/{name}"));
    std::fs::create_dir_all(path("notes")).expect("makes");
    std::fs::write(path("notes/a.txt"), "one\ntwo\n").expect("writes");
    std::fs::write(path("notes/b.csv"), "1,2\n").expect("writes");
    std::fs::write(path("notes/picture.bin"), b"\0\x01\xff").expect("writes");
    std::fs::write(path("notes/kept.txt"), "kept\n").expect("writes");
    let soul = std::fs::read(path("SOUL.md")).expect("a template");
    let command = "sed -i s/one/1/ notes/a.txt && rm notes/b.csv notes/picture.bin && echo new >notes/new.txt && \
                   printf x >>SOUL.md && touch notes/kept.txt";
    let turn = turn(&home, &engine, command).await;
    assert_eq!(std::fs::read(path("notes/a.txt")).expect("there"), b"1\ntwo\n");
    let expected = [
        ("SOUL.md", Restored),
        ("notes/a.txt", Restored),
        ("notes/b.csv", Restored),
        ("notes/new.txt", Removed),
        ("notes/picture.bin", Restored),
    ];
    assert_eq!(undo(&engine, &turn).await, states(&expected));
    assert_eq!(std::fs::read(path("notes/a.txt")).expect("there"), b"one\ntwo\n");
    assert_eq!(std::fs::read(path("notes/b.csv")).expect("there"), b"1,2\n");
    assert_eq!(std::fs::read(path("notes/picture.bin")).expect("there"), b"\0\x01\xff");
    assert_eq!(std::fs::read(path("SOUL.md")).expect("there"), soul);
    assert!(!path("notes/new.txt").exists());
    engine.close().await;
}

#[tokio::test]
async fn what_came_after_a_command_stays_and_what_is_too_large_is_said() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = |name: &str| home.path(&format!("workspace/{name}"));
    std::fs::write(path("a.txt"), "one\n").expect("writes");
    std::fs::write(path("large.txt"), "x".repeat(1_200_000)).expect("writes");
    let turn = turn(&home, &engine, "echo two >a.txt && echo y >>large.txt").await;
    std::fs::write(path("a.txt"), "three\n").expect("writes");
    assert_eq!(undo(&engine, &turn).await, states(&[("a.txt", Conflict), ("large.txt", Refused)]));
    assert_eq!(std::fs::read(path("a.txt")).expect("there"), b"three\n");
    engine.close().await;
}

#[tokio::test]
async fn a_command_that_is_stopped_leaves_what_it_did_to_be_put_back() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = home.path("workspace/a.txt");
    std::fs::write(&path, "one\n").expect("writes");
    home.server.push(
        Reply::new().call("exec", &json!({"command": "echo two >a.txt; echo wrote; sleep 60"})),
    );
    let mut heard = engine.listen();
    let stopping = async {
        crate::approvals::until(&mut heard, |body| {
            matches!(body, EventBody::ToolOutput { .. }).then_some(())
        })
        .await;
        api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
    };
    let request = Submit { yes_to: vec!["exec".to_owned()], ..message("do it") };
    let (events, ()) = tokio::join!(ask(&engine, request), stopping);
    let turn = events.expect("asks")[0].turn.clone();
    let noted = async {
        while api::undo::turn(&engine, turn.clone()).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), noted)
        .await
        .expect("noted soon after");
    assert_eq!(std::fs::read(&path).expect("there"), b"one\n");
    engine.close().await;
}

#[tokio::test]
async fn a_turn_that_changed_nothing_says_so() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let turn = turn(&home, &engine, "echo hi").await;
    let refused = api::undo::turn(&engine, turn).await.expect_err("refused");
    assert!(refused.message.contains("changed no file"), "{}", refused.message);
    assert!(refused.hint.contains("commands"), "{}", refused.hint);
    engine.close().await;
}
