//! Cutting tool results for one request: the cheapest way to make room, and nothing stored changes.
//!
//! Invariant: the same history and level always give the same messages, so a provider's cache holds.

use super::cuts::current_turn;
use crate::TokenCounter;
use crate::cut::{CutLimits, cut_result};
use hearth_protocol::{Message, Part, Role};

/// How far results are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prune {
    /// Not at all.
    No,
    /// Results of earlier turns.
    Earlier,
    /// Also those of this turn's earlier steps.
    Steps,
    /// All.
    All,
}

impl Prune {
    /// The next one, if any.
    #[must_use]
    pub fn further(self) -> Option<Self> {
        match self {
            Self::No => Some(Self::Earlier),
            Self::Earlier => Some(Self::Steps),
            Self::Steps => Some(Self::All),
            Self::All => None,
        }
    }
}

/// Characters of a result of an earlier turn or step.
const OLD_CHARS: usize = 700;
/// Share of the window for a result of the step being answered, at the last level.
const LATEST_PART: u64 = 12;

/// The messages with their results cut.
#[must_use]
pub fn prune(
    mut messages: Vec<Message>,
    level: Prune,
    window: u64,
    counter: &dyn TokenCounter,
) -> Vec<Message> {
    let turn = current_turn(&messages);
    let step = messages.iter().rposition(|message| message.role == Role::Assistant).unwrap_or(0);
    let old = CutLimits { chars: OLD_CHARS, tokens: (window / 40).max(100) };
    let latest = CutLimits { chars: usize::MAX, tokens: (window / LATEST_PART).max(200) };
    for (at, message) in messages.iter_mut().enumerate() {
        let limits = match level {
            Prune::No => continue,
            Prune::Earlier if at < turn => old,
            Prune::Steps | Prune::All if at < turn.max(step) => old,
            Prune::All => latest,
            Prune::Earlier | Prune::Steps => continue,
        };
        for part in &mut message.parts {
            if let Part::ToolResult(result) = part {
                result.text = cut_result(std::mem::take(&mut result.text), limits, None, counter);
            }
        }
    }
    messages
}
