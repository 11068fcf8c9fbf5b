//! Recall: one path from a question to hits, for the tool, the command line, the prompt and the interface.
//!
//! Invariants: any text is a valid question; each hit says where it stands and why; the score of the words
//! and the score of the meaning are kept apart, and neither is held against a fixed limit alone.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use chrono::{Local, NaiveDate};
use hearth_protocol::api::memory::{Layer, MemoryAnswer, MemoryHit, MemoryQuery, SearchMode};

use crate::chunk::who;
use crate::index::Row;
use crate::meaning::{CONTEXT, Meaning};
use crate::question::{When, days, said, sentences, wants_first, wants_latest};
use crate::rank::{Asked, Scored, row_day, score};
use crate::source::CONVERSATION;
use crate::tokens::{question_terms, terms};
use crate::{Memory, MemoryError, Result, twins};

/// Candidates that each side brings.
const CANDIDATES: usize = 200;
const DEFAULT_HITS: usize = 10;
const MOST_HITS: usize = 200;
/// Below both of these, nothing answers the question. Measured: of right notes 90 of 100 are nearer in meaning,
/// of questions that nothing answers 20 of 100 find one that is.
const WEAK_WORDS: f32 = 0.1;
const WEAK_MEANING: f32 = 0.25;
/// A turn is read with its day and its speaker, which holds it off a little.
const WEAK_MEANING_OF_TURNS: f32 = 0.22;
/// The best of a few notes lies so much lower than the best of many that do not answer either.
const FEW_LIE_LOWER: f32 = 0.02;
const FEW: usize = 50;
/// A text with more terms or sentences is no question but a message, which is near to no single note.
const LONGEST_QUESTION: usize = 24;
const LONGEST_OF_TWO_SENTENCES: usize = 12;
/// Shared words above which two texts say the same.
const SAME: f32 = 0.95;

struct Found {
    /// By id.
    rows: Vec<Arc<Row>>,
    /// Which of them may be shown; the rest is only their context.
    shown: Vec<bool>,
}

impl Memory {
    /// Answers a question.
    ///
    /// # Errors
    /// A date that is none; the index's. A model that fails is said in the log, and words answer alone.
    pub async fn search(&self, asked: &MemoryQuery) -> Result<MemoryAnswer> {
        let begun = Instant::now();
        let now = match asked.now.as_deref() {
            None => Local::now().date_naive(),
            Some(text) => day(text)?,
        };
        let (mode, vector) = self.question_vector(asked).await?;
        let words = question_terms(&asked.query);
        let mut named = days(&asked.query, now);
        if wants_first(&asked.query)
            && let Some(first) = self.inner.index.first_day(self.inner.generation()).await?
        {
            named.extend(
                NaiveDate::parse_from_str(&first, "%Y-%m-%d")
                    .ok()
                    .map(|first| When::Range(first, first)),
            );
        }
        let looks = !words.is_empty() || (vector.is_some() && !asked.query.trim().is_empty());
        let hits = if looks {
            let words = if mode == SearchMode::Vector { &[][..] } else { &words };
            let index = &self.inner.index;
            let (frequencies, totals) =
                tokio::try_join!(index.frequencies(words), index.totals(self.inner.generation()))?;
            let found = self.candidates(&frequencies, vector.as_deref(), &named, now).await?;
            let asking = Asked {
                terms: words,
                rarity: &rarity(words, &frequencies, totals.chunks),
                #[expect(clippy::cast_precision_loss, reason = "an average")]
                average_terms: totals.terms as f32 / totals.chunks.max(1) as f32,
                days: &named,
                said: said(&asked.query),
                question: &asked.query,
                latest: wants_latest(&asked.query),
                by_words: !words.is_empty(),
            };
            self.rank(asked, &asking, vector.as_deref(), &found, now)
        } else {
            Vec::new()
        };
        Ok(MemoryAnswer {
            query: asked.query.clone(),
            took_ms: begun.elapsed().as_secs_f64() * 1000.0,
            mode,
            nothing_found: hits.is_empty(),
            hits,
        })
    }

    /// The mode that is possible, and the question as a vector.
    async fn question_vector(&self, asked: &MemoryQuery) -> Result<(SearchMode, Option<Vec<f32>>)> {
        let inner = &self.inner;
        let possible = inner.encoder.is_some() && inner.matrix().len() > 0;
        if asked.mode == SearchMode::Keyword || !possible || asked.query.trim().is_empty() {
            return Ok((SearchMode::Keyword, None));
        }
        match inner.embed_question(&asked.query).await {
            Ok(vector) => Ok((asked.mode, Some(vector))),
            Err(MemoryError::Embed(error)) => {
                tracing::warn!(%error, "the embedding model failed: words answer alone");
                Ok((SearchMode::Keyword, None))
            }
            Err(error) => Err(error),
        }
    }

