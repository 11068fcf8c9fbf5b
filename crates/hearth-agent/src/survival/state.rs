//! SESSION-STATE.md: one line a fact, in the section of its session.
//!
//! `- 2026-11-30 14:05 [correction, exact_value] The launch is on 17 March 2027, not the 3rd.`
//!
//! Invariants: a section holds at most [`MOST_FACTS`] facts and [`MOST_CHARS`] characters of them; the same
//! fact stands once; where a correction or a restatement says the same of the same subject, the newest stands.
//! Lines that are no facts (people write here too) stay where they are.

use super::words::{subject, terms};
use crate::TokenCounter;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// Facts of a session.
pub const MOST_FACTS: usize = 200;
/// Characters of a session's facts.
pub const MOST_CHARS: usize = 16_000;
/// Characters of one fact.
const FACT_CHARS: usize = 260;
/// How the file begins.
pub const TITLE: &str = "# Session state\n\nHearth notes here, before it answers, what must not be lost. \
One section a conversation.";

/// What must not be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Local date and time, `2026-11-30 14:05`.
    pub at: String,
    /// Names of its signals.
    pub signals: Vec<String>,
    /// The sentence.
    pub text: String,
}

/// A line of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Fact(Fact),
    Other(String),
}

impl Fact {
    /// A fact on one line.
    #[must_use]
    pub fn new(at: &str, signals: Vec<String>, text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = if text.chars().count() > FACT_CHARS {
            let cut: String = text.chars().take(FACT_CHARS - 1).collect();
            format!("{cut}…")
        } else {
            text
        };
        Self { at: at.to_owned(), signals, text }
    }

    fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("- ")?;
        let (at, rest) = rest.split_once(" [")?;
        let (signals, text) = rest.split_once("] ")?;
        let dated = at.len() == 16 && at.starts_with(|c: char| c.is_ascii_digit());
        let signals = signals.split(", ").map(str::to_owned).collect();
        dated.then(|| Self { at: at.to_owned(), signals, text: text.to_owned() })
    }

    fn has(&self, signal: &str) -> bool {
        self.signals.iter().any(|own| own == signal)
    }

    /// What leaves first where room is short: names, then values and drafts, then what was settled.
    fn weight(&self) -> u8 {
        match () {
            () if ["correction", "preference", "decision"].iter().any(|s| self.has(s)) => 2,
            () if self.has("exact_value") || self.has("draft_change") => 1,
            () => 0,
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "- {} [{}] {}", self.at, self.signals.join(", "), self.text)
    }
}

/// The facts of a section, in order.
#[must_use]
pub fn facts(section: &str) -> Vec<Fact> {
    section.lines().filter_map(Fact::parse).collect()
}

/// A section with new facts in it.
#[must_use]
pub fn noted(section: &str, new: &[Fact]) -> String {
    let mut lines = parse(section);
    for fact in new.iter().filter(|fact| !fact.text.is_empty()) {
        let signals = replaced(&mut lines, fact);
        lines.push(Line::Fact(Fact { signals, ..fact.clone() }));
    }
    bound(&mut lines);
    show(&lines)
}

/// A section without the facts that say what was forgotten: those that hold the text, or are part of it.
#[must_use]
pub fn forgotten(section: &str, text: &str) -> String {
    let gone = plain(text);
    let mut lines = parse(section);
    lines.retain(|line| match line {
        Line::Fact(fact) => {
            let own = plain(&fact.text);
            gone.is_empty() || !(own.contains(&gone) || own.len() > 8 && gone.contains(&own))
        }
        Line::Other(_) => true,
    });
    show(&lines)
}

/// What of a section a prompt carries within so many tokens: the facts nearest to the message and the newest,
/// in their order; other lines where there is room for all.
#[must_use]
pub fn chosen(section: &str, message: &str, tokens: u64, counter: &dyn TokenCounter) -> String {
    if counter.count(section) <= tokens {
        return section.trim().to_owned();
    }
    let facts = facts(section);
    let sizes: Vec<u64> = facts.iter().map(|fact| counter.count(&fact.to_string()) + 1).collect();
    let marker =
        format!("[… the newest and nearest of {} notes; the rest can be searched …]", facts.len());
    let mut left = tokens.saturating_sub(counter.count(&marker) + 1);
    let mut take = vec![false; facts.len()];
    // A quarter is for the newest, whatever the message is about.
    let mut near_left = left * 3 / 4;
    for at in nearest(&facts, message) {
        if sizes[at] <= near_left {
            near_left -= sizes[at];
            left -= sizes[at];
            take[at] = true;
        }
    }
    for at in (0..facts.len()).rev() {
        if take[at] {
            continue;
        }
        if sizes[at] > left {
            break;
        }
        left -= sizes[at];
        take[at] = true;
    }
    let kept =
        facts.iter().zip(take).filter(|(_, take)| *take).map(|(fact, _)| format!("{fact}\n"));
    format!("{marker}\n{}", kept.collect::<String>()).trim_end().to_owned()
}

