//! Which skills activate which: circles, chains that are too long, names that nobody has.

use super::name::folded;
use super::warning::Warning;
use std::collections::{BTreeSet, HashMap};

/// Steps from a meta skill down.
pub(super) const MAX_DEPTH: usize = 3;

/// What is odd about the chains, by place in the list. `skills`: name and what it uses; a name that stands
/// twice belongs to the first.
pub(super) fn odd(skills: &[(&str, &[String])]) -> Vec<(usize, Warning)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, (name, _)) in skills.iter().enumerate() {
        places.entry(folded(name)).or_insert(at);
    }
    let mut odd = Vec::new();
    let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, (_, uses)) in skills.iter().enumerate().filter(|(_, (_, uses))| !uses.is_empty()) {
        let known: Vec<usize> =
            uses.iter().filter_map(|name| places.get(&folded(name)).copied()).collect();
        if known.len() < uses.len() {
            odd.push((at, Warning::UsesUnknown));
        }
        next.insert(at, known);
    }
    let mut metas: Vec<usize> = next.keys().copied().collect();
    metas.sort_unstable();
    for at in metas {
        if reaches(at, at, &next) {
            odd.push((at, Warning::UsesCycle));
        } else if is_deeper(at, MAX_DEPTH, &next) {
            odd.push((at, Warning::UsesTooDeep));
        }
    }
    odd
}

fn reaches(from: usize, to: usize, next: &HashMap<usize, Vec<usize>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for inner in next.get(&at).into_iter().flatten() {
            if *inner == to {
                return true;
            }
            if seen.insert(*inner) {
                open.push(*inner);
            }
        }
    }
    false
}

/// Whether some chain goes on below so many steps. Level by level, so wide graphs cost little.
fn is_deeper(from: usize, steps: usize, next: &HashMap<usize, Vec<usize>>) -> bool {
    let mut level = BTreeSet::from([from]);
    for _ in 0..=steps {
        level = level.iter().flat_map(|at| next.get(at).into_iter().flatten().copied()).collect();
    }
    !level.is_empty()
}
