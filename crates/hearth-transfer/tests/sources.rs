//! Whole sources as people have them: folders, zip files and single files of each kind, sound and hostile.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use hearth_protocol::api::transfer::ImportSource::{self, Chatgpt, Claude};
use hearth_transfer::{Export, Found, Openclaw, TransferError, read_transcript};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn chatgpt(id: &str, said: &str) -> Value {
    json!({ "id": id, "title": format!("About {said}"), "create_time": 1_710_000_000.5, "current_node": "b",
        "mapping": {
            "a": {"parent": null, "message": {"author": {"role": "user"}, "create_time": 1_710_000_001,
                "content": {"content_type": "text", "parts": [said]}}},
            "b": {"parent": "a", "message": {"author": {"role": "assistant"}, "create_time": 1_710_000_009,
                "content": {"content_type": "text", "parts": [format!("{said}, indeed.")]}}}}})
}

fn claude(id: &str, said: &str) -> Value {
    json!({ "uuid": id, "name": said, "chat_messages": [
        {"sender": "human", "created_at": "2025-02-03T10:00:00Z", "content": [{"type": "text", "text": said}]},
        {"sender": "assistant", "content": [{"type": "text", "text": "Yes."}]}]})
}

/// A zip without compression: this crate reads others, but its tests need not write them.
fn zip(path: &Path, files: &[(&str, &[u8])]) {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::STORE);
    for (name, bytes) in files {
        out.start_file(*name, options).expect("begins");
        out.write_all(bytes).expect("writes");
    }
    fs::write(path, out.finish().expect("ends").into_inner()).expect("written");
}

fn read(source: ImportSource, path: &Path) -> Result<Vec<Found>, TransferError> {
    let mut found = Vec::new();
    Export::open(source, path)?.read(&mut |step| {
        found.push(step.found);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn ids(found: &[Found]) -> Vec<String> {
    let id = |one: &Found| match one {
        Found::Conversation(conversation) => conversation.id.clone(),
        Found::Broken { name, .. } => format!("broken {name}"),
        Found::Short { name } => format!("short {name}"),
    };
    found.iter().map(id).collect()
}

fn file(folder: &TempDir, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).expect("a folder");
    fs::write(&path, content).expect("written");
    path
}

#[test]
fn a_file_a_folder_and_a_zip_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (json!([chatgpt("1", "a"), chatgpt("2", "b")]), json!([chatgpt("3", "c")]));
    let (one, two) = (one.to_string(), two.to_string());
    let path = file(&folder, "one/conversations.json", one.as_bytes());
    assert_eq!(ids(&read(Chatgpt, &path).expect("a file")), ["1", "2"]);
    assert_eq!(ids(&read(Chatgpt, path.parent().unwrap()).expect("a folder")), ["1", "2"]);
    file(&folder, "two/export/conversations-001.json", two.as_bytes());
    file(&folder, "two/export/conversations-000.json", one.as_bytes());
    file(&folder, "two/export/user.json", b"{}");
    assert_eq!(ids(&read(Chatgpt, &folder.path().join("two")).expect("parts")), ["1", "2", "3"]);
    let packed = folder.path().join("export.zip");
    zip(
        &packed,
        &[
            ("x/conversations-001.json", two.as_bytes()),
            ("x/conversations-000.json", one.as_bytes()),
            ("__MACOSX/x/conversations-000.json", b"junk"),
            ("../conversations.json.md", b"outside"),
            ("x/chat.html", b"<html>"),
        ],
    );
    assert_eq!(ids(&read(Chatgpt, &packed).expect("a zip")), ["1", "2", "3"]);
    let alone = file(&folder, "alone.json", chatgpt("9", "z").to_string().as_bytes());
    assert_eq!(ids(&read(Chatgpt, &alone).expect("one alone")), ["9"]);
    let other = file(
        &folder,
        "claude.json",
        json!({"conversations": [claude("u", "hi")]}).to_string().as_bytes(),
    );
    assert_eq!(ids(&read(Claude, &other).expect("an older form")), ["u"]);
}

#[test]
fn one_bad_item_does_not_keep_the_others_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let list =
        json!([chatgpt("1", "a"), {"title": "Half", "mapping": 7}, null, 4, chatgpt("2", "b")])
            .to_string();
    let path = file(&folder, "conversations.json", list.as_bytes());
    let found = ids(&read(Chatgpt, &path).expect("read"));
    assert_eq!(
        found,
        ["1", "broken Half", "broken conversations.json #3", "broken conversations.json #4", "2"]
    );
    let cut = &list[..list.len() - 40];
    let path = file(&folder, "cut/conversations.json", cut.as_bytes());
    let found = ids(&read(Chatgpt, &path).expect("read"));
    assert_eq!(found.first().map(String::as_str), Some("1"));
    assert_eq!(found.last().map(String::as_str), Some("short conversations.json"));
    let wild = format!("{}, oops]", &list[..list.len() - 1]);
    let path = file(&folder, "wild/conversations.json", wild.as_bytes());
    let last = read(Chatgpt, &path).expect("read").pop().expect("something");
    assert!(matches!(&last, Found::Broken { why, .. } if why.contains("line 1")), "{last:?}");
}

