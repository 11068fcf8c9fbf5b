//! Finding servers on this machine and testing providers.

use crate::calls::{http, model, model_at};
use hearth_llm::detect::detect_on;
use hearth_llm::scripted::{Reply, Server};
use hearth_llm::wire::Format;
use hearth_protocol::api::models::{DetectedServer, ProviderKind};
use std::time::{Duration, Instant};

async fn server_with(pages: &[(&str, &str)]) -> Server {
    let server = Server::start().await.unwrap();
    for (path, body) in pages {
        server.page(path, Reply::answer(200, &[("content-type", "application/json")], *body));
    }
    server
}

#[tokio::test]
async fn servers_are_told_apart_by_their_answers() {
    let ollama = server_with(&[
        ("/v1/models", r#"{"object":"list","data":null}"#),
        ("/api/version", r#"{"version":"0.12.6"}"#),
        ("/api/tags", r#"{"models":[{"name":"qwen3:8b"}]}"#),
    ])
    .await;
    let llama = server_with(&[
        ("/v1/models", r#"{"data":[{"id":"m.gguf","owned_by":"llamacpp"}]}"#),
        ("/api/tags", r#"{"models":[{"name":"m.gguf"}]}"#),
    ])
    .await;
    let vllm = server_with(&[("/v1/models", r#"{"data":[{"id":"a/b","owned_by":"vllm"}]}"#)]).await;
    let studio =
        server_with(&[("/v1/models", r#"{"data":[{"id":"c","owned_by":"organization_owner"}]}"#)])
            .await;
    let mute = server_with(&[("/v1/models", r#"{"data":[{"id":"d"}]}"#)]).await;
    let html = server_with(&[("/v1/models", "<html>It works!</html>")]).await;
    // Takes connections and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_port = silent.local_addr().unwrap().port();

    let port = |server: &Server| server.address().port();
    let servers = [&ollama, &llama, &vllm, &studio, &mute, &html];
    let mut ports: Vec<_> =
        servers.iter().map(|server| (port(server), "vllm".to_owned())).collect();
    ports.push((silent_port, "ollama".to_owned()));
    let configured = [format!("http://localhost:{}/v1", port(&llama))];
    let start = Instant::now();
    let found = detect_on(&http(), &ports, &configured).await;
    assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
    let want =
        |server: &Server, name: &str, kind, path: &str, model: &str, configured| DetectedServer {
            name: name.into(),
            kind,
            base_url: format!("http://127.0.0.1:{}{path}", port(server)),
            models: vec![model.into()],
            configured,
        };
    let openai = ProviderKind::Openai;
    let all = [
        want(&ollama, "ollama", ProviderKind::Ollama, "", "qwen3:8b", false),
        want(&llama, "llama.cpp", openai, "/v1", "m.gguf", true),
        want(&vllm, "vllm", openai, "/v1", "a/b", false),
        want(&studio, "lm-studio", openai, "/v1", "c", false),
        want(&mute, "vllm", openai, "/v1", "d", false),
    ];
    assert_eq!(found, all);
}

#[tokio::test]
async fn a_provider_is_tested() {
    let server = Server::start().await.unwrap();
    server.require_key("good");
    server.set_models(&["m-1", "m-2"]);
    let at = |key| model(&server, Format::OpenaiChat, Some(key));
    let good = at("good").test(Some("m-2")).await;
    assert_eq!((good.ok, good.models.len()), (true, 2), "{}", good.message);
    let unlisted = at("good").test(Some("m-3")).await;
    assert!(!unlisted.ok && unlisted.message.contains("m-3") && unlisted.models.len() == 2);
    let bad = at("bad-key").test(None).await;
    assert!(!bad.ok && bad.hint.contains("settings") && !bad.message.contains("bad-key"));

    // A server without a list is asked for a word.
    server.page("/v1/models", Reply::answer(404, &[], "<html>no</html>"));
    server.push(Reply::new().text("ok"));
    assert!(at("good").test(Some("m-1")).await.ok);
    assert_eq!(server.requests().len(), 1);
    let html = at("good").test(None).await;
    assert!(!html.ok && html.message.contains("no model API"), "{}", html.message);
    let nowhere = model_at("http://127.0.0.1:9", Format::Ollama, None).test(None).await;
    assert!(!nowhere.ok && nowhere.message.contains("No server is running"), "{}", nowhere.message);
}
