//! A conversation in its window: compactions and their originals, what survives them, crashes and nights.

use hearth_engine::{Engine, api};
use hearth_llm::scripted::{Gate, Reply};
use hearth_llm::wire::Format;
use hearth_protocol::{Event, EventBody, Purpose, Role, SessionKey, StopReason};
use hearth_tests::haul::haul;
use hearth_tests::{
    FLUSH, FLUSH_MARK, FORMATS, SUMMARY_MARK, TestHome, ask, done, message, strict,
};

async fn home(window: u64, more: &str) -> TestHome {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let settings = home.settings(format, kind);
    let settings = settings.replace("window = 128000", &format!("window = {window}"));
    home.write_settings(&format!("{settings}{more}")).expect("writes");
    home.flush_nothing();
    home
}

/// Takes a turn with a long reply.
async fn say(home: &TestHome, engine: &Engine, text: &str) -> Vec<Event> {
    home.server.push(Reply::new().text("There is a lot to say about that. ".repeat(30)));
    ask(engine, message(text)).await.expect("asks")
}

fn compactions(events: &[Event]) -> Vec<(u64, u64, &str)> {
    let told = events.iter().filter_map(|event| match &event.body {
        EventBody::Compacted { from_tokens, to_tokens, strategy } => {
            Some((*from_tokens, *to_tokens, strategy.as_str()))
        }
        _ => None,
    });
    told.collect()
}

fn recovered(events: &[Event]) -> Vec<&str> {
    let told = events.iter().filter_map(|event| match &event.body {
        EventBody::Recovered { from } => Some(from.as_str()),
        _ => None,
    });
    told.collect()
}

/// Talks until a compaction comes; returns its turn's events.
async fn until_compacted(home: &TestHome, engine: &Engine) -> Vec<Event> {
    for n in 0..60 {
        let events =
            say(home, engine, &format!("Message {n} about order A-77{n:02}, please.")).await;
        assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Finished), "{events:?}");
        if !compactions(&events).is_empty() {
            return events;
        }
    }
    panic!("sixty turns fit the window");
}

fn in_workspace(home: &TestHome, path: &str) -> String {
    std::fs::read_to_string(home.path("workspace").join(path)).unwrap_or_default()
}

#[tokio::test]
async fn a_full_window_is_summarised_and_the_originals_can_be_opened() {
    for strategy in ["hybrid", "summarize", "truncate", "sliding_window"] {
        let home = home(8_000, &format!("[context]\nstrategy = \"{strategy}\"\n")).await;
        let engine = home.open().await.expect("opens");
        let events = until_compacted(&home, &engine).await;
        let [(from, to, told)] = compactions(&events)[..] else { panic!("{events:?}") };
        assert!(told == strategy && to < from, "{strategy}: {from} to {to}");
        assert_eq!(recovered(&events), ["compaction"]);
        let of_model = ["hybrid", "summarize"].contains(&strategy);
        let paid = events.iter().any(|event| {
            matches!(&event.body, EventBody::Usage(usage) if usage.purpose == Purpose::Compaction)
        });
        assert_eq!(paid, of_model, "{strategy}");

        let main = SessionKey::main();
        let rows = api::sessions::compactions(&engine, main.clone()).await.expect("rows");
        assert_eq!((rows.len(), rows[0].by_model), (1, of_model), "{strategy}");
        let originals = api::sessions::originals(&engine, main.clone(), rows[0].id).await;
        let originals = originals.expect("originals");
        assert_eq!(originals.len() as u64, rows[0].messages);
        assert!(originals[0].joined_text().contains("A-7700"), "the first message is there");
        // The window goes on from the summary; the last request and identifiers are in it.
        let manifest = api::context::call(&engine, main.clone(), None, None).await.expect("next");
        let summary = manifest.sections.iter().find(|row| row.name == "summary").expect("summary");
        let text = summary.text.as_deref().expect("text");
        assert!(text.contains("Last request, verbatim") && text.contains("A-77"), "{text}");
        assert!(!manifest.sections.iter().any(|row| {
            row.text
                .as_deref()
                .is_some_and(|text| row.name == "history" && text.contains("order A-7700"))
        }));
        // Lists mark it; searching finds what left.
        let shown = api::sessions::rows(&engine, main.clone()).await.expect("rows");
        let marks = shown.iter().filter(|row| row.role == Role::System).count();
        assert_eq!(marks, 1);
        let found = api::sessions::find_text(&engine, None, "A-7700 message").await.expect("finds");
        assert!(!found.is_empty());
        engine.close().await;
        for request in home.server.requests() {
            assert_eq!(strict::refusal(Format::OpenaiChat, &request.body), None, "{strategy}");
        }
    }
}

