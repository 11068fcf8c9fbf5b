//! What the tests of deciding share: a countable tokenizer, tools, short forms of replies and effects.
#![allow(dead_code, clippy::expect_used, reason = "each test binary uses its part")]

use hearth_agent::TokenCounter;
use hearth_agent::machine::{Draft, Effect, Limits, Turn, TurnConfig};
use hearth_protocol::{
    Arguments, CallId, EventBody, Finish, Message, ModelReply, Part, Role, ToolCall, ToolResult,
    ToolSpec,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Four characters of ASCII, or one of another script, are a token.
pub(crate) struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, text: &str) -> u64 {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count() as u64
    }

    fn exact(&self) -> bool {
        false
    }
}

pub(crate) fn tool(name: &str, schema: Value) -> ToolSpec {
    ToolSpec { name: name.into(), description: format!("Does {name}."), schema }
}

pub(crate) fn tools() -> Arc<[ToolSpec]> {
    let path = json!({"properties": {"path": {"type": "string"}}, "required": ["path"]});
    Arc::new([tool("read", path.clone()), tool("write", path)])
}

pub(crate) fn turn_with(limits: Limits) -> Turn {
    Turn::new(TurnConfig { limits, tools: tools(), window: 8_000, counter: Arc::new(Quarter) })
}

pub(crate) fn text_parts(text: &str) -> Vec<Part> {
    vec![Part::Text { text: text.into() }]
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: CallId::from(id), name: name.into(), arguments: Arguments::parse(arguments) }
}

pub(crate) fn says(text: &str) -> ModelReply {
    ModelReply {
        complete: true,
        text: text.into(),
        finish: Some(Finish::Stop),
        ..ModelReply::default()
    }
}

pub(crate) fn wants(text: &str, calls: Vec<ToolCall>) -> ModelReply {
    ModelReply { tool_calls: calls, finish: Some(Finish::ToolCalls), ..says(text) }
}

/// An effect in one short line.
pub(crate) fn brief(effect: &Effect) -> String {
    match effect {
        Effect::Emit(event) => brief_event(event),
        Effect::Persist(draft) => format!("store {}", brief_draft(draft)),
        Effect::CallModel { step } => format!("call model {step}"),
        Effect::CancelModel => "cancel model".into(),
        Effect::CheckPolicy(call) => format!("check {}", brief_call(call)),
        Effect::AskApproval { call, why } => format!("ask {} {why}", call.id),
        Effect::RunTool(call) => format!("run {}", brief_call(call)),
        Effect::CancelTool { call } => format!("kill {call}"),
        Effect::Finish { stop, reply } => format!("finish {stop:?} {reply:?}"),
    }
}

fn brief_event(event: &EventBody) -> String {
    match event {
        EventBody::Started {} => "started".into(),
        EventBody::Text { text } => format!("text {text:?}"),
        EventBody::Reasoning { text } => format!("reasoning {text:?}"),
        EventBody::ToolStart { call, .. } => format!("start {call}"),
        EventBody::ToolOutput { call, text } => format!("output {call} {text:?}"),
        EventBody::ToolEnd { call, ok, ms, .. } => format!("end {call} {ok} {ms}"),
        EventBody::Steered { text } => format!("steered {text:?}"),
        EventBody::Notice { title, .. } => format!("notice {title}"),
        EventBody::Error { code, .. } => format!("error {code:?}"),
        EventBody::Done { reply, stop, steps } => format!("done {stop:?} {steps} {reply:?}"),
        other => format!("{other:?}"),
    }
}

fn brief_draft(draft: &Draft) -> String {
    let parts: Vec<_> = draft.parts.iter().map(brief_part).collect();
    format!("{:?} {}", draft.role, parts.join(" + "))
}

pub(crate) fn brief_part(part: &Part) -> String {
    match part {
        Part::Text { text } => format!("{text:?}"),
        Part::Reasoning { text, signature } => format!("(thinks {text:?} {signature:?})"),
        Part::ToolCall(call) => brief_call(call),
        Part::ToolResult(ToolResult { call, ok, text }) => format!("{call}={ok} {text:?}"),
        Part::Image { media_type, .. } => media_type.clone(),
    }
}

fn brief_call(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        Arguments::Object(object) => serde_json::to_string(object).expect("serialises"),
        Arguments::Malformed(text) => format!("malformed {text:?}"),
    };
    format!("{}:{}{arguments}", call.id, call.name)
}

/// Stamps drafts as a driver would, with counted ids.
pub(crate) fn stored(drafts: &[Draft], turn: &str) -> Vec<Message> {
    let stamp = |(n, draft): (usize, &Draft)| {
        draft.clone().stamp(format!("{turn}-{n}").as_str().into(), n as i64, turn.into())
    };
    drafts.iter().enumerate().map(stamp).collect()
}

pub(crate) fn message(role: Role, text: &str, turn: &str) -> Message {
    Message { turn: Some(turn.into()), id: text.into(), ..Message::text(role, text, 0) }
}
