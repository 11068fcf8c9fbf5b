//! The turn: what it does with each input, and what holds for any sequence of inputs.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture that cannot be read fails its test"
)]

mod support;

use hearth_agent::history;
use hearth_agent::machine::{Draft, Effect, Input, Limits, Turn, TurnConfig, Verdict};
use hearth_protocol::{
    CallId, ErrorCode, EventBody, Fault, FaultKind, Finish, ModelDelta, ModelReply, Part, Retry,
    WireError,
};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use support::{Quarter, brief, call, says, stored, text_parts, tool, turn_with, wants};

fn begin(text: &str) -> Input {
    Input::Begin { parts: text_parts(text) }
}

fn steer(text: &str) -> Input {
    Input::Steer { parts: text_parts(text) }
}

fn text(text: &str) -> Input {
    Input::Delta(ModelDelta::Text(text.into()))
}

fn verdict(call: &str, verdict: Verdict) -> Input {
    Input::Verdict { call: call.into(), verdict, why: "rule".into() }
}

fn done(call: &str, text: &str) -> Input {
    Input::ToolDone { call: call.into(), ok: true, text: text.into(), kept: None, ms: 7 }
}

fn failed(kind: FaultKind, partial: Option<ModelReply>) -> Input {
    let (message, hint) = ("It failed.".into(), "Try.".into());
    Input::Failed { fault: Fault { kind, message, hint, retry: Retry::No, status: None }, partial }
}

/// Gives the inputs and compares everything that the last of them brought.
fn check(inputs: Vec<Input>, expected: &[&str]) {
    check_in(Limits::default(), inputs, expected);
}

fn check_in(limits: Limits, inputs: Vec<Input>, expected: &[&str]) {
    let mut turn = turn_with(limits);
    let effects = inputs.into_iter().map(|input| turn.on(input)).last().unwrap_or_default();
    let lines: Vec<_> = effects.iter().map(brief).collect();
    assert_eq!(lines, expected);
}

const READ: &str = r#"{"path":"a"}"#;

