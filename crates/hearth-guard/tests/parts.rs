//! Paths, redaction, the chain: the parts by themselves.

use hearth_guard::chain::{Check, Entry, Head, Record, Verified};
use hearth_guard::path::{Part, PathTrouble, System, covers, is_within, normal, part_of};
use hearth_guard::redact::{Redactor, keys, shapes};

#[test]
fn one_spelling_for_one_file() {
    use System::{Linux, Mac, Windows};
    let ok = |base, path, system| normal(base, path, system).expect("judged");
    assert_eq!(ok("/w", "a/./b//../c/", Linux), "/w/a/c");
    assert_eq!(ok("/w", "/x/../y", Linux), "/y");
    assert_eq!(ok("C:\\w", "a\\b.txt.. ", Windows), "C:/w/a/b.txt");
    assert_eq!(ok("C:/w", "d:/x", Windows), "D:/x");
    assert!(is_within("/Users/Me/W", "/users/me/w/Cafe\u{301}", Mac));
    assert!(
        is_within("/w", "/w", Linux)
            && !is_within("/w", "/wx", Linux)
            && !is_within("/w", "/W/x", Linux)
    );
    let bad = |path, system| normal("C:/w", path, system).expect_err(path);
    for (path, trouble) in [
        ("nul", PathTrouble::Device),
        ("a/COM1.txt", PathTrouble::Device),
        ("a.md:stream", PathTrouble::Stream),
        ("PROGRA~1/x", PathTrouble::ShortName),
        ("\\\\server\\share", PathTrouble::Network),
        ("\\\\?\\C:\\x", PathTrouble::Raw),
        ("//./pipe/x", PathTrouble::Raw),
        ("C:x", PathTrouble::Relative),
        ("\\x", PathTrouble::Relative),
        ("a/.../b", PathTrouble::Above),
        ("../../x", PathTrouble::Above),
        ("", PathTrouble::Empty),
        ("a\u{200b}", PathTrouble::Invisible('\u{200b}')),
    ] {
        assert_eq!(bad(path, Windows), trouble, "{path}");
    }
}

