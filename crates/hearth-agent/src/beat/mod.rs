//! The heartbeat's decisions: what a reply says, whether it is shown, which slots run, when a failing job
//! rests.
//!
//! Invariants: silence is the default and needs no model's good will; text that may be an alert is never lost;
//! a slot runs at most once. Absent here: the clock, the ledger, asking models, showing notices,
//! and the words for people.

mod like;
mod markup;
mod plan;
mod prompt;
mod reply;
mod speak;

pub use like::is_like;
pub use plan::{Due, GRACE, JobClock, Late, MOST_FAILURES, MissedWhy, Stretch, due, rest_after};
pub use prompt::{Ask, words};
pub use reply::{Said, Silence, read};
pub use speak::{Around, Held, REPEAT_SECONDS, Speech, speak};
