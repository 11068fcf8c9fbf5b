//! When: schedules (cron, `every`, `at`) on a zone's clock, quiet hours, and moments as people write them.
//!
//! Invariants: pure, no clock of its own; times are Unix seconds; a wall-clock time that does not exist counts
//! as the next minute that does, one that exists twice is its first occurrence; so each wall-clock time of a
//! schedule fires once, and two that fall on one instant fire once.
//! Absent here: what happens when it is time, and the ledger of what happened.

mod cron;
mod moment;
mod quiet;
mod schedule;
mod span;
mod wall;

pub use chrono_tz::Tz;
pub use moment::{local, moment, utc};
pub use quiet::Quiet;
pub use schedule::{Fires, NEAREST, Schedule, ScheduleFault};
pub use span::span;
pub use wall::instant;
