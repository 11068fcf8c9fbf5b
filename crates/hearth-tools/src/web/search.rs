//! `web_search`: results of a search service that the person chose; offered only where there is one.
//!
//! Invariants: the service's address is the person's own setting and may be local; its key is asked for at
//! each call and shows up nowhere. What comes back was written by others.

use crate::call::{Invocation, Outcome};
use crate::files::object;
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use futures::future::BoxFuture;
use reqwest::{Client, RequestBuilder, redirect};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Results in one answer.
const RESULTS: usize = 8;
/// Characters of a result's text.
const SNIPPET: usize = 400;
/// Bytes of an answer.
const MOST: usize = 2 * 1024 * 1024;

/// A kind of search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchKind {
    /// A SearXNG instance with its JSON format turned on.
    Searxng,
    /// Brave Search.
    Brave,
    /// Tavily.
    Tavily,
}

impl SearchKind {
    /// As written in `hearth.toml`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "searxng" => Some(Self::Searxng),
            "brave" => Some(Self::Brave),
            "tavily" => Some(Self::Tavily),
            _ => None,
        }
    }

    /// Where the service answers unless another address is given; none for what everyone runs themselves.
    fn usual_address(self) -> Option<&'static str> {
        match self {
            Self::Searxng => None,
            Self::Brave => Some("https://api.search.brave.com/res/v1"),
            Self::Tavily => Some("https://api.tavily.com"),
        }
    }
}

/// Gives the service's key, if there is one.
pub type SearchKey = Arc<dyn Fn() -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// Searches the web.
pub struct WebSearch {
    kind: SearchKind,
    address: String,
    key: SearchKey,
    client: Client,
}

static WEB_SEARCH: Descriptor = Descriptor {
    name: Cow::Borrowed("web_search"),
    description: Cow::Borrowed(
        "Search the web: titles, addresses and short texts. Read a page with web_fetch.",
    ),
    access: &[Access::ReachesNetwork],
    group: Group::Web,
    limit: Duration::from_secs(30),
    untrusted: true,
    policy: Cow::Borrowed("Sends the question to the search service of your settings."),
    schema: Schema::Built(|| object(json!({"query": {"type": "string"}}), &["query"])),
};

