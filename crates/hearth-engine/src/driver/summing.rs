//! Having a model write a summary: its calls, within the time that is left.
//!
//! Invariants: each call is booked as `compaction`; whatever keeps the model from answering, there is a summary
//! in the end; only a cancel leaves none.

use super::{Aside, Told};
use crate::catalogue::Model;
use crate::engine::Inner;
use hearth_agent::compaction::{Ask, Next, Summarising, Summary};
use hearth_protocol::{EventBody, Purpose, SessionKey, TurnId};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The whole step, all its calls together, takes no longer.
pub(super) const MOST: Duration = Duration::from_secs(180);

/// Where summaries come from.
pub(super) struct Summing<'a> {
    pub(super) engine: &'a Arc<Inner>,
    pub(super) model: &'a Model,
    pub(super) session: &'a SessionKey,
    pub(super) turn: &'a TurnId,
    pub(super) cancel: &'a CancellationToken,
    pub(super) tell: &'a mpsc::UnboundedSender<Told>,
    pub(super) deadline: Instant,
}

impl Summing<'_> {
    /// Does the work. None: cancelled.
    pub(super) async fn run(&self, mut work: Summarising) -> Option<Summary> {
        loop {
            let ask = match work.next() {
                Next::Done(summary) => return Some(summary),
                Next::Ask(ask) => ask,
            };
            let reply = self.ask(ask).await;
            if self.cancel.is_cancelled() {
                return None;
            }
            match reply {
                Some(text) => work.answered(&text),
                None => work.gave_up(),
            }
        }
    }

    /// The model's text; none where it gives none, or the time is over.
    async fn ask(&self, ask: Ask) -> Option<String> {
        let limit = self.deadline.checked_duration_since(Instant::now())?;
        let aside = Aside {
            session: self.session,
            turn: self.turn,
            purpose: Purpose::Compaction,
            system: ask.system,
            user: ask.user,
            answer_tokens: u32::try_from(ask.max_output).unwrap_or(u32::MAX),
            limit,
            cut_is_of_use: false,
            cancel: self.cancel,
        };
        let (text, usage) = aside.ask(self.engine, self.model).await?;
        // The turn may have ended by a cancel; then nobody listens any more.
        let _ = self.tell.send(Told::Event(EventBody::Usage(usage)));
        Some(text)
    }
}
