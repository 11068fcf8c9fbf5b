//! Measuring recall on questions with known answers, each conversation in a memory of its own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hearth_embed::{EmbedError, Kind};
use hearth_protocol::api::memory::{Latency, MemoryEval, MemoryHit, MemoryQuery, SearchMode};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Encoder, Memory, MemoryError, Result, Sources};

/// What is measured.
#[derive(Debug, Clone)]
pub struct EvalOptions {
    /// Ranks at which recall is taken.
    pub ks: Vec<usize>,
    /// Characters at which recall is taken.
    pub chars: Vec<usize>,
    /// How is looked.
    pub mode: SearchMode,
}

/// The figures, and the ranking of each question.
#[derive(Debug)]
pub struct Evaluated {
    /// All figures.
    pub figures: MemoryEval,
    /// One row a question.
    pub rankings: Vec<Ranked>,
}

/// What was found for a question.
#[derive(Debug, Serialize)]
pub struct Ranked {
    /// Its id.
    pub query_id: String,
    /// The passages, the best first.
    pub ranked: Vec<Passage>,
    /// Milliseconds.
    pub ms: f64,
}

/// A passage that was found.
#[derive(Debug, Serialize)]
pub struct Passage {
    /// Notes it holds.
    pub docs: Vec<String>,
    /// Its length.
    pub chars: usize,
}

#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    conv: String,
    text: String,
    gold: Vec<Gold>,
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    date: Option<String>,
}

/// A right note, or several of which any will do.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Gold {
    One(String),
    AnyOf(Vec<String>),
}

impl Gold {
    fn is(&self, id: &str) -> bool {
        match self {
            Self::One(gold) => gold == id,
            Self::AnyOf(golds) => golds.iter().any(|gold| gold == id),
        }
    }
}

/// A throwaway workspace keeps no versions.
struct NoJournal;

impl Journal for NoJournal {
    fn record(&self, _version: &Version) -> std::result::Result<(), JournalError> {
        Ok(())
    }
}

