//! Calls that a small model only writes about: it explains how it would call, and the turn would end there.
//!
//! Invariant: what stands among other words never runs. It goes back to the model as a call without effect, so
//! that it can call in earnest; so often as [`Limits::written`](super::Limits) says.

use super::tools::{Batch, Outcome};
use super::turn::Stage;
use super::{Effect, Turn};
use crate::arguments;
use hearth_protocol::{Arguments, Finish, ModelReply, ToolCall};
use serde_json::{Deserializer, Map, Value};

const ONLY_WRITTEN: &str = "[not run: the call stood among other words. To run it, write the call alone and \
                            nothing else; take what it needs from results, not from a guess]";

impl Turn {
    /// The first call that a reply without calls writes about, where it is to go back.
    pub(super) fn only_written(&mut self, reply: &ModelReply) -> Option<ToolCall> {
        if self.ledger.written >= self.config.limits.written || reply.finish != Some(Finish::Stop) {
            return None;
        }
        // Before any call the name of a tool says as much: afterwards it may tell what was done.
        let begins = self.ledger.written == 0 && self.ledger.is_empty();
        let named = || begins.then(|| self.tool_named_in(&reply.text)).flatten();
        let (name, arguments) = call_in(&reply.text).or_else(named)?;
        self.ledger.written += 1;
        let arguments = Arguments::Object(arguments);
        Some(ToolCall { id: self.unique(""), name, arguments })
    }

    /// A tool that a text names, as a call that gives nothing yet.
    fn tool_named_in(&self, text: &str) -> Option<(String, Map<String, Value>)> {
        let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let is_tool = |word: &&str| {
            word.contains('_') && self.config.tools.iter().any(|tool| tool.name == *word)
        };
        words.find(is_tool).map(|name| (name.to_owned(), Map::new()))
    }

    /// Tells the model that a call it wrote about did not run, and asks it again.
    pub(super) fn hand_back(&mut self, call: &ToolCall, out: &mut Vec<Effect>) {
        let known = self.config.tools.iter().any(|tool| tool.name == call.name);
        let why = match arguments::check_call(call, &self.config.tools) {
            Err(error) if !known => error.to_string(),
            _ => ONLY_WRITTEN.to_owned(),
        };
        self.stage = Stage::Tools(Batch::new(Vec::new()));
        self.record(call, false, Outcome::no(why), out);
        self.next_call(out);
    }
}

/// The first object in a text that has the form of a call.
fn call_in(text: &str) -> Option<(String, Map<String, Value>)> {
    text.match_indices('{').find_map(|(at, _)| {
        let first = Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()?;
        let Value::Object(mut object) = first else { return None };
        let arguments = object.remove("arguments").or_else(|| object.remove("parameters"))?;
        match (object.remove("name")?, arguments) {
            (Value::String(name), Value::Object(arguments)) if object.is_empty() => {
                Some((name, arguments))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_its_form() {
        let found = |text: &str| call_in(text).map(|(name, _)| name);
        for text in [
            "I would do this:\n```json\n{\"name\": \"look\", \"arguments\": {\"at\": \"}\"}}\n```\nThen more.",
            "{{\"name\": \"look\", \"parameters\": {}}}",
            "{\"a\": 1} and {\n\"arguments\": {},\n\"name\": \"look\"}",
        ] {
            assert_eq!(found(text).as_deref(), Some("look"), "{text}");
        }
        for text in [
            "Nothing.",
            "{\"name\": \"Ann\", \"age\": 3}",
            "{\"name\": \"look\", \"arguments\": \"x\"}",
            "{\"name\": \"look\", \"arguments\": {}",
            "{\"name\": \"look\", \"arguments\": {}, \"id\": 1}",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
