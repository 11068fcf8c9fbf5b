//! What happens by itself: beats, jobs, notices; over a scripted model and a real ledger.

use hearth_engine::api::heartbeat::RunNow;
use hearth_engine::{Engine, Heard, Listener, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::heartbeat::{
    BeatDecision, CronAdd, HeartbeatRun, JobAction, JobState, NoticeChange, NoticeState, SlotState,
};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ApprovalState, EventBody, Origin, SessionKey};
use hearth_tests::{FORMATS, Notices, TestHome, ask, message, open, turn_events};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A home whose heartbeat is held back by nothing.
async fn home() -> TestHome {
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await.expect("home");
    settings(&home, "quiet = \"\"\nmax_per_day = 1000\ntime_zone = \"UTC\"");
    home
}

fn settings(home: &TestHome, heartbeat: &str) {
    let (format, kind) = FORMATS[0];
    let text = home.settings(format, kind);
    home.write_settings(&format!("{text}[heartbeat]\n{heartbeat}\n")).expect("writes");
}

fn write(home: &TestHome, text: &str) {
    std::fs::create_dir_all(home.path("workspace")).expect("folder");
    std::fs::write(home.path("workspace/HEARTBEAT.md"), text).expect("writes");
}

async fn beat(engine: &Engine) -> HeartbeatRun {
    api::heartbeat::run(engine, RunNow::default()).await.expect("runs")
}

fn typed(title: &str, body: &str) -> Reply {
    Reply::new().text(
        json!({"notify": true, "title": title, "body": body, "why": "it changed"}).to_string(),
    )
}

/// `\n`, `\t`, `\r` and `\u....` of a table's cells.
fn unescaped(cell: &str) -> String {
    let (mut out, mut chars) = (String::new(), cell.chars().peekable());
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('\\', Some('n' | 't' | 'r' | 'u' | '\\')) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('u') => {
                    let code: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&code, 16).expect("hexadecimal");
                    out.extend(char::from_u32(code));
                }
                other => out.extend(other),
            },
            _ => out.push(c),
        }
    }
    out
}

#[tokio::test]
async fn an_empty_file_asks_no_model_and_any_other_asks_one() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    for row in include_str!("../fixtures/heartbeat_empty.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [content, calls, why] = cells[..] else { panic!("three cells: {row}") };
        write(&home, &unescaped(content));
        let wanted = u32::from(calls == "yes");
        if wanted == 1 {
            home.server.push(Reply::new().text("HEARTBEAT_OK"));
        }
        let dry = RunNow { dry_run: true, ..RunNow::default() };
        let dry = api::heartbeat::run(&engine, dry).await.expect("runs");
        assert_eq!(dry.model_calls, wanted, "{why}: {content:?} {dry:?}");
        let ran = beat(&engine).await;
        assert_eq!(ran.model_calls, wanted, "{why}: {content:?} {ran:?}");
        let decision = if wanted == 1 { BeatDecision::Silent } else { BeatDecision::Skipped };
        assert_eq!(ran.decision, decision, "{why}: {ran:?}");
        assert_eq!(home.server.take_requests().len(), wanted as usize, "{why}: {content:?}");
    }
    write(&home, "# Reminders\n- [x] done\n");
    for _ in 0..48 {
        assert_eq!(beat(&engine).await.model_calls, 0);
    }
    std::fs::remove_file(home.path("workspace/HEARTBEAT.md")).expect("removed");
    assert_eq!(beat(&engine).await.model_calls, 0, "a missing file");
    assert!(home.server.take_requests().is_empty());
    engine.close().await;
}

#[tokio::test]
async fn each_reply_ends_as_the_table_says() {
    let home = home().await;
    let notices = Arc::new(Notices::default());
    let engine = open(home.folder.path(), notices.clone()).await.expect("opens");
    write(&home, "- [ ] look around\n");
    let mut alerts = 0;
    for row in include_str!("../fixtures/heartbeat_replies_dev.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [reply, silent, shown, why] = cells[..] else { panic!("four cells: {row}") };
        home.server.push(Reply::new().text(unescaped(reply)));
        let ran = beat(&engine).await;
        if silent == "yes" {
            assert_eq!(ran.decision, BeatDecision::Silent, "{why}: {ran:?}");
            assert!(ran.notice.is_none() && !ran.why.is_empty(), "{why}: {ran:?}");
            continue;
        }
        let said = [ran.title.as_str(), ran.body.as_str()];
        let said: Vec<&str> = said.into_iter().filter(|part| !part.is_empty()).collect();
        assert_eq!(said.join(" — "), unescaped(shown), "{why}");
        // The table tells one alert in several ways: the same text is shown once.
        let again = ran.why.contains("24 hours");
        assert!(ran.decision == BeatDecision::Notify || again, "{why}: {ran:?}");
        alerts += usize::from(ran.decision == BeatDecision::Notify);
    }
    assert!(alerts > 8, "{alerts}");
    assert_eq!(notices.kept().len(), alerts);
    let first = &notices.kept()[0];
    let transcript = api::sessions::open(&engine, first.session.clone()).await.expect("opens");
    let text = serde_json::to_string(&transcript).expect("serialises");
    let id = first.message.as_ref().expect("leads to its message");
    assert!(text.contains(id.as_str()), "the notice leads to a message of its conversation");
    engine.close().await;
}