    async fn candidates(
        &self,
        frequencies: &HashMap<String, i64>,
        vector: Option<&[f32]>,
        named: &[When],
        now: NaiveDate,
    ) -> Result<Found> {
        let inner = &self.inner;
        let generation = inner.generation();
        // The index looks for the words on a thread of its own meanwhile.
        let near = async {
            vector.map(|vector| inner.matrix().nearest(vector, CANDIDATES)).unwrap_or_default()
        };
        let (ids, near) =
            tokio::join!(inner.index.with_terms(generation, frequencies, CANDIDATES), near);
        let mut ids = ids?;
        ids.extend(near.into_iter().map(|(id, _)| id));
        for (from, to) in named.iter().filter_map(|when| when.days(now)) {
            let days = (from.to_string(), to.to_string());
            let of_day = inner.index.of_days(generation, (&days.0, &days.1), CANDIDATES).await?;
            ids.extend(of_day);
        }
        let mut shown: HashSet<i64> = ids.into_iter().collect();
        let first = inner.index.rows(&shown.iter().copied().collect::<Vec<_>>()).await?;
        let mut wanted = shown.clone();
        for row in first.iter().filter(|row| row.dialogue) {
            wanted.extend((-CONTEXT..=CONTEXT).map(|step| row.id + step));
            // The answer to a question stands beside it and may share no word with it.
            shown.extend([row.id - 1, row.id + 1]);
        }
        let alone: HashSet<i64> = first.iter().map(|row| row.id).collect();
        wanted.retain(|id| !alone.contains(id));
        let mut rows = first;
        if !wanted.is_empty() {
            rows.extend(inner.index.rows(&wanted.into_iter().collect::<Vec<_>>()).await?);
            rows.sort_unstable_by_key(|row| row.id);
        }
        let shown = rows
            .iter()
            .map(|row| alone.contains(&row.id) || (row.dialogue && shown.contains(&row.id)))
            .collect();
        Ok(Found { rows, shown })
    }

    fn rank(
        &self,
        query: &MemoryQuery,
        asked: &Asked<'_>,
        vector: Option<&[f32]>,
        found: &Found,
        now: NaiveDate,
    ) -> Vec<MemoryHit> {
        let meaning = vector
            .map(|vector| Meaning::of(&self.inner.matrix(), &found.rows, &found.shown, vector));
        let mut scored = score(&found.rows, &found.shown, asked, meaning.as_ref());
        if let Some(meaning) = &meaning {
            twins::lift(&found.rows, &mut scored, meaning);
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
        if !is_message(asked) && is_weak(&found.rows, &scored) {
            return Vec::new();
        }
        take(&found.rows, &scored, query, now)
    }
}

/// The day of `--now`.
fn day(text: &str) -> Result<NaiveDate> {
    let day = text.get(..10).and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
    day.ok_or_else(|| MemoryError::Refused(format!("{text} is no date: write YYYY-MM-DD")))
}

fn rarity(words: &[String], frequencies: &HashMap<String, i64>, chunks: i64) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "only its logarithm counts")]
    let weigh = |word: &String| {
        let holding = frequencies.get(word).copied().unwrap_or(0) as f32;
        let all = (chunks as f32).max(holding);
        (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
    };
    words.iter().map(weigh).collect()
}

/// Whether a text tells of something rather than asks one thing.
fn is_message(asked: &Asked<'_>) -> bool {
    let longest = match sentences(asked.question) {
        0 | 1 => LONGEST_QUESTION,
        2 => LONGEST_OF_TWO_SENTENCES,
        _ => return true,
    };
    asked.terms.len() > longest
}

/// Whether neither the words nor the meaning of any candidate answers.
fn is_weak(rows: &[Arc<Row>], scored: &[Scored]) -> bool {
    // Of a long question no chunk holds much, so two of its words are enough.
    let words = |one: &Scored| one.held > 1 || one.keyword >= WEAK_WORDS;
    let lower = if scored.len() < FEW { FEW_LIE_LOWER } else { 0.0 };
    let meaning = |one: &Scored| {
        let weak = if rows[one.row].dialogue { WEAK_MEANING_OF_TURNS } else { WEAK_MEANING };
        one.vector.is_some_and(|cosine| cosine >= weak - lower)
    };
    !scored.iter().any(|one| one.day || words(one) || meaning(one))
}

