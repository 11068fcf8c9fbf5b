//! What commands changed beside texts, taken back with their turn: permissions, links, folders.

#![cfg(target_os = "linux")]

use crate::approvals::{asked, home, say, start, until};
use crate::commanded::{states, turn, undo};
use hearth_engine::api;
use hearth_llm::scripted::Reply;
use hearth_protocol::EventBody;
use hearth_protocol::api::approvals::{ApprovalScope, Decision};
use hearth_protocol::api::files::UndoneState::{Conflict, Refused, Removed, Restored};
use hearth_tests::{TestHome, message, turn_events};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Everything in a folder: kind, permissions, content, where links lead.
fn tree(at: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![at.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let meta = entry.metadata().expect("meta");
            let mode = meta.permissions().mode() & 0o7777;
            let what = match meta.file_type() {
                kind if kind.is_symlink() => {
                    format!("-> {:?}", fs::read_link(&path).expect("a link"))
                }
                kind if kind.is_dir() => {
                    open.push(path.clone());
                    format!("folder {mode:o}")
                }
                kind if kind.is_file() => {
                    format!("{mode:o} {:?}", fs::read(&path).expect("a file"))
                }
                other => format!("{other:?}"),
            };
            found.insert(path, what);
        }
    }
    found
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("sets");
}

fn file(path: &Path, text: &str, bits: u32) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("makes");
    fs::write(path, text).expect("writes");
    mode(path, bits);
}

/// A folder of the workspace with a bit of everything.
fn furnished(home: &TestHome) -> PathBuf {
    let w = home.path("workspace/w");
    file(&w.join("run.sh"), "#!/bin/sh\necho hi\n", 0o755);
    file(&w.join("data.txt"), "1\n", 0o640);
    file(&w.join("private.txt"), "secret\n", 0o600);
    file(&w.join("locked.txt"), "locked\n", 0o444);
    file(&w.join("deep/a/b.txt"), "b\n", 0o644);
    file(&w.join("other/c.txt"), "c\n", 0o664);
    file(&w.join("plain.txt"), "plain\n", 0o644);
    fs::create_dir(w.join("empty")).expect("makes");
    mode(&w.join("empty"), 0o750);
    symlink("data.txt", w.join("link")).expect("links");
    symlink("data.txt", w.join("turned")).expect("links");
    symlink("/etc/hostname", w.join("out")).expect("links");
    symlink("nowhere", w.join("dangling")).expect("links");
    symlink("other", w.join("folder-link")).expect("links");
    w
}

#[tokio::test]
async fn permissions_links_and_folders_are_put_back() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let w = furnished(&home);
    for command in [
        "chmod 700 data.txt && chmod -x run.sh && chmod 777 empty && chmod u+s plain.txt",
        "rmdir empty && mkdir -p fresh/er && touch fresh/er/new.txt && mkdir -m 500 shut",
        "rm link out dangling && ln -s data.txt made && ln -s /etc made-out && ln -sfn run.sh turned",
        "mv deep moved && mv other/c.txt . && rmdir other && rm private.txt",
        "rm plain.txt && ln -s /etc/hostname plain.txt && rm data.txt && mkdir data.txt",
        "mv deep was && ln -s was deep && rm link && echo file >link",
        "chmod 644 locked.txt && echo more >>locked.txt && chmod 400 locked.txt && echo x >>run.sh && chmod 555 run.sh",
        "rm -r deep other empty && rm * && mkdir run.sh && ln -s run.sh deep",
        "cp -a deep copy && chmod -R a-w copy && ln data.txt hard && mv run.sh r && mv data.txt run.sh && mv r data.txt",
    ] {
        let before = tree(&w);
        let turn = turn(&home, &engine, &format!("cd w && {command}")).await;
        assert_ne!(tree(&w), before, "{command}");
        let rows = undo(&engine, &turn).await;
        let left: Vec<_> = rows.iter().filter(|row| matches!(row.1, Conflict | Refused)).collect();
        assert_eq!(tree(&w), before, "{command}: {rows:?}");
        assert!(left.is_empty(), "{command}: {left:?}");
    }
    engine.close().await;
}

