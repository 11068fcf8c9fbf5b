//! The MCP client against a real server from the registry (`npm ci` brings it), over both transports.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use hearth_protocol::Provenance;
use hearth_tools::mcp::{Launch, Pin, PinState, SecretOf, Server, ServerConfig, ServerState};
use hearth_tools::{Access, Invocation, Outcome, Tool};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn everything() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a workspace");
    let script = root.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let there = script.exists();
    if !there {
        eprintln!("skipped: run npm ci first, {} is missing", script.display());
    }
    there.then_some(script)
}

fn secrets() -> SecretOf {
    Arc::new(|name| {
        Box::pin(async move { (name == "mcp/canary").then(|| "canary-value".to_owned()) })
    })
}

fn by_command(command: &[&str], env: &[(&str, &str)], timeout: u64) -> ServerConfig {
    ServerConfig {
        id: "every".to_owned(),
        launch: Launch::Command {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            env: env
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        },
        timeout: Duration::from_secs(timeout),
    }
}

async fn call(tool: &Arc<dyn Tool>, arguments: Value) -> Outcome {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    tool.run(Invocation::new(arguments, "t".into(), "c".into())).await
}

fn named(server: &Server, name: &str) -> Arc<dyn Tool> {
    let tools = server.tools();
    let found = tools.iter().find(|tool| tool.descriptor().name == format!("mcp__every__{name}"));
    Arc::clone(found.unwrap_or_else(|| panic!("{name} is offered")))
}

fn processes_of(script: &Path) -> usize {
    let script = script.to_string_lossy().into_owned();
    let all = std::fs::read_dir("/proc").expect("Linux").flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&script)).count()
}

#[tokio::test]
async fn a_real_server_is_taken_called_and_ended() {
    let Some(script) = everything() else { return };
    // A copy of its own, so that its processes can be told from those of other tests.
    let script = script.to_string_lossy().into_owned();
    let config =
        by_command(&["node", &script, "stdio"], &[("HEARTH_TEST_X", "secret:mcp/canary")], 30);
    let server = Server::new(config, secrets(), vec![]);
    assert_eq!(server.state(), ServerState::Asleep);
    assert!(server.tools().is_empty(), "nothing is offered before it was taken");
    let pins = server.take().await.expect("answers");
    assert!(pins.iter().any(|pin| pin.name == "echo"), "{pins:?}");
    assert_eq!(server.state(), ServerState::Running);
    let echo = named(&server, "echo");
    assert!(echo.descriptor().untrusted && echo.descriptor().may(Access::RunsCommands));
    assert!(echo.descriptor().spec().schema["properties"]["message"].is_object());
    let outcome = call(&echo, json!({"message": "héllo 你好"})).await;
    assert!(outcome.ok && outcome.text.contains("héllo 你好"), "{}", outcome.text);
    assert_eq!(outcome.provenance, Provenance::Untrusted { source: "mcp__every__echo".to_owned() });
    let wrong = call(&echo, json!({"message": 7})).await;
    assert!(!wrong.ok, "{}", wrong.text);
    let env =
        pins.iter().find(|pin| pin.name.to_lowercase().contains("env")).expect("a tool for it");
    let env = call(&named(&server, &env.name), json!({})).await;
    assert!(
        env.text.contains("canary-value") && !env.text.contains("CARGO_PKG_NAME"),
        "{}",
        env.text
    );
    server.close().await;
    assert_eq!(server.state(), ServerState::Asleep);
}

#[tokio::test]
async fn one_that_falls_over_is_started_again_and_one_that_cannot_start_says_why() {
    let Some(script) = everything() else { return };
    let folder = tempfile::tempdir().expect("temp");
    let copy = folder.path().join("server.mjs");
    // The same server, started by a script whose name tells its processes apart.
    std::fs::write(&copy, format!("import {:?};", script.to_string_lossy())).expect("written");
    let shell = format!("exec node {} stdio", copy.display());
    let server = Server::new(by_command(&["sh", "-c", &shell], &[], 30), secrets(), vec![]);
    server.take().await.expect("answers");
    let echo = named(&server, "echo");
    if cfg!(target_os = "linux") {
        assert_eq!(processes_of(&copy), 1);
        let ids = std::fs::read_dir("/proc").unwrap().flatten();
        for entry in ids {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&*copy.to_string_lossy()) {
                let id = entry.file_name().into_string().unwrap();
                assert!(
                    std::process::Command::new("kill")
                        .args(["-9", &id])
                        .status()
                        .unwrap()
                        .success()
                );
            }
        }
    }
    let begun = Instant::now();
    // The fall is seen by the first call or before it; either way the next one finds a new process.
    let mut last = call(&echo, json!({"message": "again"})).await;
    while !last.ok && begun.elapsed() < Duration::from_secs(30) {
        assert!(last.text.contains("started again"), "{}", last.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
        last = call(&echo, json!({"message": "again"})).await;
    }
    assert!(last.ok && last.text.contains("again"), "{}", last.text);
    drop((server, echo));
    if cfg!(target_os = "linux") {
        let begun = Instant::now();
        while processes_of(&copy) > 0 && begun.elapsed() < Duration::from_secs(5) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(processes_of(&copy), 0, "no process outlives its server");
    }

    let broken = "echo no such thing >&2; exit 3";
    let server = Server::new(by_command(&["sh", "-c", broken], &[], 5), secrets(), vec![]);
    let why = server.look().await.expect_err("does not answer");
    assert!(matches!(server.state(), ServerState::Failed(_)), "{why}");
    let server = Server::new(by_command(&["no-such-program-at-all"], &[], 5), secrets(), vec![]);
    assert!(server.look().await.expect_err("is not there").contains("cannot be started"));
    let server = Server::new(by_command(&["node"], &[("A", "secret:none")], 5), secrets(), vec![]);
    assert!(server.look().await.expect_err("has no secret").contains("none"));
}

