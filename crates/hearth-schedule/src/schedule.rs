//! The three kinds of schedule behind one face.

use crate::cron::Pattern;
use crate::moment::Written;
use crate::span::span;
use chrono_tz::Tz;
use thiserror::Error;

/// When something fires.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Wall-clock times of the zone.
    Cron(Box<Pattern>),
    /// Elapsed seconds from an anchor; clocks do not matter.
    Every(i64),
    /// One time.
    At(Written),
}

/// Seconds between two times of something that asks a model, at least.
pub const NEAREST: i64 = 60;

/// Why a text is no schedule, and what one looks like.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScheduleFault {
    /// There is nothing.
    #[error(
        "the schedule is empty: write cron (`0 9 * * 1-5`), `every 2h` or `at 2026-12-01 09:00`"
    )]
    Empty,
    /// Neither five nor six fields.
    #[error(
        "cron has five fields (minute hour day month weekday) or six (seconds first), not {0}; \
         `every 2h` and `at 2026-12-01 09:00` are understood too"
    )]
    Fields(usize),
    /// A field that cannot be.
    #[error("this cron cannot be read: {0}")]
    Cron(String),
    /// A step that leads out of its field at once.
    #[error(
        "this cron cannot be read: `{part}` steps further than {field} go ({range}), so it would fire at the \
         first alone{way}"
    )]
    Step {
        /// As written.
        part: String,
        /// The field's name.
        field: &'static str,
        /// Its numbers.
        range: &'static str,
        /// What to write instead, where there is something.
        way: String,
    },
    /// No such day.
    #[error("this cron never fires: no month has such a day")]
    Never,
    /// `every` without a length of time.
    #[error(
        "`every {0}` is no length of time: write a number and s, m, h or d, such as `every 90m`"
    )]
    Every(String),
    /// `at` without a time.
    #[error("`at {0}` is no time: write it as `at 2026-12-01 09:00`")]
    At(String),
}

impl Schedule {
    /// Reads cron of five or six fields, `every 2h` or `at 2026-12-01 09:00`.
    ///
    /// # Errors
    /// [`ScheduleFault`], in words for people.
    pub fn parse(text: &str) -> Result<Self, ScheduleFault> {
        let text = text.trim();
        let word = |name: &str| {
            let (head, rest) = text.split_at_checked(name.len())?;
            let apart = rest.starts_with(char::is_whitespace) || rest.is_empty();
            (head.eq_ignore_ascii_case(name) && apart).then(|| rest.trim())
        };
        if text.is_empty() {
            return Err(ScheduleFault::Empty);
        }
        if let Some(rest) = word("every") {
            let length = span(rest).ok_or_else(|| ScheduleFault::Every(rest.to_owned()))?;
            return Ok(Self(Kind::Every(length)));
        }
        if let Some(rest) = word("at") {
            let time = Written::read(rest).ok_or_else(|| ScheduleFault::At(rest.to_owned()))?;
            return Ok(Self(Kind::At(time)));
        }
        Pattern::parse(text).map(Box::new).map(Kind::Cron).map(Self)
    }

    /// Fires each `seconds` after the anchor.
    #[must_use]
    pub fn every(seconds: i64) -> Self {
        Self(Kind::Every(seconds.max(1)))
    }

    /// Whether it fires one time only.
    #[must_use]
    pub fn is_once(&self) -> bool {
        matches!(self.0, Kind::At(_))
    }

    /// Whether it counts elapsed time from its anchor.
    #[must_use]
    pub fn is_elapsed(&self) -> bool {
        matches!(self.0, Kind::Every(_))
    }

    /// Seconds between two times that are nearest to each other, at least; none where it fires once.
    #[must_use]
    pub fn nearest(&self) -> Option<i64> {
        match &self.0 {
            Kind::Cron(pattern) => Some(pattern.nearest()),
            Kind::Every(length) => Some(*length),
            Kind::At(_) => None,
        }
    }

    /// The first time after `after`. `anchor` is where `every` counts from.
    #[must_use]
    pub fn next_after(&self, after: i64, anchor: i64, zone: Tz) -> Option<i64> {
        match &self.0 {
            Kind::Cron(pattern) => pattern.next_after(after, zone),
            Kind::Every(length) => {
                let passed = after.checked_sub(anchor)?.div_euclid(*length).max(0);
                anchor.checked_add(passed.checked_add(1)?.checked_mul(*length)?)
            }
            Kind::At(time) => Some(time.instant(zone)).filter(|at| *at > after),
        }
    }

    /// All times after `after`, in order.
    #[must_use]
    pub fn fires(&self, after: i64, anchor: i64, zone: Tz) -> Fires<'_> {
        Fires { schedule: self, after, anchor, zone }
    }
}

/// Times of a schedule, in order.
#[derive(Debug)]
pub struct Fires<'a> {
    schedule: &'a Schedule,
    after: i64,
    anchor: i64,
    zone: Tz,
}

impl Iterator for Fires<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let next = self.schedule.next_after(self.after, self.anchor, self.zone)?;
        self.after = next;
        Some(next)
    }
}
