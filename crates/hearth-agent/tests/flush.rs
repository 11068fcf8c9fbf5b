//! The flush, as decisions: what is extracted, where it goes, and what it does to what memory holds.
#![allow(clippy::unwrap_used, reason = "a failed fixture is a failed test")]

use hearth_agent::flush::{
    Decision, Fact, Kind, Known, Place, Said, decide, plain_extract, prompt, read, schema,
};
use hearth_protocol::Role;
use proptest::prelude::*;

fn known(id: &str, kind: &str, text: &str) -> Known {
    Known {
        id: id.to_owned(),
        kind: kind.to_owned(),
        title: String::new(),
        text: text.to_owned(),
        by_hand: false,
    }
}

fn fact(text: &str) -> Fact {
    Fact {
        text: text.to_owned(),
        title: String::new(),
        kind: Kind::Fact,
        about_person: false,
        hearsay: false,
        expiry: String::new(),
        importance: 0.5,
        replaces: None,
        turns: Vec::new(),
    }
}

fn said(text: &str) -> Said {
    Said { role: Role::User, text: text.to_owned(), turn: None }
}

#[test]
fn a_repeat_strengthens_and_a_contradiction_supersedes() {
    let held = [
        known("m1", "fact", "The launch is on 3 March 2027."),
        known("m2", "fact", "The cat is called Ada."),
    ];
    let told = vec![
        fact("The cat is called Ada"),
        fact("The launch is on 17 March 2027"),
        fact("The dog is called Bo"),
        fact("the dog is called bo."),
    ];
    let decided = decide(told.clone(), &held);
    assert_eq!(
        decided,
        [
            Decision::Strengthen("m2".to_owned(), told[0].clone()),
            Decision::Supersede("m1".to_owned(), told[1].clone()),
            Decision::Add(Place::Memory, told[2].clone()),
        ]
    );
}

#[test]
fn the_models_word_counts_only_where_both_speak_of_one_thing() {
    let held = [known("m1", "fact", "Lives in Berlin"), known("m2", "preference", "Likes tea")];
    let moved = |id: &str| Fact { replaces: Some(id.to_owned()), ..fact("Lives in Lisbon") };
    assert!(
        matches!(&decide(vec![moved("m1")], &held)[..], [Decision::Supersede(id, _)] if id == "m1")
    );
    for wrong in ["m2", "m9"] {
        assert!(matches!(
            &decide(vec![moved(wrong)], &held)[..],
            [Decision::Add(Place::Memory, _)]
        ));
    }
}

#[test]
fn what_only_the_assistant_said_changes_no_long_term_memory() {
    let held = [known("m1", "fact", "The launch is on 3 March 2027.")];
    let heard = |text: &str| Fact { hearsay: true, ..fact(text) };
    let decided = decide(
        vec![heard("The launch is on 17 March 2027."), heard("Water boils at 100 degrees")],
        &held,
    );
    assert!(matches!(&decided[0], Decision::Ask(id, ..) if id == "m1"));
    assert!(matches!(&decided[1], Decision::Add(Place::Log, _)));
    let by_hand = [Known { by_hand: true, ..held[0].clone() }];
    let decided = decide(vec![fact("The launch is on 17 March 2027.")], &by_hand);
    assert!(
        matches!(&decided[..], [Decision::Ask(..)]),
        "numbers alone do not overrule the person"
    );
}

