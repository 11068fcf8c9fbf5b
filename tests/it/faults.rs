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
