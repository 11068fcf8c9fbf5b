//! Input as it comes from people, editors and broken disks: one clear line each, nothing lost.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::Reply;
use std::process::{Output, Stdio};
use tokio::io::AsyncWriteExt;

async fn fed(bench: &Bench, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = bench.command(arguments).stdin(Stdio::piped()).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input).await.expect("writes");
    drop(stdin);
    child.wait_with_output().await.expect("ends")
}

#[tokio::test]
async fn chat_goes_on_in_the_new_conversation() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("One."));
    bench.server.push(Reply::new().text("Two."));
    let output = fed(&bench, &["chat"], "first\n\n/新建\nsecond \u{fffd}\n".as_bytes()).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let sessions = bench.lines(&["sessions", "list", "--json"]).await;
    let titles: Vec<_> = sessions.iter().map(|row| row["title"].clone()).collect();
    assert_eq!(titles, ["second \u{fffd}", "first"], "{sessions:?}");
    let help = fed(&bench, &["chat"], b"/help\n").await;
    assert!(String::from_utf8_lossy(&help.stdout).contains("/new` `/新建`: begin"));
}

#[tokio::test]
async fn a_chat_survives_bytes_that_are_no_text() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("One."));
    bench.server.push(Reply::new().text("Two."));
    let output = fed(&bench, &["chat"], b"caf\xe9\nok\n").await;
    assert_eq!(output.stdout, b"One.\nTwo.\n", "{}", said(&output));
    let output = fed(&bench, &["ask", "-"], b"one\ncaf\xe9\n").await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        said(&output),
        "hearth: standard input is not UTF-8 text (line 2). Save it as UTF-8.\n"
    );
}

#[tokio::test]
async fn an_import_is_whole_or_nothing() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("One."));
    bench.run(&["ask", "first"]).await;
    let export = bench.run(&["sessions", "export", "assistant:main"]).await.stdout;
    let marked = [b"\xef\xbb\xbf".as_slice(), &export].concat();
    let output = fed(&bench, &["sessions", "import", "-", "--json"], &marked).await;
    assert_eq!(json_lines(&output)[0]["messages"], 2, "{}", said(&output));
    let broken = [export.as_slice(), b"{\"role\": \"us"].concat();
    for (input, why) in [(broken.as_slice(), "standard input line 3"), (b"\n", "no messages")] {
        let output = fed(&bench, &["sessions", "import", "-"], input).await;
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
    assert_eq!(bench.lines(&["sessions", "list", "--json"]).await.len(), 2);
}

#[tokio::test]
async fn a_message_that_no_window_holds_is_told_and_the_session_lives_on() {
    let bench = Bench::new().await;
    let output = fed(&bench, &["ask", "-"], "word ".repeat(200_000).as_bytes()).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("Shorten the message"), "{}", said(&output));
    bench.server.push(Reply::new().text("Here."));
    let output = bench.run(&["ask", "still there?"]).await;
    assert_eq!(output.stdout, b"Here.\n", "{}", said(&output));
}

#[tokio::test]
async fn a_turn_that_never_began_is_one_error_event() {
    let bench = Bench::new().await;
    let output = bench.run(&["ask", "--json", " "]).await;
    assert_eq!(output.status.code(), Some(1));
    let events = json_lines(&output);
    assert_eq!(events.len(), 1);
    assert_eq!(
        (&events[0]["event"], &events[0]["code"]),
        (&"error".into(), &"invalid_request".into())
    );
    assert!(said(&output).contains("the message is empty"));
}

#[tokio::test]
async fn doctor_has_a_row_for_a_home_that_cannot_be_opened() {
    let bench = Bench::new().await;
    std::fs::write(bench.path("hearth.db"), "garbage".repeat(100)).expect("writes");
    let output = bench.run(&["doctor", "--json"]).await;
    assert_eq!(output.status.code(), Some(1));
    let rows = json_lines(&output);
    assert_eq!((&rows[0]["check"], &rows[0]["ok"]), (&"home".into(), &false.into()));
    assert!(said(&output).contains("hearth.db"), "{}", said(&output));
}

#[tokio::test]
async fn a_long_pause_is_named_and_the_next_model_asked() {
    let bench = Bench::new().await;
    let pause = || Reply::answer(429, &[("retry-after", "7200")], "{}");
    bench.server.push(pause());
    let output = bench.run(&["ask", "hello"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("It will answer again in 2 hours."), "{}", said(&output));
}
