//! Imports from other assistants, by the command line.

use crate::support::{Bench, json_lines, said};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn conversation(id: &str, title: &str, asked: &str, answered: &str) -> Value {
    let node = |parent: Option<&str>, role: &str, at: i64, text: &str| {
        json!({"parent": parent, "children": [], "message": {"author": {"role": role}, "create_time": at,
            "content": {"content_type": "text", "parts": [text]}, "metadata": {"model_slug": "gpt-5"}, "recipient": "all"}})
    };
    json!({"conversation_id": id, "title": title, "create_time": 1_710_000_000.2, "update_time": 1_710_000_100.0,
        "current_node": "b", "mapping": {
            "root": {"parent": null, "message": null},
            "a": node(Some("root"), "user", 1_710_000_001, asked),
            "b": node(Some("a"), "assistant", 1_710_000_050, answered)}})
}

fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, text).expect("written");
    path
}

async fn import(bench: &Bench, source: &str, path: &Path, more: &[&str]) -> Value {
    let path = path.to_str().expect("UTF-8");
    let mut arguments = vec!["import", source, path, "--json"];
    arguments.extend(more);
    let output = bench.run(&arguments).await;
    json_lines(&output).pop().unwrap_or_else(|| panic!("a report: {}", said(&output)))
}

fn counts(report: &Value) -> [u64; 5] {
    ["added", "already_there", "skipped", "failed", "messages"]
        .map(|name| report["counts"][name].as_u64().expect("a count"))
}

/// Rows of `name: state reason target`.
fn rows(report: &Value) -> Vec<String> {
    let items = report["items"].as_array().expect("items");
    let row = |item: &Value| {
        let word = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {} {} {}", word("name"), word("state"), word("reason"), word("target"))
    };
    items.iter().map(|item| row(item).trim_end().to_owned()).collect()
}

#[tokio::test]
async fn an_export_comes_once_and_is_found_like_any_conversation() {
    let bench = Bench::new().await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let list = json!([
        conversation("c-1", "Three days in Lisbon", "What shall I see in Lisbon?", "Begin with the Alfama quarter."),
        {"title": "Half of one", "mapping": 4},
        conversation("c-2", "", "How long do I boil a goose egg?", "Thirteen minutes."),
        {"id": "c-3", "title": "Nothing said", "mapping": {}},
        conversation("c-1", "Again", "What shall I see in Lisbon?", "Begin with the Alfama quarter."),
    ]);
    let path = write(elsewhere.path(), "conversations.json", &list.to_string());
    let dry = import(&bench, "chatgpt", &path, &["--dry-run"]).await;
    assert!(
        bench.lines(&["sessions", "list", "--json"]).await.is_empty(),
        "a dry run writes nothing"
    );
    let real = import(&bench, "chatgpt", elsewhere.path(), &[]).await;
    assert_eq!(counts(&real), [2, 1, 1, 1, 4]);
    assert_eq!((counts(&dry), rows(&dry)), (counts(&real), rows(&real)));
    assert_eq!(
        rows(&real),
        [
            "Three days in Lisbon: added new assistant:import:chatgpt:c-1",
            "Half of one: failed unreadable",
            "How long do I boil a goose egg?: added new assistant:import:chatgpt:c-2",
            "Nothing said: skipped empty",
            "Again: already_there same assistant:import:chatgpt:c-1",
        ]
    );
    let told = bench.run(&["import", "chatgpt", path.to_str().expect("UTF-8")]).await;
    assert_eq!(told.status.code(), Some(1), "an item failed");
    assert_eq!(said(&told), "hearth: 1 item could not be imported; the rest is dealt with\n");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("0 added (0 messages), 3 already there, 1 skipped, 1 failed"), "{text}");

    let sessions = bench.lines(&["sessions", "list", "--json"]).await;
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0]["updated_at"], 1_710_000_100);
    let key = "assistant:import:chatgpt:c-2";
    let messages = bench.lines(&["sessions", "show", key, "--json"]).await;
    assert_eq!(messages[1]["text"], "Thirteen minutes.");
    assert_eq!(messages[1]["at"], 1_710_000_050);
    let found =
        bench.lines(&["memory", "search", "goose egg", "--mode", "keyword", "--json"]).await;
    assert!(found[0].to_string().contains("Thirteen minutes"), "{found:?}");
    assert!(bench.server.requests().is_empty(), "no model reads what was said years ago");
}

