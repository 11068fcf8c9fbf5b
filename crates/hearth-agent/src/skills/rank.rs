//! The ranking: how much a message has in common with each skill, and what that activates.

use super::asked::{Asked, asked, named_by_job};
use super::meaning::Nearness;
use super::talk::doubt;
use super::words::{Words, words};
use hearth_protocol::api::skills::{SkillMatch, SkillRank};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

/// Fewer skills at hand make no word common.
const LEAST_SKILLS: usize = 40;
/// What each side is worth beside meaning: fields and words as they stand.
const FIELDS: f32 = 0.12;
const LITERAL: f32 = 0.08;
/// The same where there is no meaning.
const FIELDS_ALONE: f32 = 0.23;
const LITERAL_ALONE: f32 = 0.07;
/// A message of more words than this shares some of them with anything.
const SHORT: f32 = 6.0;
/// From here on a skill is activated.
const THRESHOLD: f32 = 0.47;
const THRESHOLD_BY_WORDS: f32 = 0.46;
/// What is listed as considered.
const MOST_RANKED: usize = 10;
/// A person's own skill that fits by so much less than one that comes with the program still comes before it.
const OWN: f32 = 0.1;
/// A score that counts as certain.
const CERTAIN: f32 = 1.0;

/// A skill as far as the ranking looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it says it is for.
    pub description: String,
    /// Words that activate it.
    pub triggers: Vec<String>,
    /// Messages may activate it.
    pub by_model: bool,
    /// `/skill` may activate it.
    pub by_user: bool,
    /// It comes with the program: nobody chose it.
    pub bundled: bool,
}

/// A skill in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its place among the candidates.
    pub at: usize,
    /// 0 to 1.
    pub score: f32,
    /// Why.
    pub why: String,
}

/// What was decided on a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Considered skills, best first.
    pub ranked: Vec<Ranked>,
    /// Those to activate, by their place among the candidates.
    pub activated: Vec<usize>,
    /// From which score on.
    pub threshold: f32,
    /// Meaning was looked at.
    pub by_meaning: bool,
    /// The message without the command that named a skill.
    pub rest: Option<String>,
}

/// The skills at hand, prepared: built when they change, asked for each message.
#[derive(Debug)]
pub struct Matcher {
    candidates: Vec<Candidate>,
    documents: Vec<Words>,
    fields: Table<u16>,
    literal: Table<String>,
}

impl Matcher {
    /// Prepares skills.
    #[must_use]
    pub fn new(candidates: Vec<Candidate>) -> Self {
        let documents: Vec<Words> = candidates.iter().map(|one| words(&described(one))).collect();
        let fields = Table::new(documents.iter().map(|words| &words.fields));
        let literal = Table::new(documents.iter().map(|words| &words.literal));
        Self { candidates, documents, fields, literal }
    }

    /// The skills, in order.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Which skills a message asks for. `nearness`: in meaning.
    #[must_use]
    pub fn decide(&self, text: &str, nearness: Option<&Nearness>) -> Decision {
        let by_meaning = nearness.is_some();
        let least = if by_meaning { THRESHOLD } else { THRESHOLD_BY_WORDS };
        let threshold = scaled(least + doubt(text));
        let mut decision = Decision {
            ranked: Vec::new(),
            activated: Vec::new(),
            threshold,
            by_meaning,
            rest: None,
        };
        let message = words(text);
        let mut near: Vec<Ranked> =
            (0..self.candidates.len()).filter_map(|at| self.near(at, &message, nearness)).collect();
        let outdone = self.give_way(&mut near, threshold);
        let named = asked(text, &self.candidates).without(|at| outdone.contains(&at));
        let mut ranked = self.with_named(near, &named);
        let bundled = |one: &Ranked| self.candidates[one.at].bundled;
        ranked.sort_by(|a, b| {
            let better = b.score.total_cmp(&a.score);
            better.then(bundled(a).cmp(&bundled(b))).then(a.at.cmp(&b.at))
        });
        ranked.truncate(MOST_RANKED);
        decision.activated = match &named {
            Asked::Command { at, rest } => {
                decision.rest = Some(rest.clone());
                vec![*at]
            }
            Asked::Triggers(all) => all.iter().map(|(at, _)| *at).collect(),
            Asked::Nothing => {
                let best = ranked.first().filter(|best| best.score >= threshold);
                best.map(|best| best.at).into_iter().collect()
            }
        };
        decision.ranked = ranked;
        decision
    }

