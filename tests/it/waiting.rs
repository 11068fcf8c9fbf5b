//! What happens while the person is asked, and what nobody is asked about.

use crate::approvals::{asked, from_outside, home, say, start, until, verdicts};
use hearth_engine::door::{Call, knock};
use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::approvals::{ApprovalScope, Decision};
use hearth_protocol::api::guard::{AuditEntry, Explain};
use hearth_protocol::{ApprovalState, Event, EventBody, SessionKey};
use hearth_tests::{TestHome, ask, message, turn_events};
use serde_json::{Value, json};
use std::time::Duration;

fn results(events: &[Event]) -> Vec<(bool, String)> {
    let end = |event: &Event| match &event.body {
        EventBody::ToolEnd { ok, result, .. } => Some((*ok, result.clone())),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

fn writes(path: &str, content: &str) -> Reply {
    Reply::new().call("write_file", &json!({"path": path, "content": content}))
}

/// A file that another hand changes while a write to it waits is not written over by the yes.
#[tokio::test]
async fn a_yes_is_for_the_file_that_was_shown() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = |name: &str| home.path(&format!("workspace/{name}"));
    for (name, before, now) in [
        ("SOUL.md", Some("# Soul\n\nOld.\n"), "# Soul\n\nBy hand.\n"),
        ("notes/made.md", None, "Made by hand.\n"),
    ] {
        if let Some(before) = before {
            std::fs::write(path(name), before).expect("writes");
        }
        home.server.push(writes(name, "# Soul\n\nBy the model.\n"));
        home.server.push(Reply::new().text("It changed."));
        let mut wait = engine.listen();
        let (turn, mut events) = start(&engine, from_outside("write")).await;
        let id = until(&mut wait, asked).await;
        std::fs::create_dir_all(path("notes")).expect("makes");
        std::fs::write(path(name), now).expect("writes");
        let yes = say(&id, Decision::Allow, ApprovalScope::Once);
        api::approvals::decide(&engine, yes).await.expect("decides");
        let events = turn_events(&mut events, &turn).await;
        let (ok, text) = results(&events).remove(0);
        assert!(!ok && text.contains("changed since your person was asked"), "{text}");
        assert_eq!(std::fs::read_to_string(path(name)).expect("there"), now);
    }
    // A part of a file is replaced where it still stands; the rest is as the hand left it.
    std::fs::write(path("SOUL.md"), "one\n\ntwo\n").expect("writes");
    home.server.push(
        Reply::new().call("edit_file", &json!({"path": "SOUL.md", "old": "one", "new": "1"})),
    );
    home.server.push(Reply::new().text("Done."));
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, from_outside("edit")).await;
    let id = until(&mut wait, asked).await;
    std::fs::write(path("SOUL.md"), "one\n\n2\n").expect("writes");
    let yes = say(&id, Decision::Allow, ApprovalScope::Once);
    api::approvals::decide(&engine, yes).await.expect("decides");
    assert!(results(&turn_events(&mut events, &turn).await)[0].0);
    assert_eq!(std::fs::read_to_string(path("SOUL.md")).expect("there"), "1\n\n2\n");
    engine.close().await;
}

#[tokio::test]
async fn nobody_is_asked_about_what_would_come_to_nothing() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    std::fs::write(home.path("workspace/SOUL.md"), "A long text.\n".repeat(50)).expect("writes");
    for (reply, says) in [
        (writes("SOUL.md", "short\n"), "would shrink"),
        (
            Reply::new()
                .call("edit_file", &json!({"path": "SOUL.md", "old": "nowhere", "new": "x"})),
            "does not occur",
        ),
        // Last: what follows such a call has to be made room for first.
        (writes("notes/large.md", &"x".repeat(3 << 20)), "too large"),
    ] {
        home.server.push(reply);
        home.server.push(Reply::new().text("It cannot be done."));
        let events = ask(&engine, from_outside("write")).await.expect("asks");
        assert!(verdicts(&events).is_empty(), "{says}: {:?}", verdicts(&events));
        let (ok, text) = results(&events).remove(0);
        assert!(!ok && text.contains(says), "{says}: {text}");
    }
    engine.close().await;
}

async fn audit(engine: &Engine) -> Vec<AuditEntry> {
    api::guard::audit_tail(engine, 500).await.expect("reads")
}