/// A model that is asked for no text twice: each memory wants the same everyday sentences first.
#[derive(Debug)]
struct Once {
    model: Arc<dyn Encoder>,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Encoder for Once {
    fn name(&self) -> std::result::Result<String, EmbedError> {
        self.model.name()
    }

    fn embed(&self, kind: Kind, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let key = |text: &str| format!("{}{text}", kind.prefix());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&str> =
            texts.iter().copied().filter(|text| !known().contains_key(&key(text))).collect();
        let made = self.model.embed(kind, &missing)?;
        known().extend(missing.iter().map(|text| key(text)).zip(made));
        let known = known();
        Ok(texts.iter().filter_map(|text| known.get(&key(text)).cloned()).collect())
    }

    fn release_idle(&self, after: Duration) -> bool {
        self.model.release_idle(after)
    }
}

/// Imports the documents, asks the questions and measures. Both are JSON Lines; `conv` says which belong
/// together.
///
/// # Errors
/// A line that cannot be read, and all that importing and searching can say.
pub async fn evaluate(
    documents: &str,
    questions: &str,
    encoder: Option<Arc<dyn Encoder>>,
    options: &EvalOptions,
) -> Result<Evaluated> {
    let mut conversations: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (index, line) in lines(documents) {
        let value: Value = parse(index, line)?;
        let conv = value.get("conv").and_then(Value::as_str).unwrap_or_default().to_owned();
        conversations.entry(conv).or_default().push(line);
    }
    let mut asked: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for (index, line) in lines(questions) {
        let question: Question = parse(index, line)?;
        asked.entry(question.conv.clone()).or_default().push(question);
    }
    let encoder =
        encoder.map(|model| Arc::new(Once { model, known: Mutex::default() }) as Arc<dyn Encoder>);
    let mut rankings = Vec::new();
    let mut measured = Vec::new();
    for (conv, questions) in asked {
        let notes = conversations.get(&conv).map(|lines| lines.join("\n")).unwrap_or_default();
        let folder = tempfile::tempdir().map_err(sqlx::Error::Io)?;
        let workspace =
            Arc::new(WorkspaceRoot::open(&folder.path().join("workspace"), Arc::new(NoJournal))?);
        let sources = Sources { workspace, encoder: encoder.clone(), conversations: None };
        let memory = Memory::open(&folder.path().join("index.db"), sources).await?;
        memory.import(&notes).await?;
        if options.mode != SearchMode::Keyword {
            memory.embed(&mut |_| true).await?;
        }
        for question in questions {
            let (ranked, hits) = ask(&memory, &question, options).await?;
            measured.push(Measured::of(&question, &hits, ranked.ms, options));
            rankings.push(ranked);
        }
        memory.close().await;
    }
    Ok(Evaluated { figures: figures(&measured, options, true), rankings })
}

async fn ask(
    memory: &Memory,
    question: &Question,
    options: &EvalOptions,
) -> Result<(Ranked, Vec<MemoryHit>)> {
    // A few more than are counted, since the last may be cut.
    let chars = options.chars.iter().max().copied().unwrap_or(8_000) + 2_000;
    let query = MemoryQuery {
        query: question.text.clone(),
        chars: Some(chars),
        now: question.date.as_ref().map(|date| date.chars().take(10).collect()),
        mode: options.mode,
        ..MemoryQuery::default()
    };
    let answer = memory.search(&query).await?;
    let passage = |hit: &MemoryHit| Passage { docs: hit.docs.clone(), chars: hit.chars };
    let ranked = Ranked {
        query_id: question.id.clone(),
        ranked: answer.hits.iter().map(passage).collect(),
        ms: answer.took_ms,
    };
    Ok((ranked, answer.hits))
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
}

fn parse<T: for<'a> Deserialize<'a>>(index: usize, line: &str) -> Result<T> {
    serde_json::from_str(line)
        .map_err(|error| MemoryError::Line { line: index + 1, why: error.to_string() })
}

/// The figures of one question.
#[derive(Clone)]
struct Measured {
    category: String,
    at_k: Vec<f64>,
    at_chars: Vec<f64>,
    reciprocal: f64,
    ndcg: f64,
    ms: f64,
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "counts of right notes")]
    fn of(question: &Question, hits: &[MemoryHit], ms: f64, options: &EvalOptions) -> Self {
        let gold = &question.gold;
        let share = |found: &HashSet<usize>| found.len() as f64 / gold.len().max(1) as f64;
        let mut found: HashSet<usize> = HashSet::new();
        let mut at_k = vec![0.0; options.ks.len()];
        let mut at_chars = vec![0.0; options.chars.len()];
        let (mut reciprocal, mut gain, mut spent) = (0.0, 0.0, 0);
        for (rank, hit) in hits.iter().enumerate() {
            let before = found.len();
            let held = |gold: &Gold| hit.docs.iter().any(|doc| gold.is(doc));
            found.extend((0..gold.len()).filter(|n| held(&gold[*n])));
            spent += hit.chars;
            if found.len() > before {
                if reciprocal == 0.0 {
                    reciprocal = 1.0 / (rank + 1) as f64;
                }
                if rank < 10 {
                    gain += 1.0 / ((rank + 2) as f64).log2();
                }
            }
            for (value, k) in at_k.iter_mut().zip(&options.ks) {
                if rank < *k {
                    *value = share(&found);
                }
            }
            for (value, budget) in at_chars.iter_mut().zip(&options.chars) {
                if spent <= *budget {
                    *value = share(&found);
                }
            }
        }
        let ideal: f64 = (0..gold.len().min(10)).map(|n| 1.0 / ((n + 2) as f64).log2()).sum();
        Self {
            category: question.category.clone().unwrap_or_else(|| "-".to_owned()),
            at_k,
            at_chars,
            reciprocal,
            ndcg: if ideal > 0.0 { gain / ideal } else { 0.0 },
            ms,
        }
    }
}

fn figures(rows: &[Measured], options: &EvalOptions, by_category: bool) -> MemoryEval {
    let mean = |of: &dyn Fn(&Measured) -> f64| {
        #[expect(clippy::cast_precision_loss, reason = "a count of questions")]
        let count = rows.len().max(1) as f64;
        rows.iter().map(of).sum::<f64>() / count
    };
    let mut times: Vec<f64> = rows.iter().map(|row| row.ms).collect();
    times.sort_by(f64::total_cmp);
    let time = |percent: usize| {
        times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)))
    };
    let at = |names: &[usize], of: &dyn Fn(&Measured, usize) -> f64| {
        names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.to_string(), mean(&|row| of(row, n))))
            .collect()
    };
    MemoryEval {
        queries: rows.len() as u64,
        recall_at_k: at(&options.ks, &|row, n| row.at_k[n]),
        mrr: mean(&|row| row.reciprocal),
        ndcg: mean(&|row| row.ndcg),
        recall_at_chars: at(&options.chars, &|row, n| row.at_chars[n]),
        latency_ms: Latency {
            p50: time(50).copied().unwrap_or(0.0),
            p95: time(95).copied().unwrap_or(0.0),
        },
        categories: if by_category { by(rows, options) } else { BTreeMap::new() },
    }
}

fn by(rows: &[Measured], options: &EvalOptions) -> BTreeMap<String, MemoryEval> {
    let names: HashSet<&String> = rows.iter().map(|row| &row.category).collect();
    names
        .into_iter()
        .map(|name| {
            let own: Vec<Measured> =
                rows.iter().filter(|row| row.category == *name).cloned().collect();
            (name.clone(), figures(&own, options, false))
        })
        .collect()
}
