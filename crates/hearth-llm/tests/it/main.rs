//! Tests of the public interface, on recorded replies and against scripted servers on loopback.

#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

mod calls;
mod encode;
mod faults;
mod fuzz;
mod servers;
mod support;
mod tokens;
mod wire;
