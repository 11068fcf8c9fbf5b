//! Backup and restore, by the command line: whole, encrypted, and never at the cost of what is there.

use crate::support::{Bench, json_lines, said};
use hearth_llm::scripted::Reply;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Child;

const PASSPHRASE: &str = "correct horse battery";

async fn start(bench: &Bench, arguments: &[&str], passphrase: &str) -> Child {
    let mut command = bench.command(arguments);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(format!("{passphrase}\n").as_bytes()).await.expect("writes");
    child
}

async fn run(bench: &Bench, arguments: &[&str], passphrase: &str) -> Output {
    start(bench, arguments, passphrase).await.wait_with_output().await.expect("runs")
}

async fn made(bench: &Bench, file: &Path) -> Value {
    let output = run(bench, &["backup", text(file), "--json"], PASSPHRASE).await;
    assert!(output.status.success(), "{}", said(&output));
    json_lines(&output).pop().expect("a report")
}

async fn restored(bench: &Bench, file: &Path) -> Value {
    let output = run(bench, &["restore", text(file), "--json"], PASSPHRASE).await;
    assert!(output.status.success(), "{}", said(&output));
    json_lines(&output).pop().expect("a report")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// Every file of a home but logs and the lock, by its bytes.
fn all(home: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![home.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("reads").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(home).expect("inside").display().to_string();
            if path.is_dir() && name != "logs" {
                open.push(path);
            } else if path.is_file() && name != "hearth.lock" {
                found.insert(name, fs::read(path).expect("reads"));
            }
        }
    }
    found
}

/// Where a backup goes; the folder ends with the test.
fn backup_file() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("hearth.backup");
    (place, file)
}

/// A home that was lived in.
async fn lived_in() -> Bench {
    let bench = Bench::new().await;
    bench.settings("# mine\n[ui]\ntheme = \"dark\"\n");
    bench.server.push(Reply::new().text("Inner quay."));
    bench.lines(&["ask", "--json", "Where is the mooring?"]).await;
    bench.run(&["memory", "add", "The boat is called Marvin."]).await;
    write(&bench.path("workspace/notes/图.md"), "一\n");
    let skill = tempfile::tempdir().expect("a folder");
    write(
        &skill.path().join("SKILL.md"),
        "---\nname: note-sum\ndescription: Sums up.\n---\n\nRead.\n",
    );
    write(&skill.path().join("scripts/sum.sh"), "#!/bin/sh\necho sum\n");
    let output = bench.run(&["skills", "install", text(skill.path()), "--yes"]).await;
    assert!(output.status.success(), "{}", said(&output));
    bench
}

async fn check_lived_in(bench: &Bench) {
    let rows = bench.lines(&["sessions", "show", "assistant:main", "--json"]).await;
    assert_eq!(rows[1]["text"], "Inner quay.");
    let memory = fs::read_to_string(bench.path("workspace/MEMORY.md")).expect("is there");
    assert!(memory.contains("Marvin"), "{memory}");
    assert_eq!(fs::read_to_string(bench.path("workspace/notes/图.md")).expect("is there"), "一\n");
    let history = bench.lines(&["files", "history", "MEMORY.md", "--json"]).await;
    assert!(!history.is_empty(), "the versions came along: {history:?}");
    let skills = bench.lines(&["skills", "list", "--json"]).await;
    assert!(skills.iter().any(|row| row["name"] == "note-sum"));
    let settings = fs::read_to_string(bench.path("hearth.toml")).expect("is there");
    assert!(settings.contains("# mine") && settings.contains("dark"), "{settings}");
}

