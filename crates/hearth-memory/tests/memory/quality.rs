//! Recall on four public sets, by words alone. With the model: `tests/weights.rs`.

use std::path::Path;

use hearth_memory::{EvalOptions, evaluate};
use hearth_protocol::api::memory::{MemoryEval, SearchMode};

async fn measure(set: &str) -> MemoryEval {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recall").join(set);
    let read = |file| std::fs::read_to_string(folder.join(file)).unwrap();
    let options =
        EvalOptions { ks: vec![5, 10], chars: vec![500, 2_000, 8_000], mode: SearchMode::Keyword };
    let done = evaluate(&read("documents.jsonl"), &read("queries.jsonl"), None, &options).await;
    done.unwrap().figures
}

async fn check(set: &str, least: [f64; 3]) {
    let figures = measure(set).await;
    let reached = ["500", "2000", "8000"].map(|chars| figures.recall_at_chars[chars]);
    let enough = reached.iter().zip(least).all(|(reached, least)| *reached >= least);
    assert!(enough, "{set}: {reached:?}, wanted {least:?}");
}

#[tokio::test]
async fn words_alone_reach_the_goals_in_english() {
    check("mbank_en", [0.85, 0.95, 0.99]).await;
    check("madial_en", [0.42, 0.65, 0.79]).await;
}

#[tokio::test]
async fn words_alone_reach_the_goals_in_chinese() {
    check("mbank_zh", [0.85, 0.98, 0.99]).await;
    check("madial_zh", [0.54, 0.74, 0.77]).await;
}
