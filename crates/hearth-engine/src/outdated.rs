//! Quotes of what holds no more: a past conversation still says what an entry said before another took its place.
//!
//! Invariant: a hit that quotes it names what holds now, and stands below that where it is a hit too. What says
//! the new fact as well is no such quote.

use crate::engine::Inner;
use hearth_agent::flush::{Mask, says};
use hearth_protocol::api::memory::{HoldsNow, MemoryAnswer, MemoryHit};
use hearth_protocol::{MessageId, TurnId, WireError};
use hearth_workspace::{Held, Status};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

/// Superseded entries that are looked for.
const MOST: u32 = 300;
/// Entries that took each other's place one after the other.
const LONGEST_CHAIN: usize = 100;
const CONVERSATION: &str = "conversation:";

/// What an entry said once.
#[derive(Debug)]
pub(crate) struct Outdated {
    text: String,
    telling: HashSet<String>,
    turns: Vec<TurnId>,
    now: HoldsNow,
    /// Where what holds now was told.
    now_turns: Vec<TurnId>,
}

impl Outdated {
    fn is_quoted(&self, text: &str, telling: &HashSet<String>, turn: Option<&TurnId>) -> bool {
        let told = |turns: &[TurnId]| turn.is_some_and(|turn| turns.contains(turn));
        let new = || {
            told(&self.now_turns)
                || (!self.now.text.is_empty() && says(text, &self.now.text, Mask::Telling))
        };
        // Most hits share no word with it, which is told much faster.
        let near = || self.telling.intersection(telling).count() >= self.telling.len().min(2);
        (told(&self.turns) || (near() && says(text, &self.text, Mask::Telling))) && !new()
    }
}

impl Inner {
    /// Marks the hits that only quote what was superseded, and puts them below what holds now.
    pub(crate) async fn mark_outdated(&self, answer: &mut MemoryAnswer) -> Result<(), WireError> {
        let quotes = |hit: &MemoryHit| hit.path.starts_with(CONVERSATION);
        if !answer.hits.iter().any(quotes) {
            return Ok(());
        }
        let all = self.outdated().await?;
        if all.is_empty() {
            return Ok(());
        }
        for hit in answer.hits.iter_mut().filter(|hit| quotes(hit)) {
            let said = self.store.message(&MessageId(hit.id.clone())).await;
            let turn = said.ok().and_then(|(_, message)| message.turn);
            let words = telling(&hit.text);
            if let Some(one) =
                all.iter().find(|one| one.is_quoted(&hit.text, &words, turn.as_ref()))
            {
                hit.why.insert(0, format!("superseded by {}", one.now.id));
                hit.superseded = Some(one.now.clone());
            }
        }
        lower(&mut answer.hits);
        Ok(())
    }

    async fn outdated(&self) -> Result<Arc<Vec<Outdated>>, WireError> {
        let slot = || self.remembering.outdated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = slot().clone() {
            return Ok(known);
        }
        let held = self.on_workspace(|workspace| workspace.all_held()).await?;
        let noted = self.store.superseded(MOST).await?;
        let noted = noted.into_iter().map(|one| Old {
            id: one.entry,
            text: one.text,
            by: one.by.unwrap_or_default(),
            turns: one.turns,
        });
        let all = Arc::new(listed(&held, noted));
        *slot() = Some(Arc::clone(&all));
        Ok(all)
    }
}

struct Old {
    id: String,
    text: String,
    by: String,
    turns: Vec<TurnId>,
}

/// What files and the ledger say was superseded, with what holds now.
fn listed(held: &[Held], noted: impl Iterator<Item = Old>) -> Vec<Outdated> {
    let in_files = held.iter().filter_map(|held| match &held.entry.status {
        Status::Superseded(by) => Some(Old {
            id: held.id.clone(),
            text: held.text.clone(),
            by: by.clone(),
            turns: turn_of(held).into_iter().collect(),
        }),
        Status::Active | Status::Expired => None,
    });
    let all: Vec<Old> = in_files.chain(noted).collect();
    let next: HashMap<&str, &str> =
        all.iter().map(|old| (old.id.as_str(), old.by.as_str())).collect();
    let active: HashMap<&str, &Held> = held
        .iter()
        .filter(|held| !held.entry.superseded)
        .map(|held| (held.id.as_str(), held))
        .collect();
    let mut found = Vec::new();
    // An entry that was brought back holds again.
    for old in all.iter().filter(|old| !active.contains_key(old.id.as_str())) {
        let mut now = old.by.as_str();
        for _ in 0..LONGEST_CHAIN {
            let Some(later) = next.get(now).filter(|_| !active.contains_key(now)) else { break };
            now = later;
        }
        let current = active.get(now);
        found.push(Outdated {
            text: old.text.clone(),
            telling: telling(&old.text),
            turns: old.turns.clone(),
            now: HoldsNow {
                id: now.to_owned(),
                text: current.map(|held| held.text.clone()).unwrap_or_default(),
            },
            now_turns: current.and_then(|held| turn_of(held)).into_iter().collect(),
        });
    }
    found
}

