//! `exec` with real commands: what it shows, what it cannot reach, and that nothing of it stays.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use hearth_tools::{
    Invocation, LiveOutput, Outcome, Outputs, Reach, Registry, Surroundings, sandbox,
};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

struct Unkept;

impl Journal for Unkept {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

struct Stage {
    folder: tempfile::TempDir,
    registry: Registry,
}

fn stage() -> Stage {
    let folder = tempfile::tempdir().expect("temp");
    let root = WorkspaceRoot::open(&folder.path().join("w"), Arc::new(Unkept)).expect("opens");
    std::fs::create_dir(folder.path().join("allowed")).expect("made");
    let allowed = folder.path().join("allowed");
    let reach = move || Reach { roots: vec![allowed.clone()], ..Reach::default() };
    let outputs = Outputs::new(folder.path().join("outputs"));
    let registry = Registry::new(&Surroundings::new(Arc::new(root), outputs, reach));
    Stage { folder, registry }
}

fn invocation(arguments: Value) -> Invocation {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    Invocation::new(arguments, "t1".into(), "c1".into())
}

impl Stage {
    async fn tool(&self, tool: &str, arguments: Value) -> Outcome {
        self.registry.get(tool).expect("registered").run(invocation(arguments)).await
    }

    async fn exec(&self, command: &str) -> Outcome {
        self.tool("exec", json!({"command": command})).await
    }

