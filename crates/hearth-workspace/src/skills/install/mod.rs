//! Installing skills from a folder, a zip file or a git address.
//!
//! Invariants: a source is read whole and checked whole before anything is written, and refused whole with
//! one reason; what is installed is what was shown (by the hash of its content); where it came from stays
//! beside it; a skill that goes, or is replaced, is set aside and can be brought back. Nothing that comes
//! with a skill is run here. Absent here: asking the person, and which folder it goes to.

mod archive;
mod error;
mod folder;
mod git;
mod names;
mod offer;
mod parcel;
mod place;
mod rights;

pub use error::InstallError;
pub(crate) use error::{Result, trouble};
pub use offer::Offer;
pub(crate) use place::make_runnable;
pub use place::{origin, remove, removed, restore};

#[cfg(test)]
mod tests;
