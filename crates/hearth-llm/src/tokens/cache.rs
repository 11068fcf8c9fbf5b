//! Counts of texts seen lately, by hash; two generations bound it.

use super::family::Family;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Texts in a generation. A prompt has tens of sections and hundreds of messages.
const GENERATION: usize = 4096;

/// Hash of family and text, and the length against chance.
type Key = (u64, usize);

#[derive(Debug, Default)]
pub(crate) struct Cache {
    hasher: RandomState,
    young: HashMap<Key, u64>,
    old: HashMap<Key, u64>,
}

impl Cache {
    pub(crate) fn get(&mut self, family: Family, text: &str) -> Option<u64> {
        let key = self.key(family, text);
        if let Some(&count) = self.young.get(&key) {
            return Some(count);
        }
        // What is still in use moves on to the next generation.
        let count = self.old.remove(&key)?;
        self.insert(key, count);
        Some(count)
    }

    pub(crate) fn put(&mut self, family: Family, text: &str, count: u64) {
        let key = self.key(family, text);
        self.insert(key, count);
    }

    fn key(&self, family: Family, text: &str) -> Key {
        (self.hasher.hash_one((family, text)), text.len())
    }

    fn insert(&mut self, key: Key, count: u64) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        let mut cache = Cache::default();
        cache.put(Family::Qwen, "kept", 7);
        for number in 0..20_000 {
            cache.put(Family::Qwen, &number.to_string(), number);
            if number % 1000 == 0 {
                assert_eq!(cache.get(Family::Qwen, "kept"), Some(7));
            }
        }
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION);
        assert_eq!(cache.get(Family::Qwen, "0"), None);
        assert_eq!(cache.get(Family::O200k, "kept"), None);
    }
}
