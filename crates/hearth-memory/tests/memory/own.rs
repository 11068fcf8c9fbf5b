//! Questions of our own, by words alone: facts in two languages, days, and nothing to find. With the model:
//! `tests/weights.rs`.

use hearth_protocol::api::memory::MemoryQuery;

use crate::support::{Place, ask};

/// `(id, day, English note, Chinese note, English question, Chinese question)`.
pub(crate) fn facts() -> Vec<[&'static str; 6]> {
    let lines = include_str!("../fixtures/own/facts.tsv").lines().skip(1);
    lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().unwrap()).collect()
}

/// Notes of one or both languages, as an import.
pub(crate) fn notes(english: bool, chinese: bool) -> String {
    let mut lines = String::new();
    for [id, day, en, zh, _, _] in facts() {
        for (wanted, tag, text) in [(english, "en", en), (chinese, "zh", zh)] {
            if wanted {
                let note =
                    serde_json::json!({ "id": format!("{id}{tag}"), "date": day, "text": text });
                lines.push_str(&format!("{note}\n"));
            }
        }
    }
    lines
}

/// Share of the questions whose note is among the first so many hits.
async fn share(english: bool, first: usize) -> f64 {
    let place = Place::new();
    let memory = place.memory().await;
    memory.import(&notes(english, !english)).await.unwrap();
    let mut found = 0;
    let facts = facts();
    for [id, _, _, _, en, zh] in &facts {
        let answer = ask(&memory, if english { en } else { zh }).await;
        found += usize::from(
            answer
                .hits
                .iter()
                .take(first)
                .any(|hit| hit.docs.iter().any(|doc| doc.starts_with(id))),
        );
    }
    found as f64 / facts.len() as f64
}

#[tokio::test]
async fn facts_are_found_by_words() {
    // Many questions share no word with their note, on purpose; the rest is for the model.
    let english = share(true, 5).await;
    let chinese = share(false, 5).await;
    assert!(english >= 0.68, "{english}");
    assert!(chinese >= 0.75, "{chinese}");
}

#[tokio::test]
async fn days_are_found() {
    let place = Place::new();
    let memory = place.memory().await;
    memory.import(&notes(true, true)).await.unwrap();
    for line in include_str!("../fixtures/own/dated.tsv").lines().skip(1) {
        let [now, question, id] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let query = MemoryQuery {
            query: question.to_owned(),
            now: Some(now.to_owned()),
            ..MemoryQuery::default()
        };
        let hits = memory.search(&query).await.unwrap().hits;
        let right = hits.iter().take(2).any(|hit| hit.docs.iter().any(|doc| doc.starts_with(id)));
        assert!(right, "{question}: {:?}", hits.first());
    }
}
