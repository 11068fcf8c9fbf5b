//! All five wire formats end in the same events, rows and stored messages.

use hearth_engine::api;
use hearth_llm::scripted::Reply;
use hearth_protocol::{EventBody, SessionKey, StopReason};
use hearth_tests::{FORMATS, TestHome, ask, done, message, names};

#[tokio::test]
async fn every_format_gives_the_same_events_and_rows() {
    let mut seen = Vec::new();
    for (format, kind) in FORMATS {
        let home = TestHome::new(format, kind).await.expect("home");
        home.server.push(Reply::new().text("Blue ").text("heron ").text("42").usage(100, 0, 7));
        let engine = home.open().await.expect("opens");
        let events = ask(&engine, message("hello")).await.expect("asks");
        assert_eq!(done(&events), Some(("Blue heron 42".into(), StopReason::Finished)), "{kind}");
        let usage = events.iter().find_map(|event| match &event.body {
            EventBody::Usage(usage) => Some((usage.input, usage.output, usage.model.clone())),
            _ => None,
        });
        let texts: String = events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let mut kinds = names(&events);
        kinds.dedup();
        let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "{kind}");
        let rows = api::sessions::rows(&engine, SessionKey::main()).await.expect("rows");
        let rows: Vec<_> = rows.into_iter().map(|row| (row.role, row.text)).collect();
        let used = api::usage::rows(&engine, 1).await.expect("usage");
        let used: Vec<_> =
            used.into_iter().map(|row| (row.model, row.input, row.output, row.usd)).collect();
        seen.push((kinds, texts, usage, rows, used));
        engine.close().await;
    }
    assert_eq!(seen[0].0, ["started", "text", "usage", "done"]);
    assert_eq!(seen[0].2, Some((100, 7, "work/scripted-1".into())));
    for other in &seen[1..] {
        assert_eq!(other, &seen[0]);
    }
}

#[tokio::test]
async fn the_request_carries_the_persona_and_the_manifest_says_so() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    std::fs::write(home.path("workspace/SOUL.md"), "Speak like a lighthouse keeper.\n")
        .expect("writes");
    home.server.push(Reply::new().text("Aye."));
    let events = ask(&engine, message("hello")).await.expect("asks");
    let sent = home.server.requests()[0].body.to_string();
    assert!(sent.contains("Speak like a lighthouse keeper.") && sent.contains("hello"));
    let turn = Some(events[0].turn.clone());
    let manifest =
        api::context::call(&engine, SessionKey::main(), turn, None).await.expect("manifest");
    let soul =
        manifest.sections.iter().find(|section| section.source == "SOUL.md").expect("a section");
    assert!(soul.text.as_ref().is_some_and(|text| text.contains("lighthouse")));
    assert_eq!(
        manifest.total_tokens,
        manifest.sections.iter().map(|section| section.tokens).sum::<u64>()
    );
    let next = api::context::call(&engine, SessionKey::main(), None, None).await.expect("next");
    assert!(next.sections.iter().any(|section| section.name == "history"));
    assert!(manifest.total_tokens <= 4_000, "a fresh home asks {} tokens", manifest.total_tokens);
    engine.close().await;
}

#[tokio::test]
async fn two_turns_share_their_beginning_byte_for_byte() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    for reply in ["one", "two"] {
        home.server.push(Reply::new().text(reply));
        ask(&engine, message("hello")).await.expect("asks");
    }
    let requests = home.server.requests();
    assert_eq!(requests[0].body["messages"][0], requests[1].body["messages"][0]);
    engine.close().await;
}
