//! `hearth memory`: what is imported is found, in the shapes that scripts read.

use crate::support::{Bench, json_lines, said};
use serde_json::json;
use std::process::Stdio;
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
    assert_eq!(added, [expected.clone()]);
    assert!(added[0]["at"].as_i64().is_some_and(|at| at > 1_700_000_000));
    assert_eq!(bench.lines(&["memory", "list", "--json"]).await, [expected.clone()]);
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
