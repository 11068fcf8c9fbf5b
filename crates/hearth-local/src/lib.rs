//! A local chat model: runs a GGUF file of the Qwen2.5 family in this process, on the processor.
//!
//! Owns everything between a file of weights and a streamed reply: the tokenizer inside the file,
//! the prompt format, the network, sampling, and finding tool calls in what the model writes. The
//! weights are used where they lie in the mapped file; candle provides the file format, the block
//! formats and their portable kernels.
//!
//! Leaves out: where files come from, which one to use, when to unload, and any other crate of
//! Hearth. All calls block; run them on a thread that may.

mod calls;
mod chat;
mod error;
mod gguf;
mod matrix;
mod model;
mod network;
#[expect(unsafe_code, reason = "maps the file and calls vector instructions; see the module")]
mod raw;
mod sampling;
mod tokenizer;
mod utf8;

pub use calls::{CallParser, ReplyPart};
pub use chat::{ChatCall, ChatMessage, ChatRole, chat_prompt};
pub use error::Error;
pub use model::{Finish, LocalModel, ModelInfo, Options, Outcome, Piece};
pub use sampling::Sampling;
pub use tokenizer::LocalTokenizer;
