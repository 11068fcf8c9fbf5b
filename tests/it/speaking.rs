//! What holds Hearth back when it speaks by itself: limits that hold for several at once, the person's own
//! reminders, and a dry run that says what would happen.

use futures::future::join_all;
use hearth_engine::api::heartbeat::RunNow;
use hearth_engine::{Engine, Host, Notice, Shown, api};
use hearth_llm::scripted::{Gate, Reply};
use hearth_protocol::SessionKey;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::api::heartbeat::{BeatDecision, CronAdd, HeartbeatRun, JobAction};
use hearth_tests::{FORMATS, TestHome, ask, message, open};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A host that shows what it is given, and takes its time to say so.
#[derive(Default)]
struct Slow(Mutex<Vec<Notice>>);

impl Slow {
    fn kept(&self) -> Vec<Notice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Host for Slow {
    fn notify(&self, notice: Notice) -> Shown {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(())
        })
    }

    fn is_watching(&self, _session: &SessionKey) -> bool {
        false
    }
}

async fn home(more: &str) -> TestHome {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    settings(&home, more);
    home
}

fn settings(home: &TestHome, more: &str) {
    let (format, kind) = FORMATS[0];
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}{more}\n")).expect("writes");
}

fn write(home: &TestHome, text: &str) {
    std::fs::create_dir_all(home.path("workspace")).expect("folder");
    std::fs::write(home.path("workspace/HEARTBEAT.md"), text).expect("writes");
}

fn job(schedule: &str, text: &str, action: JobAction) -> CronAdd {
    CronAdd { schedule: schedule.to_owned(), text: text.to_owned(), action, ..CronAdd::default() }
}

fn alert(title: &str, body: &str) -> Reply {
    let said = json!({"notify": true, "title": title, "body": body, "why": "it changed"});
    Reply::new().text(said.to_string())
}

async fn together(engine: &Engine, jobs: &[String]) -> Vec<HeartbeatRun> {
    let ran = join_all(jobs.iter().map(|id| api::cron::run(engine, id.clone()))).await;
    ran.into_iter().map(|ran| ran.expect("runs")).collect()
}

#[tokio::test]
async fn limits_hold_for_several_that_speak_at_once() {
    let home = home("[heartbeat]\nquiet = \"\"\nmax_per_day = 2").await;
    let host = Arc::new(Slow::default());
    let engine = open(home.folder.path(), host.clone()).await.expect("opens");
    let mut ids = Vec::new();
    for number in 0..4 {
        let new = job("0 9 1 1 *", &format!("watch {number}"), JobAction::SendMessage);
        ids.push(api::cron::add(&engine, new).await.expect("adds").id);
    }
    (0..4).for_each(|_| home.server.push(alert("Rain", "Take the umbrella.")));
    together(&engine, &ids).await;
    assert_eq!(host.kept().len(), 1, "the same once: {:?}", host.kept());
    for number in 0..4 {
        home.server.push(alert("Post", &format!("Letter {number} came.")));
    }
    let ran = together(&engine, &ids).await;
    assert_eq!(host.kept().len(), 2, "two a day: {:?}", host.kept());
    let full = ran.iter().filter(|run| run.why.contains("max_per_day")).count();
    assert_eq!(full, 3, "{ran:?}");
    engine.close().await;
}

