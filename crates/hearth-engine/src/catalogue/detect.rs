//! Model servers on this machine, by their usual ports.

use super::remote::{format_of, http};
use crate::settings::Settings;
use hearth_llm::client::{Endpoint, RemoteModel};
use hearth_protocol::api::models::{DetectedServer, ProviderKind};
use std::time::Duration;

/// A server on this machine answers at once or is not there.
const PATIENCE: Duration = Duration::from_millis(800);

const USUAL: [(&str, ProviderKind, &str); 4] = [
    ("ollama", ProviderKind::Ollama, "http://127.0.0.1:11434"),
    ("lm-studio", ProviderKind::Openai, "http://127.0.0.1:1234/v1"),
    ("llama.cpp", ProviderKind::Openai, "http://127.0.0.1:8080/v1"),
    ("vllm", ProviderKind::Openai, "http://127.0.0.1:8000/v1"),
];

/// Asks all usual ports at once.
pub(crate) async fn run(settings: &Settings) -> Vec<DetectedServer> {
    let asked = USUAL.map(|(name, kind, base_url)| async move {
        let models = models(kind, base_url).await?;
        Some(DetectedServer {
            name: name.to_owned(),
            kind,
            base_url: base_url.to_owned(),
            models,
            configured: settings.providers.iter().any(|row| same_port(&row.base_url, base_url)),
        })
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}

async fn models(kind: ProviderKind, base_url: &str) -> Option<Vec<String>> {
    let endpoint = Endpoint {
        format: format_of(kind)?,
        base_url: base_url.to_owned(),
        key: None,
        window: None,
    };
    let server = RemoteModel::new(http().ok()?, endpoint);
    tokio::time::timeout(PATIENCE, server.list_models()).await.ok()?.ok()
}

fn same_port(a: &str, b: &str) -> bool {
    let port =
        |text: &str| reqwest::Url::parse(text).ok().and_then(|url| url.port_or_known_default());
    crate::http::is_loopback(a) && port(a) == port(b)
}
