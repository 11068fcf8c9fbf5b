//! Skills in turns: activated by a message, loaded by the model, run under the guard, checked, released.

use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::skills::{SkillActivity, SkillChange, SkillSource};
use hearth_protocol::{Event, EventBody, SessionKey, SkillState};
use hearth_tests::{FORMATS, TestHome, ask, message};
use serde_json::{Value, json};

async fn home() -> TestHome {
    TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home")
}

fn write(home: &TestHome, path: &str, text: &str) {
    let file = home.path(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("created");
    std::fs::write(file, text).expect("written");
}

fn skill(name: &str, front: &str, body: &str) -> String {
    format!("---\nname: {name}\n{front}\n---\n\n{body}\n")
}

const COUNT: &str =
    "description: Counts the words of a note.\ntrigger: count the words | 数一数字数";
const COUNT_BODY: &str = "# Count\n\nThe sentinel of this body is PLUGH. Run `scripts/count.sh`, \
    see [style](references/style.md).\n\n## Self-check\n\n- [ ] counted by scripts/count.sh\n- [ ] the number stands in the reply\n";

fn with_counter(home: &TestHome) {
    write(home, "workspace/skills/count/SKILL.md", &skill("count", COUNT, COUNT_BODY));
    write(home, "workspace/skills/count/references/style.md", "Say XYZZY first.\n");
    write(home, "workspace/skills/count/scripts/count.sh", "echo 3 words\n");
}

fn states(events: &[Event]) -> Vec<(SkillState, String)> {
    let skill = |event: &Event| match &event.body {
        EventBody::Skill { name, state, .. } => Some((*state, name.clone())),
        _ => None,
    };
    events.iter().filter_map(skill).collect()
}

fn named(events: &[Event], wanted: SkillState) -> Vec<String> {
    let all = states(events).into_iter().filter(|(state, _)| *state == wanted);
    all.map(|(_, name)| name).collect()
}

fn request(home: &TestHome, at: usize) -> String {
    home.server.requests()[at].body.to_string()
}

async fn activity(engine: &Engine, events: &[Event]) -> SkillActivity {
    let turn = events[0].turn.clone();
    let found = api::skills::activity(engine, SessionKey::main(), turn).await.expect("reads");
    found.expect("skills played a part")
}

#[tokio::test]
async fn a_task_activates_runs_checks_and_releases() {
    let home = home().await;
    with_counter(&home);
    let engine = home.open().await.expect("opens");
    let load = json!({"name": "count", "reference": "references/style.md"});
    home.server.push(Reply::new().call("skill_load", &load));
    home.server
        .push(Reply::new().call("exec", &json!({"command": "sh skills/count/scripts/count.sh"})));
    home.server.push(Reply::new().text(
        "3 words.\n- [x] counted by scripts/count.sh — scripts/count.sh said 3 words\n\
         - [x] the number stands in the reply — \"3 words\" above",
    ));
    let mut asked = message("please count the words of my note");
    asked.yes_to = vec!["exec".to_owned()];
    let events = ask(&engine, asked).await.expect("asks");

    let first = request(&home, 0);
    assert!(first.contains("PLUGH"), "the body is in the first prompt: {first}");
    assert!(!first.contains("XYZZY"), "references are not");
    assert!(first.contains("skill_load"));
    assert!(request(&home, 1).contains("XYZZY"), "after it was asked for it is");
    let counted = |state| named(&events, state).len();
    assert_eq!(named(&events, SkillState::Activated), ["count"]);
    assert_eq!((counted(SkillState::Reference), counted(SkillState::SelfCheck)), (1, 2));
    assert_eq!(named(&events, SkillState::Released), ["count"]);
    assert!(matches!(events.last().expect("events").body, EventBody::Done { .. }));

    let record = activity(&engine, &events).await;
    assert_eq!(record.decision.text, "please count the words of my note");
    assert_eq!(record.decision.activated, ["count"]);
    assert_eq!(record.decision.ranked[0].why, "its trigger \"count the words\"");
    let one = &record.active[0];
    assert!(one.self_check.iter().all(|own| own.ticked), "{:?}", one.self_check);
    assert_eq!(one.references[0].path, "references/style.md");
    assert_eq!(one.released_why, "its self-check is complete");
    assert_eq!((record.added, record.freed), (one.tokens, one.tokens));
    assert!(record.index_tokens > 0 && record.index_tokens <= 200);

    // Back to the index line.
    home.server.push(Reply::new().text("Hello!"));
    ask(&engine, message("good evening")).await.expect("asks");
    let later = request(&home, 3);
    assert!(!later.contains("PLUGH") && !later.contains("XYZZY"), "{later}");
    assert!(later.contains("Counts the words of a note"));
    engine.close().await;
}

#[tokio::test]
async fn open_boxes_are_told_and_evidence_is_checked() {
    let home = home().await;
    with_counter(&home);
    let engine = home.open().await.expect("opens");
    home.server.push(
        Reply::new().text("About 3.\n- [x] counted by scripts/count.sh — scripts/count.sh said 3"),
    );
    let events = ask(&engine, message("/skill count my note")).await.expect("asks");
    let notice = events.iter().find_map(|event| match &event.body {
        EventBody::Notice { title, body } => Some((title.clone(), body.clone())),
        _ => None,
    });
    let (title, body) = notice.expect("a notice");
    assert_eq!(title, "count: 2 of 2 checks are open");
    assert!(body.contains("counted by scripts/count.sh") && body.contains("the number stands"));
    let record = activity(&engine, &events).await;
    assert_eq!(record.decision.ranked[0].why, "you asked for it");
    assert!(record.active[0].self_check[0].evidence.contains("did not run well"));
    engine.close().await;
}

#[tokio::test]
async fn a_skill_that_waits_for_an_answer_survives_a_restart() {
    let home = home().await;
    with_counter(&home);
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().text("Which note?"));
    let events = ask(&engine, message("数一数字数")).await.expect("asks");
    assert_eq!(named(&events, SkillState::Released), Vec::<String>::new());
    engine.close().await;

    // What changed meanwhile counts.
    let body = COUNT_BODY.replace("PLUGH", "FROTZ");
    write(&home, "workspace/skills/count/SKILL.md", &skill("count", COUNT, &body));
    let engine = home.open().await.expect("opens again");
    home.server.push(Reply::new().text("It has three."));
    let events = ask(&engine, message("the one about tea")).await.expect("asks");
    let later = request(&home, 1);
    assert!(later.contains("FROTZ") && !later.contains("PLUGH"), "{later}");
    assert_eq!(named(&events, SkillState::Activated), Vec::<String>::new());
    assert_eq!(named(&events, SkillState::Released), ["count"]);
    engine.close().await;
}

