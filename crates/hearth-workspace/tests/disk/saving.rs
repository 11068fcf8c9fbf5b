//! Saving, appending, removing, restoring; what the journal is given.

use crate::support::{Fixture, user, workspace};
use hearth_protocol::api::files::{Author, FileSave, FileSaved};
use hearth_workspace::{WorkspaceError, hash};
use std::sync::atomic::Ordering;

fn written(text: &str) -> FileSaved {
    FileSaved::Written { hash: hash(text.as_bytes()) }
}

fn clean(f: &Fixture) {
    let left: Vec<_> = f.tree().into_iter().filter(|p| p.contains(".hearth-")).collect();
    assert_eq!(left, [""; 0], "nothing half-written is left");
}

#[test]
fn an_edit_of_the_present_text_is_written() {
    let f = workspace();
    assert_eq!(f.save("SOUL.md", "kind\n"), written("kind\n"));
    assert_eq!(f.save("memory/2026-01-02.md", "- up\n"), written("- up\n"));
    assert_eq!(f.save("SOUL.md", "kind\ncalm\n"), written("kind\ncalm\n"));
    assert_eq!(f.on_disk("SOUL.md"), "kind\ncalm\n");
    assert_eq!(
        f.versions.of("SOUL.md"),
        [
            (Author::User, Some("kind\n".to_owned())),
            (Author::User, Some("kind\ncalm\n".to_owned())),
        ]
    );
    clean(&f);
}

#[test]
fn what_is_overwritten_was_recorded_before() {
    let f = workspace();
    f.outside("USER.md", "Ada\n");
    f.save("USER.md", "Ada\nLisbon\n");
    f.outside("USER.md", "Ada\nPorto, not Lisbon\n");
    f.save("USER.md", "Ada\nPorto, of course\n");
    assert_eq!(
        f.versions.of("USER.md"),
        [
            (Author::Outside, Some("Ada\n".to_owned())),
            (Author::User, Some("Ada\nLisbon\n".to_owned())),
            (Author::Outside, Some("Ada\nPorto, not Lisbon\n".to_owned())),
            (Author::User, Some("Ada\nPorto, of course\n".to_owned())),
        ]
    );
}

#[test]
fn without_a_journal_nothing_is_overwritten() {
    let f = workspace();
    f.outside("USER.md", "Ada\n");
    f.versions.broken.store(true, Ordering::SeqCst);
    let edit = f.edit("USER.md", "Bob\n");
    let error = f.root.save(&edit, &user()).unwrap_err();
    assert!(matches!(error, WorkspaceError::Journal { .. }), "{error}");
    assert!(error.to_string().contains("USER.md") && error.to_string().contains("locked"));
    assert!(f.root.remove("USER.md", &edit.base_hash, &user()).is_err());
    assert_eq!(f.on_disk("USER.md"), "Ada\n");
    f.versions.broken.store(false, Ordering::SeqCst);
    assert_eq!(f.root.save(&edit, &user()).unwrap(), written("Bob\n"));
    clean(&f);
}

#[test]
fn edits_in_different_places_merge() {
    let f = workspace();
    f.outside("SOUL.md", "a\nb\nc\n");
    let edit = f.edit("SOUL.md", "A\nb\nc\n");
    f.outside("SOUL.md", "a\nb\nC\n");
    let merged = FileSaved::Merged { text: "A\nb\nC\n".into(), hash: hash(b"A\nb\nC\n") };
    assert_eq!(f.root.save(&edit, &user()).unwrap(), merged);
    assert_eq!(f.on_disk("SOUL.md"), "A\nb\nC\n");
}

#[test]
fn overlapping_edits_are_a_conflict_and_nothing_is_written() {
    let f = workspace();
    f.outside("SOUL.md", "a\nb\n");
    let edit = f.edit("SOUL.md", "a\nmine\n");
    f.outside("SOUL.md", "a\ntheirs\n");
    let conflict = FileSaved::Conflict {
        theirs: "a\ntheirs\n".into(),
        theirs_hash: hash(b"a\ntheirs\n"),
        marked: "a\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> on disk\n".into(),
    };
    assert_eq!(f.root.save(&edit, &user()).unwrap(), conflict);
    assert_eq!(f.on_disk("SOUL.md"), "a\ntheirs\n");
}

