//! Integration tests of the engine: real stores, real files, a scripted model server on loopback.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails; one whose model is missing says so"
)]

mod approvals;
mod attacks;
mod batches;
mod beating;
mod commanded;
mod context;
mod endurance;
mod entries;
mod faults;
mod flushing;
mod formats;
mod guard;
mod heartbeat;
mod marks;
mod panics;
mod sessions;
mod skills;
mod small;
mod speaking;
mod steering;
mod tools;
mod transfer;
mod trials;
mod undoing;
mod waiting;
mod weights;
mod workspace;
