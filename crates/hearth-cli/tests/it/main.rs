//! The real binary against a scripted model server: events, exit statuses, two processes, crashes.

mod ask;
mod crash;
mod processes;
mod rows;
mod support;
