//! Reads what a server answers: a stream into its decoder, anything else into a fault.

use crate::call::{CallError, Sink};
use crate::fault::{self, Answer, Trouble};
use crate::wire::{Decoder, Format, list_of, recognise, text_of};
use chrono::Utc;
use hearth_protocol::{Fault, ModelReply};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;
use std::time::Duration;

/// As much of an answer as is read for its error.
const MOST_OF_A_BODY: usize = 64 << 10;
/// As much of a list of models as is read.
const MOST_OF_A_LIST: usize = 8 << 20;
/// After the reply's end only usage may follow; servers that then keep quiet are not waited for.
const GRACE: Duration = Duration::from_secs(2);

/// How a stream is read.
pub(crate) struct Stream<'a> {
    pub(crate) format: Format,
    pub(crate) url: &'a str,
    pub(crate) first_byte: Duration,
    pub(crate) idle: Duration,
}

impl Stream<'_> {
    pub(crate) async fn read(
        &self,
        response: Response,
        sink: Sink<'_>,
    ) -> Result<ModelReply, CallError> {
        let status = response.status();
        let headers = response.headers().clone();
        if !status.is_success() || is_html(&headers) {
            let body = body(response, MOST_OF_A_BODY, self.idle).await;
            return Err(CallError::early(self.judge(status.as_u16(), &headers, &body)));
        }
        self.decode(response, &headers, sink).await
    }

    async fn decode(
        &self,
        mut response: Response,
        headers: &HeaderMap,
        sink: Sink<'_>,
    ) -> Result<ModelReply, CallError> {
        let status = response.status().as_u16();
        let mut decoder = Decoder::new(self.format);
        let mut head = Vec::new();
        let mut trouble = None;
        while !decoder.ended() {
            let limit = match (decoder.complete(), decoder.events()) {
                (true, _) => GRACE,
                (false, 0) => self.first_byte,
                (false, _) => self.idle,
            };
            match tokio::time::timeout(limit, response.chunk()).await {
                Ok(Ok(Some(bytes))) => {
                    decoder.feed(&bytes).into_iter().for_each(&mut *sink);
                    keep_head(&mut head, &bytes, &decoder);
                    // A stream of another kind of server may be long, and nothing of it will be read.
                    if self.other_format(&decoder, &head).is_some() {
                        break;
                    }
                }
                Ok(Ok(None)) => break,
                Ok(Err(error)) => {
                    trouble = Some(Trouble::of(&error));
                    break;
                }
                Err(_) => {
                    trouble = Some(Trouble::Timeout);
                    break;
                }
            }
        }
        if let Some(other) = self.other_format(&decoder, &head) {
            return Err(CallError::early(fault::of_other_kind(self.url, other, self.format)));
        }
        let mut strange = !decoder.understood() && recognise(&head).is_none();
        let mut decoded = decoder.finish();
        // The last event may lack its end.
        strange &= decoded.deltas.is_empty() && decoded.error.is_none() && !decoded.reply.complete;
        decoded.deltas.drain(..).for_each(&mut *sink);
        // A page, a bare JSON error or something else where a stream should be.
        let some = !head.trim_ascii().is_empty();
        if (decoded.events == 0 || strange) && trouble.is_none() && some {
            return Err(CallError::early(self.judge(status, headers, &head)));
        }
        decoded.conclude(self.url, trouble)
    }

    /// The format that the server speaks instead of the one that was asked for.
    fn other_format(&self, decoder: &Decoder, head: &[u8]) -> Option<Format> {
        let other = (!decoder.understood()).then(|| recognise(head)).flatten()?;
        (other != self.format).then_some(other)
    }

    fn judge(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> Fault {
        let now = Utc::now();
        fault::of_answer(&Answer { status, headers, body, url: self.url, now })
    }
}

fn keep_head(head: &mut Vec<u8>, bytes: &[u8], decoder: &Decoder) {
    if !decoder.understood() && head.len() < MOST_OF_A_BODY {
        head.extend_from_slice(bytes);
    }
}

fn is_html(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"))
}

/// The beginning of a body; what came counts if the rest does not come.
async fn body(mut response: Response, most: usize, idle: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < most {
        match tokio::time::timeout(idle, response.chunk()).await {
            Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            _ => break,
        }
    }
    body.truncate(most);
    body
}

/// The names in an answer that lists models.
pub(crate) async fn models(
    format: Format,
    response: Response,
    url: &str,
) -> Result<Vec<String>, Fault> {
    let status = response.status();
    let headers = response.headers().clone();
    let body = body(response, MOST_OF_A_LIST, Duration::from_secs(10)).await;
    let listed = serde_json::from_slice::<Value>(&body).ok().and_then(|json| names(format, &json));
    match listed {
        Some(names) if status.is_success() => Ok(names),
        _ => {
            let answer = Answer {
                status: status.as_u16(),
                headers: &headers,
                body: &body,
                url,
                now: Utc::now(),
            };
            Err(fault::of_answer(&answer))
        }
    }
}

/// None if this is no list of models.
pub(crate) fn names(format: Format, json: &Value) -> Option<Vec<String>> {
    let (list, name) = match format {
        Format::Ollama => ("models", "name"),
        Format::Gemini => ("models", "name"),
        _ => ("data", "id"),
    };
    json.get(list)?.as_array()?;
    let can_chat = |row: &&Value| {
        let methods = list_of(row, "supportedGenerationMethods");
        methods.is_empty() || methods.iter().any(|method| method == "generateContent")
    };
    let mut names: Vec<String> = list_of(json, list)
        .iter()
        .filter(can_chat)
        .map(|row| text_of(row, name).trim_start_matches("models/").to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}
