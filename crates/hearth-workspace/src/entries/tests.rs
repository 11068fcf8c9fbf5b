//! Entries as text: what is read, what a change touches, and that everything else stays as it was.

use super::*;
use proptest::prelude::*;

const MEMORY: &str = "MEMORY.md";
const LOG: &str = "memory/2026-11-29.md";

fn draft(text: &str) -> Draft {
    Draft {
        text: text.to_owned(),
        kind: "fact".to_owned(),
        time: "2026-11-29T21:00:00+01:00".to_owned(),
        source: "session assistant:main, turn t1".to_owned(),
        confidence: Some(0.9),
        ..Draft::default()
    }
}

#[test]
fn an_entry_is_written_with_all_that_is_known_of_it() {
    let (text, id) = append_entry(MEMORY, "# Memory\n", &draft("The cat is called Ada.")).unwrap();
    assert_eq!(
        text,
        format!(
            "# Memory\n\n## The cat is called Ada\n<!-- id: {id}; kind: fact; time: 2026-11-29T21:00:00+01:00; source: session assistant:main, turn t1; confidence: 0.90; status: active -->\nThe cat is called Ada.\n"
        )
    );
    let entry = &entries(&text)[0];
    assert_eq!(entry.time, Some(1_795_982_400));
    assert_eq!(entry.source.as_deref(), Some("session assistant:main, turn t1"));
    assert_eq!((entry.line, entry.last_line), (3, 5));
    assert_eq!(entry.body(&text), "The cat is called Ada.");
    assert_eq!(crate::problems(MEMORY, &text), []);
}

#[test]
fn the_same_text_twice_gets_two_ids() {
    let (text, first) = append_entry(MEMORY, "", &draft("x")).unwrap();
    let (text, second) = append_entry(MEMORY, &text, &draft("x")).unwrap();
    assert_ne!(first, second);
    assert_eq!(entries(&text).len(), 2);
}

#[test]
fn a_log_gets_timed_bullets_and_keeps_its_own() {
    let (text, id) = append_entry(LOG, "", &draft("Planted a tree.\nAn apple tree.")).unwrap();
    assert!(
        text.starts_with("# 2026-11-29\n\n- 21:00 Planted a tree.\n  An apple tree. <!-- id: ")
    );
    let by_hand = format!("{text}- 22:00 no entry\n\n## Evening\n- x <!-- a remark -->\n");
    let (text, other) = append_entry(LOG, &by_hand, &draft("Second.")).unwrap();
    assert!(text.starts_with(&by_hand));
    let found = entries_of(LOG, &text);
    assert_eq!(found.iter().map(|e| e.id.clone().unwrap()).collect::<Vec<_>>(), [id, other]);
    assert_eq!(found[0].body(&text), "Planted a tree.\nAn apple tree.");
    assert_eq!((found[0].line, found[0].last_line), (3, 4));
    let edited =
        edit_entry(LOG, &text, found[0].id.as_deref().unwrap(), None, Some("A pear.")).unwrap();
    assert!(edited.starts_with("# 2026-11-29\n\n- 21:00 A pear. <!-- id: "), "{edited}");
    assert!(
        edited.ends_with(&by_hand[by_hand.find("- 22:00").unwrap()..][..20])
            || edited.contains("- 22:00 no entry\n\n## Evening\n")
    );
}

#[test]
fn superseding_keeps_the_old_one_as_history() {
    let old =
        "## Home\r\n<!-- id: m1; status: active; mood: fine -->\r\nBerlin\r\n\r\n## Other\r\nx\r\n";
    let (text, id) = supersede_entry(MEMORY, old, "m1", &draft("Lisbon")).unwrap();
    let found = entries(&text);
    assert_eq!(found[0].status, Status::Superseded(id.clone()));
    assert!(text.starts_with(&format!(
        "## Home\r\n<!-- id: m1; status: superseded by {id}; mood: fine -->\r\nBerlin\r\n\r\n## Other\r\nx\r\n\r\n## Lisbon\r\n"
    )), "{text}");
    assert!(!text.replace("\r\n", "").contains('\n'), "line ends are those of the file");
    let again = supersede_entry(MEMORY, &text, "m1", &draft("Porto"));
    assert_eq!(again, Err(EntryFault::Superseded { id: "m1".to_owned(), by: id }));
}

