//! The file tools over a real workspace on disk: one table of calls with what each must answer.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use hearth_tools::{Access, Invocation, Outputs, Reach, Registry, Surroundings};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Kept(Mutex<Vec<Version>>);

impl Journal for Kept {
    fn record(&self, version: &Version) -> Result<(), JournalError> {
        self.0.lock().expect("no panics").push(version.clone());
        Ok(())
    }
}

struct Stage {
    folder: tempfile::TempDir,
    kept: Arc<Kept>,
    registry: Registry,
}

fn stage() -> Stage {
    let folder = tempfile::tempdir().expect("temp");
    let kept = Arc::new(Kept::default());
    let root = WorkspaceRoot::open(&folder.path().join("w"), kept.clone()).expect("opens");
    let allowed = folder.path().join("allowed");
    let reach = move || Reach { roots: vec![allowed.clone()], ..Reach::default() };
    let outputs = Outputs::new(folder.path().join("outputs"));
    let registry = Registry::new(&Surroundings::new(Arc::new(root), outputs, reach));
    Stage { folder, kept, registry }
}

impl Stage {
    fn put(&self, path: &str, text: &[u8]) {
        let full = self.folder.path().join("w").join(path);
        std::fs::create_dir_all(full.parent().expect("has one")).expect("made");
        std::fs::write(full, text).expect("written");
    }

    fn get(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("w").join(path)).expect("there")
    }

    async fn call(&self, tool: &str, arguments: Value) -> (bool, String) {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let tool = self.registry.get(tool).expect("registered");
        let outcome = tool.run(Invocation::new(arguments, "t1".into(), "c1".into())).await;
        (outcome.ok, outcome.text)
    }

    /// The call ends as said, and its text holds `part`.
    async fn check(&self, tool: &str, arguments: Value, ok: bool, part: &str) {
        let (was_ok, text) = self.call(tool, arguments.clone()).await;
        assert_eq!(was_ok, ok, "{tool} {arguments}: {text}");
        assert!(text.contains(part), "{tool} {arguments}: {text:?} lacks {part:?}");
    }
}

#[tokio::test]
async fn reading_shows_the_text_or_says_why_not() {
    let stage = stage();
    stage.put("notes/a.md", "one\ntwo\nthree\n".as_bytes());
    stage.put("latin.md", b"caf\xe9");
    stage.check("read_file", json!({"path": "notes/a.md"}), true, "one\ntwo\nthree\n").await;
    stage
        .check(
            "read_file",
            json!({"path": "notes/a.md", "from": 2, "lines": 1}),
            true,
            "two\n[lines 2 to 2 of 3",
        )
        .await;
    stage.check("read_file", json!({"path": "notes/a.md", "from": 9}), false, "3 lines only").await;
    stage.check("read_file", json!({"path": "b.md"}), false, "no file b.md").await;
    stage.check("read_file", json!({"path": "latin.md"}), false, "UTF-8").await;
    stage.check("read_file", json!({"path": "../secret.txt"}), false, "not a usable path").await;
    stage.check("read_file", json!({"path": "/etc/passwd"}), false, "lies outside").await;
}

#[cfg(unix)]
#[tokio::test]
async fn links_out_of_the_workspace_are_refused_and_not_listed() {
    let stage = stage();
    std::fs::write(stage.folder.path().join("secret.txt"), "canary").expect("written");
    let link = stage.folder.path().join("w/link.md");
    std::os::unix::fs::symlink(stage.folder.path().join("secret.txt"), link).expect("linked");
    std::os::unix::fs::symlink(Path::new("/etc"), stage.folder.path().join("w/etc"))
        .expect("linked");
    stage.check("read_file", json!({"path": "link.md"}), false, "link.md").await;
    stage.check("write_file", json!({"path": "link.md", "content": "x"}), false, "link.md").await;
    stage.check("list_files", json!({"path": "etc"}), false, "etc").await;
    stage.check("list_files", json!({"path": "."}), true, "is empty").await;
    stage.check("search_files", json!({"pattern": "canary"}), true, "Nothing matches").await;
    let secret = std::fs::read_to_string(stage.folder.path().join("secret.txt")).expect("there");
    assert_eq!(secret, "canary");
}

