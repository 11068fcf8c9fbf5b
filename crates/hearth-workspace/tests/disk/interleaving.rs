//! Many writers at once.

use crate::support::{Fixture, user, workspace, workspace_in_memory};
use hearth_protocol::api::files::{Author, FileSave, FileSaved};
use std::collections::BTreeSet;

#[test]
fn fifty_parallel_appends_give_fifty_entries() {
    let f = workspace();
    std::thread::scope(|scope| {
        for n in 0..50 {
            let root = &f.root;
            scope.spawn(move || root.append("memory/log.md", &format!("- entry {n}"), &user()));
        }
    });
    check_entries(&f, 50);
}

/// As two processes would: each with its own lock.
#[cfg(unix)]
#[test]
fn fifty_appends_through_fifty_roots_give_fifty_entries() {
    let f = workspace();
    f.outside("log.md", "");
    std::thread::scope(|scope| {
        for n in 0..50 {
            let root = hearth_workspace::WorkspaceRoot::open(f.folder.path(), f.versions.clone());
            scope.spawn(move || {
                root.unwrap().append("log.md", &format!("- entry {n}"), &user()).unwrap()
            });
        }
    });
    let text = f.on_disk("log.md");
    let lines: BTreeSet<_> = text.lines().collect();
    assert_eq!((lines.len(), text.lines().count()), (50, 50), "{text}");
}

fn check_entries(f: &Fixture, count: usize) {
    let text = f.on_disk("memory/log.md");
    let lines: BTreeSet<_> = text.lines().collect();
    assert_eq!((lines.len(), text.lines().count()), (count, count), "{text}");
    assert_eq!(f.versions.of("memory/log.md").len(), count);
}

/// A small generator, so that each case can be run again by its number.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Someone with an open editor: edits what they loaded, adding lines in places of their own choice.
struct Editor {
    author: Author,
    open: Option<FileSave>,
}

impl Editor {
    fn step(&mut self, f: &Fixture, dice: &mut Dice, line: &str, added: &mut Vec<String>) {
        match self.open.take() {
            None => {
                let mut edit = f.edit("SOUL.md", "");
                edit.text = insert(&edit.base_text, line, dice);
                added.push(line.to_owned());
                self.open = Some(edit);
            }
            // Types one more line before saving, sometimes.
            Some(mut edit) if dice.below(3) == 0 => {
                edit.text = insert(&edit.text, line, dice);
                added.push(line.to_owned());
                self.open = Some(edit);
            }
            Some(edit) => self.save(f, &edit),
        }
    }

    fn save(&self, f: &Fixture, edit: &FileSave) {
        let saved = f.root.save(edit, &self.author.into()).unwrap();
        let ok = matches!(saved, FileSaved::Written { .. } | FileSaved::Merged { .. });
        assert!(ok, "insertions never conflict: {saved:?}");
    }
}

fn insert(text: &str, line: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(dice.below(lines.len() + 1), line);
    // Now and then the last line has no end.
    let end = if dice.below(4) == 0 { "" } else { "\n" };
    lines.join("\n") + end
}

#[test]
fn a_thousand_random_interleavings_lose_no_line() {
    for case in 0..1000 {
        let f = workspace_in_memory();
        let mut dice = Dice(case);
        f.outside("SOUL.md", if case % 2 == 0 { "one\ntwo\nthree\n" } else { "" });
        let mut added: Vec<String> = f.on_disk("SOUL.md").lines().map(str::to_owned).collect();
        let mut editors = [
            Editor { author: Author::User, open: None },
            Editor { author: Author::Turn, open: None },
        ];
        for step in 0..12 {
            let line = format!("line {step}");
            match dice.below(4) {
                0 => {
                    let text = insert(&f.on_disk("SOUL.md"), &line, &mut dice);
                    f.outside("SOUL.md", text);
                    added.push(line);
                }
                1 => {
                    f.root.append("SOUL.md", &line, &Author::Flush.into()).unwrap();
                    added.push(line);
                }
                who => editors[who - 2].step(&f, &mut dice, &line, &mut added),
            }
        }
        for editor in &mut editors {
            if let Some(edit) = editor.open.take() {
                editor.save(&f, &edit);
            }
        }
        let mut left: Vec<String> = f.on_disk("SOUL.md").lines().map(str::to_owned).collect();
        left.sort();
        added.sort();
        assert_eq!(left, added, "case {case}");
    }
}

/// With edits and deletions too: a line is gone only if somebody removed it, and what a conflict
/// leaves unsaved is still in the editor.
#[test]
fn a_thousand_interleavings_with_deletions_keep_every_text_as_a_version() {
    for case in 0..1000 {
        let f = workspace_in_memory();
        let mut dice = Dice(case + 77_000);
        f.outside("SOUL.md", "one\ntwo\nthree\nfour\nfive\nsix\n");
        let mut seen = BTreeSet::new();
        let mut open: Option<FileSave> = None;
        for step in 0..10 {
            match (dice.below(3), open.take()) {
                (0, kept) => {
                    let text = change(&f.on_disk("SOUL.md"), step, &mut dice);
                    f.outside("SOUL.md", &text);
                    open = kept;
                }
                (_, None) => {
                    let mut edit = f.edit("SOUL.md", "");
                    edit.text = change(&edit.base_text, step, &mut dice);
                    edit.confirmed = true;
                    open = Some(edit);
                }
                (_, Some(edit)) => {
                    let before = f.on_disk("SOUL.md");
                    match f.root.save(&edit, &user()).unwrap() {
                        FileSaved::Conflict { theirs, .. } => assert_eq!(theirs, before),
                        _ => {
                            seen.insert(before);
                        }
                    }
                    seen.insert(f.on_disk("SOUL.md"));
                }
            }
        }
        let kept: BTreeSet<_> =
            f.versions.of("SOUL.md").into_iter().filter_map(|(_, text)| text).collect();
        assert!(kept.is_superset(&seen), "case {case}");
    }
}

fn change(text: &str, step: usize, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = dice.below(lines.len().max(1));
    match dice.below(3) {
        0 if lines.len() > 2 => drop(lines.remove(at)),
        1 if !lines.is_empty() => lines[at] = format!("changed {step}"),
        _ => lines.insert(at.min(lines.len()), format!("added {step}")),
    }
    lines.join("\n") + "\n"
}

/// Another program replaces the file by renaming, as editors do, while we append: it only ever
/// adds to what it read. What it did not see of ours may go from the file, but is in a version, and
/// what it wrote is never dropped by us.
#[cfg(unix)]
#[test]
fn a_racing_program_that_renames_loses_nothing_to_us() {
    let f = workspace_in_memory();
    f.outside("SOUL.md", "");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..300 {
                let text = f.on_disk("SOUL.md") + &format!("theirs {n}\n");
                f.outside("SOUL.md.new", text);
                std::fs::rename(f.path("SOUL.md.new"), f.path("SOUL.md")).unwrap();
            }
        });
        for n in 0..300 {
            f.root.append("SOUL.md", &format!("ours {n}"), &user()).unwrap();
        }
    });
    let mut kept: BTreeSet<String> = f.on_disk("SOUL.md").lines().map(str::to_owned).collect();
    for (_, text) in f.versions.of("SOUL.md") {
        kept.extend(text.unwrap_or_default().lines().map(str::to_owned));
    }
    for n in 0..300 {
        assert!(kept.contains(&format!("ours {n}")), "ours {n}");
        assert!(kept.contains(&format!("theirs {n}")), "theirs {n}");
    }
    assert!(f.tree().iter().all(|path| !path.contains(".hearth-")));
}