#[tokio::test]
async fn allowed_tools_narrow_and_never_widen() {
    let home = home().await;
    let front =
        "description: Looks around.\ntrigger: look around\nallowed-tools: read_file exec(ls:*)";
    write(&home, "workspace/skills/look/SKILL.md", &skill("look", front, "Look around."));
    let engine = home.open().await.expect("opens");
    let calls = [
        ("write_file", json!({"path": "a.md", "content": "x"})),
        ("exec", json!({"command": "ls && cat AGENTS.md"})),
        ("read_file", json!({"path": "AGENTS.md"})),
    ];
    for (tool, arguments) in &calls {
        home.server.push(Reply::new().call(tool, arguments));
    }
    home.server.push(Reply::new().text("Seen."));
    let mut asked = message("look around");
    asked.yes_to = vec!["exec".to_owned(), "write_file".to_owned()];
    let events = ask(&engine, asked).await.expect("asks");
    let ends: Vec<(bool, String)> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolEnd { ok, result, .. } => Some((*ok, result.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(
        ends.iter().map(|(ok, _)| *ok).collect::<Vec<_>>(),
        [false, false, true],
        "{ends:?}"
    );
    assert!(ends[0].1.contains("not among the tools") && ends[1].1.contains("ls:*"), "{ends:?}");
    assert!(!home.path("workspace/a.md").exists());
    engine.close().await;
}

#[tokio::test]
async fn a_meta_skill_brings_others_as_deep_as_three() {
    let home = home().await;
    for step in 0..5 {
        let uses = format!("description: Step {step} of a long way.\nuses: [m{}]", step + 1);
        let text = skill(&format!("m{step}"), &uses, &format!("Body of step {step}."));
        write(&home, &format!("workspace/skills/m{step}/SKILL.md"), &text);
    }
    let engine = home.open().await.expect("opens");
    for step in 1..5 {
        home.server.push(Reply::new().call("skill_load", &json!({"name": format!("m{step}")})));
    }
    home.server.push(Reply::new().text("As far as it goes."));
    let events = ask(&engine, message("/skill m0")).await.expect("asks");
    assert_eq!(named(&events, SkillState::Activated), ["m0", "m1", "m2", "m3"]);
    let record = activity(&engine, &events).await;
    let by = |name: &str| {
        record.active.iter().find(|one| one.name == name).and_then(|one| one.by.clone())
    };
    assert_eq!((by("m0"), by("m1"), by("m3")), (None, Some("m0".into()), Some("m2".into())));
    let last = request(&home, 4);
    assert!(last.contains("3 is the most") && last.contains("Body of step 3."), "{last}");
    engine.close().await;
}

#[tokio::test]
async fn what_cannot_be_used_is_listed_with_the_reason() {
    let home = home().await;
    with_counter(&home);
    let needs = "description: Needs what is not there.\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"no-such-program\"]}}}";
    write(&home, "skills/needy/SKILL.md", &skill("needy", needs, "Body."));
    write(
        &home,
        "skills/count/SKILL.md",
        &skill("Count", "description: Another one of that name.", "Body."),
    );
    write(&home, "skills/odd/SKILL.md", "");
    let engine = home.open().await.expect("opens");
    let rows = api::skills::list(&engine).await.expect("lists");
    let row = |name: &str, source| {
        let found = rows.iter().find(|row| row.name == name && row.source == source);
        found.map(|row| (row.eligible, row.reason.clone())).expect(name)
    };
    assert_eq!(row("count", SkillSource::Workspace), (true, String::new()));
    assert!(row("Count", SkillSource::Home).1.ends_with("has this name already"));
    assert_eq!(row("needy", SkillSource::Home).1, "the program no-such-program is not installed");
    assert_eq!(row("odd", SkillSource::Home).1, "its SKILL.md is empty");

    let off = SkillChange { name: "count".to_owned(), enabled: false };
    let changed = api::skills::change(&engine, off).await.expect("changes");
    assert_eq!((changed.enabled, changed.reason.as_str()), (false, "you turned it off"));
    let found =
        api::skills::matching(&engine, "count the words".to_owned()).await.expect("matches");
    assert!(found.activated.is_empty(), "{found:?}");
    let on = SkillChange { name: "count".to_owned(), enabled: true };
    assert!(api::skills::change(&engine, on).await.expect("changes").eligible);
    let view = api::skills::show(&engine, "count".to_owned()).await.expect("shows");
    assert!(view.body.contains("PLUGH"));
    assert_eq!(view.self_check.len(), 2);
    engine.close().await;
}

#[tokio::test]
async fn slash_completes_skills_and_unknown_ones_are_answered() {
    let home = home().await;
    with_counter(&home);
    let engine = home.open().await.expect("opens");
    let rows = api::chat::commands(&engine).await.expect("rows");
    assert!(rows.iter().any(|row| row.name == "skill count"));
    let answer = api::chat::submit(&engine, message("/skill nothing")).await.expect("answers");
    let told: Value = serde_json::to_value(answer).expect("serialises");
    assert!(told.to_string().contains("There is no skill `nothing`"), "{told}");
    assert!(told.to_string().contains("/skill count"), "{told}");
    engine.close().await;
}

#[tokio::test]
async fn a_sub_agent_works_with_the_skills_it_is_given_and_no_others() {
    let home = home().await;
    with_counter(&home);
    let shy = "description: Only on demand.\ndisable-model-invocation: true";
    write(&home, "workspace/skills/shy/SKILL.md", &skill("shy", shy, "The sentinel is FROTZ."));
    let engine = home.open().await.expect("opens");
    let task = json!({"task": "Do the first half.", "skills": ["count"]});
    home.server.push(Reply::new().call("spawn_agent", &task));
    home.server.push(Reply::new().text("3 words"));
    let shy = json!({"task": "/skill shy now", "skills": ["shy"]});
    home.server.push(Reply::new().call("spawn_agent", &shy));
    home.server.push(Reply::new().call("spawn_agent", &json!({"task": "/skill shy now"})));
    home.server.push(Reply::new().text("nothing to it"));
    let none = json!({"task": "Do it.", "skills": ["nothing"]});
    home.server.push(Reply::new().call("spawn_agent", &none));
    home.server.push(Reply::new().text("Done."));
    ask(&engine, message("split this up")).await.expect("asks");
    assert!(!request(&home, 0).contains("PLUGH"));
    assert!(request(&home, 1).contains("PLUGH"), "the child has the body it was given");
    assert!(!request(&home, 2).contains("PLUGH"), "its parent does not");
    assert!(request(&home, 3).contains("Only the user may activate shy"), "{}", request(&home, 3));
    assert!(!request(&home, 4).contains("FROTZ"), "a model's words name no skill");
    assert!(request(&home, 6).contains("There is no skill"), "{}", request(&home, 6));
    engine.close().await;
}

#[tokio::test]
async fn a_skill_for_other_channels_is_left_out_with_the_reason() {
    let home = home().await;
    with_counter(&home);
    let front = "description: Reads the tides aloud.\ntrigger: tides aloud\nchannels: [telegram]";
    write(&home, "workspace/skills/tides/SKILL.md", &skill("tides", front, "Say QUUX."));
    let engine = home.open().await.expect("opens");
    home.server.push(Reply::new().call("skill_load", &json!({"name": "tides"})));
    home.server.push(Reply::new().text("I cannot."));
    let events = ask(&engine, message("the tides aloud please")).await.expect("asks");
    let first = request(&home, 0);
    assert!(!first.contains("QUUX") && !first.contains("Reads the tides aloud"), "{first}");
    let why = "it is for messages by telegram, and this one came by";
    assert!(request(&home, 1).contains(why), "{}", request(&home, 1));
    let told = events.iter().any(|event| {
        matches!(&event.body, EventBody::Notice { title, body }
            if title.contains("tides") && body.contains(why))
    });
    assert!(told, "{events:?}");
    let rows = api::skills::list(&engine).await.expect("lists");
    let row = rows.iter().find(|row| row.name == "tides").expect("listed");
    assert_eq!((row.eligible, &row.requires.channels[..]), (true, &["telegram".to_owned()][..]));
    engine.close().await;
}

#[tokio::test]
async fn scripts_start_in_the_folder_that_their_paths_begin_at() {
    let home = home().await;
    write(&home, "skills/count/SKILL.md", &skill("count", COUNT, COUNT_BODY));
    write(&home, "skills/count/scripts/count.sh", "echo 3 words\n");
    let engine = home.open().await.expect("opens");
    let folder = home.path("skills/count").display().to_string();
    let relative = json!({"command": "sh scripts/count.sh", "cwd": folder});
    home.server.push(Reply::new().call("exec", &relative));
    home.server
        .push(Reply::new().call("exec", &json!({"command": "ls", "cwd": home.path("logs")})));
    home.server.push(Reply::new().text("3 words."));
    let mut asked = message("/skill count");
    asked.yes_to = vec!["exec".to_owned()];
    ask(&engine, asked).await.expect("asks");
    let first = request(&home, 0);
    assert!(first.contains("relative to that folder") && first.contains(&folder), "{first}");
    assert!(request(&home, 1).contains("3 words"), "{}", request(&home, 1));
    assert!(
        !request(&home, 2).contains("hearth.log"),
        "no other folder outside: {}",
        request(&home, 2)
    );
    engine.close().await;
}

#[tokio::test]
async fn an_installed_skill_of_a_bundled_name_says_which_comes_first_and_comes_back_after_removal()
{
    use api::installs::{InstallOrder, install, preview, remove, removed, restore};
    let home = home().await;
    let from = tempfile::tempdir().expect("a folder");
    let own = from.path().join("daily-brief");
    std::fs::create_dir_all(&own).expect("created");
    let text = skill("daily-brief", "description: Another daily brief of my own.", "Body.");
    std::fs::write(own.join("SKILL.md"), text).expect("written");
    let engine = home.open().await.expect("opens");
    let path = own.display().to_string();
    let shown = preview(&engine, path.clone(), Vec::new(), false).await.expect("shows");
    let rival = shown.skills[0].rival.clone().expect("there is one of this name");
    assert_eq!((rival.source, rival.wins), (SkillSource::Bundled, false));
    let order = InstallOrder { path, hash: shown.hash, skills: Vec::new(), to_workspace: false };
    let rows = install(&engine, order).await.expect("installs");
    let told: Vec<_> =
        rows.iter().map(|row| (row.name.as_str(), row.source, row.eligible)).collect();
    assert_eq!(told, [("daily-brief", SkillSource::Home, true)], "one line, its own");

    let name = || "daily-brief".to_owned();
    let error = restore(&engine, name()).await.expect_err("nothing was removed");
    assert!(error.message.contains("There is a skill `daily-brief` again"), "{error:?}");
    remove(&engine, name()).await.expect("removes");
    let all = removed(&engine).await.expect("lists");
    assert_eq!(all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["daily-brief"]);
    restore(&engine, name()).await.expect("is back");
    assert!(removed(&engine).await.expect("lists").is_empty());
    engine.close().await;
}

/// Dovecot, where it is installed, until its standard input ends.
struct Mailbox {
    child: std::process::Child,
    account: serde_json::Map<String, Value>,
}

impl Mailbox {
    fn start() -> Option<Self> {
        use std::io::BufRead as _;
        use std::process::{Command, Stdio};
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/serve_imap.py");
        let mut child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .inspect_err(|error| eprintln!("skipped: python3 does not start: {error}"))
            .ok()?;
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        std::io::BufReader::new(stdout).read_line(&mut line).expect("a line");
        let account: serde_json::Map<String, Value> = serde_json::from_str(&line).expect("JSON");
        if let Some(why) = account.get("skipped") {
            eprintln!("skipped: {why}");
            child.wait().expect("ends");
            return None;
        }
        Some(Self { child, account })
    }

    fn of(&self, name: &str) -> String {
        self.account[name].as_str().expect("text").to_owned()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn mail_triage_reads_a_real_mailbox_in_a_turn() {
    let Some(mailbox) = Mailbox::start() else { return };
    let home = home().await;
    let engine = home.open().await.expect("opens");
    // Where there is a keyring, it is open already.
    let _ = api::settings::unlock(&engine, "a long passphrase".to_owned()).await;
    let authority = home.path("workspace/mail-authority.pem");
    std::fs::copy(mailbox.of("MAIL_CA_FILE"), &authority).expect("copied");
    let authority = authority.display().to_string();
    for name in ["MAIL_HOST", "MAIL_USER", "MAIL_PASSWORD"] {
        let secret = format!("skills/{name}");
        api::secrets::set(&engine, secret, mailbox.of(name)).await.expect("stores");
    }
    api::secrets::set(&engine, "skills/MAIL_CA_FILE".to_owned(), authority).await.expect("stores");
    let script = home.path("bundled-skills/mail-triage/scripts/fetch_mail.py");
    let command = format!("python3 {} --days 3650", script.display());
    home.server.push(Reply::new().call("exec", &json!({"command": command})));
    home.server.push(Reply::new().text("1 mail wants an answer: Lin Wei, until noon."));
    let mut asked = message("/skill mail-triage what needs an answer?");
    asked.yes_to = vec!["exec".to_owned()];
    let events = ask(&engine, asked).await.expect("asks");
    assert_eq!(named(&events, SkillState::Activated), ["mail-triage"]);
    let read = request(&home, 1);
    assert!(read.contains("Date of signing") && read.contains("sign at 15:00"), "{read}");
    assert!(read.contains("Ten offers for you"), "{read}");
    assert!(!read.contains(&mailbox.of("MAIL_PASSWORD")), "no secret in a prompt");
    engine.close().await;
}

/// Rights of all: in one language, across languages, and small talk that activates something.
#[cfg(unix)]
async fn measured(engine: &Engine, set: &str) -> [(usize, usize); 3] {
    let rows: Vec<Value> =
        set.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..'\u{9fff}').contains(&c));
    let of = |name: &str| {
        let skill = rows.iter().find(|row| row["kind"] == "skill" && row["name"] == name);
        is_chinese(skill.expect("known")["description"].as_str().unwrap_or_default())
    };
    let mut counts = [(0, 0); 3];
    for row in rows.iter().filter(|row| row["kind"] == "message") {
        let text = row["text"].as_str().expect("text").to_owned();
        let language = is_chinese(&text);
        let found = api::skills::matching(engine, text).await.expect("matches");
        assert!(found.by_meaning);
        let (at, is_hit) = match row["skill"].as_str() {
            None => (2, !found.activated.is_empty()),
            Some(right) => {
                let first = found.ranked.first().map(|one| one.name.as_str());
                (usize::from(of(right) != language), first == Some(right))
            }
        };
        counts[at].1 += 1;
        counts[at].0 += usize::from(is_hit);
    }
    counts
}

/// What a set reaches: the right skill first, small talk that wakes one.
#[cfg(unix)]
async fn shares(set: &str) -> Option<[f64; 3]> {
    let model = crate::weights::model_file("multilingual-e5-small")?;
    let home = home().await;
    std::fs::create_dir_all(home.path("models")).expect("created");
    std::os::unix::fs::symlink(model, home.path("models/multilingual-e5-small")).expect("linked");
    for line in set.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        if let (Some(name), Some(about)) = (row["name"].as_str(), row["description"].as_str()) {
            let front = format!("description: {about:?}");
            let file = format!("workspace/skills/{name}/SKILL.md");
            write(&home, &file, &skill(name, &front, "Body."));
        }
    }
    let engine = home.open().await.expect("opens");
    let found = measured(&engine, set).await;
    eprintln!("right first in one language, across, small talk: {found:?}");
    engine.close().await;
    Some(found.map(|(hits, all)| hits as f64 / all as f64))
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn real_weights_find_the_right_skill_first() {
    for set in [
        include_str!("../../crates/hearth-agent/tests/fixtures/skill_match.jsonl"),
        include_str!("../../crates/hearth-agent/tests/fixtures/skill_match_own.jsonl"),
    ] {
        let Some([same, across, talk]) = shares(set).await else { return };
        assert!(same >= 0.95 && across >= 0.9 && talk <= 0.05, "{same} {across} {talk}");
    }
}

/// Harder: 77 skills, many of them alike, and messages that name nothing. Thresholds were chosen with it, too.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn real_weights_hold_among_many_skills_that_are_alike() {
    let set = include_str!("../../crates/hearth-agent/tests/fixtures/skill_match_more.jsonl");
    let Some([same, across, talk]) = shares(set).await else { return };
    assert!(same >= 0.9 && across >= 0.88 && talk <= 0.05, "{same} {across} {talk}");
}
