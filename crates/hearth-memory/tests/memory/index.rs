//! The index follows the files, and can be lost.

use std::fs;

use hearth_protocol::api::memory::{Layer, MemoryQuery};
use serde_json::json;

use crate::support::{Place, ask, texts};

#[tokio::test]
async fn files_that_change_or_go_are_noticed() {
    let place = Place::new();
    place.write("MEMORY.md", "# Memory\n\n## Tea\n<!-- id: m1 -->\nOolong in the morning.\n");
    place.write("memory/2026-11-28.md", "- 09:00 Called the plumber about the sink.\n");
    let memory = place.memory().await;
    assert_eq!(texts(&memory, "oolong").await, ["Tea: Oolong in the morning."]);
    assert_eq!(texts(&memory, "plumber").await, ["2026-11-28: Called the plumber about the sink."]);
    assert_eq!(memory.sync().await.unwrap(), 0);

    place.write("MEMORY.md", "# Memory\n\n## Tea\n<!-- id: m1 -->\nSencha in the morning.\n");
    fs::remove_file(place.folder.path().join("workspace/memory/2026-11-28.md")).unwrap();
    assert_eq!(memory.sync().await.unwrap(), 2);
    assert!(texts(&memory, "oolong").await.is_empty());
    assert!(texts(&memory, "plumber").await.is_empty());
    let hit = &ask(&memory, "sencha").await.hits[0];
    assert_eq!((hit.id.as_str(), hit.path.as_str(), hit.from, hit.to), ("m1", "MEMORY.md", 3, 5));
    assert_eq!(hit.layer, Layer::LongTerm);
}

#[tokio::test]
async fn superseded_entries_are_never_recalled() {
    let place = Place::new();
    place.write(
        "MEMORY.md",
        "## City\n<!-- id: a; status: superseded by b -->\nLives in Berlin.\n## City\n<!-- id: b -->\nLives in Lisbon.\n",
    );
    let memory = place.memory().await;
    assert!(texts(&memory, "Berlin").await.is_empty());
    assert_eq!(texts(&memory, "city").await, ["City: Lives in Lisbon."]);
}

#[tokio::test]
async fn a_deleted_or_broken_index_gives_the_same_answers() {
    let place = Place::new();
    place.write("memory/2026-11-28.md", "- **A**: 我喜欢喝咖啡\n- **B**: 下午三点以后不喝\n");
    let memory = place.memory().await;
    let first = texts(&memory, "咖啡").await;
    assert_eq!(first.len(), 2, "a turn and its neighbour");
    memory.close().await;

    fs::remove_file(place.index()).unwrap();
    let memory = place.memory().await;
    assert_eq!(texts(&memory, "咖啡").await, first);
    memory.close().await;

    fs::write(place.index(), "this is no database at all, only some text".repeat(100)).unwrap();
    let memory = place.memory().await;
    assert_eq!(texts(&memory, "咖啡").await, first);
    assert!(memory.status().await.unwrap().note.contains("was damaged"));
    assert!(place.folder.path().join("index.damaged.db").exists());
}

#[tokio::test]
async fn a_rebuild_is_a_new_generation_with_the_same_answers() {
    let place = Place::new();
    place.write("notes.md", "# Boat\n\nThe mast is eleven metres.\n\nThe keel is lead.\n");
    let memory = place.memory().await;
    let before = (texts(&memory, "mast").await, memory.status().await.unwrap());
    memory.reindex(&mut |_| true).await.unwrap();
    let after = (texts(&memory, "mast").await, memory.status().await.unwrap());
    assert_eq!(before.0, after.0);
    assert_eq!((before.1.chunks, after.1.chunks), (2, 2));
    assert_eq!((before.1.generation, after.1.generation), (1, 2));
}

