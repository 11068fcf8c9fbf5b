//! Decide, apart from do: the turn as a pure state machine, the prompt's assembly, the mending of
//! histories and tool arguments, the control commands and the memory of seen messages.
//!
//! Invariants: no IO, no clock, no randomness, no async; time and ids are given from outside, so every
//! decision can be tested in milliseconds. Absent here: performing effects (`hearth-engine`).

pub mod arguments;
pub mod beat;
pub mod commands;
pub mod compaction;
pub mod cut;
pub mod dedup;
pub mod flush;
pub mod history;
pub mod machine;
pub mod prompt;
mod schema;

pub mod signals;
pub mod skills;
pub mod survival;
pub mod think;
mod tokens;
pub mod toolbox;

pub use tokens::TokenCounter;