#[test]
fn one_entry_about_the_person_at_a_time() {
    let about = |text: &str| Fact { about_person: true, ..fact(text) };
    let event = Fact { kind: Kind::Event, ..about("Went to Rome") };
    let short = Fact { expiry: "2026-12-24".to_owned(), ..about("Is on holiday") };
    let facts = vec![about("Is called Zhang Wei"), about("Speaks Portuguese"), event, short];
    let places: Vec<_> = decide(facts, &[])
        .into_iter()
        .map(|decision| match decision {
            Decision::Add(place, _) => place,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(places, [Place::Person, Place::Memory, Place::Log, Place::Memory]);
}

#[test]
fn the_prompt_is_short_for_the_built_in_model_and_shows_memory_to_others() {
    let long: Vec<Said> =
        (0..200).map(|n| said(&format!("message {n} {}", "word ".repeat(100)))).collect();
    let held = [known("m1", "fact", "The cat is called Ada.")];
    let small = prompt(&long, &held, "2026-11-29", true);
    assert!(small.system.len() + small.user.len() < 3_600, "{}", small.user.len());
    assert!(small.user.contains("[200] user: message 199") && !small.user.contains("Ada"));
    let large = prompt(&long, &held, "2026-11-29", false);
    assert!(
        large.user.contains("m1: The cat is called Ada.") && large.user.contains("(2026-11-29)")
    );
    assert!(large.shown.start > 0 && large.shown.end == 200);
    assert!(large.user.chars().count() < 26_000);
}

#[test]
fn the_built_in_model_reads_as_little_in_chinese_and_most_of_what_the_person_said() {
    let both = |person: &str, assistant: &str| -> Vec<Said> {
        let turn = |n: usize| {
            [
                said(&format!("{n}{}", person.repeat(40))),
                Said { role: Role::Assistant, ..said(&assistant.repeat(400)) },
            ]
        };
        (0..40).flat_map(turn).collect()
    };
    let chinese = prompt(&both("我", "好"), &[], "2026-11-29", true);
    assert!(chinese.user.chars().count() < 1_300, "{}", chinese.user.chars().count());
    // A message of the assistant takes the room that is read of it, not its whole length.
    assert_eq!(chinese.shown, 64..80, "{}", chinese.user);
    let english = prompt(&both("I a", "fine "), &[], "2026-11-29", true);
    assert_eq!(english.shown, 66..80);
    assert!(english.user.chars().count() < 2_400 && english.answer_tokens <= 240);
}

#[test]
fn the_example_in_the_prompt_fits_the_schema() {
    assert_eq!(schema()["properties"]["entries"]["items"]["required"][0], "text");
    let rex = r#"{"entries":[{"text":"The user's dog is called Rex.","kind":"fact","from":[1]}]}"#;
    assert_eq!(read(rex, &[said("My dog is called Rex")]).unwrap().len(), 1);
    assert_eq!(read(rex, &[said("What is the time?")]).unwrap(), [], "an example is no fact");
}

proptest! {
    #[test]
    fn any_answer_is_read_or_refused(answer in "(?s).{0,200}", message in "(?s).{0,80}") {
        let messages = [said(&message)];
        let facts = read(&answer, &messages).unwrap_or_default();
        prop_assert!(facts.len() <= 20);
        let _ = decide(plain_extract(&messages), &[]);
    }

    #[test]
    fn masking_never_leaves_the_fact(before in "(?s).{0,40}", fact in "[a-z]{4,8} [a-z]{4,8} [0-9]{2,4}", after in "(?s).{0,40}") {
        let text = format!("{before}{fact}{after}");
        let left = hearth_agent::flush::masked(&text, &fact, hearth_agent::flush::Mask::Telling).unwrap();
        prop_assert!(!left.contains(&fact), "{left}");
    }
}

#[test]
fn a_small_model_is_asked_in_the_language_of_the_person() {
    let chinese = [said("我老婆对猫过敏，email 是 ilse@example.org。")];
    let asked = prompt(&chinese, &[], "2026-11-29", true);
    assert!(asked.system.contains("用中文写") && asked.user.starts_with("例子"), "{asked:?}");
    assert!(asked.user.ends_with("上面对话的JSON："));
    let english = prompt(&[said("My wife 伊尔莎 is allergic to cats.")], &[], "2026-11-29", true);
    assert!(english.system.starts_with("List every fact"), "{english:?}");
}

/// Word for word what the built-in model of 1.5 billion weights answered.
#[test]
fn of_what_a_small_model_answers_only_what_was_said_is_kept() {
    let told = [
        said(
            "Hi! We finally signed the contract for the flat in Leipzig, we move in on 14 March 2027.",
        ),
        said(
            "Yes. My wife Ilse is allergic to cats, so we have to ask the previous tenants about theirs. And I decided to sell the piano because it does not fit up the stairs.",
        ),
        said(
            "Please do. By the way I prefer short e-mails, never more than five sentences. What is the weather tomorrow?",
        ),
    ];
    let answer = r#"{"entries":[{"text":"The user's wife Ilse is allergic to cats.","kind":"fact"},{"text":"The user decided to sell the piano because it does not fit up the stairs.","kind":"decision"},{"text":"The user likes short e-mails, never more than five sentences.","kind":"preference"}]}"#;
    let kept = read(answer, &told).expect("an answer");
    let kinds: Vec<Kind> = kept.iter().map(|fact| fact.kind).collect();
    assert_eq!(kinds, [Kind::Fact, Kind::Decision, Kind::Preference]);
    assert!(kept.iter().all(|fact| !fact.hearsay));

    let small_talk = [said("hi"), said("What is the capital of France?")];
    let invented = r#"{"entries":[{"text":"The user's favorite TV show is Game of Thrones.","kind":"preference"},{"text":"The user has a pet cat named Whiskers.","kind":"fact"},{"text":"The user plans to visit Paris in the summer.","kind":"plan"}]}"#;
    assert_eq!(read(invented, &small_talk), Ok(Vec::new()));

    let chinese = [
        said("我们终于签了莱比锡的租房合同，2027年3月14日搬进去。"),
        said("我老婆伊尔莎对猫过敏。"),
    ];
    let answer = r#"{"entries":[{"text":"用户老婆伊尔莎对猫过敏。","kind":"fact"},{"text":"明天天气怎么样？","kind":"question"},{"text":"用户记下了对猫过敏的信息。","kind":"fact"},{"text":"用户你好。","kind":"fact"},{"text":"用户记下了2027年3月14日搬进去。","kind":"fact"}]}"#;
    let kept = read(answer, &chinese).expect("an answer");
    assert_eq!(
        kept.iter().map(|fact| fact.text.as_str()).collect::<Vec<_>>(),
        ["用户老婆伊尔莎对猫过敏。", "用户记下了2027年3月14日搬进去。"]
    );
    let repeated = r#"{"entries":[{"text":"用户决定2025年5月3日离开艾可米。","kind":"decision"},{"text":"用户喝茶不加糖。","kind":"preference"}]}"#;
    assert_eq!(read(repeated, &chinese), Ok(Vec::new()), "the example is nobody's word");
}
