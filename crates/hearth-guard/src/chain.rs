//! The chain that an audit log is made of: each entry's hash covers its content and the hash before.
//!
//! Invariants: any change, removal, insertion or reordering of entries is found at the first entry
//! concerned; the end of the log is held by a head that is stored beside it, so that cutting the end off
//! is found too. A chain that is broken is closed by beginning a new one, never mended.
//! Absent here: storing (hearth-store), what is worth an entry (the engine).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What stands before the first entry of a chain.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What happened, before it is part of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Unix seconds.
    pub at: i64,
    /// What kind of thing: `tool_call`, `file_write`, `send`, `approval`, `secret`, `chain`.
    pub kind: String,
    /// The session; empty where there is none.
    pub session: String,
    /// The turn; empty where there is none.
    pub turn: String,
    /// What happened, as one JSON object, secrets masked. Stored as this very text.
    pub body: String,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// From 1, without gaps, over all chains.
    pub seq: i64,
    /// Which chain, from 1.
    pub chain: i64,
    /// What happened.
    #[serde(flatten)]
    pub record: Record,
    /// The hash before.
    pub prev: String,
    /// Of all of the above.
    pub hash: String,
}

/// The end of the log, stored beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Number of the last entry.
    pub seq: i64,
    /// Its chain.
    pub chain: i64,
    /// Its hash.
    pub hash: String,
}

impl Default for Head {
    fn default() -> Self {
        Self { seq: 0, chain: 1, hash: BEGINNING.to_owned() }
    }
}

impl Head {
    /// The next entry.
    #[must_use]
    pub fn next(&self, record: Record) -> Entry {
        let (seq, chain, prev) = (self.seq + 1, self.chain, self.hash.clone());
        let hash = hash(seq, chain, &record, &prev);
        Entry { seq, chain, record, prev, hash }
    }

    /// The first entry of a new chain after one that broke.
    #[must_use]
    pub fn begin_anew(last_seq: i64, last_chain: i64, at: i64, broken_at: i64) -> Entry {
        let head = Self { seq: last_seq, chain: last_chain + 1, hash: BEGINNING.to_owned() };
        let body = serde_json::json!({"begun": "a new chain", "after_broken_at": broken_at});
        let (session, turn) = (String::new(), String::new());
        let kind = "chain".to_owned();
        head.next(Record { at, kind, session, turn, body: body.to_string() })
    }
}

impl From<&Entry> for Head {
    fn from(entry: &Entry) -> Self {
        Self { seq: entry.seq, chain: entry.chain, hash: entry.hash.clone() }
    }
}

/// Every field with its length, so that no two entries feed the same bytes.
fn hash(seq: i64, chain: i64, record: &Record, prev: &str) -> String {
    let Record { at, kind, session, turn, body } = record;
    let mut hash = Sha256::new();
    for number in [seq, chain, *at] {
        hash.update(number.to_le_bytes());
    }
    for field in [kind, session, turn, body] {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    hash.update(prev);
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What a check of the whole log found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verified {
    /// Nothing was changed, in any chain.
    pub ok: bool,
    /// Entries there are.
    pub entries: u64,
    /// Number of the first entry that is not as it was written, or not there.
    pub broken_at: Option<i64>,
    /// All from [`Self::broken_at`] to this one are not there.
    pub missing_to: Option<i64>,
    /// Whether the chain that is being written is whole.
    pub current_ok: bool,
}

/// Checks entry after entry, without holding the log in memory.
#[derive(Debug)]
pub struct Check {
    expected: Head,
    found: Verified,
}

impl Default for Check {
    fn default() -> Self {
        let found =
            Verified { ok: true, entries: 0, broken_at: None, missing_to: None, current_ok: true };
        Self { expected: Head::default(), found }
    }
}

impl Check {
    /// A check of what follows an entry that is taken as it is.
    #[must_use]
    pub fn after(entry: &Entry) -> Self {
        Self { expected: Head::from(entry), ..Self::default() }
    }

    /// The next entry in order of number.
    pub fn entry(&mut self, entry: &Entry) {
        self.found.entries += 1;
        self.gap(entry.seq);
        let begins = entry.prev == BEGINNING
            && entry.record.kind == "chain"
            && entry.chain == self.expected.chain + 1;
        let follows = if begins {
            // A new chain is begun for a reason only: the last one broke, be it by a lost end.
            self.found.ok = false;
            self.found.broken_at.get_or_insert(entry.seq);
            self.found.current_ok = true;
            entry.seq > self.expected.seq
        } else {
            entry.seq == self.expected.seq + 1
                && entry.chain == self.expected.chain
                && entry.prev == self.expected.hash
        };
        let Entry { seq, chain, record, prev, hash: written } = entry;
        if !follows || hash(*seq, *chain, record, prev) != *written {
            self.broken(entry.seq);
        }
        self.expected = Head::from(entry);
    }

    /// The end of the log, against the head that was stored. None was stored where the log is empty.
    #[must_use]
    pub fn end(mut self, head: Option<&Head>) -> Verified {
        let end = head.cloned().unwrap_or_default();
        if end != self.expected {
            self.gap(end.seq + 1);
            self.broken(self.expected.seq.min(end.seq) + 1);
        }
        self.found
    }

    /// Entries between the last one and this number are not there.
    fn gap(&mut self, next: i64) {
        let first = self.expected.seq + 1;
        if next > first {
            if self.found.broken_at.is_none_or(|at| at >= first) {
                self.found.missing_to = Some(next - 1);
            }
            self.broken(first);
        }
    }

    fn broken(&mut self, seq: i64) {
        self.found.ok = false;
        self.found.current_ok = false;
        self.found.broken_at = Some(self.found.broken_at.map_or(seq, |first| first.min(seq)));
    }
}
