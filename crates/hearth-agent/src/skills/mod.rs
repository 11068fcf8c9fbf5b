//! Skills: which one a message asks for, what the prompt says of them, which are active and until when.
//!
//! Invariants: decisions are a function of the skills at hand, the message and, if given, the nearness in
//! meaning; each carries its scores and reasons, so it can be replayed; nothing here reads a body.
//! Absent here: files (`hearth_workspace::skills`), vectors (`hearth-embed`), performing (`hearth-engine`).

mod active;
mod asked;
mod index;
mod meaning;
mod narrow;
mod rank;
mod self_check;
mod talk;
mod thesaurus;
mod words;

pub use active::{Activated, Active, Ended, Ledger, MAX_DEPTH};
pub use asked::{Asked, asked};
pub use index::{
    INDEX_TOKENS, Indexed, SMALL_INDEX_TOKENS, index_text, nearest_text, small_index_text,
};
pub use meaning::{Meaning, Nearness, Tasks};
pub use narrow::{Allowed, allowed, fits, narrowed};
pub use rank::{Candidate, Decision, Matcher, Ranked};
pub use self_check::{Tick, ticks};
