//! Composes the level-1 crates and drives turns: settings, home, lanes, event bus, models, and the
//! functions that every shell calls (`api::<domain>::<verb>`).
//!
//! Invariants: shells only adapt, all behaviour is here or below; one process owns a home; nothing in this
//! crate knows Tauri or a terminal.
//! Absent here: deciding what a turn does next (`hearth-agent`) and how anything is stored or sent.

/// Of every process with an engine in it, of SQLite and the other C in it too (the feature `unprefixed_malloc…`).
/// The system's allocator keeps a heap for each of the many threads, and after thousands of turns holds much more
/// than is in use; those of macOS and Windows do not.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

pub mod api;
mod attach;
mod audit;
mod backup;
mod beat;
mod borrowed;
mod bus;
mod catalogue;
mod clock;
mod consents;
pub mod door;
mod driver;
mod engine;
mod flushing;
mod guard;
mod hands;
mod home;
mod host;
mod http;
mod importing;
mod lanes;
mod ledger;
pub mod logging;
mod masking;
mod meeting;
mod models;
mod notebook;
mod outdated;
mod pasted;
mod persona;
mod recalling;
mod recollection;
mod remembering;
mod reshaped;
mod session_bus;
pub mod settings;
mod skills;
mod spoken;
mod surviving;
mod taints;
mod turns;
mod unkept;
mod vault;
mod watching;
mod words;

pub use bus::{Bus, Heard, Listener};
pub use clock::zone;
pub use engine::{Access, Engine, OpenOptions};
pub use hearth_memory::EvalOptions;
pub use home::{Home, HomeError};
pub use host::{Host, Notice, Quiet, Shown};
