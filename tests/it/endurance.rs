//! Long runs and bad input: every request stays what the strictest server of its format takes.

use hearth_engine::{Engine, Heard, api};
use hearth_llm::scripted::{Gate, Reply};
use hearth_llm::wire::Format;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, Event, EventBody, Role, SessionKey, StopReason};
use hearth_tests::{FORMATS, TestHome, ask, done, message, strict};
use serde_json::{Value, json};

const TURNS: usize = 200;

/// Five calls of a turn, each with arguments of its own.
fn calls(turn: usize) -> [(&'static str, Value); 5] {
    let path = format!("notes/{turn}.md");
    [
        ("list_files", json!({"path": "."})),
        ("write_file", json!({"path": path, "content": format!("note {turn}\n")})),
        ("read_file", json!({"path": path})),
        ("edit_file", json!({"path": path, "old": "note", "new": "remark"})),
        ("search_files", json!({"pattern": format!("remark {turn}$"), "path": "notes"})),
    ]
}

/// What the model says in a turn; how many calls come to a good end.
fn script(home: &TestHome, format: Format, turn: usize) -> usize {
    let push = |reply| home.server.push(reply);
    match turn % 10 {
        // One call after the other.
        3 => {
            for (name, arguments) in calls(turn) {
                push(Reply::new().text("Next. ").call(name, &arguments));
            }
        }
        // Broken arguments are mended by the model. Gemini can only send an object.
        7 if format != Format::Gemini => {
            push(Reply::new().call_raw("list_files", "{\"path\": "));
            push(all(turn));
        }
        // Thinking and text before the calls.
        8 => push(all(turn).text("")),
        _ => push(all(turn)),
    }
    push(Reply::new().text(format!("Turn {turn} is done.")));
    5
}

fn all(turn: usize) -> Reply {
    let begin = Reply::new().text("Let me see. ");
    calls(turn).iter().fold(begin, |reply, (name, arguments)| reply.call(name, arguments))
}

fn good_ends(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.body, EventBody::ToolEnd { ok: true, .. })).count()
}

async fn endures(format: Format, kind: &str) {
    let home = TestHome::new(format, kind).await.expect("home");
    home.flush_nothing();
    // A window that 200 turns do not fit.
    let settings = home.settings(format, kind).replace("window = 128000", "window = 32000");
    home.write_settings(&format!("{settings}[budget]\ndaily_usd = 0\ndaily_tokens = 0\n"))
        .expect("writes");
    let engine = home.open().await.expect("opens");
    for turn in 0..TURNS {
        if turn % 20 == 13 {
            stopped(&home, &engine).await;
        }
        let expected = script(&home, format, turn);
        let events = ask(&engine, message(&format!("turn {turn}"))).await.expect("asks");
        let (reply, stop) = done(&events).expect("it ended");
        assert_eq!(stop, StopReason::Finished, "{kind} {turn}: {events:?}");
        assert!(reply.ends_with(&format!("Turn {turn} is done.")), "{kind} {turn}: {reply}");
        assert_eq!(good_ends(&events), expected, "{kind} {turn}: {events:?}");
        for request in home.server.take_requests() {
            let refused = strict::refusal(format, &request.body);
            assert_eq!(refused, None, "{kind} {turn}: {}", request.body);
        }
    }
    engine.close().await;
}

/// A turn that the person stops in the middle of a stream.
async fn stopped(home: &TestHome, engine: &Engine) {
    home.server.push(Reply::new().text("I was ").hold(&Gate::default()));
    let mut heard = engine.listen();
    let stopping = async {
        while let Some(Heard::Signal(signal)) = heard.next().await {
            if matches!(signal, Signal::Turn(Event { body: EventBody::Text { .. }, .. })) {
                api::chat::stop(engine, SessionKey::main()).await.expect("stops");
                return;
            }
        }
    };
    let (events, ()) = tokio::join!(ask(engine, message("wait")), stopping);
    assert_eq!(done(&events.expect("asks")).map(|(_, stop)| stop), Some(StopReason::Cancelled));
}

#[tokio::test]
async fn two_hundred_turns_of_five_tools_on_openai_chat() {
    endures(FORMATS[0].0, FORMATS[0].1).await;
}

