//! Files and paths that are refused: one clear message each, the file untouched.

use crate::support::{Fixture, user, workspace};
use hearth_protocol::api::files::FileSave;
use hearth_workspace::WorkspaceError;

/// Reading, saving and appending all refuse, naming the file and saying `what`.
fn check(f: &Fixture, path: &str, what: &str) {
    let before = std::fs::read(f.path(path)).ok();
    let edit = FileSave {
        path: path.to_owned(),
        text: "new\n".to_owned(),
        base_hash: String::new(),
        base_text: String::new(),
        confirmed: true,
    };
    let errors = [
        f.root.read(path).expect_err("read"),
        f.root.save(&edit, &user()).expect_err("save"),
        f.root.append(path, "x", &user()).expect_err("append"),
    ];
    for error in errors {
        let message = error.to_string();
        assert!(message.contains(path) && message.contains(what), "{message}");
    }
    assert_eq!(std::fs::read(f.path(path)).ok(), before, "untouched");
}

#[test]
fn large_binary_and_other_encodings() {
    let f = workspace();
    f.outside("SOUL.md", vec![b'x'; 3 * 1024 * 1024]);
    check(&f, "SOUL.md", "too large (3145728 bytes; at most 2 MiB)");
    f.outside("USER.md", b"ok\ncaf\xe9\n");
    check(&f, "USER.md", "not UTF-8 text (line 2)");
    f.outside("TOOLS.md", b"\xff\xfea\0b\0");
    check(&f, "TOOLS.md", "not UTF-8 text (line 1)");
    f.outside("MEMORY.md", b"a\0b");
    check(&f, "MEMORY.md", "not a text file");
    f.outside("AGENTS.md", "字".as_bytes().repeat(2 * 1024 * 1024 / 3));
    assert!(f.root.read("AGENTS.md").is_ok(), "just below the limit");
}

#[test]
fn a_text_that_would_be_refused_later_is_refused_now() {
    let f = workspace();
    f.outside("SOUL.md", "a\n");
    let edit = f.edit("SOUL.md", "a\0b");
    assert!(matches!(f.root.save(&edit, &user()), Err(WorkspaceError::Binary { .. })));
    let edit = f.edit("SOUL.md", &"x".repeat(2 * 1024 * 1024 + 1));
    assert!(matches!(f.root.save(&edit, &user()), Err(WorkspaceError::TooLarge { .. })));
    assert!(f.root.append("SOUL.md", &"x".repeat(2 * 1024 * 1024), &user()).is_err());
    assert_eq!(f.on_disk("SOUL.md"), "a\n");
}

#[test]
fn a_folder_in_place_of_a_file() {
    let f = workspace();
    std::fs::create_dir(f.path("SOUL.md")).unwrap();
    check(&f, "SOUL.md", "not a regular file");
    f.outside("memory", "a file in place of the folder");
    let error = f.root.append("memory/2026-01-02.md", "x", &user()).unwrap_err();
    assert!(error.to_string().contains("memory/2026-01-02.md"), "{error}");
}

#[test]
fn paths_that_lead_elsewhere() {
    let f = workspace();
    for path in [
        "../x.md",
        "/etc/passwd",
        "a\\b.md",
        "C:/x.md",
        "nul",
        "memory/CON.md",
        "a\u{202e}b.md",
        "",
    ] {
        check(&f, path, "is not a usable path");
    }
}

#[cfg(unix)]
#[test]
fn links_that_leave_or_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let f = workspace();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret.md"), "secret").unwrap();
    symlink(elsewhere.path().join("secret.md"), f.path("SOUL.md")).unwrap();
    symlink(elsewhere.path(), f.path("memory")).unwrap();
    symlink(elsewhere.path().join("new.md"), f.path("USER.md")).unwrap();
    symlink("../../../../etc/hostname-not-there", f.path("TOOLS.md")).unwrap();
    symlink("gone.md", f.path("MEMORY.md")).unwrap();
    symlink("AGENTS.md", f.path("AGENTS.md")).unwrap();
    check(&f, "SOUL.md", "leaves the workspace");
    check(&f, "memory/secret.md", "leaves the workspace");
    check(&f, "memory/new.md", "leaves the workspace");
    check(&f, "USER.md", "leaves the workspace");
    check(&f, "TOOLS.md", "leaves the workspace");
    check(&f, "MEMORY.md", "leads nowhere");
    check(&f, "AGENTS.md", "leads nowhere");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_do_not_make_it_wait() {
    let f = workspace();
    let made = std::process::Command::new("mkfifo").arg(f.path("SOUL.md")).status().unwrap();
    assert!(made.success());
    check_special(&f, "SOUL.md");
    let _socket = std::os::unix::net::UnixListener::bind(f.path("USER.md")).unwrap();
    check_special(&f, "USER.md");
}

#[cfg(unix)]
fn check_special(f: &Fixture, path: &str) {
    let error = f.root.read(path).unwrap_err();
    assert!(matches!(error, WorkspaceError::NotAFile { .. }), "{error}");
    assert!(f.root.append(path, "x", &user()).is_err());
    assert!(f.root.restore(path, b"x", &user()).is_err());
}

/// The mark on the file counts, even where the folder would allow a replacement and even for root.
#[test]
fn a_read_only_file_is_read_and_not_replaced() {
    let f = workspace();
    f.outside("SOUL.md", "a\n");
    let edit = f.edit("SOUL.md", "b\n");
    let mut permissions = std::fs::metadata(f.path("SOUL.md")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(f.path("SOUL.md"), permissions).unwrap();
    let error = f.root.save(&edit, &user()).unwrap_err();
    assert!(error.to_string().contains("`SOUL.md` is read-only"), "{error}");
    assert!(f.root.append("SOUL.md", "x", &user()).is_err());
    assert!(f.root.remove("SOUL.md", &edit.base_hash, &user()).is_err());
    assert_eq!(f.on_disk("SOUL.md"), "a\n");
    assert_eq!(f.tree(), ["SOUL.md"], "nothing half-written is left");
}

/// A folder on a full disk, if this machine lets us mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    use std::process::Command;
    let f = workspace();
    let mount = |args: &[&str]| {
        let done = Command::new("mount").args(args).arg(f.folder.path()).output();
        done.is_ok_and(|output| output.status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"]) {
        println!("SKIPPED a_full_disk_loses_nothing: this machine allows no tmpfs mount");
        return;
    }
    f.outside("SOUL.md", "a\n".repeat(1000));
    let edit = f.edit("SOUL.md", &"b\n".repeat(60_000));
    let full = f.root.save(&edit, &user());
    let on_disk = f.on_disk("SOUL.md");
    let tree = f.tree();
    let small = f.root.append("SOUL.md", "c", &user());
    let read_only = mount(&["-o", "remount,ro", "-t", "tmpfs", "tmpfs"]);
    let refused = f.root.append("SOUL.md", "d", &user());
    assert!(Command::new("umount").arg(f.folder.path()).status().unwrap().success());

    let message = full.unwrap_err().to_string();
    assert!(message.contains("disk is full") && message.contains("SOUL.md"), "{message}");
    assert_eq!(on_disk, "a\n".repeat(1000));
    assert_eq!(tree, ["SOUL.md"], "nothing half-written is left");
    small.unwrap();
    if read_only {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("read-only"), "{message}");
    }
}
