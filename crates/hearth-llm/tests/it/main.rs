//! Tests of the public interface, on recorded replies and against scripted servers on loopback.

mod calls;
mod encode;
mod faults;
mod fuzz;
mod servers;
mod support;
mod tokens;
mod wire;
