//! Commands that only look: not asked about, as long as they stay inside.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod house;

use hearth_guard::Verdict::{Allow, Ask};
use hearth_guard::{Policy, Profile, Rules, Taint};
use house::{house, judged};
use serde_json::json;

/// Looking around in the workspace is not asked about, entering a folder of it neither.
#[test]
fn looking_is_not_asked_about() {
    let house = house();
    let workspace = &house.places.workspace;
    std::fs::create_dir_all(workspace.join("docs/sub")).expect("makes");
    std::fs::write(workspace.join("docs/a.md"), "x").expect("writes");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        house.places.person.as_ref().expect("given"),
        workspace.join("docs/out"),
    )
    .expect("links");
    let policy = Policy::new(&Rules::default(), house.places.clone());
    let cases = [
        ("find . -name '*.md' -type f -mtime -7 | sort | head -5", Allow),
        ("find docs -maxdepth 2 -not -path './x/*' -print0", Allow),
        ("find . -name x -exec rm {} +", Ask),
        ("find . -name x -delete", Ask),
        ("find . -fprint out", Ask),
        ("find . -fprintf out %p", Ask),
        ("find -L . -name x", Ask),
        ("date -d 'next friday' +%F", Allow),
        ("date --date 2026-12-24 +%A", Allow),
        ("date -d 12312359", Ask),
        ("date -d tomorrow 12312359", Ask),
        ("date -d tomorrow -s noon", Ask),
        ("python3 --version", Allow),
        ("python3 --version x.py", Ask),
        ("./python3 --version", Ask),
        ("find . -follow", Ask),
        ("find -files0-from list", Ask),
        ("find / -name x", Ask),
        ("find .. -name x", Ask),
        ("cd docs && ls", Allow),
        ("cd docs && grep -n x a.md", Allow),
        ("cd docs", Allow),
        ("cd docs/sub && cat ../../../x", Ask),
        ("cd docs && cat out/other/a", Ask),
        ("cd docs/out && ls", Ask),
        ("cd .. && ls", Ask),
        ("cd / && ls", Ask),
        ("cd ~ && ls", Ask),
        ("cd - && ls", Ask),
        ("cd && ls", Ask),
        ("cd docs && rm a.md", Ask),
        ("cd docs && cd sub && ls", Ask),
        ("cd bare && git status", Ask),
        ("tail -n 5 notes.md", Allow),
        ("tail -f notes.md", Ask),
        ("sort -u notes.md | uniq -c", Allow),
        ("sort -o out notes.md", Ask),
        ("sort --compress-program=./x notes.md", Ask),
        ("stat -c %s notes.md", Allow),
        ("diff -u notes.md docs/a.md", Allow),
        ("diff docs docs/sub", Ask),
        ("diff -r docs memory", Ask),
        ("diff -l notes.md docs/a.md", Ask),
        ("cut -d, -f1 notes.md", Allow),
        ("du -sh docs", Allow),
        ("rg -n x docs", Allow),
        ("rg --pre ./x y docs", Ask),
        ("jq -r .a notes.md", Allow),
        ("rm notes.md", Ask),
        ("uniq notes.md out", Ask),
        ("printf '%s' x > out", Ask),
    ];
    for (command, verdict) in cases {
        let got = judged(&policy, &Taint::new(true), "exec", json!({"command": command}));
        assert_eq!(got.verdict, verdict, "{command}: {}", got.why);
    }
    let full = Rules { profile: Profile::Full, ..Rules::default() };
    let policy = Policy::new(&full, house.places.clone());
    for command in ["find . -name x -exec rm {} +", "find . -delete", "diff docs docs/sub"] {
        let got = judged(&policy, &Taint::new(true), "exec", json!({"command": command}));
        assert_eq!(got.verdict, Ask, "{command}: {}", got.why);
    }
}
