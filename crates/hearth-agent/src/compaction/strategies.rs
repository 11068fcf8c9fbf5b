//! The strategies: what of a conversation stays, and whether the rest is summarised.

use super::cuts::{Start, current_turn, safe_starts};
use super::limits::Limits;
use crate::TokenCounter;
use crate::prompt::message_tokens;
use hearth_protocol::Message;

/// A conversation as a strategy sees it.
#[derive(Debug)]
pub struct View<'a> {
    /// Messages in the window, oldest first, the turn being answered included.
    pub messages: &'a [Message],
    /// Tokens of each.
    pub sizes: Vec<u64>,
    /// Tokens of the summary of what came before.
    pub summary: u64,
    /// The sizes to keep.
    pub limits: Limits,
    starts: Vec<Start>,
    current: usize,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Index of the first message that stays; at least 1.
    pub from: usize,
    /// A model summarises the rest; else a note says that it is left out.
    pub summarise: bool,
}

/// How deep a plan may cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deep {
    /// Whole turns; the one being answered stays whole.
    Turns,
    /// Steps of the turn being answered, too.
    Steps,
}

/// A way to make room.
pub trait Strategy: Send + Sync {
    /// Its name in settings and events.
    fn name(&self) -> &'static str;

    /// What to do with a conversation that has become too long; none: there is nothing it could take away.
    fn plan(&self, view: &View<'_>, deep: Deep) -> Option<Plan>;
}

impl<'a> View<'a> {
    /// Measures a conversation. `summary`: tokens of what stands for earlier messages.
    #[must_use]
    pub fn new(
        messages: &'a [Message],
        summary: u64,
        limits: Limits,
        counter: &dyn TokenCounter,
    ) -> Self {
        let sizes = messages.iter().map(|message| message_tokens(message, counter)).collect();
        let (starts, current) = (safe_starts(messages), current_turn(messages));
        Self { messages, sizes, summary, limits, starts, current }
    }

    /// Tokens of the whole prompt.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.limits.fixed + self.summary + self.sizes.iter().sum::<u64>()
    }

    /// Turns in the window.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.starts.iter().filter(|start| start.turn).count()
    }

    /// Whether something has to be done.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.total() > self.limits.soft() || self.turns() > self.limits.turns
    }

    fn allowed(&self, deep: Deep) -> impl Iterator<Item = usize> {
        let turns_only = move |start: &&Start| match deep {
            Deep::Turns => start.turn && start.at <= self.current,
            Deep::Steps => true,
        };
        self.starts.iter().filter(turns_only).map(|start| start.at)
    }

    /// The earliest place from which at most so many tokens and the allowed turns follow, else the last.
    fn tail_of(&self, tokens: u64, deep: Deep) -> Option<usize> {
        let mut rest: u64 = self.sizes.iter().sum();
        let mut behind = Vec::with_capacity(self.sizes.len());
        for size in &self.sizes {
            behind.push(rest);
            rest -= size;
        }
        let oldest_turn = self.starts.iter().filter(|start| start.turn).rev();
        let oldest_turn =
            oldest_turn.take(self.limits.turns.max(1)).last().map_or(0, |start| start.at);
        let fits = |at: &usize| behind[*at] <= tokens && *at >= oldest_turn;
        let found = self.allowed(deep).find(fits).or_else(|| self.allowed(deep).last());
        found.filter(|at| *at > 0)
    }

    /// Everything but the latest turn is summarised.
    pub(super) fn all_but_last(&self) -> Option<Plan> {
        self.plan(0, Deep::Turns, true)
    }

    fn plan(&self, tokens: u64, deep: Deep, summarise: bool) -> Option<Plan> {
        Some(Plan { from: self.tail_of(tokens, deep)?, summarise })
    }
}

/// Leaves the oldest turns out.
struct Truncate;
/// Keeps the latest messages, always as many tokens.
struct SlidingWindow;
/// Summarises all that came before the turn being answered.
struct Summarize;
/// Keeps the latest messages and summarises what came before them.
struct Hybrid;

impl Strategy for Truncate {
    fn name(&self) -> &'static str {
        "truncate"
    }

    fn plan(&self, view: &View<'_>, deep: Deep) -> Option<Plan> {
        // A quarter is freed, so that the next turn does not need this again.
        let room = view.limits.room().saturating_sub(view.limits.summary());
        view.plan(room * 3 / 4, deep, false)
    }
}

impl Strategy for SlidingWindow {
    fn name(&self) -> &'static str {
        "sliding_window"
    }

    fn plan(&self, view: &View<'_>, deep: Deep) -> Option<Plan> {
        view.plan(view.limits.tail(), deep, false)
    }
}

impl Strategy for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn plan(&self, view: &View<'_>, deep: Deep) -> Option<Plan> {
        view.plan(0, deep, true)
    }
}

impl Strategy for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn plan(&self, view: &View<'_>, deep: Deep) -> Option<Plan> {
        view.plan(view.limits.tail(), deep, true)
    }
}

/// The strategy of a name; `hybrid` for any other.
#[must_use]
pub fn strategy(name: &str) -> &'static dyn Strategy {
    let known: [&'static dyn Strategy; 3] = [&Truncate, &SlidingWindow, &Summarize];
    known.into_iter().find(|strategy| strategy.name() == name).unwrap_or(&Hybrid)
}
