//! A home with a workspace, and calls that are judged there.

#![allow(dead_code, reason = "each test program takes what it needs")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use hearth_guard::{
    Class, Judgement, Places, Policy, Request, Rules, Shell, Source, Taint, Verdict,
};
use serde_json::Value;

pub(crate) struct House {
    _folder: tempfile::TempDir,
    pub(crate) places: Places,
}

pub(crate) fn house() -> House {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for below in [
        "home/workspace/memory",
        "home/workspace/.git",
        "person/.ssh",
        "person/docs",
        "person/other",
        "home/workspace/bare/objects",
        "home/workspace/bare/refs",
    ] {
        std::fs::create_dir_all(root.join(below)).expect("makes");
    }
    std::fs::write(root.join("home/workspace/notes.md"), "x").expect("writes");
    std::fs::write(root.join("home/workspace/bare/HEAD"), "ref: refs/heads/main").expect("writes");
    std::fs::write(root.join("home/workspace/bare/config"), "").expect("writes");
    std::fs::write(root.join("person/.ssh/id_rsa"), "x").expect("writes");
    std::fs::write(root.join("person/other/a"), "x").expect("writes");
    #[cfg(unix)]
    std::fs::hard_link(root.join("person/other/a"), root.join("home/workspace/hard.md"))
        .expect("links");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        root.join("person/.ssh/id_rsa"),
        root.join("home/workspace/link.md"),
    )
    .expect("links");
    let places = Places {
        workspace: root.join("home/workspace"),
        home: root.join("home"),
        person: Some(root.join("person")),
    };
    House { _folder: folder, places }
}

pub(crate) fn taint(sources: &[Source]) -> Taint {
    let mut taint = Taint::new(true);
    sources.iter().for_each(|source| taint.read(*source, ""));
    taint
}

pub(crate) fn judged(policy: &Policy, taint: &Taint, tool: &str, arguments: Value) -> Judgement {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    policy.judge(&Request {
        tool,
        class: Class::of_tool(tool),
        arguments: &arguments,
        by_person: true,
        taint,
        narrowed_to: None,
        holds_secret: false,
        shell: Shell::Sh,
        confined: true,
    })
}

pub(crate) fn check(rules: &Rules, sources: &[Source], cases: &[(&str, Value, Verdict, &str)]) {
    let house = house();
    let policy = Policy::new(rules, house.places.clone());
    for (tool, arguments, verdict, rule) in cases {
        let text = arguments.to_string();
        let person = house.places.person.as_ref().expect("given").display().to_string();
        let arguments = serde_json::from_str(&text.replace("PERSON", &person)).expect("JSON");
        let got = judged(&policy, &taint(sources), tool, arguments);
        assert_eq!(
            (got.verdict, got.rule.as_str()),
            (*verdict, *rule),
            "{tool} {text}: {}",
            got.why
        );
    }
}
