//! Markdown on disk: the persona files, memory and logs of a workspace.
//!
//! Invariants: nothing outside the workspace folder is read or written; a file that cannot be
//! understood is refused and left untouched; no content is overwritten before the [`Journal`] holds
//! it; every write compares the disk with what the edit started from.
//! Absent here: the database of versions (it stands behind [`Journal`]), prompt assembly,
//! async. Calls block on the disk: run them on a thread that may wait.

#[cfg(all(test, unix))]
mod crash_tests;
mod disk;
mod entries;
mod error;
mod heartbeat;
mod identity;
mod inject;
mod journal;
mod load;
mod merge;
mod observe;
mod path;
mod persona;
mod problems;
mod remember;
mod reshape;
mod root;
mod save;
mod shape;
pub mod skills;
mod stock;
mod style;
mod template;
mod watch;

pub use entries::{
    Draft, Entry, EntryFault, Status, append_entry, edit_entry, entries, entries_of, foreign,
    framed, inject_memory, loose_lines, mark_entry, name_bullets, remove_entry, supersede_entry,
};
pub use error::{PathFault, WorkspaceError};
pub use heartbeat::{Heartbeat, Item, heartbeat, skill_of};
pub use identity::{Identity, identity};
pub use inject::{Budget, DEFAULT_FILE_CHARS, DEFAULT_TOTAL_CHARS, Injected, distribute, inject};
pub use journal::{Attribution, Journal, JournalError, Version};
pub use load::Loaded;
pub use merge::{Merge, merge};
pub use observe::{Observation, Seen, Unkept};
pub use path::check_path;
pub use persona::{PersonaFile, Run, daily_log_path};
pub use problems::problems;
pub use remember::Held;
pub use reshape::{Reshaped, Reshaping};
pub use root::{FolderEntry, Listed, MAX_FILE_BYTES, WorkspaceRoot, hash};
pub use shape::{Reshape, Shape};
pub use template::{Language, template};
pub use watch::Watch;
