//! What went wrong, as far as anybody acts on it: status, headers and body, or an error inside a
//! stream, become one [`Fault`].
//!
//! Invariants: a bad key or an empty balance is never retried; a pause over a minute is never taken in
//! silence; a message holds no tags, no keys and no more than a few lines' worth of the server's words.
//! Left out: transport errors (`trouble`), the pauses between tries (`retry`).

mod body;
mod trouble;
mod wait;

pub use body::{BodyError, clean};
pub use trouble::Trouble;
pub(crate) use trouble::is_loopback;

use crate::wire::{Format, StreamError};
use chrono::{DateTime, Utc};
use hearth_protocol::{Fault, FaultKind, Retry};
use reqwest::header::HeaderMap;

/// An answer that is no stream of a reply.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: &'a HeaderMap,
    /// Body, or its beginning.
    pub body: &'a [u8],
    /// URL that was asked, without a key.
    pub url: &'a str,
    /// Now, for pauses given as a date.
    pub now: DateTime<Utc>,
}

/// What a classified answer is made of, before the words.
struct Verdict {
    kind: FaultKind,
    retry: Retry,
}

impl Verdict {
    fn new(kind: FaultKind, retry: Retry) -> Self {
        Self { kind, retry }
    }
}

/// The fault of an answer.
#[must_use]
pub fn of_answer(answer: &Answer<'_>) -> Fault {
    let mut said = body::read(answer.body);
    let kind = header(answer.headers, "content-type").unwrap_or_default();
    said.html |= kind.to_ascii_lowercase().starts_with("text/html") && !said.is_empty;
    let verdict = judge(answer, &said);
    let host = host_of(answer.url);
    let mut message = match verdict.kind {
        FaultKind::WrongUrl => wrong_url(answer, &said),
        kind => format!("{host} {} (HTTP {}).", what(kind), answer.status),
    };
    if !said.html && !said.message.is_empty() && verdict.kind != FaultKind::WrongUrl {
        message.push_str(" It said: ");
        message.push_str(&clean(&said.message));
    }
    if let Retry::Ask { ms } = verdict.retry {
        message.push_str(&wait::said(ms));
    }
    Fault {
        kind: verdict.kind,
        message,
        hint: hint(verdict.kind).to_owned(),
        retry: verdict.retry,
        status: Some(answer.status),
    }
}

/// The fault of an error inside a stream. After visible text the call is resumed, not repeated.
#[must_use]
pub fn of_stream_error(error: &StreamError, url: &str, text_shown: bool) -> Fault {
    let kind = by_words(error.kind.as_deref().unwrap_or_default(), &error.message)
        .unwrap_or(FaultKind::Unavailable);
    let retry = match kind {
        FaultKind::Unavailable | FaultKind::RateLimited if text_shown => Retry::Resume,
        FaultKind::Unavailable | FaultKind::RateLimited => Retry::Backoff,
        FaultKind::ContextOverflow => Retry::AfterCompaction,
        _ => Retry::No,
    };
    let mut message = format!("{} {} in the middle of its answer.", host_of(url), what(kind));
    if !error.message.is_empty() {
        message.push_str(" It said: ");
        message.push_str(&clean(&error.message));
    }
    Fault { kind, message, hint: hint(kind).to_owned(), retry, status: Some(200) }
}

/// The fault of a server that speaks another format than its `kind` in `hearth.toml` says.
#[must_use]
pub fn of_other_kind(url: &str, speaks: Format, configured: Format) -> Fault {
    let (host, speaks, configured) = (host_of(url), kind_word(speaks), kind_word(configured));
    Fault {
        kind: FaultKind::WrongUrl,
        message: format!(
            "{host} answered like a server of kind \"{speaks}\", but its kind is set to \"{configured}\"."
        ),
        hint: format!(
            "Set kind = \"{speaks}\" for this provider in hearth.toml, or in the settings, under Models."
        ),
        retry: Retry::No,
        status: Some(200),
    }
}

/// As `hearth.toml` writes it.
fn kind_word(format: Format) -> &'static str {
    match format {
        Format::OpenaiChat => "openai",
        Format::OpenaiResponses => "openai-responses",
        Format::Anthropic => "anthropic",
        Format::Gemini => "gemini",
        Format::Ollama => "ollama",
    }
}

