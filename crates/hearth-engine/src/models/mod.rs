//! The built-in models' files: what there is, what is here, and getting the rest.
//!
//! Absent here: running a model (`hearth-local`) and talking to servers (`hearth-llm`).

mod digest;
mod e5;
mod fetch;
pub(crate) mod manifest;
mod package;
mod pull;
mod shelf;

pub(crate) use pull::Pulls;
pub(crate) use shelf::Shelf;
