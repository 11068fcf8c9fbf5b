//! One turn from outside.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::Reply;
use serde_json::json;

#[tokio::test]
async fn the_reply_is_streamed_and_the_events_are_lines() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("Blue ").text("heron."));
    let output = bench.run(&["ask", "hello"]).await;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"Blue heron.\n"[..]));
    bench.server.push(Reply::new().text("Again.").usage(50, 0, 3));
    let events = bench.lines(&["ask", "--json", "hello"]).await;
    let names: Vec<_> =
        events.iter().map(|event| event["event"].as_str().expect("a name")).collect();
    assert_eq!(names, ["started", "text", "usage", "done"]);
    for (number, event) in (1..).zip(&events) {
        assert_eq!(event["seq"], number);
        assert_eq!(event["session"], "assistant:main");
        assert!(event["turn"].is_string() && event["at"].is_f64());
    }
    assert_eq!(events[3]["reply"], "Again.");
    assert_eq!(events[3]["stop"], "finished");
    assert_eq!(events[2]["purpose"], "turn");
}

#[tokio::test]
async fn a_tool_runs_and_its_change_is_a_version() {
    let bench = Bench::new().await;
    let arguments = json!({"path": "notes.md", "content": "Ada is a cat.\n"});
    bench.server.push(Reply::new().call("write_file", &arguments));
    bench.server.push(Reply::new().text("Noted."));
    let events = bench.lines(&["ask", "--json", "note it"]).await;
    let ended = events.iter().find(|event| event["event"] == "tool_end").expect("a tool ended");
    assert_eq!(ended["ok"], true, "{ended}");
    let text = std::fs::read_to_string(bench.path("workspace/notes.md")).expect("reads");
    assert_eq!(text, "Ada is a cat.\n");
    let versions = bench.lines(&["files", "history", "notes.md", "--json"]).await;
    assert_eq!(versions[0]["author"], "turn");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_a_result_for_the_model() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().call("fly", &json!({})));
    bench.server.push(Reply::new().text("I cannot."));
    let events = bench.lines(&["ask", "--json", "fly"]).await;
    let ended = events.iter().find(|event| event["event"] == "tool_end").expect("a tool ended");
    assert_eq!(ended["ok"], false);
    assert_eq!(events.last().expect("events")["stop"], "finished");
}