#[test]
fn free_markdown_is_an_entry_and_gets_its_comment_when_it_changes() {
    let text = "# Memory\n\n## Tea\nGreen.\n\n## Empty";
    let found = entries(text);
    let handle = found[0].handle(text);
    let marked =
        mark_entry(MEMORY, text, &handle, &[("status", "expired"), ("seen", "2")]).unwrap();
    assert_eq!(
        marked,
        format!(
            "# Memory\n\n## Tea\n<!-- id: {handle}; status: expired; seen: 2 -->\nGreen.\n\n## Empty"
        )
    );
    assert!(entries(&marked)[0].superseded);
    let last = mark_entry(MEMORY, text, &found[1].handle(text), &[("confidence", "1")]).unwrap();
    assert!(last.starts_with(text) && entries(&last)[1].confidence == Some(1.0));
}

#[test]
fn broken_comments_hide_no_entry() {
    let text = "## A\n<!-- id: a; status: superseded by b\nold\n\n## B\n<!-- id: b -->\nnew\n\n## C\n<!-- id: c; kind: fact ->\nx";
    let found = entries(text);
    let ids: Vec<_> = found.iter().map(|e| (e.id.as_deref(), e.superseded)).collect();
    assert_eq!(ids, [(Some("a"), true), (Some("b"), false), (Some("c"), false)]);
    assert_eq!(found[0].body(text), "old");
    let mended = mark_entry(MEMORY, text, "a", &[("status", "expired")]).unwrap();
    assert!(mended.starts_with("## A\n<!-- id: a; status: expired -->\nold\n\n## B\n"), "{mended}");
    let (more, id) = append_entry(MEMORY, text, &draft("y")).unwrap();
    assert_eq!(entries(&more).last().and_then(|e| e.id.clone()), Some(id));
}

#[test]
fn an_open_comment_or_code_block_swallows_no_new_entry() {
    for text in ["## A\nx\n<!-- todo\nmore", "## A\n```\ncode", "~~~\n"] {
        let (more, id) = append_entry(MEMORY, text, &draft("y")).unwrap();
        assert!(more.starts_with(text));
        assert_eq!(entries(&more).last().and_then(|e| e.id.clone()), Some(id), "{more}");
    }
}

#[test]
fn of_duplicate_ids_none_is_touched_unless_they_are_copies() {
    let text = "## A\n<!-- id: m1 -->\nx\n## B\n<!-- id: m1 -->\ny\n";
    let ambiguous = EntryFault::Ambiguous { id: "m1".to_owned(), lines: vec![1, 4] };
    assert_eq!(remove_entry(MEMORY, text, "m1"), Err(ambiguous.clone()));
    assert_eq!(supersede_entry(MEMORY, text, "m1", &draft("z")), Err(ambiguous));
    let copies = "## A\nx\n## B\n<!-- id: b -->\n## A\nx\n";
    let handle = entries(copies)[0].handle(copies);
    assert_eq!(remove_entry(MEMORY, copies, &handle).unwrap(), "## B\n<!-- id: b -->\n");
    assert_eq!(remove_entry(MEMORY, copies, "zz"), Err(EntryFault::Unknown("zz".to_owned())));
}

#[test]
fn entries_of_the_past_are_overdue() {
    let text = "## A\n<!-- id: a; expiry: 1970-01-02 -->\n## B\n<!-- id: b; expiry: 1970-01-03 -->\n## C\n<!-- id: c -->\n";
    let due: Vec<_> = overdue(MEMORY, text, 86_400).into_iter().filter_map(|e| e.id).collect();
    assert_eq!(due, ["a"]);
}

#[test]
fn an_entry_of_nothing_is_refused() {
    for nothing in ["", " \n\t\r\n", "\0\u{feff}"] {
        assert_eq!(
            append_entry(MEMORY, "", &draft(nothing)),
            Err(EntryFault::Empty),
            "{nothing:?}"
        );
    }
    assert!(edit_entry(MEMORY, "## A\nx\n", "", None, Some("")).is_err());
}

/// Pieces of files as people and programs leave them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}".prop_map(|word| format!("## {word}\n")),
        "[a-z]{1,8}".prop_map(|word| format!("## {word}\r\n")),
        "m[0-9]".prop_map(|id| format!("<!-- id: {id}; kind: fact; status: active -->\n")),
        "m[0-9]".prop_map(|id| format!("<!--\nid={id}\nconfidence: high\n-->\n")),
        "m[0-9]".prop_map(|id| format!("<!-- id: {id}; kind: fact\n")),
        "m[0-9]".prop_map(|id| format!("- 09:30 bullet\n  more <!-- id: {id}; kind: event -->\n")),
        Just("<!-- a remark\n".to_owned()),
        Just("-->\n".to_owned()),
        Just("```\n".to_owned()),
        Just("  ~~~\n".to_owned()),
        Just("# Part\n\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("- \u{1f9d1}\u{200d}\u{1f680} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e}abc\n".to_owned()),
        Just("字".repeat(10_000)),
        "[ -~\n]{0,40}",
        "(?s).{0,20}".prop_map(|text| text.replace('\0', "")),
    ]
}

