//! Going on after a stream that was cut: the request that asks for the rest, and what of the rest is new.
//!
//! Invariants: what was shown stays and is not shown again, whether the model goes on, repeats its last
//! words or starts over; half a tool call is never sent back. Left out: when to resume (`retry`).

use hearth_protocol::{Message, ModelReply, ModelRequest, Part, Role};

const GO_ON: &str = "Your last message was cut off by a broken connection. Go on exactly where it \
stopped, in the same language. Do not repeat any of it and do not mention the interruption.";

/// The request that asks for the rest of `partial`.
#[must_use]
pub fn request_for_rest(request: &ModelRequest, partial: &ModelReply) -> ModelRequest {
    let mut again = request.clone();
    if partial.text.is_empty() {
        return again;
    }
    let at = request.messages.last().map_or(0, |message| message.at);
    again.messages.push(Message::text(Role::Assistant, partial.text.clone(), at));
    let turn = request.messages.last().and_then(|message| message.turn.clone());
    let mut ask = Message::text(Role::User, GO_ON, at);
    ask.turn = turn;
    again.messages.push(ask);
    again
}

/// One reply out of the part before the cut and the rest: text as it was shown, calls of the rest alone.
#[must_use]
pub fn join(partial: &ModelReply, new_text: &str, rest: ModelReply) -> ModelReply {
    ModelReply {
        text: format!("{}{new_text}", partial.text),
        reasoning: format!("{}{}", partial.reasoning, rest.reasoning),
        ..rest
    }
}

/// The message that holds a reply, as history keeps it.
#[must_use]
pub fn parts_of(reply: &ModelReply) -> Vec<Part> {
    let mut parts = Vec::new();
    if !reply.reasoning.is_empty() || reply.reasoning_signature.is_some() {
        let (text, signature) = (reply.reasoning.clone(), reply.reasoning_signature.clone());
        parts.push(Part::Reasoning { text, signature });
    }
    if !reply.text.is_empty() {
        parts.push(Part::Text { text: reply.text.clone() });
    }
    if reply.complete {
        parts.extend(reply.tool_calls.iter().cloned().map(Part::ToolCall));
    }
    parts
}

/// A repetition shorter than this many bytes may be chance: "the", "ha".
const SHORTEST_OVERLAP: usize = 12;

/// Lets through only what was not shown before the cut.
#[derive(Debug)]
pub struct Overlap {
    shown: String,
    held: String,
    decided: bool,
}

impl Overlap {
    /// `shown`: the text before the cut.
    #[must_use]
    pub fn new(shown: impl Into<String>) -> Self {
        let shown = shown.into();
        Self { decided: shown.is_empty(), shown, held: String::new() }
    }

    /// Takes a piece of the rest; gives what may be shown now.
    pub fn feed(&mut self, piece: &str) -> String {
        if self.decided {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        let heard = self.held.trim_start();
        // As long as all of it stands in the old text, it may be a repetition that goes on.
        if heard.is_empty() || self.shown.contains(heard) {
            return String::new();
        }
        self.decide()
    }

    /// The rest has ended; gives what was held back and is new after all.
    pub fn finish(&mut self) -> String {
        if self.decided {
            return String::new();
        }
        self.decide()
    }

    fn decide(&mut self) -> String {
        self.decided = true;
        let held = std::mem::take(&mut self.held);
        let heard = held.trim_start();
        let repeated = self.repeated(heard);
        if repeated == 0 { held } else { heard.get(repeated..).unwrap_or_default().to_owned() }
    }

    /// How many bytes at the start of `heard` are the end of what was shown, or all of it.
    fn repeated(&self, heard: &str) -> usize {
        let whole = self.shown.trim_start();
        if !whole.is_empty() && heard.starts_with(whole) {
            return whole.len();
        }
        let starts = whole.char_indices().map(|(at, _)| at);
        let mut tails = starts.filter_map(|at| whole.get(at..));
        let tail = tails.find(|tail| heard.starts_with(tail)).unwrap_or_default();
        if tail.len() >= SHORTEST_OVERLAP || tail.chars().filter(|&c| is_cjk(c)).count() >= 3 {
            return tail.len();
        }
        // It began anew and was cut again before it came to anything new.
        if heard.len() >= SHORTEST_OVERLAP && (whole.starts_with(heard) || whole.ends_with(heard)) {
            return heard.len();
        }
        0
    }
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: &str, rest: &str, new: &str) {
        for piece in [1, 2, 5, 1000] {
            let mut overlap = Overlap::new(shown);
            let chars: Vec<char> = rest.chars().collect();
            let mut got = String::new();
            for chunk in chars.chunks(piece) {
                got.push_str(&overlap.feed(&chunk.iter().collect::<String>()));
            }
            got.push_str(&overlap.finish());
            assert_eq!(got, new, "{shown:?} then {rest:?} by {piece}");
        }
    }

    #[test]
    fn what_was_shown_is_not_shown_again() {
        let shown = "The list has three items: apples, pears";
        check(shown, " and plums.", " and plums.");
        check(shown, "three items: apples, pears and plums.", " and plums.");
        check(shown, "The list has three items: apples, pears and plums.", " and plums.");
        check(shown, "\n\nThe list has three items: apples, pears", "");
        check(shown, "The list has three", "");
        check("Hal", "Hallo Welt", "lo Welt");
        check("Hal", "lo Welt", "lo Welt");
        check("今天的天气很好，我们", "我们去公园。", "我们去公园。");
        check("今天的天气很好，我们", "天气很好，我们去公园。", "去公园。");
        check("no, no", " no!", " no!");
        check("", "all of it", "all of it");
        check("ends with a space ", "then goes on", "then goes on");
    }

    #[test]
    fn the_rest_is_asked_for_once_something_was_shown() {
        let request = ModelRequest {
            model: "m".into(),
            system: Vec::new(),
            messages: vec![Message::text(Role::User, "Hi", 7)],
            tools: Vec::new(),
            max_output: None,
            temperature: None,
            thinking: Default::default(),
        };
        let nothing = ModelReply::default();
        assert_eq!(request_for_rest(&request, &nothing), request);
        let partial = ModelReply { text: "Hel".into(), ..nothing };
        let again = request_for_rest(&request, &partial);
        let said: Vec<_> = again.messages.iter().map(|m| (m.role, m.joined_text())).collect();
        let want = [(Role::User, "Hi"), (Role::Assistant, "Hel"), (Role::User, GO_ON)];
        assert_eq!(said, want.map(|(role, text)| (role, text.to_owned())));
        let rest = ModelReply { text: "Hello".into(), complete: true, ..ModelReply::default() };
        let whole = join(&partial, "lo", rest);
        assert_eq!((whole.text.as_str(), whole.complete), ("Hello", true));
    }
}