#[test]
fn a_new_file_that_exists_by_now_or_a_removed_one_is_a_conflict() {
    let f = workspace();
    let new = f.edit("USER.md", "mine\n");
    f.outside("USER.md", "theirs\n");
    assert!(matches!(f.root.save(&new, &user()).unwrap(), FileSaved::Conflict { .. }));
    let edit = f.edit("USER.md", "theirs\nand mine\n");
    std::fs::remove_file(f.path("USER.md")).unwrap();
    match f.root.save(&edit, &user()).unwrap() {
        FileSaved::Conflict { theirs, theirs_hash, marked } => {
            assert_eq!((theirs.as_str(), theirs_hash.as_str()), ("", ""));
            assert!(marked.contains("and mine"));
        }
        other => panic!("{other:?}"),
    }
    assert!(!f.path("USER.md").exists());
}

#[test]
fn a_base_that_does_not_match_its_hash_is_not_merged_from() {
    let f = workspace();
    f.outside("SOUL.md", "a\nb\n");
    let mut edit = f.edit("SOUL.md", "a\nb\nmine\n");
    f.outside("SOUL.md", "a\nb\nc\n");
    // With this base a merge would drop `a`.
    edit.base_text = "a\n".to_owned();
    assert!(matches!(f.root.save(&edit, &user()).unwrap(), FileSaved::Conflict { .. }));
}

#[test]
fn the_same_text_from_elsewhere_is_no_conflict() {
    let f = workspace();
    f.outside("SOUL.md", "a\n");
    let edit = f.edit("SOUL.md", "b\n");
    f.outside("SOUL.md", "b\n");
    assert_eq!(f.root.save(&edit, &user()).unwrap(), written("b\n"));
}

#[test]
fn shrinking_by_more_than_half_asks() {
    let f = workspace();
    f.outside("SOUL.md", "字".repeat(100));
    assert_eq!(f.save("SOUL.md", &"字".repeat(50)), written(&"字".repeat(50)));
    let mut edit = f.edit("SOUL.md", &"x".repeat(24));
    let ask = FileSaved::ConfirmShrink { from_chars: 50, to_chars: 24 };
    assert_eq!(f.root.save(&edit, &user()).unwrap(), ask);
    assert_eq!(f.on_disk("SOUL.md"), "字".repeat(50));
    edit.confirmed = true;
    assert_eq!(f.root.save(&edit, &user()).unwrap(), written(&"x".repeat(24)));
}

#[test]
fn mark_and_line_ends_stay() {
    let f = workspace();
    f.outside("SOUL.md", "\u{feff}a\r\nb\r\n");
    let read = f.root.read("SOUL.md").unwrap();
    assert_eq!(read.text, "a\r\nb\r\n");
    assert_eq!(f.save("SOUL.md", "a\nB\n"), written("\u{feff}a\r\nB\r\n"));
    let base_hash = f.root.read("SOUL.md").unwrap().hash;
    f.outside("SOUL.md", "\u{feff}A\r\nB\r\n");
    // The editor shows line feeds only.
    let edit = FileSave {
        path: "SOUL.md".into(),
        text: "a\nB\nc\n".into(),
        base_text: "a\nB\n".into(),
        base_hash,
        confirmed: false,
    };
    assert!(matches!(f.root.save(&edit, &user()).unwrap(), FileSaved::Merged { .. }));
    assert_eq!(f.on_disk("SOUL.md"), "\u{feff}A\r\nB\r\nc\r\n");
    f.root.append("SOUL.md", "d", &user()).unwrap();
    assert_eq!(f.on_disk("SOUL.md"), "\u{feff}A\r\nB\r\nc\r\nd\r\n");
}

