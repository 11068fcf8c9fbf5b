//! What keeps a skill away, in words.

use hearth_workspace::skills::{Machine, gate, read_skill};
use std::collections::BTreeSet;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn machine() -> Machine {
    Machine {
        os: "linux".to_owned(),
        programs: set(&["git", "jq"]),
        variables: set(&["NOTE_TOKEN"]),
        config: set(&["notes.enabled"]),
        disabled: set(&["off"]),
        allowed: None,
    }
}

fn check(front: &str, expected: Option<&str>) {
    let text = format!("---\ndescription: Sums up a note in three lines.\n{front}\n---\nBody.\n");
    let (skill, _) = read_skill(text.as_bytes(), "note").expect("read");
    assert_eq!(gate(&skill, &machine()).as_deref(), expected, "{front}");
}

#[test]
fn a_skill_that_is_left_out_says_why() {
    let openclaw = |inner: &str| format!("metadata: {{\"openclaw\": {{{inner}}}}}");
    let requires = |inner: &str| openclaw(&format!("\"requires\": {{{inner}}}"));
    check("name: note", None);
    check("name: Off", Some("you turned it off"));
    check("name: note\nos: [darwin, win32]", Some("it is for darwin, win32"));
    check("name: note\nos: [darwin, linux]", None);
    check(&requires("\"bins\": [\"git\", \"jq\"]"), None);
    check(
        &requires("\"bins\": [\"git\", \"ffmpeg\"]"),
        Some("the program ffmpeg is not installed"),
    );
    check(&requires("\"anyBins\": [\"fd\", \"jq\"]"), None);
    check(
        &requires("\"anyBins\": [\"fd\", \"rg\"]"),
        Some("none of these programs is installed: fd, rg"),
    );
    check(&requires("\"env\": [\"NOTE_TOKEN\"]"), None);
    check(
        &requires("\"env\": [\"OTHER\"]"),
        Some("OTHER is not set; store it as the secret skills/OTHER"),
    );
    check(&requires("\"config\": [\"mail.on\"]"), Some("mail.on is not set in hearth.toml"));
    check(&openclaw("\"always\": true, \"requires\": {\"bins\": [\"ffmpeg\"]}"), None);
    check(&openclaw("\"always\": true, \"os\": [\"darwin\"]"), Some("it is for darwin"));
}

#[test]
fn only_those_on_the_list_are_allowed_where_there_is_one() {
    let (skill, _) =
        read_skill(b"---\nname: Note\ndescription: d\n---\nBody.\n", "note").expect("read");
    let only = |names: &[&str]| Machine { allowed: Some(set(names)), ..machine() };
    assert_eq!(gate(&skill, &only(&["note"])), None);
    assert!(gate(&skill, &only(&["tea"])).is_some());
}