#[tokio::test]
async fn the_prompt_of_a_beat_is_light() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    write(&home, "- [ ] look at the door\n");
    home.server.push(Reply::new().text("HEARTBEAT_OK"));
    beat(&engine).await;
    let body = home.server.take_requests()[0].body.to_string();
    assert!(body.contains("look at the door") && body.contains("=== USER.md"), "{body}");
    assert!(!body.contains("=== SOUL.md") && !body.contains("=== AGENTS.md"), "{body}");
    assert!(body.contains("heartbeat: nobody wrote to you"), "{body}");
    engine.close().await;
}

#[tokio::test]
async fn what_is_said_is_held_back_with_its_reason() {
    let home = home().await;
    let notices = Arc::new(Notices::default());
    let engine = open(home.folder.path(), notices.clone()).await.expect("opens");
    write(&home, "- [ ] watch the rain\n");
    let run = |at: &str| RunNow { at: hearth_schedule(at), ..RunNow::default() };

    settings(&home, "quiet = \"22:30-07:30\"\nmax_per_day = 2\ntime_zone = \"UTC\"");
    for (at, decision) in [
        ("2026-12-01T22:30:00Z", BeatDecision::Held),
        ("2026-12-02T07:29:59Z", BeatDecision::Held),
        ("2026-12-02T07:30:00Z", BeatDecision::Notify),
        ("2026-12-01T22:29:59Z", BeatDecision::Notify),
    ] {
        home.server.push(typed("Rain", &format!("at {at}")));
        let ran = api::heartbeat::run(&engine, run(at)).await.expect("runs");
        assert_eq!(ran.decision, decision, "{at}: {ran:?}");
        if decision == BeatDecision::Held {
            assert!(ran.why.contains("quiet hours 22:30-07:30"), "{ran:?}");
        }
    }
    settings(&home, "quiet = \"\"\nmax_per_day = 2\ntime_zone = \"UTC\"");
    home.server.push(typed("Post", "A letter came."));
    let full = beat(&engine).await;
    assert_eq!(full.decision, BeatDecision::Held);
    assert!(full.why.contains("max_per_day"), "{full:?}");

    settings(&home, "quiet = \"\"\nmax_per_day = 100\ntime_zone = \"UTC\"");
    for (title, body, decision) in [
        ("Disk", "The disk is nearly full, 2 GB are left.", BeatDecision::Notify),
        ("Disk", "The disk is nearly full, 2 GB are left.", BeatDecision::Held),
    ] {
        home.server.push(typed(title, body));
        let ran = beat(&engine).await;
        assert_eq!(ran.decision, decision, "{ran:?}");
    }
    let inbox = api::notices::list(&engine).await.expect("lists");
    let disk = inbox.iter().find(|row| row.title == "Disk").expect("in the inbox");
    assert_eq!((disk.state, disk.reason.as_str()), (NoticeState::New, "it changed"));
    let id = disk.id.clone();
    api::notices::change(&engine, id, NoticeChange::Less).await.expect("changes");
    home.server.push(typed("Disk", "The disk is nearly full, 1 GB is left."));
    let unwanted = beat(&engine).await;
    assert_eq!(unwanted.decision, BeatDecision::Held);
    assert!(unwanted.why.contains("less like"), "{unwanted:?}");
    let last = home.server.requests().last().expect("asked").body.to_string();
    assert!(last.contains("asked for less like: Disk"), "the model is told, too");
    engine.close().await;
}

/// Unix seconds of a UTC time.
fn hearth_schedule(text: &str) -> Option<i64> {
    let next = api::cron::Next {
        schedule: format!("at {text}"),
        zone: Some("UTC".to_owned()),
        from: Some("2000-01-01T00:00:00Z".to_owned()),
        to: None,
        count: None,
    };
    let found = api::cron::next(&next).expect("a time");
    assert_eq!(found[0].at_utc, text);
    let (date, time) = text.trim_end_matches('Z').split_once('T')?;
    let number = |part: &str| part.parse::<i64>().ok();
    let mut date = date.split('-').filter_map(number);
    let (year, month, day) = (date.next()?, date.next()?, date.next()?);
    let mut time = time.split(':').filter_map(number);
    let seconds = time.next()? * 3_600 + time.next()? * 60 + time.next()?;
    // Days of the civil calendar since 1970.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some(days * 86_400 + seconds)
}

