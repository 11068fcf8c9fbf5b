//! The labelled messages, and the edges of the scan.

use super::{SENTENCE_CHARS, Signal, classes, scan};
use std::collections::BTreeMap;

/// Messages labelled by the guideline beside them, and more of our own by the same guideline.
const LABELLED: [&str; 2] = [
    include_str!("../../tests/fixtures/signals/dev_signals.jsonl"),
    include_str!("../../tests/fixtures/signals/own_signals.jsonl"),
];

fn names(message: &str) -> Vec<&'static str> {
    classes(message).into_iter().map(Signal::name).collect()
}

#[test]
fn every_table_compiles() {
    assert!(super::correction::compiles());
    assert!(super::preference::compiles());
    assert!(super::decision::compiles());
    assert!(super::draft::compiles());
    assert!(super::value::compiles());
    assert!(super::noun::compiles());
}

/// Right, missed and false hits of one class in one language.
#[derive(Default, Debug)]
struct Score {
    right: u32,
    missed: u32,
    wrong: u32,
}

fn score(labelled: &str) -> BTreeMap<(String, &'static str), Score> {
    let mut scores: BTreeMap<_, Score> = BTreeMap::new();
    for line in labelled.lines().filter(|line| !line.trim().is_empty()) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (text, lang) = (row["text"].as_str().unwrap(), row["lang"].as_str().unwrap());
        let expected: Vec<_> =
            row["signals"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        let found = names(text);
        for signal in Signal::ALL {
            let score = scores.entry((lang.to_owned(), signal.name())).or_default();
            match (expected.contains(&signal.name()), found.contains(&signal.name())) {
                (true, true) => score.right += 1,
                (true, false) => score.missed += 1,
                (false, true) => score.wrong += 1,
                (false, false) => {}
            }
            if expected.contains(&signal.name()) != found.contains(&signal.name()) {
                eprintln!("{}: {text} (expected {expected:?}, found {found:?})", signal.name());
            }
        }
    }
    scores
}

#[test]
fn labelled_messages_reach_the_goals() {
    for ((lang, name), score) in LABELLED.into_iter().flat_map(score) {
        let (recall, precision) = if name == "proper_noun" { (0.85, 0.75) } else { (0.95, 0.9) };
        let of = |part: u32, other: u32| f64::from(part) / f64::from((part + other).max(1));
        eprintln!("{lang} {name}: {score:?}");
        assert!(of(score.right, score.missed) >= recall, "{lang} {name}: {score:?}");
        assert!(of(score.right, score.wrong) >= precision, "{lang} {name}: {score:?}");
    }
}

#[test]
fn a_hit_carries_its_sentence() {
    let hits = scan("Thanks! My booking reference is QX7T2M. What can you do?");
    let hits: Vec<_> = hits.iter().map(|hit| (hit.signal, hit.sentence.as_str())).collect();
    assert_eq!(hits, [(Signal::ExactValue, "My booking reference is QX7T2M.")]);
}

#[test]
fn odd_text_is_read_too() {
    assert_eq!(names(""), Vec::<&str>::new());
    assert_eq!(names("🙂🙂 … \u{0} \u{202e}"), Vec::<&str>::new());
    let long = format!("{} 7:30", "长".repeat(5_000));
    let hits = scan(&long);
    assert!(hits.iter().all(|hit| hit.sentence.chars().count() <= SENTENCE_CHARS + 1));
    assert!(hits.iter().any(|hit| hit.signal == Signal::ExactValue));
}