#[tokio::test]
async fn writing_is_a_version_of_the_turn_and_never_a_sudden_loss() {
    let stage = stage();
    let long = "a line that counts\n".repeat(40);
    stage
        .check("write_file", json!({"path": "n/new.md", "content": long}), true, "Saved n/new.md")
        .await;
    stage
        .check(
            "write_file",
            json!({"path": "n/new.md", "content": "x"}),
            false,
            "nothing was written",
        )
        .await;
    assert_eq!(stage.get("n/new.md"), long);
    let kept = stage.kept.0.lock().expect("no panics");
    let last = kept.last().expect("a version");
    assert_eq!((last.path.as_str(), last.by.turn.clone()), ("n/new.md", Some("t1".into())));
}

#[tokio::test]
async fn editing_replaces_exactly_one_place() {
    let stage = stage();
    stage.put("SOUL.md", "# Soul\r\nBe brief.\r\nBe kind.\r\n".as_bytes());
    stage
        .check("edit_file", json!({"path": "SOUL.md", "old": "Be ", "new": "x"}), false, "2 times")
        .await;
    stage
        .check(
            "edit_file",
            json!({"path": "SOUL.md", "old": "rude", "new": "x"}),
            false,
            "does not occur",
        )
        .await;
    stage
        .check("edit_file", json!({"path": "SOUL.md", "old": "", "new": "x"}), false, "empty")
        .await;
    stage
        .check("edit_file", json!({"path": "no.md", "old": "a", "new": "x"}), false, "no file")
        .await;
    stage
        .check(
            "edit_file",
            json!({"path": "SOUL.md", "old": "brief", "new": "warm"}),
            true,
            "Saved",
        )
        .await;
    assert_eq!(stage.get("SOUL.md"), "# Soul\r\nBe warm.\r\nBe kind.\r\n");
}

#[tokio::test]
async fn listing_and_searching_find_what_is_there() {
    let stage = stage();
    stage.put("memory/2026-11-29.md", "- 09:12 met 张伟 at the quay\n".as_bytes());
    stage.put("a.md", b"alpha (beta\n");
    stage.put("picture.png", b"\x89PNG\xff\xfe");
    stage
        .check("list_files", json!({"path": "."}), true, "a.md (12 bytes)\nmemory/\npicture.png")
        .await;
    stage.check("list_files", json!({"path": "memory"}), true, "2026-11-29.md").await;
    stage.check("list_files", json!({"path": "nowhere"}), false, "nowhere").await;
    stage
        .check("search_files", json!({"pattern": "张伟"}), true, "memory/2026-11-29.md:1: - 09:12")
        .await;
    stage.check("search_files", json!({"pattern": "ALPHA"}), true, "a.md:1").await;
    stage.check("search_files", json!({"pattern": "(beta"}), true, "a.md:1").await;
    stage
        .check("search_files", json!({"pattern": "alpha", "path": "memory"}), true, "Nothing")
        .await;
    stage.check("search_files", json!({"pattern": "alpha", "path": "../"}), false, "path").await;
}

#[tokio::test]
async fn the_registry_offers_what_policy_keeps() {
    let stage = stage();
    let names = |specs: Vec<hearth_protocol::ToolSpec>| -> Vec<String> {
        specs.into_iter().map(|spec| spec.name).collect()
    };
    let all = names(stage.registry.specs(|_| true));
    assert_eq!(
        all,
        ["read_file", "write_file", "edit_file", "list_files", "search_files", "exec", "web_fetch"]
    );
    let reading = names(stage.registry.specs(|tool| tool.may(Access::Reads)));
    assert_eq!(reading, ["read_file", "list_files", "search_files"]);
    assert!(stage.registry.get("browse").is_none());
    let exec = stage.registry.get("exec").expect("offered");
    assert!(
        exec.descriptor().is_named("group:commands") && !exec.descriptor().is_named("commands")
    );
}

