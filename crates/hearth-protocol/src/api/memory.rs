//! Memory: searching, importing, measuring, the state of the index.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// How a search looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Keyword,
    /// By meaning alone.
    Vector,
}

/// Where a hit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum Layer {
    /// The logs of today and yesterday.
    #[serde(rename = "L2")]
    Recent,
    /// MEMORY.md, USER.md, IDENTITY.md.
    #[serde(rename = "L3")]
    LongTerm,
    /// Everything else that was ever written.
    #[serde(rename = "L4")]
    Semantic,
}

/// A question to memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryQuery {
    /// Any text.
    pub query: String,
    /// At most so many hits; none: 10, or as many as fit where `chars` is given.
    #[serde(default)]
    pub k: Option<usize>,
    /// At most so many characters in all.
    #[serde(default)]
    pub chars: Option<usize>,
    /// The day it is asked on, `YYYY-MM-DD`; none: today.
    #[serde(default)]
    pub now: Option<String>,
    /// Only hits of this layer.
    #[serde(default)]
    pub layer: Option<Layer>,
    /// How to look.
    #[serde(default)]
    pub mode: SearchMode,
}

/// Something memory holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryHit {
    /// Id of the entry, the imported note, or else the place.
    pub id: String,
    /// Ids under which its text was imported.
    pub docs: Vec<String>,
    /// File within the workspace.
    pub path: String,
    /// First line, from 1.
    pub from: u32,
    /// Last line.
    pub to: u32,
    /// Where it comes from.
    pub layer: Layer,
    /// What it is ranked by, 0 to 1.
    pub score: f32,
    /// How much of the question's words it holds, weighted by rarity, 0 to 1.
    pub keyword: f32,
    /// Nearness in meaning, -1 to 1; none where it was not looked at.
    pub vector: Option<f32>,
    /// Characters of `text`.
    pub chars: usize,
    /// What it says, with its day and speaker.
    pub text: String,
    /// Why it was found.
    pub why: Vec<String>,
    /// What holds now, where this only quotes what was true once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<HoldsNow>,
}

/// What took the place of something that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HoldsNow {
    /// Id of the entry.
    pub id: String,
    /// What it says; empty where it is in no file any more.
    pub text: String,
}

/// What memory says to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryAnswer {
    /// The question.
    pub query: String,
    /// Milliseconds it took.
    pub took_ms: f64,
    /// How it was looked for in the end: without a model, by words alone.
    pub mode: SearchMode,
    /// The best first.
    pub hits: Vec<MemoryHit>,
    /// Nothing in memory answers it.
    pub nothing_found: bool,
}

/// The state of the index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryStatus {
    /// Files in it.
    pub files: u64,
    /// Chunks in it.
    pub chunks: u64,
    /// Its generation.
    pub generation: u64,
    /// Model of its vectors; none: by words alone.
    pub model: Option<String>,
    /// Numbers a vector has.
    pub dims: u64,
    /// Chunks whose vector is still to be made.
    pub stale: u64,
    /// Chunks embedded a second, the last time there were enough to tell.
    pub embed_per_s: Option<f64>,
    /// How far the making of vectors is, while it goes on.
    #[serde(default)]
    pub progress: Option<MemoryProgress>,
    /// What a person should know; empty where all is well.
    pub note: String,
}

/// How far a pass over the chunks is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryProgress {
    /// Chunks that have their vector.
    pub done: u64,
    /// All of them.
    pub total: u64,
}

/// What an import did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryImported {
    /// Notes written.
    pub imported: u64,
    /// Notes that were there already.
    pub skipped: u64,
    /// Daily logs written to.
    pub files: u64,
}

/// How well recall does on questions with known answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryEval {
    /// Questions asked.
    pub queries: u64,
    /// Share of right notes among the first so many.
    pub recall_at_k: BTreeMap<String, f64>,
    /// Mean of one over the rank of the first right note.
    pub mrr: f64,
    /// Of the first ten.
    pub ndcg: f64,
    /// Share of right notes within so many characters.
    pub recall_at_chars: BTreeMap<String, f64>,
    /// Time a question took.
    pub latency_ms: Latency,
    /// The same by category of the question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<String, MemoryEval>,
}

/// Milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Latency {
    /// Half are faster.
    pub p50: f64,
    /// All but one in twenty are faster.
    pub p95: f64,
}
