//! Nearness in meaning between a message and the skills at hand, from vectors that others made.
//!
//! Invariant: a skill that is near to everything is near to nothing: what it has in common with everyday
//! sentences is taken off.

/// How many of the nearest everyday sentences count.
const NEAREST: usize = 8;
/// How much of it is taken off.
const TAKEN_OFF: f32 = 0.5;

/// Vectors of the skills, each with what it owes to its commonness.
#[derive(Debug, Clone, Default)]
pub struct Meaning {
    vectors: Vec<Vec<f32>>,
    common: Vec<f32>,
}

impl Meaning {
    /// `skills`: one vector of length one a skill, in the order of the candidates, empty where there is none;
    /// `everyday`: vectors of sentences that ask for no skill.
    #[must_use]
    pub fn new(skills: Vec<Vec<f32>>, everyday: &[Vec<f32>]) -> Self {
        let common = skills
            .iter()
            .map(|skill| {
                let mut near: Vec<f32> = everyday.iter().map(|other| dot(skill, other)).collect();
                near.sort_by(|a, b| b.total_cmp(a));
                near.truncate(NEAREST);
                #[expect(clippy::cast_precision_loss, reason = "a handful")]
                let count = near.len().max(1) as f32;
                near.iter().sum::<f32>() / count
            })
            .collect();
        Self { vectors: skills, common }
    }

    /// How near a message is to each skill.
    #[must_use]
    pub fn nearness(&self, message: &[f32]) -> Vec<f32> {
        let near = |(skill, common): (&Vec<f32>, &f32)| {
            if skill.is_empty() { 0.0 } else { dot(skill, message) - TAKEN_OFF * common }
        };
        self.vectors.iter().zip(&self.common).map(near).collect()
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