/// The fault of a stream that ended before its reply did.
#[must_use]
pub fn of_cut(url: &str, anything: bool, text_shown: bool) -> Fault {
    let host = host_of(url);
    let message = if anything {
        format!("The answer of {host} ended half-way.")
    } else {
        format!("{host} closed the connection without an answer.")
    };
    Fault {
        kind: FaultKind::Cut,
        message,
        hint: hint(FaultKind::Cut).to_owned(),
        retry: if text_shown { Retry::Resume } else { Retry::Backoff },
        status: Some(200),
    }
}

/// The fault of a call that we ended ourselves.
#[must_use]
pub fn cancelled() -> Fault {
    Fault {
        kind: FaultKind::Cancelled,
        message: "The call was stopped.".to_owned(),
        hint: String::new(),
        retry: Retry::No,
        status: None,
    }
}

fn judge(answer: &Answer<'_>, said: &BodyError) -> Verdict {
    let kind_word = said.kind.as_deref().unwrap_or_default();
    let words = by_words(kind_word, &said.message);
    let told_not_to = header(answer.headers, "x-should-retry") == Some("false");
    let pause = || {
        if told_not_to { Retry::No } else { wait::retry_of(answer.headers, answer.now) }
    };
    let no = |kind| Verdict::new(kind, Retry::No);
    match answer.status {
        200..=299 => in_success(said, words),
        300..=399 => no(FaultKind::WrongUrl),
        401 => no(FaultKind::BadKey),
        402 => no(FaultKind::Quota),
        403 if body::names_key(&said.message) => no(FaultKind::BadKey),
        403 => no(FaultKind::Forbidden),
        404 | 405 | 410 => no(missing(answer, said)),
        408 | 409 => Verdict::new(FaultKind::Unavailable, pause()),
        413 => Verdict::new(FaultKind::ContextOverflow, Retry::AfterCompaction),
        429 if words == Some(FaultKind::Quota) => no(FaultKind::Quota),
        429 => Verdict::new(FaultKind::RateLimited, pause()),
        501 => no(FaultKind::Rejected),
        500..=599 if words == Some(FaultKind::ContextOverflow) => {
            Verdict::new(FaultKind::ContextOverflow, Retry::AfterCompaction)
        }
        500..=599 => Verdict::new(FaultKind::Unavailable, pause()),
        400 if body::names_key(&said.message) => no(FaultKind::BadKey),
        _ => match words {
            Some(FaultKind::ContextOverflow) => {
                Verdict::new(FaultKind::ContextOverflow, Retry::AfterCompaction)
            }
            Some(kind @ (FaultKind::Quota | FaultKind::BadKey)) => no(kind),
            _ => no(FaultKind::Rejected),
        },
    }
}

/// A good status that brought no stream: a login page, an error in disguise, or nothing.
fn in_success(said: &BodyError, words: Option<FaultKind>) -> Verdict {
    if said.html {
        return Verdict::new(FaultKind::WrongUrl, Retry::No);
    }
    if said.is_empty {
        return Verdict::new(FaultKind::Cut, Retry::Backoff);
    }
    match words {
        Some(kind @ (FaultKind::Unavailable | FaultKind::RateLimited)) => {
            Verdict::new(kind, Retry::Backoff)
        }
        Some(FaultKind::ContextOverflow) => {
            Verdict::new(FaultKind::ContextOverflow, Retry::AfterCompaction)
        }
        Some(kind) => Verdict::new(kind, Retry::No),
        None if said.is_error => Verdict::new(FaultKind::Rejected, Retry::No),
        None => Verdict::new(FaultKind::WrongUrl, Retry::No),
    }
}

/// A server without this address, or without this model?
fn missing(answer: &Answer<'_>, said: &BodyError) -> FaultKind {
    let path = url::Url::parse(answer.url).map(|url| url.path().to_owned()).unwrap_or_default();
    let generic = said.message.trim().trim_end_matches('.').eq_ignore_ascii_case("not found")
        || (path.len() > 1 && said.message.contains(&path));
    if said.html || said.is_empty || !said.json || generic {
        FaultKind::WrongUrl
    } else {
        FaultKind::ModelMissing
    }
}

