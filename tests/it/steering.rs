//! Messages to a session where a turn runs, and stopping.

use hearth_engine::api;
use hearth_engine::{Engine, Heard, Listener};
use hearth_llm::scripted::{Gate, Reply};
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{EventBody, Origin, Role, SessionKey, StopReason, TurnId};
use hearth_tests::{FORMATS, TestHome, ask, done, message, names, turn_events};

async fn start(engine: &Engine, request: Submit) -> TurnId {
    match api::chat::submit(engine, request).await.expect("submits") {
        Submitted::Turn { turn } => turn,
        other => panic!("not a turn: {other:?}"),
    }
}

async fn until_text(listener: &mut Listener) {
    while let Some(heard) = listener.next().await {
        if matches!(heard, Heard::Signal(Signal::Turn(event)) if matches!(event.body, EventBody::Text { .. }))
        {
            return;
        }
    }
}

#[tokio::test]
async fn stop_ends_the_stream_and_keeps_what_was_said() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().text("So far ").hold(&Gate::default()).text("never"));
    let (mut events, mut texts) = (engine.listen(), engine.listen());
    let turn = start(&engine, message("tell")).await;
    until_text(&mut texts).await;
    assert!(api::chat::stop(&engine, SessionKey::main()).await.expect("stops"));
    let events = turn_events(&mut events, &turn).await;
    assert_eq!(done(&events), Some(("So far ".into(), StopReason::Cancelled)));
    home.server.dropped(1).await;
    let rows = api::sessions::rows(&engine, SessionKey::main()).await.expect("rows");
    let rows: Vec<_> = rows.iter().map(|row| (row.role, row.text.as_str())).collect();
    assert_eq!(rows[..2], [(Role::User, "tell"), (Role::Assistant, "So far ")]);
    engine.close().await;
}

#[tokio::test]
async fn a_message_into_a_running_turn_steers_it() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let gate = Gate::default();
    home.server.push(Reply::new().text("First.").hold(&gate));
    home.server.push(Reply::new().text("Second."));
    let (mut events, mut texts) = (engine.listen(), engine.listen());
    let turn = start(&engine, message("one")).await;
    until_text(&mut texts).await;
    let steered = api::chat::submit(&engine, message("two")).await.expect("submits");
    assert_eq!(steered, Submitted::Steered { turn: turn.clone() });
    gate.open();
    let events = turn_events(&mut events, &turn).await;
    assert!(names(&events).contains(&"steered".to_owned()), "{:?}", names(&events));
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Finished));
    let asked = home.server.requests()[1].body.to_string();
    assert!(asked.contains("two"));
    let rows = api::sessions::rows(&engine, SessionKey::main()).await.expect("rows");
    let said: Vec<_> =
        rows.iter().filter(|row| row.role == Role::User).map(|row| row.text.clone()).collect();
    assert_eq!(said, ["one", "two"]);
    engine.close().await;
}

#[tokio::test]
async fn asks_of_the_command_line_queue_in_order() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let mut listener = engine.listen();
    let mut turns = Vec::new();
    for number in 0..3 {
        home.server.push(Reply::new().text(format!("reply {number}")));
        let request = Submit { origin: Origin::Cli, ..message(&format!("message {number}")) };
        turns.push(start(&engine, request).await);
    }
    for (number, turn) in turns.iter().enumerate() {
        let events = turn_events(&mut listener, turn).await;
        assert_eq!(done(&events).map(|(reply, _)| reply), Some(format!("reply {number}")));
    }
    engine.close().await;
}

#[tokio::test]
async fn the_same_message_twice_is_one_turn() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().text("Once."));
    let request = message("hello");
    ask(&engine, request.clone()).await.expect("asks");
    assert_eq!(api::chat::submit(&engine, request).await.expect("submits"), Submitted::Duplicate);
    let help = api::chat::submit(&engine, message("/help")).await.expect("submits");
    assert!(matches!(help, Submitted::Command { text } if text.contains("/stop")));
    engine.close().await;
}

/// Two messages, the second one while the first is answered.
async fn two(busy: &str) -> (Vec<(String, StopReason)>, TestHome, Engine) {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}[context]\nbusy = \"{busy}\"\n")).expect("writes");
    let engine = home.open().await.expect("opens");
    let gate = Gate::default();
    home.server.push(Reply::new().text("First").hold(&gate).text("."));
    home.server.push(Reply::new().text("Second."));
    let (mut events, mut texts) = (engine.listen(), engine.listen());
    let first = start(&engine, message("one")).await;
    until_text(&mut texts).await;
    let second = start(&engine, message("two")).await;
    if busy == "queue" {
        gate.open();
    }
    let mut ends = Vec::new();
    for turn in [first, second] {
        ends.extend(done(&turn_events(&mut events, &turn).await));
    }
    (ends, home, engine)
}

#[tokio::test]
async fn a_message_waits_for_its_turn_or_interrupts_as_the_settings_say() {
    let (ends, _home, engine) = two("queue").await;
    let expected = [("First.", StopReason::Finished), ("Second.", StopReason::Finished)];
    assert_eq!(ends, expected.map(|(reply, stop)| (reply.to_owned(), stop)));
    engine.close().await;
    let (ends, home, engine) = two("interrupt").await;
    let expected = [("First", StopReason::Cancelled), ("Second.", StopReason::Finished)];
    assert_eq!(ends, expected.map(|(reply, stop)| (reply.to_owned(), stop)));
    let asked = home.server.requests()[1].body.to_string();
    assert!(asked.contains("one") && asked.contains("First") && asked.contains("two"));
    engine.close().await;
}