#[tokio::test]
async fn a_home_travels_in_one_file_that_tells_nothing() {
    let bench = lived_in().await;
    let (place, file) = backup_file();
    let report = made(&bench, &file).await;
    assert_eq!(report["counts"]["sessions"], 1);
    assert_eq!(report["counts"]["skill_files"], 3);
    assert_eq!(report["left_out"], json!([]));
    assert_eq!(fs::read_dir(place.path()).expect("reads").count(), 1, "nothing beside it");
    let bytes = fs::read(&file).expect("reads");
    assert_eq!(report["bytes"], bytes.len());
    for word in ["Marvin", "mooring", "note-sum", "SQLite", "workspace"] {
        assert!(!bytes.windows(word.len()).any(|window| window == word.as_bytes()), "{word}");
    }
    check_lived_in(&bench).await;

    let other = Bench::new().await;
    fs::remove_file(other.path("hearth.toml")).expect("an empty home");
    let report = restored(&other, &file).await;
    assert_eq!((&report["aside"], &report["secrets"]), (&json!(""), &json!("none")));
    assert_eq!(
        report["counts"]["workspace_files"],
        made(&bench, &place.path().join("2")).await["counts"]["workspace_files"]
    );
    check_lived_in(&other).await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| {
            fs::metadata(other.path(path)).expect("is there").permissions().mode() & 0o777
        };
        assert_eq!(mode("hearth.db") & 0o077, 0);
        assert_eq!(mode("skills/note-sum/scripts/sum.sh"), 0o755);
        assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o077, 0);
    }
    let doctor = bench.lines(&["doctor", "--json"]).await;
    for check in ["home", "database", "workspace"] {
        for row in doctor.iter().filter(|row| row["check"] == check) {
            assert_eq!(row["ok"], true, "{row}");
        }
    }
}

#[tokio::test]
async fn what_was_there_is_set_aside_whole() {
    let bench = lived_in().await;
    let (_place, file) = backup_file();
    made(&bench, &file).await;
    let other = Bench::new().await;
    other.server.push(Reply::new().text("Mine."));
    other.lines(&["ask", "--json", "Who are you?"]).await;
    write(&other.path("workspace/only-here.md"), "precious\n");
    write(&other.path("models/qwen.gguf"), "large");
    let before = all(other.folder.path());
    let report = restored(&other, &file).await;
    let aside = PathBuf::from(report["aside"].as_str().expect("a folder"));
    assert!(aside.starts_with(other.folder.path()) && aside.is_dir(), "{report}");
    let kept = all(&aside);
    for (name, bytes) in &before {
        let stays = name.starts_with("models/")
            || name.starts_with("bundled-skills/")
            || name.starts_with("index.db")
            || name.starts_with("skills.")
            || name.starts_with("outputs/");
        assert!(stays || kept.get(name) == Some(bytes), "{name} is lost");
    }
    assert_eq!(fs::read_to_string(other.path("models/qwen.gguf")).expect("stays"), "large");
    assert!(!other.path("workspace/only-here.md").exists());
    check_lived_in(&other).await;
    let again = restored(&other, &file).await;
    assert_ne!(again["aside"], report["aside"]);
    check_lived_in(&other).await;
}

#[tokio::test]
async fn a_wrong_passphrase_or_a_changed_file_changes_nothing() {
    let bench = lived_in().await;
    let (place, file) = backup_file();
    made(&bench, &file).await;
    let bytes = fs::read(&file).expect("reads");
    let variant = |name: &str, bytes: &[u8]| {
        let path = place.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let mut touched = bytes.clone();
    let middle = bytes.len() / 2;
    touched[middle] ^= 1;
    let cases = [
        (file.clone(), "wrong horse battery", "the passphrase does not open it. Try again."),
        (variant("cut", &bytes[..bytes.len() - 1]), PASSPHRASE, "damaged or cut off"),
        (variant("half", &bytes[..middle]), PASSPHRASE, "damaged or cut off"),
        (variant("touched", &touched), PASSPHRASE, "damaged or cut off"),
        (variant("more", &[&bytes[..], b"x"].concat()), PASSPHRASE, "damaged or cut off"),
        (
            variant("newer", b"hearth backup 2\nxxx"),
            PASSPHRASE,
            "a newer Hearth wrote it. Update Hearth.",
        ),
        (variant("words", b"just words"), PASSPHRASE, "it is no backup of Hearth"),
        (place.path().join("gone"), PASSPHRASE, "Check the spelling."),
    ];
    bench.run(&["sessions", "list"]).await;
    let before = all(bench.folder.path());
    for (path, passphrase, words) in cases {
        let output = run(&bench, &["restore", text(&path)], passphrase).await;
        assert_eq!(output.status.code(), Some(1));
        let line = said(&output);
        assert!(line.contains(words) && line.lines().count() == 1, "{}: {line}", path.display());
        assert!(!line.contains(passphrase));
        assert_eq!(all(bench.folder.path()), before, "{}", path.display());
    }
}

#[tokio::test]
async fn places_and_passphrases_that_cannot_be_are_refused() {
    let bench = lived_in().await;
    let place = tempfile::tempdir().expect("a folder");
    let taken = place.path().join("taken");
    fs::write(&taken, "mine").expect("written");
    for (path, passphrase, words) in [
        (taken.clone(), PASSPHRASE, "is there already"),
        (bench.path("inside.backup"), PASSPHRASE, "is inside the home or the workspace"),
        (bench.path("workspace/inside.backup"), PASSPHRASE, "is inside the home or the workspace"),
        (place.path().join("no/such/x"), PASSPHRASE, "is in a folder that is not there"),
        (place.path().join("short"), "1234567", "a passphrase has at least 8 characters"),
        (place.path().join("none"), "", "no passphrase came on standard input"),
    ] {
        let output = run(&bench, &["backup", text(&path)], passphrase).await;
        assert_eq!(output.status.code(), Some(1), "{}", path.display());
        assert!(said(&output).contains(words), "{}: {}", path.display(), said(&output));
    }
    assert_eq!(fs::read_to_string(&taken).expect("stays"), "mine");
    assert_eq!(fs::read_dir(place.path()).expect("reads").count(), 1);
}

#[tokio::test]
async fn a_backup_is_made_beside_the_owner_and_a_restore_is_not() {
    let bench = lived_in().await;
    let (_place, file) = backup_file();
    let mut owner = bench.start(&["serve"]);
    while !bench.path("hearth.sock").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    made(&bench, &file).await;
    let output = run(&bench, &["restore", text(&file)], PASSPHRASE).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("another Hearth process uses"), "{}", said(&output));
    owner.kill().await.expect("kills");
    restored(&bench, &file).await;
    check_lived_in(&bench).await;
}