#[test]
fn blocked_patterns_cover_what_they_say_and_below() {
    for (pattern, path, expected) in [
        ("/a/b", "/a/b/c", true),
        ("/a/b", "/a/bc", false),
        ("*.pem", "/x/y/KEY.PEM", true),
        ("private", "/x/Private/y", true),
        ("private", "/x/privates/y", false),
        ("/x/**/z", "/x/a/b/z/q", true),
        ("/x/*/z", "/x/a/b/z", false),
        ("a?c", "/abc", true),
        ("a*b*c", "/aXbYbc", true),
        ("C:\\secret", "C:/Secret/x", true),
        ("memory/old", "/w/memory/old/x.md", true),
    ] {
        assert_eq!(covers(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn files_of_the_workspace_by_what_they_are() {
    for (path, part) in [
        ("SOUL.md", Part::Instruction),
        ("soul.MD.", Part::Instruction),
        ("ｓｏｕｌ.md", Part::Instruction),
        ("./USER.md", Part::Instruction),
        ("skills/x/scripts/a.sh", Part::Instruction),
        (".agents/skills/x/SKILL.md", Part::Instruction),
        ("deep/er/SKILL.md", Part::Instruction),
        ("MEMORY.md", Part::Memory),
        ("Memory\\2026-01-01.md", Part::Memory),
        (".learnings/ERRORS.md", Part::Memory),
        ("SESSION-STATE.md", Part::Memory),
        (".git/config", Part::Machinery),
        ("sub/.git/hooks/x", Part::Machinery),
        (".vscode/tasks.json", Part::Machinery),
        ("notes/SOUL.md", Part::Ordinary),
        ("git/notes.md", Part::Ordinary),
        ("memories.md", Part::Ordinary),
    ] {
        assert_eq!(part_of(path), part, "{path}");
    }
}

#[test]
fn keys_are_masked_and_words_are_not() {
    for (text, expected) in [
        ("key=sk-abcdef123456 end", "key=sk-*** end"),
        ("Authorization: Bearer abc.def12345678", "Authorization: Bearer ***"),
        ("x AIzaSyA1234567890abcdefg y", "x AIza*** y"),
        ("tok Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1", "tok ***"),
        (
            "turn 019ac1f2e0b87d5f9d0c1b2a3f4e5d6c ends",
            "turn 019ac1f2e0b87d5f9d0c1b2a3f4e5d6c ends",
        ),
        ("task-oriented desk-bound 中文", "task-oriented desk-bound 中文"),
        ("password = hunter22x, rest", "password = ***, rest"),
        ("{\"api_key\": \"abcdefgh\"}", "{\"api_key\": \"***\"}"),
        ("postgres://me:s3cret@db/x", "postgres://me:***@db/x"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
            "-----BEGIN***\nx",
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "-----BEGIN***"),
        ("-----BEGIN PUBLIC KEY-----\nMIIE", "-----BEGIN PUBLIC KEY-----\nMIIE"),
        ("the secret: is out", "the secret: is out"),
        ("ghp_0123456789abcdef", "ghp_***"),
    ] {
        assert_eq!(shapes(text), expected);
        assert_eq!(shapes(expected), expected, "masking twice changes nothing");
    }
}

#[test]
fn known_secrets_are_masked_however_they_are_written() {
    use std::fmt::Write;
    let redactor = Redactor::default();
    let secret = "pa ss/w\"ö+rd=77";
    redactor.learn(secret);
    redactor.learn("abc");
    let mut hex = String::new();
    secret.bytes().for_each(|byte| write!(hex, "{byte:02x}").expect("writes"));
    let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    for text in [
        secret.to_owned(),
        hex.to_uppercase(),
        hex,
        percent,
        serde_json::to_string(secret).expect("JSON"),
    ] {
        let text = format!("before {text} after");
        assert!(redactor.finds(&text), "{text}");
        let masked = redactor.redact(&text);
        assert!(masked.contains("***") && !redactor.finds(&masked), "{masked}");
    }
    // base64 of the secret after 0, 1 or 2 other bytes, made by another hand than the one tested.
    for text in ["cGEgc3MvdyLDtityZD03Nw==", "eHBhIHNzL3ciw7YrcmQ9Nzc=", "eHhwYSBzcy93IsO2K3JkPTc3"]
    {
        assert!(redactor.finds(text), "{text}");
    }
    assert_eq!(redactor.redact("abc is a word"), "abc is a word");
}

#[test]
fn what_comes_in_pieces_is_masked_wherever_it_is_cut() {
    let redactor = Redactor::default();
    for secret in ["opaque-canary-777-zulu-42", "aXa-aXa", "zulu-42-and-more"] {
        redactor.learn(secret);
    }
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n-----END RSA PRIVATE KEY-----";
    for (text, expected) in [
        ("Your key is opaque-canary-777-zulu-42, no more.", "Your key is ***, no more."),
        ("aXa-aXa", "***"),
        ("opaque-canary-778", "opaque-canary-778"),
        ("密钥是opaque-canary-777-zulu-42。好", "密钥是***。好"),
        ("AKIAIOSFODNN7EXAMPLE and task-force ghost", "AKIA*** and task-force ghost"),
        ("use sk-proj-abcdefghij0123456789 now", "use sk-*** now"),
        ("a sk-loading-spinner-wrapper and xoxoxoxo", "a sk-loading-spinner-wrapper and xoxoxoxo"),
        ("a rule\n-----\nand ---- words", "a rule\n-----\nand ---- words"),
        (&format!("it is\n{key}\nthere"), "it is\n-----BEGIN***\nthere"),
    ] {
        assert_eq!(redactor.secrets(text), expected);
        let chars: Vec<char> = text.chars().collect();
        for size in 1..=chars.len() {
            let mut pieces = redactor.stream();
            let mut shown = String::new();
            for piece in chars.chunks(size) {
                shown.push_str(&pieces.feed(&piece.iter().collect::<String>()));
            }
            shown.push_str(&pieces.finish());
            assert_eq!(shown, expected, "in pieces of {size}");
        }
    }
    let mut pieces = redactor.stream();
    assert_eq!(pieces.feed("Words flow "), "Words flow ", "without a secret near nothing waits");
}

fn record(n: i64) -> Record {
    Record {
        at: 1_700_000_000 + n,
        kind: "tool_call".into(),
        session: "assistant:main".into(),
        turn: format!("t{n}"),
        body: format!("{{\"n\":{n}}}"),
    }
}

fn log(count: i64) -> (Vec<Entry>, Head) {
    let mut head = Head::default();
    let mut entries = Vec::new();
    for n in 1..=count {
        let entry = head.next(record(n));
        head = Head::from(&entry);
        entries.push(entry);
    }
    (entries, head)
}

fn verified(entries: &[Entry], head: &Head) -> Verified {
    let mut check = Check::default();
    entries.iter().for_each(|entry| check.entry(entry));
    check.end(Some(head))
}

#[test]
fn any_change_of_the_log_is_found_where_it_is() {
    let (entries, head) = log(9);
    assert_eq!(
        verified(&entries, &head),
        Verified { ok: true, entries: 9, broken_at: None, missing_to: None, current_ok: true }
    );
    assert!(Check::default().end(None).ok);
    type Change = fn(&mut Vec<Entry>);
    let changes: [(Change, i64, Option<i64>); 10] = [
        (|log| log[4].record.body.push(' '), 5, None),
        (|log| log[4].record.at += 1, 5, None),
        (|log| log[4].record.kind = "send".into(), 5, None),
        (|log| log[4].chain = 2, 5, None),
        (|log| drop(log.remove(4)), 5, Some(5)),
        (|log| log.swap(4, 5), 5, Some(5)),
        (|log| log.insert(4, log[3].clone()), 4, None),
        (|log| drop(log.pop()), 9, Some(9)),
        (|log| log.truncate(6), 7, Some(9)),
        (|log| log.clear(), 1, Some(9)),
    ];
    for (number, (change, at, missing)) in changes.into_iter().enumerate() {
        let mut log = entries.clone();
        change(&mut log);
        let found = verified(&log, &head);
        assert_eq!((found.ok, found.broken_at), (false, Some(at)), "change {number}");
        assert_eq!(found.missing_to, missing, "change {number}");
    }
    // Written anew from the fourth on, with right hashes: the stored head still tells.
    let mut forged = entries[..3].to_vec();
    let mut end = Head::from(&forged[2]);
    for n in 4..=9 {
        let entry = end.next(record(n + 100));
        end = Head::from(&entry);
        forged.push(entry);
    }
    assert!(!verified(&forged, &head).ok);
}

#[test]
fn a_new_chain_after_a_broken_one_is_whole_and_the_break_stays_visible() {
    let (mut entries, head) = log(5);
    entries[2].record.body = "{}".into();
    let anew = Head::begin_anew(head.seq, head.chain, 1_700_000_100, 3);
    let mut end = Head::from(&anew);
    entries.push(anew);
    for n in 7..=8 {
        let entry = end.next(record(n));
        end = Head::from(&entry);
        entries.push(entry);
    }
    let found = verified(&entries, &end);
    let broken =
        Verified { ok: false, entries: 8, broken_at: Some(3), missing_to: None, current_ok: true };
    assert_eq!(found, broken);
    // Cut before the new chain: what is not there is named, not where the new one begins.
    let mut cut = entries.clone();
    cut[2].record.body = log(5).0[2].record.body.clone();
    cut.drain(3..5);
    let found = verified(&cut, &end);
    assert_eq!((found.broken_at, found.missing_to, found.current_ok), (Some(4), Some(5), true));
    entries[7].record.body = "{}".into();
    assert!(!verified(&entries, &end).current_ok);
}

#[test]
fn talk_about_keys_and_names_of_files_are_no_keys() {
    for text in [
        "A file begins with `-----BEGIN PRIVATE KEY-----`. Then its lines come.\n\n## Next",
        "The file starts with -----BEGIN RSA PRIVATE KEY-----\n\n## Renewal\nEach year in May.",
        "sk-cestovny-poriadok-2026-zima.pdf",
        "https://x.org/sk-bratislava-2026-programme-of-events",
        "ASIA-Pacific-Market-Report-2026.pdf and SG.Singapore.travel.plan.2026.pdf",
        "hf_model_card_template_v2_final, gsk_annual_report_2026_final",
    ] {
        assert_eq!(keys(text), text);
    }
    let found = "a.pem:-----BEGIN PRIVATE KEY-----\na.pem:MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    assert_eq!(keys(found), "a.pem:-----BEGIN***", "as a search shows it");
    for key in [
        "sk-proj-4f9A8b7C6d5E4f3A2b1C0d9E",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE12",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
    ] {
        assert!(keys(&format!("it is {key}")).ends_with("***"), "{key}");
    }
}
