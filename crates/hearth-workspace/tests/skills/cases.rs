//! Each case of `tests/fixtures/skills`: a folder of skills and what a reader makes of it.

use hearth_protocol::api::skills::SkillSource;
use hearth_workspace::skills::{SkillRoot, Skills};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/skills/cases")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("created");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The links that a checkout may not keep.
#[cfg(unix)]
fn links(root: &Path) {
    use std::os::unix::fs::symlink;
    let references = root.join("109-reference-symlink/note-sum/references");
    symlink("real.md", references.join("in.md")).expect("linked");
    symlink("../../outside.txt", references.join("link.md")).expect("linked");
    let sub = root.join("110-folder-symlink-cycle/note-sum/sub");
    fs::create_dir_all(&sub).expect("created");
    symlink("..", sub.join("back")).expect("linked");
}

#[test]
fn each_case_is_read_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&fixtures(), folder.path());
    #[cfg(unix)]
    links(folder.path());
    let mut names: Vec<_> = fs::read_dir(folder.path()).expect("cases").flatten().collect();
    names.sort_by_key(fs::DirEntry::file_name);
    assert!(names.len() >= 121, "{} cases", names.len());
    let mut wrong = Vec::new();
    for case in names {
        let text = fs::read(case.path().join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_slice(&text).expect("JSON");
        if cfg!(not(unix)) && expected["needs_links"] == true {
            continue;
        }
        let name = case.file_name().to_string_lossy().into_owned();
        wrong.extend(differences(&name, &case.path(), &expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(case: &str, folder: &Path, expected: &Value) -> Vec<String> {
    let root = SkillRoot { source: SkillSource::Extra, folder: folder.to_owned() };
    let found = Skills::default().scan(&[root]);
    let rows: Map<String, Value> = found
        .iter()
        .map(|found| {
            let row = found.skill.check(found.path.clone());
            (found.path.clone(), serde_json::to_value(row).expect("serialises"))
        })
        .collect();
    let wanted = expected["skills"].as_object().expect("skills");
    let mut wrong = Vec::new();
    let (listed, named): (BTreeSet<_>, BTreeSet<_>) =
        (rows.keys().collect(), wanted.keys().collect());
    if listed != named {
        wrong.push(format!("{case}: listed {listed:?}, expected {named:?}"));
        return wrong;
    }
    for (path, wanted) in wanted {
        let row = &rows[path];
        for (key, value) in wanted.as_object().expect("an object") {
            let is_right = if key == "warnings" {
                let given: Vec<_> = row[key].as_array().expect("codes").iter().collect();
                value.as_array().expect("codes").iter().all(|code| given.contains(&code))
            } else {
                row[key] == *value
            };
            if !is_right {
                wrong.push(format!("{case}/{path}: {key} is {}, expected {value}", row[key]));
            }
        }
    }
    wrong
}

#[test]
fn ordinary_skills_have_no_warnings() {
    // A reader that warns of everything would pass the cases above.
    for case in
        ["01-plain", "02-double-quoted", "05-block-folded", "27-crlf", "40-dashes-inside-value"]
    {
        let root = SkillRoot { source: SkillSource::Extra, folder: fixtures().join(case) };
        for found in Skills::default().scan(&[root]) {
            assert!(found.skill.warnings.is_empty(), "{case}: {:?}", found.skill.warnings);
        }
    }
}