fn file() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn adding_keeps_every_byte_and_every_entry(text in file(), said in "(?s).{1,60}", log in any::<bool>()) {
        let path = if log { LOG } else { MEMORY };
        prop_assume!(!super::draft::body(&said).is_empty());
        let (more, id) = append_entry(path, &text, &draft(&said)).unwrap();
        prop_assert!(more.starts_with(&text));
        let (before, after) = (entries_of(path, &text), entries_of(path, &more));
        prop_assert_eq!(after.len(), before.len() + 1, "{:?}", more);
        for (old, new) in before.iter().zip(&after) {
            prop_assert_eq!(&old.title, &new.title);
            prop_assert_eq!(&old.status, &new.status);
            prop_assert_eq!(old.id.as_ref(), new.id.as_ref());
        }
        let new = after.last().unwrap();
        prop_assert_eq!(new.id.as_ref(), Some(&id));
        prop_assert_eq!(new.kind.as_deref(), Some("fact"));
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(squeezed(&new.body(&more)), squeezed(&super::draft::body(&said)));
        // And the next one is not swallowed either.
        let (most, next) = append_entry(path, &more, &draft("next")).unwrap();
        prop_assert_eq!(entries_of(path, &most).last().and_then(|e| e.id.clone()), Some(next));
    }

    #[test]
    fn a_change_of_one_entry_leaves_every_other_byte(text in file(), pick in any::<prop::sample::Index>(), log in any::<bool>(), said in "[a-z\n#`]{1,30}") {
        let path = if log { LOG } else { MEMORY };
        let all = entries_of(path, &text);
        prop_assume!(!all.is_empty());
        let entry = &all[pick.index(all.len())];
        let handle = entry.handle(&text);
        let (head, tail) = (&text[..entry.range.start], &text[entry.range.end..]);
        let around = |new: &str| new.starts_with(head) && new.ends_with(tail);
        let Ok(marked) = mark_entry(path, &text, &handle, &[("status", "expired")]) else {
            // Another entry has the id.
            return Ok(());
        };
        prop_assert!(all.iter().filter(|e| e.handle(&text) == handle).count() > 1 || around(&marked));
        prop_assume!(all.iter().filter(|e| e.handle(&text) == handle).count() == 1);
        prop_assert!(marked.contains("expired"));
        if let Ok(edited) = edit_entry(path, &text, &handle, None, Some(&said)) {
            prop_assert!(around(&edited));
            prop_assert_eq!(entries_of(path, &edited).len(), all.len(), "{:?}", edited);
        }
        let removed = remove_entry(path, &text, &handle).unwrap();
        prop_assert_eq!(removed, format!("{head}{tail}"));
    }

    #[test]
    fn reading_never_fails_and_ranges_are_in_order(text in "(?s).{0,300}") {
        for path in [MEMORY, LOG] {
            let mut at = 0;
            for entry in entries_of(path, &text) {
                prop_assert!(entry.range.start >= at && entry.range.end <= text.len());
                prop_assert!(entry.line <= entry.last_line);
                at = entry.range.end;
                let _ = (entry.body(&text), entry.handle(&text));
            }
        }
    }
}

#[test]
fn bare_bullets_get_a_name_and_keep_their_bytes() {
    let log = "# 2026-01-02\n\n- one\n- two\n  more\n- three <!-- session: s1 -->\n- four <!-- id: m4 -->\n";
    let named = name_bullets("memory/2026-01-02.md", log, |item| item == "- one");
    let ids: Vec<_> =
        entries_of("memory/2026-01-02.md", &named).into_iter().map(|e| e.id).collect();
    assert_eq!(ids.len(), 3, "{named}");
    assert!(named.contains("- one\n- two\n  more\n  <!-- id: at-"), "{named}");
    assert!(named.contains("; session: s1 -->\n- four <!-- id: m4 -->\n"), "{named}");
    assert_eq!(name_bullets(MEMORY, log, |_| false), log);
}

#[test]
fn lines_outside_of_entries_are_loose() {
    let memory = "# Memory\n\nwords\n\n## A\ninside\n\n# Other\nmore\n";
    assert_eq!(loose_lines(MEMORY, memory).collect::<Vec<_>>(), ["words", "# Other", "more"]);
    let log = "# 2026-01-02\n- a <!-- id: a -->\n- b\n\ntext\n";
    let path = "memory/2026-01-02.md";
    assert_eq!(loose_lines(path, log).collect::<Vec<_>>(), ["- b", "text"]);
}