    /// The command ends as said and shows `part`.
    async fn check(&self, command: &str, ok: bool, part: &str) {
        let outcome = self.exec(command).await;
        assert_eq!(outcome.ok, ok, "{command}: {}", outcome.text);
        assert!(outcome.text.contains(part), "{command}: {:?} lacks {part:?}", outcome.text);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Whether a process of that id runs (a zombie does not).
fn runs(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", id.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn output_and_end_are_told() {
    let stage = stage();
    stage
        .check("echo one; echo two >&2; echo three", true, "one\ntwo\nthree\n[exit status 0,")
        .await;
    stage.check("pwd", true, "/w\n[exit").await;
    stage.check("true", true, "[no output]\n[exit status 0,").await;
    stage.check("echo bad; exit 3", false, "bad\n[exit status 3,").await;
    stage.check("no-such-program-here", false, "exit status 127").await;
    stage.check("kill -9 $$", false, "signal 9").await;
    stage.check("cat", true, "[no output]").await;
    stage.check("if", false, "exit status 2").await;
    stage.check(" ", false, "empty").await;
    stage.check("a\0b", false, "zero byte").await;
    stage.check("printf '\\033[31mred\\033[0m'", true, "red\n[exit").await;
    stage.check("echo '你好 $HOME'", true, "你好 $HOME").await;
}

#[tokio::test]
async fn it_works_in_allowed_folders_only() {
    let stage = stage();
    let allowed = stage.path("allowed").display().to_string();
    let outcome = stage.tool("exec", json!({"command": "pwd; echo x > f", "cwd": allowed})).await;
    assert!(outcome.ok && outcome.text.contains("/allowed"), "{}", outcome.text);
    assert!(stage.path("allowed/f").exists());
    for cwd in ["/", "..", "/nowhere", &stage.path("allowed/f").display().to_string()] {
        let outcome = stage.tool("exec", json!({"command": "pwd", "cwd": cwd})).await;
        assert!(!outcome.ok, "{cwd}: {}", outcome.text);
    }
}

/// With the person's own settings of git, if there are any.
#[tokio::test]
async fn git_works_within_the_confinement() {
    let stage = stage();
    let outcome = stage
        .exec(
            "git init -q && git -c user.name=x -c user.email=x@example.org commit -q --allow-empty \
             --no-gpg-sign -m hello && git log -1 --format=%s",
        )
        .await;
    assert!(outcome.ok && outcome.text.starts_with("hello\n"), "{}", outcome.text);
}

#[tokio::test]
async fn a_huge_output_is_kept_on_disk_and_read_page_by_page() {
    let stage = stage();
    let outcome = stage
        .exec("echo first; head -c 50000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo; echo last")
        .await;
    assert!(outcome.ok && outcome.text.len() < 40_000, "{}", outcome.text.len());
    assert!(outcome.text.starts_with("first\n") && outcome.text.contains("last\n[exit status 0"));
    let full = outcome.full.expect("kept");
    assert!(std::fs::metadata(&full).expect("there").len() > 50_000_000);
    let name = format!("output:{}", full.file_stem().expect("named").to_str().expect("text"));
    assert!(outcome.text.contains(&name));
    let page = stage.tool("read_file", json!({"path": name, "from": 505_051})).await;
    assert!(page.ok && page.text.contains("last"), "{}", page.text);
    let page = stage.tool("search_files", json!({"path": name, "pattern": "^last"})).await;
    assert!(page.ok && page.text.contains(":505053: last"), "{}", page.text);
}

#[tokio::test]
async fn one_endless_line_and_bytes_that_are_no_text_do_no_harm() {
    let stage = stage();
    let outcome = stage.exec("head -c 5000000 /dev/zero | tr '\\0' 'y'").await;
    assert!(outcome.ok && outcome.text.len() < 40_000);
    let name =
        format!("output:{}", outcome.full.expect("kept").file_stem().unwrap().to_str().unwrap());
    let page = stage.tool("read_file", json!({"path": name, "from": 1250})).await;
    assert!(page.ok && page.text.starts_with("yyy"), "{}", &page.text[..80]);
    let outcome = stage.exec("head -c 100000 /dev/urandom").await;
    assert!(
        outcome.ok && outcome.text.starts_with("[100000 bytes that are no text"),
        "{}",
        outcome.text
    );
}

#[tokio::test]
async fn a_command_that_never_ends_is_ended_with_all_it_started() {
    let stage = stage();
    let command =
        "setsid sleep 1000 & echo $!; (trap '' TERM HUP; sleep 1000) & echo $!; sleep 1000";
    let begun = Instant::now();
    let outcome = stage.tool("exec", json!({"command": command, "timeout_s": 1})).await;
    assert!(!outcome.ok && outcome.text.contains("ended after 1 seconds"), "{}", outcome.text);
    assert!(begun.elapsed() < Duration::from_secs(10));
    for id in outcome.text.lines().take(2) {
        assert!(!runs(id), "{id} runs on");
    }
}

#[tokio::test]
async fn what_a_finished_command_left_behind_is_ended() {
    let stage = stage();
    let begun = Instant::now();
    let outcome = stage.exec("sleep 1000 & echo $!; setsid sleep 1001 & echo $!").await;
    assert!(outcome.ok, "{}", outcome.text);
    assert!(begun.elapsed() < Duration::from_secs(20));
    for id in outcome.text.lines().take(2) {
        assert!(!runs(id), "{id} runs on");
    }
}

/// A daemon that took off all by which it could be known: group, session, parent and environment.
#[cfg(target_os = "linux")]
const DAEMON: &str = "(env -i /usr/bin/setsid nohup sh -c 'echo $$ >id; exec /bin/sleep 1000' >/dev/null 2>&1 &) ; \
                      while ! [ -s id ]; do sleep 0.05; done; cat id; env | grep -c HEARTH_CALL";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_that_hides_is_ended_with_its_command() {
    let stage = stage();
    let outcome = stage.exec(DAEMON).await;
    let id = outcome.text.lines().next().expect("its id").to_owned();
    assert!(outcome.ok && id.parse::<u32>().is_ok(), "{}", outcome.text);
    assert!(!runs(&id), "{id} runs on");

    // Another command that runs meanwhile keeps its own.
    let _ = std::fs::remove_file(stage.path("workspace/id"));
    let slow = stage.tool(
        "exec",
        json!({"command": format!("{DAEMON}; sleep 2; kill -0 $(cat id) && echo alive")}),
    );
    let quick = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        stage.exec("true").await
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert!(quick.ok && slow.text.contains("alive"), "{}", slow.text);
    let id = slow.text.lines().next().expect("its id").to_owned();
    assert!(!runs(&id), "{id} runs on");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stop_ends_a_daemon_that_hides() {
    let stage = stage();
    let command = format!("{DAEMON}; sleep 1000");
    let outcome = stage.tool("exec", json!({"command": command, "timeout_s": 2})).await;
    let id = outcome.text.lines().next().expect("its id").to_owned();
    assert!(id.parse::<u32>().is_ok(), "{}", outcome.text);
    assert!(!runs(&id), "{id} runs on");
}

/// Chains of short processes, each of which starts the next one and ends: as daemons, by two forks, without the
/// environment. None is ever there for long.
#[cfg(target_os = "linux")]
const CHAINS: [&str; 4] = [
    r#"env -i /usr/bin/setsid /bin/sh "$0" "$1" >/dev/null 2>&1 &"#,
    r#"(/bin/sh "$0" "$1" >/dev/null 2>&1 &)"#,
    r#"(env -i /usr/bin/setsid -f /bin/sh "$0" "$1" >/dev/null 2>&1 &) ; sleep 0.001"#,
    r#"(/usr/bin/setsid /usr/bin/nohup env -u HEARTH_CALL /bin/sh -c '/bin/sh "$0" "$1" &' "$0" "$1" >/dev/null 2>&1 &)"#,
];

/// Processes that carry a word among their arguments.
#[cfg(target_os = "linux")]
fn carrying(word: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").expect("lists").flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

/// Other programs that begin and end all the time, until it is dropped.
#[cfg(target_os = "linux")]
struct Busy {
    over: CancellationToken,
    threads: Vec<std::thread::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
impl Busy {
    fn begin() -> Self {
        let over = CancellationToken::new();
        let begin = |over: CancellationToken| {
            std::thread::spawn(move || {
                while !over.is_cancelled() {
                    let _ = std::process::Command::new("true").status();
                }
            })
        };
        let threads = (0..2).map(|_| begin(over.clone())).collect();
        Self { over, threads }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Busy {
    fn drop(&mut self) {
        self.over.cancel();
        self.threads.drain(..).for_each(|one| one.join().expect("ends"));
    }
}

/// The look for what a command left behind does not wait until nothing else begins.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_machine_makes_no_command_last() {
    let stage = stage();
    let median = async || {
        let mut took = Vec::new();
        for _ in 0..25 {
            let begun = Instant::now();
            assert!(stage.exec("true").await.ok);
            let all = begun.elapsed();
            let begun = Instant::now();
            let shell = ["-c", "read -r go; exec /bin/bash -c true </dev/null"];
            let mut plain = std::process::Command::new("/bin/sh");
            let mut plain =
                plain.args(shell).stdin(std::process::Stdio::null()).spawn().expect("runs");
            plain.wait().expect("ends");
            took.push(all.saturating_sub(begun.elapsed()));
        }
        took.sort_unstable();
        took[took.len() / 2]
    };
    let idle = median().await;
    let busy = Busy::begin();
    let loaded = median().await;
    drop(busy);
    eprintln!("beside the shell itself: {idle:?} on its own, {loaded:?} on a busy machine");
    assert!(loaded < Duration::from_millis(100), "{idle:?} {loaded:?}");
}

/// `HEARTH_CHAINS` sets how many are started; 200 take half a minute.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_of_short_processes_ends_with_its_command_on_a_busy_machine() {
    let rounds = std::env::var("HEARTH_CHAINS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let stage = stage();
    let busy = Busy::begin();
    for (at, chain) in CHAINS.iter().enumerate() {
        std::fs::write(stage.path(&format!("w/chain{at}.sh")), chain).expect("writes");
    }
    for round in 0..rounds {
        let (at, word) =
            (round % CHAINS.len(), format!("hearth-chain-{}-{round}", std::process::id()));
        let command = format!("sh chain{at}.sh {word}; sleep 0.02");
        let outcome = stage.exec(&command).await;
        assert!(outcome.ok, "{}", outcome.text);
        let left = carrying(&word);
        assert!(left.is_empty(), "{round}: {left:?}");
    }
    drop(busy);
    let left = carrying(&format!("hearth-chain-{}-", std::process::id()));
    assert!(left.is_empty(), "{left:?}");
}

/// What a command is known by cannot be taken off, and limits can be looked at and set as before.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_limit_that_marks_a_command_is_out_of_its_reach() {
    let stage = stage();
    let outcome = stage
        .exec("ulimit -x 5 2>/dev/null || echo refused; ulimit -x; ulimit -n 64; ulimit -n")
        .await;
    let lines: Vec<&str> = outcome.text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("refused", "64"), "{}", outcome.text);
    assert!(lines[1].parse::<u64>().is_ok_and(|limit| limit > 1 << 60), "{}", outcome.text);
}

#[tokio::test]
async fn stopping_kills_the_whole_tree_within_a_second() {
    let stage = stage();
    let (live, mut shown) = tokio::sync::mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    let command = "(setsid sh -c 'echo $$; sleep 1000') & (sleep 1000 | sleep 1000) & sleep 0.2; echo ready; sleep 1000";
    let call = Invocation {
        cancel: cancel.clone(),
        live: LiveOutput::to(live),
        ..invocation(json!({"command": command}))
    };
    let tool = stage.registry.get("exec").expect("there");
    let run = tokio::spawn(async move { tool.run(call).await });
    let mut seen = String::new();
    while !seen.contains("ready") {
        seen.push_str(&shown.recv().await.expect("output comes while it runs"));
    }
    let daemon = seen.lines().next().expect("its id").to_owned();
    assert!(runs(&daemon));
    let begun = Instant::now();
    cancel.cancel();
    let outcome = run.await.expect("ends");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(!outcome.ok && outcome.text.contains("[stopped,"), "{}", outcome.text);
    assert!(!runs(&daemon));
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_nothing() {
    let stage = stage();
    let (live, mut shown) = tokio::sync::mpsc::unbounded_channel();
    let call = Invocation {
        live: LiveOutput::to(live),
        ..invocation(json!({"command": "echo $$; sleep 1000"}))
    };
    let tool = stage.registry.get("exec").expect("there");
    let run = tokio::spawn(async move { tool.run(call).await });
    let id = shown.recv().await.expect("its id");
    run.abort();
    assert!(run.await.expect_err("dropped").is_cancelled());
    assert!(!runs(&id));
}

#[tokio::test]
async fn too_many_processes_are_ended() {
    let stage = stage();
    let command = "i=0; while [ $i -lt 400 ]; do sleep 1000 & i=$((i+1)); done; wait";
    stage.check(command, false, "processes").await;
}

#[tokio::test]
async fn no_secret_is_in_its_environment() {
    let stage = stage();
    let outcome = stage.exec("env").await;
    let names: Vec<&str> = outcome
        .text
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .collect();
    assert!(names.contains(&"PATH") && names.contains(&"TMPDIR"), "{names:?}");
    // Settings of git are passed as keys with values; those are no keys to anything.
    let own = |name: &&str| !name.starts_with("GIT_CONFIG_KEY_");
    for name in names.into_iter().filter(own) {
        assert!(
            !name.starts_with("CARGO_PKG") && !name.contains("KEY") && !name.contains("TOKEN"),
            "{name}"
        );
    }
    stage.check("echo hi > \"$TMPDIR/x\" && cat \"$TMPDIR/x\"", true, "hi").await;
    let left = std::fs::read_dir(stage.path("outputs")).expect("there");
    assert_eq!(left.flatten().filter(|e| e.path().is_dir()).count(), 0, "scratch folders go");
}

#[tokio::test]
async fn what_the_machine_holds_is_true() {
    let stage = stage();
    let holds = sandbox::holds();
    std::fs::write(stage.path("secret.txt"), "canary-71").expect("written");
    let secret = stage.path("secret.txt").display().to_string();
    if holds.files {
        stage.check(&format!("cat {secret}"), false, "Commands are confined").await;
        stage.check(&format!("echo x > {secret}"), false, "Permission denied").await;
        stage.check(&format!("ln {secret} here && cat here"), false, "").await;
        stage.check("ls ~ /tmp /root 2>&1 | grep -c denied", true, "").await;
        stage.check("echo kept > note.txt && cat note.txt", true, "kept").await;
        assert_eq!(std::fs::read_to_string(stage.path("secret.txt")).unwrap(), "canary-71");
    } else {
        eprintln!("skipped: this machine does not confine files: {}", holds.how);
    }
    if holds.network {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
        let port = listener.local_addr().expect("has one").port();
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached");
        stage.check(&connect, false, "ermission denied").await;
        let extras = hearth_tools::Extras { network: true, ..Default::default() };
        let call = Invocation { extras, ..invocation(json!({"command": connect})) };
        let allowed = stage.registry.get("exec").expect("there").run(call).await;
        assert!(allowed.ok && allowed.text.contains("reached"), "{}", allowed.text);
        let unix = "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'";
        stage.check(unix, false, "").await;
    } else {
        eprintln!("skipped: this machine does not hold the network: {}", holds.how);
    }
    if holds.processes {
        stage.check(&format!("kill -0 {}", std::process::id()), false, "ot permitted").await;
    } else {
        eprintln!("skipped: this machine does not keep signals inside: {}", holds.how);
    }
    eprintln!("this machine: {holds:?}");
}

/// A folder that git takes for a repository by its files alone, and a repository whose settings name programs:
/// looking at them runs nothing.
#[tokio::test]
async fn git_runs_nothing_that_a_repository_names() {
    let stage = stage();
    let make = |path: &str, text: &str| {
        let path = stage.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let monitor = "[core]\nbare = false\nworktree = .\nfsmonitor = \"touch planted; echo\"\n";
    make("w/bare/HEAD", "ref: refs/heads/main\n");
    make("w/bare/config", monitor);
    make("w/bare/objects/a", "x");
    make("w/bare/refs/a", "x");
    let outcome = stage.tool("exec", json!({"command": "git status", "cwd": "bare"})).await;
    assert!(!outcome.ok, "{}", outcome.text);
    stage.check("git init -q r", true, "").await;
    make("w/r/.git/config", "[core]\nfsmonitor = \"touch planted; echo\"\nhooksPath = h\n");
    make("w/r/h/pre-commit", "#!/bin/sh\ntouch planted\n");
    stage.check("chmod +x r/h/pre-commit", true, "").await;
    let commit = "git status --short; git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x";
    let outcome = stage.tool("exec", json!({"command": commit, "cwd": "r"})).await;
    assert!(outcome.ok, "{}", outcome.text);
    assert!(!stage.path("w/bare/planted").exists() && !stage.path("w/r/planted").exists());
}

/// What nobody was asked about changes files, but not what the assistant is told.
#[tokio::test]
async fn an_unasked_command_cannot_change_persona_skills_or_memory() {
    let stage = stage();
    for folder in ["w/skills/a", "w/memory", "w/notes"] {
        std::fs::create_dir_all(stage.path(folder)).expect("made");
    }
    std::fs::write(stage.path("w/SOUL.md"), "mine").expect("written");
    if !sandbox::holds().files {
        eprintln!("skipped: this kernel confines no files");
        return;
    }
    let run = |command: &'static str| {
        let keeps: fn(&str) -> bool =
            |name| matches!(name, "SOUL.md" | "skills" | "memory" | "HEARTBEAT.md");
        let extras = hearth_tools::Extras { keeps: Some(keeps), ..Default::default() };
        let call = Invocation { extras, ..invocation(json!({"command": command})) };
        let tool = stage.registry.get("exec").expect("registered");
        async move { tool.run(call).await }
    };
    for command in [
        "echo evil >> SOUL.md",
        "rm SOUL.md",
        "mv SOUL.md notes/x",
        "echo evil > skills/a/SKILL.md",
        "mkdir skills/b",
        "echo evil > memory/2026-01-01.md",
        "echo evil > HEARTBEAT.md",
    ] {
        let outcome = run(command).await;
        assert!(!outcome.ok, "{command}: {}", outcome.text);
    }
    assert_eq!(std::fs::read_to_string(stage.path("w/SOUL.md")).expect("read"), "mine");
    let outcome = run("cat SOUL.md && echo x > notes/a && cat notes/a").await;
    assert!(outcome.ok && outcome.text.contains("minex"), "{}", outcome.text);
    // With a yes it may.
    stage.check("echo more >> SOUL.md && cat SOUL.md", true, "minemore").await;
}
