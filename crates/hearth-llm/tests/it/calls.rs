//! Whole calls against a scripted server: every encoder, decoder and the transport in all formats.

use hearth_llm::client::{Endpoint, Http, RemoteModel, Timeouts};
use hearth_llm::scripted::{Gate, Reply, Server};
use hearth_llm::wire::Format;
use hearth_llm::{CallError, ChatModel};
use hearth_protocol::{
    Arguments, FaultKind, Finish, Message, ModelDelta, ModelReply, ModelRequest, Retry, Role,
    Thinking, TokenUsage,
};
use serde_json::json;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(crate) fn model(server: &Server, format: Format, key: Option<&str>) -> RemoteModel {
    model_at(&server.base_url(format), format, key)
}

/// Reading the system's certificates takes a while: once is enough.
pub(crate) fn http() -> Http {
    static HTTP: OnceLock<Http> = OnceLock::new();
    let timeouts =
        Timeouts { first_byte_loopback: Duration::from_millis(500), ..Timeouts::default() };
    HTTP.get_or_init(|| Http::new(timeouts).unwrap()).clone()
}

pub(crate) fn model_at(base_url: &str, format: Format, key: Option<&str>) -> RemoteModel {
    let endpoint = Endpoint {
        format,
        base_url: base_url.into(),
        key: key.map(|key| key.to_owned().into()),
        window: None,
    };
    RemoteModel::new(http(), endpoint)
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        model: "scripted-1".into(),
        system: Vec::new(),
        messages: vec![Message::text(Role::User, "Hello", 1)],
        tools: Vec::new(),
        max_output: None,
        temperature: None,
        thinking: Thinking::Default,
    }
}

pub(crate) async fn call(model: &RemoteModel) -> (Vec<ModelDelta>, Result<ModelReply, CallError>) {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let result = model.call(&request(), &mut sink, &CancellationToken::new()).await;
    (deltas, result)
}

#[tokio::test]
async fn the_same_script_gives_the_same_reply_in_every_format() {
    let server = Server::start().await.unwrap();
    for format in Format::ALL {
        server.push(
            Reply::new()
                .reasoning("Let me ")
                .reasoning("see.")
                .text("Il fait ")
                .text("18 °C 😀")
                .call("weather", &json!({"city": "Zürich"}))
                .call("clock", &json!({}))
                .usage(120, 0, 33),
        );
        let (deltas, reply) = call(&model(&server, format, None)).await;
        let text = |piece: &str| ModelDelta::Text(piece.into());
        let thought = |piece: &str| ModelDelta::Reasoning(piece.into());
        let want = [thought("Let me "), thought("see."), text("Il fait "), text("18 °C 😀")];
        let joined = |deltas: &[ModelDelta]| {
            format!("{deltas:?}").replace("\"), Text(\"", "").replace("\"), Reasoning(\"", "")
        };
        assert_eq!(joined(&deltas), joined(&want), "{format:?}");
        let reply = reply.unwrap();
        let calls: Vec<_> =
            reply.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        let city = Arguments::Object(json!({"city": "Zürich"}).as_object().unwrap().clone());
        assert_eq!(calls, [("weather", &city), ("clock", &Arguments::Object(Default::default()))]);
        assert_eq!(
            (
                reply.complete,
                reply.text.as_str(),
                reply.reasoning.as_str(),
                reply.finish,
                reply.usage
            ),
            (
                true,
                "Il fait 18 °C 😀",
                "Let me see.",
                Some(Finish::ToolCalls),
                Some(TokenUsage { input: 120, cached: 0, output: 33 })
            ),
            "{format:?}"
        );
    }
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.path).collect();
    let want = [
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1beta/models/scripted-1:streamGenerateContent?alt=sse",
        "/api/chat",
    ];
    assert_eq!(paths, want);
}

#[tokio::test]
async fn the_key_goes_in_its_header_and_nowhere_else() {
    let server = Server::start().await.unwrap();
    server.require_key("s3cret-key-value");
    for format in Format::ALL {
        server.push(Reply::new().text("ok"));
        let good = model(&server, format, Some(" s3cret-key-value\n"));
        assert_eq!(call(&good).await.1.unwrap().text, "ok");
        assert!(!format!("{good:?}").contains("s3cret"));
        let bad = call(&model(&server, format, Some("wrong-key-value"))).await.1.unwrap_err().fault;
        assert_eq!((bad.kind, bad.retry), (FaultKind::BadKey, Retry::No));
        assert!(!format!("{bad:?}").contains("wrong-key"));
    }
    for request in server.requests() {
        let holders: Vec<_> =
            request.headers.iter().filter(|(_, value)| value.contains("s3cret")).collect();
        assert_eq!(holders.len(), 1);
        assert!(!request.path.contains("s3cret") && !request.body.to_string().contains("s3cret"));
    }
    let odd = call(&model(&server, Format::Anthropic, Some("a\nb"))).await.1.unwrap_err().fault;
    assert_eq!(odd.kind, FaultKind::BadKey);
}