#[tokio::test]
async fn an_allowed_folder_is_read_and_changed_by_its_absolute_path() {
    let stage = stage();
    let at = |name: &str| stage.folder.path().join("allowed").join(name).display().to_string();
    stage.check("read_file", json!({"path": at("a.txt")}), false, "lies outside").await;
    std::fs::create_dir(stage.folder.path().join("allowed")).expect("made");
    stage.check("read_file", json!({"path": at("a.txt")}), false, "no file").await;
    stage
        .check("write_file", json!({"path": at("n/a.txt"), "content": "one\ntwo\n"}), true, "Saved")
        .await;
    stage.check("read_file", json!({"path": at("n/a.txt")}), true, "one\ntwo\n").await;
    stage
        .check("edit_file", json!({"path": at("n/a.txt"), "old": "two", "new": "2"}), true, "Saved")
        .await;
    stage
        .check(
            "edit_file",
            json!({"path": at("n/a.txt"), "old": "x", "new": ""}),
            false,
            "does not occur",
        )
        .await;
    stage.check("read_file", json!({"path": at("n/a.txt"), "from": 2}), true, "2\n[lines 2").await;
    stage.check("list_files", json!({"path": at("n")}), true, "a.txt (6 bytes)").await;
    stage
        .check("search_files", json!({"pattern": "ONE", "path": at("")}), true, "n/a.txt:1: one")
        .await;
    let own = stage.folder.path().join("w/own.md").canonicalize();
    assert!(own.is_err());
    stage.put("own.md", b"mine");
    let own = stage.folder.path().join("w/own.md").display().to_string();
    stage.check("read_file", json!({"path": own}), true, "mine").await;
    let call = json!({"path": at("n/a.txt")});
    let Value::Object(arguments) = call else { panic!("an object") };
    let tool = stage.registry.get("read_file").expect("there");
    let outcome = tool.run(Invocation::new(arguments, "t".into(), "c".into())).await;
    assert!(matches!(outcome.provenance, hearth_protocol::Provenance::Untrusted { .. }));
}

#[cfg(unix)]
#[tokio::test]
async fn what_leads_out_of_an_allowed_folder_or_is_no_file_is_refused() {
    use std::os::unix::fs::symlink;
    let stage = stage();
    let allowed = stage.folder.path().join("allowed");
    std::fs::create_dir(&allowed).expect("made");
    std::fs::write(stage.folder.path().join("secret.txt"), "canary").expect("written");
    symlink(stage.folder.path().join("secret.txt"), allowed.join("link")).expect("linked");
    symlink(stage.folder.path(), allowed.join("up")).expect("linked");
    symlink("/nowhere/at/all", allowed.join("broken")).expect("linked");
    std::fs::write(allowed.join("binary"), b"a\0b").expect("written");
    let pipe = std::process::Command::new("mkfifo").arg(allowed.join("pipe")).status();
    assert!(pipe.expect("mkfifo").success());
    let at = |name: &str| allowed.join(name).display().to_string();
    for (name, why) in [
        ("link", "lies outside"),
        ("up/secret.txt", "lies outside"),
        ("broken", "lies outside"),
        ("../secret.txt", "climbs"),
        ("binary", "no text"),
        ("pipe", "no plain file"),
        ("", "folder"),
    ] {
        stage.check("read_file", json!({"path": at(name)}), false, why).await;
    }
    for name in ["link", "up/x", "broken", "../x", "pipe", ""] {
        let (ok, text) = stage.call("write_file", json!({"path": at(name), "content": "x"})).await;
        assert!(!ok, "{name}: {text}");
    }
    stage
        .check("search_files", json!({"pattern": "canary", "path": at("")}), true, "Nothing")
        .await;
    stage.check("list_files", json!({"path": at("")}), true, "binary (3 bytes)\npipe").await;
    assert_eq!(
        std::fs::read_to_string(stage.folder.path().join("secret.txt")).expect("there"),
        "canary"
    );
}
