//! Schedules against tables computed elsewhere, and against a walk through every minute.
#![allow(clippy::expect_used, clippy::panic, reason = "a failed fixture is a failed test")]

use hearth_schedule::{Schedule, ScheduleFault, Tz, moment, utc};
use proptest::prelude::*;

fn at(text: &str) -> i64 {
    moment(text, Tz::UTC).expect("a time")
}

#[test]
fn clock_changes_are_as_the_table_says() {
    let table = include_str!("fixtures/dst_dev.tsv");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [schedule, zone, start, end, fires, note] = cells[..] else {
            panic!("six cells: {row}")
        };
        let zone: Tz = zone.parse().expect("a zone");
        let schedule = Schedule::parse(schedule).expect("a schedule");
        let (start, end) = (at(start), at(end));
        // The window's start belongs to it; `every` counts from there.
        let after = if schedule.is_elapsed() { start } else { start - 1 };
        let found: Vec<String> =
            schedule.fires(after, start, zone).take_while(|at| *at < end).map(utc).collect();
        assert_eq!(found.join(" "), fires, "{row}: {note}");
        rows += 1;
    }
    assert!(rows > 60, "{rows} rows");
}

#[test]
fn what_cannot_be_is_said() {
    use ScheduleFault as F;
    assert_eq!(Schedule::parse(" "), Err(F::Empty));
    assert_eq!(Schedule::parse("0 9 * *"), Err(F::Fields(4)));
    assert_eq!(Schedule::parse("0 0 9 * * * 2027"), Err(F::Fields(7)));
    assert_eq!(Schedule::parse("0 0 31 2 *"), Err(F::Never));
    assert_eq!(Schedule::parse("0 0 30 2 *"), Err(F::Never));
    assert_eq!(Schedule::parse("0 0 31 4,6,9,11 *"), Err(F::Never));
    assert_eq!(Schedule::parse("every fortnight"), Err(F::Every("fortnight".to_owned())));
    assert_eq!(Schedule::parse("every 0m"), Err(F::Every("0m".to_owned())));
    assert_eq!(Schedule::parse("at nine"), Err(F::At("nine".to_owned())));
    assert_eq!(Schedule::parse("at 2027-02-30 09:00"), Err(F::At("2027-02-30 09:00".to_owned())));
    for bad in [
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "a b c d e",
        "*/0 * * * *",
    ] {
        assert!(
            matches!(Schedule::parse(bad), Err(F::Cron(_))),
            "{bad}: {:?}",
            Schedule::parse(bad)
        );
    }
    for (far, says) in [
        ("*/100 * * * *", "`*/100` steps further than minutes go (0-59)"),
        ("0 5,*/30 * * *", "`*/30` steps further than hours go (0-23)"),
        ("*/90 * * * * *", "`every 90s`"),
        ("61 * * * *", "61 is none of the minutes (0-59)"),
        ("0 9 1-32 * *", "32 is none of the days of the month (1-31)"),
        ("0 0 * */13 *", "months"),
    ] {
        let fault = Schedule::parse(far).expect_err("refused").to_string();
        assert!(fault.contains(says), "{far}: {fault}");
    }
    for good in [
        "*/60 * * * *",
        "0 */24 * * *",
        "0 0 29 2 *",
        "@daily",
        "0 9 * * MON-FRI",
        "*/10 * * * * *",
        "Every 2h",
        "AT 2026-12-01 09:00",
    ] {
        assert!(Schedule::parse(good).is_ok(), "{good}");
    }
}

#[test]
fn seconds_in_a_gap_are_kept() {
    // 02:00 to 03:00 does not exist: each second of 02:30 and 03:00 falls into 03:00, once.
    let schedule = Schedule::parse("20,40 30 2 * * *").expect("valid");
    let found: Vec<String> =
        schedule.fires(at("2027-03-27T12:00:00Z"), 0, Tz::Europe__Oslo).take(3).map(utc).collect();
    assert_eq!(found, ["2027-03-28T01:00:20Z", "2027-03-28T01:00:40Z", "2027-03-29T00:30:20Z"]);
}

#[test]
fn the_nearest_two_times_are_known() {
    for (text, nearest) in [
        ("* * * * *", Some(60)),
        ("* * * * * *", Some(1)),
        ("5 * * * * *", Some(60)),
        ("0,50 0 9 * * *", Some(10)),
        ("every 90s", Some(90)),
        ("at 2027-01-01 09:00", None),
    ] {
        assert_eq!(Schedule::parse(text).expect("valid").nearest(), nearest, "{text}");
    }
}

#[test]
fn elapsed_time_never_loses_its_phase() {
    let schedule = Schedule::parse("every 30m").expect("valid");
    for after in [0, 1, 1_799, 1_800, 86_399, -5] {
        let next = schedule.next_after(after, 0, Tz::UTC).expect("fires");
        assert!(next > after && next % 1_800 == 0 && next > 0, "{after} → {next}");
    }
    assert_eq!(schedule.next_after(i64::MAX - 1, 0, Tz::UTC), None);
}

/// A field of a pattern and the numbers it means, by a reader of its own.
fn field(low: u32, high: u32) -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("*".to_owned()),
        3 => (low..=high).prop_map(|n| n.to_string()),
        1 => (2u32..=7).prop_map(|n| format!("*/{n}")),
        1 => (low..=high, low..=high).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
        1 => (low..=high, low..=high).prop_map(|(a, b)| format!("{a},{b}")),
    ]
}

fn means(text: &str, low: u32, high: u32, n: u32) -> bool {
    text.split(',').any(|part| {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let number = |text: &str| text.parse::<u32>().expect("a number");
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            Some((from, to)) => (number(from), number(to)),
            None => (number(range), number(range)),
        };
        (from..=to).contains(&n) && (n - from).is_multiple_of(number(step))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Against real time walked minute by minute with a look at the wall: two days around a clock change.
    #[test]
    fn every_wall_clock_time_fires_once(
        minute in field(0, 59), hour in field(0, 4), change in 0usize..4,
    ) {
        use chrono::{DateTime, Timelike};
        let (zone, start) = [
            (Tz::Europe__Oslo, "2027-03-27T12:00:00Z"),
            (Tz::Europe__Oslo, "2027-10-30T12:00:00Z"),
            (Tz::America__New_York, "2027-11-06T12:00:00Z"),
            (Tz::Australia__Lord_Howe, "2027-10-02T00:00:00Z"),
        ][change];
        let (start, end) = (at(start), at(start) + 36 * 3_600);
        let schedule = Schedule::parse(&format!("{minute} {hour} * * *")).expect("valid");
        let found: Vec<i64> =
            schedule.fires(start - 1, 0, zone).take_while(|at| *at < end).collect();
        let wall = |at: i64| DateTime::from_timestamp(at, 0).expect("in range").with_timezone(&zone).naive_local();
        let hit = |w: chrono::NaiveDateTime| means(&minute, 0, 59, w.minute()) && means(&hour, 0, 23, w.hour());
        let (mut seen, mut wanted, mut last) = (std::collections::HashSet::new(), Vec::new(), wall(start - 60));
        for now in (start..end).step_by(60) {
            let shown = wall(now);
            let mut fires = seen.insert(shown) && hit(shown);
            let mut skipped = last + chrono::TimeDelta::minutes(1);
            while skipped < shown {
                fires |= hit(skipped);
                skipped += chrono::TimeDelta::minutes(1);
            }
            if fires { wanted.push(now); }
            last = shown;
        }
        prop_assert_eq!(found, wanted);
    }
}
