//! Sessions, turns, messages and events as the engine writes and the window reads them.

use crate::support::{Home, calls, event, exchange, key, lines, result, say, text, tool_end, turn};
use hearth_protocol::api::chat::SessionChange;
use hearth_protocol::{
    Arguments, EventBody, Message, Part, Role, SessionKey, StopReason, ToolCall, ToolResult,
};
use hearth_store::{EventLog, StoreError, TurnState};

#[tokio::test]
async fn a_turn_is_stored_and_read_back_whole() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    exchange(store, &main, "t1", "Where is Oslo?", "In Norway.").await;
    let home = home.reopen().await;
    let store = &home.store;

    let messages = store.messages(&main).await.expect("messages");
    assert_eq!(lines(&messages), ["user: where is oslo?", "assistant: in norway."]);
    let turns = store.turns(&main).await.expect("turns");
    assert_eq!(turns.len(), 1);
    assert_eq!(
        (turns[0].state, turns[0].stop, turns[0].steps, turns[0].model.as_deref()),
        (TurnState::Done, Some(StopReason::Finished), 1, Some("local/qwen"))
    );
    let events = store.events(&main, &"t1".into()).await.expect("events");
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3]);

    let transcript = store.transcript(&main).await.expect("transcript");
    assert_eq!(transcript.session.title, "Where is Oslo?");
    assert_eq!((transcript.session.turns, transcript.session.running), (1, false));
    let view = &transcript.turns[0];
    assert_eq!((view.messages.clone(), view.running), (messages, false));
    let kinds: Vec<_> = view.events.iter().map(|event| event.seq).collect();
    assert_eq!(kinds, [1, 3], "text is in the messages");
}

#[tokio::test]
async fn a_queued_message_waits_its_turn() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    store.queue_turn(&turn("t1", &main), Some(&say(Role::User, "q1", "t1", "one"))).await.unwrap();
    store.start_turn(&"t1".into(), 101).await.unwrap();
    store.queue_turn(&turn("t2", &main), Some(&say(Role::User, "q2", "t2", "two"))).await.unwrap();
    store.hold(&"t1".into(), &say(Role::User, "s1", "t1", "also")).await.unwrap();

    let shown = store.transcript(&main).await.unwrap();
    assert!(shown.session.running);
    let texts: Vec<_> = shown.turns.iter().map(|view| lines(&view.messages)).collect();
    assert_eq!(texts, [vec!["user: one", "user: also"], vec!["user: two"]]);

    store
        .append(&main, &[calls("a1", "t1", "let me see", &["c1"]), result("r1", "t1", "c1")])
        .await
        .unwrap();
    assert_eq!(lines(&store.take_held(&"t1".into()).await.unwrap()), ["user: also"]);
    assert_eq!(store.take_held(&"t1".into()).await.unwrap(), []);
    store.append(&main, &[say(Role::Assistant, "a2", "t1", "done")]).await.unwrap();
    store.finish_turn(&"t1".into(), StopReason::Finished, 2, None, 102).await.unwrap();
    store.start_turn(&"t2".into(), 103).await.unwrap();

    let expected = [
        "user: one",
        "assistant: let me see + call c1",
        "tool: c1 true",
        "user: also",
        "assistant: done",
        "user: two",
    ];
    assert_eq!(lines(&store.messages(&main).await.unwrap()), expected);
    let gone = store.hold(&"t1".into(), &say(Role::User, "s2", "t1", "late")).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn sessions_are_named_marked_and_deleted() {
    let home = Home::new().await;
    let (store, main, other) = (&home.store, SessionKey::main(), key("assistant:other"));
    exchange(store, &main, "t1", "First words\nand more", "yes").await;
    exchange(store, &other, "t2", "Other words", "yes").await;
    let change = |title: Option<&str>, model: Option<&str>| SessionChange {
        title: title.map(Into::into),
        model: model.map(Into::into),
        ..SessionChange::default()
    };
    store.change_session(&main, &change(Some(" My name "), Some("work/gpt"))).await.unwrap();
    store
        .change_session(&main, &SessionChange { pinned: Some(true), ..Default::default() })
        .await
        .unwrap();
    let list = store.sessions().await.unwrap();
    let row =
        |index: usize| (list[index].key.clone(), list[index].title.as_str(), list[index].pinned);
    assert_eq!(row(0), (main.clone(), "My name", true));
    assert_eq!(row(1), (other.clone(), "Other words", false));
    assert_eq!(list[0].model.as_deref(), Some("work/gpt"));

    store.change_session(&main, &change(Some(""), Some(""))).await.unwrap();
    let info = store.session(&main).await.unwrap().expect("there");
    assert_eq!((info.title.as_str(), info.model), ("First words", None));

    store.delete_session(&main).await.unwrap();
    assert_eq!(store.session(&main).await.unwrap(), None);
    assert_eq!(store.messages(&main).await.unwrap(), []);
    assert_eq!(store.events(&main, &"t1".into()).await.unwrap(), []);
    assert!(matches!(store.delete_session(&main).await, Err(StoreError::NotFound { .. })));
    assert!(matches!(store.transcript(&main).await, Err(StoreError::NotFound { .. })));
    assert_eq!(store.messages(&other).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_running_session_is_not_deleted() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    store.queue_turn(&turn("t1", &main), None).await.unwrap();
    assert!(matches!(store.delete_session(&main).await, Err(StoreError::Refused(_))));
}

#[tokio::test]
async fn an_append_is_all_or_nothing() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    let message = Message::text(Role::User, "hello", 1);
    let absent = store.append(&main, std::slice::from_ref(&message)).await;
    assert!(matches!(absent, Err(StoreError::NotFound { .. })));
    store.ensure_session(&main, 1).await.unwrap();
    store.append(&main, &[message.clone(), message.clone()]).await.expect_err("an id twice");
    assert_eq!(store.messages(&main).await.unwrap(), []);
    store.append(&main, std::slice::from_ref(&message)).await.unwrap();
    assert_eq!(store.messages(&main).await.unwrap(), [message]);
}

