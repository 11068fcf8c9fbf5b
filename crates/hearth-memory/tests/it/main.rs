//! Memory over a workspace on disk.
#![expect(clippy::unwrap_used, reason = "tests; the lint knows only the functions marked so")]

mod index;
mod literals;
mod quality;
mod support;
