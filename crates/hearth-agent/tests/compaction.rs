//! Keeping a conversation in the window: strategies, the order of defence, summaries and what they must keep.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture that cannot be read fails its test"
)]

mod support;

use hearth_agent::TokenCounter;
use hearth_agent::compaction::*;
use hearth_agent::history::{repair, sendable};
use hearth_protocol::{Arguments, Message, Part, Role, ToolCall, ToolResult};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use support::{Quarter, message};

const STRATEGIES: [&str; 4] = ["truncate", "summarize", "sliding_window", "hybrid"];

/// A turn of the person, `steps` calls with results of so many characters, and a reply.
fn turn(number: usize, said: &str, steps: usize, result: usize) -> Vec<Message> {
    let name = format!("t{number}");
    let mut messages = vec![message(Role::User, said, &name)];
    for step in 0..steps {
        let id = format!("c{number}_{step}");
        let call = Part::ToolCall(ToolCall {
            id: id.as_str().into(),
            name: "read".into(),
            arguments: Arguments::parse("{}"),
        });
        let text = format!("row {step} ").repeat(result / 6 + 1);
        let outcome = Part::ToolResult(ToolResult { call: id.as_str().into(), ok: true, text });
        let with =
            |role, part, id: String| Message { parts: vec![part], ..message(role, &id, &name) };
        messages.push(with(Role::Assistant, call, format!("{id}-call")));
        messages.push(with(Role::Tool, outcome, format!("{id}-result")));
    }
    messages.push(message(Role::Assistant, &format!("Done with {number}."), &name));
    messages
}

fn view<'a>(messages: &'a [Message], limits: Limits, summary: u64) -> View<'a> {
    View::new(messages, summary, limits, &Quarter)
}

/// Whether a cut parts no call from its result: nothing is missing that was not missing before.
fn parts_nothing(messages: &[Message], from: usize) -> bool {
    let (whole, kept) = (repair(messages).1, repair(&messages[from..]).1);
    kept.results_dropped <= whole.results_dropped
        && kept.interrupted.len() <= whole.interrupted.len()
}

/// What an engine does, with a summary of the largest allowed size: acts until the defence is content.
/// Returns the measures taken and the messages that are sent.
fn defend(
    mut messages: Vec<Message>,
    limits: Limits,
    name: &str,
    forced: bool,
) -> (Vec<Measure>, Vec<Message>) {
    let mut defence =
        if forced { Defence::forced(strategy(name)) } else { Defence::new(strategy(name)) };
    let (mut taken, mut summary) = (Vec::new(), 0);
    loop {
        let sent = prune(messages.clone(), defence.pruned(), limits.window, &Quarter);
        let measure = defence.next(&view(&sent, limits, summary));
        taken.push(measure);
        assert!(taken.len() < 200, "{name} does not end: {:?}", &taken[..20]);
        match measure {
            Measure::Send | Measure::StartAnew => return (taken, sent),
            Measure::Compact(plan) => {
                assert!(plan.from > 0 && plan.from < messages.len());
                assert!(parts_nothing(&messages, plan.from), "{name} {plan:?}");
                messages.drain(..plan.from);
                summary = limits.summary();
            }
            Measure::Prune(_) | Measure::LargerWindow | Measure::LessThinking => {}
        }
    }
}

fn total(messages: &[Message], limits: Limits) -> u64 {
    view(messages, limits, 0).total()
}

#[test]
fn nothing_is_done_where_there_is_room() {
    let messages = turn(1, "hello", 2, 100);
    for name in STRATEGIES {
        let limits = Limits::new(8_000, 2_000, 1_500);
        assert_eq!(defend(messages.clone(), limits, name, false).0, [Measure::Send], "{name}");
    }
}

