//! Usage, budgets, manifests, versions of files, single values, and all of it side by side.

use crate::support::{Home, exchange, key, say, turn};
use hearth_protocol::api::files::Author;
use hearth_protocol::api::system::UsageRow;
use hearth_protocol::{
    ContextManifest, ManifestSection, PromptMode, Purpose, RevisionId, Role, SessionKey, Usage,
};
use hearth_store::{
    Change, Estimate, Limits, Reservation, ReservationId, Scope, Spent, Store, StoreError,
    UsageEntry, unified_diff,
};

fn entry(at: i64, day: &str, model: &str, tokens: u64, usd: f64) -> UsageEntry {
    let (input, output) = (tokens - 1, 1);
    let model = model.to_owned();
    let usage = Usage { model, input, cached: 0, output, usd, purpose: Purpose::Turn };
    UsageEntry { at, day: day.into(), session: Some(SessionKey::main()), turn: None, usage }
}

fn estimate(tokens: u64, usd: f64) -> Estimate {
    Estimate {
        at: 1000,
        day: "2026-11-29".into(),
        session: None,
        turn: None,
        model: "work/gpt".into(),
        purpose: Purpose::Turn,
        tokens,
        usd,
    }
}

async fn granted(store: &Store, limits: &Limits, estimate: &Estimate) -> Option<ReservationId> {
    match store.reserve(limits, estimate).await.expect("answers") {
        Reservation::Granted(id) => Some(id),
        Reservation::Refused(_) => None,
    }
}

#[tokio::test]
async fn usage_is_summed_and_listed_by_day() {
    let home = Home::new().await;
    let store = &home.store;
    for (at, day, model, tokens, usd) in [
        (100, "2026-11-28", "a/x", 10, 0.5),
        (200, "2026-11-29", "a/x", 20, 0.25),
        (201, "2026-11-29", "a/x", 30, 0.25),
        (202, "2026-11-29", "b/y", 40, 0.0),
    ] {
        store.add_usage(&entry(at, day, model, tokens, usd)).await.unwrap();
    }
    assert_eq!(store.spent_since(200).await.unwrap(), Spent { tokens: 90, usd: 0.5 });
    assert_eq!(store.spent_since(0).await.unwrap(), Spent { tokens: 100, usd: 1.0 });
    assert_eq!(store.spent_since(999).await.unwrap(), Spent::default());
    let row = |day: &str, model: &str, calls, input, usd| UsageRow {
        day: day.into(),
        purpose: Purpose::Turn,
        model: model.into(),
        calls,
        input,
        cached: 0,
        output: calls,
        usd,
    };
    let today = [row("2026-11-29", "a/x", 2, 48, 0.5), row("2026-11-29", "b/y", 1, 39, 0.0)];
    assert_eq!(store.usage_by_day("2026-11-29").await.unwrap(), today);
    assert_eq!(store.usage_by_day("2026-01-01").await.unwrap().len(), 3);
}