/// A turn in which the model wants to read twice.
fn two_reads() -> Vec<Input> {
    let calls = vec![call("A", "read", READ), call("B", "read", r#"{"path":"b"}"#)];
    vec![begin("hi"), Input::Reply(wants("Let me look.", calls))]
}

fn after(mut inputs: Vec<Input>, more: Vec<Input>) -> Vec<Input> {
    inputs.extend(more);
    inputs
}

#[test]
fn a_message_is_stored_then_the_model_is_called() {
    check(vec![begin("hi")], &["started", r#"store User "hi""#, "call model 1"]);
    check(vec![begin("hi"), begin("again")], &[]);
}

#[test]
fn a_streamed_reply_is_not_said_twice() {
    check(vec![begin("hi"), text("Hel")], &[r#"text "Hel""#]);
    let end =
        [r#"store Assistant "Hello""#, r#"done Finished 1 "Hello""#, r#"finish Finished "Hello""#];
    check(vec![begin("hi"), text("Hel"), text("lo"), Input::Reply(says("Hello"))], &end);
    let mut rest = vec![r#"text "lo""#];
    rest.extend(end);
    check(vec![begin("hi"), text("Hel"), Input::Reply(says("Hello"))], &rest);
}

#[test]
fn leaked_thinking_is_reasoning() {
    let inputs = vec![
        begin("hi"),
        text("<thi"),
        text("nk>hm"),
        text("</think>\n\nYes"),
        Input::Reply(says("<think>hm</think>\n\nYes")),
    ];
    check(inputs[..2].to_vec(), &[]);
    check(inputs[..3].to_vec(), &[r#"reasoning "hm""#]);
    check(inputs[..4].to_vec(), &[r#"text "Yes""#]);
    check(
        inputs,
        &[
            r#"store Assistant (thinks "hm" None) + "Yes""#,
            r#"done Finished 1 "Yes""#,
            r#"finish Finished "Yes""#,
        ],
    );
}

#[test]
fn signed_thinking_is_stored_as_it_came() {
    let reply = ModelReply {
        reasoning: "deep".into(),
        reasoning_signature: Some("sig".into()),
        ..says("Yes")
    };
    check(
        vec![begin("hi"), Input::Reply(reply)],
        &[
            r#"reasoning "deep""#,
            r#"text "Yes""#,
            r#"store Assistant (thinks "deep" Some("sig")) + "Yes""#,
            r#"done Finished 1 "Yes""#,
            r#"finish Finished "Yes""#,
        ],
    );
}

#[test]
fn a_call_is_checked_then_run_then_answered() {
    check(
        two_reads(),
        &[
            r#"text "Let me look.""#,
            r#"store Assistant "Let me look." + A:read{"path":"a"} + B:read{"path":"b"}"#,
            r#"check A:read{"path":"a"}"#,
        ],
    );
    let allowed = after(two_reads(), vec![verdict("A", Verdict::Allow)]);
    check(allowed.clone(), &["start A", r#"run A:read{"path":"a"}"#]);
    let output = Input::ToolOutput { call: "A".into(), text: "…".into() };
    check(after(allowed.clone(), vec![output]), &[r#"output A "…""#]);
    let first = after(allowed, vec![done("A", "one")]);
    check(
        first.clone(),
        &["end A true 7", r#"store Tool A=true "one""#, r#"check B:read{"path":"b"}"#],
    );
    let second = after(first, vec![verdict("B", Verdict::Allow), done("B", "two")]);
    check(second.clone(), &["end B true 7", r#"store Tool B=true "two""#, "call model 2"]);
    check(after(second, vec![text("Done.")]), &[r#"text "\n\n""#, r#"text "Done.""#]);
}

#[test]
fn asking_waits_for_the_person() {
    let asked = after(two_reads(), vec![verdict("A", Verdict::Ask)]);
    check(asked.clone(), &["ask A rule"]);
    check(
        after(asked.clone(), vec![Input::Approved { call: "A".into() }]),
        &["start A", r#"run A:read{"path":"a"}"#],
    );
    let no = Input::Denied { call: "A".into(), why: "the person said no".into() };
    check(
        after(asked.clone(), vec![no]),
        &[
            "start A",
            "end A false 0",
            r#"store Tool A=false "denied: the person said no""#,
            r#"check B:read{"path":"b"}"#,
        ],
    );
    // Waiting for an answer is no work: half an hour of it ends nothing, 15 minutes of work do.
    let waited = after(asked, vec![Input::Elapsed { seconds: 1_800.0 }]);
    check(waited.clone(), &[]);
    let worked = vec![Input::Approved { call: "A".into() }, Input::Elapsed { seconds: 2_701.0 }];
    let minutes = "notice Stopped after 15 minutes";
    let effects = after(waited, worked);
    let mut turn = turn_with(Limits::default());
    let last = effects.into_iter().map(|input| turn.on(input)).last().expect("inputs");
    assert!(last.iter().any(|effect| brief(effect) == minutes), "{last:?}");
}

#[test]
fn what_comes_after_the_current_call_can_be_asked_with_it() {
    let calls = vec![
        call("A", "read", r#"{"path":"a"}"#),
        call("B", "write", "{}"),
        call("C", "write", r#"{"path":"c"}"#),
        call("D", "nothing", "{}"),
    ];
    let mut turn = turn_with(Limits::default());
    assert!(turn.upcoming().is_empty());
    let _ = turn.on(begin("Hi"));
    let _ = turn.on(Input::Reply(wants("", calls)));
    // A is being checked; B misses its schema and D is no tool: they will go back to the model.
    let upcoming: Vec<_> = turn.upcoming().into_iter().map(|call| call.id).collect();
    assert_eq!(upcoming, [CallId::from("C")]);
    let _ = turn.on(Input::Cancel);
    assert!(turn.upcoming().is_empty());
}

#[test]
fn answers_to_another_call_or_stage_change_nothing() {
    check(after(two_reads(), vec![verdict("B", Verdict::Allow)]), &[]);
    check(after(two_reads(), vec![done("A", "forged")]), &[]);
    check(after(two_reads(), vec![Input::Approved { call: "A".into() }]), &[]);
    check(after(two_reads(), vec![Input::Reply(says("again"))]), &[]);
    check(vec![begin("hi"), verdict("A", Verdict::Allow)], &[]);
}

#[test]
fn wrong_calls_go_back_twice_and_nothing_runs() {
    let wrong = |id: &str| Input::Reply(wants("", vec![call(id, "read", "{oops")]));
    let inputs = vec![begin("hi"), wrong("A"), wrong("B"), wrong("C")];
    for calls in 2..=3 {
        let mut turn = turn_with(Limits::default());
        let last = inputs[..calls].iter().cloned().map(|input| turn.on(input)).last();
        let last = last.expect("inputs");
        assert!(matches!(last.last(), Some(Effect::CallModel { .. })), "{last:?}");
        assert!(!last.iter().any(|e| matches!(e, Effect::CheckPolicy(_) | Effect::RunTool(_))));
    }
    let mut turn = turn_with(Limits::default());
    let last = inputs.into_iter().map(|input| turn.on(input)).last().expect("inputs");
    let lines: Vec<_> = last.iter().map(brief).collect();
    assert_eq!(
        lines[lines.len() - 3..],
        ["error ProviderRejected", r#"done Failed 3 """#, r#"finish Failed """#]
    );
}

#[test]
fn a_call_that_is_only_written_about_goes_back_and_never_runs() {
    let small = || Limits { written: 1, ..Limits::default() };
    let explains =
        || says("I would do {\"name\": \"read\", \"arguments\": {\"path\": \"a\"}} then.");
    let unknown = says("{\"name\": \"set\", \"arguments\": {}}");
    let brought = |limits, replies: Vec<ModelReply>| {
        let mut turn = turn_with(limits);
        let inputs = std::iter::once(begin("hi")).chain(replies.into_iter().map(Input::Reply));
        inputs.flat_map(|input| turn.on(input)).collect::<Vec<_>>()
    };
    for (reply, why) in [(explains(), "[not run: the call stood among"), (unknown, "\"set\"")] {
        let effects = brought(small(), vec![reply]);
        let results: Vec<_> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Emit(EventBody::ToolEnd { ok, result, .. }) => Some((*ok, result.as_str())),
                _ => None,
            })
            .collect();
        assert!(matches!(results[..], [(false, text)] if text.contains(why)), "{results:?}");
        assert!(matches!(effects.last(), Some(Effect::CallModel { step: 2 })), "{effects:?}");
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::CheckPolicy(_))));
        let drafts = effects.into_iter().filter_map(|effect| match effect {
            Effect::Persist(draft) => Some(draft),
            _ => None,
        });
        let history = stored(&drafts.collect::<Vec<Draft>>(), "t");
        assert_eq!(history::sendable(&history), Ok(()));
    }
    // The second time it is the reply, and for other models the first is.
    for (limits, replies) in
        [(small(), vec![explains(), explains()]), (Limits::default(), vec![explains()])]
    {
        let effects = brought(limits, replies);
        assert!(matches!(effects.last(), Some(Effect::Finish { .. })), "{effects:?}");
    }
}

#[test]
fn a_reply_that_only_names_a_tool_goes_back_before_the_first_call() {
    let path = serde_json::json!({"properties": {"path": {"type": "string"}}});
    let limits = Limits { written: 2, ..Limits::default() };
    let tools = Arc::new([tool("read_file", path)]);
    let mut turn =
        Turn::new(TurnConfig { limits, tools, window: 8_000, counter: Arc::new(Quarter) });
    let _ = turn.on(begin("What does a.md say?"));
    let effects = turn.on(Input::Reply(says("Use the `read_file` function with its path.")));
    assert!(matches!(effects.last(), Some(Effect::CallModel { step: 2 })), "{effects:?}");
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::CheckPolicy(_))));
    let effects = turn.on(Input::Reply(says("I have read it with read_file.")));
    assert!(matches!(effects.last(), Some(Effect::Finish { .. })), "{effects:?}");
}

#[test]
fn a_right_call_clears_the_count_of_wrong_ones() {
    let wrong = |id: &str| Input::Reply(wants("", vec![call(id, "read", "{}")]));
    let right = || {
        let reply = Input::Reply(wants("", vec![call("R", "read", READ)]));
        vec![reply, verdict("R", Verdict::Allow), done("R", "x")]
    };
    let mut inputs = vec![begin("hi"), wrong("A"), wrong("B")];
    inputs.extend(right());
    inputs.push(wrong("C"));
    let mut turn = turn_with(Limits { repeats: 9, ..Limits::default() });
    let last = inputs.into_iter().map(|input| turn.on(input)).last().expect("inputs");
    assert!(matches!(last.last(), Some(Effect::CallModel { step: 5 })), "{last:?}");
}

#[test]
fn the_same_call_with_the_same_result_ends_the_turn_at_the_third_time() {
    let round = |n: u32, result: &str| {
        let id = format!("c{n}");
        let reply = Input::Reply(wants("", vec![call(&id, "read", READ)]));
        vec![reply, verdict(&id, Verdict::Allow), done(&id, result)]
    };
    let mut inputs = vec![begin("hi")];
    inputs.extend(round(1, "same"));
    inputs.extend(round(2, "same"));
    inputs.extend(round(3, "other"));
    check(inputs.clone(), &["end c3 true 7", r#"store Tool c3=true "other""#, "call model 4"]);
    inputs.extend(round(4, "same"));
    check(
        inputs,
        &[
            "end c4 true 7",
            r#"store Tool c4=true "same""#,
            "notice Stopped: the same tool call gave the same result 3 times",
            r#"done Repeat 4 """#,
            r#"finish Repeat """#,
        ],
    );
}

#[test]
fn ids_that_repeat_or_are_empty_are_made_unique() {
    let calls = vec![call("", "read", READ), call("", "read", READ), call("call", "read", READ)];
    check(
        vec![begin("hi"), Input::Reply(wants("", calls))],
        &[
            r#"store Assistant call:read{"path":"a"} + call_2:read{"path":"a"} + call_3:read{"path":"a"}"#,
            r#"check call:read{"path":"a"}"#,
        ],
    );
}

#[test]
fn forty_steps_are_the_end() {
    let limits = Limits { steps: 1, ..Limits::default() };
    let more = vec![verdict("A", Verdict::Allow), done("A", "one"), verdict("B", Verdict::Deny)];
    check_in(
        limits,
        after(two_reads(), more),
        &[
            "start B",
            "end B false 0",
            r#"store Tool B=false "denied: rule""#,
            "notice Stopped after 1 steps",
            r#"done Steps 1 "Let me look.""#,
            r#"finish Steps "Let me look.""#,
        ],
    );
}

#[test]
fn what_the_person_says_meanwhile_is_heard_at_the_next_boundary() {
    let running = after(two_reads(), vec![verdict("A", Verdict::Allow), steer("not b!")]);
    check(running.clone(), &[]);
    let skipped = "[not run: the person sent a message first; read it, then decide anew]";
    check(
        after(running, vec![done("A", "one")]),
        &[
            "end A true 7",
            r#"store Tool A=true "one""#,
            "start B",
            "end B false 0",
            &format!("store Tool B=false {skipped:?}"),
            r#"store User "not b!""#,
            r#"steered "not b!""#,
            "call model 2",
        ],
    );
    // Without tools the boundary is the end of the reply: the turn goes on and answers.
    check(
        vec![begin("hi"), steer("and you?"), Input::Reply(says("Hello"))],
        &[
            r#"text "Hello""#,
            r#"store Assistant "Hello""#,
            r#"store User "and you?""#,
            r#"steered "and you?""#,
            "call model 2",
        ],
    );
}

#[test]
fn cancel_keeps_what_came_and_closes_every_call() {
    check(
        vec![begin("hi"), text("Hel"), steer("never mind"), Input::Cancel],
        &[
            "cancel model",
            r#"store Assistant "Hel""#,
            r#"store User "never mind""#,
            r#"steered "never mind""#,
            r#"done Cancelled 1 "Hel""#,
            r#"finish Cancelled "Hel""#,
        ],
    );
    let interrupted =
        "[interrupted: this call was stopped before its result; it may have run in part]";
    check(
        after(two_reads(), vec![verdict("A", Verdict::Allow), Input::Cancel]),
        &[
            "kill A",
            "end A false 0",
            &format!("store Tool A=false {interrupted:?}"),
            "start B",
            "end B false 0",
            r#"store Tool B=false "[not run: the turn ended first]""#,
            r#"done Cancelled 1 "Let me look.""#,
            r#"finish Cancelled "Let me look.""#,
        ],
    );
    check(after(two_reads(), vec![Input::Cancel, done("A", "late"), Input::Cancel]), &[]);
}

#[test]
fn a_failed_call_keeps_its_text_and_never_runs_its_calls() {
    let partial = ModelReply { complete: false, ..wants("Half a", vec![call("A", "read", READ)]) };
    let expected = [
        r#"text "lf a""#,
        r#"store Assistant "Half a""#,
        "error ProviderUnavailable",
        r#"done Failed 1 "Half a""#,
        r#"finish Failed "Half a""#,
    ];
    let start = vec![begin("hi"), text("Ha")];
    let cut = failed(FaultKind::Cut, Some(partial.clone()));
    check(after(start.clone(), vec![cut]), &expected);
    check(after(start, vec![Input::Reply(partial)]), &expected);
    check(
        vec![begin("hi"), failed(FaultKind::BadKey, None)],
        &["error BadKey", r#"done Failed 1 """#, r#"finish Failed """#],
    );
}

#[test]
fn budget_and_broken_parts_end_the_turn() {
    check(
        vec![begin("hi"), Input::BudgetRefused { why: "2.00 USD a day".into() }],
        &["notice The budget is used up", r#"done Budget 0 """#, r#"finish Budget """#],
    );
    let full = WireError::new(ErrorCode::Storage, "The disk is full.", "Make room.");
    check(
        vec![begin("hi"), text("Hi"), Input::Broken(full)],
        &[
            "cancel model",
            r#"store Assistant "Hi""#,
            "error Storage",
            r#"done Failed 1 "Hi""#,
            r#"finish Failed "Hi""#,
        ],
    );
}

#[test]
fn odd_endings_are_told() {
    let with = |finish, text: &str| {
        vec![begin("hi"), Input::Reply(ModelReply { finish: Some(finish), ..says(text) })]
    };
    check(
        with(Finish::Length, "Long"),
        &[
            r#"text "Long""#,
            r#"store Assistant "Long""#,
            "notice The reply reached the model's length limit",
            r#"done Finished 1 "Long""#,
            r#"finish Finished "Long""#,
        ],
    );
    check(
        with(Finish::Stop, "  "),
        &[
            r#"text "  ""#,
            "notice The model gave an empty reply",
            r#"done Finished 1 "  ""#,
            r#"finish Finished "  ""#,
        ],
    );
    let calls = vec![call("A", "read", READ)];
    let acted = vec![
        begin("hi"),
        Input::Reply(wants("", calls)),
        verdict("A", Verdict::Allow),
        done("A", "x"),
        Input::Reply(says("")),
    ];
    check(
        acted,
        &[
            "notice The model ended without a word",
            r#"done Finished 2 """#,
            r#"finish Finished """#,
        ],
    );
    check(
        with(Finish::Pause, "So far"),
        &[r#"text "So far""#, r#"store Assistant "So far""#, "call model 2"],
    );
    let refused = ModelReply { refusal: Some("I will not.".into()), ..says("") };
    check(
        vec![begin("hi"), Input::Reply(refused)],
        &[
            r#"text "I will not.""#,
            r#"store Assistant "I will not.""#,
            r#"done Finished 1 "I will not.""#,
            r#"finish Finished "I will not.""#,
        ],
    );
}

#[test]
fn a_large_result_is_cut_to_its_share_of_the_window() {
    // 30 % of 8,000 tokens at four characters a token.
    let inputs =
        after(two_reads(), vec![verdict("A", Verdict::Allow), done("A", &"x".repeat(30_000))]);
    let mut turn = turn_with(Limits::default());
    let last = inputs.into_iter().map(|input| turn.on(input)).last().expect("inputs");
    let Some(Effect::Emit(EventBody::ToolEnd { result, .. })) = last.first() else {
        panic!("{last:?}");
    };
    assert!(result.len() <= 9_600 && result.contains("of 30000 characters shown"), "{result}");
}

// --- any sequence of inputs ---------------------------------------------------------------------

#[allow(clippy::large_enum_variant, reason = "a test holds few of them")]
/// Inputs as a careless driver might give them: right ones for the call at hand, and strays.
#[derive(Debug, Clone)]
enum Move {
    Any(Input),
    Answer(Verdict),
    Approve(bool),
    Done(String),
}

fn moves() -> impl Strategy<Value = Move> {
    let words = prop::sample::select(vec!["a", "<think>", "</think>", "你好", "\n", "", "long"]);
    let a_call = (
        prop::sample::select(vec!["", "A", "B"]),
        prop::sample::select(vec!["read", "gone"]),
        prop::sample::select(vec![READ, "{}", "{oops", ""]),
    )
        .prop_map(|(id, name, args)| call(id, name, args));
    let finish = prop::sample::select(vec![
        Finish::Stop,
        Finish::ToolCalls,
        Finish::Length,
        Finish::Pause,
        Finish::Error,
        Finish::Refusal,
        Finish::ContentFilter,
    ]);
    let reply =
        (words.clone(), prop::collection::vec(a_call, 0..3), finish, prop::bool::weighted(0.9))
            .prop_map(|(text, calls, finish, complete)| ModelReply {
                complete,
                finish: Some(finish),
                ..wants(text, calls)
            });
    let reply = reply.boxed();
    prop_oneof![
        6 => words.clone().prop_map(|word| Move::Any(text(word))),
        1 => words.clone().prop_map(|word| Move::Any(Input::Delta(ModelDelta::Reasoning(word.into())))),
        8 => reply.clone().prop_map(|reply| Move::Any(Input::Reply(reply))),
        1 => prop::option::of(reply).prop_map(|partial| Move::Any(failed(FaultKind::Cut, partial))),
        6 => prop::sample::select(vec![Verdict::Allow, Verdict::Ask, Verdict::Deny]).prop_map(Move::Answer),
        4 => any::<bool>().prop_map(Move::Approve),
        6 => words.clone().prop_map(|word| Move::Done(word.into())),
        2 => words.prop_map(|word| Move::Any(steer(word))),
        1 => (0.0..400.0).prop_map(|seconds| Move::Any(Input::Elapsed { seconds })),
        1 => Just(Move::Any(Input::Cancel)),
        1 => Just(Move::Any(Input::BudgetRefused { why: "day".into() })),
        1 => Just(Move::Any(begin("again"))),
    ]
}

/// A driver that keeps what it was told and checks the invariants as it goes.
struct Driver {
    turn: Turn,
    drafts: Vec<Draft>,
    at_hand: Option<CallId>,
    texts: String,
    started: HashMap<CallId, u32>,
    ended: HashMap<CallId, u32>,
    dones: u32,
    finished: bool,
}

impl Driver {
    fn give(&mut self, input: Input) {
        for effect in self.turn.on(input) {
            assert!(!self.finished, "nothing follows the end: {effect:?}");
            match effect {
                Effect::Emit(event) => self.heard(event),
                Effect::Persist(draft) => self.drafts.push(draft),
                Effect::CallModel { .. } => self.check_well_formed(),
                Effect::CheckPolicy(call) => self.at_hand = Some(call.id),
                Effect::Finish { reply, .. } => {
                    assert_eq!(reply, self.texts);
                    self.finished = true;
                }
                _ => {}
            }
        }
    }

    fn heard(&mut self, event: EventBody) {
        assert_eq!(self.dones, 0, "an event follows done: {event:?}");
        match event {
            EventBody::Text { text } => self.texts.push_str(&text),
            EventBody::ToolStart { call, .. } => *self.started.entry(call).or_default() += 1,
            EventBody::ToolEnd { call, .. } => *self.ended.entry(call).or_default() += 1,
            EventBody::Done { .. } => self.dones += 1,
            _ => {}
        }
    }

    /// What is stored needs no repair of its calls, and is sendable after joining.
    fn check_well_formed(&self) {
        let (sent, repairs) = history::repair(&stored(&self.drafts, "t"));
        assert_eq!(
            (repairs.interrupted, repairs.results_dropped, repairs.ids_changed),
            (vec![], 0, 0)
        );
        history::sendable(&sent).expect("sendable");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn any_turn_ends_once_and_leaves_a_sendable_history(
        moves in prop::collection::vec(moves(), 0..60),
        steps in 1u32..6,
    ) {
        let limits = Limits { steps, ..Limits::default() };
        let mut driver = Driver {
            turn: turn_with(limits), drafts: Vec::new(), at_hand: None, texts: String::new(),
            started: HashMap::new(), ended: HashMap::new(), dones: 0, finished: false,
        };
        let mut seconds = 0.0;
        driver.give(begin("go"));
        for step in moves {
            let call = driver.at_hand.clone().unwrap_or_else(|| "none".into());
            driver.give(match step {
                Move::Any(Input::Elapsed { seconds: more }) => {
                    seconds += more;
                    Input::Elapsed { seconds }
                }
                Move::Any(input) => input,
                Move::Answer(verdict) => Input::Verdict { call, verdict, why: "rule".into() },
                Move::Approve(true) => Input::Approved { call },
                Move::Approve(false) => Input::Denied { call, why: "no".into() },
                Move::Done(text) => Input::ToolDone { call, ok: true, text, kept: None, ms: 1 },
            });
        }
        driver.give(Input::Cancel);
        prop_assert!(driver.turn.is_over() && driver.finished);
        prop_assert_eq!(driver.dones, 1);
        prop_assert_eq!(&driver.started, &driver.ended);
        prop_assert!(driver.started.values().all(|count| *count == 1));
        let calls = driver.drafts.iter().flat_map(|draft| &draft.parts)
            .filter(|part| matches!(part, Part::ToolCall(_))).count();
        prop_assert_eq!(calls, driver.ended.len());
        driver.check_well_formed();
    }
}

#[test]
fn results_of_any_size_stay_within_their_limits() {
    let run = |text: String| {
        let mut turn = turn_with(Limits::default());
        let mut effects = Vec::new();
        let mut inputs = two_reads();
        inputs.push(verdict("A", Verdict::Allow));
        inputs.push(Input::ToolDone {
            call: "A".into(),
            ok: true,
            text,
            kept: Some("output:ab12".into()),
            ms: 1,
        });
        inputs.into_iter().for_each(|input| effects = turn.on(input));
        effects.into_iter().find_map(|effect| match effect {
            Effect::Emit(EventBody::ToolEnd { result, .. }) => Some(result),
            _ => None,
        })
    };
    let shown = |text: String| run(text).expect("it ended");
    for huge in
        ["line\n".repeat(10_000_000), "x".repeat(5_000_000), "\u{fffd}\u{1}".repeat(2_000_000)]
    {
        let result = shown(huge);
        assert!(result.chars().count() <= 40_000, "{}", result.chars().count());
        assert!(result.contains("read_file output:ab12"));
    }
    assert_eq!(shown(String::new()), "[the tool returned nothing]");
    assert_eq!(shown(" \n".into()), "[the tool returned nothing]");
}

#[test]
fn time_with_the_person_is_not_the_turns() {
    let limits = Limits { seconds: 10.0, ..Limits::default() };
    let elapsed = |seconds| Input::Elapsed { seconds };
    let waits = |waits| Input::Waits { call: "A".into(), waits };
    let running = after(two_reads(), vec![verdict("A", Verdict::Allow), elapsed(9.0)]);
    let waited = after(running, vec![waits(true), elapsed(900.0), waits(false), elapsed(900.5)]);
    check_in(limits.clone(), waited.clone(), &[]);
    // A clock that goes back adds nothing.
    let back = after(waited.clone(), vec![elapsed(0.0), elapsed(900.5)]);
    check_in(limits.clone(), back, &[]);
    let mut turn = turn_with(limits);
    waited.into_iter().for_each(|input| drop(turn.on(input)));
    let last = turn.on(elapsed(902.0));
    assert!(last.iter().any(|effect| brief(effect).starts_with("done Time")), "{last:?}");
}
