//! Memory entries on a real disk: many writers, bad files, what is read back.

use crate::support::{Fixture, user, workspace, workspace_in_memory};
use hearth_protocol::api::files::Author;
use hearth_workspace::{Draft, EntryFault, Status, WorkspaceError, WorkspaceRoot, entries};
use std::collections::BTreeSet;

fn draft(text: &str) -> Draft {
    Draft {
        text: text.to_owned(),
        kind: "fact".to_owned(),
        time: "2026-11-29T21:00:00Z".to_owned(),
        ..Draft::default()
    }
}

fn remember(f: &Fixture, text: &str) -> String {
    f.root.remember("MEMORY.md", &draft(text), None, &user()).unwrap().id
}

#[test]
fn fifty_parallel_appends_give_fifty_entries() {
    let f = workspace();
    f.outside("MEMORY.md", "# Memory\r\n");
    // As ten processes would: each with its own lock.
    std::thread::scope(|scope| {
        for n in 0..50 {
            let (folder, versions) = (f.folder.path(), f.versions.clone());
            scope.spawn(move || {
                let root = WorkspaceRoot::open(folder, versions).unwrap();
                // Half of them say the same.
                let text = if n % 2 == 0 { "the same".to_owned() } else { format!("fact {n}") };
                root.remember("MEMORY.md", &draft(&text), None, &Author::Turn.into()).unwrap()
            });
        }
    });
    let held = f.root.held("MEMORY.md").unwrap();
    let ids: BTreeSet<_> = held.iter().map(|held| held.id.clone()).collect();
    assert_eq!((held.len(), ids.len()), (50, 50));
    assert_eq!(held.iter().filter(|held| held.text == "the same").count(), 25);
    assert!(!f.on_disk("MEMORY.md").replace("\r\n", "").contains('\n'));
}

#[test]
fn an_edit_from_outside_at_the_same_time_is_kept() {
    let f = workspace_in_memory();
    f.outside("MEMORY.md", "# Memory\n");
    for n in 0..200 {
        let text = f.on_disk("MEMORY.md") + &format!("## By hand {n}\nx\n");
        f.outside("MEMORY.md", text);
        remember(&f, &format!("fact {n}"));
    }
    let found = entries(&f.on_disk("MEMORY.md"));
    assert_eq!(found.len(), 400);
    assert_eq!(found.iter().filter(|entry| entry.title.starts_with("By hand")).count(), 200);
}

#[test]
fn byte_order_mark_and_line_ends_stay() {
    let f = workspace();
    f.outside("MEMORY.md", "\u{feff}## Tea\r\n<!-- id: m1 -->\r\nGreen.\r\n");
    let new = f.root.supersede("MEMORY.md", "m1", &draft("Black.\nWith milk."), &user()).unwrap();
    let text = f.on_disk("MEMORY.md");
    assert!(text.starts_with(&format!(
        "\u{feff}## Tea\r\n<!-- id: m1; status: superseded by {} -->\r\nGreen.\r\n\r\n## Black\r\n",
        new.id
    )));
    assert!(text.ends_with("Black.\r\nWith milk.\r\n"));
    let held = f.root.held("MEMORY.md").unwrap();
    assert_eq!(held[0].entry.status, Status::Superseded(new.id));
    assert_eq!(held[1].text, "Black.\nWith milk.");
}

#[test]
fn files_that_are_refused_are_left_untouched() {
    let f = workspace();
    let bad: [&[u8]; 3] = [b"## A\0\n", b"## \xff\n", &b"## A\n".repeat(500_000)];
    for bytes in bad {
        f.outside("MEMORY.md", bytes);
        let refused = f.root.remember("MEMORY.md", &draft("x"), None, &user());
        assert!(matches!(
            refused,
            Err(WorkspaceError::Binary { .. }
                | WorkspaceError::NotUtf8 { .. }
                | WorkspaceError::TooLarge { .. })
        ));
        assert_eq!(std::fs::read(f.path("MEMORY.md")).unwrap(), bytes);
        assert!(f.root.held("MEMORY.md").is_err());
    }
    f.outside("MEMORY.md", vec![b'a'; 20 << 20]);
    let error = f.root.remember("MEMORY.md", &draft("x"), None, &user()).unwrap_err();
    assert!(error.to_string().contains("20971520 bytes; at most 2 MiB"), "{error}");
}

#[test]
fn a_file_of_sixty_kilobytes_and_long_lines_is_written_to() {
    let f = workspace();
    let long = "字".repeat(10_000);
    let big = format!("## Long\n{long}\n\n## שלום 👩‍🚀\n{}\n", "word ".repeat(6_000));
    assert!(big.len() > 60_000);
    f.outside("MEMORY.md", &big);
    let id = remember(&f, &long);
    let text = f.on_disk("MEMORY.md");
    assert!(text.starts_with(&big));
    let held = f.root.find_held(&id).unwrap();
    assert_eq!(held.text, long);
    assert_eq!(held.entry.title.chars().count(), 61);
}