fn turn_of(held: &Held) -> Option<TurnId> {
    let source = held.entry.source.as_deref()?;
    source.split_once("turn ").map(|(_, turn)| TurnId(turn.trim().to_owned()))
}

/// The beginnings of its words, and its characters of scripts without spaces.
fn telling(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        if word.is_ascii() {
            found.extend(
                word.get(..word.len().min(3)).filter(|_| word.len() > 2).map(str::to_owned),
            );
        } else {
            found.extend(word.chars().map(String::from));
        }
    }
    found
}

/// Puts each quote right below what holds now, where that comes later.
fn lower(hits: &mut [MemoryHit]) {
    let mut at = 0;
    for _ in 0..hits.len() {
        let below = hits[at].superseded.as_ref().and_then(|now| {
            hits.iter().rposition(|hit| hit.id == now.id).filter(|place| *place > at)
        });
        match below {
            Some(place) => {
                let score = hits[place].score;
                hits[at..=place].rotate_left(1);
                hits[place].score = hits[place].score.min(score);
            }
            None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::api::memory::Layer;

    fn hit(id: &str, superseded: Option<&str>) -> MemoryHit {
        MemoryHit {
            id: id.to_owned(),
            docs: Vec::new(),
            path: "conversation:assistant:main".to_owned(),
            from: 1,
            to: 1,
            layer: Layer::Semantic,
            score: 1.0,
            keyword: 1.0,
            vector: None,
            chars: 1,
            text: "x".to_owned(),
            why: Vec::new(),
            superseded: superseded.map(|id| HoldsNow { id: id.to_owned(), text: String::new() }),
        }
    }

    #[test]
    fn quotes_stand_below_what_holds_now() {
        let mut hits = vec![
            hit("q1", Some("now")),
            hit("q2", Some("gone")),
            hit("q3", Some("now")),
            hit("a", None),
            hit("now", None),
            hit("q4", Some("now")),
        ];
        lower(&mut hits);
        let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["q2", "a", "now", "q3", "q1", "q4"]);
    }

    #[test]
    fn a_chain_ends_at_what_holds_and_the_new_fact_is_no_quote() {
        let text = "## Home\n<!-- id: a; status: superseded by b; source: session s, turn t1 -->\nThe user lives in Berlin.\n## Home\n<!-- id: b; status: superseded by c -->\nThe user lives in Lisbon.\n## Home\n<!-- id: c; source: session s, turn t3 -->\nThe user lives in Porto.\n";
        let held: Vec<Held> = hearth_workspace::entries_of("MEMORY.md", text)
            .into_iter()
            .map(|entry| Held {
                path: "MEMORY.md".to_owned(),
                id: entry.handle(text),
                text: entry.body(text),
                entry,
            })
            .collect();
        let all = listed(&held, std::iter::empty());
        let now: Vec<&str> = all.iter().map(|one| one.now.id.as_str()).collect();
        assert_eq!(now, ["c", "c"]);
        assert_eq!(all[0].now.text, "The user lives in Porto.");
        let quoted = |text: &str, turn: &str| {
            let turn = TurnId(turn.to_owned());
            all.iter().any(|one| one.is_quoted(text, &telling(text), Some(&turn)))
        };
        assert!(quoted("2026-11-01 User: I live in Berlin.", "t9"));
        assert!(quoted("2026-11-01 Assistant: Noted.", "t1"), "the turn it was told in");
        assert!(!quoted("2026-11-03 User: I live in Porto, and I lived in Berlin.", "t3"));
        assert!(!quoted("2026-11-03 User: Is Berlin far from here?", "t8"));
    }
}
