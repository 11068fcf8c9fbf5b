//! Tools in a turn: sub-agents, many tools, large results, taking back.

use hearth_engine::api;
use hearth_llm::scripted::{Gate, Reply};
use hearth_protocol::api::chat::Submitted;
use hearth_protocol::api::files::UndoneState;
use hearth_protocol::{Event, EventBody, Purpose, SessionKey, StopReason, SubagentState};
use hearth_tests::{FORMATS, TestHome, ask, done, message};
use serde_json::{Value, json};

async fn home() -> TestHome {
    TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home")
}

fn results(events: &[Event]) -> Vec<(bool, String)> {
    let end = |event: &Event| match &event.body {
        EventBody::ToolEnd { ok, result, .. } => Some((*ok, result.clone())),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

fn tools(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_sub_agent_works_with_less_and_hands_its_result_back() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    std::fs::write(home.path("workspace/SOUL.md"), "Speak like a lighthouse keeper.\n")
        .expect("writes");
    let task = json!({"task": "Count the lamps.", "tools": ["read_file"]});
    home.server.push(Reply::new().call("spawn_agent", &task));
    home.server.push(Reply::new().text("Seven lamps."));
    home.server.push(Reply::new().text("There are seven."));
    let events = ask(&engine, message("how many lamps?")).await.expect("asks");
    assert_eq!(done(&events), Some(("There are seven.".into(), StopReason::Finished)));
    assert_eq!(results(&events), [(true, "Seven lamps.".to_owned())]);
    let states: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Subagent { id, state, .. } => Some((id.clone(), *state)),
            _ => None,
        })
        .collect();
    let id = &states[0].0;
    let expected = [SubagentState::Started, SubagentState::Finished];
    assert_eq!(states.iter().map(|(_, state)| *state).collect::<Vec<_>>(), expected);

    let child = &home.server.requests()[1].body;
    assert_eq!(tools(child), ["read_file"]);
    let prompt = child.to_string();
    assert!(prompt.contains("Count the lamps.") && prompt.contains("AGENTS.md"));
    assert!(!prompt.contains("lighthouse"), "no personality: {prompt}");
    let key = SessionKey::parse(&format!("assistant:subagent:{id}")).expect("a key");
    let rows = api::sessions::rows(&engine, key.clone()).await.expect("kept");
    assert_eq!(rows[0].text, "Count the lamps.");
    let listed = api::sessions::list(&engine).await.expect("lists");
    assert!(listed.iter().find(|row| row.key == key).expect("listed").archived);
    let usage = api::usage::rows(&engine, 1).await.expect("usage");
    assert!(usage.iter().any(|row| row.purpose == Purpose::Subagent && row.calls == 1));
    engine.close().await;
}

#[tokio::test]
async fn a_sub_agent_never_has_more_than_its_parent_and_starts_none() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let more = json!({"task": "Do it.", "tools": ["launch_rocket"]});
    home.server.push(Reply::new().call("spawn_agent", &more));
    home.server.push(Reply::new().call("spawn_agent", &json!({"task": "Do it."})));
    home.server.push(Reply::new().call("spawn_agent", &json!({"task": "Deeper."})));
    home.server.push(Reply::new().text("I may not."));
    home.server.push(Reply::new().text("Done."));
    let events = ask(&engine, message("go")).await.expect("asks");
    let results = results(&events);
    assert!(!results[0].0 && results[0].1.contains("launch_rocket"), "{results:?}");
    assert_eq!(results[1], (true, "I may not.".to_owned()));
    let child = &home.server.requests()[2].body;
    assert!(!tools(child).iter().any(|name| name == "spawn_agent" || name == "ask_user"));
    let answer = home.server.requests()[3].body.to_string();
    assert!(answer.contains("there is no tool called"), "{answer}");
    engine.close().await;
}

#[tokio::test]
async fn a_turn_starts_five_sub_agents_at_most_and_a_stop_ends_them() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    for n in 0..6 {
        home.server.push(Reply::new().call("spawn_agent", &json!({"task": format!("part {n}")})));
        if n < 5 {
            home.server.push(Reply::new().text(format!("result {n}")));
        }
    }
    home.server.push(Reply::new().text("All."));
    let events = ask(&engine, message("go")).await.expect("asks");
    let results = results(&events);
    assert_eq!(results.iter().filter(|(ok, _)| *ok).count(), 5);
    assert!(results[5].1.contains("the most it may"), "{results:?}");

    home.server.push(Reply::new().call("spawn_agent", &json!({"task": "for ever"})));
    home.server.push(Reply::new().text("thinking ").hold(&Gate::default()));
    let mut heard = engine.listen();
    let stopping = async {
        loop {
            let Some(hearth_engine::Heard::Signal(signal)) = heard.next().await else { continue };
            let hearth_protocol::api::system::Signal::Turn(event) = signal else { continue };
            if matches!(event.body, EventBody::Text { .. }) {
                api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
                return;
            }
        }
    };
    let (events, ()) = tokio::join!(ask(&engine, message("again")), stopping);
    let events = events.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Cancelled));
    home.server.dropped(1).await;
    engine.close().await;
}

