//! Memory over Markdown: keeps `index.db` equal to the files, and recalls from it by words and by meaning.
//!
//! Invariants: the files are the truth, the index can be deleted; superseded entries are never recalled; the
//! keyword side works alone, and says so; vectors of different models are never compared.
//! Absent here: deciding what to remember, and writing entries (that is the flush and the workspace).

mod chunk;
mod daily;
mod embedding;
mod error;
mod eval;
mod import;
mod index;
mod matrix;
mod meaning;
mod memory;
mod question;
mod rank;
mod recall;
mod source;
mod tokens;
mod twins;

pub use error::{MemoryError, Result};
pub use eval::{EvalOptions, Evaluated, Ranked, evaluate};
pub use memory::{Memory, Sources};
pub use source::{ConversationPart, Conversations, Encoder, Spoken, Waiting};