#[tokio::test]
async fn failures_are_one_line_and_status_one_wrong_usage_is_two() {
    let bench = Bench::new().await;
    bench.server.push(Reply::answer(
        401,
        &[],
        r#"{"error":{"message":"bad key","type":"authentication_error"}}"#,
    ));
    let output = bench.run(&["ask", "hello"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
    assert!(said(&output).contains("key"), "{}", said(&output));
    assert_eq!(bench.run(&["ask"]).await.status.code(), Some(2));
    assert_eq!(bench.run(&["ask", "x", "--session", "no colon"]).await.status.code(), Some(2));
    let output = bench.run(&["sessions", "show", "assistant:nobody"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("assistant:nobody"));
    let output = bench.run(&["ask", "x", "--file", "/no/such/file"]).await;
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn names_that_are_none_are_refused_before_a_model_is_asked() {
    let bench = Bench::new().await;
    for (arguments, status, words) in [
        (["--agent", "butler"], 2, "no agent butler"),
        (["--yes-to", "write_flie"], 2, "write_file"),
        (["--model", "work/nope"], 1, "work/scripted-1"),
        (["--model", "nope/nope"], 1, "nope/nope"),
        (["--model", "nope"], 1, "nope"),
    ] {
        let output = bench.run(&[&["ask", "hello"], arguments.as_slice()].concat()).await;
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
    }
    let output = bench.run(&["ask", "/xyz now"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("no command /xyz") && said(&output).contains("/help"));
    assert_eq!(bench.server.requests().len(), 0);
    for words in ["/etc/hosts is what?", "/new ideas"] {
        bench.server.push(Reply::new().text("A file."));
        let output =
            bench.run(&["ask", words, "--agent", "assistant", "--yes-to", "write_file"]).await;
        assert_eq!(output.stdout, b"A file.\n", "{}", said(&output));
    }
}

#[tokio::test]
async fn a_server_of_another_kind_is_one_error_at_once() {
    let bench = Bench::new().await;
    let toml = std::fs::read_to_string(bench.path("hearth.toml")).expect("reads");
    std::fs::write(bench.path("hearth.toml"), toml.replace("\"openai\"", "\"anthropic\""))
        .expect("writes");
    let events = r#"data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}"#;
    bench.server.push(Reply::answer(200, &[("content-type", "text/event-stream")], events));
    let output = bench.run(&["ask", "hello"]).await;
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("kind = \"openai\"") && !said.contains("choices"), "{said}");
    assert_eq!(bench.server.requests().len(), 1);
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_and_the_turn_works() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("One."));
    bench.run(&["ask", "first"]).await;
    std::fs::write(bench.path("workspace/USER.md"), vec![0; 3_000_000]).expect("writes");
    std::fs::write(bench.path("workspace/SOUL.md"), b"caf\xe9\n").expect("writes");
    bench.server.push(Reply::new().text("Two."));
    let output = bench.run(&["ask", "second"]).await;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"Two.\n"[..]));
    let said = said(&output);
    assert!(said.contains("USER.md") && said.contains("SOUL.md"), "{said}");
}

#[tokio::test]
async fn mistakes_in_the_settings_are_named_with_their_line() {
    let bench = Bench::new().await;
    bench.settings("[ui]\ntheme = \"pink\"\n[ui\n");
    bench.server.push(Reply::new().text("Works."));
    let output = bench.run(&["ask", "hello"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("line 9: ui.theme"), "{}", said(&output));
    assert!(said(&output).contains("line 10"), "{}", said(&output));
}

#[tokio::test]
async fn secrets_are_taken_from_standard_input_and_never_shown() {
    let bench = Bench::new().await;
    let output = bench.run(&["secrets", "set", "providers/work"]).await;
    assert_eq!(output.status.code(), Some(1), "nothing on standard input");
    let list = bench.run(&["secrets", "list", "--json"]).await;
    assert_eq!(json_lines(&list), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn a_key_in_the_environment_is_used_and_stays_hidden() {
    let bench = Bench::new().await;
    bench.server.require_key("sk-test-123456789");
    bench.server.push(Reply::new().text("Welcome."));
    let mut command = bench.command(&["ask", "--json", "hello"]);
    let output = command.env("HEARTH_KEY_WORK", "sk-test-123456789").output().await.expect("runs");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    is_on_no_disk(bench.folder.path(), "sk-test-123456789");
}

#[tokio::test]
async fn a_known_key_is_masked_wherever_the_model_puts_it() {
    const KEY: &str = "opaque-canary-777-zulu-42";
    let bench = Bench::new().await;
    let file = json!({"path": "k.md", "content": format!("the key is {KEY}")});
    let memory = json!({"text": format!("key {KEY}")});
    let calls = Reply::new().call("write_file", &file).call("memory_append", &memory);
    bench.server.push(calls.call(&format!("bogus_{KEY}"), &json!({})));
    bench.server.push(
        Reply::new().reasoning(KEY).text("Your key is opaque-cana").text("ry-777-zulu-42, right?"),
    );
    let yes = [
        "ask",
        "--json",
        "--yes-to",
        "write_file,memory_append",
        "my key is opaque-canary-777-zulu-42",
    ];
    let output = bench.command(&yes).env("HEARTH_KEY_WORK", KEY).output().await.expect("runs");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!said(&output).contains(KEY), "{}", said(&output));
    let events = json_lines(&output);
    let last = events.last().expect("an end");
    assert_eq!(last["reply"], "Your key is ***, right?");
    assert!(!bench.path("workspace/k.md").exists(), "refused, whoever said yes");
    for request in bench.server.requests() {
        assert!(!request.body.to_string().contains(KEY), "{}", request.body);
    }
    is_on_no_disk(bench.folder.path(), KEY);
}

#[tokio::test]
async fn keys_of_known_forms_reach_neither_model_nor_events_and_stay_in_their_file() {
    const KEY: &str = "AKIAIOSFODNN7EXAMPLE";
    let bench = Bench::new().await;
    let text = format!("region = eu\nkey = {KEY}\n");
    std::fs::create_dir_all(bench.path("workspace")).expect("makes");
    std::fs::write(bench.path("workspace/cloud.md"), &text).expect("writes");
    let write = json!({"path": "cloud.md", "content": "region = us\nkey = AKIA***\n"});
    let edit = json!({"path": "cloud.md", "old": "region = eu", "new": "region = us"});
    bench.server.push(Reply::new().call("read_file", &json!({"path": "cloud.md"})));
    bench.server.push(Reply::new().call("write_file", &write));
    bench.server.push(Reply::new().call("edit_file", &edit));
    bench.server.push(Reply::new().text("Done."));
    let output = bench.run(&["ask", "--json", "move me to the us"]).await;
    assert!(!said(&output).contains(KEY), "{}", said(&output));
    let ends: Vec<_> = json_lines(&output)
        .into_iter()
        .filter(|event| event["event"] == "tool_end")
        .map(|event| event["ok"] == true)
        .collect();
    assert_eq!(ends, [true, false, true], "{}", said(&output));
    for request in bench.server.requests() {
        assert!(!request.body.to_string().contains(KEY), "{}", request.body);
    }
    let kept = std::fs::read_to_string(bench.path("workspace/cloud.md")).expect("reads");
    assert_eq!(kept, text.replace("eu", "us"));
}

fn is_on_no_disk(folder: &std::path::Path, key: &str) {
    let mut files = vec![folder.to_path_buf()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(path).expect("lists").map(|entry| entry.expect("entry").path()),
            );
        } else if path.is_file() {
            let bytes = std::fs::read(&path).expect("reads");
            let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
            assert!(!found, "the key is in {}", path.display());
        }
    }
}
