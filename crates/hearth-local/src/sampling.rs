//! Choosing the next token.

/// How tokens are chosen and when to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// 0 always takes the likeliest token; 1 samples from the model's own distribution.
    pub temperature: f32,
    /// Only the likeliest tokens that together have this probability are considered.
    pub top_p: f32,
    /// The same seed, prompt and settings give the same reply.
    pub seed: u64,
    /// The reply is cut after so many tokens.
    pub max_tokens: usize,
    /// Above 1: what the reply said in its last 64 tokens becomes less likely. What it was asked does not: a
    /// number that stands there has to be copied.
    pub repeat_penalty: f32,
}

impl Default for Sampling {
    /// What the Qwen2.5 authors recommend, and a short reply.
    fn default() -> Self {
        Self { temperature: 0.7, top_p: 0.8, seed: 0, max_tokens: 512, repeat_penalty: 1.1 }
    }
}

/// How far back a repetition counts.
const MEMORY: usize = 64;

/// The state of the choosing during one reply.
#[derive(Debug)]
pub(crate) struct Sampler {
    settings: Sampling,
    state: u64,
}

impl Sampler {
    pub(crate) fn new(settings: Sampling) -> Self {
        Self { settings, state: settings.seed }
    }

    /// The token to follow `history`, the reply so far.
    pub(crate) fn next(&mut self, logits: &mut [f32], history: &[u32]) -> u32 {
        self.penalise(logits, history);
        if self.settings.temperature <= 0.0 {
            return likeliest(logits);
        }
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let temperature = self.settings.temperature;
        let weight = |logit: f32| ((logit - top) / temperature).exp();
        let total: f32 = logits.iter().map(|logit| weight(*logit)).sum();
        // Tokens below a millionth of the likeliest are left out before sorting.
        let weights = logits.iter().enumerate().map(|(id, logit)| (id as u32, weight(*logit)));
        let mut likely: Vec<(u32, f32)> = weights.filter(|(_, weight)| *weight > 1e-6).collect();
        likely.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let kept = nucleus(&likely, self.settings.top_p * total);
        self.draw(kept).unwrap_or_else(|| likeliest(logits))
    }

    fn penalise(&self, logits: &mut [f32], history: &[u32]) {
        let penalty = self.settings.repeat_penalty;
        if penalty <= 0.0 || penalty == 1.0 {
            return;
        }
        let mut recent = history[history.len().saturating_sub(MEMORY)..].to_vec();
        recent.sort_unstable();
        recent.dedup();
        for token in recent {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }

    fn draw(&mut self, kept: &[(u32, f32)]) -> Option<u32> {
        let total: f32 = kept.iter().map(|(_, weight)| weight).sum();
        let mut left = self.uniform() * total;
        for (token, weight) in kept {
            left -= weight;
            if left <= 0.0 {
                return Some(*token);
            }
        }
        kept.last().map(|(token, _)| *token)
    }

    /// A number in [0, 1) by SplitMix64, which is enough to draw words.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// The shortest beginning of `sorted` that weighs `enough`; at least one token.
fn nucleus(sorted: &[(u32, f32)], enough: f32) -> &[(u32, f32)] {
    let mut sum = 0.0;
    for (index, (_, weight)) in sorted.iter().enumerate() {
        sum += weight;
        if sum >= enough {
            return &sorted[..=index];
        }
    }
    sorted
}

fn likeliest(logits: &[f32]) -> u32 {
    let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    best.map_or(0, |(id, _)| id as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(settings: Sampling, logits: &[f32], history: &[u32]) -> Vec<usize> {
        let mut sampler = Sampler::new(settings);
        let mut counts = vec![0; logits.len()];
        for _ in 0..4000 {
            counts[sampler.next(&mut logits.to_vec(), history) as usize] += 1;
        }
        counts
    }

    const PLAIN: Sampling =
        Sampling { temperature: 1.0, top_p: 1.0, seed: 7, max_tokens: 1, repeat_penalty: 1.0 };

    #[test]
    fn greedy_takes_the_likeliest_and_the_first_of_equals() {
        let greedy = Sampling { temperature: 0.0, ..PLAIN };
        assert_eq!(counts(greedy, &[0.0, 2.0, 2.0, 1.0], &[]), [0, 4000, 0, 0]);
    }

    #[test]
    fn draws_follow_the_distribution() {
        let logits = [0.5f32.ln(), 0.3f32.ln(), 0.2f32.ln()];
        let counts = counts(PLAIN, &logits, &[]);
        for (count, expected) in counts.iter().zip([2000usize, 1200, 800]) {
            assert!(count.abs_diff(expected) < 120, "{counts:?}");
        }
    }

    #[test]
    fn top_p_leaves_out_the_tail() {
        let logits = [0.5f32.ln(), 0.3f32.ln(), 0.2f32.ln()];
        let counts = counts(Sampling { top_p: 0.7, ..PLAIN }, &logits, &[]);
        assert_eq!(counts[2], 0);
        assert!(counts[0] > counts[1] && counts[1] > 1000, "{counts:?}");
    }

    #[test]
    fn repeated_tokens_become_less_likely_whatever_their_sign() {
        let settings = Sampling { temperature: 0.0, repeat_penalty: 2.0, ..PLAIN };
        assert_eq!(counts(settings, &[1.0, 0.6], &[0, 0]), [0, 4000]);
        assert_eq!(counts(settings, &[-0.5, -0.6], &[0]), [0, 4000]);
    }

    #[test]
    fn a_seed_repeats_its_draws() {
        let draw = |seed| {
            let mut sampler = Sampler::new(Sampling { seed, ..PLAIN });
            (0..20).map(|_| sampler.next(&mut [0.0; 50], &[])).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
