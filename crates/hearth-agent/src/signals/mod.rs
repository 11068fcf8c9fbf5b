//! The six signals: what a person's message may hold that must not be lost.
//!
//! A message is scanned by code, in Chinese and English, before the reply starts; each hit carries the
//! sentence it stands in, which goes to SESSION-STATE. A missed signal loses a fact, a false one costs
//! a line: where a rule must err, it errs towards a hit.
//!
//! Invariants: no model, no state; hits come in the order of the message and each signal once a
//! sentence; a sentence is at most [`SENTENCE_CHARS`] characters. Absent here: writing them down
//! (`hearth-workspace`), and languages other than the two (names and values are found in them too).

mod chinese_names;
mod correction;
mod decision;
mod draft;
mod noun;
mod phrases;
mod preference;
mod sentence;
mod value;

use sentence::Sentence;

/// Longest sentence that is kept with a hit, in characters; a longer one is cut with `…`.
pub const SENTENCE_CHARS: usize = 240;

/// What a message may hold that must not be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// Something said, written or remembered before is wrong.
    Correction,
    /// A certain person, animal, place, firm, product, project or work is named.
    ProperNoun,
    /// A lasting like, dislike, habit or rule for how the person wants to be treated.
    Preference,
    /// A choice is settled, or unsettled.
    Decision,
    /// A text, table, picture or file that is worked on shall change.
    DraftChange,
    /// Something that has to be repeated to the letter.
    ExactValue,
}

impl Signal {
    /// All, in the order in which one message's classes are printed.
    pub const ALL: [Self; 6] = [
        Self::Correction,
        Self::ProperNoun,
        Self::Preference,
        Self::Decision,
        Self::DraftChange,
        Self::ExactValue,
    ];

    /// Its name on the wire and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::ProperNoun => "proper_noun",
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::DraftChange => "draft_change",
            Self::ExactValue => "exact_value",
        }
    }

    fn stands_in(self, sentence: &Sentence<'_>) -> bool {
        match self {
            Self::Correction => correction::stands_in(sentence),
            Self::ProperNoun => noun::stands_in(sentence),
            Self::Preference => preference::stands_in(sentence),
            Self::Decision => decision::stands_in(sentence),
            Self::DraftChange => draft::stands_in(sentence),
            Self::ExactValue => value::stands_in(sentence),
        }
    }
}

/// A signal and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which.
    pub signal: Signal,
    /// The sentence that holds it, as the person wrote it.
    pub sentence: String,
}

/// The signals of a message.
#[must_use]
pub fn scan(message: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for sentence in sentence::split(message) {
        for signal in Signal::ALL {
            if signal.stands_in(&sentence) {
                hits.push(Hit { signal, sentence: shorten(sentence.raw) });
            }
        }
    }
    hits
}

/// The classes of a message, each once, in the order of [`Signal::ALL`].
#[must_use]
pub fn classes(message: &str) -> Vec<Signal> {
    let hits = scan(message);
    Signal::ALL.into_iter().filter(|signal| hits.iter().any(|hit| hit.signal == *signal)).collect()
}

fn shorten(sentence: &str) -> String {
    match sentence.char_indices().nth(SENTENCE_CHARS) {
        None => sentence.to_owned(),
        Some((end, _)) => format!("{}…", &sentence[..end]),
    }
}

#[cfg(test)]
mod tests;
