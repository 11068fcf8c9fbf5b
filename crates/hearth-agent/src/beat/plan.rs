//! Which slots of a job are due, which of them runs, and what becomes of the others.
//!
//! Invariants: of the slots that are due together at most one runs; each of the others is missed, with its
//! reason; the phase of a schedule depends on its anchor alone, so a restart never moves it. The ledger
//! refuses a slot that ran before, so a clock that is put back runs nothing twice.

use hearth_protocol::api::heartbeat::MissedPolicy;
use hearth_schedule::{Schedule, Tz};

/// A slot that is not later than this runs as if it were on time.
pub const GRACE: i64 = 60;
/// After so many failures in a row a job rests until the person says otherwise.
pub const MOST_FAILURES: u32 = 10;
/// Seconds that a job rests after each failure in a row.
const RESTS: [i64; 5] = [30, 60, 300, 900, 3_600];
/// Slots of one stretch that are counted one by one.
const COUNTED: usize = 10_000;
/// What is looked at anew after so many; the slots between are in the stretch all the same.
const TAIL: i64 = 3_700;

/// How long a job rests after so many failures in a row.
#[must_use]
pub fn rest_after(failures: u32) -> i64 {
    let index = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    RESTS[index.min(RESTS.len() - 1)]
}

/// A job as its clock sees it.
#[derive(Debug, Clone, Copy)]
pub struct JobClock<'a> {
    /// When it fires.
    pub schedule: &'a Schedule,
    /// On which clock.
    pub zone: Tz,
    /// Where `every` counts from.
    pub anchor: i64,
    /// Slots up to here are dealt with.
    pub cursor: i64,
    /// It failed, and is tried again then; own slots before are missed.
    pub retry_at: Option<i64>,
    /// What becomes of slots that passed.
    pub policy: MissedPolicy,
    /// A run of it is not over yet.
    pub running: bool,
}

/// Why slots did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissedWhy {
    /// Nothing ran at the time, and one later slot stands for all.
    Stood,
    /// Nothing ran at the time, and the policy says so.
    Asleep,
    /// The run before was not over.
    Busy,
    /// It rested after failures.
    Resting,
}

/// Slots that are missed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first.
    pub from: i64,
    /// The last.
    pub to: i64,
    /// How many; of very many, those that were counted.
    pub count: u64,
    /// Why.
    pub why: MissedWhy,
    /// The person is asked whether it shall run.
    pub asks: bool,
}

/// A slot to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// Its time.
    pub slot: i64,
    /// It is later than [`GRACE`].
    pub late: bool,
}

/// What is due.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// The slot that runs now.
    pub run: Option<Late>,
    /// Those that do not.
    pub missed: Vec<Stretch>,
    /// Slots up to here are dealt with now.
    pub cursor: i64,
    /// When to look again; none: never.
    pub next: Option<i64>,
}

/// What of a job is due at `now`.
#[must_use]
pub fn due(job: &JobClock<'_>, now: i64) -> Due {
    // A clock that was put back: what is between comes again, and the ledger knows what ran.
    let cursor = job.cursor.min(now);
    let after = |at: i64| job.schedule.next_after(at, job.anchor, job.zone);
    let mut due = Due { cursor: now, next: after(now), ..Due::default() };
    let own = Slots::between(job, cursor, now);
    let retry = job.retry_at.filter(|at| *at <= now);
    let waits = job.retry_at.filter(|at| *at > now);
    if let Some(at) = waits {
        due.next = Some(at);
        due.missed.extend(own.stretch(MissedWhy::Resting, false));
        return due;
    }
    let last = own.last.max(retry);
    let Some(last) = last else { return due };
    if job.running {
        due.missed.extend(own.with(retry).stretch(MissedWhy::Busy, false));
        return due;
    }
    let late = now - last > GRACE;
    match job.policy {
        _ if !late => {}
        MissedPolicy::RunOnce => {}
        MissedPolicy::Skip | MissedPolicy::Ask => {
            let asks = job.policy == MissedPolicy::Ask;
            due.missed.extend(own.with(retry).stretch(MissedWhy::Asleep, asks));
            return due;
        }
    }
    due.run = Some(Late { slot: last, late });
    let before = Slots::between(job, cursor, last - 1).with(retry.filter(|at| *at < last));
    let why = if retry.is_some() { MissedWhy::Resting } else { MissedWhy::Stood };
    due.missed.extend(before.stretch(why, false));
    due
}

/// Slots of a stretch of time.
#[derive(Debug, Clone, Copy, Default)]
struct Slots {
    first: Option<i64>,
    last: Option<i64>,
    count: u64,
}

impl Slots {
    /// Those after `from`, up to and with `to`.
    fn between(job: &JobClock<'_>, from: i64, to: i64) -> Self {
        let mut slots = Self::default();
        let mut take = |from: i64| {
            let fires = job.schedule.fires(from, job.anchor, job.zone);
            let mut full = false;
            for (index, at) in fires.take_while(|at| *at <= to).enumerate() {
                full = index + 1 == COUNTED;
                slots.first.get_or_insert(at);
                slots.last = Some(at);
                slots.count += 1;
                if full {
                    break;
                }
            }
            full
        };
        if take(from) {
            let tail = slots.last.unwrap_or(from).max(to - TAIL);
            let mut take_tail = |from: i64| {
                let fires = job.schedule.fires(from, job.anchor, job.zone);
                for at in fires.take_while(|at| *at <= to) {
                    slots.last = Some(at);
                    slots.count += 1;
                }
            };
            take_tail(tail);
        }
        slots
    }

    /// With one more.
    fn with(self, other: Option<i64>) -> Self {
        let Some(at) = other else { return self };
        Self {
            first: Some(self.first.map_or(at, |first| first.min(at))),
            last: Some(self.last.map_or(at, |last| last.max(at))),
            count: self.count + 1,
        }
    }

    fn stretch(self, why: MissedWhy, asks: bool) -> Option<Stretch> {
        Some(Stretch { from: self.first?, to: self.last?, count: self.count, why, asks })
    }
}