#[tokio::test]
async fn each_limit_refuses_and_says_which() {
    let home = Home::new().await;
    let store = &home.store;
    store.add_usage(&entry(500, "2026-11-01", "a/x", 100, 1.0)).await.unwrap();
    store.add_usage(&entry(1000, "2026-11-29", "a/x", 10, 0.1)).await.unwrap();
    let open = Limits { day_start: 900, month_start: 400, ..Limits::default() };
    let cases = [
        (Limits { daily_usd: Some(0.3), ..open }, Scope::DailyUsd, 0.1),
        (Limits { daily_tokens: Some(29), ..open }, Scope::DailyTokens, 10.0),
        (Limits { monthly_usd: Some(1.2), ..open }, Scope::MonthlyUsd, 1.1),
        (Limits { monthly_tokens: Some(129), ..open }, Scope::MonthlyTokens, 110.0),
    ];
    for (limits, scope, used) in cases {
        match store.reserve(&limits, &estimate(20, 0.25)).await.unwrap() {
            Reservation::Refused(refusal) => {
                assert_eq!((refusal.scope, refusal.used, refusal.reserved), (scope, used, 0.0));
            }
            Reservation::Granted(_) => panic!("{scope:?} did not hold"),
        }
    }
    let spent = Limits { daily_usd: Some(0.0), ..open };
    let free = granted(store, &spent, &estimate(20, 0.0)).await.expect("costs nothing");
    store.release(free).await.unwrap();
    let id = granted(store, &open, &estimate(20, 0.25)).await.expect("no limit");
    store.settle(id, &entry(1001, "2026-11-29", "a/x", 15, 0.2)).await.unwrap();
    assert!(matches!(store.release(id).await, Err(StoreError::NotFound { .. })));
    assert_eq!(store.spent_since(1001).await.unwrap(), Spent { tokens: 15, usd: 0.2 });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_limit_holds_when_calls_run_side_by_side() {
    let home = Home::new().await;
    let limits = Limits { daily_tokens: Some(1000), daily_usd: Some(1.0), ..Limits::default() };
    let call = |number: u64| {
        let store = home.store.clone();
        tokio::spawn(async move {
            let id = granted(&store, &limits, &estimate(100, 0.1)).await?;
            // Some calls fail without cost, the others use less than was thought.
            if number.is_multiple_of(5) {
                store.release(id).await.expect("releases");
                return None;
            }
            store.settle(id, &entry(1000, "2026-11-29", "a/x", 90, 0.09)).await.expect("settles");
            Some(())
        })
    };
    let calls: Vec<_> = (0..60).map(call).collect();
    let mut made = 0;
    for call in calls {
        made += u64::from(call.await.expect("ends").is_some());
    }
    let spent = home.store.spent_since(0).await.unwrap();
    assert_eq!(spent.tokens, made * 90);
    assert!(spent.tokens <= 1000 && made >= 5, "{spent:?} after {made} calls");
    let last = Limits { daily_tokens: Some(spent.tokens + 100), ..Limits::default() };
    assert!(granted(&home.store, &last, &estimate(100, 0.0)).await.is_some(), "none left reserved");
}

#[tokio::test]
async fn a_crash_books_what_was_reserved() {
    let home = Home::new().await;
    let limits = Limits { daily_tokens: Some(150), ..Limits::default() };
    let _left_open = granted(&home.store, &limits, &estimate(100, 0.5)).await.expect("granted");
    let home = home.reopen().await;
    home.store.recover(2000).await.unwrap();
    home.store.recover(2001).await.unwrap();
    assert_eq!(home.store.spent_since(0).await.unwrap(), Spent { tokens: 100, usd: 0.5 });
    assert!(granted(&home.store, &limits, &estimate(100, 0.5)).await.is_none());
    assert!(granted(&home.store, &limits, &estimate(50, 0.5)).await.is_some());
}

fn manifest(texts: &[&str]) -> ContextManifest {
    let section = |text: &&str| ManifestSection {
        name: "soul".into(),
        source: "SOUL.md".into(),
        chars: text.chars().count() as u64,
        raw_chars: 0,
        tokens: 3,
        reason: "always".into(),
        truncated: false,
        cached_part: true,
        text: Some((*text).into()),
    };
    ContextManifest {
        sections: texts.iter().map(section).collect(),
        total_tokens: 9,
        window: 128_000,
        model: "work/gpt".into(),
        mode: PromptMode::Full,
        exact: true,
    }
}

#[tokio::test]
async fn manifests_come_back_whole_and_share_their_texts() {
    let home = Home::new().await;
    let (store, main, other) = (&home.store, SessionKey::main(), key("assistant:other"));
    for (id, session) in [("t1", &main), ("t2", &main), ("t3", &other)] {
        store.queue_turn(&turn(id, session), None).await.unwrap();
    }
    let persona = "我是 Hearth, plain and kind. ".repeat(800);
    let first = manifest(&[&persona, "history", ""]);
    let second = manifest(&[&persona, "history and more", ""]);
    store.save_manifest(&"t1".into(), 1, &first).await.unwrap();
    let size = home.texts_size().await;
    store.save_manifest(&"t1".into(), 2, &second).await.unwrap();
    store.save_manifest(&"t2".into(), 1, &first).await.unwrap();
    store.save_manifest(&"t3".into(), 1, &first).await.unwrap();
    assert_eq!(size, persona.len() as u64 + 7);
    assert_eq!(home.texts_size().await, size + 16, "only what is new");

    let read = store.manifest(&main, Some(2)).await.unwrap().expect("there");
    assert_eq!((read.call, read.turn, read.step), (2, "t1".into(), 2));
    assert_eq!(read.manifest, second);
    let last = store.manifest(&main, None).await.unwrap().expect("there");
    assert_eq!((last.call, last.turn, last.manifest == first), (3, "t2".into(), true));
    assert_eq!(store.manifest(&main, Some(4)).await.unwrap(), None);

    for turn in ["t1", "t2", "t3"] {
        let stop = hearth_protocol::StopReason::Finished;
        store.finish_turn(&turn.into(), stop, 1, None, 200).await.unwrap();
    }
    store.delete_session(&main).await.unwrap();
    assert_eq!(home.texts_size().await, size, "what the other session needs stays");
    assert_eq!(store.manifest(&other, None).await.unwrap().expect("there").manifest, first);
    store.delete_session(&other).await.unwrap();
    assert_eq!(home.texts_size().await, 0);
}

fn change<'a>(path: &'a str, author: Author, content: Option<&'a str>) -> Change<'a> {
    Change { path, at: 10, author, turn: None, content: content.map(str::as_bytes) }
}

#[tokio::test]
async fn versions_of_files_are_kept_byte_for_byte() {
    let home = Home::new().await;
    let store = &home.store;
    let one = store.record(&change("SOUL.md", Author::Template, Some("kind\n"))).await.unwrap();
    let turn_id = "t1".into();
    let by_turn =
        Change { turn: Some(&turn_id), ..change("SOUL.md", Author::Turn, Some("kinder\n")) };
    let two = store.record(&by_turn).await.unwrap();
    let seen = store.record(&change("SOUL.md", Author::Outside, Some("kinder\n"))).await.unwrap();
    assert_eq!(seen, two, "the watcher saw our own write");
    let gone = store.record(&change("SOUL.md", Author::User, None)).await.unwrap();
    assert_eq!(store.record(&change("SOUL.md", Author::Outside, None)).await.unwrap(), gone);
    let back = store.record(&change("SOUL.md", Author::User, Some("kind\n"))).await.unwrap();
    store.record(&change("USER.md", Author::User, Some("kind\n"))).await.unwrap();

    let history = store.history("SOUL.md").await.unwrap();
    let ids: Vec<_> = history.iter().map(|row| row.rev).collect();
    assert_eq!(ids, [back, gone, two, one]);
    let authors: Vec<_> = history.iter().map(|row| row.author).collect();
    assert_eq!(authors, [Author::User, Author::User, Author::Turn, Author::Template]);
    assert_eq!((history[1].deleted, history[1].hash.as_str(), history[1].bytes), (true, "", 0));
    assert_eq!(history[0].hash, blake3::hash(b"kind\n").to_hex().to_string());

    assert_eq!(store.revision(two).await.unwrap().bytes, b"kinder\n");
    let before = store.revision_before(&history[2]).await.unwrap().expect("one before");
    assert_eq!((before.row.rev, before.bytes), (one, b"kind\n".to_vec()));
    assert_eq!(store.revision_before(&history[3]).await.unwrap(), None);
    assert_eq!(store.revisions_of_turn(&turn_id).await.unwrap(), [history[2].clone()]);
    let missing = store.revision(RevisionId(99)).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));

    store.record(&change("USER.md", Author::User, None)).await.unwrap();
    let latest = store.latest_hashes().await.unwrap();
    assert_eq!(latest.get("SOUL.md"), Some(&Some(history[0].hash.clone())));
    assert_eq!(latest.get("USER.md"), Some(&None));
    let diff = unified_diff("a\nb\n", "a\nc\n");
    assert!(diff.contains("-b\n+c\n"), "{diff}");
}

