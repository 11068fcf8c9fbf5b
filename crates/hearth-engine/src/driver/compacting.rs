//! Making room before a model call: performs what `hearth_agent::compaction` decides.
//!
//! Invariants: what leaves the window is flushed to memory first and stays in the store; each compaction is
//! stored before it is told; a cancel leaves the conversation as it was; the whole step ends within
//! [`summing::MOST`].

use super::summing::{self, Summing};
use super::{Told, prompt};
use crate::catalogue::Model;
use crate::engine::Inner;
use crate::settings::Settings;
use crate::{clock, surviving};
use hearth_agent::TokenCounter;
use hearth_agent::compaction::{
    Brief, Defence, Limits, Measure, Plan, Prune, Summarising, Summary, View, Writer, prune,
    strategy,
};
use hearth_agent::prompt::{PromptParts, Slot, fixed_tokens};
use hearth_agent::survival::recovery::After;
use hearth_protocol::{EventBody, SessionKey, TurnId, WireError};
use hearth_store::{Compaction, NewCompaction};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// For which call room is made.
pub(crate) struct Room<'a> {
    pub(crate) engine: &'a Arc<Inner>,
    pub(crate) settings: &'a Settings,
    pub(crate) model: &'a Model,
    pub(crate) session: &'a SessionKey,
    pub(crate) turn: &'a TurnId,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) tell: &'a mpsc::UnboundedSender<Told>,
    /// The models that may answer instead.
    pub(crate) others: &'a [String],
    /// The provider called a prompt of so many tokens too long.
    pub(crate) refused: Option<u64>,
    /// The person asked for it (`/compact`), with what they want kept above all.
    pub(crate) asked: Option<&'a str>,
}

/// How a call fits.
pub(crate) struct Made {
    /// Without thinking, to save its room.
    pub(crate) think_less: bool,
    /// The last compaction, where messages left the window.
    pub(crate) compacted: Option<Compaction>,
}

/// Why a call cannot be made.
pub(crate) enum NoRoom {
    /// A model with a larger window has to answer, or the person has to start anew.
    Overflow {
        /// What is needed.
        needed: u64,
        /// What there is.
        room: u64,
    },
    /// Stopped meanwhile.
    Cancelled,
    /// The store failed.
    Broken(WireError),
}

impl From<WireError> for NoRoom {
    fn from(error: WireError) -> Self {
        Self::Broken(error)
    }
}

