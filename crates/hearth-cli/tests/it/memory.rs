//! `hearth memory`: what is imported is found, in the shapes that scripts read.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::{Gate, Reply};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

fn notes() -> String {
    let turn = |id: &str, speaker: &str, text: &str| {
        let date = "2023-04-27T09:00";
        json!({ "id": id, "conv": "c", "session": "s", "date": date, "speaker": speaker, "text": text })
            .to_string()
    };
    let turns = [
        turn("c/1", "Emily", "I keep my spare key under the blue pot."),
        turn("c/2", "AI", "Noted: the blue pot."),
        turn("c/3", "Emily", "房东的电话是 138-0013-8000。"),
    ];
    turns.join("\n")
}

#[tokio::test]
async fn imported_notes_are_found_with_their_ids() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("notes.jsonl"), notes()).expect("writes");
    let file = bench.path("notes.jsonl").display().to_string();
    let done = bench.lines(&["memory", "import", &file, "--json"]).await;
    assert_eq!(done, [json!({ "imported": 3, "skipped": 0, "files": 1 })]);

    let found = bench.lines(&["memory", "search", "spare key", "--json", "-k", "1"]).await;
    let hit = &found[0]["hits"][0];
    assert_eq!(hit["docs"], json!(["c/1"]));
    assert_eq!(
        (&hit["path"], &hit["from"], &hit["to"]),
        (&json!("memory/2023-04-27.md"), &json!(3), &json!(3))
    );
    assert_eq!((&hit["layer"], &hit["vector"]), (&json!("L4"), &json!(null)));
    assert_eq!(hit["text"], "2023-04-27 Emily: I keep my spare key under the blue pot.");
    assert_eq!((&found[0]["mode"], &found[0]["nothing_found"]), (&json!("keyword"), &json!(false)));

    let status = bench.lines(&["memory", "status", "--json"]).await;
    assert_eq!(status[0]["model"], json!(null));
    assert!(status[0]["note"].as_str().is_some_and(|note| note.contains("by words alone")));
    let again = bench.lines(&["memory", "reindex", "--json"]).await;
    assert_eq!((&again[0]["generation"], &again[0]["chunks"]), (&json!(2), &status[0]["chunks"]));

    let history = bench.lines(&["files", "history", "memory/2023-04-27.md", "--json"]).await;
    assert_eq!(history[0]["author"], "import");
}

#[tokio::test]
async fn questions_are_read_from_standard_input() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("notes.jsonl"), notes()).expect("writes");
    let file = bench.path("notes.jsonl").display().to_string();
    bench.lines(&["memory", "import", &file, "--json"]).await;
    let mut child = bench
        .command(&["memory", "search", "-", "--json", "--mode", "keyword"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all("房东\n\nNEAR(\"\nzebra\n".as_bytes()).await.expect("writes");
    drop(stdin);
    let output = child.wait_with_output().await.expect("ends");
    assert!(output.status.success(), "{}", said(&output));
    let answers = json_lines(&output);
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0]["hits"][0]["docs"], json!(["c/3"]));
    let nothing: Vec<_> = answers.iter().map(|answer| answer["nothing_found"].clone()).collect();
    assert_eq!(nothing, [json!(false), json!(true), json!(true), json!(true)]);
}

#[tokio::test]
async fn recall_is_measured() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("docs.jsonl"), notes()).expect("writes");
    let question = json!({ "id": "q", "conv": "c", "text": "Where is the spare key?", "category": "where", "gold": ["c/1"] });
    std::fs::write(bench.path("queries.jsonl"), question.to_string()).expect("writes");
    let path = |name: &str| bench.path(name).display().to_string();
    let (docs, queries, rankings) =
        (path("docs.jsonl"), path("queries.jsonl"), path("rankings.jsonl"));
    let figures = bench
        .lines(&[
            "memory",
            "eval",
            "--docs",
            &docs,
            "--queries",
            &queries,
            "--rankings",
            &rankings,
            "--json",
        ])
        .await;
    assert_eq!(figures[0]["recall_at_chars"], json!({ "500": 1.0, "2000": 1.0, "8000": 1.0 }));
    assert_eq!(
        (&figures[0]["mrr"], &figures[0]["categories"]["where"]["ndcg"]),
        (&json!(1.0), &json!(1.0))
    );
    let ranked = std::fs::read_to_string(bench.path("rankings.jsonl")).expect("written");
    assert!(ranked.starts_with("{\"query_id\":\"q\",\"ranked\":[{\"docs\":[\"c/1\"],"), "{ranked}");
}