#[tokio::test]
async fn what_the_person_changed_since_stays_and_is_said() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let w = furnished(&home);
    let outside = home.path("outside");
    fs::create_dir(&outside).expect("makes");
    let turn = turn(
        &home,
        &engine,
        "cd w && chmod 700 data.txt && chmod 600 run.sh && rm -r deep other && rm link && mkdir -p made/empty \
         && ln -s data.txt new && ln -sfn run.sh turned && rmdir empty && rm private.txt",
    )
    .await;
    // Other permissions, a file in a folder that was made, and others' things in the places of what was removed.
    mode(&w.join("data.txt"), 0o604);
    file(&w.join("made/mine.txt"), "mine\n", 0o644);
    symlink(&outside, w.join("deep")).expect("links");
    symlink("made", w.join("other")).expect("links");
    file(&w.join("link"), "mine\n", 0o644);
    fs::remove_file(w.join("new")).expect("removes");
    symlink("made", w.join("new")).expect("links");
    symlink("made", w.join("empty")).expect("links");
    file(&w.join("private.txt"), "mine too\n", 0o604);
    let before = tree(&w);
    let rows = undo(&engine, &turn).await;
    let expected = [
        ("w/data.txt", Conflict),
        ("w/deep/", Conflict),
        ("w/deep/a/", Conflict),
        ("w/deep/a/b.txt", Conflict),
        ("w/empty/", Conflict),
        ("w/link", Conflict),
        ("w/made/", Conflict),
        ("w/made/empty/", Removed),
        ("w/new", Conflict),
        ("w/other/", Conflict),
        ("w/other/c.txt", Conflict),
        ("w/private.txt", Conflict),
        ("w/run.sh", Restored),
        ("w/turned", Restored),
    ];
    assert_eq!(rows, states(&expected));
    let mut wanted = before;
    wanted.remove(&w.join("made/empty"));
    wanted.insert(w.join("run.sh"), format!("755 {:?}", b"#!/bin/sh\necho hi\n"));
    wanted.insert(w.join("turned"), "-> \"data.txt\"".to_owned());
    assert_eq!(tree(&w), wanted);
    assert_eq!(fs::read_dir(&outside).expect("there").count(), 0, "nothing through a link");
    engine.close().await;
}

#[tokio::test]
async fn what_the_person_changed_between_two_commands_of_a_turn_stays() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let w = furnished(&home);
    file(&w.join("list.txt"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", 0o644);
    let exec = |command: &str| json!({ "command": command });
    home.server.push(
        Reply::new()
            // What a command names is pinned; these name a folder.
            .call("exec", &exec("cd w && sed -i s/one/1/ ./l*.txt && chmod 700 ./d*.txt"))
            .call("exec", &exec("cd w && sed -i s/seven/7/ ./l*.txt && chmod 750 ./d*.txt")),
    );
    home.server.push(Reply::new().text("Done."));
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, message("do both")).await;
    let [first, second] = [until(&mut wait, asked).await, until(&mut wait, asked).await];
    let allow = async |id: &str| {
        let yes = say(id, Decision::Allow, ApprovalScope::Once);
        api::approvals::decide(&engine, yes).await.expect("decides");
    };
    allow(&first).await;
    until(&mut wait, |body| matches!(body, EventBody::ToolEnd { .. }).then_some(())).await;
    let text = fs::read_to_string(w.join("list.txt")).expect("there");
    fs::write(w.join("list.txt"), text.replace("four", "my four")).expect("writes");
    mode(&w.join("data.txt"), 0o604);
    allow(&second).await;
    turn_events(&mut events, &turn).await;
    undo(&engine, &turn).await;
    let text = fs::read_to_string(w.join("list.txt")).expect("there");
    assert_eq!(text, "one\ntwo\nthree\nmy four\nfive\nsix\nseven\n");
    let bits = fs::metadata(w.join("data.txt")).expect("there").permissions().mode() & 0o777;
    assert_eq!(bits, 0o604, "back to the person's own");
    engine.close().await;
}

#[tokio::test]
async fn what_cannot_be_put_back_is_named() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let w = furnished(&home);
    file(&w.join("large.bin"), &"x".repeat(1_200_000), 0o644);
    file(&w.join("node_modules/m/index.js"), "m\n", 0o644);
    let command = "cd w && chmod 600 large.bin && echo y >>large.bin && mkfifo pipe && rm -r node_modules && mkdir .cache";
    let turn = turn(&home, &engine, command).await;
    let rows = api::undo::turn(&engine, turn.clone()).await.expect("undoes");
    let mut said: Vec<_> = rows.iter().map(|row| (row.path.as_str(), row.why.as_str())).collect();
    said.sort_unstable();
    let closed = "a command changed what is in this folder, which is not looked into";
    let expected = [
        ("w/.cache/", closed),
        ("w/large.bin", ""),
        ("w/large.bin", "a command changed it, and it is too large to be kept"),
        ("w/node_modules/", closed),
        ("w/pipe", "a command made or removed it, and it is no file, folder or link"),
    ];
    assert_eq!(said, expected);
    let bits = fs::metadata(w.join("large.bin")).expect("there").permissions().mode() & 0o777;
    assert_eq!(bits, 0o644);
    engine.close().await;
}

#[tokio::test]
async fn a_folder_that_a_file_tool_made_goes_with_its_file() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let call = json!({"path": "trips/2026/rome.md", "content": "Rome\n"});
    home.server.push(Reply::new().call("write_file", &call));
    home.server.push(Reply::new().text("Written."));
    let (turn, mut events) = start(&engine, message("write it")).await;
    turn_events(&mut events, &turn).await;
    assert!(home.path("workspace/trips/2026/rome.md").exists());
    let expected = [("trips/", Removed), ("trips/2026/", Removed), ("trips/2026/rome.md", Removed)];
    assert_eq!(undo(&engine, &turn).await, states(&expected));
    assert!(!home.path("workspace/trips").exists());
    engine.close().await;
}
