//! Messages that came before: a key is remembered for 20 minutes, 5,000 keys at most.
//!
//! Invariant: memory is bounded; when it is full, the oldest key is forgotten first. Time is given from
//! outside. Absent here: what makes the key (`MsgContext::dedup_key`).

use std::collections::{HashSet, VecDeque};

/// Seconds for which a key is remembered.
pub const SECONDS: u64 = 20 * 60;
/// Keys remembered at once.
pub const KEYS: usize = 5_000;

/// The keys seen lately.
#[derive(Debug, Default)]
pub struct Seen {
    keys: HashSet<String>,
    /// Oldest first.
    order: VecDeque<(u64, String)>,
}

impl Seen {
    /// Whether this key comes for the first time; remembers it. `now` is seconds on a clock that does
    /// not go back.
    pub fn is_new(&mut self, key: &str, now: u64) -> bool {
        while self.order.front().is_some_and(|(at, _)| now.saturating_sub(*at) >= SECONDS) {
            self.forget_oldest();
        }
        if self.keys.contains(key) {
            return false;
        }
        if self.order.len() >= KEYS {
            self.forget_oldest();
        }
        self.keys.insert(key.to_owned());
        self.order.push_back((now, key.to_owned()));
        true
    }

    fn forget_oldest(&mut self) {
        if let Some((_, key)) = self.order.pop_front() {
            self.keys.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_once_in_twenty_minutes() {
        let mut seen = Seen::default();
        let cases = [("a", 0, true), ("a", 0, false), ("b", 5, true), ("a", 1_199, false)];
        let later =
            [("a", 1_200, true), ("b", 1_204, false), ("b", 1_205, true), ("", 1_205, true)];
        for (key, now, new) in cases.into_iter().chain(later) {
            assert_eq!(seen.is_new(key, now), new, "{key} at {now}");
        }
    }

    #[test]
    fn the_oldest_of_5000_keys_is_forgotten_first() {
        let mut seen = Seen::default();
        for n in 0..=KEYS {
            assert!(seen.is_new(&n.to_string(), 1));
        }
        assert_eq!((seen.keys.len(), seen.order.len()), (KEYS, KEYS));
        assert!(!seen.is_new("1", 1));
        assert!(seen.is_new("0", 1));
    }
}
