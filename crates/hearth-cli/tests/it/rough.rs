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
    assert!(String::from_utf8_lossy(&help.stdout).contains("/new /新建: begin"));
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
    let last = export.iter().filter(|byte| **byte == b'\n').count() + 1;
    let place = format!("standard input line {last}");
    for (input, why) in [(broken.as_slice(), place.as_str()), (b"\n", "holds no session")] {
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
    // What no window holds leaves it: it is written down and summarised first.
    let aside = |mark, text| bench.server.aside(mark, Reply::new().text(text));
    aside("You keep a personal assistant's memory", "{\"entries\":[]}");
    aside(
        "You keep the record of a conversation",
        "## Tasks\nThe user sent a very long text of words.",
    );
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

#[tokio::test]
async fn a_path_that_nobody_knows_has_no_history() {
    let bench = Bench::new().await;
    let output = bench.run(&["files", "history", "notes.md"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("no file notes.md"), "{}", said(&output));
    bench.lines(&["files", "history", "SOUL.md", "--json"]).await;
}

#[tokio::test]
async fn a_file_removed_while_nothing_runs_has_a_version_that_says_so() {
    let bench = Bench::new().await;
    let before = bench.lines(&["files", "history", "TOOLS.md", "--json"]).await;
    assert_eq!((before.len(), &before[0]["deleted"]), (1, &false.into()));
    std::fs::remove_file(bench.path("workspace/TOOLS.md")).expect("removes");
    let after = bench.lines(&["files", "history", "TOOLS.md", "--json"]).await;
    assert_eq!((after.len(), &after[0]["deleted"]), (2, &true.into()), "{after:?}");
    let rev = before[0]["rev"].to_string();
    let output = bench.run(&["files", "restore", "TOOLS.md", &rev]).await;
    assert!(output.status.success(), "{}", said(&output));
    assert!(bench.path("workspace/TOOLS.md").is_file());
}

#[tokio::test]
async fn a_list_of_nothing_says_so_to_people_and_nothing_to_programs() {
    let bench = Bench::new().await;
    for (arguments, words) in [
        (["sessions", "list"].as_slice(), "No conversation"),
        (&["secrets", "list"], "No secret"),
        (&["usage", "--days", "7"], "the last 7 days"),
    ] {
        let plain = bench.run(arguments).await;
        assert!(String::from_utf8_lossy(&plain.stdout).contains(words), "{arguments:?}");
        assert_eq!(bench.lines(&[arguments, &["--json"]].concat()).await.len(), 0);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn doctor_names_a_workspace_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new().await;
    bench.lines(&["files", "list", "--json"]).await;
    let mode = |path: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(bench.path(path), permissions).expect("sets");
    };
    let row = async || {
        let rows = bench.lines(&["doctor", "--json"]).await;
        rows.into_iter().find(|row| row["check"] == "workspace").expect("a row")
    };
    assert_eq!(row().await["ok"], true);
    mode("workspace/SOUL.md", 0o444);
    let found = row().await;
    assert!(found["ok"] == false && found["detail"].to_string().contains("SOUL.md"), "{found}");
    mode("workspace/SOUL.md", 0o644);
    mode("workspace", 0o555);
    let found = row().await;
    mode("workspace", 0o755);
    assert!(found["ok"] == false && found["detail"].to_string().contains("read-only"), "{found}");
}

#[tokio::test]
async fn doctor_names_the_lines_of_the_heartbeat_that_cannot_be_read() {
    let bench = Bench::new().await;
    let row = async || {
        let rows = bench.lines(&["doctor", "--json"]).await;
        rows.into_iter().find(|row| row["check"] == "heartbeat").expect("a row")
    };
    bench.lines(&["files", "list", "--json"]).await;
    assert_eq!(row().await["ok"], true);
    let block = "# Heartbeat\n\n## Water\ntrigger: 0 0 31 2 *\naction: notify\nDrink.\n";
    std::fs::write(bench.path("workspace/HEARTBEAT.md"), block).expect("writes");
    let found = row().await;
    assert!(found["ok"] == false && found["detail"].to_string().contains("line 4"), "{found}");
}
