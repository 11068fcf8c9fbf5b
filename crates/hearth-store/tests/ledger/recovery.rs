//! A crash at any write leaves sessions that can be made well formed.

use crate::support::{Home, calls, event, exchange, result, say, text, tool_end, tool_start, turn};
use hearth_protocol::{
    ApprovalState, Arguments, EventBody, Message, Part, Role, SessionKey, StopReason, TurnId,
};
use hearth_store::{Partial, Store, StoreError, TurnState};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The n-th write of two turns with tools, a steering message, an approval and a queue.
async fn write(store: &Store, number: usize) -> Option<Result<(), StoreError>> {
    let main = &SessionKey::main();
    let (t1, t2): (TurnId, TurnId) = ("t1".into(), "t2".into());
    let user = |id: &str, turn: &str, text: &str| say(Role::User, id, turn, text);
    let partial =
        |step: u32, text: &str| Partial { step, text: text.into(), reasoning: "hm".into() };
    let approval = |verdict| EventBody::Approval {
        batch: None,
        id: "ap".into(),
        tool: "exec".into(),
        arguments: Arguments::Malformed(String::new()),
        verdict,
        reason: String::new(),
    };
    let done =
        |reply: &str| EventBody::Done { reply: reply.into(), stop: StopReason::Finished, steps: 2 };
    let events = async |turn: &str, seq: u64, body| {
        store.append_events(&[event(main, turn, seq, body)]).await
    };
    let outcome = match number {
        0 => store.queue_turn(&turn("t1", main), Some(&user("q1", "t1", "first question"))).await,
        1 => events("t1", 1, EventBody::Started {}).await,
        2 => store.start_turn(&t1, 101).await.map(|_| ()),
        3 => events("t1", 2, text("Let me ")).await,
        4 => store.save_partial(&t1, &partial(1, "Let me ")).await,
        5 => events("t1", 3, text("look.")).await,
        6 => store.save_partial(&t1, &partial(1, "Let me look.")).await,
        7 => store.append(main, &[calls("a1", "t1", "Let me look.", &["c1", "c2", "c3"])]).await,
        8 => events("t1", 4, tool_start("c1")).await,
        9 => events("t1", 5, tool_start("c2")).await,
        10 => store.append(main, &[result("r2", "t1", "c2")]).await,
        11 => events("t1", 6, tool_end("c2")).await,
        12 => store.queue_turn(&turn("t2", main), Some(&user("q2", "t2", "second question"))).await,
        13 => store.hold(&t1, &user("s1", "t1", "a word in between")).await,
        14 => store.append(main, &[result("r1", "t1", "c1"), result("r3", "t1", "c3")]).await,
        15 => events("t1", 7, tool_end("c1")).await,
        16 => store.take_held(&t1).await.map(|_| ()),
        17 => events("t1", 8, approval(ApprovalState::Asked)).await,
        18 => events("t1", 9, approval(ApprovalState::Allowed)).await,
        19 => store.save_partial(&t1, &partial(2, "The answer")).await,
        20 => store.append(main, &[say(Role::Assistant, "a2", "t1", "The answer is 42.")]).await,
        21 => events("t1", 10, done("Let me look.The answer is 42.")).await,
        22 => store.finish_turn(&t1, StopReason::Finished, 2, None, 110).await,
        23 => store.start_turn(&t2, 111).await.map(|_| ()),
        24 => store.save_partial(&t2, &Partial { text: String::new(), ..partial(1, "") }).await,
        25 => store.append(main, &[say(Role::Assistant, "a3", "t2", "Yes.")]).await,
        26 => events("t2", 1, done("Yes.")).await,
        27 => store.finish_turn(&t2, StopReason::Finished, 1, None, 112).await,
        _ => return None,
    };
    Some(outcome)
}

