//! Stored conversations: rewind, branch, export and import, a second process.

use hearth_engine::{Access, Engine, OpenOptions, Quiet, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::chat::Rewind;
use hearth_protocol::{ErrorCode, MessageId, Role, SessionKey};
use hearth_tests::{FORMATS, TestHome, ask, message, turn_events};
use std::sync::Arc;

async fn talked(home: &TestHome, engine: &Engine, turns: usize) {
    for number in 0..turns {
        home.server.push(Reply::new().text(format!("reply {number}")));
        ask(engine, message(&format!("message {number}"))).await.expect("asks");
    }
}

async fn said(engine: &Engine, session: SessionKey) -> Vec<String> {
    let rows = api::sessions::rows(engine, session).await.expect("rows");
    rows.into_iter().map(|row| row.text).collect()
}

#[tokio::test]
async fn edit_and_resend_replaces_the_end_and_branch_keeps_it() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    talked(&home, &engine, 2).await;
    let messages = api::sessions::messages(&engine, SessionKey::main()).await.expect("messages");
    let second = messages.iter().filter(|message| message.role == Role::User).nth(1).expect("two");
    home.server.push(Reply::new().text("branched"));
    let mut listener = engine.listen();
    let rewind = Rewind {
        session: SessionKey::main(),
        message: second.id.clone(),
        text: Some("other".into()),
        branch: true,
        message_id: MessageId::new().0,
    };
    let branched = api::chat::rewind(&engine, rewind.clone()).await.expect("branches");
    turn_events(&mut listener, &branched.turn).await;
    assert_eq!(
        said(&engine, branched.session).await,
        ["message 0", "reply 0", "other", "branched"]
    );
    assert_eq!(
        said(&engine, SessionKey::main()).await,
        ["message 0", "reply 0", "message 1", "reply 1"]
    );
    home.server.push(Reply::new().text("again"));
    let retried = api::chat::rewind(&engine, Rewind { text: None, branch: false, ..rewind })
        .await
        .expect("rewinds");
    turn_events(&mut listener, &retried.turn).await;
    assert_eq!(
        said(&engine, SessionKey::main()).await,
        ["message 0", "reply 0", "message 1", "again"]
    );
    engine.close().await;
}

#[tokio::test]
async fn a_second_engine_reads_and_may_not_write() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    talked(&home, &engine, 1).await;
    assert_eq!(home.open().await.map(drop).expect_err("busy").code, ErrorCode::HomeBusy);
    let options = OpenOptions {
        home: Some(home.folder.path().to_path_buf()),
        host: Arc::new(Quiet),
        access: Access::Read,
    };
    let reader = Engine::open(options).await.expect("reads");
    assert_eq!(said(&reader, SessionKey::main()).await, ["message 0", "reply 0"]);
    let refused = api::chat::submit(&reader, message("no")).await.expect_err("refuses");
    assert_eq!(refused.code, ErrorCode::HomeBusy);
    reader.close().await;
    engine.close().await;
    home.open().await.expect("free again").close().await;
}

#[tokio::test]
async fn an_export_reads_back_the_same() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    talked(&home, &engine, 2).await;
    let export = api::sessions::export(&engine, SessionKey::main()).await.expect("exports");
    let copy = api::sessions::import(&engine, &export, None).await.expect("imports").session;
    assert_ne!(copy, SessionKey::main(), "its own key is taken");
    assert_eq!(said(&engine, copy.clone()).await, said(&engine, SessionKey::main()).await);
    let turns = |key| api::sessions::open(&engine, key);
    let (first, second) = (turns(SessionKey::main()).await, turns(copy).await);
    assert_eq!(first.expect("opens").turns.len(), second.expect("opens").turns.len());
    let named = api::sessions::import(&engine, &export, Some(SessionKey::main())).await;
    assert_eq!(named.expect_err("the named key is taken").code, ErrorCode::InvalidRequest);
    engine.close().await;
}
