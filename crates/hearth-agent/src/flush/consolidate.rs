//! MEMORY.md tidied when it grows: what holds no more goes, repeats become one, and where it is still too
//! large the least telling entries move to the daily logs, where search finds them.
//!
//! Invariants: the ids of entries that are kept survive; no fact that holds is dropped, only moved or merged
//! into one that says the same.

use super::words::{Words, alike};

/// Entries at which MEMORY.md is tidied.
pub const CONSOLIDATE_AT: usize = 50;
/// Entries and share of the cap that remain at most, so that the next one does not tidy again.
const KEEP: usize = 40;
const KEEP_SHARE: f64 = 0.8;

/// An entry, as tidying sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tidy {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Its kind.
    pub kind: String,
    /// Characters of its whole section.
    pub chars: usize,
    /// Unix seconds.
    pub time: i64,
    /// From 0 to 1.
    pub importance: f64,
    /// How often it was told.
    pub seen: u32,
    /// It holds.
    pub active: bool,
    /// The person wrote it by hand: it is never moved.
    pub by_hand: bool,
}

/// What becomes of an entry that does not stay as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tidied {
    /// It holds no more: it stays in the versions of the file only.
    Drop(String),
    /// The first says the same as the second, which stays.
    Merge(String, String),
    /// It moves to the daily log of its day.
    Move(String),
}

/// What to do with the entries of MEMORY.md so that they fit into `cap` characters. Nothing where there are
/// few and they fit.
#[must_use]
pub fn consolidate(entries: &[Tidy], cap: usize) -> Vec<Tidied> {
    let chars: usize = entries.iter().map(|entry| entry.chars).sum();
    if entries.len() < CONSOLIDATE_AT && chars <= cap {
        return Vec::new();
    }
    let mut done: Vec<Tidied> = Vec::new();
    let mut kept: Vec<(&Tidy, Words)> = Vec::new();
    for entry in entries {
        if !entry.active {
            done.push(Tidied::Drop(entry.id.clone()));
            continue;
        }
        let words = Words::of(&entry.text);
        match kept.iter().find(|(_, other)| alike(other, &words)) {
            Some((first, _)) => done.push(Tidied::Merge(entry.id.clone(), first.id.clone())),
            None => kept.push((entry, words)),
        }
    }
    let mut kept: Vec<&Tidy> = kept.into_iter().map(|(entry, _)| entry).collect();
    let newest = kept.iter().map(|entry| entry.time).max().unwrap_or(0);
    // The person's own stay; the others share the room that is left.
    kept.sort_by(|a, b| {
        b.by_hand.cmp(&a.by_hand).then(worth(b, newest).total_cmp(&worth(a, newest)))
    });
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cap of characters"
    )]
    let room = (cap as f64 * KEEP_SHARE) as usize;
    let mut used = 0;
    let mut stay = 0;
    for entry in kept {
        let fits = stay < KEEP && used + entry.chars <= room;
        if fits || entry.by_hand {
            used += entry.chars;
            stay += 1;
        } else {
            done.push(Tidied::Move(entry.id.clone()));
        }
    }
    done
}

/// Importance, how often it was told, and age: a year halves what an event is worth, three what a fact is.
fn worth(entry: &Tidy, newest: i64) -> f64 {
    const YEAR: f64 = 365.0 * 86_400.0;
    #[expect(clippy::cast_precision_loss, reason = "seconds of some years")]
    let age = (newest - entry.time).max(0) as f64 / YEAR;
    let half = if entry.kind == "event" { 1.0 } else { 3.0 };
    let told = f64::from(entry.seen.max(1)).ln() * 0.2;
    (entry.importance + told) * 0.5_f64.powf(age / half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: usize) -> Tidy {
        Tidy {
            id: format!("m{n}"),
            text: format!("thing {n} is in place {n}"),
            kind: "fact".to_owned(),
            chars: 100,
            time: i64::try_from(n).unwrap_or(0) * 86_400,
            importance: 0.5,
            seen: 1,
            active: true,
            by_hand: false,
        }
    }

    #[test]
    fn few_entries_are_left_alone() {
        let few: Vec<_> = (0..49).map(entry).collect();
        assert_eq!(consolidate(&few, 20_000), []);
        assert_eq!(consolidate(&[], 0), []);
    }

    #[test]
    fn history_goes_repeats_merge_and_the_rest_fits() {
        let mut all: Vec<_> = (0..50).map(entry).collect();
        all[3].active = false;
        all[7].text = all[5].text.clone();
        all[0].importance = 1.0;
        all[1].by_hand = true;
        let done = consolidate(&all, 20_000);
        assert!(done.contains(&Tidied::Drop("m3".to_owned())));
        assert!(done.contains(&Tidied::Merge("m7".to_owned(), "m5".to_owned())));
        let moved: Vec<_> = done.iter().filter(|one| matches!(one, Tidied::Move(_))).collect();
        assert_eq!(moved.len(), 8, "{moved:?}");
        for kept in ["m0", "m1", "m49"] {
            assert!(!done.contains(&Tidied::Move(kept.to_owned())), "{kept}");
        }
        assert!(done.contains(&Tidied::Move("m2".to_owned())), "the oldest goes first");
    }

    #[test]
    fn a_file_over_its_cap_is_tidied_however_few_entries_it_has() {
        let mut all: Vec<_> = (0..10).map(entry).collect();
        all.iter_mut().for_each(|entry| entry.chars = 1_000);
        let moved = consolidate(&all, 5_000).len();
        assert_eq!(moved, 6, "4,000 of 5,000 characters stay");
    }
}
