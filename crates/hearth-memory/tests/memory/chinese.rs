//! Every Chinese word of one or two characters is found by words alone.

use std::collections::{BTreeMap, BTreeSet};

use hearth_protocol::api::memory::{MemoryQuery, SearchMode};
use serde_json::Value;

use crate::support::Place;

/// Hits that may be asked for at once.
const MOST: usize = 200;

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[tokio::test]
async fn each_word_of_one_or_two_characters_is_found() {
    let documents = include_str!("../fixtures/recall/mbank_zh/documents.jsonl");
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in documents.lines() {
        let note: Value = serde_json::from_str(line).unwrap();
        let (id, text) = (note["id"].as_str().unwrap(), note["text"].as_str().unwrap());
        let chars: Vec<char> = text.chars().collect();
        for length in [1, 2] {
            for word in chars.windows(length).filter(|word| word.iter().all(|c| is_han(*c))) {
                let holding = words.entry(word.iter().collect()).or_default();
                holding.insert(id.to_owned());
            }
        }
    }
    let place = Place::new();
    let memory = place.memory().await;
    memory.import(documents).await.unwrap();
    let (mut asked, mut found) = (0, 0);
    let mut missed = Vec::new();
    // Every seventh word, so that the test stays short; all characters come up in some.
    for (word, holding) in words.iter().step_by(7) {
        let query = MemoryQuery {
            query: word.clone(),
            k: Some(MOST),
            mode: SearchMode::Keyword,
            ..MemoryQuery::default()
        };
        let hits = memory.search(&query).await.unwrap().hits;
        let docs: BTreeSet<&String> = hits.iter().flat_map(|hit| &hit.docs).collect();
        let right = holding.iter().filter(|id| docs.contains(id)).count();
        asked += 1;
        // A word of half the store is found when as many hits hold it as fit.
        if right == holding.len() || right >= MOST / 2 {
            found += 1;
        } else {
            missed.push(format!("{word}: {right} of {}", holding.len()));
        }
    }
    assert!(asked > 500, "{asked}");
    assert!(found * 100 >= asked * 99, "{found} of {asked}: {missed:?}");
}