#[tokio::test]
async fn single_values_are_set_changed_and_removed() {
    let home = Home::new().await;
    let store = &home.store;
    assert_eq!(store.meta("first_start").await.unwrap(), None);
    store.set_meta("first_start", Some("1")).await.unwrap();
    store.set_meta("first_start", Some("2")).await.unwrap();
    assert_eq!(store.meta("first_start").await.unwrap().as_deref(), Some("2"));
    store.set_meta("first_start", None).await.unwrap();
    assert_eq!(store.meta("first_start").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_sessions_write_and_read_side_by_side() {
    const SESSIONS: usize = 12;
    const TURNS: usize = 8;
    let home = Home::new().await;
    let work = |number: usize| {
        let store = home.store.clone();
        tokio::spawn(async move {
            let session = key(&format!("assistant:s{number}"));
            for turn in 0..TURNS {
                let id = format!("s{number}t{turn}");
                exchange(&store, &session, &id, "question", "answer").await;
                store.record(&change("MEMORY.md", Author::Turn, Some(&id))).await.expect("records");
                let seen = store.transcript(&session).await.expect("reads");
                assert_eq!(seen.turns.len(), turn + 1);
            }
        })
    };
    let tasks: Vec<_> = (0..SESSIONS).map(work).collect();
    for task in tasks {
        task.await.expect("no writer or reader fails");
    }
    let sessions = home.store.sessions().await.unwrap();
    assert!(sessions.iter().all(|session| session.turns == TURNS as u64));
    assert_eq!(sessions.len(), SESSIONS);
    assert_eq!(home.store.history("MEMORY.md").await.unwrap().len(), SESSIONS * TURNS);
    home.store.check().await.expect("sound");
    let late = say(Role::User, "late", "s0t0", "x");
    assert!(matches!(
        home.store.hold(&"s0t0".into(), &late).await,
        Err(StoreError::NotFound { .. })
    ));
}
