//! Memory over a workspace on disk.
#![expect(clippy::unwrap_used, reason = "tests; the lint knows only the functions marked so")]

mod chinese;
mod conversations;
mod crash;
mod forgetting;
mod index;
mod literals;
mod own;
mod quality;
mod support;
mod vectors;
