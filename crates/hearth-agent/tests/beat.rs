//! The heartbeat's decisions: replies, slots on a virtual clock, rests.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a failed fixture is a failed test")]

use hearth_agent::beat::{Ask, Due, JobClock, MissedWhy, Said, due, read, rest_after, words};
use hearth_protocol::api::heartbeat::{MissedPolicy, SlotState};
use hearth_schedule::{Schedule, Tz, moment};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

fn unescaped(cell: &str) -> String {
    let (mut out, mut chars) = (String::new(), cell.chars());
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next @ ('n' | 't' | 'r' | 'u' | '\\'))) => {
                chars.next();
                match next {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'u' => {
                        let code: String = chars.by_ref().take(4).collect();
                        out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
                    }
                    other => out.push(other),
                }
            }
            _ => out.push(c),
        }
    }
    out
}

#[test]
fn replies_end_as_the_table_says() {
    let mut rows = 0;
    for row in include_str!("fixtures/heartbeat_replies_dev.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [reply, silent, shown, why] = cells[..] else { panic!("four cells: {row}") };
        let said = read(&unescaped(reply));
        assert_eq!(matches!(said, Said::Silent(_)), silent == "yes", "{why}: {reply:?} {said:?}");
        assert_eq!(said.text(), unescaped(shown), "{why}: {reply:?}");
        rows += 1;
    }
    assert!(rows > 30, "{rows} rows");
}

#[test]
fn replies_of_the_wrong_kind_never_become_notices() {
    for garbage in
        ["[]", "{}", "null", "42", "[1, 2]", "{\"status\": \"fine\"}", "{\"notify\": []}"]
    {
        assert_eq!(read(garbage), Said::Garbage, "{garbage}");
    }
    for nothing in ["", " \n\u{200b}", "<think>hm</think>", "---", "..."] {
        assert!(matches!(read(nothing), Said::Silent(_)), "{nothing:?}");
    }
    for (typed, shown) in [
        (
            "Here you are: {\"notify\": true, \"title\": \"Rain\", \"body\": \"\", \"why\": \"x\"}",
            "Rain",
        ),
        ("{\"notify\": \"yes\", \"title\": \"Rain\", \"body\": \"now\"}", "Rain — now"),
        ("{\"title\": \"Rain\", \"body\": \"now\"}", "Rain — now"),
        ("{\"notify\":true,\"title\":\"Rain\",\"body\":\"Take the umbr", "Rain — Take the umbr"),
        ("🙂", "🙂"),
    ] {
        assert_eq!(read(typed).text(), shown, "{typed}");
    }
    let novel = "It was a dark night. ".repeat(2_000);
    assert_eq!(read(&novel).text(), novel.trim());
}

#[test]
fn the_token_alone_is_silence_in_any_markup_and_leaves_none_behind() {
    for silent in [
        "1. HEARTBEAT_OK",
        "2) HEARTBEAT_OK.",
        "- [x] HEARTBEAT_OK",
        "> - [ ] **HEARTBEAT_OK**",
        "<!-- x -->HEARTBEAT_OK",
        "HEARTBEAT_OK <!-- all 3 checks done -->",
        "&nbsp;HEARTBEAT_OK&#160;",
        "[HEARTBEAT_OK]",
        "[[HEARTBEAT_OK]]",
        "{HEARTBEAT_OK}",
        "[\"HEARTBEAT_OK\"]",
        "\"HEARTBEAT_OK\"",
        "【HEARTBEAT_OK】",
        "```\n1. HEARTBEAT_OK\n```",
    ] {
        assert!(matches!(read(silent), Said::Silent(_)), "{silent:?} {:?}", read(silent));
    }
    for (reply, shown) in [
        ("The light is on. **HEARTBEAT_OK**", "The light is on."),
        ("The light is on. (`HEARTBEAT_OK`).", "The light is on."),
        ("The light is on. <b>HEARTBEAT_OK</b>!", "The light is on."),
        ("The light is on. HEARTBEAT_OK.", "The light is on."),
        ("The light is on.\n\n1. HEARTBEAT_OK", "The light is on."),
        (
            "The light is on.\n- [x] HEARTBEAT_OK\nThe door too.",
            "The light is on.\n\nThe door too.",
        ),
        ("灯亮着。「HEARTBEAT_OK」。", "灯亮着。"),
        ("[Door] open since 21:40", "[Door] open since 21:40"),
        ("[1] The disk is full.", "[1] The disk is full."),
        ("**The light is on.** HEARTBEAT_OK", "**The light is on.**"),
        ("A HEARTBEAT_OK HEARTBEAT_OK", "A"),
    ] {
        assert_eq!(read(reply).text(), shown, "{reply:?}");
    }
}

