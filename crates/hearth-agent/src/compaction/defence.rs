//! The order of defence, as a small machine: it is shown the conversation, says the next measure, and is shown
//! what came of it.
//!
//! Invariant: it ends. A compaction is repeated only where the last one freed at least a twentieth.

use super::prune::Prune;
use super::strategies::{Deep, Plan, Strategy, View};

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Nothing: it can be sent.
    Send,
    /// Cut tool results, for this request only.
    Prune(Prune),
    /// Take early messages out of the window, for good.
    Compact(Plan),
    /// Ask a model with a larger window, where one may answer instead.
    LargerWindow,
    /// Ask for a reply without thinking, and keep less room for it.
    LessThinking,
    /// Nothing helps: the person has to begin a new conversation or shorten the message.
    StartAnew,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Prune,
    Compact(Deep),
    Larger,
    Thinking,
    Lost,
}

/// The defence of one model call.
pub struct Defence {
    strategy: &'static dyn Strategy,
    stage: Stage,
    prune: Prune,
    before: Option<u64>,
    /// The person asked: compact whatever the count says.
    forced: bool,
}

impl std::fmt::Debug for Defence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Defence")
            .field("strategy", &self.strategy.name())
            .field("stage", &self.stage)
            .field("prune", &self.prune)
            .finish_non_exhaustive()
    }
}

impl Defence {
    /// Before a call.
    #[must_use]
    pub fn new(strategy: &'static dyn Strategy) -> Self {
        Self { strategy, stage: Stage::Prune, prune: Prune::No, before: None, forced: false }
    }

    /// Where the person asked for a compaction: one is due whatever the count says.
    #[must_use]
    pub fn forced(strategy: &'static dyn Strategy) -> Self {
        Self { stage: Stage::Compact(Deep::Turns), forced: true, ..Self::new(strategy) }
    }

    /// How far results are cut by now.
    #[must_use]
    pub fn pruned(&self) -> Prune {
        self.prune
    }

    /// The strategy's name.
    #[must_use]
    pub fn strategy(&self) -> &'static str {
        self.strategy.name()
    }

    /// The next measure for a conversation as it is now: results cut as the last measure said, early
    /// messages gone where they were compacted.
    pub fn next(&mut self, view: &View<'_>) -> Measure {
        loop {
            if !self.forced && !view.is_due() {
                return Measure::Send;
            }
            match self.stage {
                Stage::Prune => match self.prune.further().filter(|_| over(view)) {
                    Some(further) => {
                        self.prune = further;
                        return Measure::Prune(further);
                    }
                    None => self.stage = Stage::Compact(Deep::Turns),
                },
                Stage::Compact(deep) => {
                    if let Some(plan) = self.compact(view, deep) {
                        return Measure::Compact(plan);
                    }
                    self.before = None;
                    self.stage = match deep {
                        Deep::Turns => Stage::Compact(Deep::Steps),
                        Deep::Steps => Stage::Larger,
                    };
                    // A person's wish, or a quarter too much, is no reason to cut into the turn at work.
                    if view.total() <= view.limits.hard() {
                        self.forced = false;
                        return Measure::Send;
                    }
                }
                Stage::Larger => {
                    self.stage = Stage::Thinking;
                    return Measure::LargerWindow;
                }
                Stage::Thinking => {
                    self.stage = Stage::Lost;
                    return Measure::LessThinking;
                }
                Stage::Lost if view.total() <= view.limits.hard() => return Measure::Send,
                Stage::Lost => return Measure::StartAnew,
            }
        }
    }

    fn compact(&mut self, view: &View<'_>, deep: Deep) -> Option<Plan> {
        let total = view.total();
        let progress = self.before.is_none_or(|before| total <= before - before / 20);
        // A person who asks for it does not mean "only where it is needed".
        let asked = std::mem::take(&mut self.forced);
        let plan = self.strategy.plan(view, deep).filter(|_| progress);
        let plan = plan.or_else(|| view.all_but_last().filter(|_| asked))?;
        self.before = Some(total);
        Some(plan)
    }
}

fn over(view: &View<'_>) -> bool {
    view.total() > view.limits.soft()
}
