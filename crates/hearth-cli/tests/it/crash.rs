//! Killed in the middle of a stream: the next start finds a well-formed session.

use crate::support::Bench;
use hearth_llm::scripted::{Gate, Reply};
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
