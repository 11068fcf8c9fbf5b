//! What shells call: one module a domain, one function a command. Thin: what is more than a few lines
//! belongs to the part that does it.

pub mod approvals;
pub mod backups;
pub mod chat;
pub mod context;
pub mod cron;
pub mod doctor;
pub mod entries;
pub mod files;
pub mod guard;
pub mod heartbeat;
pub mod imports;
pub mod installs;
pub mod logs;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod notices;
pub mod persona;
pub mod providers;
pub mod secrets;
pub mod sessions;
pub mod settings;
pub mod signals;
pub mod skills;
pub mod undo;
pub mod usage;