#[test]
fn results_are_cut_before_anything_is_summarised() {
    let messages: Vec<_> = (0..6).flat_map(|n| turn(n, "look", 1, 4_000)).collect();
    let limits = Limits::new(8_000, 2_000, 1_500);
    let (taken, sent) = defend(messages.clone(), limits, "hybrid", false);
    assert_eq!(taken, [Measure::Prune(Prune::Earlier), Measure::Send]);
    assert_eq!(sent.len(), messages.len());
    assert_eq!(sent.last(), messages.last());
    let again = prune(sent.clone(), Prune::Earlier, limits.window, &Quarter);
    assert_eq!(again, sent, "what is cut is not cut again");
}

#[test]
fn the_early_history_goes_and_the_latest_stays() {
    let said = "I would like to talk about something rather long. ".repeat(12);
    let messages: Vec<_> = (0..60).flat_map(|n| turn(n, &said, 0, 0)).collect();
    for (window, reserve) in [(4_096, 1_024), (8_000, 2_000), (128_000, 4_096)] {
        let limits = Limits::new(window, reserve, window / 6);
        let copies = std::iter::repeat_n(messages.clone(), (window / 4_000) as usize);
        let many: Vec<Message> = copies.flatten().collect();
        for name in STRATEGIES {
            let (taken, sent) = defend(many.clone(), limits, name, false);
            let compactions = taken.iter().filter(|m| matches!(m, Measure::Compact(_))).count();
            assert_eq!(compactions, 1, "{name} {window}: {taken:?}");
            assert_eq!(taken.last(), Some(&Measure::Send), "{name} {window}");
            assert_eq!(sent.last(), many.last(), "{name} {window}");
            assert!(total(&sent, limits) + limits.summary() <= limits.soft(), "{name} {window}");
        }
        let kept = defend(many.clone(), limits, "hybrid", false).1;
        let tokens = total(&kept, limits) - limits.fixed;
        assert!(tokens <= limits.tail() && tokens * 3 > limits.tail(), "{tokens} of {window}");
        let one = defend(many, limits, "summarize", false).1;
        assert_eq!(one.len(), 2, "only the turn being answered");
    }
}

#[test]
fn at_most_twenty_thousand_tokens_and_thirty_percent_are_kept() {
    assert_eq!(Limits::new(200_000, 4_096, 5_000).tail(), 20_000);
    assert_eq!(Limits::new(20_000, 4_096, 800).tail(), 6_000);
    assert_eq!(Limits::new(200_000, 4_096, 5_000).soft(), 170_000);
    assert_eq!(Limits::new(8_000, 2_000, 5_500).tail(), 200, "two fifths of what is left");
}

#[test]
fn a_long_turn_is_cut_between_its_steps_and_keeps_its_pairs() {
    // One turn whose calls alone are more than the window.
    let mut messages = turn(0, "earlier", 0, 0);
    let mut long = turn(1, "do it all", 60, 1_200);
    long.pop();
    messages.extend(long);
    let limits = Limits::new(8_000, 2_000, 1_500);
    for name in STRATEGIES {
        let (taken, sent) = defend(messages.clone(), limits, name, false);
        assert_eq!(taken.last(), Some(&Measure::Send), "{name} {taken:?}");
        assert!(total(&sent, limits) <= limits.hard(), "{name}");
        let (repaired, repairs) = repair(&sent);
        assert_eq!(sendable(&repaired), Ok(()), "{name}");
        assert_eq!((repairs.interrupted.len(), repairs.results_dropped), (0, 0), "{name}");
    }
}

#[test]
fn what_cannot_fit_escalates_in_order_and_ends() {
    let messages = turn(1, &"word ".repeat(40_000), 0, 0);
    let limits = Limits::new(8_000, 2_000, 1_500);
    for name in STRATEGIES {
        let taken = defend(messages[..1].to_vec(), limits, name, false).0;
        use Measure::{LargerWindow, LessThinking, StartAnew};
        let end: Vec<_> = taken.iter().filter(|m| !matches!(m, Measure::Prune(_))).collect();
        assert_eq!(end, [&LargerWindow, &LessThinking, &StartAnew], "{name}");
    }
}