/// What the server's own type or words say, whatever the status.
fn by_words(kind: &str, message: &str) -> Option<FaultKind> {
    let (kind, message) = (kind.to_ascii_lowercase(), message.to_ascii_lowercase());
    let kind_has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if kind_has(&["context_length", "exceed_context_size", "context_window"])
        || says(&[
            "prompt is too long",
            "maximum context length",
            "context length exceeded",
            "available context size",
            "context window",
            "context limit",
            "input token count",
            "maximum prompt length",
            "reduce the length of the messages",
        ])
    {
        return Some(FaultKind::ContextOverflow);
    }
    if kind_has(&["insufficient_quota", "billing", "insufficient_balance", "payment", "402"])
        || says(&["insufficient balance", "exceeded your current quota", "credit balance"])
    {
        return Some(FaultKind::Quota);
    }
    if kind_has(&["rate_limit", "too_many", "resource_exhausted", "429", "throttl"]) {
        return Some(FaultKind::RateLimited);
    }
    if kind_has(&["authentication", "unauthenticated", "invalid_api_key", "401"]) {
        return Some(FaultKind::BadKey);
    }
    if kind_has(&["permission", "403"]) {
        return Some(FaultKind::Forbidden);
    }
    if kind_has(&["overloaded", "unavailable", "api_error", "server_error", "internal", "timeout"])
        || matches!(kind.as_str(), "500" | "502" | "503" | "504" | "529")
        || says(&["overloaded"])
    {
        return Some(FaultKind::Unavailable);
    }
    if kind_has(&["invalid_request", "invalid_argument", "bad_request", "400"]) {
        return Some(FaultKind::Rejected);
    }
    if kind_has(&["not_found", "model_not_found"]) {
        return Some(FaultKind::ModelMissing);
    }
    None
}

fn wrong_url(answer: &Answer<'_>, said: &BodyError) -> String {
    let url = clean(answer.url);
    match answer.status {
        200..=299 if !said.html => {
            let what = if said.json { "JSON" } else { "text" };
            format!("{url} answered with {what} that is no reply of a model.")
        }
        200..=299 => format!(
            "{url} answered with a web page instead of a model's reply: a login page of the network, \
             or not the address of an API."
        ),
        300..=399 => match header(answer.headers, "location").map(host_of) {
            Some(other) => format!(
                "{url} redirects to {other} (HTTP {}). It was not followed, so the key stayed here.",
                answer.status
            ),
            None => format!("{url} redirects to nowhere (HTTP {}).", answer.status),
        },
        status => format!("There is no model API at {url} (HTTP {status})."),
    }
}

fn what(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::BadKey => "refused the key",
        FaultKind::Forbidden => "does not allow this",
        FaultKind::Quota => "says the quota or balance is used up",
        FaultKind::RateLimited => "asks for a pause: too many requests",
        FaultKind::Unavailable => "is overloaded or failing",
        FaultKind::ContextOverflow => "says the conversation is too long for the model",
        FaultKind::ModelMissing => "does not have this model",
        FaultKind::WrongUrl => "is no model API",
        FaultKind::Cut | FaultKind::Timeout => "did not answer to the end",
        _ => "refused the request",
    }
}

/// What to do, by kind.
pub(crate) fn hint(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::BadKey => "Enter the key again in the settings, under Models.",
        FaultKind::Forbidden => {
            "Check the account's permissions and region, or choose another model."
        }
        FaultKind::Quota => "Top up the account with the provider, or choose another model.",
        FaultKind::RateLimited => "Wait, or choose another model.",
        FaultKind::Unavailable => "Try again in a moment, or choose another model.",
        FaultKind::ContextOverflow => {
            "Start a new conversation with /new, or choose a model with a larger window."
        }
        FaultKind::ModelMissing => "Choose one of the models that the provider lists.",
        FaultKind::WrongUrl => {
            "Check the provider's base URL and kind in hearth.toml, or in the settings, under Models."
        }
        FaultKind::Rejected => "Choose another model, or check the provider's settings.",
        FaultKind::Refused => {
            "Start the server, or check its address in the settings, under Models."
        }
        FaultKind::Offline => "Check the network connection.",
        FaultKind::Tls => "Check this computer's clock, and whether a proxy replaces certificates.",
        FaultKind::Timeout => "Try again, or choose another model.",
        FaultKind::Cut => "Try again.",
        FaultKind::ModelFiles => "Download the model again.",
        FaultKind::Cancelled => "",
    }
}

/// The host and port of a URL, for people.
pub(crate) fn host_of(url: &str) -> String {
    let parsed = url::Url::parse(url).ok();
    let host = parsed.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    });
    host.unwrap_or_else(|| "The server".to_owned())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}
