//! Random paths, addresses and command lines: no panic, no escape, judged against independent oracles.
//! `npm run fuzz` for the long run of a million each.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use hearth_guard::command::{Allowed, Shell, read, within};
use hearth_guard::{place, resolve};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::path::Path;

fn rounds() -> usize {
    std::env::var("HEARTH_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

fn made(chance: &mut StdRng, pieces: &[&str], most: usize) -> String {
    let count = chance.random_range(0..=most);
    (0..count).map(|_| *pieces.choose(chance).expect("some")).collect()
}

/// The real file system is the oracle: what is said to stay inside is opened, and must lie there.
#[test]
#[cfg(unix)]
fn fuzz_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = std::fs::canonicalize(folder.path()).expect("real");
    let inside = root.join("inside");
    std::fs::create_dir_all(inside.join("a/b")).expect("makes");
    std::fs::create_dir_all(root.join("outside")).expect("makes");
    for (file, text) in
        [("inside/f", "in"), ("inside/a/f", "in"), ("outside/f", "out"), ("f", "out")]
    {
        std::fs::write(root.join(file), text).expect("writes");
    }
    for (link, to) in [
        ("up", ".."),
        ("a/up", "../.."),
        ("out", "../outside"),
        ("in", "a/b"),
        ("loop", "loop"),
        ("abs", "/"),
        ("none", "../nothing/x"),
    ] {
        std::os::unix::fs::symlink(to, inside.join(link)).expect("links");
    }
    let pieces = [
        "/", "..", ".", "a", "b", "f", "up", "out", "in", "loop", "abs", "none", "//", "/../", "é",
        "\\", " ", "outside", "inside", "\u{202e}", "\0", "~",
    ];
    let mut chance = StdRng::seed_from_u64(7);
    for _ in 0..rounds() {
        let path = made(&mut chance, &pieces, 9);
        if !resolve::stays(&inside, &path) {
            continue;
        }
        let opened = inside.join(&path);
        if let Ok(real) = std::fs::canonicalize(&opened) {
            assert!(real.starts_with(&inside), "{path:?} leads to {}", real.display());
        }
        if let Ok(text) = std::fs::read_to_string(&opened) {
            assert_eq!(text, "in", "{path:?}");
        }
    }
}

/// What is not refused must name a host that no reading of it takes for this machine.
#[test]
fn fuzz_addresses() {
    let pieces = [
        "http://",
        "https://",
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:7f00:1]",
        "0x7f.1",
        "2130706433",
        "@",
        ":",
        "/",
        "?",
        "#",
        ".",
        "a",
        "example.org",
        "169.254.169.254",
        "%31",
        "１",
        "。",
        "\\",
        " ",
        "\t",
        "10",
        "192.168.0.1",
        "evil.com",
        "[fe80::1%25eth0]",
        "0177.1",
    ];
    let mut chance = StdRng::seed_from_u64(8);
    for _ in 0..rounds() {
        let url = made(&mut chance, &pieces, 8);
        if place::never(&url).is_some() {
            continue;
        }
        let host = place::host_of(&url).expect("what may be read has a host");
        let parsed = url::Url::parse(url.trim()).expect("what may be read is an address");
        assert!(host.contains('.') || host.starts_with('['), "{url:?} has host {host}");
        if let Ok(ip) = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
            assert!(!ip.is_loopback() && !ip.is_unspecified(), "{url:?}");
        }
        assert!(parsed.username().is_empty(), "{url:?}");
    }
}

