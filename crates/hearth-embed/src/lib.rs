//! Text to vectors: a BERT encoder (multilingual-e5-small) run in this process through candle.
//!
//! Invariants: a vector has length one; the same text gives the same direction whatever it is batched
//! with; nothing is loaded before it is needed, and what was loaded can be let go again.
//! Absent here: fetching model files, keeping vectors, comparing them.

mod arithmetic;
mod centre;
mod embedder;
mod error;
mod layers;
mod network;
mod weights;

pub use centre::{Script, centred, sentences};
pub use embedder::{Embedder, Kind};
pub use error::EmbedError;
