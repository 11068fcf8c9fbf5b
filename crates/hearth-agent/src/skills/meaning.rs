//! Nearness in meaning between a message and the skills at hand, from vectors that others made.
//!
//! What people ask for ("do I need an umbrella?") and what a skill says of itself ("shows the forecast") often
//! share no word and lie apart in meaning. Common tasks stand between them, each with its description and ways
//! to ask for it: a message is near to a skill also when both are near to the same tasks. What people say
//! without asking for anything stands against them.
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
const SHARED: f32 = 0.6;
/// The most that asking for something at all adds.
const ASKS: f32 = 0.1;

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
    skills: Vec<Vec<f32>>,
    profiles: Vec<Profile>,
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
        let mut skills = skills;
        for skill in &mut skills {
            skill.iter_mut().zip(&tasks.centre).for_each(|(x, centre)| *x -= centre);
        }
        let near = |skill: &Vec<f32>| {
            let all = tasks.described.iter().map(|task| dot(skill, task)).collect();
            if skill.is_empty() { Profile::new() } else { profile(all, SKILL_STEEPNESS) }
        };
        let profiles = skills.iter().map(near).collect();
        Self { tasks, skills, profiles }
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
        let near = |(skill, profile): (&Vec<f32>, &Profile)| {
            let shared: f32 = profile.iter().map(|(task, weight)| weight * weights[*task]).sum();
            dot(skill, message) + SHARED * shared
        };
        Nearness { skills: self.skills.iter().zip(&self.profiles).map(near).collect(), asks }
    }
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

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
