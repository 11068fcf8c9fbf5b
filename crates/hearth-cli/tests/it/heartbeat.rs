//! `hearth heartbeat`, `hearth cron` and `hearth serve` from outside.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::{Gate, Reply};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};

fn write(bench: &Bench, text: &str) {
    std::fs::create_dir_all(bench.path("workspace")).expect("folder");
    std::fs::write(bench.path("workspace/HEARTBEAT.md"), text).expect("writes");
}

#[tokio::test]
async fn the_table_of_clock_changes_holds_from_outside() {
    let bench = Bench::new().await;
    let table = include_str!("../../../hearth-schedule/tests/fixtures/dst_dev.tsv");
    for row in table.lines().skip(1).step_by(9) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [schedule, zone, from, to, fires, _] = cells[..] else { panic!("six cells: {row}") };
        let words =
            ["cron", "next", schedule, "--zone", zone, "--from", from, "--to", to, "--json"];
        let found = bench.lines(&words).await;
        let at: Vec<&str> = found.iter().filter_map(|row| row["at_utc"].as_str()).collect();
        assert_eq!(at.join(" "), fires, "{row}");
        assert!(found.iter().all(|row| row["local"].is_string()));
    }
    assert!(!bench.path("hearth.db").exists(), "it needs no home");
    let five = bench.lines(&["cron", "next", "0 9 * * *", "--json"]).await;
    assert_eq!(five.len(), 5);
    for bad in [["0 0 31 2 *", "UTC"], ["0 9 * * *", "Mars/Olympus"], ["nonsense", "UTC"]] {
        let output = bench.run(&["cron", "next", bad[0], "--zone", bad[1]]).await;
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
        assert!(said(&output).lines().count() == 1, "{}", said(&output));
    }
}

#[tokio::test]
async fn a_beat_from_the_command_line() {
    let bench = Bench::new().await;
    write(&bench, "# HEARTBEAT.md\n<!-- nothing -->\n- [ ]\n");
    let empty = &bench.lines(&["heartbeat", "run", "--json"]).await[0];
    assert_eq!((&empty["model_calls"], &empty["decision"]), (&json!(0), &json!("skipped")));
    write(
        &bench,
        "## Greet\ntrigger: */5 * * * *\naction: send_message\nprompt: say hello\n\n- check the weather\n\ntrigger: 61 * * * *\nprompt: x\n",
    );
    let rows = bench.lines(&["heartbeat", "list", "--json"]).await;
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1]["next"].as_array().map(Vec::len), Some(5));
    assert!(rows[2]["error"].as_str().is_some_and(|error| error.contains("cannot be read")));
    let dry = &bench.lines(&["heartbeat", "run", "--dry-run", "--json"]).await[0];
    assert_eq!(dry["model_calls"], json!(1));
    assert!(bench.server.take_requests().is_empty());
    bench.server.push(Reply::new().text("HEARTBEAT_OK"));
    let ran = &bench.lines(&["heartbeat", "run", "--json"]).await[0];
    assert_eq!((&ran["model_calls"], &ran["decision"]), (&json!(1), &json!("silent")));
    bench.server.push(
        Reply::new().text("{\"notify\":true,\"title\":\"Rain\",\"body\":\"Soon.\",\"why\":\"w\"}"),
    );
    let held = &bench.lines(&["heartbeat", "run", "--at", "2026-12-01T23:00", "--json"]).await[0];
    assert_eq!((&held["decision"], &held["title"]), (&json!("held"), &json!("Rain")));
    assert!(held["why"].as_str().is_some_and(|why| why.contains("quiet hours")));
    assert_eq!(bench.run(&["heartbeat", "run", "--at", "soon"]).await.status.code(), Some(2));
    let log = bench.lines(&["heartbeat", "log", "--json"]).await;
    assert_eq!(log.len(), 2);
}

#[tokio::test]
async fn the_list_shows_what_the_editor_marks() {
    let bench = Bench::new().await;
    write(
        &bench,
        "## A\nprompt: x\ntrigger: 61 * * * *\n\n## B\ntrigger: 0 9 * * *\nmised: skip\nprompt: x\n\n\
         ## C\ntrigger: at 2020-01-01 09:00\nprompt: x\n\n<!-- open\n- hidden\n",
    );
    let listed = bench.run(&["heartbeat", "list"]).await;
    let rows = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.status.success() && rows.contains("line 3: "), "{rows}");
    let told = said(&listed);
    for (line, words) in [(7, "no key"), (11, "is past"), (14, "has no end")] {
        let place = format!("HEARTBEAT.md line {line}: ");
        assert!(told.lines().any(|one| one.contains(&place) && one.contains(words)), "{told}");
    }
    assert!(!told.contains("line 3"), "{told}");
}