/// Facts that share terms with a message, those with rare terms first.
fn nearest(facts: &[Fact], message: &str) -> Vec<usize> {
    let wanted = terms(message);
    let of_facts: Vec<BTreeSet<String>> = facts.iter().map(|fact| terms(&fact.text)).collect();
    let mut common: HashMap<&str, f64> = HashMap::new();
    for term in of_facts.iter().flatten() {
        *common.entry(term).or_default() += 1.0;
    }
    let weight = |term: &String| common.get(term.as_str()).map_or(0.0, |facts| 1.0 / facts);
    let mut scored: Vec<(f64, usize)> = of_facts
        .iter()
        .enumerate()
        .map(|(at, own)| (own.intersection(&wanted).map(weight).sum::<f64>(), at))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.cmp(x)));
    scored.into_iter().map(|(_, at)| at).collect()
}

fn parse(section: &str) -> Vec<Line> {
    let line = |line: &str| match Fact::parse(line) {
        Some(fact) => Line::Fact(fact),
        None => Line::Other(line.to_owned()),
    };
    section.lines().map(line).collect()
}

fn show(lines: &[Line]) -> String {
    let texts: Vec<String> = lines
        .iter()
        .map(|line| match line {
            Line::Fact(fact) => fact.to_string(),
            Line::Other(text) => text.clone(),
        })
        .collect();
    texts.join("\n").trim().to_owned()
}

/// Takes away what the new fact says anew. Returns its signals, with those of the same sentence said before.
fn replaced(lines: &mut Vec<Line>, new: &Fact) -> Vec<String> {
    let mut signals = new.signals.clone();
    let (own, about) = (plain(&new.text), subject(&new.text));
    let restates = new.has("exact_value") && tells(&new.text);
    lines.retain(|line| {
        let Line::Fact(old) = line else { return true };
        let same = old.text == new.text || !own.is_empty() && plain(&old.text) == own;
        if same {
            let more: Vec<_> = old.signals.iter().filter(|own| !new.has(own)).cloned().collect();
            signals.extend(more);
        }
        let comparable = new.has("correction") || restates && old.has("exact_value");
        !(same || comparable && supersedes(new, &about, old))
    });
    signals
}

/// Whether a fact, of which the subject is known, says something else of the subject of another.
fn supersedes(new: &Fact, about: &BTreeSet<String>, old: &Fact) -> bool {
    let old_subject = subject(&old.text);
    if old_subject.len() < 2 {
        return false;
    }
    if new.has("correction") {
        // A correction says more than what it corrects ("no, …, not …").
        return old_subject.intersection(about).count() * 4 >= old_subject.len() * 3;
    }
    // The same words around another value: "the budget is 5,000" and "the budget is 6,000". Where a number
    // names the thing ("room 12 is free"), both stand.
    *about == old_subject
}

/// Whether the value stands after a word that tells, as in "is", "=", "是".
fn tells(text: &str) -> bool {
    let first_digit = text.find(|c: char| c.is_numeric()).unwrap_or(text.len());
    let before = text[..first_digit].to_lowercase();
    let words = ["is", "are", "was", "to", "at", "on"];
    let word = before.split_whitespace().rev().take(3).any(|word| words.contains(&word));
    word || ["是", "为", "：", ":", "=", "改到", "改成"].iter().any(|mark| before.contains(mark))
}

fn bound(lines: &mut Vec<Line>) {
    let size = |lines: &[Line]| -> (usize, usize) {
        let facts = lines.iter().filter_map(|line| match line {
            Line::Fact(fact) => Some(fact.text.chars().count() + 30),
            Line::Other(_) => None,
        });
        facts.fold((0, 0), |(count, chars), size| (count + 1, chars + size))
    };
    loop {
        let (count, chars) = size(lines);
        if count <= MOST_FACTS && chars <= MOST_CHARS {
            return;
        }
        let lightest = lines.iter().enumerate().filter_map(|(at, line)| match line {
            Line::Fact(fact) => Some((fact.weight(), at)),
            Line::Other(_) => None,
        });
        let Some((_, at)) = lightest.min() else { return };
        lines.remove(at);
    }
}

/// A text for comparing: lower case, letters and digits only.
fn plain(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}
