//! Vectors: made once a text, in steps that can be stopped, never of two models at once.

use std::sync::atomic::Ordering;

use hearth_embed::{EmbedError, Kind};
use hearth_memory::Encoder;
use hearth_protocol::api::memory::{MemoryProgress, MemoryQuery, SearchMode};
use std::sync::Arc;
use std::time::Duration;

use crate::support::{Letters, Place, ask};

fn log(count: usize) -> String {
    (0..count).map(|n| format!("- the boat number {n} lies at pier {}\n", n * 7)).collect()
}

#[tokio::test]
async fn a_stopped_pass_goes_on_where_it_was() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(200));
    let letters = Letters::new(48);
    let memory = place.memory_with(Some(letters.clone()), None).await;
    let mut seen = Vec::new();
    let all = memory
        .embed(&mut |progress| {
            seen.push((progress.done, progress.total));
            seen.len() < 2
        })
        .await
        .unwrap();
    assert!(!all);
    assert_eq!(seen, [(64, 200), (128, 200)]);
    let status = memory.status().await.unwrap();
    assert_eq!((status.stale, status.progress), (72, None));
    memory.close().await;

    let before = letters.asked.load(Ordering::SeqCst);
    let memory = place.memory_with(Some(letters.clone()), None).await;
    assert!(memory.embed(&mut |_| true).await.unwrap());
    assert_eq!(memory.status().await.unwrap().stale, 0);
    assert_eq!(letters.asked.load(Ordering::SeqCst) - before, 144, "only what was missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_does_not_wait_for_the_whole_pass() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(200));
    let memory = place.memory_with(Some(Letters::new(48)), None).await;
    let (tell, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let mut seen = Vec::new();
    let mut hear = |progress: MemoryProgress| {
        if seen.is_empty() {
            place.write("memory/2026-10-02.md", "- the lighthouse stands on the pier\n");
            let (memory, tell) = (memory.clone(), tell.clone());
            tokio::spawn(async move {
                memory.sync().await.unwrap();
                tell.send(ask(&memory, "lighthouse").await.nothing_found).unwrap();
            });
            // The pass is in its first batch and stays there until the other has answered.
            let wait = || told.lock().unwrap().recv_timeout(Duration::from_secs(20));
            let found = tokio::task::block_in_place(wait);
            assert_eq!(found, Ok(false));
        }
        seen.push(progress.done);
        true
    };
    assert!(memory.embed(&mut hear).await.unwrap());
    assert_eq!(seen.len(), 4);
    assert_eq!(memory.status().await.unwrap().stale, 0);
}

#[tokio::test]
async fn text_that_was_embedded_is_not_embedded_again() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(20));
    let letters = Letters::new(48);
    let memory = place.memory_with(Some(letters.clone()), None).await;
    memory.embed(&mut |_| true).await.unwrap();
    let first = letters.asked.load(Ordering::SeqCst);
    place.write("memory/2026-10-01.md", &(log(20) + "- one more\n"));
    memory.sync_file("memory/2026-10-01.md").await.unwrap();
    memory.embed(&mut |_| true).await.unwrap();
    // A note of a day is read twice: by itself, and with its day.
    assert_eq!(letters.asked.load(Ordering::SeqCst) - first, 2);
    memory.reindex(&mut |_| true).await.unwrap();
    assert_eq!(letters.asked.load(Ordering::SeqCst) - first, 2);
}

#[tokio::test]
async fn another_model_makes_all_vectors_anew() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(20));
    let memory = place.memory_with(Some(Letters::new(48)), None).await;
    memory.embed(&mut |_| true).await.unwrap();
    assert_eq!(memory.status().await.unwrap().dims, 48);
    memory.close().await;

    let memory = place.memory_with(Some(Letters::new(32)), None).await;
    assert_eq!(memory.status().await.unwrap().stale, 20);
    let answer = ask(&memory, "boat number 3").await;
    assert_eq!(answer.mode, SearchMode::Keyword, "no vector of the old model is looked at");
    assert!(!answer.nothing_found);
    memory.embed(&mut |_| true).await.unwrap();
    assert_eq!(memory.status().await.unwrap().dims, 32);
    let answer = ask(&memory, "boat number 3").await;
    assert_eq!(answer.mode, SearchMode::Hybrid);
    assert!(answer.hits.iter().all(|hit| hit.vector.is_some()));
}

/// A model whose files went bad.
#[derive(Debug)]
struct Broken;

impl Encoder for Broken {
    fn name(&self) -> Result<String, EmbedError> {
        Ok("broken".to_owned())
    }

    fn embed(&self, _kind: Kind, _texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(EmbedError::Failed("the weights are unreadable".to_owned()))
    }

    fn release_idle(&self, _after: Duration) -> bool {
        false
    }
}

#[tokio::test]
async fn a_model_that_fails_leaves_words_and_says_so() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(5));
    let memory = place.memory_with(Some(Arc::new(Broken)), None).await;
    assert!(memory.embed(&mut |_| true).await.is_err());
    let answer = ask(&memory, "boat number 3").await;
    assert_eq!((answer.mode, answer.nothing_found), (SearchMode::Keyword, false));
    let note = memory.status().await.unwrap().note;
    assert!(note.contains("unreadable") && note.contains("by words alone"), "{note}");
}

#[tokio::test]
async fn each_mode_looks_its_own_way() {
    let place = Place::new();
    place.write("memory/2026-10-01.md", &log(30));
    let memory = place.memory_with(Some(Letters::new(64)), None).await;
    memory.embed(&mut |_| true).await.unwrap();
    for mode in [SearchMode::Hybrid, SearchMode::Keyword, SearchMode::Vector] {
        let query =
            MemoryQuery { query: "boat number 17".to_owned(), mode, ..MemoryQuery::default() };
        let answer = memory.search(&query).await.unwrap();
        assert_eq!(answer.mode, mode);
        let hit = &answer.hits[0];
        // Letters alone cannot tell one number from another.
        let right = mode == SearchMode::Vector || hit.text.contains("number 17 ");
        assert!(right, "{mode:?}: {hit:?}");
        assert_eq!(hit.vector.is_some(), mode != SearchMode::Keyword);
        assert_eq!(hit.keyword > 0.0, mode != SearchMode::Vector);
        assert!(!hit.why.is_empty());
    }
}
