//! Counting tokens: each text once, since the same files are counted for every call.

use super::Counter;
use hearth_agent::TokenCounter;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Texts remembered; then all are forgotten, which costs one slower call.
const REMEMBERED: usize = 4096;
/// Shorter texts are counted faster than looked up.
const SHORT: usize = 256;
/// Factors are kept in thousandths.
const ONE: u64 = 1000;

/// The counter of a model that a server runs.
pub(crate) fn for_model(_name: &str) -> Arc<dyn Counter> {
    Arc::new(Learning { inner: Remembering::new(estimate, false), factor: AtomicU64::new(ONE) })
}

/// Letters of Latin text go four to a token, CJK characters about three to two tokens.
fn estimate(text: &str) -> u64 {
    let (mut narrow, mut wide) = (0_u64, 0_u64);
    for c in text.chars() {
        if matches!(c, '\u{2e80}'..) { wide += 1 } else { narrow += 1 }
    }
    (narrow * 3 + wide * 8).div_ceil(12)
}

/// Remembers what it counted.
pub(crate) struct Remembering<F> {
    count: F,
    exact: bool,
    seen: Mutex<HashMap<[u8; 16], u64>>,
}

impl<F: Fn(&str) -> u64 + Send + Sync> Remembering<F> {
    pub(crate) fn new(count: F, exact: bool) -> Self {
        Self { count, exact, seen: Mutex::default() }
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
        self.exact
    }
}

impl<F: Fn(&str) -> u64 + Send + Sync> Counter for Remembering<F> {
    fn learn(&self, _counted: u64, _reported: u64) {}
}

/// Corrects an estimate by what the provider reports.
struct Learning<C> {
    inner: C,
    factor: AtomicU64,
}

impl<C: TokenCounter> TokenCounter for Learning<C> {
    fn count(&self, text: &str) -> u64 {
        (self.inner.count(text) * self.factor.load(Ordering::Relaxed)).div_ceil(ONE)
    }

    fn exact(&self) -> bool {
        false
    }
}

impl<C: TokenCounter> Counter for Learning<C> {
    fn learn(&self, counted: u64, reported: u64) {
        // Small requests are mostly the provider's own framing and teach nothing.
        if counted < 200 || reported == 0 {
            return;
        }
        let factor = self.factor.load(Ordering::Relaxed) * reported / counted;
        self.factor.store(factor.clamp(ONE / 4, ONE * 4), Ordering::Relaxed);
    }
}
