//! Counting tokens for the prompt: the model's own tokenizer where it is known, else an estimate that the
//! provider's reports correct.

use super::Counter;
use hearth_agent::TokenCounter;
use hearth_llm::tokens::Tokens;
use hearth_protocol::ModelRequest;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts remembered; then all are forgotten, which costs one slower call.
const REMEMBERED: usize = 4096;
/// Shorter texts are counted faster than looked up.
const SHORT: usize = 256;

/// Counts for a model behind a provider; what one call teaches serves the next.
pub(crate) struct Estimating {
    tokens: Arc<Tokens>,
    model: String,
}

impl Estimating {
    pub(crate) fn new(tokens: Arc<Tokens>, model: &str) -> Self {
        Self { tokens, model: model.to_owned() }
    }
}

impl TokenCounter for Estimating {
    fn count(&self, text: &str) -> u64 {
        self.tokens.count(&self.model, text)
    }

    fn exact(&self) -> bool {
        false
    }
}

impl Counter for Estimating {
    fn learn(&self, request: &ModelRequest, reported: u64) {
        self.tokens.learn(request, reported);
    }
}

/// Counts with a tokenizer and remembers: the same files are counted for every call.
pub(crate) struct Remembering<F> {
    count: F,
    seen: Mutex<HashMap<[u8; 16], u64>>,
}

impl<F: Fn(&str) -> u64 + Send + Sync> Remembering<F> {
    pub(crate) fn new(count: F) -> Self {
        Self { count, seen: Mutex::default() }
    }
}

impl<F: Fn(&str) -> u64 + Send + Sync> TokenCounter for Remembering<F> {
    fn count(&self, text: &str) -> u64 {
        if text.len() < SHORT {
            return (self.count)(text);
        }
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        if let Some(known) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *known;
        }
        let counted = (self.count)(text);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= REMEMBERED {
            seen.clear();
        }
        seen.insert(key, counted);
        counted
    }

    fn exact(&self) -> bool {
        true
    }
}

impl<F: Fn(&str) -> u64 + Send + Sync> Counter for Remembering<F> {
    fn learn(&self, _request: &ModelRequest, _reported: u64) {}
}