#[tokio::test]
async fn a_server_that_quotes_the_key_back_does_not_get_it_shown() {
    let server = Server::start().await.unwrap();
    server.push(Reply::answer(400, &[], r#"{"error":{"message":"no: hunter22hunter"}}"#));
    let fault =
        call(&model(&server, Format::OpenaiChat, Some("hunter22"))).await.1.unwrap_err().fault;
    assert!(fault.message.contains("no: [key]hunter"), "{}", fault.message);
}

#[tokio::test]
async fn cancelling_drops_the_connection_within_100_ms_and_keeps_the_text() {
    let server = Server::start().await.unwrap();
    for (count, format) in Format::ALL.into_iter().enumerate() {
        let gate = Gate::default();
        server.push(Reply::new().text("half").hold(&gate).text(" never"));
        let model = model(&server, format, None);
        let cancel = CancellationToken::new();
        let (seen, mut first) = tokio::sync::mpsc::unbounded_channel();
        let token = cancel.clone();
        let running = tokio::spawn(async move {
            let mut sink = move |delta| seen.send(delta).unwrap();
            model.call(&request(), &mut sink, &token).await
        });
        assert_eq!(first.recv().await, Some(ModelDelta::Text("half".into())));
        let start = Instant::now();
        cancel.cancel();
        let error = running.await.unwrap().unwrap_err();
        server.dropped(count + 1).await;
        assert!(start.elapsed() < Duration::from_millis(100), "{:?}", start.elapsed());
        assert_eq!((error.fault.kind, error.partial.text.as_str()), (FaultKind::Cancelled, "half"));
    }
    let before = CancellationToken::new();
    before.cancel();
    let model = model(&server, Format::Ollama, None);
    let error = model.call(&request(), &mut |_| {}, &before).await.unwrap_err();
    assert_eq!((error.fault.kind, server.requests().len()), (FaultKind::Cancelled, 5));
}

#[tokio::test]
async fn streams_that_break_keep_their_text_and_are_resumed() {
    let server = Server::start().await.unwrap();
    for format in Format::ALL {
        let overloaded = Reply::new().text("Hal").error("overloaded_error", "Overloaded");
        let cases = [
            (Reply::new().text("Hal").cut(), FaultKind::Cut, Retry::Resume, "Hal"),
            (Reply::new().text("Hal").end_early(), FaultKind::Cut, Retry::Resume, "Hal"),
            (overloaded, FaultKind::Unavailable, Retry::Resume, "Hal"),
            (
                Reply::new().error("overloaded_error", "Overloaded"),
                FaultKind::Unavailable,
                Retry::Backoff,
                "",
            ),
            (Reply::new().call("a", &json!({})).end_early(), FaultKind::Cut, Retry::Backoff, ""),
        ];
        for (reply, kind, retry, text) in cases {
            server.push(reply);
            let (deltas, result) = call(&model(&server, format, None)).await;
            let error = result.unwrap_err();
            assert_eq!((error.fault.kind, error.fault.retry), (kind, retry), "{format:?}");
            assert_eq!((error.partial.text.as_str(), error.partial.complete), (text, false));
            assert_eq!(deltas.len(), usize::from(!text.is_empty()));
        }
    }
}

#[tokio::test]
async fn no_first_byte_is_a_timeout() {
    let server = Server::start().await.unwrap();
    let gate = Gate::default();
    server.push(Reply::new().hold(&gate));
    let fault = call(&model(&server, Format::Gemini, None)).await.1.unwrap_err().fault;
    assert_eq!((fault.kind, fault.retry), (FaultKind::Timeout, Retry::Backoff));
}

#[tokio::test]
async fn a_local_server_that_is_not_running_is_said_at_once() {
    let server = Server::start().await.unwrap();
    let base = server.base_url(Format::OpenaiChat);
    drop(server);
    tokio::task::yield_now().await;
    let fault = call(&model_at(&base, Format::OpenaiChat, None)).await.1.unwrap_err().fault;
    assert_eq!((fault.kind, fault.retry), (FaultKind::Refused, Retry::No), "{}", fault.message);
}

#[tokio::test]
async fn models_are_listed_in_every_format() {
    let server = Server::start().await.unwrap();
    server.set_models(&["b-2", "a-1"]);
    for format in Format::ALL {
        let listed = model(&server, format, None).list_models().await;
        assert_eq!(listed.unwrap(), ["a-1", "b-2"], "{format:?}");
    }
    server.require_key("k");
    let refused = model(&server, Format::OpenaiChat, None).list_models().await.unwrap_err();
    assert_eq!(refused.kind, FaultKind::BadKey);
}