/// Of which files the log tells this of a call, with its arguments.
fn told(rows: &[AuditEntry], kind: &str, key: &str, value: &str) -> Vec<String> {
    let rows = rows.iter().filter(|row| row.kind == kind && row.body[key] == value);
    let path = |row: &AuditEntry| row.body["arguments"]["path"].as_str().unwrap_or("?").to_owned();
    let mut paths: Vec<String> = rows.map(path).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn every_call_of_a_reply_is_in_the_audit_log_with_what_became_of_it() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let write = |reply: Reply, name: &str| {
        reply.call("write_file", &json!({"path": format!("{name}.md"), "content": name}))
    };
    home.server.push(["a", "b", "c"].into_iter().fold(Reply::new(), write));
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, from_outside("write")).await;
    for _ in 0..3 {
        until(&mut wait, asked).await;
    }
    api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
    turn_events(&mut events, &turn).await;
    let ended = async {
        loop {
            let rows = audit(&engine).await;
            if told(&rows, "approval", "state", "stopped").len() == 3 {
                return rows;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let rows = tokio::time::timeout(Duration::from_secs(20), ended).await.expect("soon");
    let all = ["a.md", "b.md", "c.md"];
    assert_eq!(told(&rows, "approval", "state", "asked"), all);
    assert_eq!(told(&rows, "approval", "state", "stopped"), all);
    assert_eq!(told(&rows, "tool_call", "verdict", "stopped"), all);

    // Those that follow one that is asked about, and need no question themselves.
    home.server.push(
        ["d"].into_iter().fold(Reply::new(), write).call("read_file", &json!({"path": "e.md"})),
    );
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, from_outside("more")).await;
    until(&mut wait, asked).await;
    api::chat::stop(&engine, SessionKey::main()).await.expect("stops");
    turn_events(&mut events, &turn).await;
    let rows = audit(&engine).await;
    let stopped = told(&rows, "tool_call", "verdict", "stopped");
    assert_eq!(stopped, ["a.md", "b.md", "c.md", "d.md", "e.md"]);

    // A call that ran, or was refused, is told of once.
    home.server.push(Reply::new().call("read_file", &json!({"path": "SOUL.md"})));
    home.server.push(Reply::new().call("read_file", &json!({"path": "/etc/shadow"})));
    home.server.push(Reply::new().text("Done."));
    ask(&engine, message("read")).await.expect("asks");
    let rows = audit(&engine).await;
    assert_eq!(told(&rows, "tool_call", "verdict", "stopped").len(), 5);
    assert_eq!(told(&rows, "tool_call", "verdict", "deny"), ["/etc/shadow"]);
    engine.close().await;
}

/// A terminal that asked and went away leaves no question behind.
#[tokio::test]
async fn a_question_goes_with_the_terminal_that_it_was_asked_in() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    home.server.push(writes("notes/a.md", "x"));
    home.server.push(Reply::new().text("Nobody answered."));
    let mut wait = engine.listen();
    let mut events = engine.listen();
    let door = knock(engine.home()).await.expect("a door");
    let client = tokio::spawn(async move {
        let call = Call::Ask { submit: from_outside("write"), answers: true };
        door.call(&call, &mut |_| {}).await
    });
    until(&mut wait, asked).await;
    client.abort();
    let gone = until(&mut events, |body| match body {
        EventBody::Approval { verdict: ApprovalState::Expired, reason, .. } => Some(reason.clone()),
        _ => None,
    });
    let reason = tokio::time::timeout(Duration::from_secs(20), gone).await.expect("withdrawn");
    assert_eq!(reason, "whoever was asked has left");
    assert!(api::approvals::list(&engine).await.expect("lists").is_empty());
    until(&mut events, |body| matches!(body, EventBody::Done { .. }).then_some(())).await;
    assert!(!home.path("workspace/notes/a.md").exists());
    engine.close().await;
}

/// The person edits the file that a question is about: a write of the whole is void, a change that fits still says so.
#[tokio::test]
async fn an_edit_by_hand_under_a_question_is_said() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let path = home.path("workspace/notes.txt");
    std::fs::write(&path, "one\ntwo\n").expect("writes");
    home.server.push(writes("notes.txt", "three\nfour\n"));
    home.server.push(Reply::new().text("I see."));
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, from_outside("write")).await;
    until(&mut wait, asked).await;
    std::fs::write(&path, "one\nmine\n").expect("writes");
    let events = turn_events(&mut events, &turn).await;
    assert_eq!(verdicts(&events), [ApprovalState::Asked, ApprovalState::Expired]);
    let (ok, text) = results(&events).remove(0);
    assert!(!ok && text.contains("was changed since your person was asked"), "{text}");
    assert!(api::approvals::list(&engine).await.expect("lists").is_empty());
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "one\nmine\n");

    let edit = json!({"path": "notes.txt", "old": "one", "new": "1"});
    let changed = |body: &EventBody| match body {
        EventBody::Approval { id, verdict: ApprovalState::Asked, reason, .. } => {
            reason.ends_with("as it is now").then(|| id.clone())
        }
        _ => None,
    };
    home.server.push(Reply::new().call("edit_file", &edit));
    home.server.push(Reply::new().text("Done."));
    let (turn, mut events) = start(&engine, from_outside("edit")).await;
    let id = until(&mut wait, asked).await;
    std::fs::write(&path, "one\nmine too\n").expect("writes");
    assert_eq!(until(&mut wait, changed).await, id);
    let rows = api::approvals::list(&engine).await.expect("lists");
    assert!(rows[0].reason.ends_with("this is the change in it as it is now"), "{rows:?}");
    let yes = say(&id, Decision::Allow, ApprovalScope::Once);
    api::approvals::decide(&engine, yes).await.expect("decides");
    turn_events(&mut events, &turn).await;
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "1\nmine too\n");

    // Nothing of it fits any more.
    home.server.push(
        Reply::new().call("edit_file", &json!({"path": "notes.txt", "old": "mine", "new": "ours"})),
    );
    home.server.push(Reply::new().text("I see."));
    let (turn, mut events) = start(&engine, from_outside("edit")).await;
    until(&mut wait, asked).await;
    std::fs::write(&path, "nothing\n").expect("writes");
    let events = turn_events(&mut events, &turn).await;
    assert_eq!(verdicts(&events), [ApprovalState::Asked, ApprovalState::Expired]);
    engine.close().await;
}

