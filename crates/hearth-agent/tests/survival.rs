//! The write-ahead state and the working buffer: what they hold, how they stay small, what a prompt is given.

mod support;

use hearth_agent::TokenCounter;
use hearth_agent::survival::{buffer, state};
use hearth_protocol::Role;
use proptest::prelude::*;
use support::{Quarter, message};

fn fact(signals: &str, text: &str) -> state::Fact {
    let signals = signals.split(' ').map(str::to_owned).collect();
    state::Fact::new("2026-11-30 14:05", signals, text)
}

fn check(facts: &[(&str, &str)], expected: &[&str]) {
    let mut section = String::new();
    for (signals, text) in facts {
        section = state::noted(&section, &[fact(signals, text)]);
    }
    let texts: Vec<_> = state::facts(&section).into_iter().map(|fact| fact.text).collect();
    assert_eq!(texts, expected);
}

#[test]
fn a_fact_is_a_line_that_reads_back() {
    let noted = state::noted("", &[fact("correction exact_value", "The launch is\non 17 March.")]);
    assert_eq!(noted, "- 2026-11-30 14:05 [correction, exact_value] The launch is on 17 March.");
    assert_eq!(
        state::facts(&noted),
        [fact("correction exact_value", "The launch is on 17 March.")]
    );
    let with_notes = format!("by hand\n{noted}\n- a list of mine");
    let more = state::noted(&with_notes, &[fact("proper_noun", "Ask Zhang Wei")]);
    assert!(more.starts_with("by hand\n- 2026"), "{more}");
    assert!(more.contains("\n- a list of mine\n"), "{more}");
}

#[test]
fn the_newest_of_the_same_subject_stands() {
    check(
        &[
            ("exact_value", "The budget is 5,000 euros"),
            ("exact_value", "The budget is 6,000 euros"),
        ],
        &["The budget is 6,000 euros"],
    );
    check(
        &[
            ("exact_value", "The launch party is on 3 March"),
            ("correction exact_value", "No, the launch party is on 17 March, not the 3rd"),
        ],
        &["No, the launch party is on 17 March, not the 3rd"],
    );
    check(
        &[
            ("exact_value", "会议是下午3点开始"),
            ("correction exact_value", "更正一下，会议是下午4点开始"),
        ],
        &["更正一下，会议是下午4点开始"],
    );
    check(&[("preference", "Call me Eva"), ("preference", "call me eva!")], &["call me eva!"]);
    // Different things stay beside each other.
    let different = [
        ("exact_value", "Room 12 is free on Monday"),
        ("exact_value", "Room 14 is free on Monday"),
        ("exact_value", "Order A-7731 goes to Berlin"),
        ("exact_value", "Order A-7732 goes to Berlin"),
        ("decision", "We take the train"),
        ("correction", "I meant the other hotel"),
        ("proper_noun", "我同事叫陈立新"),
        ("proper_noun", "我同事叫王小明"),
    ];
    check(&different, &different.map(|(_, text)| text));
}

#[test]
fn names_leave_before_values_and_values_before_what_was_settled() {
    let mut section = String::new();
    let settled =
        |n: usize| fact("decision", &format!("We settled matter number{n} the quick way"));
    for n in 0..10 {
        section = state::noted(&section, &[settled(n)]);
    }
    for n in 0..400 {
        section = state::noted(&section, &[fact("proper_noun", &format!("Met person{n} today"))]);
    }
    let facts = state::facts(&section);
    assert_eq!(facts.len(), state::MOST_FACTS);
    assert_eq!(facts[0], settled(0));
    assert_eq!(facts.last().map(|fact| fact.text.as_str()), Some("Met person399 today"));
    let long = "very long words ".repeat(15);
    for n in 0..200 {
        section = state::noted(&section, &[fact("decision", &format!("Matter{n} {long}"))]);
    }
    assert!(section.chars().count() < state::MOST_CHARS + 4_000);
}

