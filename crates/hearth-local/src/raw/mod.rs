//! The only unsafe code of the crate: mapping the file and viewing its bytes as blocks
//! (`mapping`), writing one output matrix from several threads (`columns`), and
//! calling code compiled for vector instructions the processor was seen to have
//! (`vector`, `tile`, `single`).
//!
//! Every function offered here is safe to call: arguments are checked, not trusted.

pub(crate) mod columns;
pub(crate) mod mapping;
#[cfg(target_arch = "x86_64")]
mod single;
#[cfg(target_arch = "x86_64")]
pub(crate) mod tile;
pub(crate) mod vector;
