//! Which format an answer is in that could not be read in the one that was asked for.
//!
//! Left out: reading it. A server of another kind is told to the person, not guessed at.

use super::Format;
use serde_json::Value;

/// As many of an answer's first lines are looked at.
const LINES: usize = 12;

/// The format of the beginning of an answer; none where it is none of ours.
#[must_use]
pub(crate) fn recognise(head: &[u8]) -> Option<Format> {
    let text = String::from_utf8_lossy(head);
    let line = |line: &str| {
        let line = line.trim();
        format_of(&serde_json::from_str(line.strip_prefix("data:").unwrap_or(line)).ok()?)
    };
    text.lines().take(LINES).find_map(line).or_else(|| {
        // An answer in one piece, over several lines.
        format_of(&serde_json::from_str(&text).ok()?)
    })
}

fn format_of(json: &Value) -> Option<Format> {
    let first = match json {
        Value::Array(items) => items.first()?,
        other => other,
    };
    let has = |name: &str| first.get(name).is_some();
    let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    if has("choices") || text("object").starts_with("chat.completion") {
        Some(Format::OpenaiChat)
    } else if kind.starts_with("response.") || text("object") == "response" {
        Some(Format::OpenaiResponses)
    } else if matches!(
        kind,
        "message_start" | "content_block_start" | "content_block_delta" | "ping"
    ) || (kind == "message" && has("role") && has("content"))
    {
        Some(Format::Anthropic)
    } else if ["candidates", "promptFeedback", "usageMetadata"].into_iter().any(has) {
        Some(Format::Gemini)
    } else if has("done") && (has("message") || has("response")) {
        Some(Format::Ollama)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_first_event() {
        let cases = [
            (
                "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\n",
                Some(Format::OpenaiChat),
            ),
            ("{\n \"object\": \"chat.completion\",\n \"choices\": []\n}", Some(Format::OpenaiChat)),
            (
                "event: response.created\ndata: {\"type\":\"response.created\"}\n",
                Some(Format::OpenaiResponses),
            ),
            (
                ": hello\nevent: message_start\ndata: {\"type\":\"message_start\"}\n",
                Some(Format::Anthropic),
            ),
            ("[{\"candidates\": []}]", Some(Format::Gemini)),
            ("data: {\"candidates\": []}", Some(Format::Gemini)),
            ("{\"model\":\"m\",\"message\":{},\"done\":false}\n{\"mod", Some(Format::Ollama)),
            ("{\"error\":{\"message\":\"no\"}}", None),
            ("{\"type\":\"error\"}", None),
            ("<html>", None),
            ("", None),
            ("\u{0}\u{1}", None),
        ];
        for (head, format) in cases {
            assert_eq!(recognise(head.as_bytes()), format, "{head}");
        }
    }
}