#[tokio::test]
async fn a_person_compacts_with_a_focus_and_can_stop_it() {
    let home = home(128_000, "").await;
    let engine = home.open().await.expect("opens");
    let nothing = ask(&engine, message("/compact")).await.expect("asks");
    assert_eq!(compactions(&nothing), []);
    for n in 0..4 {
        say(&home, &engine, &format!("Message {n}")).await;
    }
    let events = ask(&engine, message("/压缩 the order of Zhang Wei")).await.expect("asks");
    assert_eq!(compactions(&events).len(), 1, "{events:?}");
    let (reply, stop) = done(&events).expect("ends");
    assert!(stop == StopReason::Finished && reply.contains("messages were summarised"), "{reply}");
    let asked = home.server.requests().pop().expect("a request").body.to_string();
    assert!(asked.contains("Keep above all what concerns: the order of Zhang Wei"), "{asked}");
    // A command is no part of the conversation.
    let messages = api::sessions::messages(&engine, SessionKey::main()).await.expect("messages");
    assert!(messages.iter().all(|message| !message.joined_text().contains("压缩")));

    say(&home, &engine, "one more").await;
    engine.close().await;
}

#[tokio::test]
async fn stopping_a_compaction_leaves_the_conversation_as_it_was() {
    let (format, kind) = FORMATS[0];
    let folder = TestHome::new(format, kind).await.expect("home");
    let server = hearth_llm::scripted::Server::start().await.expect("server");
    server.aside(SUMMARY_MARK, Reply::new().text("## Tasks").hold(&Gate::default()));
    server.aside(FLUSH_MARK, Reply::new().text(FLUSH));
    let settings = folder.settings(format, kind);
    let own = folder.server.base_url(format);
    folder.write_settings(&settings.replace(&own, &server.base_url(format))).expect("writes");
    let engine = folder.open().await.expect("opens");
    for n in 0..3 {
        server.push(Reply::new().text(format!("Answer {n}. ").repeat(40)));
        ask(&engine, message(&format!("Message {n}"))).await.expect("asks");
    }
    let stopping = async {
        // Three turns, the flush, the summary.
        server.asked(5).await;
        api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
    };
    let (events, ()) = tokio::join!(ask(&engine, message("/compact")), stopping);
    let events = events.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Cancelled), "{events:?}");
    let rows = api::sessions::compactions(&engine, SessionKey::main()).await.expect("rows");
    assert_eq!(rows, []);
    engine.close().await;
}

#[tokio::test]
async fn a_prompt_that_the_provider_calls_too_long_is_compacted_and_sent_again() {
    let home = home(128_000, "").await;
    let engine = home.open().await.expect("opens");
    for n in 0..6 {
        say(&home, &engine, &format!("Message {n}")).await;
    }
    let body = r#"{"error":{"message":"This model's maximum context length is 3000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#;
    home.server.push(Reply::answer(400, &[], body));
    let events = say(&home, &engine, "And now?").await;
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Finished), "{events:?}");
    assert_eq!(compactions(&events).len(), 1, "{events:?}");
    engine.close().await;
}

#[tokio::test]
async fn a_smaller_model_takes_the_conversation_over() {
    let home = home(128_000, "").await;
    let engine = home.open().await.expect("opens");
    for n in 0..40 {
        say(&home, &engine, &format!("Message {n}")).await;
    }
    let text = std::fs::read_to_string(home.path("hearth.toml")).expect("reads");
    home.write_settings(&text.replace("window = 128000", "window = 8000")).expect("writes");
    let events = say(&home, &engine, "Go on in a small window").await;
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Finished), "{events:?}");
    assert_eq!(compactions(&events).len(), 1, "{events:?}");
    engine.close().await;
}

