//! Trying a persona: the unsaved text answers, and nothing of it stays but what it cost.

use hearth_engine::api;
use hearth_llm::scripted::{Gate, Reply};
use hearth_protocol::ErrorCode;
use hearth_protocol::api::persona::PersonaTry;
use hearth_tests::{FORMATS, TestHome};

fn trial(path: &str, text: &str, question: &str) -> PersonaTry {
    PersonaTry { path: path.into(), text: text.into(), question: question.into() }
}

#[tokio::test]
async fn a_text_that_is_not_saved_answers_and_leaves_nothing_behind() {
    for (format, kind) in FORMATS {
        let home = TestHome::new(format, kind).await.expect("home");
        let engine = home.open().await.expect("opens");
        let saved = api::files::read(&engine, "SOUL.md".into()).await.expect("reads");
        let sessions = api::sessions::list(&engine).await.expect("lists");
        home.server.push(Reply::new().text("Arr.").usage(900, 0, 3));
        let request = trial("SOUL.md", "Speak like a pirate 海盗.", "Who are you?");
        let tried = api::persona::try_out(&engine, request).await.expect("answers");
        assert_eq!((tried.reply.as_str(), tried.usage.output), ("Arr.", 3), "{kind}");
        let asked = &home.server.requests()[0].body;
        let sent = asked.to_string();
        assert!(sent.contains("Speak like a pirate 海盗.") && sent.contains("Who are you?"));
        assert!(!sent.contains(saved.text.lines().last().expect("a line")), "{kind}: {sent}");
        assert!(asked.get("tools").is_none_or(|tools| tools.as_array().is_some_and(Vec::is_empty)));
        let after = api::files::read(&engine, "SOUL.md".into()).await.expect("reads");
        assert_eq!(after, saved);
        assert_eq!(api::sessions::list(&engine).await.expect("lists"), sessions);
        let usage = api::usage::rows(&engine, 1).await.expect("rows");
        assert_eq!(usage.iter().map(|row| row.output).sum::<u64>(), 3, "{kind}");
        engine.close().await;
    }
}

#[tokio::test]
async fn a_file_of_another_kind_of_prompt_can_be_tried_too() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    for path in ["HEARTBEAT.md", "BOOTSTRAP.md", "TOOLS.md", "MEMORY.md"] {
        let _ = std::fs::remove_file(home.path("workspace").join(path));
        home.server.push(Reply::new().text("Yes."));
        let request = trial(path, "# The words of a trial", "Is it there?");
        api::persona::try_out(&engine, request).await.expect("answers");
        let sent = home.server.take_requests()[0].body.to_string();
        assert!(sent.contains("The words of a trial"), "{path}: {sent}");
        assert!(!home.path("workspace").join(path).exists(), "{path}");
    }
    engine.close().await;
}

#[tokio::test]
async fn what_cannot_be_tried_says_why_and_asks_nobody() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let cases = [
        ("memory/2026-01-02.md", "Hello?"),
        ("SESSION-STATE.md", "Hello?"),
        ("../SOUL.md", "Hello?"),
        ("SOUL.md", " \n"),
    ];
    for (path, question) in cases {
        let refused = api::persona::try_out(&engine, trial(path, "x", question)).await;
        assert_eq!(refused.expect_err(path).code, ErrorCode::InvalidRequest, "{path}");
    }
    home.server.push(Reply::answer(401, &[], "{\"error\":{\"message\":\"no such key\"}}"));
    let refused = api::persona::try_out(&engine, trial("SOUL.md", "x", "Hello?")).await;
    assert_eq!(refused.expect_err("refused").code, ErrorCode::BadKey);
    assert_eq!(home.server.requests().len(), 1);
    engine.close().await;
}

#[tokio::test]
async fn it_is_stopped_by_the_person_and_by_the_next() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    assert!(!api::persona::stop(&engine), "nothing runs yet");
    home.server.push(Reply::new().text("Well").hold(&Gate::default()).text("never"));
    home.server.push(Reply::new().text("Well").hold(&Gate::default()).text("never"));
    home.server.push(Reply::new().text("Done."));
    let stopped = api::persona::try_out(&engine, trial("SOUL.md", "x", "One?"));
    let stop = async {
        home.server.asked(1).await;
        api::persona::stop(&engine)
    };
    let (answer, ran) = tokio::join!(stopped, stop);
    assert!(answer.is_err() && ran);
    assert!(!api::persona::stop(&engine), "it is over");
    let displaced = api::persona::try_out(&engine, trial("SOUL.md", "x", "Two?"));
    let next = async {
        home.server.asked(2).await;
        api::persona::try_out(&engine, trial("SOUL.md", "x", "Three?")).await
    };
    let (first, second) = tokio::join!(displaced, next);
    assert!(first.is_err());
    assert_eq!(second.expect("answers").reply, "Done.");
    engine.close().await;
}

#[tokio::test]
async fn the_heartbeat_templates_of_the_window_can_be_read() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../ui/src/features/persona/templates");
    let mut read = 0;
    for language in ["en", "zh-CN"] {
        for (name, items) in [("day", 2), ("week", 1), ("watch", 1)] {
            let path = folder.join(language).join(format!("HEARTBEAT.{name}.md"));
            let text = std::fs::read_to_string(&path).expect("a template");
            std::fs::write(home.path("workspace/HEARTBEAT.md"), text).expect("writes");
            let file = api::files::read(&engine, "HEARTBEAT.md".into()).await.expect("reads");
            assert_eq!(file.problems, [], "{language} {name}");
            let found = api::heartbeat::list(&engine).await.expect("lists");
            assert_eq!(found.len(), items, "{language} {name}: {found:?}");
            read += 1;
        }
    }
    assert_eq!(read, 6);
    engine.close().await;
}