#[tokio::test]
async fn what_is_described_otherwise_is_not_offered_and_not_called() {
    let Some(script) = everything() else { return };
    let script = script.to_string_lossy().into_owned();
    let config = || by_command(&["node", &script, "stdio"], &[], 30);
    let server = Server::new(config(), secrets(), vec![]);
    let mut pins = server.take().await.expect("answers");
    server.close().await;
    let echo = pins.iter_mut().find(|pin| pin.name == "echo").expect("there");
    echo.description = "What it said when the person took it".to_owned();
    pins.push(Pin { name: "gone".to_owned(), description: String::new(), schema: json!({}) });
    let dropped = pins.iter().position(|pin| pin.name != "echo").expect("another");
    let dropped = pins.remove(dropped);

    // Before it is started nothing is known of the change; the call finds out.
    let server = Server::new(config(), secrets(), pins);
    let (tool, gone) = (named(&server, "echo"), named(&server, "gone"));
    assert_eq!(tool.descriptor().description, "What it said when the person took it");
    let outcome = call(&tool, json!({"message": "x"})).await;
    assert!(!outcome.ok && outcome.text.contains("described otherwise"), "{}", outcome.text);
    let outcome = call(&gone, json!({})).await;
    assert!(!outcome.ok && outcome.text.contains("any more"), "{}", outcome.text);
    let offered: Vec<_> =
        server.tools().iter().map(|tool| tool.descriptor().name.to_string()).collect();
    assert!(!offered.contains(&"mcp__every__echo".to_owned()), "{offered:?}");
    let states = server.look().await.expect("answers");
    let state =
        |name: &str| states.iter().find(|(pin, _)| pin.name == name).map(|(_, state)| *state);
    assert_eq!(state("echo"), Some(PinState::Changed));
    assert_eq!(state("gone"), Some(PinState::Gone));
    assert_eq!(state(&dropped.name), Some(PinState::New));
    server.take().await.expect("answers");
    assert!(call(&named(&server, "echo"), json!({"message": "x"})).await.ok);
}

#[tokio::test]
async fn a_slow_call_ends_at_its_time_and_at_a_stop() {
    let Some(script) = everything() else { return };
    let script = script.to_string_lossy().into_owned();
    let server = Server::new(by_command(&["node", &script, "stdio"], &[], 1), secrets(), vec![]);
    let pins = server.take().await.expect("answers");
    let slow =
        pins.iter().find(|pin| pin.name.to_lowercase().contains("long")).expect("a slow one");
    let slow = named(&server, &slow.name);
    let arguments = json!({"duration": 60, "steps": 2});
    let outcome = call(&slow, arguments.clone()).await;
    assert!(
        !outcome.ok && outcome.text.contains("did not answer in 1 seconds"),
        "{}",
        outcome.text
    );
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let invocation = Invocation::new(arguments, "t".into(), "c2".into());
    invocation.cancel.cancel();
    let begun = Instant::now();
    assert_eq!(slow.run(invocation).await.text, "Stopped.");
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn the_same_server_is_reached_over_http() {
    let Some(script) = everything() else { return };
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
        free.local_addr().expect("has one").port()
    };
    let mut process = tokio::process::Command::new("node")
        .args([script.to_string_lossy().as_ref(), "streamableHttp"])
        .env("PORT", port.to_string())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("node runs");
    let begun = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "the server listens");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let config = ServerConfig {
        id: "every".to_owned(),
        launch: Launch::Url(format!("http://127.0.0.1:{port}/mcp")),
        timeout: Duration::from_secs(30),
    };
    let server = Server::new(config, secrets(), vec![]);
    server.take().await.expect("answers");
    let outcome = call(&named(&server, "echo"), json!({"message": "over http"})).await;
    assert!(outcome.ok && outcome.text.contains("over http"), "{}", outcome.text);
    server.close().await;
    process.kill().await.expect("ends");
    let nobody = ServerConfig {
        id: "every".to_owned(),
        launch: Launch::Url(format!("http://127.0.0.1:{port}/mcp")),
        timeout: Duration::from_secs(5),
    };
    let why = Server::new(nobody, secrets(), vec![]).look().await.expect_err("nobody is there");
    assert!(why.contains("does not answer"), "{why}");
}