#[tokio::test]
async fn imported_notes_keep_their_ids_and_come_once() {
    let place = Place::new();
    let memory = place.memory().await;
    let notes: String = [
        json!({ "id": "c/1", "date": "2023-04-27T09:00", "session": "s", "speaker": "Emily", "text": "I paint.\n\n- with oil\n# and chalk", "lang": "en" }),
        json!({ "id": "c; 2 -->", "date": "2023-04-27T09:01", "session": "s", "speaker": "AI", "text": "Lovely <!-- really -->." }),
        json!({ "id": "c/3", "date": "2023-04-28", "text": "昨天下雨" }),
    ]
    .map(|note| note.to_string() + "\n")
    .concat();
    let done = memory.import(&notes).await.unwrap();
    assert_eq!((done.imported, done.skipped, done.files), (3, 0, 2));
    let again = memory.import(&notes).await.unwrap();
    assert_eq!((again.imported, again.skipped, again.files), (0, 3, 0));
    assert!(
        place
            .read("memory/2023-04-27.md")
            .starts_with("# 2023-04-27\n\n- 09:00 **Emily**: I paint.")
    );

    let hit = &ask(&memory, "chalk").await.hits[0];
    assert_eq!(hit.docs, ["c/1"]);
    assert_eq!(hit.text, "2023-04-27 Emily: I paint.\n\n- with oil\n# and chalk");
    assert_eq!(hit.chars, hit.text.chars().count());
    assert_eq!(ask(&memory, "lovely").await.hits[0].docs, ["c; 2 -->"]);
    assert_eq!(ask(&memory, "下雨").await.hits[0].id, "c/3");
}

#[tokio::test]
async fn a_wrong_line_imports_nothing() {
    let place = Place::new();
    let memory = place.memory().await;
    for bad in ["{\"id\":\"2\",\"text\":\"x\"}", "not json", "{\"date\":\"soon\",\"text\":\"x\"}"] {
        let notes =
            format!("{}\n{bad}\n", json!({ "id": "1", "date": "2023-04-27", "text": "good" }));
        let error = memory.import(&notes).await.unwrap_err();
        assert!(error.to_string().starts_with("line 2:"), "{error}");
    }
    assert_eq!(memory.status().await.unwrap().chunks, 0);
}

#[tokio::test]
async fn limits_and_layers_are_kept() {
    let place = Place::new();
    let log: String = (0..40).map(|n| format!("- harbour note number {n} of many\n")).collect();
    place.write("memory/2026-11-28.md", &log);
    place.write("memory/2020-01-01.md", "- the harbour was closed for repairs\n");
    let memory = place.memory().await;
    let asked = |query: MemoryQuery| {
        let memory = memory.clone();
        async move { memory.search(&query).await.unwrap().hits }
    };
    let query = MemoryQuery {
        query: "harbour".to_owned(),
        now: Some("2026-11-29".to_owned()),
        ..MemoryQuery::default()
    };
    assert_eq!(asked(MemoryQuery { k: Some(3), ..query.clone() }).await.len(), 3);
    let fitting = asked(MemoryQuery { chars: Some(300), ..query.clone() }).await;
    let used: usize = fitting.iter().map(|hit| hit.chars).sum();
    assert!(used <= 300 && fitting.len() > 3, "{used}");
    let old = asked(MemoryQuery { layer: Some(Layer::Semantic), ..query.clone() }).await;
    assert_eq!(old.len(), 1);
    let recent = asked(MemoryQuery { layer: Some(Layer::Recent), ..query }).await;
    assert!(recent.iter().all(|hit| hit.path == "memory/2026-11-28.md") && !recent.is_empty());
}

#[tokio::test]
async fn odd_files_do_no_harm() {
    let place = Place::new();
    place.write("MEMORY.md", &"## A\n<!-- id: x; id: y -->\n\u{feff}\0text\r\n".repeat(500));
    place.write("long.md", &"无空格".repeat(10_000));
    place.write("big.md", &"x".repeat(3 << 20));
    place.write("rtl.md", "שלום עולם\n\nمرحبا بالعالم\n\n👩‍👩‍👧 family\n");
    let memory = place.memory().await;
    assert_eq!(texts(&memory, "שלום").await, ["שלום עולם"]);
    assert_eq!(texts(&memory, "👩").await, ["👩‍👩‍👧 family"]);
    assert!(!texts(&memory, "空格").await.is_empty());
}