#[tokio::test]
async fn a_wrong_line_is_said_in_one_line() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("notes.jsonl"), notes() + "\n{}").expect("writes");
    let file = bench.path("notes.jsonl").display().to_string();
    let output = bench.run(&["memory", "import", &file]).await;
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(said.contains("line 4:") && said.contains("Nothing was imported"), "{said}");
    assert!(!bench.path("workspace/memory/2023-04-27.md").exists());
}

#[tokio::test]
async fn an_entry_is_added_listed_shown_forgotten_and_brought_back() {
    let bench = Bench::new().await;
    let add =
        ["memory", "add", "The cat is called Ada.", "--title", "Cat", "--kind", "fact", "--json"];
    let added = bench.lines(&add).await;
    let id = added[0]["id"].as_str().expect("an id").to_owned();
    let expected = json!({ "id": id, "kind": "fact", "title": "Cat", "text": "The cat is called Ada.",
        "at": added[0]["at"], "status": "active", "path": "MEMORY.md", "lines": [5, 7] });
    assert_eq!(added, std::slice::from_ref(&expected));
    assert!(added[0]["at"].as_i64().is_some_and(|at| at > 1_700_000_000));
    assert_eq!(bench.lines(&["memory", "list", "--json"]).await, std::slice::from_ref(&expected));
    assert_eq!(bench.lines(&["memory", "get", "MEMORY.md:6-6", "--json"]).await, [expected]);
    let shown = bench.run(&["memory", "get", "MEMORY.md:5-7"]).await;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.starts_with("## Cat\n<!-- id: ") && shown.ends_with("The cat is called Ada.\n"));

    let done = bench.lines(&["memory", "forget", &id, "--json"]).await;
    assert_eq!((&done[0]["id"], &done[0]["files"]), (&json!(id), &json!(1)));
    assert!(bench.lines(&["memory", "list", "--json"]).await.is_empty());
    let found = bench.lines(&["memory", "search", "cat Ada", "--json"]).await;
    assert_eq!(found[0]["nothing_found"], true);
    let back = bench.lines(&["memory", "restore", &id, "--json"]).await;
    assert_eq!(back[0]["text"], "The cat is called Ada.");
    let history = bench.lines(&["memory", "history", &id, "--json"]).await;
    let changes: Vec<_> = history.iter().map(|row| row["change"].clone()).collect();
    assert_eq!(changes, [json!("created"), json!("forgotten"), json!("restored")]);

    let output = bench.run(&["memory", "forget", "m0"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("no entry has the id `m0`"), "{}", said(&output));
    let output = bench.run(&["memory", "add", "x", "--kind", "rumour"]).await;
    assert_eq!(output.status.code(), Some(2));
}

#[tokio::test]
async fn processes_that_remember_at_once_lose_nothing() {
    let bench = Bench::new().await;
    // The home and its templates are there before they meet.
    bench.lines(&["memory", "list", "--json"]).await;
    let words = ["apple", "bridge", "cloud", "desk", "engine", "forest"];
    let texts: Vec<String> = words.iter().map(|word| format!("The {word} is blue")).collect();
    let children: Vec<_> = texts.iter().map(|text| bench.start(&["memory", "add", text])).collect();
    for child in children {
        let output = child.wait_with_output().await.expect("ends");
        assert!(output.status.success(), "{}", said(&output));
    }
    let rows = bench.lines(&["memory", "list", "--json"]).await;
    let mut found: Vec<_> = rows.iter().filter_map(|row| row["text"].as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, texts);
}

