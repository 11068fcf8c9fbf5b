//! What goes wrong at a provider: tries, fallback, budget, and one clear error.

use hearth_llm::scripted::Reply;
use hearth_protocol::{ErrorCode, Event, EventBody, ProviderState, StopReason};
use hearth_tests::{FORMATS, TestHome, ask, done, message};

fn error_of(events: &[Event]) -> Option<(ErrorCode, String)> {
    events.iter().find_map(|event| match &event.body {
        EventBody::Error { code, message, .. } => Some((*code, message.clone())),
        _ => None,
    })
}

async fn one(replies: Vec<Reply>, more: &str) -> (TestHome, Vec<Event>) {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}{more}")).expect("writes");
    for reply in replies {
        home.server.push(reply);
    }
    let engine = home.open().await.expect("opens");
    let events = ask(&engine, message("hello")).await.expect("asks");
    engine.close().await;
    (home, events)
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again() {
    let busy = || Reply::answer(503, &[("retry-after", "0")], "busy");
    let (home, events) = one(vec![busy(), Reply::new().text("Here.")], "").await;
    assert_eq!(done(&events), Some(("Here.".into(), StopReason::Finished)));
    assert_eq!(home.server.requests().len(), 2);
    assert!(events.iter().any(|event| matches!(&event.body, EventBody::Provider { .. })));
}

#[tokio::test]
async fn a_wrong_key_is_never_tried_again() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-abc123","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    let (home, events) = one(vec![Reply::answer(401, &[], body)], "").await;
    assert_eq!(home.server.requests().len(), 1);
    let (code, message) = error_of(&events).expect("an error");
    assert_eq!(code, ErrorCode::BadKey, "{message}");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Failed));
}

#[tokio::test]
async fn a_web_page_is_told_from_a_model() {
    let page =
        Reply::answer(200, &[("content-type", "text/html")], "<html><title>Login</title></html>");
    let (_, events) = one(vec![page], "").await;
    let (code, message) = error_of(&events).expect("an error");
    assert_eq!(code, ErrorCode::ProviderRejected);
    assert!(message.contains("web page"), "{message}");
}

#[tokio::test]
async fn a_cut_stream_goes_on_without_repeating() {
    let cut = Reply::new().text("The list has three items: apples, pears").cut();
    let rest = Reply::new().text("three items: apples, pears and plums.");
    let (home, events) = one(vec![cut, rest], "").await;
    let reply = "The list has three items: apples, pears and plums.";
    assert_eq!(done(&events), Some((reply.into(), StopReason::Finished)));
    assert_eq!(home.server.requests().len(), 2);
}

#[tokio::test]
async fn the_next_model_answers_and_is_named() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let url = home.server.base_url(format);
    let text = home.settings(format, kind).replace(
        "default = \"work/scripted-1\"",
        "default = \"gone/m\"\nfallback = [\"work/scripted-1\"]",
    );
    // Nothing listens on the port of a server that has ended.
    let ended = hearth_llm::scripted::Server::start().await.expect("starts").base_url(format);
    assert_ne!(ended, url);
    home.write_settings(&format!("{text}[[providers]]\nid = \"gone\"\nbase_url = \"{ended}\"\n"))
        .expect("writes");
    home.server.push(Reply::new().text("Me instead."));
    home.server.push(Reply::new().text("Never."));
    let engine = home.open().await.expect("opens");
    let events = ask(&engine, message("hello")).await.expect("asks");
    assert_eq!(done(&events).map(|(reply, _)| reply), Some("Me instead.".into()));
    let switched = events.iter().any(|event| {
        matches!(&event.body, EventBody::Provider { state: ProviderState::Switched, model, .. } if model == "work/scripted-1")
    });
    assert!(switched);
    let picked =
        hearth_protocol::api::chat::Submit { model: Some("gone/m".into()), ..message("again") };
    let events = ask(&engine, picked).await.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Failed));
    assert_eq!(home.server.requests().len(), 1, "a model picked by hand is not replaced");
    engine.close().await;
}

#[tokio::test]
async fn the_budget_is_checked_before_the_call() {
    let (home, events) =
        one(vec![Reply::new().text("No.")], "[budget]\ndaily_tokens = 100\n").await;
    assert_eq!(home.server.requests().len(), 0);
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Budget));
    let told = events.iter().any(|event| {
        matches!(&event.body, EventBody::Notice { body, .. } if body.contains("daily_tokens"))
    });
    assert!(told, "the person is told which budget");
}

#[tokio::test]
async fn a_missing_provider_and_a_missing_model_file_say_what_to_do() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    for (model, code) in
        [("nobody/m", ErrorCode::ModelMissing), ("local/qwen", ErrorCode::ModelNotDownloaded)]
    {
        let request =
            hearth_protocol::api::chat::Submit { model: Some(model.into()), ..message("hello") };
        let events = ask(&engine, request).await.expect("asks");
        assert_eq!(error_of(&events).map(|(code, _)| code), Some(code), "{model}");
    }
    engine.close().await;
}