#[test]
fn a_person_who_asks_gets_a_compaction_however_much_room_there_is() {
    let messages: Vec<_> = (0..5).flat_map(|n| turn(n, "hello there", 0, 0)).collect();
    let limits = Limits::new(128_000, 4_096, 2_000);
    for name in STRATEGIES {
        let (taken, sent) = defend(messages.clone(), limits, name, true);
        assert!(matches!(taken[..], [Measure::Compact(_), Measure::Send]), "{name} {taken:?}");
        assert_eq!(sent.len(), 2);
        let (taken, _) = defend(turn(1, "alone", 0, 0), limits, name, true);
        assert_eq!(taken, [Measure::Send], "{name}: there is nothing before it");
    }
}

#[test]
fn too_many_turns_are_limited() {
    let messages: Vec<_> = (0..900).flat_map(|n| turn(n, "x", 0, 0)).collect();
    let limits = Limits { turns: 400, ..Limits::new(1_000_000, 4_096, 2_000) };
    let (taken, sent) = defend(messages, limits, "hybrid", false);
    assert!(matches!(taken[..], [Measure::Compact(_), Measure::Send]), "{taken:?}");
    assert!(view(&sent, limits, 0).turns() <= 400);
}

fn fixture(case: &Value) -> Vec<Message> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let raw = match case.get("build") {
        Some(build) => {
            let count = |key: &str| build[key].as_u64().expect("a count") as usize;
            let all = std::iter::repeat_n(list(&build["messages"]), count("repeat"));
            all.flatten().skip(count("drop_first")).collect()
        }
        None => list(&case["messages"]),
    };
    let convert = |(at, value): (usize, &Value)| {
        let role = match value["role"].as_str().expect("role") {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::Tool,
        };
        let mut parts = Vec::new();
        if role == Role::Tool {
            let call = text(&value["tool_call_id"]).as_str().into();
            let text = text(&value["content"]).repeat(40);
            parts.push(Part::ToolResult(ToolResult { call, ok: true, text }));
        } else if let Some(said) = value["content"].as_str() {
            parts.push(Part::Text { text: said.repeat(40) });
        }
        for call in list(&value["tool_calls"]) {
            parts.push(Part::ToolCall(ToolCall {
                id: text(&call["id"]).as_str().into(),
                name: text(&call["function"]["name"]),
                arguments: Arguments::parse(&text(&call["function"]["arguments"])),
            }));
        }
        Message { parts, ..message(role, &format!("m{at}"), &format!("t{}", at / 5)) }
    };
    raw.iter().enumerate().map(convert).collect()
}

#[test]
fn every_bad_history_stays_sendable_after_a_compaction() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/orphan_histories.json")).expect("cases");
    assert!(cases.len() >= 24);
    for case in cases {
        let messages = fixture(&case);
        let (sent_whole, before) = repair(&messages);
        for name in STRATEGIES {
            let limits = Limits::new(2_000, 500, 1_400);
            let (_, sent) = defend(messages.clone(), limits, name, true);
            let (repaired, after) = repair(&sent);
            if sent_whole.is_empty() || repaired.is_empty() {
                continue;
            }
            assert_eq!(sendable(&repaired), Ok(()), "{} {name}", case["name"]);
            assert!(after.interrupted.len() <= before.interrupted.len(), "{} {name}", case["name"]);
        }
    }
}

// Summaries.

fn said(messages: &[(Role, &str)]) -> Vec<Message> {
    messages.iter().map(|(role, text)| message(*role, text, text)).collect()
}

fn order_talk() -> Vec<Message> {
    said(&[
        (Role::User, "Please track order A-7731 for Zhang Wei, tel. 0571-88234567."),
        (Role::Assistant, "It ships on 2027-03-17."),
        (Role::User, "Good. We take the train because flying is too loud. 预算是 12,800 元。"),
        (Role::Assistant, "Noted."),
    ])
}

fn summarising(messages: Vec<Message>, earlier: Option<&str>, limits: Limits) -> Summarising {
    let brief = Brief { messages, earlier: earlier.map(str::to_owned), focus: None };
    Summarising::new(brief, &limits, Arc::new(Quarter))
}

