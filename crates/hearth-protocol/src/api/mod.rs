//! Requests and responses of each command, by domain. The desktop's commands, the command line and
//! the tests all use these.

pub mod approvals;
pub mod chat;
pub mod entries;
pub mod files;
pub mod guard;
pub mod heartbeat;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod persona;
pub mod settings;
pub mod skills;
pub mod system;
pub mod transfer;
pub mod updates;