    /// Which skill a job names with `/skill`, also one that messages may not name; nothing else counts.
    #[must_use]
    pub fn decide_named(&self, text: &str) -> Decision {
        let mut decision = self.decide("", None);
        if let Some(at) = named_by_job(text, &self.candidates) {
            decision.activated = vec![at];
            let why = "the job runs it".to_owned();
            decision.ranked = vec![Ranked { at, score: CERTAIN, why }];
        }
        decision
    }

    /// What a person chose comes before what is bundled and about as near. Returns the bundled skills that gave way.
    fn give_way(&self, near: &mut [Ranked], threshold: f32) -> BTreeSet<usize> {
        let own = near.iter().filter(|one| !self.candidates[one.at].bundled);
        let best = own.map(|one| one.score).reduce(f32::max).filter(|best| *best >= threshold);
        let Some(best) = best else { return BTreeSet::new() };
        let gives_way =
            |one: &&mut Ranked| self.candidates[one.at].bundled && one.score <= best + OWN;
        let giving = near.iter_mut().filter(gives_way).map(|one| {
            if one.score >= best {
                one.score = best;
                one.why = [one.why.as_str(), "after one of yours"].join(", ");
            }
            one.at
        });
        giving.collect()
    }

    /// Those near to a message, with what it names as certain.
    fn with_named(&self, near: Vec<Ranked>, named: &Asked) -> Vec<Ranked> {
        let mut ranked: Vec<Ranked> =
            near.into_iter().filter(|one| named.why(one.at).is_none()).collect();
        let certain = |at| Some(Ranked { at, score: CERTAIN, why: named.why(at)? });
        ranked.extend((0..self.candidates.len()).filter_map(certain));
        ranked
    }

    fn near(&self, at: usize, message: &Words, nearness: Option<&Nearness>) -> Option<Ranked> {
        if !self.candidates[at].by_model {
            return None;
        }
        let document = &self.documents[at];
        let (fields, best) = self.fields.overlap(at, &message.fields, &document.fields);
        let (literal, word) = self.literal.overlap(at, &message.literal, &document.literal);
        let near = nearness.and_then(|all| all.skills.get(at)).copied();
        let score = match (near, nearness) {
            (Some(near), Some(all)) => FIELDS * fields + LITERAL * literal + near + all.asks,
            _ => {
                SHORT / message.length.max(SHORT)
                    * (FIELDS_ALONE * fields + LITERAL_ALONE * literal)
            }
        };
        if score <= 0.0 {
            return None;
        }
        let mut why = Vec::new();
        if let Some(word) = word {
            why.push(format!("the word {word}"));
        }
        if let Some(spoken) = best.and_then(|field| message.spoken.get(&field)) {
            why.push(format!("the subject of {spoken}"));
        }
        if let Some(near) = near.filter(|near| *near > 0.1) {
            why.push(format!("meaning {:.2}", near.min(1.0)));
        }
        let why = if why.is_empty() { "weakly related".to_owned() } else { why.join(", ") };
        Some(Ranked { at, score: scaled(score), why })
    }
}