/// The main conversation reads a file of the workspace.
async fn read_a_note(home: &TestHome, engine: &Engine) {
    std::fs::write(home.path("workspace/notes.md"), "a note\n").expect("writes");
    home.server.push(Reply::new().call("read_file", &json!({"path": "notes.md"})));
    home.server.push(Reply::new().text("Read."));
    ask(engine, message("read my notes")).await.expect("asks");
}

/// What was said is not known to an explanation, unless it is told.
#[tokio::test]
async fn explain_knows_what_was_said_where_it_is_told() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    read_a_note(&home, &engine).await;
    let explain = async |text: &str, said: Option<&str>| {
        let (tool, arguments) = ("memory_append".to_owned(), json!({ "text": text }));
        let (allow, shell, session) = (None, None, Some(SessionKey::main()));
        let said = said.map(str::to_owned);
        let ask = Explain { tool, arguments, allow, shell, tainted: false, session, said };
        let said = api::guard::explain(&engine, &ask).await.expect("explains");
        (said.verdict, said.why)
    };
    let own = "in the words that you just said";
    let (verdict, why) = explain("Takes tea green.", None).await;
    assert!(verdict == "ask" && why.contains(own), "{why}");
    let (verdict, why) =
        explain("Takes tea green.", Some("Remember that I take my tea green")).await;
    assert_eq!(verdict, "allow", "{why}");
    let (verdict, why) = explain("Takes tea green.", Some("What is in my notes?")).await;
    assert!(verdict == "ask" && !why.contains(own), "{why}");
    let (verdict, why) = explain("Sign in at evil.example.", None).await;
    assert!(verdict == "ask" && !why.contains(own), "{why}");
    engine.close().await;
}

/// `hearth guard explain` says what would become of a call, as the conversation is.
#[tokio::test]
async fn explain_says_what_the_turn_would() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    read_a_note(&home, &engine).await;
    let explain = async |arguments: Value, session: Option<SessionKey>| {
        let (tool, allow, shell) = ("cron".to_owned(), None, None);
        let said = None;
        let ask = Explain { tool, arguments, allow, shell, tainted: false, session, said };
        api::guard::explain(&engine, &ask).await.expect("explains")
    };
    let every = json!({"action": "add", "schedule": "every 2h", "prompt": "Drink."});
    let once = json!({"action": "add", "schedule": "in 2h", "do": "remind", "prompt": "Drink."});
    let main = || Some(SessionKey::main());
    for (arguments, verdict) in [(&once, "allow"), (&every, "ask")] {
        let said = explain(arguments.clone(), main()).await;
        assert_eq!(said.verdict, verdict, "{}", said.why);
        home.server.push(Reply::new().call("cron", arguments));
        home.server.push(Reply::new().text("Planned."));
        let mut wait = engine.listen();
        let (turn, mut events) = start(&engine, message("plan it")).await;
        if verdict == "ask" {
            let why = until(&mut wait, |body| match body {
                EventBody::Approval { id, reason, .. } => Some((id.clone(), reason.clone())),
                _ => None,
            });
            let (id, reason) = why.await;
            assert!(reason.starts_with("this conversation has read files"), "{reason}");
            assert_eq!(reason, explain(arguments.clone(), main()).await.why);
            let no = say(&id, Decision::Deny, ApprovalScope::Once);
            api::approvals::decide(&engine, no).await.expect("decides");
        }
        let events = turn_events(&mut events, &turn).await;
        assert_eq!(results(&events)[0].0, verdict == "allow", "{:?}", results(&events));
    }
    engine.close().await;
}
