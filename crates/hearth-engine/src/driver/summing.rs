//! Having a model write a summary: its calls, within the time that is left.
//!
//! Invariants: each call is checked against the budget and booked as `compaction`; whatever keeps the model from
//! answering, there is a summary in the end; only a cancel leaves none.

use super::{Told, money};
use crate::catalogue::Model;
use crate::engine::Inner;
use crate::settings::Settings;
use hearth_agent::compaction::{Ask, Next, Summarising, Summary};
use hearth_llm::retry::{Backoff, Next as Try};
use hearth_protocol::{
    EventBody, Message, ModelReply, ModelRequest, Purpose, Role, SessionKey, SystemBlock, Thinking,
    TurnId,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// The whole step, all its calls together, takes no longer.
pub(super) const MOST: Duration = Duration::from_secs(180);

/// Where summaries come from.
pub(super) struct Summing<'a> {
    pub(super) engine: &'a Arc<Inner>,
    pub(super) settings: &'a Settings,
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
            let reply = timeout_at(self.deadline, self.ask(&ask)).await.ok().flatten();
            if self.cancel.is_cancelled() {
                return None;
            }
            match reply {
                Some(text) => work.answered(&text),
                None => work.gave_up(),
            }
        }
    }

    /// The model's text; none where it gives none.
    async fn ask(&self, ask: &Ask) -> Option<String> {
        let request = self.request(ask);
        let counted =
            self.model.counter.count(&ask.system) + self.model.counter.count(&ask.user) + 8;
        let mut backoff = Backoff::new(rand::random());
        loop {
            let fault = match self.once(&request, counted).await? {
                Ok(text) => return Some(text),
                Err(fault) => fault,
            };
            match backoff.after(&fault) {
                Try::Again(pause) | Try::Resume(pause) => tokio::select! {
                    () = self.cancel.cancelled() => return None,
                    () = tokio::time::sleep(pause) => {}
                },
                Try::Compact | Try::Ask(_) | Try::GiveUp => {
                    tracing::info!(fault = %fault.message, "no model wrote a summary");
                    return None;
                }
            }
        }
    }

    async fn once(
        &self,
        request: &ModelRequest,
        counted: u64,
    ) -> Option<Result<String, hearth_protocol::Fault>> {
        let account =
            money::Account { session: self.session, turn: self.turn, purpose: Purpose::Compaction };
        let permit =
            money::reserve(self.engine, self.settings, self.model, counted, &account).await;
        let permit = permit.ok()?.ok()?;
        let result = self.model.chat.call(request, &mut |_| {}, self.cancel).await;
        let (reply, fault) = match result {
            Ok(reply) => (reply, None),
            Err(error) => (*error.partial, Some(error.fault)),
        };
        if fault.is_some() && reply == ModelReply::default() {
            money::release(self.engine, permit).await;
        } else {
            let usage = money::settle(
                self.engine,
                self.settings,
                self.model,
                permit,
                counted,
                &reply,
                &account,
            )
            .await;
            // The turn may have ended by a cancel; then nobody listens any more.
            let _ = self.tell.send(Told::Event(EventBody::Usage(usage)));
        }
        Some(fault.map_or(Ok(reply.text), Err))
    }

    fn request(&self, ask: &Ask) -> ModelRequest {
        ModelRequest {
            model: self.model.name.clone(),
            system: vec![SystemBlock { text: ask.system.clone(), stable: false }],
            messages: vec![Message::text(Role::User, ask.user.clone(), 0)],
            tools: Vec::new(),
            max_output: u32::try_from(ask.max_output).ok().filter(|_| self.model.built_in),
            temperature: None,
            thinking: Thinking::Default,
        }
    }
}
