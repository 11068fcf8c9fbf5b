//! Workspaces on a real disk, driven through the public interface.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

mod interleaving;
mod opening;
mod refusals;
mod remembering;
mod saving;
mod support;
mod watching;
