//! Ranking: what speaks for a chunk, each scaled to 0..1 over the candidates of one question, and summed
//! with fixed weights.
//!
//! Invariant: scores are made here from the texts of the candidates alone, so they do not depend on how the
//! index found them. Context counts only in conversations; a note that stands alone is its own context, so
//! that it is measured against turns fairly.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use crate::index::Row;
use crate::question::{Said, When, is_assistant, is_question};

/// Weights by what they weigh; measured on conversations in two languages.
mod weight {
    pub(super) const KEYWORD: f32 = 1.0;
    pub(super) const VECTOR: f32 = 2.0;
    pub(super) const WINDOW_KEYWORD: f32 = 0.2;
    pub(super) const WINDOW_VECTOR: f32 = 1.0;
    pub(super) const PASSAGE_KEYWORD: f32 = 0.3;
    pub(super) const PASSAGE_VECTOR: f32 = 0.5;
    pub(super) const ANSWERS: f32 = 0.5;
    pub(super) const SPEAKER: f32 = 1.5;
    pub(super) const DAY: f32 = 2.0;
    pub(super) const LENGTH: f32 = 1.0;
    pub(super) const ASKS: f32 = -0.1;
    pub(super) const NEIGHBOUR: f32 = 0.1;
    pub(super) const FEEDBACK: f32 = 0.1;
    pub(super) const LATEST: f32 = 0.3;
    /// Decides between near-equals only.
    pub(super) const NEWER: f32 = 0.01;
    /// What a note has in place of a turn's length.
    pub(super) const NOTE: f32 = 0.7;
    /// Entries were chosen to be kept.
    pub(super) const ENTRY: f32 = 0.3;
}
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// Turns to each side that make a window, and a passage of about 400 tokens.
const WINDOW: i64 = 2;
const PASSAGE: i64 = 4;

/// What is asked, as far as ranking needs it.
pub(crate) struct Asked<'a> {
    pub(crate) terms: &'a [String],
    /// Rarity of each term.
    pub(crate) rarity: &'a [f32],
    pub(crate) average_terms: f32,
    pub(crate) days: &'a [When],
    pub(crate) said: Option<Said>,
    pub(crate) question: &'a str,
    pub(crate) latest: bool,
    pub(crate) by_words: bool,
}

/// Nearness in meaning, where the model was asked.
pub(crate) struct Meaning {
    /// Cosine of the question to each chunk that has a vector.
    pub(crate) cosines: HashMap<i64, f32>,
    /// Cosine of the question to the mean of the vectors around a chunk, three and nine wide.
    pub(crate) windows: HashMap<i64, (f32, f32)>,
    /// Cosine of the question, moved towards its best answers, to each chunk.
    pub(crate) feedback: HashMap<i64, f32>,
    /// The vector of each chunk that has one.
    pub(crate) vectors: HashMap<i64, Vec<f32>>,
}

/// A chunk with its scores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    /// Which of the rows.
    pub(crate) row: usize,
    pub(crate) score: f32,
    /// Share of the question's words, weighted by rarity.
    pub(crate) keyword: f32,
    /// How many of them.
    pub(crate) held: usize,
    pub(crate) vector: Option<f32>,
    pub(crate) day: bool,
    pub(crate) speaker: bool,
    pub(crate) context: bool,
    /// Says in another language what a better one says.
    pub(crate) twin: bool,
}

