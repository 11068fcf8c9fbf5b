//! Finds the tool calls in what a small model writes: tagged (`<tool_call>{...}</tool_call>`),
//! fenced (a code block with JSON) or bare (a JSON object at the beginning of a line).
//!
//! Works on a stream. A decision is taken only when no further text could change it, so however
//! the text is cut, the result is the same. Text that could still become a call is held back;
//! text that turns out to be none is given out whole, in its place.

use serde_json::Value;

use crate::ChatCall;

/// A piece of a reply: text to show, or a call to run.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyPart {
    /// Text.
    Text(String),
    /// A request to run a tool.
    Call(ChatCall),
}

/// Separates text and tool calls in a stream.
#[derive(Debug)]
pub struct CallParser {
    /// Names that make fenced or bare JSON a call; a tagged call needs none of them.
    tools: Vec<String>,
    held: String,
    /// Whether what is held begins a line.
    line_start: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Text,
    /// Inside a JSON object that is text: only a tag is looked for until it is over.
    Object(Nesting),
    /// After a call: its closing mark may follow, or another call.
    After(Opener),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Opener {
    Tag,
    Fence,
    Bare,
}

/// What the beginning of the held text turned out to be.
enum Found {
    /// More text is needed to tell.
    Unsure,
    /// So many bytes of text, and the state after them.
    Text(usize, State),
    /// A call that ends so many bytes later.
    Call(usize, ChatCall, Opener),
    /// So many bytes that are neither: the closing mark of a call.
    Mark(usize),
}

const TAG: &str = "<tool_call>";
const END_TAG: &str = "</tool_call>";
const FENCE: &str = "```";

impl CallParser {
    /// A parser for a reply to a prompt that offered `tools`.
    pub fn new(tools: impl IntoIterator<Item = String>) -> Self {
        let tools = tools.into_iter().collect();
        Self { tools, held: String::new(), line_start: true, state: State::Text }
    }

    /// Takes more text; returns what is now certain.
    pub fn push(&mut self, text: &str) -> Vec<ReplyPart> {
        self.held.push_str(text);
        self.advance(false)
    }

    /// The end of the reply: returns all that was held back.
    pub fn finish(&mut self) -> Vec<ReplyPart> {
        let parts = self.advance(true);
        (self.state, self.line_start) = (State::Text, true);
        parts
    }

    fn advance(&mut self, at_end: bool) -> Vec<ReplyPart> {
        let mut parts = Vec::new();
        while !self.held.is_empty() {
            let found = match self.state {
                State::After(opener) => self.after(opener),
                State::Text | State::Object(_) => self.look(),
            };
            match found {
                Found::Unsure if !at_end => break,
                Found::Unsure => {
                    let first = self.held.chars().next().map_or(0, char::len_utf8);
                    self.give_text(first, State::Text, &mut parts);
                }
                Found::Text(length, state) => self.give_text(length, state, &mut parts),
                Found::Call(length, call, opener) => {
                    self.held.drain(..length);
                    self.state = State::After(opener);
                    parts.push(ReplyPart::Call(call));
                }
                Found::Mark(length) => {
                    self.held.drain(..length);
                    (self.state, self.line_start) = (State::Text, true);
                }
            }
        }
        parts
    }

    fn give_text(&mut self, length: usize, state: State, parts: &mut Vec<ReplyPart>) {
        self.state = state;
        let text: String = self.held.drain(..length).collect();
        let line = text.rsplit('\n').next().unwrap_or_default();
        let blank = line.chars().all(char::is_whitespace);
        self.line_start = blank && (self.line_start || text.contains('\n'));
        match parts.last_mut() {
            Some(ReplyPart::Text(last)) => last.push_str(&text),
            _ if text.is_empty() => {}
            _ => parts.push(ReplyPart::Text(text)),
        }
    }

    /// Where text is expected: gives it up to the next thing that may be a call.
    fn look(&self) -> Found {
        let mut line_start = self.line_start;
        let mut state = self.state;
        for (at, character) in self.held.char_indices() {
            let rest = &self.held[at..];
            let in_object = matches!(state, State::Object(_));
            let candidate = could_begin(rest, TAG)
                || (!in_object && line_start && (could_begin(rest, FENCE) || character == '{'));
            if candidate {
                return if at > 0 { Found::Text(at, state) } else { self.candidate(rest) };
            }
            line_start = character == '\n' || (line_start && character.is_whitespace());
            if let State::Object(mut nesting) = state {
                state = match nesting.step(character) {
                    true => State::Text,
                    false => State::Object(nesting),
                };
            }
        }
        Found::Text(self.held.len(), state)
    }

    /// `text` begins with something that may open a call.
    fn candidate(&self, text: &str) -> Found {
        let (opener, mark) = match text.as_bytes()[0] {
            b'<' => (Opener::Tag, TAG),
            b'`' => (Opener::Fence, FENCE),
            _ => return self.object(text, 0, Opener::Bare),
        };
        let Some(body) = text.strip_prefix(mark) else { return Found::Unsure };
        let body = match opener {
            Opener::Fence => match body.split_once('\n') {
                Some((language, body)) if names_json(language) => body,
                None if language_could_be_json(body) => return Found::Unsure,
                _ => return Found::Text(mark.len(), State::Text),
            },
            _ => body,
        };
        let body = body.trim_start();
        match body.as_bytes().first() {
            None => Found::Unsure,
            Some(b'{') => self.object(text, text.len() - body.len(), opener),
            Some(_) => Found::Text(mark.len(), State::Text),
        }
    }

