//! One module a command family: call the engine, show the rows.

pub(crate) mod approvals;
pub(crate) mod ask;
pub(crate) mod backups;
pub(crate) mod chat;
pub(crate) mod context;
pub(crate) mod cron;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod guard;
pub(crate) mod heartbeat;
pub(crate) mod imports;
pub(crate) mod installs;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod signals;
pub(crate) mod skills;
pub(crate) mod system;