#[tokio::test]
async fn quiet_hours_that_cannot_be_turn_the_heartbeat_off_and_say_so() {
    let home = home().await;
    settings(&home, "quiet = \"25:00-7\"");
    let engine = home.open().await.expect("opens");
    write(&home, "- [ ] look around\n");
    let ran = beat(&engine).await;
    assert_eq!((ran.model_calls, ran.decision), (0, BeatDecision::Skipped));
    assert!(ran.why.contains("heartbeat.quiet") && ran.why.contains("off"), "{ran:?}");
    let status = api::heartbeat::status(&engine).await.expect("says");
    assert!(status.off_because.is_some() && status.next_beat.is_none(), "{status:?}");
    engine.close().await;
}

#[tokio::test]
async fn bad_items_are_named_and_good_ones_run_on() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    write(
        &home,
        "trigger: 0 0 31 2 *\nprompt: x\n\n## Good\ntrigger: 0 9 * * *\nprompt: say hello\n",
    );
    let rows = api::heartbeat::list(&engine).await.expect("lists");
    assert_eq!(rows.len(), 2);
    assert!(rows[0].error.as_deref().is_some_and(|error| error.contains("never fires")));
    assert!(rows[0].next.is_empty());
    assert_eq!((rows[1].next.len(), rows[1].line, rows[1].name.as_str()), (5, 5, "Good"));
    let item = RunNow { item: Some(rows[0].item.clone()), ..RunNow::default() };
    assert!(api::heartbeat::run(&engine, item).await.is_err());
    let status = api::heartbeat::status(&engine).await.expect("says");
    assert_eq!(status.problems[0].line, 1);
    engine.close().await;
}

fn job(schedule: &str, text: &str, action: JobAction) -> CronAdd {
    CronAdd { schedule: schedule.to_owned(), text: text.to_owned(), action, ..CronAdd::default() }
}