type Printed = tokio::io::Lines<BufReader<tokio::process::ChildStdout>>;

/// The next line of a served home that is a notice.
async fn notice(lines: &mut Printed) -> Value {
    next(lines, "notice").await
}

/// The next line of a served home that tells such an event.
async fn next(lines: &mut Printed, event: &str) -> Value {
    let found = async {
        while let Ok(Some(line)) = lines.next_line().await {
            let line: Value = serde_json::from_str(&line).expect("a JSON line");
            if line["event"] == event {
                return line;
            }
        }
        panic!("the process ended");
    };
    tokio::time::timeout(Duration::from_secs(30), found).await.expect("in time")
}

#[tokio::test]
async fn a_served_home_reminds_and_a_killed_one_says_what_was_cut_off() {
    let bench = Bench::new().await;
    bench.settings("[heartbeat]\nquiet = \"\"\n");
    let mut serving = bench.start(&["serve", "--json"]);
    let mut lines = BufReader::new(serving.stdout.take().expect("piped")).lines();
    next(&mut lines, "serving").await;
    // Through the door of the process that owns the home.
    let made = bench.lines(&["cron", "add", "in 2s", "Call mum", "--json"]).await;
    let told = notice(&mut lines).await;
    assert_eq!(
        (&told["body"], &told["session"]),
        (&json!("Call mum"), &json!("assistant:heartbeat"))
    );
    let id = made[0]["id"].as_str().expect("an id").to_owned();

    let gate = Gate::default();
    bench.server.push(Reply::new().text("HEARTBEAT_OK").hold(&gate));
    let words = ["cron", "add", "in 1s", "look around", "--action", "run_turn", "--json"];
    let cut = bench.lines(&words).await[0]["id"].as_str().expect("an id").to_owned();
    bench.server.asked(1).await;
    serving.start_kill().expect("killed");
    serving.wait().await.expect("ended");
    let history = |id: String| {
        let bench = &bench;
        async move { bench.lines(&["cron", "history", &id, "--json"]).await }
    };
    let done = history(id).await;
    assert_eq!((done.len(), &done[0]["state"]), (1, &json!("ok")));
    let interrupted = history(cut.clone()).await;
    assert_eq!((interrupted.len(), &interrupted[0]["state"]), (1, &json!("interrupted")));

    // Started again it does not run what was cut off a second time.
    let _ = bench.server.take_requests();
    let mut again = bench.start(&["serve", "--json"]);
    let mut lines = BufReader::new(again.stdout.take().expect("piped")).lines();
    next(&mut lines, "serving").await;
    bench.lines(&["cron", "add", "in 1s", "Tea", "--json"]).await;
    assert_eq!(notice(&mut lines).await["body"], json!("Tea"));
    assert!(bench.server.take_requests().is_empty());
    assert_eq!(history(cut).await.len(), 1);
    again.kill().await.expect("ends");
    gate.open();
}

#[tokio::test]
async fn jobs_are_added_listed_and_removed() {
    let bench = Bench::new().await;
    let past = bench.run(&["cron", "add", "at 2020-01-01 09:00", "x"]).await;
    assert!(!past.status.success() && said(&past).contains("it is now"), "{}", said(&past));
    let made = bench
        .lines(&["cron", "add", "0 9 * * 1", "Plan the week", "--zone", "Asia/Shanghai", "--json"])
        .await;
    let id = made[0]["id"].as_str().expect("an id");
    let rows = json_lines(&bench.run(&["cron", "list", "--json"]).await);
    assert_eq!(
        (rows.len(), &rows[0]["zone"], &rows[0]["action"]),
        (1, &json!("Asia/Shanghai"), &json!("remind"))
    );
    assert_eq!(rows[0]["next"].as_array().map(Vec::len), Some(5));
    bench.lines(&["cron", "remove", id, "--json"]).await;
    assert!(json_lines(&bench.run(&["cron", "list", "--json"]).await).is_empty());
    assert!(!bench.run(&["cron", "remove", id]).await.status.success());
}
