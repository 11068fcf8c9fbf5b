//! May this happen? Policy, limits of arguments, what a command line would run, taint, redaction of
//! secrets, and the chain that an audit log is made of.
//!
//! Invariants: deny wins; what is not understood is asked about, never allowed; nothing here trusts the
//! model. No clock, no network, no database; the file system is only looked at: to follow links, and
//! for what a repository's settings would run.
//! Absent here: asking people and remembering their answers, running tools, storing the audit log
//! (hearth-engine and hearth-store), the sandbox and the check of the address connected to (hearth-tools).

pub mod chain;
pub mod class;
pub mod command;
mod part;
pub mod path;
pub mod place;
pub mod policy;
pub mod redact;
pub mod repository;
pub mod request;
pub mod resolve;
pub mod taint;

pub use class::Class;
pub use command::Shell;
pub use policy::{Mistake, Places, Policy, Profile, Rules, entry_fault};
pub use request::{Answers, Judgement, Request, Scope, Verdict};
pub use taint::{Source, Taint, Trust};
