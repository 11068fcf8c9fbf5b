//! When to ask again: pauses between tries of one call, and cooldowns of models that keep failing.
//!
//! Pure: time is passed in, chance is seeded. Left out: sleeping, showing the pause, choosing the next
//! model.

use hearth_protocol::{Fault, Retry};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;
use std::time::Duration;

/// Tries of one call on one model, the first included.
pub const TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const COOLDOWNS: [Duration; 3] =
    [Duration::from_secs(30), Duration::from_secs(60), Duration::from_secs(300)];

/// What to do after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send the same request again after this pause; show the pause, let it be cancelled.
    Again(Duration),
    /// Ask to go on from the text that was shown, after this pause.
    Resume(Duration),
    /// Compact, then ask again.
    Compact,
    /// The provider wants a long pause: show it; background work takes the next model.
    Ask(Option<Duration>),
    /// This model will not answer: the next one in the list, or the fault.
    GiveUp,
}

/// The tries of one call on one model.
#[derive(Debug)]
pub struct Backoff {
    failed: u32,
    compacted: bool,
    chance: StdRng,
}

impl Backoff {
    /// A call that has not been tried yet. The seed spreads the pauses of many clients.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { failed: 0, compacted: false, chance: StdRng::seed_from_u64(seed) }
    }

    /// What to do after this fault.
    pub fn after(&mut self, fault: &Fault) -> Next {
        self.failed += 1;
        let tries_left = self.failed < TRIES;
        match fault.retry {
            Retry::No => Next::GiveUp,
            Retry::Ask { ms } => Next::Ask(ms.map(Duration::from_millis)),
            Retry::AfterCompaction if self.compacted => Next::GiveUp,
            Retry::AfterCompaction => {
                self.compacted = true;
                Next::Compact
            }
            _ if !tries_left => Next::GiveUp,
            Retry::Backoff => Next::Again(self.pause()),
            Retry::After { ms } => Next::Again(Duration::from_millis(ms)),
            Retry::Resume => Next::Resume(self.pause()),
        }
    }

    /// Doubled each time, a quarter more or less.
    fn pause(&mut self) -> Duration {
        let doublings = self.failed.saturating_sub(1).min(10);
        let base = FIRST_PAUSE.saturating_mul(1 << doublings);
        base.mul_f64(self.chance.random_range(0.75..1.25))
    }
}

/// Models that failed lately, by name. Time is counted from any fixed moment.
#[derive(Debug, Default)]
pub struct Cooldowns {
    models: HashMap<String, (usize, Duration)>,
}

impl Cooldowns {
    /// The model gave up on a call: leave it alone for 30 s, then 1 min, then 5 min.
    pub fn failed(&mut self, model: &str, now: Duration) {
        let failures = self.models.get(model).map_or(0, |(failures, _)| *failures);
        let rest = COOLDOWNS.get(failures).or(COOLDOWNS.last()).copied().unwrap_or_default();
        self.models.insert(model.to_owned(), (failures + 1, now.saturating_add(rest)));
    }

    /// The model answered: its failures are forgotten.
    pub fn answered(&mut self, model: &str) {
        self.models.remove(model);
    }

    /// How long the model still rests; none if it may be asked.
    #[must_use]
    pub fn rest(&self, model: &str, now: Duration) -> Option<Duration> {
        let (_, until) = self.models.get(model)?;
        until.checked_sub(now).filter(|rest| !rest.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::FaultKind;

    fn fault(retry: Retry) -> Fault {
        let (message, hint) = (String::new(), String::new());
        Fault { kind: FaultKind::Unavailable, message, hint, retry, status: None }
    }

    #[test]
    fn three_tries_with_growing_pauses() {
        for seed in 0..200 {
            let mut backoff = Backoff::new(seed);
            let [a, b, c] = [(); 3].map(|()| backoff.after(&fault(Retry::Backoff)));
            let (Next::Again(a), Next::Again(b)) = (a, b) else { panic!("{a:?} {b:?}") };
            assert!((750..1250).contains(&a.as_millis()) && (1500..2500).contains(&b.as_millis()));
            assert_eq!(c, Next::GiveUp);
        }
        let spread: std::collections::HashSet<_> =
            (0..50).map(|seed| Backoff::new(seed).pause()).collect();
        assert!(spread.len() > 40);
    }

    #[test]
    fn the_server_is_heeded() {
        let first = |retry| Backoff::new(1).after(&fault(retry));
        assert_eq!(first(Retry::No), Next::GiveUp);
        assert_eq!(first(Retry::After { ms: 59_000 }), Next::Again(Duration::from_secs(59)));
        assert_eq!(
            first(Retry::Ask { ms: Some(120_000) }),
            Next::Ask(Some(Duration::from_secs(120)))
        );
        assert_eq!(first(Retry::Ask { ms: None }), Next::Ask(None));
        assert!(matches!(first(Retry::Resume), Next::Resume(_)));
        let mut backoff = Backoff::new(1);
        let overflow = fault(Retry::AfterCompaction);
        assert_eq!(
            [backoff.after(&overflow), backoff.after(&overflow)],
            [Next::Compact, Next::GiveUp]
        );
    }

    #[test]
    fn cooldowns_grow_and_are_forgotten() {
        let at = Duration::from_secs;
        let mut cooldowns = Cooldowns::default();
        assert_eq!(cooldowns.rest("a/b", at(0)), None);
        let mut rests = Vec::new();
        for _ in 0..4 {
            cooldowns.failed("a/b", at(1000));
            rests.push(cooldowns.rest("a/b", at(1000)).unwrap().as_secs());
        }
        assert_eq!(rests, [30, 60, 300, 300]);
        assert_eq!((cooldowns.rest("a/b", at(1300)), cooldowns.rest("c", at(0))), (None, None));
        cooldowns.answered("a/b");
        cooldowns.failed("a/b", at(5000));
        assert_eq!(cooldowns.rest("a/b", at(5001)), Some(at(29)));
    }
}
