//! When a conversation is written down: silence, size, its end, another model, a full window; and a process that
//! is killed while it does so.

use hearth_engine::{Engine, Heard, Listener, api};
use hearth_llm::scripted::{Reply, Server};
use hearth_protocol::SessionKey;
use hearth_protocol::api::chat::SessionChange;
use hearth_protocol::api::system::Signal;
use hearth_tests::{FLUSH_MARK, FORMATS, Notices, SUMMARY_MARK, TestHome, ask, message, open};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FACT: &str = "The kayak hangs in the barn";
const MINUTE: i64 = 60;

/// A home whose model finds one fact in whatever it writes down.
async fn home() -> (TestHome, Engine) {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let found = json!({ "entries": [{ "text": FACT, "kind": "fact", "from": [1] }] });
    home.server.aside(FLUSH_MARK, Reply::new().text(found.to_string()));
    let engine = home.open().await.expect("opens");
    (home, engine)
}

async fn say(home: &TestHome, engine: &Engine, text: &str) {
    home.server.push(Reply::new().text("I see."));
    ask(engine, message(text)).await.expect("asks");
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("fits")
}

/// The requests to write something down, by their place among all requests.
fn flushes(home: &TestHome, mark: &str) -> Vec<usize> {
    let asked = home.server.requests();
    let marked = asked.iter().enumerate().filter(|(_, one)| one.body.to_string().contains(mark));
    marked.map(|(place, _)| place).collect()
}

/// Waits until a file of the workspace was written.
async fn written(heard: &mut Listener, path: &str) {
    let waiting = async {
        while let Some(one) = heard.next().await {
            if matches!(one, Heard::Signal(Signal::File(changed)) if changed.path == path) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("it is written");
}

#[tokio::test]
async fn thirty_minutes_of_silence_write_a_conversation_down() {
    let (home, engine) = home().await;
    say(&home, &engine, &format!("{FACT}, and it is green.")).await;
    let said = now();
    api::entries::write_down(&engine, said + 29 * MINUTE).await.expect("looks");
    assert_eq!(flushes(&home, FLUSH_MARK).len(), 0, "it may go on");
    api::entries::write_down(&engine, said + 31 * MINUTE).await.expect("looks");
    assert_eq!(flushes(&home, FLUSH_MARK).len(), 1);
    assert!(api::entries::list(&engine).await.expect("lists").iter().any(|row| row.text == FACT));
    api::entries::write_down(&engine, said + 90 * MINUTE).await.expect("looks");
    assert_eq!(flushes(&home, FLUSH_MARK).len(), 1, "nothing new was said");
    engine.close().await;
}

#[tokio::test]
async fn two_megabytes_are_written_down_before_any_silence() {
    let (home, engine) = home().await;
    say(&home, &engine, "PAD").await;
    let export = api::sessions::export(&engine, SessionKey::main()).await.expect("exports");
    // Characters of three bytes each: bytes are what counts.
    for (chars, flushed) in [(600_000, 0), (700_000, 1)] {
        let long = |line: &str| match line.contains("\"role\":\"user\"") {
            true => line.replace("PAD", &"大".repeat(chars)) + "\n",
            false => line.to_owned() + "\n",
        };
        let lines: String = export.lines().map(long).collect();
        assert!(lines.len() > chars * 3, "it is in there");
        let key = SessionKey::parse(&format!("assistant:of{chars}")).expect("a key");
        api::sessions::import(&engine, &lines, Some(key)).await.expect("imports");
        api::entries::write_down(&engine, now()).await.expect("looks");
        assert_eq!(flushes(&home, FLUSH_MARK).len(), flushed, "{chars}");
    }
    engine.close().await;
}

#[tokio::test]
async fn what_ends_a_conversation_writes_it_down() {
    let ends: [(&str, &str); 2] = [("a new one", "/new"), ("in Chinese", "/新建")];
    for (why, command) in ends {
        let (home, engine) = home().await;
        say(&home, &engine, &format!("{FACT}.")).await;
        let mut heard = engine.listen();
        api::chat::submit(&engine, message(command)).await.expect("is taken");
        written(&mut heard, "MEMORY.md").await;
        assert_eq!(flushes(&home, FLUSH_MARK).len(), 1, "{why}");
        engine.close().await;
    }
    let changes = [
        ("put away", SessionChange { archived: Some(true), ..SessionChange::default() }),
        (
            "another model",
            SessionChange { model: Some("work/scripted-1".to_owned()), ..SessionChange::default() },
        ),
    ];
    for (why, change) in changes {
        let (home, engine) = home().await;
        say(&home, &engine, &format!("{FACT}.")).await;
        let mut heard = engine.listen();
        api::sessions::change(&engine, SessionKey::main(), change.clone()).await.expect("changes");
        written(&mut heard, "MEMORY.md").await;
        assert_eq!(flushes(&home, FLUSH_MARK).len(), 1, "{why}");
        // The same once more changes nothing.
        api::sessions::change(&engine, SessionKey::main(), change).await.expect("changes");
        engine.close().await;
        assert_eq!(flushes(&home, FLUSH_MARK).len(), 1, "{why}");
    }
}

#[tokio::test]
async fn a_conversation_is_written_down_before_it_is_summarised() {
    let (home, engine) = home().await;
    for n in 0..4 {
        say(&home, &engine, &format!("{FACT}, part {n}. {}", "More of it. ".repeat(40))).await;
    }
    ask(&engine, message("/compact")).await.expect("asks");
    let (flushed, summed) = (flushes(&home, FLUSH_MARK), flushes(&home, SUMMARY_MARK));
    assert!(flushed.len() == 1 && !summed.is_empty(), "{flushed:?} {summed:?}");
    assert!(flushed[0] < summed[0], "{flushed:?} {summed:?}");
    engine.close().await;
}

const KILLED: &str = "HEARTH_TEST_FLUSH_HOME";

/// The process that is killed: writes all conversations down and says each step. Alone it does nothing.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(KILLED).map(PathBuf::from) else { return };
    let say = |step: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nstep {step}").expect("writes");
        out.flush().expect("writes");
    };
    let engine = open(&folder, Arc::new(Notices::default())).await.expect("opens");
    let mut heard = engine.listen();
    say("open");
    let telling = async {
        while let Some(one) = heard.next().await {
            if let Heard::Signal(Signal::File(changed)) = one {
                say(&changed.path);
            }
        }
    };
    let working = async {
        api::entries::consolidate(&engine).await.expect("writes down");
        say("done");
        std::future::pending::<()>().await;
    };
    tokio::join!(telling, working);
}

