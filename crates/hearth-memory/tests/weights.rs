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
use hearth_memory::{Encoder, EvalOptions, Memory, Sources, evaluate};
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
    let encoder = embedder.map(|embedder| embedder as Arc<dyn Encoder>);
    let sources = Sources { workspace: Arc::new(root), encoder, conversations: None };
    let memory = Memory::open(&folder.join("index.db"), sources).await.unwrap();
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
    let done = evaluate(&documents, &questions, Some(embedder as Arc<dyn Encoder>), &options)
        .await
        .unwrap();
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
    // The aim is 0.54, 0.87 and 0.97; this is what is reached, and docs/decisions/0011 says what else was tried.
    check("madial_en", [0.55, 0.82, 0.99]).await;
}

#[tokio::test]
async fn chinese_facts() {
    check("madial_zh", [0.73, 0.95, 0.99]).await;
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

/// `(id, day, English note, Chinese note, English question, Chinese question)`.
fn facts() -> Vec<[&'static str; 6]> {
    let lines = include_str!("fixtures/own/facts.tsv").lines().skip(1);
    lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().unwrap()).collect()
}

/// A memory of the facts in the languages that are named.
async fn of_facts(folder: &Path, embedder: Arc<Embedder>, languages: &[&str]) -> Memory {
    std::fs::create_dir_all(folder.join("workspace/memory")).unwrap();
    let mut notes = String::new();
    for [id, day, en, zh, _, _] in facts() {
        for (language, text) in [("en", en), ("zh", zh)] {
            if languages.contains(&language) {
                let note = serde_json::json!({ "id": format!("{id}{language}"), "date": day, "text": text });
                notes.push_str(&format!("{note}\n"));
            }
        }
    }
    let memory = open(folder, Some(embedder)).await;
    memory.import(&notes).await.unwrap();
    memory.embed(&mut |_| true).await.unwrap();
    memory
}

async fn docs(memory: &Memory, question: &str, first: usize) -> Vec<String> {
    let query =
        MemoryQuery { query: question.to_owned(), k: Some(first), ..MemoryQuery::default() };
    memory.search(&query).await.unwrap().hits.into_iter().flat_map(|hit| hit.docs).collect()
}

#[tokio::test]
async fn both_translations_of_a_note_answer_a_question_in_either_language() {
    let Some(embedder) = embedder() else { return };
    let folder = tempfile::tempdir().unwrap();
    let memory = of_facts(folder.path(), embedder, &["en", "zh"]).await;
    let facts = facts();
    let (mut from_english, mut from_chinese) = (0, 0);
    for [id, _, _, _, en, zh] in &facts {
        for (question, found) in [(en, &mut from_english), (zh, &mut from_chinese)] {
            let docs = docs(&memory, question, 5).await;
            let both = [format!("{id}en"), format!("{id}zh")].iter().all(|id| docs.contains(id));
            *found += usize::from(both);
            if !both {
                println!("{question}: {docs:?}, wanted {id}");
            }
        }
    }
    println!("both of {}: asked in English {from_english}, in Chinese {from_chinese}", facts.len());
    assert!(facts.len() >= 100);
    assert!(from_english * 100 >= facts.len() * 94 && from_chinese * 100 >= facts.len() * 94);
}

/// What a message makes one think of is not asked for in it: the note must be among those that fit into 2,000
/// characters of a memory of 110.
#[tokio::test]
async fn messages_find_the_note_that_matters_to_them() {
    let Some(embedder) = embedder() else { return };
    for (language, column, least) in [("en", 1, 32), ("zh", 2, 33)] {
        let folder = tempfile::tempdir().unwrap();
        let memory = of_facts(folder.path(), Arc::clone(&embedder), &[language]).await;
        let (mut found, mut first, mut asked) = (0, 0, 0);
        for line in include_str!("fixtures/own/messages.tsv").lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let query = MemoryQuery {
                query: cells[column].to_owned(),
                chars: Some(2_000),
                ..MemoryQuery::default()
            };
            let hits = memory.search(&query).await.unwrap().hits;
            let wanted = format!("{}{language}", cells[0]);
            let rank = hits.iter().position(|hit| hit.docs.contains(&wanted));
            asked += 1;
            found += usize::from(rank.is_some());
            first += usize::from(rank.is_some_and(|rank| rank < 3));
        }
        println!(
            "{language}: {found} of {asked} within 2,000 characters, {first} among the first three"
        );
        assert!(found >= least, "{language}: {found} of {asked}");
    }
}

#[tokio::test]
async fn other_words_for_the_same_are_understood_and_nothing_is_made_up() {
    let Some(embedder) = embedder() else { return };
    let facts = facts();
    for (language, column) in [("en", 4), ("zh", 5)] {
        let folder = tempfile::tempdir().unwrap();
        let memory = of_facts(folder.path(), Arc::clone(&embedder), &[language]).await;
        let mut found = 0;
        for fact in &facts {
            let docs = docs(&memory, fact[column], 3).await;
            found += usize::from(docs.contains(&format!("{}{language}", fact[0])));
        }
        let (mut none, mut asked) = (0, 0);
        for question in include_str!("fixtures/own/nothing.tsv").lines().skip(1) {
            let docs = docs(&memory, question, 3).await;
            none += usize::from(docs.is_empty());
            asked += 1;
            if !docs.is_empty() {
                println!("{language}: {question} finds {docs:?}");
            }
        }
        println!("{language}: {found} of {} found, {none} of {asked} honestly not", facts.len());
        assert!(found * 100 >= facts.len() * 97);
        assert!(none * 10 >= asked * 7);
    }
}