/// Everything that holds of a session when nothing runs.
async fn check_well_formed(store: &Store, session: &SessionKey) {
    let messages = store.messages(session).await.expect("messages");
    check_messages(&messages);
    let transcript = store.transcript(session).await.expect("a transcript");
    let shown: Vec<Message> =
        transcript.turns.iter().flat_map(|view| view.messages.clone()).collect();
    assert_eq!(shown, messages, "the window shows what the model reads, nothing held");
    assert!(!transcript.session.running);
    for turn in store.turns(session).await.expect("turns") {
        assert!(matches!(turn.state, TurnState::Done | TurnState::Interrupted), "{turn:?}");
        assert!(turn.stop.is_some() && turn.ended_at.is_some(), "{turn:?}");
        assert_eq!(store.partial(&turn.id).await.expect("reads"), None);
        check_events(&store.events(session, &turn.id).await.expect("events"));
    }
}

/// Each call is answered once, before anybody else speaks; no message is empty.
fn check_messages(messages: &[Message]) {
    let mut open = HashSet::new();
    for message in messages {
        assert!(!message.parts.is_empty(), "{message:?}");
        for part in &message.parts {
            if let Part::ToolResult(result) = part {
                assert!(open.remove(&result.call), "no call for {result:?}");
            }
        }
        assert!(message.role == Role::Tool || open.is_empty(), "{open:?} open before {message:?}");
        open.extend(message.tool_calls().map(|call| call.id.clone()));
    }
    assert!(open.is_empty(), "{open:?} never answered");
}

fn check_events(events: &[hearth_protocol::Event]) {
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    let (mut calls, mut asked, mut ends) = (HashSet::new(), HashSet::new(), 0);
    for event in events {
        match &event.body {
            EventBody::ToolStart { call, .. } => assert!(calls.insert(call)),
            EventBody::ToolEnd { call, .. } => assert!(calls.remove(call)),
            EventBody::Approval { id, verdict: ApprovalState::Asked, .. } => {
                asked.insert(id);
            }
            EventBody::Approval { id, .. } => assert!(asked.remove(id)),
            EventBody::Done { .. } => ends += 1,
            _ => {}
        }
    }
    assert!(calls.is_empty() && asked.is_empty(), "{calls:?} {asked:?}");
    assert_eq!(ends, 1);
    assert!(matches!(events.last().map(|event| &event.body), Some(EventBody::Done { .. })));
}

#[tokio::test]
async fn a_crash_after_any_write_leaves_a_well_formed_session() {
    let main = SessionKey::main();
    let mut last = 0;
    for writes in 1.. {
        let home = Home::new().await;
        for number in 0..writes {
            match write(&home.store, number).await {
                Some(outcome) => outcome.expect("writes"),
                None => last = number,
            }
        }
        if last > 0 {
            break;
        }
        let home = home.reopen().await;
        let recovered = home.store.recover(200).await.expect("recovers");
        check_well_formed(&home.store, &main).await;
        let once = home.store.export(&main).await.expect("exports");
        assert_eq!(home.store.recover(300).await.expect("recovers again"), []);
        assert_eq!(home.store.export(&main).await.expect("exports"), once, "after {writes} writes");

        let said = once.matches("first question").count()
            + once.matches("second question").count()
            + once.matches("a word in between").count();
        let expected = 1 + usize::from(writes > 12) + usize::from(writes > 13);
        // The title repeats the first question.
        assert_eq!(said - 1, expected, "each word of the person once, after {writes} writes");
        assert_eq!(
            recovered.len(),
            usize::from(writes <= 22) + usize::from((13..=27).contains(&writes))
        );
        let shown = ["Let me ", "Let me look.", "The answer", "The answer is 42."];
        for (from, text) in [4, 6, 19, 20].into_iter().zip(shown) {
            let kept = lines_of(&home.store, &main).await.contains(text);
            assert!(writes <= from || kept, "{text:?} lost after {writes} writes");
        }
        exchange(&home.store, &main, "next", "go on", "gladly").await;
        check_well_formed(&home.store, &main).await;
    }
    assert_eq!(last, 28, "the whole story was told");
}

async fn lines_of(store: &Store, session: &SessionKey) -> String {
    store.messages(session).await.expect("messages").iter().map(Message::joined_text).collect()
}