#[tokio::test]
async fn two_hundred_turns_of_five_tools_on_openai_responses() {
    endures(FORMATS[1].0, FORMATS[1].1).await;
}

#[tokio::test]
async fn two_hundred_turns_of_five_tools_on_anthropic() {
    endures(FORMATS[2].0, FORMATS[2].1).await;
}

#[tokio::test]
async fn two_hundred_turns_of_five_tools_on_gemini() {
    endures(FORMATS[3].0, FORMATS[3].1).await;
}

#[tokio::test]
async fn two_hundred_turns_of_five_tools_on_ollama() {
    endures(FORMATS[4].0, FORMATS[4].1).await;
}

/// A turn with these replies.
async fn turn(replies: Vec<Reply>) -> (TestHome, Vec<Event>) {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home");
    let engine = home.open().await.expect("opens");
    for reply in replies {
        home.server.push(reply);
    }
    let events = ask(&engine, message("go")).await.expect("asks");
    engine.close().await;
    for request in home.server.requests() {
        assert_eq!(strict::refusal(FORMATS[0].0, &request.body), None, "{}", request.body);
    }
    (home, events)
}

fn stop(events: &[Event]) -> StopReason {
    done(events).expect("it ended").1
}

#[tokio::test]
async fn a_call_repeated_for_ever_and_a_ping_pong_of_two_end() {
    let same = || Reply::new().call("list_files", &json!({"path": "."}));
    let (home, events) = turn((0..20).map(|_| same()).collect()).await;
    assert_eq!((stop(&events), home.server.requests().len()), (StopReason::Repeat, 3));
    let other = || Reply::new().call("read_file", &json!({"path": "SOUL.md"}));
    let both = (0..20).flat_map(|_| [same(), other()]).collect();
    let (home, events) = turn(both).await;
    assert_eq!((stop(&events), home.server.requests().len()), (StopReason::Repeat, 5));
}

#[tokio::test]
async fn unknown_tools_and_broken_arguments_go_back_twice_then_end_the_turn() {
    let unknown = || Reply::new().call("launch_rocket", &json!({}));
    let (_, events) = turn(vec![unknown(), Reply::new().text("Sorry.")]).await;
    assert_eq!(stop(&events), StopReason::Finished);
    let (home, events) = turn((0..9).map(|_| unknown()).collect()).await;
    assert_eq!((stop(&events), home.server.requests().len()), (StopReason::Failed, 3));
    let broken = || Reply::new().call_raw("read_file", "{\"path\": \"SOUL.md\", oops");
    let (home, events) = turn((0..9).map(|_| broken()).collect()).await;
    assert_eq!((stop(&events), home.server.requests().len()), (StopReason::Failed, 3));
    assert_eq!(good_ends(&events), 0, "nothing ran with invented arguments");
}