#[test]
fn no_alert_is_lost_to_the_shape_of_its_result() {
    for (typed, shown) in [
        (
            r#"{"notify":true,"title":"Disk","body":["disk full","backup failed"]}"#,
            "Disk — disk full\nbackup failed",
        ),
        (r#"[{"notify":true,"title":"Rain","body":"now"}]"#, "Rain — now"),
        (r#"[{"notify":false},{"notify":true,"title":"Rain","body":"now"}]"#, "Rain — now"),
        (r#"[{"notify":true,"body":"A"},{"notify":true,"title":"B","body":"C"}]"#, "A\nB — C"),
        (r#"{"result":{"notify":true,"title":"Rain","body":"now"}}"#, "Rain — now"),
        (r#"{"notify":"ja","title":"Rain","body":"now"}"#, "Rain — now"),
        (r#"{"notify":null,"title":"Rain","body":""}"#, "Rain"),
        (r#"{"notify":{"now":true},"title":"Rain","body":"now"}"#, "Rain — now"),
        (r#"{"notify":true,"title":"Rain","message":"now"}"#, "Rain — now"),
        (r#"{"notify":true,"title":"Disk","body":{"free":"2 GB"}}"#, "Disk — 2 GB"),
    ] {
        assert_eq!(read(typed).text(), shown, "{typed}");
    }
    for silent in [
        r#"{"notify":"no","title":"Rain","body":"now"}"#,
        r#"{"notify":false,"title":"Rain","body":"now"}"#,
        r#"{"notify":"否","title":"Rain","body":"now"}"#,
        r#"[{"notify":false,"why":"nothing new"}]"#,
        r#"{"result":{"notify":false}}"#,
        r#"{"notify":null}"#,
    ] {
        assert!(matches!(read(silent), Said::Silent(_)), "{silent} {:?}", read(silent));
    }
}

proptest! {
    #[test]
    fn any_reply_is_read(reply in ".{0,200}") {
        let said = read(&reply);
        if let Said::Alert { title, body, .. } = &said {
            prop_assert!(!title.is_empty() || !body.is_empty());
        }
    }
}

#[test]
fn the_words_carry_time_and_wishes() {
    let text = words(
        &Ask::One { name: "Tea".to_owned(), prompt: "say tea".to_owned() },
        "2026-12-01 09:00 (Tuesday, Asia/Shanghai)",
        Some("2026-12-01 08:00"),
        &["Rain at 17:00".to_owned()],
    );
    for part in [
        "09:00 (Tuesday, Asia/Shanghai)",
        "due at 2026-12-01 08:00",
        "less like: Rain",
        "say tea",
        "\"notify\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn failing_jobs_rest_longer_and_longer() {
    let rests: Vec<i64> = (1..=7).map(rest_after).collect();
    assert_eq!(rests, [30, 60, 300, 900, 3_600, 3_600, 3_600]);
}

fn at(text: &str) -> i64 {
    moment(text, Tz::UTC).unwrap()
}

fn clock(schedule: &Schedule, cursor: i64) -> JobClock<'_> {
    JobClock {
        schedule,
        zone: Tz::UTC,
        anchor: 0,
        cursor,
        retry_at: None,
        policy: MissedPolicy::RunOnce,
        running: false,
    }
}

#[test]
fn slots_that_passed_follow_the_policy() {
    let hourly = Schedule::parse("0 * * * *").unwrap();
    let (from, now) = (at("2026-12-01 00:30"), at("2026-12-01 05:20"));
    let job = clock(&hourly, from);
    let once = due(&job, now);
    assert_eq!(once.run.map(|run| (run.slot, run.late)), Some((at("2026-12-01 05:00"), true)));
    let missed = once.missed[0];
    assert_eq!(
        (missed.from, missed.to, missed.count),
        (at("2026-12-01 01:00"), at("2026-12-01 04:00"), 4)
    );
    assert_eq!((missed.why, once.next), (MissedWhy::Stood, Some(at("2026-12-01 06:00"))));
    for (policy, asks) in [(MissedPolicy::Skip, false), (MissedPolicy::Ask, true)] {
        let none = due(&JobClock { policy, ..job }, now);
        assert_eq!((none.run, none.missed[0].count, none.missed[0].asks), (None, 5, asks));
        // On time it runs, whatever the policy.
        let on_time = due(
            &JobClock { policy, cursor: at("2026-12-01 04:59"), ..job },
            at("2026-12-01 05:00"),
        );
        assert_eq!(on_time.run.map(|run| run.slot), Some(at("2026-12-01 05:00")));
    }
    let busy = due(&JobClock { running: true, ..job }, now);
    assert_eq!((busy.run, busy.missed[0].why), (None, MissedWhy::Busy));
}

#[test]
fn a_job_that_failed_rests_and_is_tried_again() {
    let often = Schedule::parse("* * * * *").unwrap();
    let now = at("2026-12-01 00:10");
    let job = JobClock { retry_at: Some(now + 300), ..clock(&often, now) };
    let resting = due(&job, now + 120);
    assert_eq!((resting.run, resting.missed[0].count, resting.next), (None, 2, Some(now + 300)));
    let again = due(&JobClock { cursor: now + 120, ..job }, now + 301);
    assert_eq!(again.run.map(|run| run.slot), Some(now + 300));
    assert_eq!(again.missed[0].count, 2);
}

#[test]
fn a_month_asleep_is_one_stretch() {
    let every_second = Schedule::parse("* * * * * *").unwrap();
    let month = due(&clock(&every_second, 0), 30 * 86_400);
    assert_eq!(month.run.map(|run| run.slot), Some(30 * 86_400));
    assert_eq!(
        (month.missed.len(), month.missed[0].from, month.missed[0].to),
        (1, 1, 30 * 86_400 - 1)
    );
}

/// The ledger, as `hearth.db` keeps it: unique by job and slot.
#[derive(Debug, Default)]
struct Ledger {
    slots: BTreeMap<i64, SlotState>,
    stretches: Vec<(i64, i64)>,
    runs: HashMap<i64, u32>,
}

impl Ledger {
    /// A slot runs where it has no row, or one that never ran.
    fn claim(&mut self, slot: i64) -> bool {
        match self.slots.get(&slot) {
            None | Some(SlotState::Missed) => {
                self.slots.insert(slot, SlotState::Queued);
                true
            }
            Some(_) => false,
        }
    }

    fn miss(&mut self, from: i64, to: i64) {
        self.stretches.push((from, to));
    }

    fn set(&mut self, slot: i64, state: SlotState) {
        if state == SlotState::Running {
            *self.runs.entry(slot).or_default() += 1;
        }
        self.slots.insert(slot, state);
    }

    fn recover(&mut self) {
        for state in self.slots.values_mut() {
            match state {
                SlotState::Running => *state = SlotState::Interrupted,
                SlotState::Queued => *state = SlotState::Missed,
                _ => {}
            }
        }
    }

    fn is_settled(&self, slot: i64) -> bool {
        let own = self
            .slots
            .get(&slot)
            .is_some_and(|state| !matches!(state, SlotState::Queued | SlotState::Running));
        own || self.stretches.iter().any(|(from, to)| (*from..=*to).contains(&slot))
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Time passes, and Hearth looks.
    Wake(i64),
    /// Time passes, and nobody looks.
    Sleep(i64),
    /// The clock is put forward or back.
    Jump(i64),
    /// The process is killed and started anew.
    Kill,
    /// What runs ends.
    End(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (1i64..1_200).prop_map(Step::Wake),
        2 => (60i64..200_000).prop_map(Step::Sleep),
        1 => (-20_000i64..20_000).prop_map(Step::Jump),
        2 => Just(Step::Kill),
        4 => any::<bool>().prop_map(Step::End),
    ];
    proptest::collection::vec(step, 1..40)
}

/// Drives one job over a virtual clock as the engine does.
struct Sim<'a> {
    schedule: &'a Schedule,
    policy: MissedPolicy,
    now: i64,
    cursor: i64,
    running: Option<i64>,
    failures: u32,
    retry_at: Option<i64>,
    ledger: Ledger,
    /// The latest that any look saw.
    seen: i64,
}

impl Sim<'_> {
    fn look(&mut self) {
        let job = JobClock {
            schedule: self.schedule,
            zone: Tz::Europe__Oslo,
            anchor: START,
            cursor: self.cursor,
            retry_at: self.retry_at,
            policy: self.policy,
            running: self.running.is_some(),
        };
        let Due { run, missed, cursor, .. } = due(&job, self.now);
        for stretch in missed {
            self.ledger.miss(stretch.from, stretch.to);
        }
        if let Some(run) = run
            && self.ledger.claim(run.slot)
        {
            self.retry_at = None;
            self.ledger.set(run.slot, SlotState::Running);
            self.running = Some(run.slot);
        }
        self.cursor = cursor;
        self.seen = self.seen.max(self.now);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Wake(seconds) => {
                self.now += seconds;
                self.look();
            }
            Step::Sleep(seconds) => self.now += seconds,
            Step::Jump(seconds) => {
                self.now += seconds;
                self.look();
            }
            Step::Kill => {
                self.running = None;
                self.ledger.recover();
                self.look();
            }
            Step::End(ok) => {
                let Some(slot) = self.running.take() else { return };
                let state = if *ok { SlotState::Ok } else { SlotState::Failed };
                self.ledger.set(slot, state);
                self.failures = if *ok { 0 } else { self.failures + 1 };
                self.retry_at = (!ok).then(|| self.now + rest_after(self.failures));
            }
        }
    }
}

const START: i64 = 1_806_000_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_slot_runs_twice_and_each_ends_in_a_state(
        steps in steps(),
        schedule in prop::sample::select(vec!["*/20 * * * *", "30 2 * * *", "every 45m", "every 6h", "at 2027-03-28 02:30"]),
        policy in prop::sample::select(vec![MissedPolicy::RunOnce, MissedPolicy::Skip, MissedPolicy::Ask]),
    ) {
        let schedule = Schedule::parse(schedule).unwrap();
        let mut sim = Sim {
            schedule: &schedule, policy, now: START, cursor: START, running: None, failures: 0,
            retry_at: None, ledger: Ledger::default(), seen: START,
        };
        for step in &steps {
            sim.step(step);
        }
        sim.step(&Step::End(true));
        sim.look();
        sim.step(&Step::End(true));
        prop_assert!(sim.ledger.runs.values().all(|runs| *runs == 1), "{:?}", sim.ledger);
        for slot in schedule.fires(START, START, Tz::Europe__Oslo).take_while(|at| *at <= sim.seen) {
            prop_assert!(sim.ledger.is_settled(slot), "{slot}: {:?}", sim.ledger);
        }
    }
}

#[test]
fn a_year_of_five_schedules_in_four_zones_runs_each_slot_once() {
    let zones =
        [Tz::Europe__Oslo, Tz::America__New_York, Tz::Australia__Lord_Howe, Tz::Asia__Shanghai];
    let schedules = ["30 2 * * *", "*/30 1-4 * * *", "0 9 * * 1-5", "every 90m", "0 0 1 * *"];
    let (start, end) = (at("2027-01-01 00:00"), at("2028-01-01 00:00"));
    for zone in zones {
        for text in schedules {
            let schedule = Schedule::parse(text).unwrap();
            let wanted: Vec<i64> =
                schedule.fires(start, start, zone).take_while(|at| *at < end).collect();
            let (mut now, mut cursor, mut ran) = (start, start, Vec::new());
            // The clock wakes at each next time and once an hour besides, as after any change.
            while now < end {
                let job = JobClock { zone, anchor: start, ..clock(&schedule, cursor) };
                let found = due(&job, now);
                assert_eq!(found.missed, [], "{text} {zone}");
                ran.extend(found.run.map(|run| run.slot));
                cursor = found.cursor;
                now = found.next.unwrap_or(end).min(now - now.rem_euclid(3_600) + 3_600);
            }
            assert_eq!(ran, wanted, "{text} {zone}");
        }
    }
}
