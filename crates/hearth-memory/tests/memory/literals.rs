//! `fts_queries.tsv`: any text is a valid question, and each literal part of a note finds it.

use std::time::Instant;

use hearth_protocol::api::memory::MemoryQuery;
use serde_json::json;

use crate::support::Place;

fn unescape(field: &str) -> String {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let code: String = chars.by_ref().take(4).collect();
                out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
            }
            Some(c) => out.push(c),
            None => out.push('\\'),
        }
    }
    out
}

#[tokio::test]
async fn each_literal_is_found_and_nothing_fails() {
    let place = Place::new();
    let memory = place.memory().await;
    let documents = include_str!("../fixtures/fts_documents.tsv");
    let notes: String = documents
        .lines()
        .skip(1)
        .map(|line| {
            let (id, text) = line.split_once('\t').unwrap();
            json!({ "id": id, "date": "2026-11-29", "text": unescape(text) }).to_string() + "\n"
        })
        .collect();
    assert_eq!(memory.import(&notes).await.unwrap().imported, 24);
    let mut asked = 0;
    for line in include_str!("../fixtures/fts_queries.tsv").lines().skip(1) {
        let mut fields = line.split('\t');
        let query = unescape(fields.next().unwrap());
        let wanted: Vec<&str> =
            fields.next().unwrap_or_default().split(',').filter(|id| !id.is_empty()).collect();
        let begun = Instant::now();
        let asking = MemoryQuery { query: query.clone(), k: Some(50), ..MemoryQuery::default() };
        let answer = memory.search(&asking).await.unwrap();
        // The promise is 100 ms on an idle machine; a busy one must not fail the test.
        assert!(begun.elapsed().as_secs() < 5, "{query:.40}");
        let found: Vec<&String> = answer.hits.iter().flat_map(|hit| &hit.docs).collect();
        for id in &wanted {
            assert!(found.iter().any(|doc| doc == id), "{query:?} must find {id}, found {found:?}");
        }
        assert_eq!(answer.nothing_found, answer.hits.is_empty());
        let none = query.chars().all(|c| !c.is_alphanumeric() && !('\u{1f000}'..).contains(&c));
        assert!(!none || found.is_empty(), "{query:?} holds no word, found {found:?}");
        assert!(answer.hits.iter().all(|hit| hit.keyword > 0.0), "{query:?}: {found:?}");
        asked += 1;
    }
    assert_eq!(asked, 114);
}