/// Scores the rows that may be shown, in their order; the others are only their context. Rows are sorted by id.
pub(crate) fn score(
    rows: &[Row],
    shown: &HashSet<i64>,
    asked: &Asked<'_>,
    meaning: Option<&Meaning>,
) -> Vec<Scored> {
    let places: HashMap<&str, usize> =
        asked.terms.iter().enumerate().map(|(n, term)| (term.as_str(), n)).collect();
    let texts: Vec<Text> = rows.iter().map(|row| Text::of(row, &places, asked)).collect();
    let around = Around::of(rows);
    let keyword = scaled(texts.iter().map(|text| text.bm25));
    let cosine = |get: &dyn Fn(&Meaning, i64) -> Option<f32>| -> Vec<f32> {
        let values: Vec<Option<f32>> =
            rows.iter().map(|row| meaning.and_then(|meaning| get(meaning, row.id))).collect();
        spread(&values)
    };
    let vector = cosine(&|m, id| m.cosines.get(&id).copied());
    let window_vector = cosine(&|m, id| m.windows.get(&id).map(|w| w.0));
    let passage_vector = cosine(&|m, id| m.windows.get(&id).map(|w| w.1));
    let feedback = cosine(&|m, id| m.feedback.get(&id).copied());
    let is_shown = |n: usize| shown.contains(&rows[n].id);
    let around_it = |n: usize, reach: i64| match (is_shown(n), rows[n].dialogue) {
        (true, true) => joint(&texts, &around.near(n, reach), asked),
        (true, false) => texts[n].bm25,
        (false, _) => 0.0,
    };
    let window_keyword = scaled((0..rows.len()).map(|n| around_it(n, WINDOW)));
    let passage_keyword = scaled((0..rows.len()).map(|n| around_it(n, PASSAGE)));
    let length = scaled(rows.iter().map(length));
    let newest = newest_first(rows);
    let speakers = Speakers::of(rows, asked);
    let words = f32::from(u8::from(asked.by_words));

    let own = |n: usize| words * weight::KEYWORD * keyword[n] + weight::VECTOR * vector[n];
    (0..rows.len())
        .filter(|n| is_shown(*n))
        .map(|n| {
            let row = &rows[n];
            let day =
                row_day(row).is_some_and(|date| asked.days.iter().any(|when| when.meets(date)));
            let mut sum =
                own(n) + if day { weight::DAY } else { 0.0 } + weight::FEEDBACK * feedback[n];
            sum += newest[n] * if asked.latest { weight::LATEST } else { weight::NEWER };
            let speaker = row.dialogue && speakers.fits(row);
            let mut context = 0.0;
            if row.dialogue {
                context += words
                    * (weight::WINDOW_KEYWORD * window_keyword[n]
                        + weight::PASSAGE_KEYWORD * passage_keyword[n])
                    + weight::WINDOW_VECTOR * window_vector[n]
                    + weight::PASSAGE_VECTOR * passage_vector[n];
                let before = around.at(n, -1);
                if let Some(before) = before.filter(|before| is_question(&rows[*before].text)) {
                    context += weight::ANSWERS * own(before) / (weight::KEYWORD + weight::VECTOR);
                }
                let beside = [before, around.at(n, 1)].into_iter().flatten().map(own);
                context += weight::NEIGHBOUR * beside.fold(0.0, f32::max)
                    / (weight::KEYWORD + weight::VECTOR);
                sum += weight::LENGTH * length[n];
                if is_question(&row.text) {
                    sum += weight::ASKS;
                }
            }
            if !row.dialogue {
                sum += weight::NOTE
                    + words * weight::WINDOW_KEYWORD * keyword[n]
                    + (weight::WINDOW_VECTOR + weight::PASSAGE_VECTOR) * vector[n];
                if row.entry.is_some() {
                    sum += weight::ENTRY;
                }
            }
            // A note says nothing of who said it first.
            if speaker || (!row.dialogue && !matches!(speakers, Speakers::Nobody)) {
                sum += weight::SPEAKER;
            }
            Scored {
                row: n,
                score: sum + context,
                keyword: texts[n].share,
                held: texts[n].held(),
                vector: meaning.and_then(|m| m.cosines.get(&row.id).copied()),
                day,
                speaker,
                context: context > own(n),
                twin: false,
            }
        })
        .collect()
}

/// The day of a chunk.
pub(crate) fn row_day(row: &Row) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(row.at.as_deref()?.get(..10)?, "%Y-%m-%d").ok()
}

/// A text as the question sees it.
struct Text {
    /// How often each term stands in it.
    counts: Vec<f32>,
    length: f32,
    bm25: f32,
    share: f32,
}

impl Text {
    fn of(row: &Row, places: &HashMap<&str, usize>, asked: &Asked<'_>) -> Self {
        let mut counts = vec![0.0; asked.terms.len()];
        for word in row.words.split(' ') {
            if let Some(n) = places.get(word) {
                counts[*n] += 1.0;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "terms of one chunk")]
        let length = row.terms as f32;
        let bm25 = bm25(&counts, length, asked);
        let total: f32 = asked.rarity.iter().sum();
        let pairs = counts.iter().zip(asked.rarity);
        let held: f32 = pairs.filter(|(count, _)| **count > 0.0).map(|(_, rarity)| rarity).sum();
        // A sum of nothing is -0, which nobody wants to read.
        let share = if total > 0.0 { held / total + 0.0 } else { 0.0 };
        Self { counts, length, bm25, share }
    }

    fn held(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0.0).count()
    }
}

fn bm25(counts: &[f32], length: f32, asked: &Asked<'_>) -> f32 {
    let norm = K1 * (1.0 - B + B * length / asked.average_terms.max(1.0));
    let weigh = |(count, rarity): (&f32, &f32)| rarity * count * (K1 + 1.0) / (count + norm);
    counts.iter().zip(asked.rarity).filter(|(count, _)| **count > 0.0).map(weigh).sum()
}

