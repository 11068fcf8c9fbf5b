//! Making any stored history sendable to any provider.
//!
//! Invariants of what [`repair`] returns: user and assistant take turns, with one tool message right
//! after each assistant message that calls, holding exactly one result for each of its calls, in order;
//! ids are unique, non-empty and plain; arguments are JSON objects; the first message is the user's, the
//! last one is not the assistant's; no message is empty. The stored history is not changed, and the same
//! history always gives the same result. Absent here: what fits the window (`prompt`).

use hearth_protocol::{Arguments, CallId, Message, MessageId, Part, Role, ToolCall, ToolResult};
use serde_json::Map;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use thiserror::Error;

/// What the model reads where a stored call has no result.
pub const INTERRUPTED: &str = "[interrupted: no result was stored; the call may have run in part]";
/// What stands before a history that begins with the assistant.
const EARLIER: &str = "[earlier messages are not shown]";
/// What follows a history that ends with the assistant.
const GO_ON: &str = "[go on]";
/// The longest id that every provider takes.
const ID_CHARS: usize = 40;

/// What was mended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Calls that got an "interrupted" result.
    pub interrupted: Vec<CallId>,
    /// Results left out since their call is gone or was answered.
    pub results_dropped: usize,
    /// Calls (and their results) that got another id.
    pub ids_changed: usize,
    /// Arguments that were no JSON object.
    pub arguments_mended: usize,
    /// Empty messages left out.
    pub empty_dropped: usize,
}

/// Why nothing can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unsendable {
    /// No message of the person or the assistant.
    #[error("there is no message to send")]
    Empty,
    /// A provider would refuse this.
    #[error("the history is not well-formed: {0}")]
    Malformed(&'static str),
}

/// Returns the history as it can be sent, and what had to be mended. Nothing to send gives no messages.
#[must_use]
pub fn repair(stored: &[Message]) -> (Vec<Message>, Repairs) {
    let (mut sent, repairs) = mended(stored);
    close_ends(&mut sent);
    (sent, repairs)
}

/// As [`repair`], but the ends are left open: no message is added before the first or after the last.
pub(crate) fn mended(stored: &[Message]) -> (Vec<Message>, Repairs) {
    let mut repairs = Repairs::default();
    if stored.iter().all(|message| message.role == Role::System) {
        return (Vec::new(), repairs);
    }
    let mut results = Results::gather(stored);
    let mut ids = Ids::default();
    let last_user = stored.iter().rposition(|message| message.role == Role::User);
    let mut sent: Vec<Message> = Vec::with_capacity(stored.len());
    for (at, message) in stored.iter().enumerate() {
        let earlier_turn = last_user.is_some_and(|last| at < last);
        match message.role {
            Role::Tool => {}
            Role::Assistant => {
                let turn = Answered::of(message, at, earlier_turn, &mut results, &mut ids);
                turn.append_to(&mut sent, &mut repairs);
            }
            Role::System | Role::User => {
                append(&mut sent, message, Role::User, said(message), &mut repairs);
            }
        }
    }
    repairs.results_dropped += results.left();
    (sent, repairs)
}

/// The stored messages right before the turn being answered that nobody answered: to a provider they are
/// one message with it.
pub(crate) fn unanswered_before_last(stored: &[Message]) -> Range<usize> {
    let Some(last) = stored.iter().rposition(|message| message.role == Role::User) else {
        return 0..0;
    };
    let of_turn = |message: &Message| message.turn.is_some() && message.turn == stored[last].turn;
    let begin = stored[..last].iter().rposition(|message| !of_turn(message)).map_or(0, |at| at + 1);
    let answered = stored[..begin].iter().rposition(|message| message.role != Role::User);
    answered.map_or(0, |at| at + 1)..begin
}