/// Kills the child after so many steps and a little more; returns the steps it said.
fn killed(home: &Path, steps: usize, pause: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "flushing::child", "--nocapture"])
        .env(KILLED, home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut seen = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        if let Some(step) = line.expect("text").strip_prefix("step ") {
            seen.push(step.to_owned());
        }
        if seen.len() == steps || seen.last().is_some_and(|step| step == "done") {
            break;
        }
    }
    // The kill has to fall inside a step, each time at another place.
    std::thread::sleep(pause);
    child.kill().expect("kills");
    child.wait().expect("ends");
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_a_flush_loses_nothing_and_says_nothing_twice() {
    let things =
        ["kayak", "ladder", "telescope", "anvil", "sledge", "violin", "compass", "lantern"];
    let places = ["barn", "attic", "cellar", "garage", "chapel", "library", "boathouse", "pantry"];
    let (format, kind) = FORMATS[0];
    let mut home = TestHome::new(format, kind).await.expect("home");
    let mut facts: Vec<String> = Vec::new();
    let mut steps_seen = std::collections::BTreeSet::new();
    for round in 0..things.len() {
        let (thing, place) = (things[round], places[round]);
        let new = [
            format!("The {thing} hangs in the {place}"),
            format!("Grandmother painted that {place} herself"),
            format!("Ilse borrowed one {thing} yesterday"),
        ];
        let kinds = ["fact", "decision", "event"];
        let entries: Vec<_> = new
            .iter()
            .zip(kinds)
            .map(|(text, kind)| json!({ "text": text, "kind": kind, "from": [1] }))
            .collect();
        // One script a round: the first that fits a request answers it.
        home.server = Server::start().await.expect("server");
        home.write_settings(&home.settings(format, kind)).expect("writes");
        home.server.aside(FLUSH_MARK, Reply::new().text(json!({ "entries": entries }).to_string()));
        let engine = home.open().await.expect("opens");
        say(&home, &engine, &format!("{}. {}. {}.", new[0], new[1], new[2])).await;
        engine.close().await;
        facts.extend(new);

        let pause = Duration::from_micros(round as u64 * 1_900 % 7_000);
        let folder = home.folder.path().to_owned();
        let seen = tokio::task::spawn_blocking(move || killed(&folder, 1 + round % 5, pause));
        steps_seen.extend(seen.await.expect("no panic"));

        let engine = home.open().await.expect("opens again");
        api::entries::consolidate(&engine).await.expect("goes on");
        let rows = api::entries::list(&engine).await.expect("lists");
        for fact in &facts {
            let held: Vec<_> = rows.iter().filter(|row| row.text == *fact).collect();
            assert_eq!(held.len(), 1, "round {round}: {fact}: {rows:?}");
            assert_eq!(held[0].status, "active", "round {round}: {fact}");
        }
        let asked = home.server.requests().len();
        api::entries::consolidate(&engine).await.expect("has nothing to do");
        assert_eq!(home.server.requests().len(), asked, "round {round}: it is marked as done");
        engine.close().await;
    }
    assert!(steps_seen.contains("open") && steps_seen.contains("MEMORY.md"), "{steps_seen:?}");
}
