//! `web_fetch`: one public page as text.
//!
//! Invariants: every hop is judged like the first, by its text, by the addresses of its name, and by the
//! address that was connected to; size and time are bounded; no cookies, no proxy, nothing of the person's is
//! sent. What comes back was written by others.

use super::address::{check_parsed, check_url, private};
use super::page;
use super::resolve::{Private, PublicOnly};
use crate::call::{Invocation, Outcome};
use crate::files::object;
use crate::reach::Surroundings;
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, redirect};
use serde_json::json;
use std::borrow::Cow;
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

const REDIRECTS: usize = 5;
/// For all hops and the whole body.
const TIME: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);
const ACCEPTED: &str = "text/html,application/xhtml+xml,text/plain,text/markdown,application/json;q=0.9,\
                        application/pdf;q=0.8,*/*;q=0.1";
/// Rendering a page of other people's making gets a stack of its own.
const STACK: usize = 32 * 1024 * 1024;

/// Fetches pages.
pub(crate) struct WebFetch {
    around: Surroundings,
    client: Client,
    passes: fn(IpAddr) -> bool,
}

static WEB_FETCH: Descriptor = Descriptor {
    name: Cow::Borrowed("web_fetch"),
    description: Cow::Borrowed(
        "Fetch a public web page, text, JSON or PDF by its http(s) URL, as Markdown or text.",
    ),
    access: &[Access::ReachesNetwork],
    group: Group::Web,
    limit: Duration::from_secs(60),
    untrusted: true,
    policy: Cow::Borrowed(
        "Fetches pages from the public internet or the allowed domains; private and local addresses are refused.",
    ),
    schema: Schema::Built(|| object(json!({"url": {"type": "string"}}), &["url"])),
};

impl WebFetch {
    pub(crate) fn new(around: Surroundings) -> Self {
        let names = PublicOnly::default();
        Self { around, passes: names.passes, client: client(names) }
    }
}

fn client(names: PublicOnly) -> Client {
    // A second provider in one process would be refused; the first one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("hearth/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        // A proxy would resolve names where nobody looks at the addresses.
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT)
        .dns_resolver(Arc::new(names));
    builder.build().unwrap_or_default()
}

#[async_trait]
impl Tool for WebFetch {
    fn descriptor(&self) -> &Descriptor {
        &WEB_FETCH
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let url = call.text("url").to_owned();
        let fetched = tokio::select! {
            () = call.cancel.cancelled() => return Outcome::failed("Stopped."),
            fetched = tokio::time::timeout(TIME, self.fetch(&url)) => fetched,
        };
        match fetched {
            Ok(Ok((from, text))) => Outcome::done(text).from_outside(from),
            // What a server says of its failure is its text too.
            Ok(Err(why)) => Outcome::failed(why).from_outside(url),
            Err(_) => {
                Outcome::failed(format!("{url} did not answer in {} seconds.", TIME.as_secs()))
            }
        }
    }
}

/// A body and what it is.
struct Sent {
    url: Url,
    content_type: String,
    body: Vec<u8>,
    cut: bool,
}

impl WebFetch {
    async fn fetch(&self, url: &str) -> Result<(String, String), String> {
        let reach = self.around.reach();
        let sent = self.follow(url, &reach.domains, reach.max_bytes).await?;
        let address = sent.url.to_string();
        let cut = sent.cut;
        let text = rendered(sent).await?;
        let text = if text.is_empty() { "[the page has no text]".to_owned() } else { text };
        let note = if cut {
            format!("\n\n[only the first {} bytes were read]", reach.max_bytes)
        } else {
            String::new()
        };
        Ok((address.clone(), format!("{address}\n\n{text}{note}")))
    }

    async fn follow(&self, url: &str, domains: &[String], most: u64) -> Result<Sent, String> {
        let mut url = check_url(url, domains)?;
        for _ in 0..=REDIRECTS {
            let response = self.ask(&url).await?;
            if !response.status().is_redirection() {
                return read(url, response, most).await;
            }
            let Some(next) = response.headers().get(LOCATION).and_then(|to| to.to_str().ok())
            else {
                return read(url, response, most).await;
            };
            let next = url.join(next).map_err(|error| format!("{url} leads to no URL: {error}"))?;
            check_parsed(&next, domains)
                .map_err(|why| format!("{url} redirects elsewhere. {why}"))?;
            url = next;
        }
        Err(format!("{url} redirects more than {REDIRECTS} times."))
    }

    async fn ask(&self, url: &Url) -> Result<Response, String> {
        let sent = self.client.get(url.clone()).header(ACCEPT, ACCEPTED).send().await;
        let response = sent.map_err(|error| unreachable(url, &error))?;
        // The last word has the address that was connected to.
        match response.remote_addr() {
            Some(address) if (self.passes)(address.ip()) => Ok(response),
            _ => Err(private(url.host_str().unwrap_or_default())),
        }
    }
}

fn unreachable(url: &Url, error: &reqwest::Error) -> String {
    let mut cause: Option<&dyn Error> = Some(error);
    let mut last = String::new();
    while let Some(inner) = cause {
        if inner.is::<Private>() {
            return private(url.host_str().unwrap_or_default());
        }
        last = inner.to_string();
        cause = inner.source();
    }
    format!("{url} cannot be reached: {last}")
}

async fn read(url: Url, mut response: Response, most: u64) -> Result<Sent, String> {
    let status = response.status();
    if !status.is_success() {
        return Err(format!("{url} answers {status}."));
    }
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = header.unwrap_or_default().to_owned();
    let (mut body, mut cut) = (Vec::new(), false);
    while let Some(piece) = response.chunk().await.map_err(|error| unreachable(&url, &error))? {
        let room = usize::try_from(most).unwrap_or(usize::MAX) - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            cut = true;
            break;
        }
    }
    Ok(Sent { url, content_type, body, cut })
}

async fn rendered(sent: Sent) -> Result<String, String> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let work = move || {
        let _ = tell.send(page::text(&sent.body, &sent.content_type, sent.url.as_str()));
    };
    let started = std::thread::Builder::new().name("page".to_owned()).stack_size(STACK).spawn(work);
    started.map_err(|error| format!("The page cannot be rendered: {error}"))?;
    told.await.unwrap_or_else(|_| Err("The page is damaged and cannot be rendered.".to_owned()))
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;