#[test]
fn what_is_something_else_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &[u8]| file(&folder, name, content);
    let gpt = path("gpt.json", json!([chatgpt("1", "a")]).to_string().as_bytes());
    let other = path("claude.json", json!([claude("u", "hi")]).to_string().as_bytes());
    let bad_zip = path("bad.zip", b"PK\x03\x04 and no more");
    let empty_zip = folder.path().join("empty.zip");
    zip(&empty_zip, &[("notes.txt", b"hello")]);
    fs::create_dir(folder.path().join("nothing")).expect("a folder");
    for (source, path, words) in [
        (Claude, &gpt, "hearth import chatgpt"),
        (Chatgpt, &other, "hearth import claude"),
        (Chatgpt, &path("words.json", b"just words"), "no data export of ChatGPT"),
        (Chatgpt, &path("zero.json", b""), "ends before the first"),
        (Chatgpt, &path("start.json", b"[{\"mapp"), "ends before the first"),
        (Chatgpt, &bad_zip, "damaged archive"),
        (Chatgpt, &empty_zip, "no conversations.json"),
        (Claude, &folder.path().join("nothing"), "no conversations.json"),
        (Claude, &folder.path().join("gone"), "is not there"),
    ] {
        let refused = read(source, path).expect_err("refused").to_string();
        assert!(refused.contains(words), "{}: {refused}", path.display());
    }
}

#[test]
fn a_damaged_or_swelling_archive_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = json!([chatgpt("1", "needle"), chatgpt("2", "b")]).to_string();
    let packed = folder.path().join("export.zip");
    zip(&packed, &[("conversations.json", list.as_bytes())]);
    let mut bytes = fs::read(&packed).expect("reads");
    let at = bytes.windows(6).position(|window| window == b"needle").expect("is there");
    bytes[at] = b'N';
    fs::write(&packed, bytes).expect("written");
    let found = read(Chatgpt, &packed).expect("read");
    let last = found.last().expect("something");
    assert!(matches!(last, Found::Broken { why, .. } if why.contains("damaged")), "{last:?}");

    // 80 MB of blanks in 80 KB.
    let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let blanks = vec![b' '; 1 << 20];
    deflated.write_all(b"[").expect("packs");
    for _ in 0..80 {
        deflated.write_all(&blanks).expect("packs");
    }
    let bomb = deflated.finish().expect("packs");
    let packed = folder.path().join("bomb.zip");
    fs::write(&packed, deflated_zip("conversations.json", &bomb, 80 * (1 << 20) + 1))
        .expect("written");
    let refused = read(Chatgpt, &packed).expect_err("refused").to_string();
    assert!(refused.contains("far more"), "{refused}");
}

/// A zip of one deflated entry, by hand.
fn deflated_zip(name: &str, packed: &[u8], size: u32) -> Vec<u8> {
    let length = u32::try_from(packed.len()).expect("small");
    let mut head = Vec::new();
    head.extend(20_u16.to_le_bytes());
    head.extend([0, 0, 8, 0, 0, 0, 0, 0]);
    head.extend(0_u32.to_le_bytes());
    head.extend(length.to_le_bytes());
    head.extend(size.to_le_bytes());
    head.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
    head.extend([0, 0]);
    let mut out = b"PK\x03\x04".to_vec();
    out.extend(&head);
    out.extend(name.as_bytes());
    out.extend(packed);
    let start = u32::try_from(out.len()).expect("small");
    out.extend(b"PK\x01\x02\x14\x00");
    out.extend(&head);
    out.extend([0; 14]);
    let at = out.len() - 4;
    out[at..].copy_from_slice(&0_u32.to_le_bytes());
    out.extend(name.as_bytes());
    let length = u32::try_from(out.len()).expect("small") - start;
    out.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn an_export_of_any_size_is_read_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("conversations.json");
    let mut out = std::io::BufWriter::new(fs::File::create(&path).expect("made"));
    let filling = "word ".repeat(2_000);
    write!(out, "[").expect("writes");
    for number in 0..700 {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}{}", chatgpt(&number.to_string(), &filling)).expect("writes");
    }
    write!(out, "]").expect("writes");
    drop(out);
    let export = Export::open(Chatgpt, &path).expect("opens");
    let (mut count, mut done) = (0, 0);
    export
        .read(&mut |step| {
            count += 1;
            assert!(step.done >= done && step.done <= export.bytes());
            done = step.done;
            ControlFlow::Continue(())
        })
        .expect("reads");
    assert_eq!(count, 700);
    assert!(export.bytes() > 20_000_000 && done == export.bytes());
}