    /// `text[start..]` begins with a brace.
    fn object(&self, text: &str, start: usize, opener: Opener) -> Found {
        let body = &text[start..];
        if opener != Opener::Tag {
            match first_key(body) {
                FirstKey::Unsure => return Found::Unsure,
                FirstKey::OfCall => {}
                FirstKey::Other => {
                    return Found::Text(start + 1, State::Object(Nesting::inside()));
                }
                FirstKey::None => return Found::Text(start + 1, State::Text),
            }
        }
        let Some(length) = object_length(body) else { return Found::Unsure };
        let end = start + length;
        match call_of(&body[..length], opener == Opener::Tag) {
            Some(call) if opener == Opener::Tag || self.tools.contains(&call.name) => {
                Found::Call(end, call, opener)
            }
            _ => Found::Text(end, State::Text),
        }
    }

    /// After a call.
    fn after(&self, opener: Opener) -> Found {
        let mark = match opener {
            Opener::Tag => END_TAG,
            Opener::Fence => FENCE,
            Opener::Bare => return Found::Mark(0),
        };
        let rest = self.held.trim_start();
        let blank = self.held.len() - rest.len();
        if rest.starts_with(mark) {
            Found::Mark(blank + mark.len())
        } else if mark.starts_with(rest) {
            Found::Unsure
        } else if rest.starts_with('{') {
            self.object(&self.held, blank, opener)
        } else {
            Found::Mark(0)
        }
    }
}

/// Whether `text` begins with `mark`, or is the beginning of it.
fn could_begin(text: &str, mark: &str) -> bool {
    text.starts_with(mark) || mark.starts_with(text)
}

fn names_json(language: &str) -> bool {
    matches!(language.trim(), "" | "json" | "JSON" | "tool_call")
}

/// Whether more text could make this the first line of a fence with JSON.
fn language_could_be_json(line: &str) -> bool {
    let line = line.trim_start();
    ["json", "JSON", "tool_call"].iter().any(|name| name.starts_with(line.trim_end()))
}

/// How deep in a JSON text one is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Nesting {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    fn inside() -> Self {
        Self { depth: 1, in_string: false, escaped: false }
    }

    /// Takes a character; true when it closes the outermost brace.
    fn step(&mut self, character: char) -> bool {
        if self.in_string {
            self.in_string = self.escaped || character != '"';
            self.escaped = character == '\\' && !self.escaped;
            return false;
        }
        match character {
            '"' => self.in_string = true,
            '{' => self.depth += 1,
            '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0
    }
}

/// The length of the object `text` begins with, if it is all there.
fn object_length(text: &str) -> Option<usize> {
    let mut nesting = Nesting { depth: 0, in_string: false, escaped: false };
    let mut characters = text.char_indices();
    characters.find(|(_, character)| nesting.step(*character)).map(|(at, _)| at + 1)
}

enum FirstKey {
    Unsure,
    /// A key a call begins with.
    OfCall,
    /// Another key: an object, but no call.
    Other,
    /// No key: perhaps program text.
    None,
}

/// The first key of an object, to give up early on what cannot be a call.
fn first_key(text: &str) -> FirstKey {
    const KEYS: [&str; 4] = ["name", "arguments", "parameters", "function"];
    let inside = text.trim_start_matches('{').trim_start();
    let Some(key) = inside.strip_prefix('"') else {
        return if inside.is_empty() { FirstKey::Unsure } else { FirstKey::None };
    };
    match key.split_once('"') {
        Some((key, _)) if KEYS.contains(&key) => FirstKey::OfCall,
        None if KEYS.iter().any(|known| known.starts_with(key)) => FirstKey::Unsure,
        _ => FirstKey::Other,
    }
}

/// The call an object describes. In a tag the arguments may be missing.
fn call_of(text: &str, tagged: bool) -> Option<ChatCall> {
    // Some models double the outermost braces, as if they filled in a template.
    let doubled = || text.strip_prefix('{')?.strip_suffix('}');
    let value: Value =
        serde_json::from_str(text).ok().or_else(|| serde_json::from_str(doubled()?.trim()).ok())?;
    let object = match value.get("function") {
        Some(inner @ Value::Object(_)) => inner,
        _ => &value,
    };
    let name = object.get("name")?.as_str()?.to_owned();
    let arguments = match object.get("arguments").or_else(|| object.get("parameters")) {
        Some(arguments @ Value::Object(_)) => arguments.clone(),
        // OpenAI's form: an object written into a string.
        Some(Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object)?,
        None if tagged => Value::Object(serde_json::Map::new()),
        _ => return None,
    };
    Some(ChatCall { name, arguments })
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
