//! Finds the tool calls in what a small model writes: tagged (`<tool_call>{...}</tool_call>` at the beginning
//! of a line), or a reply that is nothing but calls, fenced (a code block with JSON) or bare (a JSON object).
//!
//! Invariants: a decision is taken only when no further text could change it, so however the text is cut, the
//! result is the same; text that could still become a call is held back, text that turns out to be none is
//! given out whole, in its place; only names of offered tools make a call; what is quoted, indented as code
//! or stands in a fence beside other words explains a call and makes none.

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
    /// Names that make a call.
    tools: Vec<String>,
    held: String,
    /// Columns before what is held, where its line is blank so far.
    indent: Option<usize>,
    /// Something was given out that is not blank.
    begun: bool,
    /// Fenced or bare calls that hold if nothing else follows.
    alone: Option<Alone>,
    state: State,
}

/// Calls, and the text they are if other words follow.
#[derive(Debug, Default)]
struct Alone {
    raw: String,
    calls: Vec<ChatCall>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Text,
    /// Inside a code block, opened by so many of these.
    Code(char, usize),
    /// After a call: its closing mark may follow, or another call.
    After(Opener),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Opener {
    Tag,
    Fence,
    Bare,
}

impl Opener {
    /// Where one is when what it opened is no call.
    fn without_call(self) -> State {
        match self {
            Self::Fence => State::Code('`', FENCE.len()),
            Self::Tag | Self::Bare => State::Text,
        }
    }
}

/// What the beginning of the held text turned out to be.
enum Found {
    /// More text is needed to tell.
    Unsure,
    /// So many bytes of text, and the state after them.
    Text(usize, State),
    /// A call that ends so many bytes later.
    Call(usize, ChatCall, Opener),
    /// So many bytes that are neither, the closing mark of a call, and the state after them.
    Mark(usize, State),
}

const TAG: &str = "<tool_call>";
const END_TAG: &str = "</tool_call>";
const FENCE: &str = "```";
/// From this column on a line is code.
const CODE_COLUMN: usize = 4;

impl CallParser {
    /// A parser for a reply to a prompt that offered `tools`.
    pub fn new(tools: impl IntoIterator<Item = String>) -> Self {
        let tools = tools.into_iter().collect();
        let (held, indent, begun) = (String::new(), Some(0), false);
        Self { tools, held, indent, begun, alone: None, state: State::Text }
    }

    /// Takes more text; returns what is now certain.
    pub fn push(&mut self, text: &str) -> Vec<ReplyPart> {
        self.held.push_str(text);
        self.advance(false)
    }

    /// The end of the reply: returns all that was held back.
    pub fn finish(&mut self) -> Vec<ReplyPart> {
        let mut parts = self.advance(true);
        let calls = self.alone.take().map(|alone| alone.calls).unwrap_or_default();
        parts.extend(calls.into_iter().map(ReplyPart::Call));
        (self.state, self.indent, self.begun) = (State::Text, Some(0), false);
        parts
    }

    fn advance(&mut self, at_end: bool) -> Vec<ReplyPart> {
        let mut parts = Vec::new();
        while !self.held.is_empty() {
            let found = match self.state {
                State::After(opener) => self.after(opener),
                State::Text | State::Code(..) => self.look(),
            };
            match found {
                Found::Unsure if !at_end => break,
                Found::Unsure => {
                    let (length, state) = self.no_more();
                    self.give_text(length, state, &mut parts);
                }
                Found::Text(length, state) => self.give_text(length, state, &mut parts),
                Found::Call(length, call, opener) => {
                    self.take_call(length, call, opener, &mut parts)
                }
                Found::Mark(length, state) => {
                    let mark: String = self.held.drain(..length).collect();
                    if let Some(alone) = &mut self.alone {
                        alone.raw.push_str(&mark);
                    }
                    (self.state, self.indent) = (state, Some(0));
                }
            }
        }
        parts
    }

    fn take_call(
        &mut self,
        length: usize,
        call: ChatCall,
        opener: Opener,
        parts: &mut Vec<ReplyPart>,
    ) {
        let raw: String = self.held.drain(..length).collect();
        self.state = State::After(opener);
        if opener == Opener::Tag {
            self.words_follow(parts);
            self.begun = true;
            parts.push(ReplyPart::Call(call));
            return;
        }
        let alone = self.alone.get_or_insert_default();
        alone.raw.push_str(&raw);
        alone.calls.push(call);
    }

    /// What looked like a reply of calls alone is an explanation.
    fn words_follow(&mut self, parts: &mut Vec<ReplyPart>) {
        if let Some(alone) = self.alone.take() {
            show(alone.raw, parts);
        }
    }

    /// The text ends where more was needed: so many bytes are text, and the state after them.
    fn no_more(&self) -> (usize, State) {
        let first = self.held.chars().next().unwrap_or_default();
        let run = run_of(&self.held, first);
        match first {
            '`' | '~' if run >= FENCE.len() && self.state == State::Text => {
                (run * first.len_utf8(), State::Code(first, run))
            }
            _ => (first.len_utf8(), self.state),
        }
    }

    fn give_text(&mut self, length: usize, state: State, parts: &mut Vec<ReplyPart>) {
        self.state = state;
        let text: String = self.held.drain(..length).collect();
        self.indent = text.chars().fold(self.indent, indent_after);
        let blank = text.chars().all(char::is_whitespace);
        match &mut self.alone {
            Some(alone) if blank => return alone.raw.push_str(&text),
            _ if !blank => {
                self.words_follow(parts);
                self.begun = true;
            }
            _ => {}
        }
        show(text, parts);
    }

