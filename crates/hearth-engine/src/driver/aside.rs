//! A model call beside the conversation: one question, one answer, no tools. For the flush and its like.
//!
//! Invariants: budgets are checked before it, usage is booked under its purpose; it streams to nobody; a
//! model that cannot answer is no error of the program.

use super::money;
use crate::catalogue::Model;
use crate::engine::Inner;
use hearth_protocol::{
    Message, ModelDelta, ModelReply, ModelRequest, Purpose, Role, SessionKey, SystemBlock,
    Thinking, TurnId, Usage,
};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A question beside the conversation.
pub(crate) struct Aside<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) turn: &'a TurnId,
    pub(crate) purpose: Purpose,
    pub(crate) system: String,
    pub(crate) user: String,
    pub(crate) answer_tokens: u32,
    pub(crate) limit: Duration,
    /// What was answered until the limit is of use too.
    pub(crate) cut_is_of_use: bool,
    pub(crate) cancel: &'a CancellationToken,
}

impl Aside<'_> {
    /// The answer of one model, and what it used; none where the budget, the model or the person says no.
    pub(crate) async fn ask(&self, engine: &Inner, model: &Model) -> Option<(String, Usage)> {
        let settings = engine.settings.current();
        let request = ModelRequest {
            model: model.name.clone(),
            system: vec![SystemBlock { text: self.system.clone(), stable: true }],
            messages: vec![Message::text(Role::User, self.user.clone(), crate::clock::now())],
            tools: Vec::new(),
            max_output: Some(self.answer_tokens),
            temperature: model.built_in.then_some(0.0),
            thinking: if model.built_in { Thinking::Off } else { Thinking::Default },
        };
        let counted = model.counter.count(&self.system) + model.counter.count(&self.user);
        let account =
            money::Account { session: self.session, turn: self.turn, purpose: self.purpose };
        let permit = match money::reserve(engine, &settings, model, counted, &account).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(why)) => {
                tracing::info!(why, "a call beside the conversation does not fit the budget");
                return None;
            }
            Err(error) => {
                tracing::warn!(message = error.message, "the budget cannot be read");
                return None;
            }
        };
        let mut heard = String::new();
        let mut sink = |delta: ModelDelta| {
            if let ModelDelta::Text(text) = delta {
                heard.push_str(&text);
            }
        };
        let stop = self.cancel.child_token();
        let called = tokio::time::timeout(self.limit, model.chat.call(&request, &mut sink, &stop));
        let (reply, failed) = match called.await {
            Ok(Ok(reply)) => (reply, None),
            Ok(Err(error)) => (*error.partial, Some(error.fault.message)),
            Err(_) => {
                let failed = (!self.cut_is_of_use || heard.is_empty())
                    .then(|| "it took too long".to_owned());
                (ModelReply { text: heard, ..ModelReply::default() }, failed)
            }
        };
        stop.cancel();
        if reply == ModelReply::default() {
            money::release(engine, permit).await;
        } else {
            let usage =
                money::settle(engine, &settings, model, permit, counted, &reply, &account).await;
            if failed.is_none() {
                return Some((reply.text, usage));
            }
        }
        tracing::info!(model = model.id, why = failed, "a call beside the conversation failed");
        None
    }
}
