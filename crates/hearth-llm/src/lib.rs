//! Talks to model servers: five wire formats, HTTP, faults, retries, tokens, prices, detection.
//!
//! Start at [`ChatModel`]. Left out: the model in this process (another crate), budgets, cooldown state,
//! and when to ask again: the engine decides with the rules given here.

mod call;
pub mod catalogue;
pub mod client;
pub mod detect;
pub mod encode;
pub mod fault;
pub mod resume;
pub mod retry;
#[cfg(feature = "scripted")]
pub mod scripted;
mod sight;
pub mod tokens;
pub mod wire;

pub use call::{CallError, ChatModel, Sink};
pub use sight::is_blind;
