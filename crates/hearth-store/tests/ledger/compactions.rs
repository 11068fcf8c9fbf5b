//! Compactions: what a model reads after them, the way back to the originals, and what a rewind does to them.

use crate::support::{Home, exchange, key, lines, say, turn};
use hearth_protocol::{Role, SessionKey};
use hearth_store::{Forgetting, NewCompaction, Store, StoreError};

async fn compact(store: &Store, session: &SessionKey, through: &str, summary: &str) -> i64 {
    let through = through.into();
    let new = NewCompaction {
        session,
        turn: None,
        through: &through,
        strategy: "hybrid",
        by_model: true,
        summary,
        from_tokens: 900,
        to_tokens: 300,
        at: 200,
    };
    store.compact(&new).await.expect("stores")
}

async fn talk(store: &Store, session: &SessionKey) {
    for n in 1..=5 {
        exchange(store, session, &format!("t{n}"), &format!("q{n}"), &format!("a{n}")).await;
    }
}

/// The summary and the messages that a model reads.
async fn window(store: &Store, session: &SessionKey) -> (Option<String>, Vec<String>) {
    let window = store.window(session).await.expect("reads");
    (window.earlier.map(|row| row.summary), lines(&window.messages))
}

#[tokio::test]
async fn a_model_reads_the_latest_summary_and_what_follows_and_the_originals_stay() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    talk(store, &main).await;
    assert_eq!(window(store, &main).await.0, None);
    let first = compact(store, &main, "t2-a", "one and two").await;
    let second = compact(store, &main, "t3-a", "one to three").await;
    let home = home.reopen().await;
    let store = &home.store;

    let (summary, messages) = window(store, &main).await;
    assert_eq!(summary.as_deref(), Some("one to three"));
    assert_eq!(messages, ["user: q4", "assistant: a4", "user: q5", "assistant: a5"]);
    assert_eq!(store.messages(&main).await.unwrap().len(), 10, "nothing is gone");
    let originals = store.originals(&main, first).await.unwrap();
    assert_eq!(lines(&originals), ["user: q1", "assistant: a1", "user: q2", "assistant: a2"]);
    let originals = store.originals(&main, second).await.unwrap();
    assert_eq!(lines(&originals), ["user: q3", "assistant: a3"]);
    let rows = store.compactions(&main).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.messages).collect::<Vec<_>>(), [4, 2]);
    assert_eq!((rows[1].from_tokens, rows[1].to_tokens, rows[1].by_model), (900, 300, true));
    let missing = store.originals(&key("assistant:other"), first).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
    let other = key("assistant:other");
    store.ensure_session(&other, 1).await.unwrap();
    let wrong = NewCompaction {
        session: &other,
        turn: None,
        through: &"t1-a".into(),
        strategy: "hybrid",
        by_model: false,
        summary: "x",
        from_tokens: 1,
        to_tokens: 1,
        at: 1,
    };
    assert!(matches!(store.compact(&wrong).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_rewind_before_it_undoes_a_compaction_and_a_branch_keeps_it() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    talk(store, &main).await;
    compact(store, &main, "t2-a", "one and two").await;
    compact(store, &main, "t4-a", "one to four").await;
    let branch = key("assistant:branch");
    let again = say(Role::User, "b-q", "b1", "q4 again");
    store.branch(&"t4-q".into(), &turn("b1", &branch), &again).await.expect("branches");
    let (summary, messages) = window(store, &branch).await;
    assert_eq!(summary.as_deref(), Some("one and two"));
    assert_eq!(messages, ["user: q3", "assistant: a3"]);

    let again = say(Role::User, "r-q", "r1", "q3 again");
    store.rewind(&"t3-q".into(), &turn("r1", &main), &again).await.expect("rewinds");
    assert_eq!(window(store, &main).await, (Some("one and two".into()), vec![]));
    store.start_turn(&"r1".into(), 300).await.unwrap();
    store
        .finish_turn(&"r1".into(), hearth_protocol::StopReason::Finished, 1, None, 301)
        .await
        .unwrap();
    let again = say(Role::User, "s-q", "s1", "q1 again");
    store.rewind(&"t1-q".into(), &turn("s1", &main), &again).await.expect("rewinds");
    assert_eq!(window(store, &main).await, (None, vec![]));
    assert_eq!(store.compactions(&main).await.unwrap(), []);
}

#[tokio::test]
async fn what_was_said_is_found_after_any_compaction() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    exchange(store, &main, "t1", "Order A-7731 for Zhang Wei", "Noted").await;
    exchange(store, &main, "t2", "会议是下午四点", "好的").await;
    compact(store, &main, "t2-a", "nothing of note").await;
    let find = async |session: Option<&SessionKey>, words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = store.find_messages(session, &words, 10).await.unwrap();
        found.into_iter().map(|(_, message)| message.id.0).collect::<Vec<_>>()
    };
    assert_eq!(find(None, &["a-7731", "WEI"]).await, ["t1-q"]);
    assert_eq!(find(Some(&main), &["下午四点"]).await, ["t2-q"]);
    assert_eq!(find(None, &["a-7731", "四点"]).await, [""; 0]);
    assert_eq!(find(Some(&key("assistant:other")), &["a-7731"]).await, [""; 0]);
}

#[tokio::test]
async fn what_is_forgotten_leaves_the_summaries_and_can_come_back() {
    let home = Home::new().await;
    let (store, main) = (&home.store, SessionKey::main());
    talk(store, &main).await;
    compact(store, &main, "t1-a", "## Facts\nMy PIN is 4711, keep it\nTea, please").await;
    compact(store, &main, "t2-a", "tea only").await;
    let mask = |text: &str| {
        text.contains("4711").then(|| text.replace("My PIN is 4711, keep it", "[forgotten]"))
    };
    let what = Forgetting {
        entry: "e1",
        at: 300,
        until: Some(900),
        files: "{}",
        mask: &mask,
        turns: &[],
        whole: "[forgotten]",
    };
    assert_eq!(store.forget_entry(&what).await.unwrap(), 1);
    let summary = async || store.compactions(&main).await.unwrap()[0].summary.clone();
    assert_eq!(summary().await, "## Facts\n[forgotten]\nTea, please");
    store.bring_back("e1").await.unwrap();
    assert!(summary().await.contains("4711"));
}