#[test]
fn appending_begins_a_line_and_creates() {
    let f = workspace();
    f.root.append("memory/2026-01-02.md", "- up", &Author::Flush.into()).unwrap();
    f.root.append("memory/2026-01-02.md", "- out\n", &Author::Flush.into()).unwrap();
    assert_eq!(f.on_disk("memory/2026-01-02.md"), "- up\n- out\n");
    f.outside("memory/2026-01-02.md", "- up\n- out\n- by hand");
    let hash_now = f.root.append("memory/2026-01-02.md", "- in", &Author::Turn.into()).unwrap();
    assert_eq!(f.on_disk("memory/2026-01-02.md"), "- up\n- out\n- by hand\n- in\n");
    assert_eq!(hash_now, f.root.read("memory/2026-01-02.md").unwrap().hash);
    let authors: Vec<_> = f.versions.of("memory/2026-01-02.md").iter().map(|v| v.0).collect();
    assert_eq!(authors, [Author::Flush, Author::Flush, Author::Outside, Author::Turn]);
}

#[test]
fn removing_needs_the_hash_that_was_seen_and_keeps_the_text() {
    let f = workspace();
    f.outside("BOOTSTRAP.md", "ritual\n");
    let seen = f.root.read("BOOTSTRAP.md").unwrap().hash;
    f.outside("BOOTSTRAP.md", "ritual, edited\n");
    let error = f.root.remove("BOOTSTRAP.md", &seen, &user()).unwrap_err();
    assert!(matches!(error, WorkspaceError::Changed { .. }));
    let seen = f.root.read("BOOTSTRAP.md").unwrap().hash;
    f.root.remove("BOOTSTRAP.md", &seen, &Author::Turn.into()).unwrap();
    assert!(!f.path("BOOTSTRAP.md").exists());
    assert!(!f.root.read("BOOTSTRAP.md").unwrap().exists);
    assert_eq!(f.versions.of("BOOTSTRAP.md").last(), Some(&(Author::Turn, None)));
    assert!(
        f.versions.of("BOOTSTRAP.md").contains(&(Author::Outside, Some("ritual, edited\n".into())))
    );
    let error = f.root.remove("BOOTSTRAP.md", &seen, &user()).unwrap_err();
    assert!(matches!(error, WorkspaceError::Missing { .. }));
    clean(&f);
}

#[test]
fn restoring_is_byte_for_byte_and_mends_what_is_not_text() {
    let f = workspace();
    let old = b"\xef\xbb\xbfa\r\nb\nno end";
    f.outside("SOUL.md", b"caf\xe9");
    assert!(f.root.read("SOUL.md").is_err());
    f.root.restore("SOUL.md", old, &user()).unwrap();
    assert_eq!(std::fs::read(f.path("SOUL.md")).unwrap(), old);
    assert_eq!(f.versions.of("SOUL.md").len(), 2, "the broken bytes are kept too");
    std::fs::remove_file(f.path("SOUL.md")).unwrap();
    f.root.restore("SOUL.md", old, &user()).unwrap();
    assert_eq!(std::fs::read(f.path("SOUL.md")).unwrap(), old);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_within_survive_a_save() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let f = workspace();
    std::fs::create_dir(f.path("shared")).unwrap();
    f.outside("shared/soul.md", "a\n");
    std::fs::set_permissions(f.path("shared/soul.md"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("shared/soul.md", f.path("SOUL.md")).unwrap();
    symlink(f.path("shared/soul.md"), f.path("USER.md")).unwrap();
    assert_eq!(f.save("SOUL.md", "a\nb\n"), written("a\nb\n"));
    assert_eq!(f.save("USER.md", "a\nb\nc\n"), written("a\nb\nc\n"));
    assert!(f.path("SOUL.md").is_symlink() && f.path("USER.md").is_symlink());
    assert_eq!(f.on_disk("shared/soul.md"), "a\nb\nc\n");
    let mode = std::fs::metadata(f.path("shared/soul.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}
