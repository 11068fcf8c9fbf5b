//! What keeps a skill away, in words.

use hearth_workspace::skills::{Machine, gate, gate_of_message, read_skill};
use std::collections::BTreeSet;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn machine() -> Machine {
    Machine {
        os: "linux".to_owned(),
        programs: set(&["git", "jq"]).into(),
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

#[test]
fn a_skill_may_be_for_some_channels_and_senders_alone() {
    let of = |front: &str| {
        let text = format!("---\nname: note\ndescription: Sums up a note.\n{front}\n---\nBody.\n");
        read_skill(text.as_bytes(), "note").expect("read").0
    };
    let both = of("channels: [Telegram, desktop]\nsenders: [owner, \"@ann\"]");
    assert_eq!(gate_of_message(&both, "desktop", ""), None);
    assert_eq!(gate_of_message(&both, "telegram", "@Ann"), None);
    let other = gate_of_message(&both, "cli", "").expect("left out");
    assert_eq!(other, "it is for messages by Telegram, desktop, and this one came by cli");
    let other = gate_of_message(&both, "telegram", "@bob").expect("left out");
    assert_eq!(other, "it is for messages of owner, @ann, and this one is of @bob");
    let inner = of("metadata: {\"openclaw\": {\"requires\": {\"channels\": [\"cron\"]}}}");
    assert!(gate_of_message(&inner, "desktop", "").is_some());
    assert_eq!(gate_of_message(&of("sender: owner"), "quick", ""), None);
    assert_eq!(gate_of_message(&of("license: MIT"), "quick", "@bob"), None);
    assert_eq!(gate(&both, &machine()), None, "the machine has nothing to do with it");
}

#[test]
fn what_json_writes_out_is_cleaned_and_said() {
    let front = "metadata: {\"openclaw\": {\"requires\": {\"bins\": [\"g\\u001b[2Jit\"], \"env\": [\"A\\nB\"]}}}";
    for (front, expected) in [
        (front.to_owned(), ["g[2Jit", "A B"]),
        ("allowed-tools: [\"ex\\u0007ec\", \"a\\u202eb\"]".to_owned(), ["exec", "ab"]),
    ] {
        let text = format!("---\nname: note\ndescription: Sums up a note.\n{front}\n---\nBody.\n");
        let (skill, _) = read_skill(text.as_bytes(), "note").expect("read");
        let needs = &skill.requires;
        let all: Vec<&str> = needs
            .bins
            .iter()
            .chain(&needs.env)
            .chain(skill.allowed_tools.iter().flatten())
            .map(String::as_str)
            .collect();
        assert_eq!(all, expected);
        let said = skill.warnings.iter().any(|warning| warning.code() == "control-chars");
        assert!(said, "{:?}", skill.warnings);
    }
}
