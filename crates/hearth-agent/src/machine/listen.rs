//! One model reply while it streams: leaked thinking taken out, text and reasoning gathered.
//!
//! Invariant: a whole reply only adds what the deltas had not brought; text is never emitted twice.

use crate::think::{Piece, ThinkFilter, split};
use hearth_protocol::{EventBody, ModelDelta, ModelReply, Part};

/// What came of the current reply.
#[derive(Debug, Default)]
pub(super) struct Listening {
    filter: ThinkFilter,
    /// Visible text.
    text: String,
    /// Thinking that the provider sent apart.
    reasoning: String,
    /// Thinking that stood in the text.
    leaked: String,
}

impl Listening {
    /// Takes a delta; returns the events it brings.
    pub(super) fn delta(&mut self, delta: ModelDelta) -> Vec<EventBody> {
        match delta {
            ModelDelta::Text(text) => {
                let pieces = self.filter.feed(&text);
                self.take(pieces)
            }
            ModelDelta::Reasoning(text) => self.reason(text),
            ModelDelta::ServerTool(name) => vec![EventBody::Notice {
                title: format!("The model's provider ran {name}"),
                body: String::new(),
            }],
            ModelDelta::Reading { .. } => Vec::new(),
        }
    }

    /// The stream ended: returns what was held back, and what the whole reply has beyond the deltas.
    pub(super) fn end(&mut self, reply: Option<&ModelReply>) -> Vec<EventBody> {
        let pieces = self.filter.finish();
        let mut events = self.take(pieces);
        let Some(reply) = reply else { return events };
        let rest = reply.reasoning.strip_prefix(self.reasoning.as_str()).unwrap_or_default();
        events.extend(self.reason(rest.to_owned()));
        let (visible, leaked) = split(&reply.text);
        if self.leaked.is_empty() && !leaked.is_empty() {
            events.extend(self.take(vec![Piece::Hidden(leaked)]));
        }
        let rest = visible.trim_start_matches(BREAKS).strip_prefix(self.text.as_str());
        let rest = rest.unwrap_or_default().to_owned();
        events.extend(self.take(vec![Piece::Visible(rest)]));
        let refusal = reply.refusal.clone().filter(|_| self.text.is_empty());
        events.extend(self.take(refusal.map(Piece::Visible).into_iter().collect()));
        events
    }

    /// The visible text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The parts of the message to store, calls left out.
    pub(super) fn into_parts(self, reply: Option<&ModelReply>) -> Vec<Part> {
        let signature = reply.and_then(|reply| reply.reasoning_signature.clone());
        // A signature covers the provider's exact text.
        let signed = reply.filter(|_| signature.is_some()).map(|reply| reply.reasoning.clone());
        let mut parts = Vec::new();
        let reasoning = signed.unwrap_or(self.reasoning);
        if !reasoning.is_empty() || signature.is_some() {
            parts.push(Part::Reasoning { text: reasoning, signature });
        }
        if !self.leaked.is_empty() {
            parts.push(Part::Reasoning { text: self.leaked, signature: None });
        }
        if !self.text.trim().is_empty() {
            parts.push(Part::Text { text: self.text });
        }
        parts
    }

    fn reason(&mut self, text: String) -> Vec<EventBody> {
        if text.is_empty() {
            return Vec::new();
        }
        self.reasoning.push_str(&text);
        vec![EventBody::Reasoning { text }]
    }

    fn take(&mut self, pieces: Vec<Piece>) -> Vec<EventBody> {
        let mut events = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Visible(text) => {
                    // Line breaks before the first word, usual after thinking, are no text.
                    let text =
                        if self.text.is_empty() { text.trim_start_matches(BREAKS) } else { &text };
                    if !text.is_empty() {
                        self.text.push_str(text);
                        events.push(EventBody::Text { text: text.to_owned() });
                    }
                }
                Piece::Hidden(text) => {
                    if !text.is_empty() {
                        self.leaked.push_str(&text);
                        events.push(EventBody::Reasoning { text });
                    }
                }
            }
        }
        events
    }
}

const BREAKS: [char; 2] = ['\n', '\r'];