#[tokio::test]
async fn a_turn_is_taken_back_file_by_file() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let soul = std::fs::read_to_string(home.path("workspace/SOUL.md")).expect("a template");
    let edit = json!({"path": "SOUL.md", "old": soul, "new": format!("{soul}\nOne more line.\n")});
    home.server.push(
        Reply::new()
            .call("edit_file", &edit)
            .call("write_file", &json!({"path": "memory/new.md", "content": "new\n"})),
    );
    home.server.push(Reply::new().text("Done."));
    let events = ask(&engine, message("change")).await.expect("asks");
    assert!(results(&events).iter().all(|(ok, _)| *ok), "{events:?}");
    let turn = events[0].turn.clone();
    let mut undone = api::undo::turn(&engine, turn).await.expect("undoes");
    undone.sort_by(|a, b| a.path.cmp(&b.path));
    let states: Vec<_> = undone.iter().map(|row| (row.path.as_str(), row.state)).collect();
    let expected = [("SOUL.md", UndoneState::Restored), ("memory/new.md", UndoneState::Removed)];
    assert_eq!(states, expected);
    assert_eq!(std::fs::read_to_string(home.path("workspace/SOUL.md")).expect("there"), soul);
    assert!(!home.path("workspace/memory/new.md").exists());
    let unknown = api::undo::turn(&engine, "nothing".into()).await.expect_err("refused");
    assert_eq!(unknown.message, "there is no turn nothing");

    // Once more would put back what was taken back.
    std::fs::write(home.path("workspace/memory/new.md"), "new\n").expect("writes");
    let again = api::undo::turn(&engine, events[0].turn.clone()).await.expect_err("refused");
    assert!(again.message.contains("taken back already"), "{}", again.message);
    assert!(home.path("workspace/memory/new.md").exists());
    engine.close().await;
}

#[tokio::test]
async fn a_second_undo_takes_back_the_turn_before() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = home.path("workspace/notes/a.md");
    let read = || std::fs::read_to_string(&path).ok();
    for text in ["one\n", "two\n"] {
        let call = json!({"path": "notes/a.md", "content": text});
        home.server.push(Reply::new().call("write_file", &call));
        home.server.push(Reply::new().text("Written."));
        ask(&engine, message("write")).await.expect("asks");
    }
    // What a sub-agent wrote goes with the turn that sent it.
    home.server.push(Reply::new().call("spawn_agent", &json!({"task": "write three"})));
    let call = json!({"path": "notes/a.md", "content": "three\n"});
    home.server.push(Reply::new().call("write_file", &call));
    home.server.push(Reply::new().text("Written."));
    home.server.push(Reply::new().text("Done."));
    ask(&engine, message("have it written")).await.expect("asks");
    assert_eq!(read().as_deref(), Some("three\n"));
    let undo = async || {
        let said = api::chat::submit(&engine, message("/undo")).await.expect("undoes");
        match said {
            Submitted::Command { text } => text,
            other => panic!("no answer: {other:?}"),
        }
    };
    for left in [Some("two\n"), Some("one\n"), None] {
        let said = undo().await;
        assert_eq!(read().as_deref(), left, "{said}");
    }
    assert!(undo().await.starts_with("No turn"));
    engine.close().await;
}

/// A message whose turn may run commands.
#[cfg(target_os = "linux")]
fn with_commands(text: &str) -> hearth_protocol::api::chat::Submit {
    let yes_to = vec!["exec".to_owned()];
    hearth_protocol::api::chat::Submit { yes_to, ..message(text) }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_large_result_is_shown_in_part_and_read_on_page_by_page() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().call("exec", &json!({"command": "seq 1 200000"})));
    home.server.push(Reply::new().text("Long."));
    let events = ask(&engine, with_commands("count")).await.expect("asks");
    let (ok, shown) = results(&events)[0].clone();
    assert!(ok && shown.chars().count() <= 40_000, "{ok} {}", shown.chars().count());
    let rest = &shown[shown.find("output:").expect("where the whole is")..];
    let end = rest.find(|c: char| c != ':' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let page = json!({"path": rest[..end], "from": 150_000, "lines": 2});
    home.server.push(Reply::new().call("read_file", &page));
    home.server.push(Reply::new().text("Read."));
    let events = ask(&engine, message("more")).await.expect("asks");
    let (ok, page) = results(&events)[0].clone();
    assert!(ok && page.starts_with("150000\n150001\n"), "{page}");
    engine.close().await;
}

/// Whether a process with this argument runs.
#[cfg(target_os = "linux")]
fn runs(argument: &str) -> bool {
    let wanted = format!("sleep\0{argument}\0");
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.ends_with(wanted.as_bytes()))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stop_frees_the_lane_within_a_second_with_a_process_tree_running() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let command = "sleep 98731 & (sleep 98732; true) & echo started; wait";
    home.server.push(Reply::new().call("exec", &json!({ "command": command })));
    let mut heard = engine.listen();
    let stopping = async {
        while let Some(hearth_engine::Heard::Signal(signal)) = heard.next().await {
            let hearth_protocol::api::system::Signal::Turn(event) = signal else { continue };
            if matches!(&event.body, EventBody::ToolOutput { text, .. } if text.contains("started"))
            {
                while !(runs("98731") && runs("98732")) {
                    tokio::task::yield_now().await;
                }
                let begun = std::time::Instant::now();
                api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
                return begun;
            }
        }
        panic!("the engine ended");
    };
    let (events, begun) = tokio::join!(ask(&engine, with_commands("wait")), stopping);
    let events = events.expect("asks");
    assert_eq!(done(&events).map(|(_, stop)| stop), Some(StopReason::Cancelled));
    home.server.push(Reply::new().text("Free."));
    let events = ask(&engine, message("still there?")).await.expect("asks");
    let lasted = begun.elapsed();
    assert_eq!(done(&events).map(|(reply, _)| reply), Some("Free.".into()));
    assert!(lasted.as_secs_f64() < 1.0, "{lasted:?}");
    while runs("98731") || runs("98732") {
        assert!(begun.elapsed().as_secs_f64() < 1.0, "the process tree outlived the stop");
        tokio::task::yield_now().await;
    }
    engine.close().await;
}
