//! Everything a source holds, in memory, checked as it comes in.
//!
//! Invariants: no path leads elsewhere, no two are one file on some system, and the bounds on number and
//! size hold at every moment. The hash depends on paths and content alone, so a folder, a zip and a clone
//! of the same files have the same one.

use super::error::{InstallError, Result};
use super::names::{self, Taken, shown};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;

const MB: u64 = 1024 * 1024;
/// Files and folders of one source.
pub(super) const MAX_ENTRIES: usize = 2_000;
/// Bytes of one source.
pub(super) const MAX_TOTAL: u64 = 32 * MB;
/// Bytes of one file.
pub(super) const MAX_FILE: u64 = 16 * MB;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) bytes: Vec<u8>,
    /// Its author marked it as a program.
    pub(super) runs: bool,
}

/// Files by path, sorted.
pub(super) type Files = BTreeMap<String, Item>;

/// A source's files.
#[derive(Debug, Default)]
pub(super) struct Parcel {
    files: Files,
    taken: Taken,
    entries: usize,
    bytes: u64,
}

impl Parcel {
    /// Counts a file or folder that was met, whatever becomes of it.
    pub(super) fn count(&mut self) -> Result<()> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(InstallError::TooMany { limit: MAX_ENTRIES });
        }
        Ok(())
    }

    /// Reads a file in. At most one byte more than is allowed is read.
    pub(super) fn add(&mut self, path: &str, runs: bool, content: impl Read) -> Result<()> {
        names::check(path)?;
        self.taken.take(path)?;
        let room = MAX_FILE.min(MAX_TOTAL.saturating_sub(self.bytes));
        let mut bytes = Vec::new();
        let read = content.take(room + 1).read_to_end(&mut bytes);
        read.map_err(|source| InstallError::Io { path: shown(path), source })?;
        let length = bytes.len() as u64;
        if length > MAX_FILE {
            return Err(InstallError::FileTooLarge { path: shown(path), limit: MAX_FILE / MB });
        }
        if length > room {
            return Err(InstallError::TooLarge { limit: MAX_TOTAL / MB });
        }
        self.bytes += length;
        self.files.insert(path.to_owned(), Item { bytes, runs });
        Ok(())
    }

    /// Bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All files.
    pub(super) fn into_files(self) -> Files {
        self.files
    }
}

/// SHA-256 over every path and content, in hexadecimal.
pub(super) fn hash(files: &Files) -> String {
    let mut sum = Sha256::new();
    for (path, item) in files {
        sum.update((path.len() as u64).to_le_bytes());
        sum.update(path.as_bytes());
        sum.update((item.bytes.len() as u64).to_le_bytes());
        sum.update(&item.bytes);
    }
    hex(&sum.finalize())
}

/// SHA-256 of one content, in hexadecimal.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(rows: &[(&str, &str)]) -> Files {
        let mut parcel = Parcel::default();
        for (path, text) in rows {
            parcel.add(path, false, text.as_bytes()).unwrap();
        }
        parcel.into_files()
    }

    #[test]
    fn the_hash_tells_every_difference() {
        let base = hash(&files(&[("a", "xy"), ("b", "")]));
        assert_eq!(base, hash(&files(&[("b", ""), ("a", "xy")])));
        for other in [
            files(&[("a", "x"), ("b", "y")]),
            files(&[("a", "xy")]),
            files(&[("ab", "xy"), ("b", "")]),
            files(&[("a", "xy"), ("b", "\0")]),
        ] {
            assert_ne!(base, hash(&other));
        }
        assert_eq!(base.len(), 64);
    }

    #[test]
    fn bounds_hold_while_it_comes_in() {
        let endless = std::io::repeat(b'x');
        let refused = Parcel::default().add("a", false, endless).unwrap_err();
        assert!(matches!(refused, InstallError::FileTooLarge { .. }));

        let mut parcel = Parcel::default();
        let part = |size: u64| std::io::repeat(b'x').take(size);
        parcel.add("a", false, part(MAX_FILE)).unwrap();
        parcel.add("b", false, part(MAX_TOTAL - MAX_FILE)).unwrap();
        parcel.add("c", false, part(0)).unwrap();
        let refused = parcel.add("d", false, part(1)).unwrap_err();
        assert!(matches!(refused, InstallError::TooLarge { .. }));

        let mut parcel = Parcel::default();
        assert!((0..MAX_ENTRIES).all(|_| parcel.count().is_ok()));
        assert!(matches!(parcel.count(), Err(InstallError::TooMany { .. })));
    }
}
