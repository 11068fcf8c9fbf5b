//! The real weights: known neighbours, batching, the language bias, memory, letting go.
//!
//! Looks in `HEARTH_TEST_MODELS`, else in `~/.cache/hearth/test-models`. What is missing is
//! skipped, visibly.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests; the lint knows only the functions marked so"
)]

use hearth_embed::{Embedder, Kind, Script, centred, sentences};
use std::path::PathBuf;
use std::time::Duration;

fn embedder() -> Option<Embedder> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/hearth/test-models"));
    let folder = std::env::var_os("HEARTH_TEST_MODELS").map(PathBuf::from).or_else(home)?;
    let embedder = Embedder::new(&folder.join("multilingual-e5-small"));
    if !embedder.is_there() {
        println!("skipped: no embedding model in {}", folder.display());
        return None;
    }
    Some(embedder)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors[0].len()];
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x / vectors.len() as f32);
    }
    sum
}

/// Rank of each question's own passage, from 0.
fn ranks(
    questions: &[Vec<f32>],
    passages: &[Vec<f32>],
    own: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let rank = |(n, question): (usize, &Vec<f32>)| {
        let right = dot(question, &passages[own(n)]);
        passages.iter().filter(|passage| dot(question, passage) > right).count()
    };
    questions.iter().enumerate().map(rank).collect()
}

#[test]
fn the_right_passage_is_nearest_and_batching_changes_nothing() {
    let Some(embedder) = embedder() else { return };
    let passages = [
        "Anna's birthday is on the third of May.",
        "The router password is on the back of the blue notebook.",
        "房东的电话是 138-0013-8000，房租押一付三。",
        "Wir treffen uns am Freitag um zehn im Büro.",
        &"The long report about the harbour. ".repeat(200),
    ];
    let questions = [
        "When was Anna born?",
        "wifi key",
        "怎么联系房东？",
        "Wann ist das Treffen?",
        "harbour report",
    ];
    let kept = embedder.embed(Kind::Passage, &passages).unwrap();
    let asked = embedder.embed(Kind::Query, &questions).unwrap();
    assert_eq!(ranks(&asked, &kept, |n| n), [0; 5]);
    for (text, vector) in passages.iter().zip(&kept) {
        assert_eq!(vector.len(), 384);
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5);
        let alone = embedder.embed(Kind::Passage, &[text]).unwrap();
        assert!(dot(vector, &alone[0]) > 0.99999, "{}", dot(vector, &alone[0]));
    }
    assert_eq!(embedder.name().unwrap(), embedder.name().unwrap());
}

#[test]
fn a_centre_lets_questions_find_notes_of_another_language() {
    let Some(embedder) = embedder() else { return };
    // The sentences of a script are the same in each; half make the centres, half are the notes. They are asked
    // for as they stand, so their own centre is taken for questions too.
    let vectors = |script, kind| embedder.embed(kind, &sentences(Kind::Passage, script)).unwrap();
    let [english, chinese] = [Script::Latin, Script::Han].map(|script| {
        let (kept, asked) = (vectors(script, Kind::Passage), vectors(script, Kind::Query));
        let centre = |all: &[Vec<f32>]| mean(&all[..12]);
        let (kept_centre, asked_centre) = (centre(&kept), centre(&asked));
        let rest = |all: &[Vec<f32>], centre: &[f32]| -> Vec<Vec<f32>> {
            all[12..].iter().map(|vector| centred(vector, centre)).collect()
        };
        (rest(&kept, &kept_centre), rest(&asked, &asked_centre))
    });
    let notes: Vec<Vec<f32>> = [english.0, chinese.0].concat();
    let across = ranks(&english.1, &notes, |n| n + 12);
    let back = ranks(&chinese.1, &notes, |n| n);
    let near = across.iter().chain(&back).filter(|rank| **rank < 5).count();
    assert_eq!(near, 24, "{across:?} {back:?}");
}

#[test]
fn an_idle_model_is_let_go_and_comes_back() {
    let Some(embedder) = embedder() else { return };
    assert!(!embedder.release_idle(Duration::ZERO), "nothing is loaded yet");
    let first = embedder.embed(Kind::Query, &["tea"]).unwrap();
    assert!(!embedder.release_idle(Duration::from_secs(3600)));
    assert!(embedder.release_idle(Duration::ZERO));
    assert_eq!(embedder.embed(Kind::Query, &["tea"]).unwrap(), first);
}

#[test]
#[cfg(target_os = "linux")]
fn the_model_takes_at_most_400_mb_of_private_memory() {
    let Some(embedder) = embedder() else { return };
    let private = || {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
        let lines = text.lines().filter(|line| line.starts_with("Private_"));
        lines
            .map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
            .sum::<u64>()
    };
    let before = private();
    let texts: Vec<String> = (0..32).map(|n| format!("note {n} ").repeat(20 + n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    embedder.embed(Kind::Passage, &texts).unwrap();
    let used = (private() - before) / 1024;
    println!("private memory of the loaded model: {used} MiB");
    assert!(used <= 400 * 1_000_000 / 1_048_576, "{used} MiB");
}