#[tokio::test]
async fn every_malformed_line_ends_in_an_error_or_a_mended_call() {
    let text = include_str!("../fixtures/tool_args_malformed.jsonl");
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home");
    let engine = home.open().await.expect("opens");
    let lines = text.lines().skip(1).map(|line| serde_json::from_str(line).expect("a JSON line"));
    let lines: Vec<Value> = lines.collect();
    for line in lines.iter().filter(|line| line.get("tool").is_none()) {
        let Some(arguments) = line["arguments"].as_str() else { continue };
        home.server.push(Reply::new().call_raw("write_file", arguments));
        home.server.push(Reply::new().text("I see."));
        let events = ask(&engine, message("write")).await.expect("asks");
        assert_eq!(stop(&events), StopReason::Finished, "{line}: {events:?}");
        // The fixture's tool takes `text`, this one wants `content`: no line of it may run.
        let ran = good_ends(&events);
        assert_eq!(ran, 0, "{line}: {events:?}");
    }
    for request in home.server.requests() {
        assert_eq!(strict::refusal(FORMATS[0].0, &request.body), None);
    }
    engine.close().await;
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_kept_and_said() {
    let half = || Reply::new().text("The answer is fort").cut();
    let (_, events) =
        turn(vec![half(), Reply::new().text("").cut(), Reply::new().text("").cut()]).await;
    assert_eq!(done(&events), Some(("The answer is fort".into(), StopReason::Failed)));
    let code = events.iter().find_map(|event| match &event.body {
        EventBody::Error { code, .. } => Some(*code),
        _ => None,
    });
    assert_eq!(code, Some(ErrorCode::ProviderUnavailable));
    let pieces = ["<thi", "nk>hm, ", "let me", "</th", "ink>", "Forty", "-two."];
    let leaking = pieces.iter().fold(Reply::new(), |reply, piece| reply.text(*piece));
    let (_, events) = turn(vec![leaking]).await;
    assert_eq!(done(&events), Some(("Forty-two.".into(), StopReason::Finished)));
}

#[tokio::test]
async fn a_message_of_a_megabyte_is_answered_or_refused_and_the_next_one_works() {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home");
    home.flush_nothing();
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().text("Hello."));
    let events = ask(&engine, message(&"word ".repeat(210_000))).await.expect("asks");
    let code = events.iter().find_map(|event| match &event.body {
        EventBody::Error { code, .. } => Some(*code),
        _ => None,
    });
    assert_eq!((stop(&events), code), (StopReason::Failed, Some(ErrorCode::ContextOverflow)));
    let events = ask(&engine, message("hello")).await.expect("asks");
    assert_eq!(done(&events), Some(("Hello.".into(), StopReason::Finished)));
    engine.close().await;
}

#[tokio::test]
async fn a_tool_that_returns_nothing_is_an_answer() {
    let empty = json!({"path": "notes/empty.md", "content": ""});
    let replies = vec![
        Reply::new().call("write_file", &empty),
        Reply::new().call("read_file", &json!({"path": "notes/empty.md"})),
        Reply::new().call("exec", &json!({"command": "cat notes/empty.md"})),
        Reply::new().text("It is empty."),
    ];
    let (_, events) = turn(replies).await;
    assert_eq!(done(&events), Some(("It is empty.".into(), StopReason::Finished)));
    let results: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolEnd { ok: true, result, .. } => Some(result.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(results.len(), 3, "{events:?}");
    assert!(results.iter().all(|result| !result.trim().is_empty()), "{results:?}");
}

/// What was said while the clock stood a year ahead keeps its place when the clock is right again.
#[tokio::test]
async fn a_clock_that_jumps_back_changes_no_order() {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home");
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().text("first reply"));
    ask(&engine, message("first")).await.expect("asks");
    let export = api::sessions::export(&engine, SessionKey::main()).await.expect("exports");
    let ahead: Vec<String> = export
        .lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).expect("a JSON line");
            later(&mut row);
            row.to_string()
        })
        .collect();
    assert_ne!(ahead.join("\n"), export.trim_end(), "the rows carry times");
    let session = api::sessions::import(&engine, &(ahead.join("\n") + "\n"), None)
        .await
        .expect("imports")
        .session;
    for text in ["second", "third"] {
        home.server.push(Reply::new().text(format!("{text} reply")));
        let request =
            hearth_protocol::api::chat::Submit { session: session.clone(), ..message(text) };
        let events = ask(&engine, request).await.expect("asks");
        assert_eq!(done(&events), Some((format!("{text} reply"), StopReason::Finished)));
    }
    let rows = api::sessions::rows(&engine, session).await.expect("rows");
    let said: Vec<_> =
        rows.iter().filter(|row| row.role == Role::User).map(|row| row.text.as_str()).collect();
    assert_eq!(said, ["first", "second", "third"]);
    let last = home.server.requests().last().expect("asked").body.to_string();
    let at = |text: &str| last.find(text).unwrap_or_else(|| panic!("{text} is not in {last}"));
    assert!(at("first reply") < at("second reply") && at("second reply") < at("third"));
    engine.close().await;
}

/// Every Unix time in a row, a year later.
fn later(value: &mut Value) {
    const YEAR: i64 = 365 * 86_400;
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_i64() {
                    Some(at) if name == "at" || name.ends_with("_at") => {
                        *value = json!(at + YEAR);
                    }
                    _ => later(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(later),
        _ => {}
    }
}