#[tokio::test]
async fn a_workspace_elsewhere_comes_into_the_home() {
    let bench = lived_in().await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let workspace = elsewhere.path().join("notes");
    fs::rename(bench.path("workspace"), &workspace).expect("moved");
    bench.settings(&format!(
        "# mine\n[ui]\ntheme = \"dark\"\n[workspace]\npath = \"{}\"\n",
        text(&workspace)
    ));
    let file = elsewhere.path().join("hearth.backup");
    made(&bench, &file).await;
    let other = Bench::new().await;
    restored(&other, &file).await;
    check_lived_in(&other).await;
    fs::remove_file(other.path("workspace/TOOLS.md")).expect("removed");
    other.run(&["files", "list"]).await;
    assert!(!other.path("workspace/TOOLS.md").exists(), "a template that was removed stays away");
}

#[tokio::test]
async fn a_kill_leaves_no_half_backup() {
    let bench = lived_in().await;
    let (place, file) = backup_file();
    let noise: Vec<u8> =
        (0..6_000_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    fs::write(bench.path("workspace/noise.bin"), noise).expect("written");
    let mut child = start(&bench, &["backup", text(&file)], PASSPHRASE).await;
    let part = place.path().join("hearth.backup.part");
    while fs::metadata(&part).map_or(0, |meta| meta.len()) < 300_000 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    child.kill().await.expect("kills");
    assert!(!file.exists());
    made(&bench, &file).await;
    assert_eq!(fs::read_dir(place.path()).expect("reads").count(), 1);
    let other = Bench::new().await;
    restored(&other, &file).await;
    check_lived_in(&other).await;
}

#[tokio::test]
async fn a_kill_in_a_restore_leaves_the_old_home_or_the_new_one() {
    let bench = lived_in().await;
    let (_place, file) = backup_file();
    made(&bench, &file).await;
    let other = Bench::new().await;
    other.server.push(Reply::new().text("Mine."));
    other.lines(&["ask", "--json", "Who are you?"]).await;
    let mut old = 0;
    for pause in (0..400).step_by(25) {
        let mut child = start(&other, &["restore", text(&file)], PASSPHRASE).await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        child.kill().await.expect("kills");
        let rows = other.lines(&["sessions", "show", "assistant:main", "--json"]).await;
        let soul = other.path("workspace/notes/图.md").exists();
        match rows[1]["text"].as_str() {
            Some("Mine.") => {
                assert!(!soul, "a mixture after {pause} ms");
                old += 1;
            }
            Some("Inner quay.") => {
                assert!(soul, "a mixture after {pause} ms");
                break;
            }
            odd => panic!("{odd:?} after {pause} ms"),
        }
        let left = fs::read_dir(other.path("")).expect("reads").flatten();
        let left: Vec<_> = left
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(".restore"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    assert!(old > 0);
    restored(&other, &file).await;
    check_lived_in(&other).await;
}
