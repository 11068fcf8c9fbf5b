//! Tests of the ledger through its public calls, in one binary.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test; a child process tells its parent by standard output"
)]

mod approvals;
mod compactions;
mod conversation;
mod history;
mod ledgers;
mod opening;
mod recovery;
mod slots;
mod support;
mod transfer;