fn ask(work: &Summarising) -> Ask {
    match work.next() {
        Next::Ask(ask) => ask,
        Next::Done(summary) => panic!("done: {summary:?}"),
    }
}

fn done(work: &Summarising) -> Summary {
    match work.next() {
        Next::Done(summary) => summary,
        Next::Ask(ask) => panic!("asks: {ask:?}"),
    }
}

const GOOD: &str = "## Tasks\nTrack order A-7731 for Zhang Wei (0571-88234567), it ships on 2027-03-17.\n\
    ## Decisions\nThe train, because flying is too loud. Budget 12,800 元.";

#[test]
fn a_good_summary_is_taken_as_it_is() {
    let mut work = summarising(order_talk(), None, Limits::new(8_000, 2_000, 1_000));
    let asked = ask(&work);
    for id in ["A-7731", "0571-88234567", "2027-03-17", "12,800"] {
        assert!(asked.system.contains(id) && asked.user.contains(id), "{id}");
    }
    work.answered(&format!("<think>hm, well</think>{GOOD}"));
    let summary = done(&work);
    assert_eq!((summary.writer, summary.added), (Writer::Model, 0));
    assert!(summary.text.starts_with(GOOD), "{}", summary.text);
    assert!(summary.text.contains("We take the train because flying is too loud."), "the request");
}

#[test]
fn missing_identifiers_are_asked_for_once_and_then_added() {
    let mut work = summarising(order_talk(), None, Limits::new(8_000, 2_000, 1_000));
    let bad = "## Tasks\nTrack the order that was placed by Zhang Wei; it ships in March.";
    work.answered(bad);
    let again = ask(&work);
    assert!(again.system.contains("misses these") && again.system.contains("A-7731"));
    work.answered(bad);
    let summary = done(&work);
    assert_eq!(summary.writer, Writer::Model);
    for id in ["A-7731", "0571-88234567", "2027-03-17", "12,800"] {
        assert!(summary.text.contains(id), "{id} in {}", summary.text);
    }
    assert!(summary.added > 0);
}

#[test]
fn no_summary_at_all_is_replaced_by_the_hosts_own() {
    for replies in [["OK.", "OK."], ["", ""], ["I cannot help with that.", "## Sorry"]] {
        let mut work = summarising(order_talk(), None, Limits::new(8_000, 2_000, 1_000));
        for reply in replies {
            let _ = ask(&work);
            work.answered(reply);
        }
        let summary = done(&work);
        assert_eq!(summary.writer, Writer::Host);
        for kept in ["A-7731", "0571-88234567", "2027-03-17", "12,800", "too loud"] {
            assert!(summary.text.contains(kept), "{kept} in {}", summary.text);
        }
    }
}

#[test]
fn a_model_that_fails_leaves_the_rest_to_the_host() {
    let many: Vec<_> = (0..40)
        .flat_map(|n| turn(n, &format!("note {n}: {}", "words and more ".repeat(40)), 0, 0))
        .collect();
    let limits = Limits::new(4_096, 1_024, 1_000);
    let mut work = summarising(many, None, limits);
    let asked = ask(&work);
    assert!(Quarter.count(&asked.user) + Quarter.count(&asked.system) < limits.hard());
    work.answered("## Tasks\nTaking notes, the first ones are about words and more words.");
    let second = ask(&work);
    assert!(second.user.contains("Taking notes"), "a pass goes on from the last one");
    work.gave_up();
    let summary = done(&work);
    assert_eq!(summary.writer, Writer::Host);
    assert!(summary.text.contains("note 39"), "{}", summary.text);
    assert!(Quarter.count(&summary.text) <= limits.summary() + 40);
}