#[tokio::test]
async fn people_never_wait_for_a_place_that_a_beat_has() {
    let home = home("[heartbeat]\nquiet = \"\"").await;
    let engine = home.open().await.expect("opens");
    let gate = Gate::default();
    home.server.aside("watch the tide", Reply::new().hold(&gate).text("HEARTBEAT_OK"));
    let mut beats = Vec::new();
    for number in 0..2 {
        let new = job("0 9 1 1 *", &format!("watch the tide {number}"), JobAction::RunTurn);
        let id = api::cron::add(&engine, new).await.expect("adds").id;
        let engine = engine.clone();
        beats.push(tokio::spawn(async move { api::cron::run(&engine, id).await }));
    }
    home.server.asked(2).await;
    let people = (0..4).map(|number| {
        home.server.push(Reply::new().text("Here I am."));
        let session = SessionKey::parse(&format!("assistant:p{number}")).expect("a key");
        ask(&engine, Submit { session, ..message(&format!("hello {number}")) })
    });
    let asked = tokio::time::timeout(Duration::from_secs(30), join_all(people)).await;
    assert!(asked.expect("all are answered while the beats stand").iter().all(Result::is_ok));
    assert!(beats.iter().all(|beat| !beat.is_finished()), "the beats stand still");
    gate.open();
    for beat in beats {
        beat.await.expect("joins").expect("runs");
    }
    engine.close().await;
}

#[tokio::test]
async fn reminders_that_come_again_keep_the_rules_and_one_that_comes_once_rings() {
    let quiet = "[heartbeat]\nquiet = \"00:00-23:59\"\ntime_zone = \"UTC\"";
    let home = home(quiet).await;
    let host = Arc::new(Slow::default());
    let engine = open(home.folder.path(), host.clone()).await.expect("opens");
    for schedule in ["every 1s", "every 59s", "*/10 * * * * *"] {
        let refused = api::cron::add(&engine, job(schedule, "spam", JobAction::Remind)).await;
        let error = refused.expect_err("refused");
        assert!(error.message.contains("remind more than once a minute"), "{}", error.message);
    }
    let add = async |schedule: &str, text: &str| {
        api::cron::add(&engine, job(schedule, text, JobAction::Remind)).await.expect("adds").id
    };
    let run = async |id: &String| api::cron::run(&engine, id.clone()).await.expect("runs");
    let (again, once) = (add("0 9 * * *", "stretch").await, add("in 2h", "call mum").await);
    // 23:59 is the one minute that is not quiet; a minute's chance in a day is left out.
    let held = run(&again).await;
    assert_eq!(held.decision, BeatDecision::Held, "{held:?}");
    assert!(held.why.contains("quiet hours"), "{held:?}");
    assert_eq!(run(&once).await.decision, BeatDecision::Notify);
    settings(&home, "[heartbeat]\nquiet = \"\"\nmax_per_day = 1\ntime_zone = \"UTC\"");
    // Takes the settings in.
    assert_eq!(api::heartbeat::status(&engine).await.expect("says").max_per_day, 1);
    let repeated = run(&again).await;
    assert!(repeated.why.contains("24 hours"), "{repeated:?}");
    let others = [add("0 9 * * *", "drink").await, add("0 9 * * *", "breathe").await];
    assert_eq!(run(&others[0]).await.decision, BeatDecision::Notify);
    let full = run(&others[1]).await;
    assert!(full.why.contains("max_per_day"), "{full:?}");
    assert_eq!(host.kept().len(), 2, "{:?}", host.kept());
    engine.close().await;
}

#[tokio::test]
async fn a_dry_run_says_what_would_happen() {
    let budget = "[heartbeat]\nquiet = \"\"\n[budget]\ndaily_tokens = 1";
    let home = home(budget).await;
    let engine = home.open().await.expect("opens");
    write(&home, "- look around\n");
    for dry_run in [true, false] {
        let ran = api::heartbeat::run(&engine, RunNow { dry_run, ..RunNow::default() }).await;
        let ran = ran.expect("runs");
        assert_eq!((ran.decision, ran.model_calls), (BeatDecision::Skipped, 0), "{ran:?}");
        assert!(ran.why.contains("budget"), "{ran:?}");
    }
    write(&home, "trigger: 0 3 * * *\naction: consolidate_memory\n");
    for dry_run in [true, false] {
        let ran = api::heartbeat::run(&engine, RunNow { dry_run, ..RunNow::default() }).await;
        let ran = ran.expect("runs");
        assert_eq!(ran.decision, BeatDecision::Silent, "{ran:?}");
        assert!(ran.why.contains("in order"), "{ran:?}");
    }
    engine.close().await;
}