#[test]
fn automatic_writes_keep_to_the_cap() {
    let f = workspace();
    let text = format!("# Memory\n{}", "x".repeat(900));
    f.outside("MEMORY.md", &text);
    let over = f.root.remember("MEMORY.md", &draft(&"y".repeat(100)), Some(1_000), &user());
    let Err(WorkspaceError::Entry { fault: EntryFault::OverCap { cap, .. }, .. }) = over else {
        panic!("{over:?}")
    };
    assert_eq!((cap, f.on_disk("MEMORY.md")), (1_000, text));
}

#[test]
fn entries_are_found_in_every_file_and_expire_there() {
    let f = workspace();
    let until = |text: &str| Draft { expiry: "2026-11-30".to_owned(), ..draft(text) };
    let log = "memory/2026-11-29.md";
    let ids = [
        remember(&f, "stays"),
        f.root.remember("USER.md", &until("user"), None, &user()).unwrap().id,
        f.root.remember(log, &until("log"), None, &user()).unwrap().id,
    ];
    f.outside("memory/notes.md", "## Not a log\n");
    let all: Vec<_> = f.root.all_held().unwrap().into_iter().map(|held| held.id).collect();
    assert_eq!(all, ids);
    assert_eq!(f.root.find_held(&ids[2]).unwrap().path, log);
    assert!(f.root.find_held("nothing").is_err());
    let before = f.on_disk("MEMORY.md");
    // 2026-11-30 00:00 UTC.
    assert_eq!(f.root.expire(1_795_996_799, &user()).unwrap(), []);
    let over: Vec<_> = f.root.expire(1_795_996_800, &user()).unwrap();
    assert_eq!(over.iter().map(|held| held.id.as_str()).collect::<Vec<_>>(), ids[1..]);
    assert!(f.root.expire(1_795_996_800, &user()).unwrap().is_empty(), "once");
    assert_eq!(f.on_disk("MEMORY.md"), before);
    assert_eq!(f.root.find_held(&ids[2]).unwrap().entry.status, Status::Expired);
}

#[test]
fn a_file_replaced_by_rename_or_deleted_is_written_anew() {
    let f = workspace();
    let first = remember(&f, "first");
    f.outside("new.md", "## Theirs\nx\n");
    std::fs::rename(f.path("new.md"), f.path("MEMORY.md")).unwrap();
    remember(&f, "second");
    let text = f.on_disk("MEMORY.md");
    assert!(
        text.starts_with("## Theirs\nx\n") && text.contains("second") && !text.contains(&first)
    );
    std::fs::remove_file(f.path("MEMORY.md")).unwrap();
    remember(&f, "third");
    assert_eq!(f.root.held("MEMORY.md").unwrap().len(), 1);
    let kept: String =
        f.versions.of("MEMORY.md").into_iter().filter_map(|(_, text)| text).collect();
    assert!(kept.contains("first") && kept.contains("second"));
}

#[cfg(unix)]
#[test]
fn a_workspace_that_another_program_locks_says_so() {
    let f = workspace();
    remember(&f, "first");
    let held = std::fs::File::open(f.folder.path()).unwrap();
    held.lock().unwrap();
    let error = f.root.remember("MEMORY.md", &draft("x"), None, &user()).unwrap_err();
    assert!(matches!(error, WorkspaceError::Busy { .. }), "{error}");
    held.unlock().unwrap();
    remember(&f, "second");
    assert_eq!(f.root.held("MEMORY.md").unwrap().len(), 2);
}

/// Person, assistant and another program, in any order: no entry is lost or doubled.
#[test]
fn a_thousand_interleavings_of_three_writers_lose_no_entry() {
    let mut dice = 1_u64;
    let mut roll = move |n: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % n
    };
    for case in 0..1000 {
        let f = workspace_in_memory();
        f.outside("MEMORY.md", if roll(2) == 0 { "# Memory\n" } else { "# Memory\r\n\r\n" });
        let mut open = None;
        let mut wanted: Vec<String> = Vec::new();
        for step in 0..8 {
            let title = format!("entry {step}");
            match roll(4) {
                0 => {
                    let text = f.on_disk("MEMORY.md") + &format!("\n## {title}\nby hand\n");
                    f.outside("MEMORY.md", text);
                }
                1 if open.is_none() => {
                    let mut edit = f.edit("MEMORY.md", "");
                    edit.text = format!("{}\n## {title}\nin the editor\n", edit.base_text);
                    open = Some(edit);
                }
                2 if open.is_some() => {
                    f.root.save(&open.take().unwrap(), &user()).unwrap();
                    remember(&f, &title);
                }
                _ => drop(remember(&f, &title)),
            }
            wanted.push(title);
        }
        if let Some(edit) = open {
            f.root.save(&edit, &user()).unwrap();
        }
        let mut found: Vec<_> =
            entries(&f.on_disk("MEMORY.md")).into_iter().map(|entry| entry.title).collect();
        found.sort();
        assert_eq!(found, wanted, "case {case}");
    }
}