/// Checks what is about to be sent.
///
/// # Errors
/// [`Unsendable`]: nothing to send, or what a provider would refuse.
pub fn sendable(messages: &[Message]) -> Result<(), Unsendable> {
    let (Some(first), Some(last)) = (messages.first(), messages.last()) else {
        return Err(Unsendable::Empty);
    };
    let must = |holds: bool, why| if holds { Ok(()) } else { Err(Unsendable::Malformed(why)) };
    must(first.role == Role::User, "it does not begin with the user")?;
    must(last.role != Role::Assistant, "it ends with the assistant")?;
    let mut ids = HashSet::new();
    let mut open: Vec<&CallId> = Vec::new();
    for message in messages {
        must(!message.parts.is_empty(), "a message is empty")?;
        must(message.role != Role::System, "a system message stands in the history")?;
        if message.role == Role::Tool {
            must(
                results_of(message).map(|r| &r.call).eq(open.drain(..)),
                "results miss their calls",
            )?;
            continue;
        }
        must(open.is_empty(), "a call has no result")?;
        must(results_of(message).next().is_none(), "a result stands outside a tool message")?;
        for call in message.tool_calls() {
            must(message.role == Role::Assistant, "a call stands outside an assistant message")?;
            must(is_plain(call.id.as_str()) && ids.insert(&call.id), "an id is empty or repeated")?;
            must(matches!(call.arguments, Arguments::Object(_)), "arguments are no JSON object")?;
            open.push(&call.id);
        }
    }
    must(open.is_empty(), "a call has no result")
}

fn results_of(message: &Message) -> impl Iterator<Item = &ToolResult> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    })
}

/// What a user or system message says; results that strayed into it are left to their calls.
fn said(message: &Message) -> Vec<Part> {
    let kept = |part: &&Part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Image { .. } => true,
        Part::Reasoning { .. } | Part::ToolCall(_) | Part::ToolResult(_) => false,
    };
    message.parts.iter().filter(kept).cloned().collect()
}

/// Appends parts, joined to the last message where the same one speaks twice.
fn append(
    sent: &mut Vec<Message>,
    like: &Message,
    role: Role,
    parts: Vec<Part>,
    repairs: &mut Repairs,
) {
    if parts.is_empty() {
        let strayed = like.parts.iter().any(|part| matches!(part, Part::ToolResult(_)));
        repairs.empty_dropped += usize::from(!strayed);
        return;
    }
    match sent.last_mut() {
        Some(last) if last.role == role => join(&mut last.parts, parts),
        _ => sent.push(Message { role, parts, ..bare(like) }),
    }
}

/// A message without its parts.
fn bare(like: &Message) -> Message {
    Message {
        id: like.id.clone(),
        role: like.role,
        parts: Vec::new(),
        at: like.at,
        turn: like.turn.clone(),
    }
}

/// Texts that meet are parted by an empty line.
fn join(into: &mut Vec<Part>, parts: Vec<Part>) {
    for part in parts {
        match (into.last_mut(), part) {
            (Some(Part::Text { text: last }), Part::Text { text }) => {
                last.push_str("\n\n");
                last.push_str(&text);
            }
            (_, part) => into.push(part),
        }
    }
}

/// An assistant message with the results of its calls.
struct Answered<'a> {
    like: &'a Message,
    parts: Vec<Part>,
    results: Vec<Part>,
    repairs: Repairs,
}

impl<'a> Answered<'a> {
    fn of(
        message: &'a Message,
        at: usize,
        earlier_turn: bool,
        results: &mut Results<'_>,
        ids: &mut Ids,
    ) -> Self {
        let (parts, repairs) = (Vec::new(), Repairs::default());
        let mut answered = Self { like: message, parts, results: Vec::new(), repairs };
        for part in &message.parts {
            match part {
                Part::ToolCall(call) => answered.add_call(call, at, results, ids),
                Part::Text { text } if text.trim().is_empty() => {}
                // Thinking is wanted back only while its own turn runs; from another provider's model
                // it would be refused.
                Part::Reasoning { .. } if earlier_turn => {}
                Part::ToolResult(_) => {}
                other => answered.parts.push(other.clone()),
            }
        }
        answered
    }

    fn add_call(&mut self, call: &ToolCall, at: usize, results: &mut Results<'_>, ids: &mut Ids) {
        let id = ids.plain(&call.id);
        self.repairs.ids_changed += usize::from(id != call.id);
        let arguments = match &call.arguments {
            Arguments::Object(object) => object.clone(),
            Arguments::Malformed(_) => {
                self.repairs.arguments_mended += 1;
                Map::new()
            }
        };
        let (ok, text) = match results.take(&call.id, at) {
            Some(result) => (result.ok, result.text.clone()),
            None => {
                self.repairs.interrupted.push(call.id.clone());
                (false, INTERRUPTED.to_owned())
            }
        };
        let arguments = Arguments::Object(arguments);
        self.parts.push(Part::ToolCall(ToolCall {
            id: id.clone(),
            name: call.name.clone(),
            arguments,
        }));
        self.results.push(Part::ToolResult(ToolResult { call: id, ok, text }));
    }