#[test]
fn a_prompt_is_given_what_is_near_the_message_and_what_is_new() {
    let facts: Vec<_> = (0..100)
        .map(|n| match n % 2 {
            0 => fact("exact_value", &format!("The locker code of friend{n} is {}", 1000 + n)),
            _ => fact("preference", &format!("在城市{n}号店我喜欢靠窗的座位")),
        })
        .collect();
    let section = state::noted("", &facts);
    let chosen = |message: &str| state::chosen(&section, message, 300, &Quarter);
    assert!(chosen("what is the code of friend42?").contains("friend42 is 1042"));
    assert!(chosen("在城市31号店我坐哪里？").contains("城市31号店"));
    let new = chosen("hello");
    assert!(new.contains("城市99号店") && new.contains("newest and nearest of 100"), "{new}");
    assert!(Quarter.count(&new) <= 300);
    assert_eq!(state::chosen(&section, "hello", 100_000, &Quarter), section);
}

#[test]
fn what_is_forgotten_leaves_the_state_and_the_buffer() {
    let section = state::noted(
        "",
        &[fact("exact_value", "My PIN is 4711."), fact("preference", "I like tea")],
    );
    let left = state::forgotten(&section, "my pin is 4711");
    assert!(!left.contains("4711") && left.contains("tea"), "{left}");
    assert!(!state::forgotten(&section, "Note: My PIN is 4711. Keep it.").contains("4711"));
    assert_eq!(state::forgotten(&section, ""), section);
    let exchange = |said: &str| buffer::Exchange {
        at: "2026-11-30 14:05".into(),
        said: said.into(),
        reply: "Good.".into(),
    };
    let section = buffer::appended("", &exchange("My PIN is 4711"));
    let section = buffer::compacted(&buffer::appended(&section, &exchange("tea please")));
    let left = buffer::forgotten(&section, "my PIN is 4711");
    assert!(!left.contains("4711") && left.contains("tea please"), "{left}");
    assert!(buffer::is_compacted(&left));
}

#[test]
fn the_buffer_begins_anew_when_the_window_fills_again_after_a_compaction() {
    let exchange = |n: usize| buffer::Exchange {
        at: "2026-11-30 14:05".into(),
        said: format!("message {n}\n## assistant:other\n- not a line of its own"),
        reply: "A reply\nof two lines".into(),
    };
    let section = buffer::appended(&buffer::appended("", &exchange(1)), &exchange(2));
    assert!(section.lines().all(|line| !line.starts_with("## ")), "{section}");
    assert!(section.contains("  Reply: A reply of two lines"), "{section}");
    let section = buffer::compacted(&section);
    assert_eq!(buffer::compacted(&section), section);
    let window = [message(Role::User, &exchange(2).said, "t")];
    let shown = buffer::chosen(&section, &window, 1_000, &Quarter);
    assert!(shown.contains("message 1") && !shown.contains("message 2"), "{shown}");
    let next = buffer::appended(&section, &exchange(3));
    assert!(!next.contains("message 1") && next.contains("message 3"), "{next}");
    let mut long = String::new();
    for n in 0..2_000 {
        long = buffer::appended(&long, &exchange(n));
        assert!(long.chars().count() <= buffer::MOST_CHARS);
    }
    assert!(long.contains("message 1999"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_texts_keep_the_section_bounded_and_readable(
        texts in prop::collection::vec("\\PC{0,300}", 1..20),
        budget in 20_u64..400,
    ) {
        let mut section = String::new();
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            section = state::noted(&section, &[fact("exact_value", text)]);
            let newest = state::facts(&section).pop();
            prop_assert_eq!(newest.map(|found| found.text), Some(fact("exact_value", text).text));
        }
        prop_assert!(section.lines().all(|line| line.starts_with("- ")));
        let shown = state::chosen(&section, &texts[0], budget, &Quarter);
        prop_assert!(Quarter.count(&shown) <= budget.max(25));
    }
}
