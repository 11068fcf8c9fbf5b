//! A process that is killed in the middle of writing an entry, at each step of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed fixture is a failed test")]

use crate::disk::crash::STEP;
use crate::{Attribution, Draft, Journal, JournalError, Version, WorkspaceRoot, entries};
use hearth_protocol::api::files::Author;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const FOLDER: &str = "HEARTH_TEST_FOLDER";
const TASK: &str = "HEARTH_TEST_TASK";
const OLD: &str =
    "\u{feff}# Memory\r\n\r\n## Tea\r\n<!-- id: m1; kind: preference -->\r\nGreen.\r\n";

/// Keeps versions in a file, as a database does: what is kept outlives the process.
struct OnDisk(std::path::PathBuf);

impl Journal for OnDisk {
    fn record(&self, version: &Version) -> Result<(), JournalError> {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&self.0).unwrap();
        file.write_all(version.bytes.as_deref().unwrap_or_default()).unwrap();
        file.write_all(b"\n---\n").unwrap();
        Ok(())
    }
}

fn open(folder: &Path) -> WorkspaceRoot {
    let journal = OnDisk(folder.with_extension("journal"));
    WorkspaceRoot::open(folder, Arc::new(journal)).unwrap()
}

fn by() -> Attribution {
    Author::Flush.into()
}

fn draft(text: &str) -> Draft {
    let time = "2026-11-29T21:00:00+01:00".to_owned();
    Draft { text: text.to_owned(), time, kind: "fact".to_owned(), ..Draft::default() }
}

/// What the process does that is killed.
fn work(root: &WorkspaceRoot, task: &str) {
    match task {
        "append" => {
            drop(root.remember("MEMORY.md", &draft("The cat is called Ada."), None, &by()).unwrap())
        }
        "create" => drop(
            root.remember("memory/2026-11-29.md", &draft("Planted a tree."), None, &by()).unwrap(),
        ),
        "supersede" => {
            drop(root.supersede("MEMORY.md", "m1", &draft("Black tea."), &by()).unwrap())
        }
        other => panic!("{other}"),
    }
}

#[test]
#[ignore = "run by the tests below as the process that is killed"]
fn child() {
    let folder = std::env::var(FOLDER).unwrap();
    work(&open(Path::new(&folder)), &std::env::var(TASK).unwrap());
    println!("\nfinished");
}

/// Runs the task in another process and kills it at a step; false where it ended before that step.
fn killed_at(step: usize, folder: &Path, task: &str) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["crash_tests::child", "--exact", "--ignored", "--nocapture"])
        .envs([(FOLDER, folder.to_str().unwrap()), (TASK, task), (STEP, &step.to_string())])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Vec<String> = lines
        .map(Result::unwrap)
        .filter(|line| line == "stopped" || line == "finished")
        .take(1)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(said.len(), 1, "the process said nothing");
    said[0] == "stopped"
}

/// Kills the task at every step; `check` is given the file's text, then the task is done again.
fn at_each_step(task: &str, path: &str, least: usize, check: impl Fn(Option<&str>)) {
    let mut step = 1;
    loop {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("workspace");
        std::fs::create_dir_all(folder.join("memory")).unwrap();
        std::fs::write(folder.join("MEMORY.md"), OLD).unwrap();
        let stopped = killed_at(step, &folder, task);
        let text = std::fs::read_to_string(folder.join(path)).ok();
        check(text.as_deref());
        let root = open(&folder);
        assert!(root.list().unwrap().iter().all(|file| !file.path.contains(".hearth-")));
        let journal = std::fs::read_to_string(folder.with_extension("journal")).unwrap_or_default();
        let memory = std::fs::read_to_string(folder.join("MEMORY.md")).unwrap();
        assert!(memory == OLD || journal.contains(OLD), "step {step}: the old text is nowhere");
        root.remember(path, &draft("Written after the crash."), None, &by()).unwrap();
        let held = root.held(path).unwrap();
        assert!(held.iter().any(|held| held.text == "Written after the crash."), "step {step}");
        if !stopped {
            break;
        }
        step += 1;
    }
    assert!(step > least, "only {step} steps");
}

#[test]
fn a_kill_at_each_step_of_an_append_leaves_the_old_or_the_new_text() {
    at_each_step("append", "MEMORY.md", 7, |text| {
        let text = text.unwrap();
        assert!(text.starts_with(OLD));
        let found = entries(&text[3..]);
        assert!(text == OLD || found.len() == 2 && found[1].kind.as_deref() == Some("fact"));
    });
}

#[test]
fn a_kill_at_each_step_of_a_supersession_leaves_one_entry_that_holds() {
    at_each_step("supersede", "MEMORY.md", 7, |text| {
        let found = entries(&text.unwrap()[3..]);
        let holds = found.iter().filter(|entry| !entry.superseded).count();
        assert_eq!(holds, 1, "{text:?}");
    });
}

#[test]
fn a_kill_at_each_step_of_a_new_log_leaves_none_or_a_whole_one() {
    at_each_step("create", "memory/2026-11-29.md", 5, |text| {
        let whole =
            |text: &str| text.starts_with("# 2026-11-29\n\n- 21:00 Planted a tree. <!-- id: m");
        assert!(text.is_none_or(|text| whole(text) && text.ends_with("-->\n")), "{text:?}");
    });
}