/// The best that fit, without what only repeats a better one.
fn take(
    rows: &[Arc<Row>],
    scored: &[Scored],
    query: &MemoryQuery,
    now: NaiveDate,
) -> Vec<MemoryHit> {
    let most =
        query.k.unwrap_or(if query.chars.is_some() { MOST_HITS } else { DEFAULT_HITS }).max(1);
    let best = scored.first().map_or(0.0, |one| one.score);
    let mut hits: Vec<MemoryHit> = Vec::new();
    let mut kept: Vec<HashSet<String>> = Vec::new();
    let mut left = query.chars.unwrap_or(usize::MAX);
    for one in scored {
        let row = &rows[one.row];
        let layer = layer(row, now);
        if query.layer.is_some_and(|wanted| wanted != layer) {
            continue;
        }
        let words: HashSet<String> = terms(&row.text).into_iter().collect();
        if let Some(same) = kept.iter().position(|other| repeats(&words, other)) {
            if !row.path.starts_with(CONVERSATION) {
                hits[same].docs.extend(row.doc.clone());
            }
            continue;
        }
        let hit = hit(row, one, layer, best);
        if hits.len() == most || hit.chars > left {
            break;
        }
        left -= hit.chars;
        kept.push(words);
        hits.push(hit);
    }
    hits
}

/// Whether two texts say the same. A number that differs is never the same.
fn repeats(words: &HashSet<String>, other: &HashSet<String>) -> bool {
    let (less, more) = (words.len().min(other.len()), words.len().max(other.len()));
    #[expect(clippy::cast_precision_loss, reason = "words of two chunks")]
    let enough = |n: usize| n as f32 >= SAME * more as f32;
    let number = |word: &&String| word.contains(|c: char| c.is_numeric());
    enough(less)
        && enough(words.intersection(other).count())
        && !words.symmetric_difference(other).any(|word| number(&word))
}

fn layer(row: &Row, now: NaiveDate) -> Layer {
    let recent = |date: NaiveDate| (0..=1).contains(&(now - date).num_days());
    match row.path.as_str() {
        "MEMORY.md" | "USER.md" | "IDENTITY.md" => Layer::LongTerm,
        path if path.starts_with(CONVERSATION) && row_day(row).is_some_and(recent) => Layer::Recent,
        path if crate::chunk::day_of(path).is_some_and(recent) => Layer::Recent,
        _ => Layer::Semantic,
    }
}

fn hit(row: &Row, one: &Scored, layer: Layer, best: f32) -> MemoryHit {
    let day = row_day(row).map(|day| day.to_string());
    let text = match (&day, who(row.speaker.as_deref(), row.dialogue)) {
        (Some(day), Some(speaker)) => format!("{day} {speaker}: {}", row.text),
        (None, Some(speaker)) => format!("{speaker}: {}", row.text),
        (Some(day), None) if row.entry.is_none() && row.title.is_empty() => {
            format!("{day}: {}", row.text)
        }
        _ if row.title.is_empty() || row.title == row.text => row.text.clone(),
        _ => format!("{}: {}", row.title, row.text),
    };
    let line = |n: i64| u32::try_from(n).unwrap_or(1);
    let said = row.path.starts_with(CONVERSATION);
    // Which stretch of the conversation it is, only the index needs to know.
    let path = match row.path.rsplit_once('#') {
        Some((path, _)) if said => path,
        _ => &row.path,
    };
    let place = format!("{path}#L{}-L{}", row.line_from, row.line_to);
    MemoryHit {
        id: row.entry.clone().or_else(|| row.doc.clone()).unwrap_or(place),
        docs: row.doc.iter().filter(|_| !said).cloned().collect(),
        path: path.to_owned(),
        from: line(row.line_from),
        to: line(row.line_to),
        layer,
        score: if best > 0.0 { (one.score / best).clamp(0.0, 1.0) } else { 0.0 },
        keyword: one.keyword,
        vector: one.vector,
        chars: text.chars().count(),
        text,
        why: why(one),
        superseded: None,
    }
}

fn why(one: &Scored) -> Vec<String> {
    let mut why = Vec::new();
    if one.keyword > 0.0 {
        why.push(format!("words {:.0} %", one.keyword * 100.0));
    }
    if let Some(vector) = one.vector.filter(|vector| *vector >= WEAK_MEANING) {
        why.push(format!("meaning {vector:.2}"));
    }
    let reasons = [
        (one.day, "of the day that was named"),
        (one.speaker, "said by whom was asked about"),
        (one.context, "from the conversation around it"),
        (one.twin, "says the same in another language"),
    ];
    why.extend(reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text.to_owned()));
    if why.is_empty() {
        why.push("the nearest there is".to_owned());
    }
    why
}
