//! Tools in a turn: sub-agents, many tools, large results, taking back.

use hearth_engine::api;
use hearth_llm::scripted::{Gate, Reply};
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
    assert!(api::undo::turn(&engine, "nothing".into()).await.is_err());
    engine.close().await;
}
