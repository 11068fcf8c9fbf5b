//! The real binary against a scripted model server: events, exit statuses, two processes, crashes.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod ask;
mod backups;
mod crash;
mod heartbeat;
mod imports;
mod installs;
mod memory;
mod plainly;
mod processes;
mod rough;
mod rows;
mod signals;
mod support;
