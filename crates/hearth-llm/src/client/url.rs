//! Which URL is asked. People paste base URLs with and without `/v1`, a slash, or the whole path.

use crate::fault::hint;
use crate::wire::Format;
use hearth_protocol::{Fault, FaultKind, Retry};
use reqwest::Url;

/// The vendor's own base URL of a format.
#[must_use]
pub fn default_base_url(format: Format) -> &'static str {
    match format {
        Format::OpenaiChat | Format::OpenaiResponses => "https://api.openai.com/v1",
        Format::Anthropic => "https://api.anthropic.com",
        Format::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        Format::Ollama => "http://127.0.0.1:11434",
    }
}

/// Where a reply is asked for.
pub(crate) fn chat(format: Format, base: &str, model: &str) -> Result<Url, Fault> {
    let mut url = root(format, base)?;
    match format {
        Format::OpenaiChat => extend(&mut url, &["chat", "completions"]),
        Format::OpenaiResponses => extend(&mut url, &["responses"]),
        Format::Anthropic => extend(&mut url, &["messages"]),
        Format::Ollama => extend(&mut url, &["chat"]),
        Format::Gemini => {
            let model = model.strip_prefix("models/").unwrap_or(model);
            extend(&mut url, &["models", &format!("{model}:streamGenerateContent")]);
            url.set_query(Some("alt=sse"));
        }
    }
    Ok(url)
}

/// Where the models are listed.
pub(crate) fn models(format: Format, base: &str) -> Result<Url, Fault> {
    let mut url = root(format, base)?;
    match format {
        Format::Ollama => extend(&mut url, &["tags"]),
        Format::Gemini => {
            extend(&mut url, &["models"]);
            url.set_query(Some("pageSize=1000"));
        }
        _ => extend(&mut url, &["models"]),
    }
    Ok(url)
}

/// For people: without a user, a password or a query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Only URLs without a host refuse these.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// The base with its version segment and without what belongs to one request.
fn root(format: Format, base: &str) -> Result<Url, Fault> {
    let invalid = || Fault {
        kind: FaultKind::WrongUrl,
        message: format!("{:?} is not a URL of a server.", crate::fault::clean(base)),
        hint: hint(FaultKind::WrongUrl).to_owned(),
        retry: Retry::No,
        status: None,
    };
    let mut url = Url::parse(base).map_err(|_| invalid())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(invalid());
    }
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    let request_part = match format {
        Format::OpenaiChat => "/chat/completions",
        Format::OpenaiResponses => "/responses",
        Format::Anthropic => "/messages",
        Format::Gemini => "/models",
        Format::Ollama => "/chat",
    };
    let path = path.strip_suffix(request_part).unwrap_or(&path);
    let path = match format {
        // Its own API stands beside the one that imitates OpenAI's.
        Format::Ollama => {
            let bare = path.strip_suffix("/v1").or_else(|| path.strip_suffix("/api"));
            format!("{}/api", bare.unwrap_or(path))
        }
        Format::Anthropic if !path.ends_with("/v1") => format!("{path}/v1"),
        Format::Gemini if path.is_empty() => "/v1beta".to_owned(),
        Format::OpenaiChat | Format::OpenaiResponses if path.is_empty() && no_version(&url) => {
            "/v1".to_owned()
        }
        _ => path.to_owned(),
    };
    url.set_path(&path);
    Ok(url)
}

/// DeepSeek and Perplexity serve the API at the root; everybody else means `/v1`.
fn no_version(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    !host.ends_with("deepseek.com") && !host.ends_with("perplexity.ai")
}

fn extend(url: &mut Url, segments: &[&str]) {
    // Only URLs without a host refuse: `root` let none through.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_as_people_paste_them() {
        use Format::{Anthropic, Gemini, Ollama, OpenaiChat, OpenaiResponses};
        let cases = [
            (OpenaiChat, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            (OpenaiChat, "http://localhost:1234/", "http://localhost:1234/v1/chat/completions"),
            (
                OpenaiChat,
                "https://x.example/api/v3/chat/completions?a=b",
                "https://x.example/api/v3/chat/completions",
            ),
            (OpenaiChat, "https://api.deepseek.com", "https://api.deepseek.com/chat/completions"),
            (OpenaiResponses, "https://api.openai.com", "https://api.openai.com/v1/responses"),
            (Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (
                Anthropic,
                "https://x.example/anthropic/v1/",
                "https://x.example/anthropic/v1/messages",
            ),
            (
                Gemini,
                default_base_url(Gemini),
                "https://generativelanguage.googleapis.com/v1beta/models/m%2F1:streamGenerateContent?alt=sse",
            ),
            (Ollama, "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/chat"),
            (Ollama, "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
        ];
        for (format, base, want) in cases {
            let url = chat(format, base, "models/m/1").unwrap();
            assert_eq!(url.as_str(), want);
        }
        for bad in ["", "api.openai.com", "ftp://x", "http://", "file:///etc"] {
            assert_eq!(chat(OpenaiChat, bad, "m").unwrap_err().kind, FaultKind::WrongUrl, "{bad}");
        }
        let secret = Url::parse("https://user:pass@x.example/v1?key=abc#d").unwrap();
        assert_eq!(shown(&secret), "https://x.example/v1");
    }
}
