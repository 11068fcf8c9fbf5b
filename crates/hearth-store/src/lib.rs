//! `hearth.db`: the ledger of conversations, usage and versions of workspace files.
//!
//! Invariants: each public writing call is one transaction, so a kill leaves all of it or none; rows
//! become protocol types here, once; [`Store::recover`] makes every session well formed; nothing is
//! ever deleted because it cannot be read.
//! Absent here: the clock (callers pass times), files of the workspace, search, and what any of it means.

mod approvals;
mod audit;
mod beats;
mod budget;
mod compactions;
mod db;
mod entries;
mod error;
mod event_log;
mod events;
mod forgetting;
mod history;
mod jobs;
mod manifests;
mod messages;
mod meta;
mod notices;
mod recallable;
mod recovery;
mod reshaped;
mod revisions;
mod rewind;
mod rim;
mod sessions;
mod skills;
mod slots;
mod transcript;
mod transfer;
mod turns;
mod usage;

pub use approvals::NewApproval;
pub use audit::{AuditHead, AuditRow};
pub use budget::{Estimate, Limits, Refusal, Reservation, ReservationId, Scope};
pub use compactions::{Compaction, NewCompaction, Window};
pub use db::Store;
pub use entries::{StoredConflict, Superseded, Unflushed};
pub use error::{Result, StoreError};
pub use event_log::EventLog;
pub use forgetting::{Forgetting, Forgotten, Masked};
pub use history::{Brought, History};
pub use jobs::StoredJob;
pub use manifests::StoredManifest;
pub use notices::NewNotice;
pub use recallable::Stretch;
pub use recovery::Recovered;
pub use reshaped::ReshapedRow;
pub use revisions::{Change, Content, unified_diff};
pub use slots::{DueSlots, MissedSlots};
pub use transfer::Imported;
pub use turns::{NewTurn, Partial, Turn, TurnState};
pub use usage::{Spent, UsageEntry};
