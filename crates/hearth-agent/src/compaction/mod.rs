//! Keeping a conversation within a model's window without losing its thread.
//!
//! Order of defence ([`Defence`]): limit turns, cut tool results, summarise the early history, a model with a
//! larger window, less thinking, and at last asking the person to start anew.
//!
//! Invariants:
//! * A call is never parted from its result: what stays begins at a safe place ([`safe_starts`]).
//! * Each pass shrinks the context or the next measure is taken, so the defence always ends.
//! * A summary holds the person's last request and up to twelve identifiers verbatim, whatever a model wrote.
//! * The stored messages are not changed here or by anyone who acts on this.
//!
//! Absent here: model calls, the clock (the whole step's time limit is the engine's), storing, flushing.

mod cuts;
mod defence;
mod extract;
mod identifiers;
mod limits;
mod prune;
mod strategies;
mod summary;
mod transcript;

pub(crate) use transcript::clipped;

pub use cuts::{Start, current_turn, safe_starts};
pub use defence::{Defence, Measure};
pub use extract::extract;
pub use identifiers::{MOST_IDENTIFIERS, identifiers};
pub use limits::Limits;
pub use prune::{Prune, prune};
pub use strategies::{Deep, Plan, Strategy, View, strategy};
pub use summary::{Ask, Brief, Next, Summarising, Summary, Writer};
