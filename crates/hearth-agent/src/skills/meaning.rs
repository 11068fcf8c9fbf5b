//! Nearness in meaning between a message and the skills at hand, from vectors that others made.
//!
//! What people ask for ("do I need an umbrella?") and what a skill says of itself ("shows the forecast") often
//! share no word and lie apart in meaning. Common tasks stand between them, each with its description and ways
//! to ask for it: a message is near to a skill also when both are near to the same tasks. Some descriptions lie
//! near to whatever is asked; that much is taken from them. What people say without asking for anything stands
//! against all.
//!
//! Invariant: a skill's nearness does not depend on which other skills are there.

use std::sync::Arc;

/// So many tasks make the profile of a message or a skill.
const NEAREST: usize = 20;
/// How much nearer tasks weigh more than others, for messages and for skills.
const MESSAGE_STEEPNESS: f32 = 10.0;
const SKILL_STEEPNESS: f32 = 20.0;
/// How far a message's task is told by how people ask for it; the rest by the task's description.
const ASKED: f32 = 0.7;
/// What a shared task is worth beside direct nearness.
const SHARED: f32 = 0.7;
/// So many tasks tell how near a skill is to whatever is asked, and what of that is taken from it.
const ANYTHING: usize = 50;
const ANYWAY: f32 = 0.5;
/// The most that asking for something at all adds.
const ASKS: f32 = 0.2;

/// Common tasks and talk as vectors of length one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tasks {
    /// How people ask for each task.
    pub asked: Vec<Vec<f32>>,
    /// What each task is, in the same order.
    pub described: Vec<Vec<f32>>,
    /// What people say without asking for anything.
    pub talk: Vec<Vec<f32>>,
    /// What all descriptions have in common.
    pub centre: Vec<f32>,
}

/// The skills at hand as vectors, each with the tasks that it is near to.
#[derive(Debug, Clone)]
pub struct Meaning {
    tasks: Arc<Tasks>,
    skills: Vec<Skill>,
}

/// What it says of itself, less what all descriptions have in common.
#[derive(Debug, Clone)]
struct Skill {
    vector: Vec<f32>,
    profile: Profile,
    /// How near it is to whatever is asked.
    anyway: f32,
}

/// How near a message is to the skills at hand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearness {
    /// To each, in the order of the candidates.
    pub skills: Vec<f32>,
    /// How much more it asks for something than it is talk.
    pub asks: f32,
}

/// Tasks by their place, with their weights.
type Profile = Vec<(usize, f32)>;

impl Meaning {
    /// `skills`: one vector of length one a skill, in the order of the candidates, empty where there is none.
    #[must_use]
    pub fn new(skills: Vec<Vec<f32>>, tasks: Arc<Tasks>) -> Self {
        let skills = skills.into_iter().map(|vector| Skill::new(vector, &tasks)).collect();
        Self { tasks, skills }
    }

    /// How near a message is to each skill.
    #[must_use]
    pub fn nearness(&self, message: &[f32]) -> Nearness {
        let tasks = &self.tasks;
        let asked: Vec<f32> = tasks.asked.iter().map(|task| dot(message, task)).collect();
        let talk = tasks.talk.iter().map(|said| dot(message, said)).fold(0.0, f32::max);
        let asks = (asked.iter().copied().fold(0.0, f32::max) - talk).min(ASKS);
        let both =
            |(asked, task): (&f32, &Vec<f32>)| ASKED * asked + (1.0 - ASKED) * dot(message, task);
        let all = asked.iter().zip(&tasks.described).map(both).collect();
        let own = profile(all, MESSAGE_STEEPNESS);
        let mut weights = vec![0.0; tasks.asked.len()];
        own.iter().for_each(|(task, weight)| weights[*task] = *weight);
        let near = |skill: &Skill| {
            let shared: f32 =
                skill.profile.iter().map(|(task, weight)| weight * weights[*task]).sum();
            dot(&skill.vector, message) + SHARED * shared - ANYWAY * skill.anyway
        };
        Nearness { skills: self.skills.iter().map(near).collect(), asks }
    }
}

impl Skill {
    fn new(mut vector: Vec<f32>, tasks: &Tasks) -> Self {
        if vector.is_empty() {
            return Self { vector, profile: Profile::new(), anyway: 0.0 };
        }
        vector.iter_mut().zip(&tasks.centre).for_each(|(x, centre)| *x -= centre);
        let described = tasks.described.iter().map(|task| dot(&vector, task)).collect();
        let asked = tasks.asked.iter().map(|task| dot(&vector, task)).collect();
        Self { profile: profile(described, SKILL_STEEPNESS), anyway: most(asked), vector }
    }
}

/// The mean of the largest.
fn most(mut all: Vec<f32>) -> f32 {
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(ANYTHING);
    #[expect(clippy::cast_precision_loss, reason = "fifty at most")]
    let count = all.len().max(1) as f32;
    all.iter().sum::<f32>() / count
}

/// The nearest tasks, weighed so that the squares of all weights make one.
fn profile(nearness: Vec<f32>, steepness: f32) -> Profile {
    let mut all: Profile = nearness.into_iter().enumerate().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(NEAREST);
    let most = all.first().map_or(0.0, |(_, near)| *near);
    all.iter_mut().for_each(|(_, near)| *near = (steepness * (*near - most)).exp());
    let length = all.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    all.iter_mut().for_each(|(_, weight)| *weight /= length);
    all
}

/// Eight sums side by side, as processors like it.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((left, left_rest), (right, right_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (left, right) in left.iter().zip(right) {
        sums.iter_mut().zip(left.iter().zip(right)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