impl Room<'_> {
    /// Makes the parts fit: history and summary are replaced where messages leave the window.
    pub(crate) async fn make(&self, parts: &mut PromptParts) -> Result<Made, NoRoom> {
        let counter = self.model.token_counter();
        let deadline = Instant::now() + summing::MOST;
        let strategy = strategy(&self.settings.strategy);
        let mut defence = match self.asked {
            Some(_) => Defence::forced(strategy),
            None => Defence::new(strategy),
        };
        let mut made = Made { think_less: false, compacted: None };
        loop {
            let limits = self.limits(parts, &*counter);
            let level = defence.pruned();
            let cut = (level != Prune::No)
                .then(|| prune(parts.history.clone(), level, limits.window, &*counter));
            let (measure, total) = {
                let messages = cut.as_deref().unwrap_or(&parts.history);
                let summary = summary_tokens(parts, &*counter);
                let view = View::new(messages, summary, limits, &*counter);
                (defence.next(&view), view.total())
            };
            match measure {
                Measure::StartAnew if self.refused.is_none() => {
                    return Err(NoRoom::Overflow { needed: total, room: limits.hard() });
                }
                // What a provider refused once is only known to be too long; it may judge anew.
                Measure::Send | Measure::StartAnew => {
                    parts.history = cut.unwrap_or_else(|| std::mem::take(&mut parts.history));
                    return Ok(made);
                }
                Measure::Prune(_) => {}
                Measure::Compact(plan) => {
                    let done = self.compact(parts, (plan, level), &limits, total, deadline).await?;
                    made.compacted = done.or(made.compacted);
                }
                Measure::LargerWindow if self.may_be_larger().await => {
                    return Err(NoRoom::Overflow { needed: total, room: limits.hard() });
                }
                Measure::LargerWindow => {}
                Measure::LessThinking => {
                    made.think_less = true;
                    parts.room.output_reserve /= 2;
                }
            }
        }
    }

    async fn may_be_larger(&self) -> bool {
        for id in self.others.iter().filter(|id| **id != self.model.id) {
            if self.engine.catalogue.window(self.settings, id).await > self.model.window {
                return true;
            }
        }
        false
    }

    fn limits(&self, parts: &PromptParts, counter: &dyn TokenCounter) -> Limits {
        let fixed = fixed_tokens(parts, counter).saturating_sub(summary_tokens(parts, counter));
        let (window, reserve) = (parts.room.window, parts.room.output_reserve);
        match self.refused {
            None => Limits::new(window, reserve, fixed),
            Some(refused) => {
                let window = window.min(refused * 4 / 5);
                Limits::new(window, reserve.min(window / 8), fixed)
            }
        }
    }

    /// Takes early messages out of the window. None: nothing would be won by it, and nothing changed.
    async fn compact(
        &self,
        parts: &mut PromptParts,
        (plan, level): (Plan, Prune),
        limits: &Limits,
        total: u64,
        deadline: Instant,
    ) -> Result<Option<Compaction>, NoRoom> {
        let counter = self.model.token_counter();
        let gone = parts.history[..plan.from].to_vec();
        let Some(through) = gone.last().map(|message| message.id.clone()) else { return Ok(None) };
        self.flush(deadline).await;
        if self.cancel.is_cancelled() {
            return Err(NoRoom::Cancelled);
        }
        let brief = Brief {
            messages: gone,
            earlier: summary_of(parts),
            focus: self.asked.filter(|focus| !focus.is_empty()).map(str::to_owned),
        };
        let summary = self.summary(brief, plan, limits, &counter, deadline).await?;
        let mut after = parts.clone();
        after.history.drain(..plan.from);
        prompt::set_summary(&mut after, &summary.text);
        let sent = prune(after.history.clone(), level, limits.window, &*counter);
        let new_total =
            View::new(&sent, summary_tokens(&after, &*counter), *limits, &*counter).total();
        if new_total >= total {
            tracing::info!(total, new_total, "a compaction would win nothing");
            return Ok(None);
        }
        let id = self.store(&through, &summary, total, new_total).await?;
        let messages = plan.from as u64;
        *parts = after;
        let compaction = Compaction {
            id,
            turn: Some(self.turn.clone()),
            through,
            strategy: strategy(&self.settings.strategy).name().to_owned(),
            by_model: summary.writer == Writer::Model,
            summary: summary.text,
            from_tokens: total,
            to_tokens: new_total,
            at: clock::now(),
            messages,
        };
        self.told(&compaction).await;
        Ok(Some(compaction))
    }

    /// What leaves the window goes to memory first. Where that fails the messages are in the store all the
    /// same, and the next flush takes them.
    async fn flush(&self, deadline: Instant) {
        let flushing = self.engine.flush(self.session, self.cancel);
        let error = match tokio::time::timeout_at(deadline, flushing).await {
            Ok(Ok(flushed)) => {
                for event in flushed.events {
                    // The turn may have ended by a cancel; then nobody listens any more.
                    let _ = self.tell.send(Told::Event(event));
                }
                return;
            }
            Ok(Err(error)) => error.message,
            Err(_) => "it took too long".to_owned(),
        };
        tracing::warn!(error, "what leaves the window is written down later");
    }

    async fn summary(
        &self,
        brief: Brief,
        plan: Plan,
        limits: &Limits,
        counter: &Arc<dyn TokenCounter>,
        deadline: Instant,
    ) -> Result<Summary, NoRoom> {
        if !plan.summarise {
            return Ok(Summarising::by_host(brief, limits, Arc::clone(counter)));
        }
        let summing = Summing {
            engine: self.engine,
            model: self.model,
            session: self.session,
            turn: self.turn,
            cancel: self.cancel,
            tell: self.tell,
            deadline,
        };
        let work = Summarising::new(brief, limits, Arc::clone(counter));
        summing.run(work).await.ok_or(NoRoom::Cancelled)
    }

    async fn store(
        &self,
        through: &hearth_protocol::MessageId,
        summary: &Summary,
        from_tokens: u64,
        to_tokens: u64,
    ) -> Result<i64, NoRoom> {
        let new = NewCompaction {
            session: self.session,
            turn: Some(self.turn),
            through,
            strategy: strategy(&self.settings.strategy).name(),
            by_model: summary.writer == Writer::Model,
            summary: &summary.text,
            from_tokens,
            to_tokens,
            at: clock::now(),
        };
        Ok(self.engine.store.compact(&new).await.map_err(WireError::from)?)
    }

    /// The turn goes on from the summary, and the person is told.
    async fn told(&self, compaction: &Compaction) {
        if let Err(error) = surviving::mark_compacted(self.engine, self.session).await {
            tracing::warn!(%error, "the working buffer could not be marked");
        }
        let event = EventBody::Compacted {
            from_tokens: compaction.from_tokens,
            to_tokens: compaction.to_tokens,
            strategy: compaction.strategy.clone(),
        };
        let recovered = EventBody::Recovered { from: After::Compaction.name().to_owned() };
        // The turn may have ended by a cancel; then nobody listens any more.
        for told in [
            Told::Compacted(Box::new(compaction.clone())),
            Told::Event(event),
            Told::Event(recovered),
        ] {
            let _ = self.tell.send(told);
        }
    }
}

/// Tokens of what stands for earlier messages.
fn summary_tokens(parts: &PromptParts, counter: &dyn TokenCounter) -> u64 {
    let summaries = parts.sections.iter().filter(|section| section.slot == Slot::Summary);
    summaries.filter_map(|section| section.text.as_deref()).map(|text| counter.count(text)).sum()
}

/// The summary itself, without its heading.
fn summary_of(parts: &PromptParts) -> Option<String> {
    let section = parts.sections.iter().find(|section| section.slot == Slot::Summary)?;
    prompt::summary_in(section.text.as_deref()?).map(str::to_owned)
}