#[tokio::test]
async fn recovery_says_what_happened() {
    let home = Home::new().await;
    for number in 0..=11 {
        write(&home.store, number).await.expect("a write").expect("writes");
    }
    let main = SessionKey::main();
    home.store.recover(200).await.unwrap();
    let messages = home.store.messages(&main).await.unwrap();
    assert_eq!(
        crate::support::lines(&messages),
        [
            "user: first question",
            "assistant: let me look. + call c1 + call c2 + call c3",
            "tool: c2 true",
            "tool: c1 false + c3 false",
        ]
    );
    let Part::ToolResult(answer) = &messages[3].parts[0] else { panic!("a result") };
    assert!(answer.text.starts_with("interrupted"));
    let events = home.store.events(&main, &"t1".into()).await.unwrap();
    let tail: Vec<_> = events[events.len() - 3..].iter().map(|event| &event.body).collect();
    assert!(matches!(tail[0], EventBody::ToolEnd { ok: false, .. }));
    assert!(matches!(tail[1], EventBody::Error { .. }));
    let reply = "Let me look.".to_owned();
    assert_eq!(*tail[2], EventBody::Done { reply, stop: StopReason::Failed, steps: 1 });
}

const CRASH_DATABASE: &str = "HEARTH_STORE_CRASH_DATABASE";

/// A real process is killed while it writes. The test starts itself again as that process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_loses_nothing_it_was_told_is_stored() {
    if let Ok(path) = std::env::var(CRASH_DATABASE) {
        return write_until_killed(path.as_ref()).await;
    }
    for acknowledged in [1, 7, 40] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hearth.db");
        let seen = run_and_kill(&path, acknowledged);
        let store = Store::open(&path).await.expect("opens after the kill");
        store.recover(500).await.expect("recovers");
        store.check().await.expect("sound");
        let main = SessionKey::main();
        check_well_formed(&store, &main).await;
        let messages = store.messages(&main).await.expect("messages");
        let kept: HashSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        assert!(seen.iter().all(|id| kept.contains(id.as_str())), "{seen:?} in {kept:?}");
    }
}

/// Ids of messages that the process said were stored.
fn run_and_kill(path: &std::path::Path, acknowledged: usize) -> Vec<String> {
    let name = "recovery::a_killed_process_loses_nothing_it_was_told_is_stored";
    let mut child = Command::new(std::env::current_exe().expect("own path"))
        .args(["--exact", name, "--nocapture"])
        .env(CRASH_DATABASE, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let stored = output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("stored ").map(str::to_owned));
    let seen: Vec<String> = stored.take(acknowledged).collect();
    assert_eq!(seen.len(), acknowledged, "the process wrote until it was killed");
    child.kill().expect("is killed");
    child.wait().expect("ends");
    seen
}

async fn write_until_killed(path: &std::path::Path) {
    let store = Store::open(path).await.expect("opens");
    let main = SessionKey::main();
    for number in 0.. {
        let id = format!("t{number}");
        let question = say(Role::User, &format!("q{number}"), &id, "question");
        store.queue_turn(&turn(&id, &main), Some(&question)).await.expect("queues");
        store.start_turn(&id.as_str().into(), 1).await.expect("starts");
        println!("stored q{number}");
        let call = format!("c{number}");
        let ask = calls(&format!("a{number}"), &id, "look", &[&call]);
        store.append(&main, &[ask]).await.expect("appends");
        println!("stored a{number}");
        store.append_events(&[event(&main, &id, 1, tool_start(&call))]).await.expect("events");
        store.append(&main, &[result(&format!("r{number}"), &id, &call)]).await.expect("appends");
        println!("stored r{number}");
        let partial = Partial { step: 2, text: "so far".into(), reasoning: String::new() };
        store.save_partial(&id.as_str().into(), &partial).await.expect("saves");
        let done = EventBody::Done { reply: String::new(), stop: StopReason::Finished, steps: 1 };
        let last = [event(&main, &id, 2, tool_end(&call)), event(&main, &id, 3, done)];
        store.append_events(&last).await.expect("events");
        store
            .finish_turn(&id.as_str().into(), StopReason::Finished, 1, None, 2)
            .await
            .expect("ends");
    }
}
