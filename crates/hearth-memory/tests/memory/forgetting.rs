//! What was forgotten or superseded is found by no search of any kind.

use hearth_protocol::api::memory::{MemoryQuery, SearchMode};

use crate::support::{Letters, Place};

const SECRET: &str = "The safe behind the mirror opens with 48-15-16, 镜子后面的保险箱";

fn memory_file(with_secret: bool) -> String {
    let mut text = String::from("# Memory\n\n");
    for n in 0..30 {
        text.push_str(&format!(
            "## Topic {n}\n<!-- id: e{n}; kind: fact; time: 2026-10-0{} -->\nThe mirror number {n} hangs in room {n}, 第{n}面镜子。\n\n",
            n % 9 + 1
        ));
        if with_secret && n == 14 {
            text.push_str(&format!("## Safe\n<!-- id: safe; kind: fact -->\n{SECRET}.\n\n"));
        }
    }
    text
}

/// Questions of all lengths made of the words of the secret, and others.
fn questions() -> Vec<String> {
    let words: Vec<&str> =
        SECRET.split([' ', ',']).chain(["mirror", "room", "safe", "保险", "镜子"]).collect();
    (0..334)
        .map(|n| {
            let count = 1 + n % 7;
            let picked: Vec<&str> =
                (0..count).map(|k| words[(n * 7 + k * 3 + n / 11) % words.len()]).collect();
            picked.join(" ")
        })
        .collect()
}

#[tokio::test]
async fn a_thousand_searches_return_nothing_of_what_was_forgotten() {
    let place = Place::new();
    place.write("MEMORY.md", &memory_file(true));
    let memory = place.memory_with(Some(Letters::new(96)), None).await;
    memory.embed(&mut |_| true).await.unwrap();
    let ask = async |query: &str, mode| {
        let asked =
            MemoryQuery { query: query.to_owned(), k: Some(200), mode, ..MemoryQuery::default() };
        memory.search(&asked).await.unwrap().hits
    };
    let before = ask("safe behind the mirror", SearchMode::Hybrid).await;
    assert_eq!(before[0].id, "safe");

    place.write("MEMORY.md", &memory_file(false));
    memory.sync().await.unwrap();
    memory.scrub().await.unwrap();
    let mut searches = 0;
    let mut hits = 0;
    for query in questions() {
        for mode in [SearchMode::Hybrid, SearchMode::Keyword, SearchMode::Vector] {
            for hit in ask(&query, mode).await {
                hits += 1;
                assert_ne!(hit.id, "safe");
                assert!(!hit.text.contains("48-15-16") && !hit.text.contains("保险箱"), "{hit:?}");
            }
            searches += 1;
        }
    }
    assert!(searches >= 1_000 && hits > searches, "{hits} hits in {searches} searches");
    memory.close().await;
    let bytes = std::fs::read(place.index()).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("hangs in room 13"), "the index itself is looked at");
    for part in ["48-15-16", "opens with", "481516", "保险箱"] {
        assert!(!holds(part), "{part:?} lies in the file");
    }
}

#[tokio::test]
async fn the_new_fact_answers_and_the_old_one_never_does() {
    let place = Place::new();
    let mut text = String::from("# Memory\n\n");
    let facts: Vec<Vec<&str>> = include_str!("../fixtures/own/corrected.tsv")
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect();
    for fact in &facts {
        let [id, title, old, new, _] = fact[..] else { panic!("five columns") };
        text.push_str(&format!(
            "## {title}\n<!-- id: {id}-old; status: superseded by {id} -->\n{old}\n\n## {title}\n<!-- id: {id}; status: active -->\n{new}\n\n"
        ));
    }
    place.write("MEMORY.md", &text);
    let memory = place.memory_with(Some(Letters::new(96)), None).await;
    memory.embed(&mut |_| true).await.unwrap();
    for fact in &facts {
        let [id, _, old, _, question] = fact[..] else { panic!("five columns") };
        for mode in [SearchMode::Hybrid, SearchMode::Keyword, SearchMode::Vector] {
            for query in [question, old] {
                let asked = MemoryQuery {
                    query: query.to_owned(),
                    k: Some(100),
                    mode,
                    ..MemoryQuery::default()
                };
                let hits = memory.search(&asked).await.unwrap().hits;
                assert!(hits.iter().all(|hit| !hit.id.ends_with("-old")), "{query}");
                // Letters know nothing of meaning.
                if query == question && mode == SearchMode::Keyword {
                    assert_eq!(hits[0].id, id, "{query} ({mode:?})");
                }
            }
        }
    }
}
