//! Skills on disk: each form of SKILL.md, the registry over several sources, gates.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

mod cases;
mod gates;
mod registry;
