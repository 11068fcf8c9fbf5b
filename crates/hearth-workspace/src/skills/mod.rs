//! Skills on disk: folders with a SKILL.md, read leniently and reported strictly.
//!
//! Invariants: any bytes at all are read without failing, what is odd has a code; a body is read when its
//! file has changed, and when a skill is activated, never for a look-up; nothing is followed out of a
//! skill's folder; folders are read in byte order, so the same files give the same list.
//! Absent here: which skill a message asks for (`hearth_agent::skills`), running scripts.

mod body;
mod bundled;
mod fields;
mod front;
mod gates;
mod install;
mod lines;
mod metadata;
mod name;
mod programs;
mod read;
mod registry;
mod text;
mod uses;
mod walk;
mod warning;
mod yaml;

pub use bundled::unpack_bundled;
pub use gates::{Machine, gate, gate_of_message};
pub use install::{InstallError, Offer, origin, remove, removed, restore};
pub use programs::Programs;
pub use read::{SkillFile, read_skill};
pub use registry::{Body, Found, SkillRoot, Skills};
pub use warning::Warning;

/// About how many tokens a text has. Rough, and quick: for lists of thousands.
#[must_use]
pub fn rough_tokens(text: &str) -> u64 {
    let (mut dense, mut other) = (0_u64, 0_u64);
    for c in text.chars() {
        if c >= '\u{2e80}' {
            dense += 1;
        } else {
            other += 1;
        }
    }
    dense * 4 / 5 + other.div_ceil(4)
}
