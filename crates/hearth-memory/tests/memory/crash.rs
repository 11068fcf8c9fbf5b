//! A process that is killed while it builds the index leaves one that works, and the next goes on.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use hearth_protocol::api::memory::MemoryQuery;

use crate::support::{Letters, Place, open};

const FOLDER: &str = "HEARTH_TEST_CRASH_FOLDER";

/// The process that is killed: says each step of a rebuild. Alone it does nothing.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let say = |step: &str| {
        use std::io::Write as _;
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nstep {step}").unwrap();
        out.flush().unwrap();
    };
    say("begin");
    let letters = Letters::new(32);
    let (workspace, index) = (folder.join("workspace"), folder.join("index.db"));
    let memory = open(&workspace, &index, Some(letters), None).await;
    say("open");
    memory.sync().await.unwrap();
    say("sync");
    memory.embed(&mut |_| true).await.unwrap();
    say("embed");
    loop {
        memory
            .reindex(&mut |_| {
                say("batch");
                true
            })
            .await
            .unwrap();
        say("switch");
    }
}

fn write_notes(place: &Place) {
    for day in 1..=9 {
        let line = |n: usize| format!("- {n:02}:00 harbour number {day}-{n}, 港口第{n}号\n");
        let log: String = (0..20).map(line).collect();
        place.write(&format!("memory/2026-10-{day:02}.md"), &log);
    }
}

/// Kills the child after so many steps and a little more; returns the steps it said.
fn killed_after(place: &Place, steps: usize, pause: u64) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(FOLDER, place.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        if let Some(step) = line.unwrap().strip_prefix("step ") {
            seen.push(step.to_owned());
        }
        if seen.len() == steps {
            break;
        }
    }
    // The kill has to fall inside a step, each time at another place.
    std::thread::sleep(std::time::Duration::from_micros(pause));
    child.kill().unwrap();
    child.wait().unwrap();
    seen
}

#[tokio::test]
async fn a_kill_at_any_step_leaves_a_working_index() {
    let place = Place::new();
    write_notes(&place);
    let mut kinds = std::collections::HashSet::new();
    for round in 0..14_usize {
        let steps = 1 + round;
        let seen = killed_after(&place, steps, (round as u64 * 1_700) % 9_000);
        assert_eq!(seen.len(), steps, "the child ended by itself: {seen:?}");
        kinds.extend(seen);
        let memory = place.memory_with(Some(Letters::new(32)), None).await;
        let status = memory.status().await.unwrap();
        assert_eq!(status.note, "", "nothing was damaged after {steps} steps");
        assert_eq!(status.chunks, 180);
        assert!(memory.embed(&mut |_| true).await.unwrap());
        assert_eq!(memory.status().await.unwrap().stale, 0);
        let query =
            MemoryQuery { query: "harbour number 3-7".to_owned(), ..MemoryQuery::default() };
        let answer = memory.search(&query).await.unwrap();
        assert!(answer.hits[0].text.contains("number 3-7,"), "{:?}", answer.hits[0]);
        memory.close().await;
    }
    for kind in ["begin", "open", "sync", "embed", "batch", "switch"] {
        assert!(kinds.contains(kind), "no kill after {kind}");
    }
}
