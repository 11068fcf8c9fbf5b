//! Beats beside a person: what they cost them, in which language they speak, and what is not started at all.

use hearth_engine::api::heartbeat::RunNow;
use hearth_engine::{Heard, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::ErrorCode;
use hearth_protocol::api::heartbeat::{BeatDecision, CronAdd, JobAction};
use hearth_protocol::api::system::Signal;
use hearth_tests::delay::measure;
use hearth_tests::{FORMATS, TestHome};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A home with these lines in its settings.
async fn home(more: &str) -> TestHome {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}{more}\n")).expect("writes");
    home
}

fn write(home: &TestHome, text: &str) {
    std::fs::create_dir_all(home.path("workspace")).expect("folder");
    std::fs::write(home.path("workspace/HEARTBEAT.md"), text).expect("writes");
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("fits")
}

fn alert(title: &str) -> Reply {
    let said = json!({"notify": true, "title": title, "body": "It is so.", "why": "it changed"});
    Reply::new().text(said.to_string())
}

#[tokio::test]
async fn beats_of_a_slow_model_hold_a_person_up_by_no_more_than_50_ms() {
    let home = home("[heartbeat]\nquiet = \"\"").await;
    let engine = home.open().await.expect("opens");
    let waits = measure(&home, &engine, 20).await.expect("measures");
    let (alone, beside) = waits.medians();
    assert!(beside <= alone + Duration::from_millis(50), "{alone:?} alone, {beside:?} beside");
    engine.close().await;
}

#[tokio::test]
async fn what_hearth_says_itself_is_in_the_language_of_the_window() {
    let quiet = "[heartbeat]\nquiet = \"00:00-23:59\"\ntime_zone = \"UTC\"\n";
    for (language, nothing, held) in [
        ("en", "nothing to do", "quiet hours 00:00-23:59"),
        ("zh-CN", "没有要做的事", "安静时段 00:00-23:59"),
    ] {
        let home = home(&format!("{quiet}[ui]\nlanguage = \"{language}\"")).await;
        let engine = home.open().await.expect("opens");
        write(&home, "# nothing\n");
        let empty = api::heartbeat::run(&engine, RunNow::default()).await.expect("runs");
        assert!(empty.why.contains(nothing), "{language}: {}", empty.why);
        write(&home, "- look around\n");
        home.server.push(alert("Rain"));
        let at = Some(now() / 86_400 * 86_400 + 43_200);
        let ask = RunNow { at, ..RunNow::default() };
        let ran = api::heartbeat::run(&engine, ask).await.expect("runs");
        assert!(ran.why.contains(held), "{language}: {}", ran.why);
        let inbox = api::notices::list(&engine).await.expect("lists");
        assert!(inbox[0].held.contains(held), "{language}: {:?}", inbox[0]);
        engine.close().await;
    }
}

#[tokio::test]
async fn a_time_that_is_made_up_gets_into_no_record() {
    let home = home("[heartbeat]\nquiet = \"22:30-07:30\"\ntime_zone = \"UTC\"").await;
    let engine = home.open().await.expect("opens");
    write(&home, "- look around\n");
    let begun = now();
    // Half past eleven in the night, a year from now.
    let at = now() / 86_400 * 86_400 + 365 * 86_400 + 84_600;
    home.server.push(alert("Rain"));
    let ask = RunNow { at: Some(at), ..RunNow::default() };
    let ran = api::heartbeat::run(&engine, ask).await.expect("runs");
    assert_eq!(ran.decision, BeatDecision::Held, "{ran:?}");
    let around = begun..=now();
    let inbox = api::notices::list(&engine).await.expect("lists");
    assert!(around.contains(&inbox[0].at), "{:?}", inbox[0]);
    let log = api::heartbeat::log(&engine, 5).await.expect("lists");
    assert!(around.contains(&log[0].at), "{:?}", log[0]);
    let session = ran.session.expect("kept in the conversation");
    let rows = api::sessions::rows(&engine, session).await.expect("lists");
    assert!(rows.iter().all(|row| around.contains(&row.at)), "{rows:?}");
    engine.close().await;
}

#[tokio::test]
async fn a_skill_that_there_is_not_is_said_before_its_time() {
    let home = home("").await;
    let engine = home.open().await.expect("opens");
    let job = CronAdd {
        schedule: "0 9 * * *".to_owned(),
        text: "no-such-skill".to_owned(),
        action: JobAction::RunSkill,
        ..CronAdd::default()
    };
    let refused = api::cron::add(&engine, job).await.expect_err("refused");
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert!(refused.message.contains("no-such-skill"), "{}", refused.message);
    assert!(api::cron::list(&engine).await.expect("lists").is_empty());
    write(&home, "trigger: 0 9 * * *\naction: run_skill no-such-skill\n");
    let rows = api::heartbeat::list(&engine).await.expect("lists");
    assert!(rows[0].error.as_ref().is_some_and(|error| error.contains("no-such-skill")));
    let dry = RunNow { dry_run: true, ..RunNow::default() };
    let ran = api::heartbeat::run(&engine, dry).await.expect("runs");
    assert_eq!((ran.decision, ran.model_calls), (BeatDecision::Failed, 0), "{ran:?}");
    assert!(ran.why.contains("no-such-skill"), "{ran:?}");
    engine.close().await;
}

#[tokio::test]
async fn nothing_asks_a_model_more_than_once_a_minute() {
    let home = home("[heartbeat]\nevery = \"1s\"").await;
    let engine = home.open().await.expect("opens");
    let status = api::heartbeat::status(&engine).await.expect("says");
    assert_eq!(status.every, "30m", "the default is in force");
    let problems = engine.settings().problems.clone();
    assert!(
        problems.iter().any(|one| one.key == "heartbeat.every" && one.message.contains("minute")),
        "{problems:?}"
    );
    write(&home, "trigger: every 5s\nprompt: look\n");
    let rows = api::heartbeat::list(&engine).await.expect("lists");
    assert!(rows[0].error.as_ref().is_some_and(|error| error.contains("minute")), "{rows:?}");
    engine.close().await;
}

#[tokio::test]
async fn settings_that_another_program_saves_count_within_two_seconds() {
    let home = home("").await;
    let engine = home.open().await.expect("opens");
    let mut listener = engine.listen();
    let path = home.path("hearth.toml");
    let before = std::fs::read_to_string(&path).expect("reads");
    for (hours, way) in [("21:00-06:00", "written over"), ("20:00-05:00", "put in its place")] {
        let text = format!("{before}[heartbeat]\nquiet = \"{hours}\"\n");
        if way == "written over" {
            std::fs::write(&path, text).expect("writes");
        } else {
            std::fs::write(home.path("draft"), text).expect("writes");
            std::fs::rename(home.path("draft"), &path).expect("put in its place");
        }
        let told = async {
            while !matches!(listener.next().await, Some(Heard::Signal(Signal::Settings)) | None) {}
        };
        let told = tokio::time::timeout(Duration::from_secs(2), told).await;
        assert!(told.is_ok(), "{way}: nobody noticed");
        assert_eq!(engine.settings().heartbeat.quiet, hours, "{way}");
    }
    engine.close().await;
}