/// BM25 of several texts as one; the average length grows with them.
fn joint(texts: &[Text], of: &[usize], asked: &Asked<'_>) -> f32 {
    let mut counts = vec![0.0; asked.terms.len()];
    let mut length = 0.0;
    for text in of.iter().map(|n| &texts[*n]) {
        counts.iter_mut().zip(&text.counts).for_each(|(sum, count)| *sum += count);
        length += text.length;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few texts")]
    let parts = of.len().max(1) as f32;
    bm25(&counts, length / parts, asked)
}

/// Chunks beside each other in one session of one file.
struct Around<'a> {
    rows: &'a [Row],
    places: HashMap<i64, usize>,
}

impl<'a> Around<'a> {
    fn of(rows: &'a [Row]) -> Self {
        let places = rows.iter().enumerate().map(|(n, row)| (row.id, n)).collect();
        Self { rows, places }
    }

    /// The one so many places on, where it is loaded and of the same conversation.
    fn at(&self, n: usize, step: i64) -> Option<usize> {
        let row = &self.rows[n];
        let other = *self.places.get(&(row.id + step))?;
        let same = self.rows[other].file == row.file && self.rows[other].session == row.session;
        same.then_some(other)
    }

    fn near(&self, n: usize, reach: i64) -> Vec<usize> {
        (-reach..=reach).filter_map(|step| self.at(n, step)).collect()
    }
}

/// Whose turns are asked for.
enum Speakers {
    Nobody,
    Named(Vec<String>),
    /// The assistant's, or everybody else's.
    Assistant(bool),
}

impl Speakers {
    fn of(rows: &[Row], asked: &Asked<'_>) -> Self {
        let names: HashSet<&str> = rows.iter().filter_map(|row| row.speaker.as_deref()).collect();
        let has_assistant = names.iter().any(|name| is_assistant(name));
        if has_assistant && let Some(said) = asked.said {
            return Self::Assistant(said == Said::ByAssistant);
        }
        let question = asked.question.to_lowercase();
        let named: Vec<String> = names
            .iter()
            .filter(|name| !is_assistant(name) && is_named(&question, &name.to_lowercase()))
            .map(|name| (*name).to_owned())
            .collect();
        // Two who are both named say nothing about whose words are meant.
        if named.is_empty() || named.len() > 2 { Self::Nobody } else { Self::Named(named) }
    }

    fn fits(&self, row: &Row) -> bool {
        let Some(speaker) = row.speaker.as_deref() else { return false };
        match self {
            Self::Nobody => false,
            Self::Named(names) => names.iter().any(|name| name == speaker),
            Self::Assistant(wanted) => is_assistant(speaker) == *wanted,
        }
    }
}

/// Whether a name stands in a question, as a whole word or by its first name.
fn is_named(question: &str, name: &str) -> bool {
    let dense = |name: &str| name.chars().any(|c| c > '\u{2e7f}');
    let first = name.split_whitespace().next().unwrap_or(name);
    if first.chars().count() < 2 {
        return false;
    }
    if dense(name) {
        return question.contains(name);
    }
    question.split(|c: char| !c.is_alphanumeric()).any(|word| word == first)
}

/// Long turns tell more than short ones.
fn length(row: &Row) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "terms of one chunk")]
    let terms = row.terms as f32;
    if row.dialogue { terms.min(120.0).sqrt() } else { 0.0 }
}

/// 1 for the newest, 0 for the oldest, by rank.
fn newest_first(rows: &[Row]) -> Vec<f32> {
    let mut days: Vec<&str> = rows.iter().filter_map(|row| row.at.as_deref()).collect();
    days.sort_unstable();
    days.dedup();
    #[expect(clippy::cast_precision_loss, reason = "a few hundred candidates")]
    let rank =
        |at: &str| days.binary_search(&at).map_or(0.0, |n| n as f32 / days.len().max(2) as f32);
    rows.iter().map(|row| row.at.as_deref().map_or(0.0, rank)).collect()
}

/// Divided by the largest.
fn scaled(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let values: Vec<f32> = values.collect();
    let most = values.iter().copied().fold(0.0, f32::max);
    values.into_iter().map(|x| if most > 0.0 { x / most } else { 0.0 }).collect()
}

/// From the least at 0 to the largest at 1; what has none is at 0.
fn spread(values: &[Option<f32>]) -> Vec<f32> {
    let known = || values.iter().flatten().copied();
    let least = known().fold(f32::INFINITY, f32::min);
    let most = known().fold(f32::NEG_INFINITY, f32::max);
    let width = most - least;
    let one = |x: f32| if width > 0.0 { (x - least) / width } else { 1.0 };
    values.iter().map(|x| x.map_or(0.0, one)).collect()
}
