//! What the assistant can do: the tools, each with one descriptor, and the registry that offers them.
//!
//! Invariants: a tool runs only with arguments that fit its schema (the turn checks them first); a
//! failed tool is an [`Outcome`] that the model reads, never an error of the program; a tool touches
//! nothing but what its descriptor says.
//! Absent here: whether a call may run (policy) and what is done with its result (the turn).

mod call;
mod cron;
mod exec;
mod files;
pub mod mcp;
mod memory;
mod notify;
mod outputs;
mod outside;
mod page;
pub mod pdf;
mod reach;
mod registry;
pub mod sandbox;
mod search;
mod web;

pub use call::{Extras, Invocation, LiveOutput, Outcome};
pub use cron::{Cron, Planned, Planner};
pub use memory::{Note, Notebook, memory_tools};
pub use notify::{Announce, Notify};
pub use outputs::Outputs;
pub use reach::{Reach, Surroundings};
pub use registry::{Access, Descriptor, Group, Registry, Schema, Tool};
pub use web::address::{check_url, is_public};
pub use web::search::{SearchKey, SearchKind, WebSearch};
