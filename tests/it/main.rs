//! Integration tests of the engine: real stores, real files, a scripted model server on loopback.

mod faults;
mod formats;
mod sessions;
mod steering;
mod workspace;