#[tokio::test]
async fn a_past_conversation_goes_on() {
    let bench = Bench::new().await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let list = json!([{"uuid": "u-1", "name": "Clause", "chat_messages": [
        {"sender": "human", "content": [{"type": "text", "text": "Read the clause."}], "created_at": "2025-02-03T10:00:00Z"},
        {"sender": "assistant", "created_at": "2025-02-03T10:00:09Z", "content": [
            {"type": "tool_use", "id": "t", "name": "view file", "input": {"path": "clause.md"}},
            {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "Liability is unlimited."}]},
            {"type": "text", "text": "It is broad."}]}]}]);
    let path = write(elsewhere.path(), "x.json", &list.to_string());
    assert_eq!(counts(&import(&bench, "claude", &path, &[]).await), [1, 0, 0, 0, 4]);
    bench.server.push(hearth_llm::scripted::Reply::new().text("Cap it."));
    let key = "assistant:import:claude:u-1";
    let events = bench.lines(&["ask", "--json", "--session", key, "What now?"]).await;
    assert_eq!(events.last().expect("events")["reply"], "Cap it.");
    let request = bench.server.requests()[0].body.to_string();
    for word in
        ["Read the clause.", "view_file", "Liability is unlimited.", "It is broad.", "What now?"]
    {
        assert!(request.contains(word), "{word}: {request}");
    }
}

#[tokio::test]
async fn what_is_no_export_is_one_clear_line() {
    let bench = Bench::new().await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let list = json!([conversation("c-1", "t", "a", "b")]).to_string();
    let right = write(elsewhere.path(), "conversations.json", &list);
    let words = write(elsewhere.path(), "words.txt", "just words");
    let cut = write(elsewhere.path(), "cut.json", &list[..list.len() - 30]);
    for (arguments, code, line) in [
        (
            ["claude", right.to_str().expect("UTF-8")],
            1,
            "is an export of ChatGPT, not of Claude. Import it as `hearth import chatgpt PATH`.",
        ),
        (["chatgpt", words.to_str().expect("UTF-8")], 1, "is no data export of ChatGPT"),
        (["chatgpt", cut.to_str().expect("UTF-8")], 1, "ends before the first conversation"),
        (["chatgpt", "nowhere.zip"], 1, "is not there. Check the spelling."),
        (["openclaw", right.to_str().expect("UTF-8")], 1, "holds neither a workspace"),
        (["gemini", "x"], 2, "one of openclaw, chatgpt, claude"),
    ] {
        let output = bench.run(&["import", arguments[0], arguments[1]]).await;
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(said(&output).contains(line), "{arguments:?}: {}", said(&output));
    }
    assert!(bench.lines(&["sessions", "list", "--json"]).await.is_empty());
}

#[tokio::test]
async fn a_kept_span_of_days_is_kept() {
    let bench = Bench::new().await;
    bench.settings("[sessions]\nkeep_days = 30\n");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let list = json!([conversation("c-1", "Old", "a", "b")]).to_string();
    let path = write(elsewhere.path(), "conversations.json", &list);
    assert_eq!(rows(&import(&bench, "chatgpt", &path, &[]).await), ["Old: skipped too_old"]);
}

fn openclaw(root: &Path) {
    write(root, "openclaw.json", "{}");
    write(root, "workspace/SOUL.md", "# Soul\n\nYou are Claw, dry and kind.\n");
    write(root, "workspace/USER.md", "# User\n\nName: Ada\n");
    write(root, "workspace/BOOTSTRAP.md", "# Hello\n");
    write(root, "workspace/notes/boat.md", "The mooring is at the inner quay.\n");
    write(
        root,
        "workspace/memory/2026-02-01.md",
        "# 2026-02-01\n\n- 09:30 tea with Bo\n- bought rope\n",
    );
    write(root, "workspace/photo.txt", "no Markdown");
    write(root, "workspace/broken.md", "a\0b");
    write(
        root,
        "workspace/skills/note-sum/SKILL.md",
        "---\nname: note-sum\ndescription: Sums up a note.\n---\n\nRead it.\n",
    );
    write(root, "workspace/skills/bad/SKILL.md", "");
    let line = |id: &str, parent: Option<&str>, role: &str, text: &str| {
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-02-01T09:30:00.000Z",
            "message": {"role": role, "content": [{"type": "text", "text": text}]}})
        .to_string()
    };
    let session = [
        json!({"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-02-01T09:29:00.000Z", "cwd": "/w"}).to_string(),
        line("1", None, "user", "Where is the mooring?"),
        line("2", Some("1"), "assistant", "At the inner quay."),
        "half a li".to_owned(),
    ];
    write(root, "agents/main/sessions/s-1.jsonl", &session.join("\n"));
    write(root, "agents/main/sessions/s-2.jsonl", "no transcript\n");
    write(root, "agents/main/sessions/s-3.jsonl", &session.join("\n"));
    let index = json!({"agent:main:cron:daily": {"sessionId": "s-3"}});
    write(root, "agents/main/sessions/sessions.json", &index.to_string());
}