impl Decision {
    /// Leaves out candidates that are not for this message, each with its reason. Where the message was only
    /// near to one of them, the next one counts. Returns those that would have been activated.
    pub fn leave_out(&mut self, barred: &BTreeMap<usize, String>) -> Vec<usize> {
        let is_barred = |at: &usize| barred.contains_key(at);
        let lost: Vec<usize> = self.activated.iter().copied().filter(is_barred).collect();
        self.activated.retain(|at| !is_barred(at));
        let (mut out, stay): (Vec<Ranked>, Vec<Ranked>) =
            self.ranked.drain(..).partition(|one| is_barred(&one.at));
        let was_near = out.iter().any(|one| lost.contains(&one.at) && one.score < CERTAIN);
        if self.activated.is_empty() && was_near {
            let best = stay.first().filter(|best| best.score >= self.threshold);
            self.activated.extend(best.map(|best| best.at));
        }
        for one in &mut out {
            one.score = 0.0;
            one.why = format!("left out: {}", barred[&one.at]);
        }
        self.ranked = stay.into_iter().chain(out).collect();
        if self.activated.is_empty() {
            self.rest = None;
        }
        lost
    }

    /// As it is stored and shown.
    #[must_use]
    pub fn row(&self, text: &str, candidates: &[Candidate]) -> SkillMatch {
        let name = |at: &usize| candidates[*at].name.clone();
        SkillMatch {
            text: text.to_owned(),
            activated: self.activated.iter().map(name).collect(),
            ranked: self
                .ranked
                .iter()
                .map(|one| SkillRank {
                    name: candidates[one.at].name.clone(),
                    score: rounded(one.score),
                    why: one.why.clone(),
                })
                .collect(),
            threshold: rounded(self.threshold),
            by_meaning: self.by_meaning,
        }
    }
}

/// Between 0 and 1, in the same order: only what is named is certain.
fn scaled(score: f32) -> f32 {
    score.tanh() * 0.999
}

/// Three places are enough for anybody.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1_000.0).round() / 1_000.0
}

/// The text by which a skill is found.
fn described(one: &Candidate) -> String {
    format!(
        "{}. {}. {}",
        one.name.replace(['-', '_'], " "),
        one.description,
        one.triggers.join(", ")
    )
}

/// How rare each term is among the skills, and how long each skill's text is beside the others'.
#[derive(Debug)]
struct Table<K> {
    rarity: HashMap<K, f32>,
    damping: Vec<f32>,
}

impl<K: Clone + Eq + Hash + Ord> Table<K> {
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    fn new<'a>(documents: impl Iterator<Item = &'a HashMap<K, f32>> + Clone) -> Self
    where
        K: 'a,
    {
        let mut counts: HashMap<K, usize> = HashMap::new();
        let mut lengths = Vec::new();
        for document in documents {
            document.keys().for_each(|term| *counts.entry(term.clone()).or_default() += 1);
            lengths.push(document.values().sum::<f32>());
        }
        let all = lengths.len().max(LEAST_SKILLS) as f32;
        let rarest = (1.0 + (all - 0.5) / 1.5).ln();
        let rarity = |count: usize| {
            let count = count as f32;
            (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln() / rarest
        };
        let average = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(0.1);
        Self {
            rarity: counts.into_iter().map(|(term, count)| (term, rarity(count))).collect(),
            damping: lengths.iter().map(|length| (0.5 + 0.5 * length / average).sqrt()).collect(),
        }
    }

    /// What two texts share, weighed by rarity, and the term that weighs most.
    fn overlap(
        &self,
        at: usize,
        message: &HashMap<K, f32>,
        document: &HashMap<K, f32>,
    ) -> (f32, Option<K>) {
        let mut sum = 0.0;
        let mut best: Option<(f32, &K)> = None;
        let mut shared: Vec<(&K, f32)> = message
            .iter()
            .filter_map(|(term, weight)| {
                let other = document.get(term)?;
                Some((term, weight * other * self.rarity.get(term)?))
            })
            .collect();
        // A sum of floats depends on its order; a replay must not.
        shared.sort_by(|a, b| a.0.cmp(b.0));
        for (term, worth) in shared {
            sum += worth;
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, term));
            }
        }
        (sum / self.damping[at], best.map(|(_, term)| term.clone()))
    }
}