#[test]
fn the_folders_of_openclaw_are_found_wherever_one_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = b"{\"type\":\"session\",\"id\":\"s1\"}\n";
    file(&folder, "claw/openclaw.json", b"{}");
    file(&folder, "claw/workspace/SOUL.md", b"# Soul");
    file(&folder, "claw/workspace/memory/2026-02-01.md", b"- tea");
    file(&folder, "claw/workspace/skills/notes/SKILL.md", b"---\nname: notes\n---\n");
    file(&folder, "claw/workspace/skills/empty/README.md", b"");
    file(&folder, "claw/skills/mail/SKILL.md", b"---\nname: mail\n---\n");
    file(&folder, "claw/agents/main/sessions/s1.jsonl", session);
    file(&folder, "claw/agents/main/sessions/s2.jsonl.reset.2026-01-01", session);
    file(&folder, "claw/agents/main/sessions/s3.jsonl.deleted.2026-01-01", session);
    file(&folder, "claw/agents/work/sessions/s4.jsonl", session);
    let index = json!({"agent:work:cron:news": {"sessionId": "s4"}, "odd": 7}).to_string();
    file(&folder, "claw/agents/work/sessions/sessions.json", index.as_bytes());
    let scratch = folder.path().join("scratch");
    let root = folder.path().join("claw");
    let found = Openclaw::open(&root, &scratch).expect("found");
    assert_eq!(found.workspace, Some(root.join("workspace")));
    assert_eq!(
        found.skills,
        [(root.join("workspace/skills/notes"), true), (root.join("skills/mail"), false)]
    );
    let rows: Vec<_> = found
        .transcripts
        .iter()
        .map(|t| (t.name.as_str(), t.agent.as_str(), t.by_itself))
        .collect();
    assert_eq!(rows, [("s1", "main", false), ("s2", "main", false), ("s4", "work", true)]);

    let workspace = Openclaw::open(&root.join("workspace"), &scratch).expect("a workspace");
    assert!(workspace.transcripts.is_empty() && workspace.skills.len() == 1);
    let sessions = Openclaw::open(&root.join("agents/work/sessions"), &scratch).expect("sessions");
    assert_eq!(sessions.transcripts[0].agent, "work");
    let one = Openclaw::open(&root.join("agents/main/sessions/s1.jsonl"), &scratch).expect("one");
    assert_eq!(one.transcripts.len(), 1);
    let other = folder.path().join("claw/agents/main");
    assert_eq!(Openclaw::open(&other, &scratch).expect("an agent").transcripts[0].agent, "main");
    for nothing in ["claw/workspace/skills/empty/README.md", "claw/workspace/skills/empty"] {
        let refused = Openclaw::open(&folder.path().join(nothing), &scratch).expect_err("nothing");
        assert!(matches!(refused, TransferError::NotOpenclaw { .. }), "{refused}");
    }
    assert!(!scratch.exists());
}

#[test]
fn a_zip_of_openclaw_stays_in_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = folder.path().join("claw.zip");
    zip(
        &packed,
        &[
            (".openclaw/workspace/SOUL.md", b"# Soul"),
            (".openclaw/workspace/../../../evil.md", b"out"),
            ("/etc/evil.md", b"out"),
            (".openclaw/workspace/photo.png", b"not of use"),
            (".openclaw/agents/main/sessions/s1.jsonl", b"{\"type\":\"session\"}\n"),
        ],
    );
    let scratch = folder.path().join("deep/er/scratch");
    let found = Openclaw::open(&packed, &scratch).expect("found");
    assert_eq!(found.refused.len(), 2, "{:?}", found.refused);
    assert_eq!(found.transcripts.len(), 1);
    let workspace = found.workspace.clone().expect("a workspace");
    assert!(workspace.starts_with(&scratch) && !workspace.join("photo.png").exists());
    assert!(
        !folder.path().join("evil.md").exists() && !folder.path().join("deep/evil.md").exists()
    );
    drop(found);
    assert!(!scratch.exists(), "what was unpacked goes");
}

proptest! {
    #[test]
    fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..300), json in "[\\[\\]{}:,\"a-e0-9 \n]{0,200}") {
        let folder = tempfile::tempdir().expect("a folder");
        for content in [&bytes[..], json.as_bytes()] {
            let path = file(&folder, "conversations.json", content);
            for source in [Chatgpt, Claude] {
                let _ = read(source, &path);
            }
            let _ = read_transcript(content, "x");
        }
    }

    #[test]
    fn any_cut_or_changed_export_ends(cut in 0_usize..2_000, at in 0_usize..2_000, byte: u8) {
        let folder = tempfile::tempdir().expect("a folder");
        let list = json!([chatgpt("1", "a"), chatgpt("2", "b"), chatgpt("3", "c")]).to_string();
        let mut bytes = list.into_bytes();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut.min(length));
        let path = file(&folder, "conversations.json", &bytes);
        let _ = read(Chatgpt, &path);
        let packed = folder.path().join("e.zip");
        zip(&packed, &[("conversations.json", b"[]"), ("SOUL.md", b"x")]);
        let mut bytes = fs::read(&packed).expect("reads");
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut.max(8).min(length));
        fs::write(&packed, &bytes).expect("written");
        let _ = read(Chatgpt, &packed);
        let _ = Openclaw::open(&packed, &folder.path().join("scratch"));
    }
}
