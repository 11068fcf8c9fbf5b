//! Several processes on one home.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::{Gate, Reply};

#[tokio::test]
async fn parallel_asks_are_all_kept() {
    let bench = Bench::new().await;
    let mut running = Vec::new();
    for number in 0..5 {
        bench.server.push(Reply::new().text("OK."));
        running.push(bench.start(&[
            "ask",
            &format!("message {number}"),
            "--session",
            "assistant:par",
        ]));
    }
    for child in running {
        let output = child.wait_with_output().await.expect("ends");
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(0), &b"OK.\n"[..]),
            "{}",
            said(&output)
        );
    }
    let rows = bench.lines(&["sessions", "show", "assistant:par", "--json"]).await;
    let mut messages: Vec<_> =
        rows.iter().filter(|row| row["role"] == "user").map(|row| row["text"].clone()).collect();
    messages.sort_by_key(ToString::to_string);
    assert_eq!(messages.len(), 5, "{messages:?}");
}

#[tokio::test]
async fn a_second_process_reads_and_asks_through_the_first() {
    let bench = Bench::new().await;
    let gate = Gate::default();
    bench.server.push(Reply::new().text("Slow ").hold(&gate).text("one."));
    let first = bench.start(&["ask", "first", "--session", "assistant:one"]);
    bench.server.asked(1).await;
    let rows = bench.lines(&["sessions", "list", "--json"]).await;
    assert_eq!(rows[0]["key"], "assistant:one");
    bench.server.push(Reply::new().text("Quick."));
    let second = bench.run(&["ask", "--json", "second", "--session", "assistant:two"]).await;
    assert_eq!(second.status.code(), Some(0), "{}", said(&second));
    assert_eq!(json_lines(&second).last().expect("events")["reply"], "Quick.");
    gate.open();
    let first = first.wait_with_output().await.expect("ends");
    assert_eq!(first.stdout, b"Slow one.\n");
}

#[cfg(unix)]
#[tokio::test]
async fn a_polite_kill_stops_the_turn_and_stores_it() {
    let bench = Bench::new().await;
    bench.server.push(Reply::new().text("So far").hold(&Gate::default()));
    let child = bench.start(&["ask", "--json", "tell"]);
    bench.server.asked(1).await;
    let id = child.id().expect("runs").to_string();
    let killed =
        tokio::process::Command::new("kill").args(["-TERM", &id]).status().await.expect("kills");
    assert!(killed.success());
    let output = child.wait_with_output().await.expect("ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json_lines(&output).last().expect("events")["stop"], "cancelled");
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    assert_eq!(rows[0]["text"], "tell");
}
