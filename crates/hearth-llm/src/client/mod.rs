//! Calls to model servers over HTTP.
//!
//! Invariants: a key travels in one sensitive header to the configured host only: no redirect is
//! followed, no key stands in a URL, an error or a `Debug` form; a server on this machine is never
//! asked through a proxy; dropping or cancelling a call drops its connection.
//! Left out: retries, budgets, which model to ask.

mod answer;
mod check;
mod http;
mod url;

pub(crate) use answer::names;
pub use http::{Http, HttpError, Timeouts};
pub use url::default_base_url;

use crate::call::{CallError, ChatModel, Sink};
use crate::encode::{Target, encode};
use crate::fault::{self, Trouble};
use crate::wire::Format;
use async_trait::async_trait;
use hearth_protocol::{Fault, FaultKind, ModelReply, ModelRequest, Retry};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Where a provider is and how to talk to it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its wire format.
    pub format: Format,
    /// Base URL; empty for the vendor's own.
    pub base_url: String,
    /// Its key; a server on this machine needs none.
    pub key: Option<SecretString>,
    /// Window in tokens, where the person configured one.
    pub window: Option<u64>,
}

impl Endpoint {
    /// The base URL in use.
    #[must_use]
    pub fn base(&self) -> &str {
        let given = self.base_url.trim();
        if given.is_empty() { default_base_url(self.format) } else { given }
    }

    /// The server runs on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        fault::is_loopback(self.base())
    }

    /// Headers that carry the key, marked so that nothing prints it.
    fn headers(&self) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        if self.format == Format::Anthropic {
            let version = HeaderValue::from_static("2023-06-01");
            headers.insert(HeaderName::from_static("anthropic-version"), version);
        }
        let key = self.key.as_ref().map(|key| key.expose_secret().trim());
        let Some(key) = key.filter(|key| !key.is_empty()) else { return Ok(headers) };
        let (name, value) = match self.format {
            Format::Anthropic => ("x-api-key", key.to_owned()),
            Format::Gemini => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| unusable_key())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
        Ok(headers)
    }

    /// Takes every trace of the key out of a message.
    fn redact(&self, mut fault: Fault) -> Fault {
        let key = self.key.as_ref().map(|key| key.expose_secret().trim());
        if let Some(key) = key.filter(|key| key.len() >= 4) {
            fault.message = fault.message.replace(key, "[key]");
        }
        fault
    }
}

fn unusable_key() -> Fault {
    Fault {
        kind: FaultKind::BadKey,
        message: "The stored key holds characters that no key has.".to_owned(),
        hint: fault::hint(FaultKind::BadKey).to_owned(),
        retry: Retry::No,
        status: None,
    }
}

/// A model behind an [`Endpoint`].
#[derive(Debug, Clone)]
pub struct RemoteModel {
    http: Http,
    endpoint: Endpoint,
}

impl RemoteModel {
    /// A model; many may share one [`Http`].
    #[must_use]
    pub fn new(http: Http, endpoint: Endpoint) -> Self {
        Self { http, endpoint }
    }

    /// The server's list of models, sorted.
    ///
    /// # Errors
    /// The fault of the request.
    pub async fn list_models(&self) -> Result<Vec<String>, Fault> {
        let endpoint = &self.endpoint;
        let url = url::models(endpoint.format, endpoint.base())?;
        let shown = url::shown(&url);
        let request =
            self.http.client(endpoint.is_loopback()).get(url).headers(endpoint.headers()?);
        let limit = self.http.timeouts().listing;
        let asked = async {
            let response =
                request.send().await.map_err(|error| Trouble::of(&error).fault(&shown))?;
            answer::models(endpoint.format, response, &shown).await
        };
        let listed = tokio::time::timeout(limit, asked).await;
        listed
            .unwrap_or_else(|_| Err(Trouble::Timeout.fault(&shown)))
            .map_err(|fault| endpoint.redact(fault))
    }

    async fn ask(&self, request: &ModelRequest, sink: Sink<'_>) -> Result<ModelReply, CallError> {
        let endpoint = &self.endpoint;
        let url = url::chat(endpoint.format, endpoint.base(), &request.model)
            .map_err(CallError::early)?;
        let shown = url::shown(&url);
        let target = Target { base_url: endpoint.base(), window: endpoint.window };
        let body = encode(endpoint.format, &target, request);
        let mut headers = endpoint.headers().map_err(CallError::early)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let loopback = endpoint.is_loopback();
        let posted =
            self.http.client(loopback).post(url).headers(headers).body(body.to_string()).send();
        let first_byte = self.http.timeouts().first_byte(loopback);
        let response = within(first_byte, posted, &shown).await.map_err(CallError::early)?;
        let stream = answer::Stream {
            format: endpoint.format,
            url: &shown,
            first_byte,
            idle: self.http.timeouts().idle,
        };
        stream.read(response, sink).await
    }
}

/// Waits for an answer's head.
async fn within(
    limit: Duration,
    sent: impl Future<Output = reqwest::Result<reqwest::Response>>,
    url: &str,
) -> Result<reqwest::Response, Fault> {
    match tokio::time::timeout(limit, sent).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(Trouble::of(&error).fault(url)),
        Err(_) => Err(Trouble::Timeout.fault(url)),
    }
}

#[async_trait]
impl ChatModel for RemoteModel {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError> {
        // What was shown before a cancel is kept here: the future that held the decoder is gone then.
        let mut partial = ModelReply::default();
        let mut noting = |delta| {
            note(&mut partial, &delta);
            sink(delta);
        };
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            outcome = self.ask(request, &mut noting) => Some(outcome),
        };
        match outcome {
            Some(outcome) => outcome.map_err(|error| CallError {
                fault: self.endpoint.redact(error.fault),
                partial: error.partial,
            }),
            None => Err(CallError { fault: fault::cancelled(), partial: Box::new(partial) }),
        }
    }
}

fn note(partial: &mut ModelReply, delta: &hearth_protocol::ModelDelta) {
    use hearth_protocol::ModelDelta;
    match delta {
        ModelDelta::Text(text) => partial.text.push_str(text),
        ModelDelta::Reasoning(text) => partial.reasoning.push_str(text),
        ModelDelta::ServerTool(name) => partial.server_tools.push(name.clone()),
        ModelDelta::Reading { .. } => {}
    }
}
