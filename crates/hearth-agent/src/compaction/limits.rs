//! The sizes a compaction works with.

/// Most tokens of a kept tail.
const KEEP_TOKENS: u64 = 20_000;
/// Most tokens of a summary.
const SUMMARY_TOKENS: u64 = 2_000;
/// A summary below this says nothing.
const LEAST_SUMMARY: u64 = 160;

/// Sizes of one model's window and of what the prompt carries besides the conversation, in tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The window.
    pub window: u64,
    /// Kept free for the reply.
    pub reserve: u64,
    /// Everything in the prompt but the summary and the messages.
    pub fixed: u64,
    /// Share of the window at which the early history is summarised.
    pub at: f64,
    /// Tokens of the latest messages that are kept as they are.
    pub keep: u64,
    /// The same as a share of the window; the smaller one counts.
    pub keep_share: f64,
    /// Most turns in the window; older ones are summarised.
    pub turns: usize,
}

impl Limits {
    /// The defaults for a window.
    #[must_use]
    pub fn new(window: u64, reserve: u64, fixed: u64) -> Self {
        Self { window, reserve, fixed, at: 0.85, keep: KEEP_TOKENS, keep_share: 0.30, turns: 400 }
    }

    /// Tokens of the whole prompt above which something has to be done.
    #[must_use]
    pub fn soft(&self) -> u64 {
        share(self.window, self.at).min(self.hard())
    }

    /// Tokens of the whole prompt that cannot be sent.
    #[must_use]
    pub fn hard(&self) -> u64 {
        self.window.saturating_sub(self.reserve)
    }

    /// Tokens for the conversation, summary included, below the soft limit.
    #[must_use]
    pub fn room(&self) -> u64 {
        self.soft().saturating_sub(self.fixed)
    }

    /// Tokens of messages that a compaction keeps: never so many that the next turn needs another one.
    #[must_use]
    pub fn tail(&self) -> u64 {
        self.keep.min(share(self.window, self.keep_share)).min(self.room() * 2 / 5)
    }

    /// Most tokens of a summary.
    #[must_use]
    pub fn summary(&self) -> u64 {
        let wanted = SUMMARY_TOKENS.min(share(self.window, 0.08)).min(self.room() / 5);
        wanted.max(LEAST_SUMMARY)
    }
}

/// A share of so many tokens.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "windows are far below 2^52 and shares between 0 and 1"
)]
fn share(tokens: u64, share: f64) -> u64 {
    (tokens as f64 * share.clamp(0.0, 1.0)) as u64
}
