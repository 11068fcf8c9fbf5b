//! Ranking: what speaks for a chunk, each scaled to 0..1 over the candidates of one question, and summed
//! with fixed weights.
//!
//! Invariant: scores are made here from the texts of the candidates alone, so they do not depend on how the
//! index found them. Context counts only in conversations; a note that stands alone is its own context, so
//! that it is measured against turns fairly.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::index::{Row, mark};
use crate::meaning::Meaning;
use crate::question::{Said, When, is_assistant};

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
    rows: &[Arc<Row>],
    shown: &[bool],
    asked: &Asked<'_>,
    meaning: Option<&Meaning>,
) -> Vec<Scored> {
    let mut places: Vec<(u64, usize)> =
        asked.terms.iter().enumerate().map(|(n, term)| (mark(term), n)).collect();
    places.sort_unstable();
    let texts: Vec<Text> = rows.iter().map(|row| Text::of(row, &places, asked)).collect();
    let around = Around(rows);
    let keyword = scaled(texts.iter().map(|text| text.bm25));
    let cosine = |get: &dyn Fn(&Meaning, usize) -> Option<f32>| -> Vec<f32> {
        let values: Vec<Option<f32>> =
            (0..rows.len()).map(|n| meaning.and_then(|meaning| get(meaning, n))).collect();
        spread(&values)
    };
    let vector = cosine(&|m, n| m.cosines[n]);
    let window_vector = cosine(&|m, n| m.windows[n].map(|w| w.0));
    let passage_vector = cosine(&|m, n| m.windows[n].map(|w| w.1));
    let feedback = cosine(&|m, n| m.feedback[n]);
    let is_shown = |n: usize| shown[n];
    let around_it = |n: usize, reach: i64| match (is_shown(n), rows[n].dialogue) {
        (true, true) => joint(&texts, &around.near(n, reach), asked),
        (true, false) => texts[n].bm25,
        (false, _) => 0.0,
    };
    let window_keyword = scaled((0..rows.len()).map(|n| around_it(n, WINDOW)));
    let passage_keyword = scaled((0..rows.len()).map(|n| around_it(n, PASSAGE)));
    let length = scaled(rows.iter().map(|row| length(row)));
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
                if let Some(before) = before.filter(|before| rows[*before].asks) {
                    context += weight::ANSWERS * own(before) / (weight::KEYWORD + weight::VECTOR);
                }
                let beside = [before, around.at(n, 1)].into_iter().flatten().map(own);
                context += weight::NEIGHBOUR * beside.fold(0.0, f32::max)
                    / (weight::KEYWORD + weight::VECTOR);
                sum += weight::LENGTH * length[n];
                if row.asks {
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
                vector: meaning.and_then(|m| m.cosines[n]),
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
    fn of(row: &Row, places: &[(u64, usize)], asked: &Asked<'_>) -> Self {
        let mut counts = vec![0.0; asked.terms.len()];
        for mark in &row.marks {
            if let Ok(at) = places.binary_search_by_key(mark, |(mark, _)| *mark) {
                counts[places[at].1] += 1.0;
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
    // As it is with most of what only stands around.
    if of.iter().all(|n| texts[*n].share == 0.0) {
        return 0.0;
    }
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
struct Around<'a>(&'a [Arc<Row>]);

impl Around<'_> {
    /// The one so many places on, where it is loaded and of the same conversation.
    fn at(&self, n: usize, step: i64) -> Option<usize> {
        let row = &self.0[n];
        // Rows are sorted by id, so it stands at most as many places away.
        let reach = usize::try_from(step.unsigned_abs()).ok()?;
        let (first, end) = (n.saturating_sub(reach), (n + reach + 1).min(self.0.len()));
        let other = self.0[first..end].binary_search_by_key(&(row.id + step), |row| row.id).ok()?;
        let other = first + other;
        let same = self.0[other].file == row.file && self.0[other].session == row.session;
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
    fn of(rows: &[Arc<Row>], asked: &Asked<'_>) -> Self {
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
fn newest_first(rows: &[Arc<Row>]) -> Vec<f32> {
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
