//! Integration tests of the engine: real stores, real files, a scripted model server on loopback.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails; one whose model is missing says so"
)]

mod entries;
mod faults;
mod formats;
mod sessions;
mod steering;
mod weights;
mod workspace;