impl WebSearch {
    /// A service; `address` may be empty where the kind has a usual one. None where it has not.
    #[must_use]
    pub fn new(kind: SearchKind, address: &str, key: SearchKey) -> Option<Self> {
        let address = match address.trim_end_matches('/') {
            "" => kind.usual_address()?.to_owned(),
            address => address.to_owned(),
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("hearth/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .timeout(Duration::from_secs(20))
            .build();
        Some(Self { kind, address, key, client: client.unwrap_or_default() })
    }

    fn request(&self, query: &str, key: Option<&str>) -> Result<RequestBuilder, String> {
        let Self { address, client, .. } = self;
        let asked = |path: &str, pairs: &[(&str, &str)]| {
            Url::parse_with_params(&format!("{address}{path}"), pairs)
                .map_err(|_| "The address of the search service is no URL.".to_owned())
        };
        let key = key.ok_or(
            "The search service has no key. Your person can store one under the name search.",
        );
        Ok(match self.kind {
            SearchKind::Searxng => {
                let request = client.get(asked("/search", &[("q", query), ("format", "json")])?);
                match key {
                    Ok(key) => request.bearer_auth(key),
                    Err(_) => request,
                }
            }
            SearchKind::Brave => client
                .get(asked("/web/search", &[("q", query), ("count", "10")])?)
                .header("x-subscription-token", key?),
            SearchKind::Tavily => client
                .post(format!("{address}/search"))
                .bearer_auth(key?)
                .header("content-type", "application/json")
                .body(json!({"query": query, "max_results": RESULTS}).to_string()),
        })
    }

    async fn search(&self, query: &str) -> Result<Value, String> {
        let key = (self.key)().await;
        let request = self.request(query, key.as_deref())?;
        // The error's own text may hold the address with what was asked; it is not shown.
        let away = |error: reqwest::Error| match error.is_timeout() {
            true => "The search service did not answer in time.".to_owned(),
            false => "The search service cannot be reached.".to_owned(),
        };
        let mut response = request.send().await.map_err(away)?;
        match response.status() {
            status if status.is_success() => {}
            status if matches!(status.as_u16(), 401 | 403) => {
                return Err(format!("The search service refuses the key ({status})."));
            }
            status => return Err(format!("The search service answers {status}.")),
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(away)? {
            body.extend_from_slice(&piece);
            if body.len() > MOST {
                return Err("The search service answers without end.".to_owned());
            }
        }
        serde_json::from_slice(&body)
            .map_err(|_| "The search service does not answer in JSON.".to_owned())
    }
}

#[async_trait]
impl Tool for WebSearch {
    fn descriptor(&self) -> &Descriptor {
        &WEB_SEARCH
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let query = call.text("query").trim();
        if query.is_empty() {
            return Outcome::failed("`query` is empty.");
        }
        let found = tokio::select! {
            () = call.cancel.cancelled() => return Outcome::failed("Stopped."),
            found = self.search(query) => found,
        };
        match found {
            Ok(answer) => Outcome::done(listed(query, &answer)).from_outside("web search"),
            Err(why) => Outcome::failed(why),
        }
    }
}

fn listed(query: &str, answer: &Value) -> String {
    let results =
        answer.pointer("/web/results").or_else(|| answer.get("results")).and_then(Value::as_array);
    let results = results.map(Vec::as_slice).unwrap_or_default();
    let text = |result: &Value, names: &[&str]| -> String {
        let found = names.iter().find_map(|name| result.get(name)?.as_str()).unwrap_or_default();
        let plain = found.split_whitespace().collect::<Vec<_>>().join(" ");
        plain.chars().take(SNIPPET).collect()
    };
    let lines: Vec<String> = results
        .iter()
        .filter(|result| result.get("url").is_some_and(Value::is_string))
        .take(RESULTS)
        .enumerate()
        .map(|(at, result)| {
            let (title, url) = (text(result, &["title"]), text(result, &["url"]));
            format!(
                "{}. {title}\n   {url}\n   {}",
                at + 1,
                text(result, &["content", "description"])
            )
        })
        .collect();
    if lines.is_empty() { format!("Nothing was found for {query}.") } else { lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Answers one request; returns what was asked.
    async fn one_answer(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let address = format!("http://{}", listener.local_addr().expect("has one"));
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("comes");
            let mut request = vec![0; 8_192];
            let length = stream.read(&mut request).await.expect("reads");
            stream.write_all(answer.as_bytes()).await.expect("writes");
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        (address, asked)
    }

    async fn search(
        kind: SearchKind,
        answer: &'static str,
        key: Option<&'static str>,
    ) -> (Outcome, String) {
        let (address, asked) = one_answer(answer).await;
        let key: SearchKey = Arc::new(move || Box::pin(async move { key.map(str::to_owned) }));
        let tool = WebSearch::new(kind, &address, key).expect("has an address");
        let Value::Object(arguments) = json!({"query": "two words"}) else { panic!("an object") };
        let outcome = tool.run(Invocation::new(arguments, "t".into(), "c".into())).await;
        (outcome, asked.await.expect("was asked"))
    }

    #[tokio::test]
    async fn each_service_is_asked_in_its_own_way() {
        let ok = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
        let searxng: &str = Box::leak(format!("{ok}{{\"results\":[{{\"title\":\"T\",\"url\":\"https://a.example/\",\"content\":\"c\\n d\"}}]}}").into_boxed_str());
        let (outcome, asked) = search(SearchKind::Searxng, searxng, None).await;
        assert_eq!(outcome.text, "1. T\n   https://a.example/\n   c d");
        assert!(asked.starts_with("GET /search?q=two+words&format=json"), "{asked}");
        let brave: &str = Box::leak(format!("{ok}{{\"web\":{{\"results\":[{{\"title\":\"T\",\"url\":\"u\",\"description\":\"d\"}}]}}}}").into_boxed_str());
        let (outcome, asked) = search(SearchKind::Brave, brave, Some("k1")).await;
        assert!(outcome.ok && outcome.text.contains("   d"), "{}", outcome.text);
        assert!(asked.contains("x-subscription-token: k1"), "{asked}");
        let tavily: &str = Box::leak(format!("{ok}{{\"results\":[]}}").into_boxed_str());
        let (outcome, asked) = search(SearchKind::Tavily, tavily, Some("k2")).await;
        assert_eq!(outcome.text, "Nothing was found for two words.");
        assert!(
            asked.starts_with("POST /search") && asked.contains("authorization: Bearer k2"),
            "{asked}"
        );
        let (outcome, _) =
            search(SearchKind::Brave, "HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n", Some("k3"))
                .await;
        assert!(
            !outcome.ok && outcome.text.contains("refuses the key") && !outcome.text.contains("k3")
        );
        let (outcome, _) =
            search(SearchKind::Searxng, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>", None)
                .await;
        assert!(!outcome.ok && outcome.text.contains("not answer in JSON"));
    }

    #[tokio::test]
    async fn without_a_key_or_address_it_says_so() {
        let none: SearchKey = Arc::new(|| Box::pin(async { None }));
        assert!(WebSearch::new(SearchKind::Searxng, "", Arc::clone(&none)).is_none());
        let tool = WebSearch::new(SearchKind::Brave, "", none).expect("has a usual address");
        let Value::Object(arguments) = json!({"query": "x"}) else { panic!("an object") };
        let outcome = tool.run(Invocation::new(arguments, "t".into(), "c".into())).await;
        assert!(!outcome.ok && outcome.text.contains("has no key"));
    }
}
