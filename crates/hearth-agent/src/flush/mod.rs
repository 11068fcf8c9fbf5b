//! The flush: what of a conversation goes to memory, and what it does to what memory holds.
//!
//! The model only proposes text, as JSON; everything here decides. Invariants: a proposed fact stands on
//! words of the conversation (each of its numbers was said there); nothing that the person did not say
//! becomes long-term memory; a repeat strengthens and a contradiction supersedes; where the model fails,
//! the host's own extract keeps what was said.
//! Absent here: calling the model, reading and writing files, the clock.

mod consolidate;
mod mask;
mod plain;
mod prompt;
mod propose;
mod words;

pub use consolidate::{CONSOLIDATE_AT, Tidied, Tidy, consolidate};
pub use mask::{MASK, Mask, covers, masked, says};
pub use plain::plain_extract;
pub use prompt::{FlushPrompt, prompt, schema};
pub use propose::{Garbage, read};

use hearth_protocol::{Role, TurnId};
use words::{Words, alike, differ_in_numbers};

/// One message of a conversation, as the flush reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The person or the assistant; others are not read.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// The turn.
    pub turn: Option<TurnId>,
}

/// What memory holds already.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its heading.
    pub title: String,
    /// What it says.
    pub text: String,
    /// The person wrote or corrected it by hand.
    pub by_hand: bool,
}

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    Fact,
    Preference,
    Event,
    Decision,
    Lesson,
}

impl Kind {
    /// As entries name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Event => "event",
            Self::Decision => "decision",
            Self::Lesson => "lesson",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let all = [Self::Fact, Self::Preference, Self::Event, Self::Decision, Self::Lesson];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// A fact that is proposed, checked against what was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What it says.
    pub text: String,
    /// Its heading; may be empty.
    pub title: String,
    /// Its kind.
    pub kind: Kind,
    /// It describes the person, not a matter of theirs.
    pub about_person: bool,
    /// Only the assistant said it.
    pub hearsay: bool,
    /// Until when it holds, `YYYY-MM-DD`; may be empty.
    pub expiry: String,
    /// From 0 to 1.
    pub importance: f64,
    /// The entry that it contradicts, as the model says.
    pub replaces: Option<String>,
    /// The turns it was said in.
    pub turns: Vec<TurnId>,
}

/// Where a new fact belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// USER.md: a stable fact about the person.
    Person,
    /// MEMORY.md.
    Memory,
    /// The daily log.
    Log,
}

/// What becomes of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// A new entry.
    Add(Place, Fact),
    /// Memory holds it: that entry is strengthened.
    Strengthen(String, Fact),
    /// It takes the place of an entry.
    Supersede(String, Fact),
    /// It speaks against an entry, and the person is to settle which holds.
    Ask(String, Fact, &'static str),
}

/// Whether two texts say the same, numbers included.
#[must_use]
pub fn same(a: &str, b: &str) -> bool {
    alike(&Words::of(a), &Words::of(b))
}

/// What to do with each fact, in order; facts that repeat one another are taken once.
#[must_use]
pub fn decide(facts: Vec<Fact>, known: &[Known]) -> Vec<Decision> {
    let held: Vec<(Words, &Known)> =
        known.iter().map(|entry| (Words::of(&entry.text), entry)).collect();
    let mut taken: Vec<Words> = Vec::new();
    let mut decisions = Vec::new();
    for fact in facts {
        let words = Words::of(&fact.text);
        if taken.iter().any(|other| alike(other, &words)) {
            continue;
        }
        decisions.push(decide_one(fact, &words, &held));
        taken.push(words);
    }
    one_about_the_person(decisions)
}

fn decide_one(fact: Fact, words: &Words, held: &[(Words, &Known)]) -> Decision {
    if let Some((_, entry)) = held.iter().find(|(other, _)| alike(other, words)) {
        return Decision::Strengthen(entry.id.clone(), fact);
    }
    // The model's word counts where both speak of the same thing; numbers alone tell it without a model.
    let named = fact.replaces.as_ref().and_then(|id| {
        held.iter().find(|(other, entry)| entry.id == *id && other.share(words) > 0.0)
    });
    let dated = || {
        held.iter().find(|(other, entry)| {
            fact.kind != Kind::Event && entry.kind != "event" && differ_in_numbers(other, words)
        })
    };
    match named.or_else(dated) {
        Some((_, entry)) if fact.hearsay => {
            Decision::Ask(entry.id.clone(), fact, "only the assistant said it")
        }
        Some((_, entry)) if entry.by_hand && named.is_none() => {
            Decision::Ask(entry.id.clone(), fact, "you wrote the entry by hand")
        }
        Some((_, entry)) => Decision::Supersede(entry.id.clone(), fact),
        None => Decision::Add(place(&fact), fact),
    }
}

fn place(fact: &Fact) -> Place {
    match fact.kind {
        _ if fact.hearsay => Place::Log,
        Kind::Event => Place::Log,
        Kind::Fact | Kind::Preference if fact.about_person && fact.expiry.is_empty() => {
            Place::Person
        }
        Kind::Fact | Kind::Preference | Kind::Decision | Kind::Lesson => Place::Memory,
    }
}

/// USER.md takes one entry at a time; further facts about the person are long-term memory.
fn one_about_the_person(mut decisions: Vec<Decision>) -> Vec<Decision> {
    let mut first = true;
    for decision in &mut decisions {
        if let Decision::Add(place @ Place::Person, _) = decision
            && !std::mem::take(&mut first)
        {
            *place = Place::Memory;
        }
    }
    decisions
}
