//! What fails says so: exit status 1 and one line, nothing that looks like success.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::Reply;

fn write(bench: &Bench, text: &str) {
    std::fs::create_dir_all(bench.path("workspace")).expect("folder");
    std::fs::write(bench.path("workspace/HEARTBEAT.md"), text).expect("writes");
}

/// The command fails with one line that holds this.
async fn fails(bench: &Bench, arguments: &[&str], says: &str) {
    let output = bench.run(arguments).await;
    let line = said(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {line}");
    assert_eq!(line.trim().lines().count(), 1, "{arguments:?}: {line}");
    assert!(line.contains(says), "{arguments:?}: {line}");
}

#[tokio::test]
async fn what_fails_is_no_success() {
    let bench = Bench::new().await;
    bench.settings("[memory]\nembedding = \"off\"\n");
    fails(&bench, &["ask", "/skill nope"], "no skill nope").await;
    fails(&bench, &["skills", "run", "nope"], "no skill nope").await;
    fails(&bench, &["cron", "history", "nosuch"], "nosuch").await;
    fails(&bench, &["cron", "run", "nosuch"], "nosuch").await;
    let skill = ["cron", "add", "0 9 * * *", "nope", "--action", "run_skill"];
    fails(&bench, &skill, "skill nope").await;

    let words = ["cron", "add", "0 9 * * *", "look", "--action", "run_turn", "--json"];
    let id = bench.lines(&words).await[0]["id"].as_str().expect("an id").to_owned();
    assert!(bench.lines(&["cron", "history", &id, "--json"]).await.is_empty());
    bench.server.push(Reply::answer(401, &[], "{}"));
    fails(&bench, &["cron", "run", &id], "it failed: ").await;
    write(&bench, "- look around\n");
    bench.server.push(Reply::answer(401, &[], "{}"));
    let output = bench.run(&["heartbeat", "run", "--json"]).await;
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(json_lines(&output)[0]["decision"], "failed");
    write(&bench, "trigger: 0 9 * * *\naction: run_skill nope\n");
    fails(&bench, &["heartbeat", "run", "--dry-run"], "skill nope").await;
}

#[tokio::test]
async fn a_schedule_says_when_or_why_never() {
    let bench = Bench::new().await;
    let soon = bench.lines(&["cron", "next", "in 20m", "--json"]).await;
    assert_eq!(soon.len(), 1, "{soon:?}");
    let from = [
        "cron",
        "next",
        "in 90m",
        "--from",
        "2027-03-28T00:30:00Z",
        "--zone",
        "Europe/Oslo",
        "--json",
    ];
    assert_eq!(bench.lines(&from).await[0]["at_utc"], "2027-03-28T02:00:00Z");
    fails(&bench, &["cron", "next", "at 2020-01-01 09:00"], "it is now").await;
    let far = bench.run(&["cron", "next", "*/100 * * * *"]).await;
    assert_eq!(far.status.code(), Some(2));
    assert!(said(&far).contains("every 100m"), "{}", said(&far));
}

#[tokio::test]
async fn a_heartbeat_that_rests_says_so() {
    let bench = Bench::new().await;
    write(&bench, "- look around\n");
    let text = async || {
        let output = bench.run(&["heartbeat", "list"]).await;
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(!text().await.contains("The heartbeat is"));
    bench.settings("[heartbeat]\nenabled = false\n");
    let off = text().await;
    assert!(off.starts_with("The heartbeat is off: heartbeat.enabled is false"), "{off}");
    let rows = bench.run(&["heartbeat", "list", "--json"]).await;
    assert_eq!(json_lines(&rows).len(), 1);
    assert!(said(&rows).contains("The heartbeat is off"), "{}", said(&rows));
}

/// Context switches that each thread of a process asked for, so far: each is a wake-up.
#[cfg(target_os = "linux")]
fn wakes(process: u32) -> std::collections::HashMap<std::ffi::OsString, u64> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs").flatten();
    let count = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        Some((task.file_name(), line.trim().parse().ok()?))
    };
    tasks.filter_map(count).collect()
}

/// Time itself is measured here, so it has to pass.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_served_home_sleeps_while_nothing_is_due() {
    use std::time::Duration;
    use tokio::io::{AsyncBufReadExt as _, BufReader};
    const SECONDS: u64 = 10;
    let bench = Bench::new().await;
    bench.settings("[memory]\nembedding = \"off\"\n");
    write(&bench, "trigger: 0 9 1 1 *\nprompt: a new year\n");
    let mut serving = bench.start(&["serve", "--json"]);
    let mut lines = BufReader::new(serving.stdout.take().expect("piped")).lines();
    lines.next_line().await.expect("serves").expect("says so");
    tokio::time::sleep(Duration::from_secs(7)).await;
    let process = serving.id().expect("runs");
    // A busy machine may still be opening the home: one quiet stretch shows that it sleeps.
    let mut least = u64::MAX;
    for _ in 0..4 {
        let before = wakes(process);
        tokio::time::sleep(Duration::from_secs(SECONDS)).await;
        let since =
            |(task, count): (&std::ffi::OsString, &u64)| count - before.get(task).unwrap_or(&0);
        least = least.min(wakes(process).iter().map(since).sum());
        if least <= 3 * SECONDS {
            break;
        }
    }
    assert!(least <= 3 * SECONDS, "{least} wake-ups in {SECONDS} seconds");
    serving.kill().await.expect("ends");
}