    fn append_to(self, sent: &mut Vec<Message>, repairs: &mut Repairs) {
        repairs.interrupted.extend(self.repairs.interrupted);
        repairs.ids_changed += self.repairs.ids_changed;
        repairs.arguments_mended += self.repairs.arguments_mended;
        // Thinking alone is no message.
        let worth = self.parts.iter().any(|part| !matches!(part, Part::Reasoning { .. }));
        let parts = if worth { self.parts } else { Vec::new() };
        append(sent, self.like, Role::Assistant, parts, repairs);
        if !self.results.is_empty() {
            let id = MessageId::from(format!("{}-results", self.like.id).as_str());
            sent.push(Message { id, role: Role::Tool, parts: self.results, ..bare(self.like) });
        }
    }
}

/// The first message is the user's, the last one asks for a reply.
pub(crate) fn close_ends(sent: &mut Vec<Message>) {
    let note = |like: &Message, suffix: &str, text: &str| Message {
        id: MessageId::from(format!("{}-{suffix}", like.id).as_str()),
        role: Role::User,
        parts: vec![Part::Text { text: text.to_owned() }],
        ..bare(like)
    };
    if let Some(first) = sent.first().filter(|first| first.role != Role::User) {
        sent.insert(0, note(first, "earlier", EARLIER));
    }
    if let Some(last) = sent.last().filter(|last| last.role == Role::Assistant) {
        sent.push(note(last, "go-on", GO_ON));
    }
}

/// Stored results by the id they answer, in order, with where the ids are used by calls.
struct Results<'a> {
    open: HashMap<&'a CallId, VecDeque<(usize, &'a ToolResult)>>,
    calls: HashMap<&'a CallId, VecDeque<usize>>,
    dropped: usize,
}

impl<'a> Results<'a> {
    fn gather(stored: &'a [Message]) -> Self {
        let mut results = Self { open: HashMap::new(), calls: HashMap::new(), dropped: 0 };
        for (at, message) in stored.iter().enumerate() {
            for result in results_of(message) {
                results.open.entry(&result.call).or_default().push_back((at, result));
            }
            for call in message.tool_calls().filter(|_| message.role == Role::Assistant) {
                let uses = results.calls.entry(&call.id).or_default();
                if uses.back() != Some(&at) {
                    uses.push_back(at);
                }
            }
        }
        results
    }

    /// The first result after the call and before another message uses the same id.
    fn take(&mut self, id: &CallId, at: usize) -> Option<&'a ToolResult> {
        let uses = self.calls.get_mut(id)?;
        while uses.front().is_some_and(|used| *used <= at) {
            uses.pop_front();
        }
        let until = uses.front().copied().unwrap_or(usize::MAX);
        // Put back for the next call of the same message.
        uses.push_front(at);
        let open = self.open.get_mut(id)?;
        while open.front().is_some_and(|(stands, _)| *stands < at) {
            open.pop_front();
            self.dropped += 1;
        }
        open.pop_front_if(|(stands, _)| *stands < until).map(|(_, result)| result)
    }

    fn left(&self) -> usize {
        self.dropped + self.open.values().map(VecDeque::len).sum::<usize>()
    }
}

/// Gives each call an id that every provider takes.
#[derive(Default)]
struct Ids {
    used: HashSet<CallId>,
    /// The last number tried for an id that repeats, so that 10,000 repeats stay quick.
    numbers: HashMap<String, usize>,
}

impl Ids {
    fn plain(&mut self, id: &CallId) -> CallId {
        if is_plain(id.as_str()) && self.used.insert(id.clone()) {
            return id.clone();
        }
        let base =
            if is_plain(id.as_str()) { &id.as_str()[..id.as_str().len().min(30)] } else { "call" };
        let number = self.numbers.entry(base.to_owned()).or_insert(0);
        loop {
            *number += 1;
            let candidate = CallId::from(format!("{base}_{number}").as_str());
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

fn is_plain(id: &str) -> bool {
    (1..=ID_CHARS).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