#[tokio::test]
async fn a_server_that_always_fails_is_given_up_and_reported_within_five_seconds() {
    let failing = || Reply::answer(500, &[], "{\"error\":{\"message\":\"boom\"}}");
    let begun = std::time::Instant::now();
    let (home, events) = one((0..9).map(|_| failing()).collect(), "").await;
    assert!(begun.elapsed().as_secs_f64() < 5.0, "{:?}", begun.elapsed());
    assert_eq!(home.server.requests().len(), 3);
    assert_eq!(error_of(&events).map(|(code, _)| code), Some(ErrorCode::ProviderUnavailable));
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Failed));
}

#[tokio::test]
async fn the_budget_holds_when_calls_run_side_by_side() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let text = home.settings(format, kind);
    // Room for two calls: each puts its prompt and 4,096 tokens of a reply aside.
    home.write_settings(&format!("{text}[budget]\ndaily_tokens = 16000\n")).expect("writes");
    let engine = home.open().await.expect("opens");
    let gate = hearth_llm::scripted::Gate::default();
    for _ in 0..6 {
        home.server.push(Reply::new().text("Yes.").hold(&gate).usage(4_000, 0, 3_000));
    }
    let asks = (0..4).map(|n| {
        let session =
            hearth_protocol::SessionKey::parse(&format!("assistant:p{n}")).expect("a key");
        ask(&engine, hearth_protocol::api::chat::Submit { session, ..message("hello") })
    });
    let opening = async {
        home.server.asked(2).await;
        gate.open();
    };
    let (ends, ()) = tokio::join!(futures_join(asks), opening);
    let stops: Vec<_> =
        ends.iter().filter_map(|events| done(events)).map(|(_, stop)| stop).collect();
    let finished = stops.iter().filter(|stop| **stop == StopReason::Finished).count();
    let refused = stops.iter().filter(|stop| **stop == StopReason::Budget).count();
    assert_eq!((finished, refused, home.server.requests().len()), (2, 2, 2), "{stops:?}");
    engine.close().await;
}

async fn futures_join<F>(asks: impl Iterator<Item = F>) -> Vec<Vec<Event>>
where
    F: Future<Output = anyhow::Result<Vec<Event>>>,
{
    futures::future::join_all(asks).await.into_iter().map(|events| events.expect("asks")).collect()
}

#[tokio::test]
async fn what_nobody_waits_for_stops_before_the_budgets_end_and_never_holds_a_person_up() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}[budget]\ndaily_tokens = 9000\n")).expect("writes");
    let engine = home.open().await.expect("opens");
    let cron = |session: &str| hearth_protocol::api::chat::Submit {
        origin: hearth_protocol::Origin::Cron,
        session: hearth_protocol::SessionKey::parse(session).expect("a key"),
        ..message("tick")
    };
    // 8,000 of 9,000 tokens would do for a person, not for a job.
    home.server.push(Reply::new().text("Hello.").usage(2_000, 0, 100));
    ask(&engine, message("hello")).await.expect("asks");
    let events = ask(&engine, cron("assistant:cron:a:1")).await.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Budget));
    home.server.push(Reply::new().text("Still here.").usage(2_000, 0, 100));
    let events = ask(&engine, message("again")).await.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Finished));

    home.write_settings(&format!("{text}[budget]\ndaily_tokens = 0\n")).expect("writes");
    let gate = hearth_llm::scripted::Gate::default();
    for _ in 0..2 {
        home.server.push(Reply::new().text("tock").hold(&gate));
    }
    for n in 0..4 {
        let job = cron(&format!("assistant:cron:b:{n}"));
        hearth_engine::api::chat::submit(&engine, job).await.expect("submits");
    }
    home.server.asked(4).await;
    home.server.push(Reply::new().text("At once."));
    let events = ask(&engine, message("now")).await.expect("asks");
    assert_eq!(done(&events).map(|(reply, _)| reply), Some("At once.".into()));
    for _ in 0..2 {
        home.server.push(Reply::new().text("tock"));
    }
    gate.open();
    engine.close().await;
}

#[tokio::test]
async fn an_alias_names_a_model_and_settings_count_from_the_next_turn() {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let engine = home.open().await.expect("opens");
    let text = home.settings(format, kind);
    let aliased = text.replace(
        "default = \"work/scripted-1\"",
        "default = \"gone/m\"\nthinking = \"high\"\naliases = { quick = \"work/scripted-1\" }",
    );
    home.write_settings(&aliased).expect("writes");
    home.server.push(Reply::new().text("Me."));
    let request =
        hearth_protocol::api::chat::Submit { model: Some("quick".into()), ..message("hello") };
    let events = ask(&engine, request).await.expect("asks");
    assert_eq!(done(&events), Some(("Me.".into(), StopReason::Finished)));
    let body = &home.server.requests()[0].body;
    assert_eq!((&body["model"], &body["reasoning_effort"]), (&"scripted-1".into(), &"high".into()));
    engine.close().await;
}