#[tokio::test]
async fn facts_are_on_disk_before_the_reply_starts() {
    // Another conversation would recall this one, as it should.
    let home = home(128_000, "[memory]\nindex_conversations = false\n").await;
    let engine = home.open().await.expect("opens");
    let gate = Gate::default();
    home.server.push(Reply::new().hold(&gate).text("Noted."));
    let said = "No, the launch is on 17 March 2027, not the 3rd; ask Zhang Wei about order A-7731";
    let looking = async {
        home.server.asked(1).await;
        let state = in_workspace(&home, "SESSION-STATE.md");
        gate.open();
        state
    };
    let (events, state) = tokio::join!(ask(&engine, message(said)), looking);
    assert_eq!(done(&events.expect("asks")).map(|(reply, _)| reply), Some("Noted.".into()));
    assert!(state.contains("## assistant:main") && state.contains("A-7731"), "{state}");
    assert!(state.contains("correction") && state.contains("17 March 2027"), "{state}");
    // The next turn of this session reads it, another session does not.
    say(&home, &engine, "When is the launch?").await;
    let body = home.server.requests().pop().expect("a request").body["messages"][0].to_string();
    assert!(body.contains("SESSION-STATE.md") && body.contains("A-7731"), "{body}");
    let mut other = message("When is the launch?");
    other.session = SessionKey::parse("assistant:other").expect("valid");
    home.server.push(Reply::new().text("I do not know."));
    ask(&engine, other).await.expect("asks");
    let body = home.server.requests().pop().expect("a request").body["messages"][0].to_string();
    assert!(!body.contains("A-7731"), "{body}");
    engine.close().await;
}

#[tokio::test]
async fn the_working_buffer_fills_from_sixty_percent_and_is_read_after_the_compaction() {
    let home = home(8_000, "").await;
    let engine = home.open().await.expect("opens");
    say(&home, &engine, "The very first message").await;
    assert_eq!(in_workspace(&home, "memory/working-buffer.md"), "");
    until_compacted(&home, &engine).await;
    let buffer = in_workspace(&home, "memory/working-buffer.md");
    assert!(buffer.contains("## assistant:main") && buffer.contains("> Message"), "{buffer}");
    assert!(buffer.contains("Reply: There is a lot to say"), "{buffer}");
    assert!(!buffer.contains("The very first message"), "{buffer}");
    engine.close().await;
}

#[tokio::test]
async fn work_is_taken_up_again_after_continue_in_a_new_conversation_and_after_a_crash() {
    let home = home(128_000, "").await;
    let engine = home.open().await.expect("opens");
    say(&home, &engine, "Plan the trip to Lisbon with Halvorsen").await;
    let mut fresh = message("继续");
    fresh.session = SessionKey::parse("assistant:chat-fresh").expect("valid");
    home.server.push(Reply::new().text("I go on with Lisbon."));
    let events = ask(&engine, fresh.clone()).await.expect("asks");
    assert_eq!(recovered(&events), ["continue"]);
    let body = home.server.requests().pop().expect("a request").body["messages"][0].to_string();
    assert!(body.contains("Plan the trip to Lisbon") && body.contains("never ask"), "{body}");
    let events = say(&home, &engine, "And the hotel?").await;
    assert!(recovered(&events).is_empty(), "an ordinary message is none");

    // The process ends in the middle of a reply: the turn stays open in the store.
    home.server.push(Reply::new().text("The hotel is ").hold(&Gate::default()));
    let mut heard = engine.listen();
    api::chat::submit(&engine, message("Book room 1204 there")).await.expect("submits");
    while let Some(heard) = heard.next().await {
        let hearth_engine::Heard::Signal(hearth_protocol::api::system::Signal::Turn(event)) = heard
        else {
            continue;
        };
        if matches!(event.body, EventBody::Text { .. }) {
            break;
        }
    }
    let copy = tempfile::tempdir().expect("a folder");
    copy_home(home.folder.path(), copy.path());
    engine.close().await;
    let engine =
        hearth_tests::open(copy.path(), std::sync::Arc::new(hearth_tests::Notices::default()))
            .await
            .expect("opens what the crash left");
    let events = say(&home, &engine, "Are you there?").await;
    assert_eq!(recovered(&events), ["crash"], "{events:?}");
    let body = home.server.requests().pop().expect("a request").body["messages"][0].to_string();
    assert!(body.contains("Book room 1204 there"), "{body}");
    engine.close().await;
}

/// The home as it stands on disk at this moment, as a power cut would leave it.
fn copy_home(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).expect("reads").flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                std::fs::create_dir_all(&target).expect("makes");
                copy_home(&entry.path(), &target);
            }
            // Sockets and locks are the old process's.
            Ok(kind) if kind.is_file() => drop(std::fs::copy(entry.path(), &target)),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_short_haul_loses_nothing() {
    let report = haul(160, 8_000).await.expect("the haul ends");
    assert!(report.compactions >= 3, "{report:?}");
    let wrong = [report.without_progress, report.refused, report.too_large, report.boundary_moved];
    assert_eq!((wrong, report.unfindable), ([0; 4], 0), "{report:?}");
    let answered = report.in_prompt + report.found;
    assert!(answered * 100 >= report.planted * 98, "{report:?}");
}
