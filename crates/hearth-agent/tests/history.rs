//! Stored histories in a bad state become sendable ones.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture that cannot be read fails its test"
)]

use hearth_agent::history::{INTERRUPTED, Unsendable, repair, sendable};
use hearth_protocol::{Arguments, CallId, Message, MessageId, Part, Role, ToolCall, ToolResult};
use proptest::prelude::*;
use serde_json::Value;

/// Reads an OpenAI-style message (with Anthropic-style content blocks) as imports would.
fn convert((at, message): (usize, &Value)) -> Message {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let role = match message["role"].as_str().expect("role") {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("{other}"),
    };
    let mut parts = Vec::new();
    let result = |id: &Value, content: &Value| {
        let call = CallId::from(text(id).as_str());
        Part::ToolResult(ToolResult { call, ok: true, text: text(content) })
    };
    match &message["content"] {
        content if role == Role::Tool => parts.push(result(&message["tool_call_id"], content)),
        Value::String(text) => parts.push(Part::Text { text: text.clone() }),
        Value::Array(blocks) => {
            parts.extend(blocks.iter().map(|block| match block["type"].as_str() {
                Some("text") => Part::Text { text: text(&block["text"]) },
                Some("thinking") => {
                    Part::Reasoning { text: text(&block["thinking"]), signature: None }
                }
                Some("tool_result") => result(&block["tool_use_id"], &block["content"]),
                other => panic!("{other:?}"),
            }))
        }
        _ => {}
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        parts.push(Part::ToolCall(ToolCall {
            id: CallId::from(text(&call["id"]).as_str()),
            name: text(&call["function"]["name"]),
            arguments: Arguments::parse(&text(&call["function"]["arguments"])),
        }));
    }
    Message { id: MessageId::from(format!("m{at}").as_str()), role, parts, at: 0, turn: None }
}

fn stored(case: &Value) -> Vec<Message> {
    let messages = |value: &Value| value.as_array().expect("messages").clone();
    let raw = match case.get("build") {
        Some(build) => {
            let count = |key: &str| build[key].as_u64().expect("a count") as usize;
            let all = std::iter::repeat_n(messages(&build["messages"]), count("repeat"));
            all.flatten().skip(count("drop_first")).collect()
        }
        None => messages(&case["messages"]),
    };
    raw.iter().enumerate().map(convert).collect()
}

fn texts(messages: &[Message]) -> Vec<String> {
    let text = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        Part::ToolResult(result) => Some(result.text.clone()),
        _ => None,
    };
    messages.iter().flat_map(|message| message.parts.iter().filter_map(text)).collect()
}

fn strings<'a>(expect: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    expect[key].as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[test]
fn every_bad_history_is_sent_well_formed() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/orphan_histories.json")).expect("cases");
    assert!(cases.len() >= 24);
    for case in cases {
        let (name, expect) = (&case["name"], &case["expect"]);
        let before = stored(&case);
        let (sent, repairs) = repair(&before);
        assert_eq!(stored(&case), before, "{name}: the stored history is not changed");
        if expect["sendable"] == Value::Bool(false) {
            assert_eq!(sendable(&sent), Err(Unsendable::Empty), "{name}");
            continue;
        }
        assert_eq!(sendable(&sent), Ok(()), "{name}: {sent:?}");
        let texts = texts(&sent);
        let interrupted: Vec<_> = repairs.interrupted.iter().map(CallId::as_str).collect();
        if expect.get("interrupted").is_some() {
            assert_eq!(interrupted, strings(expect, "interrupted").collect::<Vec<_>>(), "{name}");
            assert_eq!(texts.iter().filter(|text| *text == INTERRUPTED).count(), interrupted.len());
        }
        for kept in strings(expect, "kept") {
            assert!(texts.iter().any(|text| text.contains(kept)), "{name}: {kept} in {texts:?}");
        }
        for dropped in strings(expect, "result_dropped_or_quoted") {
            assert!(!texts.iter().any(|text| text == dropped), "{name}: {dropped} in {texts:?}");
        }
        if let Some(pairs) = expect["pairs"].as_u64() {
            let calls = sent.iter().flat_map(Message::tool_calls).count() as u64;
            assert_eq!((calls, interrupted.len()), (pairs, 0), "{name}");
        }
    }
}

#[test]
fn results_find_their_own_calls() {
    let case = |name: &str| {
        let cases: Vec<Value> =
            serde_json::from_str(include_str!("fixtures/orphan_histories.json")).expect("cases");
        stored(cases.iter().find(|case| case["name"] == name).expect("the case"))
    };
    let order = |name: &str| texts(&repair(&case(name)).0);
    assert_eq!(order("results in another order"), ["q", "ra", "rb"]);
    assert_eq!(order("same id twice in one batch"), ["q", "one", "two"]);
    assert_eq!(order("same id in two turns"), ["q", "one", "again", "two"]);
    assert_eq!(order("a user message between call and result"), ["q", "ra", "wait"]);
    assert_eq!(order("two user messages in a row"), ["one\n\ntwo"]);
}

fn any_part() -> impl Strategy<Value = Part> {
    let id = prop::sample::select(vec!["", "A", "B", "c d", "A_1"]);
    let arguments = prop::sample::select(vec!["{}", "{oops"]);
    prop_oneof![
        prop::sample::select(vec!["", " ", "x"]).prop_map(|text| Part::Text { text: text.into() }),
        Just(Part::Reasoning { text: "hm".into(), signature: None }),
        (id.clone(), arguments).prop_map(|(id, arguments)| Part::ToolCall(ToolCall {
            id: id.into(),
            name: "read".into(),
            arguments: Arguments::parse(arguments),
        })),
        id.prop_map(|id| Part::ToolResult(ToolResult {
            call: id.into(),
            ok: true,
            text: "r".into()
        })),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    let roles = vec![Role::System, Role::User, Role::Assistant, Role::Tool];
    (prop::sample::select(roles), prop::collection::vec(any_part(), 0..4))
        .prop_map(|(role, parts)| Message { id: "m".into(), role, parts, at: 0, turn: None })
}

fn without_thinking(messages: &[Message]) -> Vec<Message> {
    let mut messages = messages.to_vec();
    for message in &mut messages {
        message.parts.retain(|part| !matches!(part, Part::Reasoning { .. }));
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_history_is_sendable_or_empty_and_stays_so(
        messages in prop::collection::vec(any_message(), 0..12),
    ) {
        let (sent, _) = repair(&messages);
        if !sent.is_empty() {
            prop_assert_eq!(sendable(&sent), Ok(()));
        }
        let (again, repairs) = repair(&sent);
        // A message that asks to go on ends a turn, and with it the use of its thinking.
        prop_assert_eq!(without_thinking(&again), without_thinking(&sent));
        prop_assert_eq!(repairs, Default::default());
    }
}