    /// Where text is expected: gives it up to the next thing that may be a call or a fence.
    fn look(&self) -> Found {
        let mut indent = self.indent;
        for (at, character) in self.held.char_indices() {
            if indent.is_some_and(|columns| columns < CODE_COLUMN) {
                let rest = &self.held[at..];
                let candidate = match self.state {
                    State::Code(mark, _) => character == mark,
                    _ => {
                        could_begin(rest, TAG)
                            || matches!(character, '`' | '~')
                            || character == '{' && !self.begun
                    }
                };
                if candidate && at > 0 {
                    return Found::Text(at, self.state);
                }
                if candidate {
                    return match self.state {
                        State::Code(mark, length) => self.closing(rest, mark, length),
                        _ => self.candidate(rest),
                    };
                }
            }
            indent = indent_after(indent, character);
        }
        Found::Text(self.held.len(), self.state)
    }

    /// `text` begins with what may close a code block.
    fn closing(&self, text: &str, mark: char, length: usize) -> Found {
        let run = run_of(text, mark);
        let rest = &text[run * mark.len_utf8()..];
        if run < length && !rest.is_empty() {
            return Found::Text(text.len() - rest.len(), self.state);
        }
        match rest.chars().find(|c| *c == '\n' || !c.is_whitespace()) {
            None => Found::Unsure,
            Some('\n') => Found::Text(text.len() - rest.len(), State::Text),
            Some(_) => Found::Text(text.len() - rest.len(), self.state),
        }
    }

    /// `text` begins with something that may open a call.
    fn candidate(&self, text: &str) -> Found {
        match text.chars().next() {
            Some('{') => self.object(text, 0, Opener::Bare),
            Some('<') => match text.strip_prefix(TAG) {
                Some(body) => self.body(text, body, Opener::Tag),
                None => Found::Unsure,
            },
            Some(mark) => self.fence(text, mark),
            None => Found::Unsure,
        }
    }

    /// `text` begins with what may open a code block.
    fn fence(&self, text: &str, mark: char) -> Found {
        let run = run_of(text, mark);
        let rest = &text[run * mark.len_utf8()..];
        if rest.is_empty() {
            return Found::Unsure;
        }
        let length = text.len() - rest.len();
        if run < FENCE.len() {
            return Found::Text(length, State::Text);
        }
        let code = Found::Text(length, State::Code(mark, run));
        if self.begun || !text.starts_with(FENCE) || run != FENCE.len() {
            return code;
        }
        match rest.split_once('\n') {
            Some((language, body)) if names_json(language) => self.body(text, body, Opener::Fence),
            None if language_could_be_json(rest) => Found::Unsure,
            _ => code,
        }
    }

    /// `body`, the end of `text`, follows an opening mark.
    fn body(&self, text: &str, body: &str, opener: Opener) -> Found {
        let body = body.trim_start();
        match body.as_bytes().first() {
            None => Found::Unsure,
            Some(b'{') => self.object(text, text.len() - body.len(), opener),
            Some(_) => {
                let mark = if opener == Opener::Tag { TAG } else { FENCE };
                Found::Text(mark.len(), opener.without_call())
            }
        }
    }

    /// `text[start..]` begins with a brace.
    fn object(&self, text: &str, start: usize, opener: Opener) -> Found {
        let body = &text[start..];
        if opener != Opener::Tag {
            match first_key(body) {
                FirstKey::Unsure => return Found::Unsure,
                FirstKey::OfCall => {}
                FirstKey::Other => return Found::Text(start + 1, opener.without_call()),
            }
        }
        let Some(length) = object_length(body) else { return Found::Unsure };
        let end = start + length;
        match call_of(&body[..length], opener == Opener::Tag) {
            Some(call) if self.tools.contains(&call.name) => Found::Call(end, call, opener),
            _ => Found::Text(end, opener.without_call()),
        }
    }

    /// After a call.
    fn after(&self, opener: Opener) -> Found {
        let mark = match opener {
            Opener::Tag => END_TAG,
            Opener::Fence => FENCE,
            Opener::Bare => return Found::Mark(0, State::Text),
        };
        let rest = self.held.trim_start();
        let blank = self.held.len() - rest.len();
        if rest.starts_with(mark) {
            Found::Mark(blank + mark.len(), State::Text)
        } else if mark.starts_with(rest) {
            Found::Unsure
        } else if rest.starts_with('{') {
            self.object(&self.held, blank, opener)
        } else {
            Found::Mark(0, opener.without_call())
        }
    }
}

fn show(text: String, parts: &mut Vec<ReplyPart>) {
    match parts.last_mut() {
        Some(ReplyPart::Text(last)) => last.push_str(&text),
        _ if text.is_empty() => {}
        _ => parts.push(ReplyPart::Text(text)),
    }
}

/// The columns before the next character, where its line is blank so far.
fn indent_after(indent: Option<usize>, character: char) -> Option<usize> {
    match character {
        '\n' => Some(0),
        '\t' => indent.map(|columns| columns + CODE_COLUMN),
        _ if character.is_whitespace() => indent.map(|columns| columns + 1),
        _ => None,
    }
}

/// How often a text begins with a character.
fn run_of(text: &str, character: char) -> usize {
    text.chars().take_while(|next| *next == character).count()
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
struct Nesting {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
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
    /// Another key, or none: perhaps program text.
    Other,
}

/// The first key of an object, to give up early on what cannot be a call.
fn first_key(text: &str) -> FirstKey {
    const KEYS: [&str; 4] = ["name", "arguments", "parameters", "function"];
    let inside = text.trim_start_matches('{').trim_start();
    let Some(key) = inside.strip_prefix('"') else {
        return if inside.is_empty() { FirstKey::Unsure } else { FirstKey::Other };
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
