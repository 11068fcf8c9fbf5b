//! Finds model servers on this machine: asks the usual ports and tells the servers apart by their answers.
//!
//! Invariants: loopback only, no key, all ports at once, and no port holds the search up longer than
//! [`LIMIT`]. Left out: offering them.

use crate::client::Http;
use crate::client::names;
use crate::wire::{Format, list_of, text_of};
use futures::future::join_all;
use hearth_protocol::api::models::{DetectedServer, ProviderKind};
use serde_json::Value;
use std::time::Duration;

/// A server on this machine answers at once or does not count.
pub const LIMIT: Duration = Duration::from_millis(300);

/// Usual ports, and whose they are.
const PORTS: [(u16, Server); 4] = [
    (11434, Server::Ollama),
    (1234, Server::LmStudio),
    (8080, Server::LlamaCpp),
    (8000, Server::Vllm),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    Ollama,
    LmStudio,
    LlamaCpp,
    Vllm,
}

impl Server {
    fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LmStudio => "lm-studio",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vllm",
        }
    }
}

/// The servers that answer on their usual ports. `configured`: base URLs of providers already set up.
pub async fn detect(http: &Http, configured: &[String]) -> Vec<DetectedServer> {
    let ports: Vec<(u16, String)> =
        PORTS.iter().map(|(port, server)| (*port, server.name().to_owned())).collect();
    detect_on(http, &ports, configured).await
}

/// The same for other ports, each with the name of a server that says nothing of itself.
pub async fn detect_on(
    http: &Http,
    ports: &[(u16, String)],
    configured: &[String],
) -> Vec<DetectedServer> {
    let probes = ports.iter().map(|(port, name)| async move {
        tokio::time::timeout(LIMIT, probe(http, *port, name)).await.ok().flatten()
    });
    let found = join_all(probes).await.into_iter().flatten();
    found
        .map(|server| {
            let configured = configured.iter().any(|url| same_server(url, &server.base_url));
            DetectedServer { configured, ..server }
        })
        .collect()
}

struct Page {
    json: Value,
    server: String,
}

async fn page(http: &Http, port: u16, path: &str) -> Option<Page> {
    let url = format!("http://127.0.0.1:{port}{path}");
    let response = http.client(true).get(url).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let server = response.headers().get("server").and_then(|value| value.to_str().ok());
    let server = server.unwrap_or_default().to_ascii_lowercase();
    let bytes = response.bytes().await.ok()?;
    Some(Page { json: serde_json::from_slice(&bytes).ok()?, server })
}

async fn probe(http: &Http, port: u16, usual: &str) -> Option<DetectedServer> {
    let (models, version, native) = tokio::join!(
        page(http, port, "/v1/models"),
        page(http, port, "/api/version"),
        page(http, port, "/api/tags"),
    );
    // Ollama without a model lists `null` in OpenAI's manner, so its own list is read.
    let is_ollama = version.is_some_and(|page| !text_of(&page.json, "version").is_empty());
    if let (true, Some(native)) = (is_ollama, native) {
        let base_url = format!("http://127.0.0.1:{port}");
        let models = names(Format::Ollama, &native.json)?;
        return Some(found(Server::Ollama.name(), ProviderKind::Ollama, base_url, models));
    }
    let models = models?;
    let listed = names(Format::OpenaiChat, &models.json)?;
    let name = told(&models).map_or(usual, |server| server.name());
    let base_url = format!("http://127.0.0.1:{port}/v1");
    Some(found(name, ProviderKind::Openai, base_url, listed))
}

/// Who the server says it is.
fn told(models: &Page) -> Option<Server> {
    let owners: Vec<&str> =
        list_of(&models.json, "data").iter().map(|row| text_of(row, "owned_by")).collect();
    let owned_by = |owner: &str| owners.contains(&owner);
    if models.server.contains("llama.cpp") || owned_by("llamacpp") {
        Some(Server::LlamaCpp)
    } else if owned_by("vllm") {
        Some(Server::Vllm)
    } else if owned_by("organization_owner") {
        Some(Server::LmStudio)
    } else {
        None
    }
}

fn found(name: &str, kind: ProviderKind, base_url: String, models: Vec<String>) -> DetectedServer {
    DetectedServer { name: name.to_owned(), kind, base_url, models, configured: false }
}

/// `localhost` and `127.0.0.1` are one machine; paths do not matter.
fn same_server(a: &str, b: &str) -> bool {
    let place = |url: &str| {
        let url = url::Url::parse(url).ok()?;
        crate::fault::is_loopback(url.as_str()).then(|| url.port_or_known_default())?
    };
    matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}
