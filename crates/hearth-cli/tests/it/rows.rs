//! The shapes of rows that scripts depend on.

use crate::support::{Bench, said};
use hearth_llm::scripted::Reply;
use serde_json::Value;

fn keys(row: &Value) -> Vec<&str> {
    row.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn rows_have_the_documented_fields() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("Hello.").usage(10, 0, 2));
    bench.run(&["ask", "hello"]).await;
    let sessions = bench.lines(&["sessions", "list", "--json"]).await;
    for field in ["key", "title", "turns", "updated_at"] {
        assert!(keys(&sessions[0]).contains(&field), "{field}");
    }
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    assert_eq!(keys(&rows[0]), ["at", "role", "text", "tool_calls", "turn"]);
    for arguments in [vec!["context", "--json"], vec!["context", "--call", "1", "--json"]] {
        let context = bench.lines(&arguments).await;
        assert!(context[0]["total_tokens"].as_u64().is_some_and(|tokens| tokens > 0));
        assert_eq!(context[0]["window"], 128_000);
        for field in ["name", "source", "chars", "tokens", "reason", "truncated"] {
            assert!(keys(&context[0]["sections"][0]).contains(&field), "{field}");
        }
        assert!(!keys(&context[0]["sections"][0]).contains(&"text"));
    }
    let usage = bench.lines(&["usage", "--json"]).await;
    assert_eq!((usage[0]["calls"].as_u64(), usage[0]["input"].as_u64()), (Some(1), Some(10)));
    let doctor = bench.lines(&["doctor", "--json"]).await;
    assert_eq!(keys(&doctor[0]), ["check", "detail", "fix", "ok"]);
    let models = bench.lines(&["models", "list", "--json"]).await;
    assert!(models.iter().any(|row| row["id"] == "work/scripted-1" && row["default"] == true));
    let local = bench.lines(&["models", "status", "--json"]).await;
    assert_eq!(
        (local[0]["id"].as_str(), local[0]["ready"].as_bool()),
        (Some("local/qwen"), Some(false))
    );
    let files = bench.lines(&["files", "list", "--json"]).await;
    assert_eq!(files[0]["path"], "AGENTS.md");
}

#[tokio::test]
async fn an_export_is_imported_elsewhere() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("Hello."));
    bench.run(&["ask", "hello"]).await;
    let export = bench.run(&["sessions", "export", "assistant:main"]).await;
    std::fs::write(bench.path("export.jsonl"), &export.stdout).expect("writes");
    let file = bench.path("export.jsonl").display().to_string();
    let fresh = Bench::new().await;
    let output = fresh.run(&["sessions", "import", &file]).await;
    assert!(output.status.success(), "{}", said(&output));
    let again = fresh.run(&["sessions", "export", "assistant:main"]).await;
    assert_eq!(text(&again.stdout), text(&export.stdout), "turns, messages and events");
    let sessions = fresh.lines(&["sessions", "list", "--json"]).await;
    assert_eq!((&sessions[0]["turns"], &sessions[0]["title"]), (&1.into(), &"hello".into()));

    let output = bench.run(&["sessions", "import", &file, "--session", "assistant:copy"]).await;
    assert!(output.status.success(), "{}", said(&output));
    let rows = bench.lines(&["sessions", "show", "assistant:copy", "--json"]).await;
    let texts: Vec<_> = rows.iter().map(|row| row["text"].as_str().expect("text")).collect();
    assert_eq!(texts, ["hello", "Hello."]);
    std::fs::write(bench.path("export.jsonl"), "{\"role\": 1}\n").expect("writes");
    let output = bench.run(&["sessions", "import", &file]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("export.jsonl line 1"), "{}", said(&output));
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[cfg(unix)]
#[tokio::test]
async fn a_closed_pipe_is_quiet() {
    let bench = Bench::new().await;
    let binary = env!("CARGO_BIN_EXE_hearth");
    let script = format!("'{binary}' doctor --json | true");
    let mut command = tokio::process::Command::new("sh");
    let output = command
        .args(["-c", &script])
        .env("HEARTH_HOME", bench.folder.path())
        .output()
        .await
        .expect("runs");
    assert_eq!(said(&output), "");
}