#[tokio::test]
async fn the_event_log_keeps_order_and_merges_deltas() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    store.queue_turn(&turn("t1", &main), None).await.unwrap();
    let log = EventLog::start(store.clone());
    let mut bodies = vec![EventBody::Started {}];
    bodies.extend((0..500).map(|number| text(&format!("{number} "))));
    bodies.push(crate::support::tool_start("c1"));
    bodies.push(tool_end("c1"));
    bodies.extend((500..600).map(|number| text(&format!("{number} "))));
    for (seq, body) in (1..).zip(bodies) {
        log.push(event(&main, "t1", seq, body));
    }
    log.flush().await.expect("stored");
    let events = store.events(&main, &"t1".into()).await.unwrap();
    let joined: String = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let expected: String = (0..600).map(|number| format!("{number} ")).collect();
    assert_eq!(joined, expected);
    assert!(events.len() < 600, "{} rows", events.len());
    assert_eq!(events.last().map(|event| event.seq), Some(603));
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

#[tokio::test]
async fn the_event_log_reports_what_it_cannot_store() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    let log = EventLog::start(store.clone());
    log.push(event(&main, "t1", 1, EventBody::Started {}));
    log.flush().await.expect_err("the turn is unknown");
    store.queue_turn(&turn("t2", &main), None).await.unwrap();
    log.push(event(&main, "t2", 1, EventBody::Started {}));
    log.flush().await.expect_err("still unknown");
    assert_eq!(store.events(&main, &"t2".into()).await.unwrap().len(), 1, "others go on");
    store.queue_turn(&turn("t1", &main), None).await.unwrap();
    log.flush().await.expect("kept and stored now");
    assert_eq!(store.events(&main, &"t1".into()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn rewinding_keeps_the_old_branch_off_the_path() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    exchange(store, &main, "t1", "one", "1").await;
    exchange(store, &main, "t2", "two", "2").await;
    exchange(store, &main, "t3", "three", "3").await;
    let again = say(Role::User, "t4-q", "t4", "two, again");
    store.rewind(&"t2-q".into(), &turn("t4", &main), &again).await.unwrap();
    store.start_turn(&"t4".into(), 110).await.unwrap();

    let path = lines(&store.messages(&main).await.unwrap());
    assert_eq!(path, ["user: one", "assistant: 1", "user: two, again"]);
    let shown = store.transcript(&main).await.unwrap();
    let turns: Vec<_> = shown.turns.iter().filter_map(|view| view.turn.clone()).collect();
    assert_eq!(turns, ["t1".into(), "t4".into()]);
    assert_eq!(shown.session.turns, 2);
    let (_, old) = store.message(&"t2-q".into()).await.expect("still stored");
    assert_eq!(old.joined_text(), "two");

    let refused = [("t3-q", "left behind"), ("t1-a", "not the user's"), ("t1-q", "a turn runs")];
    for (message, why) in refused {
        let outcome = store.rewind(&message.into(), &turn("t5", &main), &again).await;
        assert!(matches!(outcome, Err(StoreError::Refused(_))), "{why}: {outcome:?}");
    }
}

#[tokio::test]
async fn branching_leaves_the_session_and_copies_its_beginning() {
    let home = Home::new().await;
    let (store, main, branch) = (&home.store, SessionKey::main(), key("assistant:branch"));
    store.ensure_session(&main, 1).await.unwrap();
    store.append(&main, &[Message::text(Role::User, "imported", 1)]).await.unwrap();
    exchange(store, &main, "t1", "one", "1").await;
    exchange(store, &main, "t2", "two", "2").await;
    let before = store.transcript(&main).await.unwrap();
    let other = say(Role::User, "b-q", "b1", "another two");
    store.branch(&"t2-q".into(), &turn("b1", &branch), &other).await.unwrap();
    store.start_turn(&"b1".into(), 110).await.unwrap();

    assert_eq!(store.transcript(&main).await.unwrap(), before);
    let path = lines(&store.messages(&branch).await.unwrap());
    assert_eq!(path, ["user: imported", "user: one", "assistant: 1", "user: another two"]);
    let shown = store.transcript(&branch).await.unwrap();
    assert_eq!(shown.session.title, "imported");
    assert_eq!(shown.turns.len(), 3);
    assert_eq!(shown.turns[1].events.len(), 2, "events come along");
    assert_ne!(shown.turns[1].turn, Some("t1".into()), "under an id of their own");
    let taken = store.branch(&"t2-q".into(), &turn("b2", &branch), &other).await;
    assert!(matches!(taken, Err(StoreError::Exists { .. })));
}

#[tokio::test]
async fn each_message_of_no_turn_is_a_piece_and_an_imported_question_keeps_its_reply() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    store.ensure_session(&main, 1).await.unwrap();
    let arguments = Arguments::Malformed("ls".to_owned());
    let call = ToolCall { id: "c".into(), name: "exec".to_owned(), arguments };
    let result = ToolResult { call: "c".into(), ok: true, text: "notes".to_owned() };
    let told = [
        Message::text(Role::Assistant, "Disk full", 1),
        Message::text(Role::Assistant, "Tea is ready", 2),
        Message::text(Role::User, "Old question", 3),
        Message { parts: vec![Part::ToolCall(call)], ..Message::text(Role::Assistant, "", 4) },
        Message { parts: vec![Part::ToolResult(result)], ..Message::text(Role::Tool, "", 5) },
        Message::text(Role::Assistant, "Old reply", 6),
        Message::text(Role::Assistant, "Rain", 7),
    ];
    store.append(&main, &told).await.unwrap();
    let shown = store.transcript(&main).await.unwrap();
    let pieces: Vec<Vec<i64>> =
        shown.turns.iter().map(|view| view.messages.iter().map(|one| one.at).collect()).collect();
    assert_eq!(pieces, [vec![1], vec![2], vec![3, 4, 5, 6], vec![7]]);
}
