//! What other assistants leave behind, read: the exports of ChatGPT and Claude, and the folders of OpenClaw.
//!
//! Invariants: large files are read element by element, so memory holds one conversation; nothing is written
//! outside the folder a caller names; what cannot be read is one item with its reason, and the rest goes on;
//! any bytes at all end in an item or an error, never in a panic.
//! Absent here: what becomes of what was read (the engine), and anything that needs a network.

mod chatgpt;
mod claude;
mod conversation;
mod elements;
mod error;
mod export;
mod logs;
mod openclaw;
mod place;
mod time;
mod transcript;
mod unpack;

pub use conversation::{Conversation, Exchange};
pub use error::TransferError;
pub use export::{Export, Found, Step};
pub use logs::missing;
pub use openclaw::{Openclaw, Transcript};
pub use transcript::read_transcript;