/// A shell is the oracle: what is allowed is run with every program replaced by a recorder, and may have
/// started nothing else, made nothing and read nothing outside.
#[test]
#[cfg(unix)]
fn fuzz_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bin, work) = (folder.path().join("bin"), folder.path().join("work"));
    std::fs::create_dir_all(&bin).expect("makes");
    std::fs::create_dir_all(&work).expect("makes");
    let log = folder.path().join("log");
    for program in ["ls", "rm", "cat", "sh2", "x", "a", "git", "sudo", "env"] {
        let script = format!("#!/bin/sh\necho {program} >>{}\n", log.display());
        let file = bin.join(program);
        std::fs::write(&file, script).expect("writes");
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("may run");
    }
    let pieces = [
        "ls",
        "rm",
        "cat",
        "x",
        " ",
        " ",
        " ",
        ";",
        "&",
        "|",
        "\n",
        "'",
        "\"",
        "\\",
        "$",
        "(",
        ")",
        "`",
        "{",
        "}",
        "<",
        ">",
        "#",
        "!",
        "=",
        "*",
        "a",
        "-la",
        "$(rm x)",
        "`rm`",
        "&&",
        "||",
        "env",
        "sudo",
        "eval",
        "exec",
        "rm x",
        "\t",
        "if",
        "then",
        "fi",
        "é",
        "；",
        "~",
        "..",
        "/",
        "out",
        "up",
        "d/in",
        "-a",
        "../secret",
        "2>&1",
        "<<a",
        "$'\\x72m'",
        "\r",
    ];
    // What leads where: a file of its own, and one outside that no allowed line may name.
    std::fs::create_dir_all(work.join("d")).expect("makes");
    std::fs::write(work.join("d/in"), "in").expect("writes");
    std::fs::write(folder.path().join("secret"), "out").expect("writes");
    std::os::unix::fs::symlink("../secret", work.join("out")).expect("links");
    std::os::unix::fs::symlink("..", work.join("up")).expect("links");
    let allowed = Allowed::new(["ls", "cat"]);
    let stays = |piece: &str| resolve::stays(&work, piece);
    let mut chance = StdRng::seed_from_u64(9);
    let mut ran = 0;
    for _ in 0..rounds() {
        let text = made(&mut chance, &pieces, 12);
        for shell in [Shell::Cmd, Shell::PowerShell] {
            let line = read(shell, &text);
            let _ = within(&line, shell, &allowed, &|_| true);
        }
        let line = read(Shell::Sh, &text);
        if within(&line, Shell::Sh, &allowed, &stays).is_err() {
            continue;
        }
        for argument in line.runs.iter().flat_map(|run| &run.arguments) {
            keeps_inside(&work, argument, &text);
        }
        if ran >= 300 {
            continue;
        }
        ran += 1;
        for shell in ["/bin/sh", "/bin/bash"] {
            ran_only(shell, &text, &bin, &work, &log);
        }
    }
    assert!(ran > 5, "only {ran} lines were allowed: the test looks at too little");
}

/// The file system is the oracle: nothing that an argument holds, whole or glued to options, opens what lies
/// outside.
#[cfg(unix)]
fn keeps_inside(work: &Path, argument: &str, line: &str) {
    let is_option = argument.starts_with('-');
    let starts = argument.char_indices().map(|(at, _)| at).filter(|at| *at == 0 || is_option);
    for start in starts {
        let Ok(real) = std::fs::canonicalize(work.join(&argument[start..])) else { continue };
        let root = std::fs::canonicalize(work).expect("real");
        assert!(real.starts_with(&root), "{line:?}: {argument:?} leads to {}", real.display());
    }
}

#[cfg(unix)]
fn ran_only(shell: &str, text: &str, bin: &Path, work: &Path, log: &Path) {
    if !Path::new(shell).exists() {
        return;
    }
    let _ = std::fs::remove_file(log);
    let ended = std::process::Command::new(shell)
        .args(["-c", text])
        .env_clear()
        .env("PATH", bin)
        .current_dir(work)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("starts");
    let started = std::fs::read_to_string(log).unwrap_or_default();
    let other = started.lines().find(|name| !matches!(*name, "ls" | "cat"));
    assert_eq!(other, None, "{shell} {text:?} started it");
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(!errors.contains("not found"), "{shell} {text:?}: {errors}");
    assert_eq!(std::fs::read_dir(work).expect("reads").count(), 3, "{shell} {text:?} made a file");
}