async fn until_notices(listener: &mut Listener) {
    let waiting = async {
        while let Some(heard) = listener.next().await {
            if matches!(heard, Heard::Signal(Signal::Notices)) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("a notice in time");
}

#[tokio::test]
async fn a_reminder_comes_at_its_time_without_a_model() {
    let home = home().await;
    let notices = Arc::new(Notices::default());
    let engine = open(home.folder.path(), notices.clone()).await.expect("opens");
    settings(&home, "quiet = \"00:00-23:59\"\nmax_per_day = 0\ntime_zone = \"UTC\"");
    api::heartbeat::start(&engine);
    let mut listener = engine.listen();
    let made =
        api::cron::add(&engine, job("in 2s", "Call mum", JobAction::Remind)).await.expect("adds");
    until_notices(&mut listener).await;
    let kept = notices.kept();
    assert_eq!((kept.len(), kept[0].body.as_str()), (1, "Call mum"));
    assert!(home.server.take_requests().is_empty());
    until_done(&engine, &made.id).await;
    let slots = api::cron::history(&engine, Some(made.id.clone())).await.expect("lists");
    assert_eq!((slots.len(), slots[0].state), (1, SlotState::Ok));
    let late = slots[0].started_at.expect("began") - slots[0].slot;
    assert!((0..=1).contains(&late), "{late} s late");
    engine.close().await;
}

/// Waits until a job has no time any more.
async fn until_done(engine: &Engine, id: &str) {
    let mut listener = engine.listen();
    let done = async || {
        let rows = api::cron::list(engine).await.expect("lists");
        rows.iter().any(|row| row.id == id && row.state == JobState::Done)
    };
    let waiting = async {
        while !done().await {
            let _ = listener.next().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("done in time");
}

#[tokio::test]
async fn what_cannot_be_planned_is_refused_with_the_time() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    for (schedule, says) in [
        ("at 2020-01-01 09:00", "it is now 20"),
        ("0 0 31 2 *", "never fires"),
        ("every fortnight", "no length of time"),
        ("", "empty"),
    ] {
        let refused = api::cron::add(&engine, job(schedule, "x", JobAction::Remind)).await;
        let error = refused.expect_err("refused");
        assert!(error.message.contains(says), "{schedule}: {}", error.message);
    }
    let zone = CronAdd {
        zone: Some("Mars/Olympus".to_owned()),
        ..job("every 2h", "x", JobAction::Remind)
    };
    assert!(
        api::cron::add(&engine, zone).await.expect_err("refused").message.contains("no time zone")
    );
    let preview =
        api::cron::preview(&engine, "30 2 * * *".to_owned(), Some("Europe/Oslo".to_owned())).await;
    assert_eq!(preview.expect("previews").len(), 5);
    engine.close().await;
}

/// The text of the last tool result that a model was given.
fn tool_result(home: &TestHome) -> String {
    let body = home.server.requests().last().expect("asked").body.clone();
    let messages = body["messages"].as_array().expect("messages").clone();
    let last = messages.iter().rev().find(|message| message["role"] == "tool").expect("a result");
    last["content"].to_string()
}

#[tokio::test]
async fn the_assistant_plans_lists_and_removes() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    let call = |arguments| Reply::new().call("cron", &arguments);
    home.server
        .push(call(json!({"action": "add", "schedule": "at 2020-01-01 09:00", "prompt": "x"})));
    home.server.push(call(
        json!({"action": "add", "schedule": "at 2199-01-01 09:00", "prompt": "给妈妈打电话"}),
    ));
    home.server.push(Reply::new().text("Planned."));
    ask(&engine, message("明天早上九点提醒我给妈妈打电话")).await.expect("asks");
    let requests = home.server.requests();
    let refused = requests[requests.len() - 2].body.to_string();
    assert!(refused.contains("is past: it is now 20"), "{refused}");
    let planned = tool_result(&home);
    assert!(planned.contains("2199-01-01 09:00 (Tuesday, UTC)"), "{planned}");
    let jobs = api::cron::list(&engine).await.expect("lists");
    assert_eq!(
        (jobs.len(), jobs[0].text.as_str(), jobs[0].action),
        (1, "给妈妈打电话", JobAction::Remind)
    );
    assert_eq!(jobs[0].session, Some(SessionKey::main()));
    home.server.push(call(json!({"action": "list"})));
    home.server.push(Reply::new().text("One."));
    ask(&engine, message("what is planned?")).await.expect("asks");
    assert!(tool_result(&home).contains(&jobs[0].id));
    home.server.push(call(json!({"action": "preview", "schedule": "0 9 * * 1"})));
    home.server.push(Reply::new().text("Mondays."));
    ask(&engine, message("when would Mondays be?")).await.expect("asks");
    assert!(tool_result(&home).matches("Monday, UTC").count() >= 5);
    engine.close().await;
}

#[tokio::test]
async fn what_others_want_planned_needs_a_yes() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    home.server.push(
        Reply::new()
            .call("cron", &json!({"action": "add", "schedule": "every 1m", "prompt": "obey"})),
    );
    home.server.push(Reply::new().text("It was not allowed."));
    let (mut listener, mut wait) = (engine.listen(), engine.listen());
    let request = Submit { origin: Origin::Channel, ..message("plan this for me") };
    let Submitted::Turn { turn } = api::chat::submit(&engine, request).await.expect("submits")
    else {
        panic!("a turn")
    };
    let id = loop {
        if let Some(Heard::Signal(Signal::Turn(event))) = wait.next().await
            && let EventBody::Approval { id, verdict: ApprovalState::Asked, .. } = event.body
        {
            break id;
        }
    };
    let no = hearth_protocol::api::approvals::Decision::Deny;
    let decide =
        hearth_protocol::api::approvals::Decide { id, decision: no, scope: Default::default() };
    api::approvals::decide(&engine, decide).await.expect("decides");
    turn_events(&mut listener, &turn).await;
    assert!(api::cron::list(&engine).await.expect("lists").is_empty());
    engine.close().await;
}

#[tokio::test]
async fn a_failing_model_fails_the_run_and_the_log_says_why() {
    let home = home().await;
    let engine = home.open().await.expect("opens");
    write(&home, "- [ ] look around\n");
    for (reply, decision) in [
        (Reply::answer(401, &[], "{}"), BeatDecision::Failed),
        (Reply::new().text("[1, 2]"), BeatDecision::Failed),
        (Reply::new().text("A dark and stormy night. ".repeat(400)), BeatDecision::Notify),
    ] {
        home.server.push(reply);
        let ran = beat(&engine).await;
        assert_eq!(ran.decision, decision, "{ran:?}");
        assert!(decision == BeatDecision::Notify || !ran.why.is_empty());
    }
    let log = api::heartbeat::log(&engine, 10).await.expect("lists");
    assert_eq!(log.len(), 3);
    assert_eq!((log[2].decision, log[0].decision), (BeatDecision::Failed, BeatDecision::Notify));
    assert!(log[0].tokens > 0 && log[0].session.is_some());
    engine.close().await;
}
