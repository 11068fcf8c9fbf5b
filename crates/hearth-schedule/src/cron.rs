//! Cron patterns of five or six fields, gone through on the wall clock.
//!
//! croner is asked about a clock without zones; the zone comes in afterwards (`wall`), so that its own rules
//! for clock changes never apply.

use crate::schedule::ScheduleFault;
use crate::wall::{first_minute, instant};
use chrono::Datelike;
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Year};

/// A pattern, split into its minutes and the seconds within each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    minutes: Cron,
    seconds: Vec<i64>,
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, ScheduleFault> {
        let parser = CronParser::builder().year(Year::Disallowed).build();
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (seconds, minutes) = match fields.as_slice() {
            [name] if name.starts_with('@') => (None, (*name).to_owned()),
            [seconds, rest @ ..] if rest.len() == 5 => (Some(*seconds), rest.join(" ")),
            _ if fields.len() == 5 => (None, fields.join(" ")),
            _ => return Err(ScheduleFault::Fields(fields.len())),
        };
        for (field, text) in FIELDS.iter().skip(6 - fields.len().min(6)).zip(&fields) {
            field.check(text)?;
        }
        let broken = |error: croner::errors::CronError| ScheduleFault::Cron(said(&error));
        let minutes = parser.parse(&minutes).map_err(broken)?;
        let seconds = match seconds {
            None => vec![0],
            Some(field) => {
                let cron = parser.parse(&format!("{field} * * * * *")).map_err(broken)?;
                let hit = |second: &u32| cron.pattern.second_match(*second).unwrap_or(false);
                (0..60).filter(hit).map(i64::from).collect()
            }
        };
        match has_a_day(&minutes) {
            true => Ok(Self { minutes, seconds }),
            false => Err(ScheduleFault::Never),
        }
    }

    /// Seconds between two times, at least.
    pub(crate) fn nearest(&self) -> i64 {
        let next =
            self.seconds.iter().skip(1).copied().chain(self.seconds.first().map(|at| at + MINUTE));
        let gaps = self.seconds.iter().zip(next).map(|(at, next)| next - at);
        gaps.min().unwrap_or(MINUTE)
    }

    /// The first time after `after`.
    pub(crate) fn next_after(&self, after: i64, zone: Tz) -> Option<i64> {
        let mut minute = first_minute(after, zone).and_utc();
        let mut inclusive = true;
        loop {
            minute = self.minutes.find_next_occurrence(&minute, inclusive).ok()?;
            inclusive = false;
            let begins = instant(minute.naive_utc(), zone);
            let next = self.seconds.iter().map(|second| begins + second).find(|at| *at > after);
            if next.is_some() {
                return next;
            }
        }
    }
}

const MINUTE: i64 = 60;

/// A field and the numbers it takes.
struct Field {
    name: &'static str,
    range: &'static str,
    numbers: std::ops::RangeInclusive<u64>,
    count: u64,
    /// The unit of `every` that does what a longer step was meant to do.
    unit: &'static str,
}

const FIELDS: [Field; 6] = [
    Field { name: "seconds", range: "0-59", numbers: 0..=59, count: 60, unit: "s" },
    Field { name: "minutes", range: "0-59", numbers: 0..=59, count: 60, unit: "m" },
    Field { name: "hours", range: "0-23", numbers: 0..=23, count: 24, unit: "h" },
    Field { name: "days of the month", range: "1-31", numbers: 1..=31, count: 31, unit: "d" },
    Field { name: "months", range: "1-12", numbers: 1..=12, count: 12, unit: "" },
    Field { name: "weekdays", range: "0-6", numbers: 0..=7, count: 7, unit: "" },
];

impl Field {
    /// Says by its name what croner says without, or takes: a number that the field has not, and a step that is
    /// longer than the field, which fires at its first number alone.
    fn check(&self, text: &str) -> Result<(), ScheduleFault> {
        for part in text.split(',') {
            let (numbers, step) = part.split_once('/').unwrap_or((part, ""));
            let strange = |text: &&str| {
                text.parse::<u64>().is_ok_and(|number| !self.numbers.contains(&number))
            };
            if let Some(strange) = numbers.split('-').find(strange) {
                let why = format!("{strange} is none of the {} ({})", self.name, self.range);
                return Err(ScheduleFault::Cron(why));
            }
            if step.parse::<u64>().is_ok_and(|step| step > self.count) {
                return Err(self.too_far(part, step));
            }
        }
        Ok(())
    }

    fn too_far(&self, part: &str, step: &str) -> ScheduleFault {
        let way = match self.unit {
            "" => String::new(),
            unit => format!("; `every {step}{unit}` counts on"),
        };
        ScheduleFault::Step { part: part.to_owned(), field: self.name, range: self.range, way }
    }
}

/// Whether any day fits: after 28 years weekdays and leap days come round again. croner itself would look
/// until the year 5000.
fn has_a_day(cron: &Cron) -> bool {
    let first = chrono::NaiveDate::from_ymd_opt(2000, 1, 1).unwrap_or_default();
    first.iter_days().take(28 * 366).any(|day| {
        let month = cron.pattern.month_match(day.month()).unwrap_or(false);
        month && cron.pattern.day_match(day.year(), day.month(), day.day()).unwrap_or(false)
    })
}

/// croner's sentence without its own names.
fn said(error: &croner::errors::CronError) -> String {
    let text = error.to_string();
    let text = ["Invalid pattern: ", "Pattern contains illegal characters: ", "Component error: "]
        .iter()
        .find_map(|head| text.strip_prefix(head))
        .unwrap_or(&text);
    text.trim_end_matches('.').replace("CronPattern", "it")
}
