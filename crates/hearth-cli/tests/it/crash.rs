//! Killed in the middle of a stream: the next start finds a well-formed session.

use crate::support::Bench;
use hearth_llm::scripted::{Gate, Reply};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};

#[tokio::test]
async fn a_kill_in_the_middle_of_a_stream_loses_no_message() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("Half a").hold(&Gate::default()));
    let mut child = bench.start(&["ask", "--json", "tell me"]);
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.contains("Half a") {
            break;
        }
    }
    child.kill().await.expect("kills");
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    assert_eq!(rows[0]["text"], "tell me");
    bench.server.push(Reply::new().text("Here again."));
    let events = bench.lines(&["ask", "--json", "go on"]).await;
    assert_eq!(events.last().expect("events")["reply"], "Here again.");
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    let roles: Vec<_> = rows.iter().map(|row| row["role"].as_str().expect("a role")).collect();
    assert!(
        roles == ["user", "assistant", "user", "assistant"]
            || roles == ["user", "user", "assistant"],
        "{roles:?}"
    );
}

/// Runs until a line of the events holds this and the server was asked so often in all, then kills.
async fn kill_at(bench: &Bench, text: &str, mark: &str, asked: usize) {
    let mut child = bench.start(&["ask", "--json", text]);
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.contains(mark) {
            break;
        }
    }
    bench.server.asked(asked).await;
    child.kill().await.expect("kills");
}

/// The session goes on: the next request is in order and names all that was said.
async fn goes_on(bench: &Bench, said: &[&str]) {
    let before = bench.server.requests().len();
    bench.server.push(Reply::new().text("Here again."));
    let events = bench.lines(&["ask", "--json", "go on"]).await;
    assert_eq!(events.last().expect("events")["reply"], "Here again.");
    let request = &bench.server.requests()[before].body;
    let messages = request["messages"].as_array().expect("messages");
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message["role"].as_str().expect("a role") {
            "tool" => {
                let id = message["tool_call_id"].as_str().expect("an id");
                open.retain(|call| *call != id);
            }
            _ => assert!(open.is_empty(), "calls without result: {open:?} in {request}"),
        }
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.filter_map(|call| call["id"].as_str()));
    }
    assert!(open.is_empty(), "calls without result: {open:?} in {request}");
    let text = request.to_string();
    for word in said {
        assert!(text.contains(word), "{word} is lost: {text}");
    }
}

#[tokio::test]
async fn a_kill_at_each_stage_of_a_turn_leaves_a_session_that_goes_on() {
    let bench = Bench::new().await;
    // Before the model answers.
    bench.server.push(Reply::new().hold(&Gate::default()));
    kill_at(&bench, "stage one", "\"started\"", 1).await;
    goes_on(&bench, &["stage one"]).await;
    // While a tool runs: the parent waits for a sub-agent whose model never ends.
    bench.server.push(Reply::new().text("Asking. ").call("spawn_agent", &json!({"task": "think"})));
    bench.server.push(Reply::new().text("hm").hold(&Gate::default()));
    kill_at(&bench, "stage two", "\"subagent\"", 4).await;
    goes_on(&bench, &["stage one", "stage two", "Asking.", "interrupted"]).await;
    // Between a tool's result and the next reply.
    let list = json!({"path": "."});
    bench.server.push(
        Reply::new().call("list_files", &list).call("read_file", &json!({"path": "SOUL.md"})),
    );
    bench.server.push(Reply::new().text("So far").hold(&Gate::default()));
    kill_at(&bench, "stage three", "So far", 7).await;
    goes_on(&bench, &["stage three", "AGENTS.md"]).await;
    // Right at the end.
    bench.server.push(Reply::new().text("All done."));
    kill_at(&bench, "stage four", "\"done\"", 9).await;
    goes_on(&bench, &["stage four", "All done."]).await;
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    let asked = rows.iter().filter(|row| row["role"] == "user").count();
    assert_eq!(asked, 8, "every message is there once: {rows:?}");
}