#[tokio::test]
async fn a_turn_is_given_what_memory_knows_and_says_so() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("notes.jsonl"), notes()).expect("writes");
    let file = bench.path("notes.jsonl").display().to_string();
    bench.lines(&["memory", "import", &file, "--json"]).await;
    bench.server.push(Reply::new().text("Under the blue pot."));
    let events = bench.lines(&["ask", "--json", "Where is my spare key?"]).await;
    let recalled = events.iter().find(|event| event["event"] == "memory").expect("an event");
    assert_eq!(
        (&recalled["kind"], &recalled["id"], &recalled["path"], &recalled["from"]),
        (&json!("recalled"), &json!("c/1"), &json!("memory/2023-04-27.md"), &json!(3))
    );
    assert!(recalled["why"].as_str().is_some_and(|why| why.starts_with("words ")));
    let request = bench.server.requests().pop().expect("a request");
    assert!(request.body.to_string().contains("I keep my spare key under the blue pot."));
    let context = bench.lines(&["context", "--call", "1", "--json"]).await;
    let sections = context[0]["sections"].as_array().expect("sections");
    let section = sections.iter().find(|section| section["name"] == "recalled").expect("its own");
    assert!(section["reason"].as_str().is_some_and(|why| why.contains("memory/2023-04-27.md#L3")));

    bench.server.push(Reply::new().text("No idea."));
    let events = bench.lines(&["ask", "--json", "zebra quotient"]).await;
    assert!(events.iter().all(|event| event["event"] != "memory"), "{events:?}");
}

#[tokio::test]
async fn another_conversation_is_remembered_until_the_setting_is_off() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("Noted."));
    bench.lines(&["ask", "--json", "--session", "assistant:work", "My locker code is 7788."]).await;
    let found = bench.lines(&["memory", "search", "locker code", "--json"]).await;
    let hit = &found[0]["hits"][0];
    assert_eq!(
        (&hit["path"], &hit["layer"]),
        (&json!("conversation:assistant:work"), &json!("L2"))
    );
    bench.server.push(Reply::new().text("7788."));
    let events = bench.lines(&["ask", "--json", "What is the code of my locker?"]).await;
    assert!(events.iter().any(|event| event["event"] == "memory"), "{events:?}");

    bench.settings("[memory]\nindex_conversations = false\n");
    let found = bench.lines(&["memory", "search", "locker code", "--json"]).await;
    let hits = found[0]["hits"].as_array().expect("hits");
    let said =
        |hit: &Value| hit["path"].as_str().is_some_and(|path| path.starts_with("conversation:"));
    assert!(!hits.iter().any(said), "{hits:?}");
}

#[tokio::test]
async fn a_saved_log_is_found_within_two_seconds() {
    let bench = Bench::new().await;
    bench.lines(&["memory", "search", "anything", "--json"]).await;
    // An owner that stays: its turn waits for the model until the end of the test.
    let gate = Gate::default();
    bench.server.push(Reply::new().hold(&gate).text("Done."));
    let asking = bench.start(&["ask", "hello"]);
    let owned = async {
        while bench.server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), owned).await.expect("the turn begins");
    std::fs::create_dir_all(bench.path("workspace/memory")).expect("makes");
    std::fs::write(bench.path("workspace/memory/2026-11-01.md"), "- the kayak is in the shed\n")
        .expect("writes");
    let saved = Instant::now();
    loop {
        let found = bench.lines(&["memory", "search", "kayak", "--json"]).await;
        if found[0]["nothing_found"] == json!(false) {
            break;
        }
        // The promise is two seconds; each look starts a process, on a machine that may be busy.
        assert!(saved.elapsed() < Duration::from_secs(20), "not found in time");
    }
    gate.open();
    let output = asking.wait_with_output().await.expect("ends");
    assert!(output.status.success(), "{}", said(&output));
}
