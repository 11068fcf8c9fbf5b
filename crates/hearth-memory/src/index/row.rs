//! Chunks as searches look at them, and those that were looked at last, kept in memory.
//!
//! A search looks at thousands of chunks, mostly the same ones as the search before: reading and cutting them
//! anew took most of its time. Invariants: an id is never given twice, so what is kept under it stays true until
//! it is removed; whatever removes chunks empties the memory afterwards, and nothing that was read before that
//! comes in again, so that a forgotten text is nowhere.

use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use hearth_embed::Script;
use rustc_hash::FxBuildHasher;
use serde::Deserialize;

use crate::question::is_question;

/// Bytes of chunks that are kept, about.
const MOST_BYTES: usize = 6 << 20;
/// What a chunk takes beside its texts, about.
const ROW_BYTES: usize = 256;

/// A chunk as the index gives it.
#[derive(Debug, Deserialize)]
pub(super) struct Read {
    id: i64,
    file: i64,
    path: String,
    line_from: i64,
    line_to: i64,
    entry: Option<String>,
    doc: Option<String>,
    session: Option<String>,
    speaker: Option<String>,
    at: Option<String>,
    title: String,
    text: String,
    words: String,
    dialogue: bool,
    terms: i64,
}

/// A chunk, and where it stands.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) file: i64,
    pub(crate) path: String,
    pub(crate) line_from: i64,
    pub(crate) line_to: i64,
    pub(crate) entry: Option<String>,
    pub(crate) doc: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) speaker: Option<String>,
    pub(crate) at: Option<String>,
    pub(crate) title: String,
    pub(crate) text: String,
    /// The marks of the terms the keyword side knows of it, in order.
    pub(crate) marks: Box<[u64]>,
    pub(crate) dialogue: bool,
    pub(crate) terms: i64,
    /// Whether it asks something.
    pub(crate) asks: bool,
    pub(crate) script: Script,
}

/// A number that stands for a term within this process.
pub(crate) fn mark(term: &str) -> u64 {
    FxBuildHasher.hash_one(term)
}

impl From<Read> for Row {
    fn from(read: Read) -> Self {
        Self {
            marks: read.words.split(' ').map(mark).collect(),
            asks: is_question(&read.text),
            script: Script::of(&read.text),
            id: read.id,
            file: read.file,
            path: read.path,
            line_from: read.line_from,
            line_to: read.line_to,
            entry: read.entry,
            doc: read.doc,
            session: read.session,
            speaker: read.speaker,
            at: read.at,
            title: read.title,
            text: read.text,
            dialogue: read.dialogue,
            terms: read.terms,
        }
    }
}

impl Row {
    fn bytes(&self) -> usize {
        let texts = self.path.len() + self.title.len() + self.text.len();
        ROW_BYTES + texts + self.marks.len() * size_of::<u64>()
    }
}

/// The chunks that were looked at last. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Inside>>);

#[derive(Debug)]
struct Inside {
    rows: LruCache<i64, Arc<Row>>,
    bytes: usize,
    /// How often it was emptied.
    emptied: u64,
}

impl Default for Inside {
    fn default() -> Self {
        Self { rows: LruCache::new_unbounded(), bytes: 0, emptied: 0 }
    }
}

/// What of some ids is kept, what is not, and when that was so.
pub(super) struct Looked {
    pub(super) rows: Vec<Arc<Row>>,
    pub(super) missing: Vec<i64>,
    emptied: u64,
}

impl Kept {
    pub(super) fn look(&self, ids: &[i64]) -> Looked {
        let mut inside = self.inside();
        let mut looked = Looked {
            rows: Vec::with_capacity(ids.len()),
            missing: Vec::new(),
            emptied: inside.emptied,
        };
        for id in ids {
            match inside.rows.get(id) {
                Some(row) => looked.rows.push(Arc::clone(row)),
                None => looked.missing.push(*id),
            }
        }
        looked
    }

    /// Keeps what was read for ids that were missing, unless something was removed since then.
    pub(super) fn keep(&self, looked: &Looked, read: &[Arc<Row>]) {
        let mut inside = self.inside();
        if inside.emptied != looked.emptied {
            return;
        }
        for row in read {
            inside.bytes += row.bytes();
            if let Some(before) = inside.rows.insert(row.id, Arc::clone(row)) {
                inside.bytes -= before.bytes();
            }
        }
        while inside.bytes > MOST_BYTES {
            let Some((_, row)) = inside.rows.remove_lru() else { break };
            inside.bytes -= row.bytes();
        }
    }

    /// Forgets all. To be called after chunks were removed.
    pub(super) fn empty(&self) {
        let mut inside = self.inside();
        *inside = Inside { emptied: inside.emptied + 1, ..Inside::default() };
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: i64, text: &str) -> Arc<Row> {
        let read = serde_json::json!([
            id,
            1,
            "memory/2026-01-01.md",
            1,
            1,
            null,
            null,
            null,
            null,
            null,
            "",
            text,
            text,
            false,
            2
        ]);
        let read: Read = serde_json::from_value(read).expect("a row");
        Arc::new(Row::from(read))
    }

    #[test]
    fn what_was_looked_at_is_kept_until_something_is_removed() {
        let kept = Kept::default();
        let looked = kept.look(&[1, 2]);
        assert_eq!(looked.missing, [1, 2]);
        kept.keep(&looked, &[row(1, "tea"), row(2, "milk")]);
        let again = kept.look(&[2, 3]);
        assert_eq!((again.rows[0].text.as_str(), again.missing.as_slice()), ("milk", &[3][..]));
        kept.empty();
        assert_eq!(kept.look(&[1, 2]).missing, [1, 2]);
        // Read before the removal, back after it.
        kept.keep(&again, &[row(3, "forgotten")]);
        assert_eq!(kept.look(&[3]).missing, [3]);
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many_bytes() {
        let kept = Kept::default();
        let long = "x".repeat(1 << 20);
        for id in 0..20 {
            let looked = kept.look(&[id]);
            kept.keep(&looked, &[row(id, &long)]);
        }
        let there: Vec<i64> =
            kept.look(&(0..20).collect::<Vec<_>>()).rows.iter().map(|row| row.id).collect();
        assert!(!there.is_empty() && there.len() < 8 && there.contains(&19), "{there:?}");
        assert!(kept.inside().bytes <= MOST_BYTES);
    }
}
