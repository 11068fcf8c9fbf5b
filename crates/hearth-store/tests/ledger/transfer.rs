//! Export and import.

use crate::support::{Home, calls, event, exchange, key, lines, say, tool_start, turn};
use hearth_protocol::{EventBody, Role, SessionKey};
use hearth_store::{Partial, Store, StoreError, TurnState};

async fn rich(store: &Store) -> SessionKey {
    let main = SessionKey::main();
    exchange(store, &main, "t1", "one", "1").await;
    exchange(store, &main, "t2", "two", "2").await;
    let again = say(Role::User, "t3-q", "t3", "two — 再来");
    store.rewind(&"t2-q".into(), &turn("t3", &main), &again).await.expect("rewinds");
    store.start_turn(&"t3".into(), 110).await.expect("starts");
    main
}

async fn import(store: &Store, text: &str, key: Option<&SessionKey>) -> Result<(), StoreError> {
    store.import(text.as_bytes(), key, 500).await.map(|_| ())
}

#[tokio::test]
async fn a_session_comes_back_as_it_was() {
    let (from, to) = (Home::new().await, Home::new().await);
    let main = rich(&from.store).await;
    let finished = hearth_protocol::StopReason::Finished;
    from.store.finish_turn(&"t3".into(), finished, 0, None, 120).await.unwrap();
    let exported = from.store.export(&main).await.unwrap();
    let imported = to.store.import(exported.as_bytes(), None, 500).await.unwrap();
    assert_eq!((imported.turns, imported.messages, imported.events), (3, 5, 6));
    assert_eq!(to.store.export(&main).await.unwrap(), exported);
    let transcript = from.store.transcript(&main).await.unwrap();
    assert_eq!(to.store.transcript(&main).await.unwrap(), transcript);

    let twice = import(&to.store, &exported, None).await;
    assert!(matches!(twice, Err(StoreError::Exists { .. })), "{twice:?}");
    let copy = key("assistant:copy");
    import(&to.store, &exported, Some(&copy)).await.expect("under another key beside the first");
    let path = lines(&to.store.messages(&copy).await.unwrap());
    assert_eq!(path, lines(&to.store.messages(&main).await.unwrap()));
    assert_eq!(to.store.transcript(&main).await.unwrap(), transcript, "the first is untouched");
}

#[tokio::test]
async fn a_running_session_comes_in_interrupted() {
    let (from, to) = (Home::new().await, Home::new().await);
    let main = rich(&from.store).await;
    let store = &from.store;
    store.append(&main, &[calls("a", "t3", "", &["c1"])]).await.unwrap();
    let events =
        [event(&main, "t3", 1, EventBody::Started {}), event(&main, "t3", 2, tool_start("c1"))];
    store.append_events(&events).await.unwrap();
    let partial = Partial { step: 2, text: "so far".into(), reasoning: String::new() };
    store.save_partial(&"t3".into(), &partial).await.unwrap();
    store.hold(&"t3".into(), &say(Role::User, "s", "t3", "and this")).await.unwrap();

    let exported = store.export(&main).await.unwrap();
    import(&to.store, &exported, None).await.expect("imports");
    let path = lines(&to.store.messages(&main).await.unwrap());
    assert_eq!(
        path[2..],
        [
            "user: two — 再来",
            "assistant:  + call c1",
            "tool: c1 false",
            "assistant: so far",
            "user: and this"
        ]
    );
    let turns = to.store.turns(&main).await.unwrap();
    assert_eq!(turns[2].state, TurnState::Interrupted);
    assert_eq!(store.partial(&"t3".into()).await.unwrap(), Some(partial), "export only reads");
}

#[tokio::test]
async fn a_bad_line_imports_nothing_and_is_named() {
    let (from, to) = (Home::new().await, Home::new().await);
    let main = rich(&from.store).await;
    let good = from.store.export(&main).await.unwrap();
    let good: Vec<&str> = good.lines().collect();
    let last = good.len() + 1;
    let newer = good[0].replace("\"format\":1", "\"format\":2");
    let cases: [(&[&str], usize); 8] = [
        (&["{"], last),
        (&["{\"type\":\"poem\"}"], last),
        (&[good[1]], last),
        (&[good[0]], last),
        (
            &[
                "\n\n{\"type\":\"message\",\"id\":\"x\",\"role\":\"user\",\"parts\":[],\"at\":1,\"turn\":\"nobody\"}",
            ],
            last + 2,
        ),
        (&["{\"type\":\"message\",\"id\":\"x\",\"role\":\"emperor\",\"parts\":[],\"at\":1}"], last),
        (&[good[good.len() - 1]], last),
        (
            &["{\"type\":\"event\",\"event\":\"text\",\"text\":\"x\",\"seq\":99,\"turn\":\"t1\"}"],
            last,
        ),
    ];
    let whole = |more: &[&str]| [&good[..], more].concat().join("\n");
    let mut tried: Vec<(String, usize)> =
        cases.iter().map(|(more, line)| (whole(more), *line)).collect();
    tried.push((good[1..].join("\n"), 1));
    tried.push((String::new(), 1));
    tried.push((newer, 1));
    for (file, line) in tried {
        match import(&to.store, &file, None).await {
            Err(StoreError::Import { line: named, .. }) => assert_eq!(named, line),
            other => panic!("{other:?} for line {line}"),
        }
        assert_eq!(to.store.sessions().await.unwrap(), []);
    }
    let bytes = [good.join("\n").as_bytes(), b"\n\xff\xfe"].concat();
    let outcome = to.store.import(&bytes[..], None, 1).await;
    assert!(matches!(outcome, Err(StoreError::Import { line, .. }) if line == last));
    import(&to.store, &whole(&[]), None).await.expect("and the good lines alone are fine");
}