#[test]
fn the_last_request_and_old_identifiers_survive_many_compactions() {
    let limits = Limits::new(8_000, 2_000, 1_000);
    let first = {
        let mut work = summarising(order_talk(), None, limits);
        work.gave_up();
        done(&work).text
    };
    let mut earlier = first;
    for round in 0..10 {
        let steps = turn(round, "", 3, 200).split_off(1);
        let mut work = summarising(steps, Some(&earlier), limits);
        work.answered("## Tasks\nStill at work on the rows, nothing new was found so far.");
        if matches!(work.next(), Next::Ask(_)) {
            work.answered("## Tasks\nStill at work on the rows, nothing new was found so far.");
        }
        earlier = done(&work).text;
        assert!(earlier.contains("flying is too loud. 预算是 12,800 元。"), "{round}: {earlier}");
        assert!(earlier.contains("A-7731"), "{round}: {earlier}");
        assert_eq!(earlier.matches("verbatim").count(), 2, "{round}: {earlier}");
    }
}

fn any_part() -> impl Strategy_<Value = Part> {
    let id = prop::sample::select(vec!["", "A", "B", "C", "A_1"]);
    let sizes = prop::sample::select(vec![0_usize, 3, 40, 400, 4_000]);
    prop_oneof![
        sizes.clone().prop_map(|n| Part::Text { text: "字w ".repeat(n) }),
        id.clone().prop_map(|id| Part::ToolCall(ToolCall {
            id: id.into(),
            name: "read".into(),
            arguments: Arguments::parse("{}"),
        })),
        (id, sizes).prop_map(|(id, n)| Part::ToolResult(ToolResult {
            call: id.into(),
            ok: true,
            text: "r ".repeat(n)
        })),
    ]
}

use proptest::strategy::Strategy as Strategy_;

fn any_message() -> impl Strategy_<Value = Message> {
    let roles = vec![Role::User, Role::Assistant, Role::Tool];
    (prop::sample::select(roles), prop::collection::vec(any_part(), 0..4), 0..6_u8).prop_map(
        |(role, parts, turn)| Message { parts, ..message(role, "m", &format!("t{turn}")) },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn any_history_ends_sendable_with_its_pairs(
        messages in prop::collection::vec(any_message(), 1..30),
        window in prop::sample::select(vec![600_u64, 2_000, 8_000, 32_000]),
        fixed in 0_u64..9_000,
        name in prop::sample::select(STRATEGIES.to_vec()),
        forced in any::<bool>(),
    ) {
        let limits = Limits::new(window, window / 4, fixed);
        let (taken, sent) = defend(messages.clone(), limits, name, forced);
        let whole = repair(&messages).1;
        let (repaired, repairs) = repair(&sent);
        if !repaired.is_empty() {
            prop_assert_eq!(sendable(&repaired), Ok(()));
        }
        prop_assert!(repairs.interrupted.len() <= whole.interrupted.len());
        if taken.last() == Some(&Measure::Send) && taken.len() > 1 && !forced {
            prop_assert!(total(&sent, limits) <= limits.hard().max(total(&messages, limits)));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn any_reply_becomes_a_summary_within_its_limit_with_its_identifiers(
        texts in prop::collection::vec("[a-z字 0-9-]{0,80}", 1..12),
        replies in prop::collection::vec("(## Tasks\n)?[a-z字\n ]{0,200}", 40),
        window in prop::sample::select(vec![2_000_u64, 8_000, 32_000]),
    ) {
        let limits = Limits::new(window, window / 4, window / 8);
        let messages: Vec<_> = texts.iter().map(|text| message(Role::User, text, "t")).collect();
        let ids = identifiers(&messages, None);
        let mut work = summarising(messages, None, limits);
        let mut asked = 0;
        for reply in &replies {
            if let Next::Ask(_) = work.next() {
                asked += 1;
                work.answered(reply);
            }
        }
        let summary = done(&work);
        prop_assert!(asked <= 24);
        for id in ids {
            prop_assert!(summary.text.contains(&id), "{} in {:?}", id, summary.text);
        }
        // The body keeps its part even where many identifiers have to be added.
        prop_assert!(Quarter.count(&summary.text) <= limits.summary() * 3 / 2 + 600);
    }
}