#[tokio::test]
async fn a_workspace_of_openclaw_comes_without_touching_mine() {
    let bench = Bench::new().await;
    let claw = tempfile::tempdir().expect("a folder");
    openclaw(claw.path());
    bench.run(&["files", "list"]).await;
    let mine = bench.path("workspace");
    write(&mine, "USER.md", "# User\n\nName: Grace\n");
    write(&mine, "memory/2026-02-01.md", "# 2026-02-01\n\n- bought rope\n");
    let dry = import(&bench, "openclaw", claw.path(), &["--dry-run"]).await;
    assert!(!mine.join("notes").exists() && !mine.join("imported").exists());
    let real = import(&bench, "openclaw", claw.path(), &[]).await;
    assert_eq!((counts(&dry), rows(&dry)), (counts(&real), rows(&real)));
    assert_eq!(
        rows(&real),
        [
            "photo.txt: skipped not_taken",
            "BOOTSTRAP.md: skipped not_taken",
            "SOUL.md: added over_template SOUL.md",
            "USER.md: added beside imported/openclaw/USER.md",
            "broken.md: failed unreadable",
            "memory/2026-02-01.md: added merged memory/2026-02-01.md",
            "notes/boat.md: added new notes/boat.md",
            "bad: skipped refused",
            "note-sum: added new note-sum",
            "Where is the mooring?: added left_out assistant:import:openclaw:main:s-1",
            "s-2.jsonl: failed unreadable",
            "s-3.jsonl: skipped by_itself",
        ]
    );
    let read = |path: &str| fs::read_to_string(mine.join(path)).expect("is there");
    assert_eq!(read("USER.md"), "# User\n\nName: Grace\n");
    assert_eq!(read("imported/openclaw/USER.md"), "# User\n\nName: Ada\n");
    assert_eq!(read("SOUL.md"), "# Soul\n\nYou are Claw, dry and kind.\n");
    let log = read("memory/2026-02-01.md");
    assert_eq!(log, "# 2026-02-01\n\n- bought rope\n\n- 09:30 tea with Bo\n");
    let history = bench.lines(&["files", "history", "SOUL.md", "--json"]).await;
    assert_eq!(
        (&history[0]["author"], &history[1]["author"]),
        (&json!("import"), &json!("template"))
    );
    let skills = bench.lines(&["skills", "list", "--json"]).await;
    assert!(skills.iter().any(|row| row["name"] == "note-sum" && row["source"] == "workspace"));
    let found =
        bench.lines(&["memory", "search", "tea with Bo", "--mode", "keyword", "--json"]).await;
    assert!(found[0].to_string().contains("tea with Bo"), "{found:?}");

    let again = import(&bench, "openclaw", claw.path(), &[]).await;
    assert_eq!(counts(&again)[0], 0, "a second time nothing comes: {:?}", rows(&again));
    assert_eq!(read("memory/2026-02-01.md"), log);
    assert!(bench.server.requests().is_empty());
    let left = fs::read_dir(bench.path("")).expect("reads").flatten();
    let left: Vec<_> =
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_kill_in_the_middle_loses_nothing() {
    let bench = Bench::new().await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let filling = "word ".repeat(400);
    let all = (0..4000).map(|number| conversation(&format!("c-{number}"), "t", &filling, "b"));
    let list = Value::Array(all.collect()).to_string();
    let path = write(elsewhere.path(), "conversations.json", &list);
    let mut child = bench.start(&["import", "chatgpt", path.to_str().expect("UTF-8"), "--json"]);
    let mut seen = 0;
    while seen == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if bench.path("hearth.db").exists() {
            let output = bench.run(&["sessions", "list", "--json"]).await;
            seen = json_lines(&output).len();
        }
    }
    child.kill().await.expect("kills");
    let rest = counts(&import(&bench, "chatgpt", &path, &[]).await);
    assert_eq!(rest[0] + rest[1], 4000);
    assert!(rest[1] >= seen as u64 && rest[0] > 0, "{rest:?} after {seen}");
    for row in bench.lines(&["sessions", "list", "--json"]).await {
        assert_eq!(row["turns"], 1, "each is whole: {row}");
    }
}
