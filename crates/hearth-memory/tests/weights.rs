//! Memory with the real embedding model: the goals on four sets, questions across languages, the cache.
//!
//! Looks in `HEARTH_TEST_MODELS`, else in `~/.cache/hearth/test-models`. What is missing is
//! skipped, visibly.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests; the lint knows only the functions marked so"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hearth_embed::Embedder;
use hearth_memory::{EvalOptions, Memory, evaluate};
use hearth_protocol::api::memory::{MemoryQuery, SearchMode};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};

struct NoJournal;

impl Journal for NoJournal {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

fn embedder() -> Option<Arc<Embedder>> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/hearth/test-models"));
    let folder = std::env::var_os("HEARTH_TEST_MODELS").map(PathBuf::from).or_else(home)?;
    let embedder = Embedder::new(&folder.join("multilingual-e5-small"));
    if !embedder.is_there() {
        println!("skipped: no embedding model in {}", folder.display());
        return None;
    }
    Some(Arc::new(embedder))
}

async fn open(folder: &Path, embedder: Option<Arc<Embedder>>) -> Memory {
    let root = WorkspaceRoot::open(&folder.join("workspace"), Arc::new(NoJournal)).unwrap();
    let memory = Memory::open(&folder.join("index.db"), Arc::new(root), embedder).await.unwrap();
    memory.sync().await.unwrap();
    memory
}

/// Recall within 500, 2,000 and 8,000 characters.
async fn check(set: &str, least: [f64; 3]) {
    let Some(embedder) = embedder() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recall").join(set);
    let read = |file| std::fs::read_to_string(folder.join(file)).unwrap();
    let options =
        EvalOptions { ks: vec![10], chars: vec![500, 2_000, 8_000], mode: SearchMode::Hybrid };
    let (documents, questions) = (read("documents.jsonl"), read("queries.jsonl"));
    let done = evaluate(&documents, &questions, Some(embedder), &options).await.unwrap();
    let reached = ["500", "2000", "8000"].map(|chars| done.figures.recall_at_chars[chars]);
    println!("{set}: {reached:.3?}");
    let enough = reached.iter().zip(least).all(|(reached, least)| *reached >= least);
    assert!(enough, "{set}: {reached:?}, wanted {least:?}");
}

#[tokio::test]
async fn english_conversations() {
    check("mbank_en", [0.85, 0.97, 0.99]).await;
}

#[tokio::test]
async fn chinese_conversations() {
    check("mbank_zh", [0.98, 0.99, 0.99]).await;
}

#[tokio::test]
async fn english_facts() {
    check("madial_en", [0.54, 0.87, 0.97]).await;
}

#[tokio::test]
async fn chinese_facts() {
    check("madial_zh", [0.68, 0.92, 0.98]).await;
}

#[tokio::test]
async fn questions_find_notes_of_another_language_and_a_rebuild_asks_the_model_nothing() {
    let Some(embedder) = embedder() else { return };
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace/memory");
    std::fs::create_dir_all(&workspace).unwrap();
    let english = "- The landlord wants the rent on the fifth of each month.\n- The cat is allergic to chicken.\n- The bicycle is in the cellar of the office.\n";
    let chinese = "- 护照放在书房的抽屉里。\n- 女儿周六上午学钢琴。\n- 车子的保险七月到期。\n";
    std::fs::write(workspace.join("2026-11-01.md"), english).unwrap();
    std::fs::write(workspace.join("2026-11-02.md"), chinese).unwrap();
    let memory = open(folder.path(), Some(Arc::clone(&embedder))).await;
    assert_eq!(memory.status().await.unwrap().stale, 6);
    assert!(memory.embed(&mut |_| true).await.unwrap());
    for (question, part) in [
        ("什么时候交房租？", "landlord"),
        ("猫不能吃什么？", "allergic"),
        ("自行车在哪里？", "bicycle"),
        ("Where is my passport?", "护照"),
        ("When does my daughter have her music lesson?", "钢琴"),
        ("When does the car insurance end?", "保险"),
    ] {
        let query = MemoryQuery { query: question.to_owned(), ..MemoryQuery::default() };
        let answer = memory.search(&query).await.unwrap();
        assert_eq!(answer.mode, SearchMode::Hybrid);
        assert!(answer.hits[0].text.contains(part), "{question}: {:?}", answer.hits);
    }

    assert!(embedder.release_idle(std::time::Duration::ZERO));
    memory.reindex(&mut |_| true).await.unwrap();
    let status = memory.status().await.unwrap();
    assert_eq!((status.stale, status.generation, status.chunks), (0, 2, 6));
    assert!(!embedder.release_idle(std::time::Duration::ZERO), "all vectors came from the cache");
}
