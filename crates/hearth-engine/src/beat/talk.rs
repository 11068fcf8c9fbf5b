//! One turn of a beat, in a session of its own, followed to its end.

use super::lock;
use crate::clock;
use crate::driver::Begin;
use crate::engine::Inner;
use crate::{Heard, turns};
use hearth_protocol::api::chat::SessionChange;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{
    Event, EventBody, Origin, Part, Role, SessionKey, StopReason, TurnId, WireError,
};
use std::sync::Arc;

/// What a beat asks.
pub(super) struct Talk<'a> {
    pub(super) session: SessionKey,
    pub(super) origin: Origin,
    /// The short prompt of a beat.
    pub(super) light: bool,
    pub(super) name: &'a str,
    pub(super) words: String,
    /// The conversation whose text it carries, if that has read something.
    pub(super) maker: Option<&'a SessionKey>,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    /// The last message.
    pub(super) reply: String,
    pub(super) calls: u32,
    pub(super) tokens: u64,
    pub(super) usd: f64,
    pub(super) stop: Option<StopReason>,
    /// What went wrong.
    pub(super) error: Option<String>,
}

impl Answer {
    /// Takes an event in; true for the last.
    fn hear(&mut self, event: &Event) -> bool {
        match &event.body {
            EventBody::Usage(usage) => {
                self.tokens += usage.input + usage.output;
                self.usd += usage.usd;
            }
            EventBody::Error { message, .. } => self.error = Some(message.clone()),
            EventBody::Done { reply, stop, steps } => {
                reply.clone_into(&mut self.reply);
                (self.stop, self.calls) = (Some(*stop), *steps);
                return true;
            }
            _ => {}
        }
        false
    }
}

impl Talk<'_> {
    /// Asks, and waits for the end.
    pub(super) async fn ask(self, engine: &Arc<Inner>) -> Result<Answer, WireError> {
        let new = turns::new_turn(&self.session, self.origin);
        let turn = new.id.clone();
        if let Some(maker) = self.maker {
            engine.taints.recall(maker).await?;
            let read = engine.taints.of(maker);
            engine.taints.change(&self.session, |taint| taint.join(&read)).await?;
        }
        let message = turns::message(vec![Part::Text { text: self.words }]);
        engine.store.queue_turn(&new, Some(&message)).await?;
        // Kept, but not among the conversations of the person.
        let change = SessionChange {
            title: Some(self.name.to_owned()),
            archived: Some(true),
            ..SessionChange::default()
        };
        engine.store.change_session(&self.session, &change).await?;
        let mut listener = engine.bus.listen();
        turns::start(engine, Begin { light: self.light, ..turns::begin(&new) });
        let mut answer = Answer::default();
        loop {
            match listener.next().await {
                Some(Heard::Signal(Signal::Turn(event))) if event.turn == turn => {
                    if answer.hear(&event) {
                        break;
                    }
                }
                Some(Heard::Signal(_)) => {}
                Some(Heard::Missed(_)) => {
                    if let Some(whole) = stored(engine, &self.session, &turn).await? {
                        answer = whole;
                        break;
                    }
                }
                None => break,
            }
        }
        if let Some(last) = last_words(engine, &self.session, &turn).await? {
            answer.reply = last;
        }
        Ok(answer)
    }
}

/// The answer as it is stored; none where it is not complete.
async fn stored(
    engine: &Inner,
    session: &SessionKey,
    turn: &TurnId,
) -> Result<Option<Answer>, WireError> {
    engine.log.flush().await?;
    let mut answer = Answer::default();
    let events = engine.store.events(session, turn).await?;
    let whole = events.iter().any(|event| answer.hear(event));
    Ok(whole.then_some(answer))
}

/// What was said after the last tool: words between tools are no result.
async fn last_words(
    engine: &Inner,
    session: &SessionKey,
    turn: &TurnId,
) -> Result<Option<String>, WireError> {
    let messages = engine.store.messages(session).await?;
    let last = messages
        .iter()
        .rev()
        .find(|message| message.role == Role::Assistant && message.turn.as_ref() == Some(turn));
    Ok(last.map(hearth_protocol::Message::joined_text))
}

/// A session for one run.
pub(super) fn session(kind: &str, job: &str, slot: i64) -> SessionKey {
    SessionKey::parse(&format!("assistant:{kind}:{job}:{slot}"))
        .unwrap_or_else(|_| super::conversation())
}

/// Marks a job as running as long as it lives.
pub(super) struct Running<'a> {
    engine: &'a Inner,
    job: String,
}

impl<'a> Running<'a> {
    /// None where it runs already.
    pub(super) fn mark(engine: &'a Inner, job: &str) -> Option<Self> {
        let fresh = lock(&engine.heart.running).insert(job.to_owned());
        fresh.then(|| Self { engine, job: job.to_owned() })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.engine.heart.running).remove(&self.job);
    }
}

/// Waits until nobody waits for a turn, for at most ten minutes; false where the engine closes.
pub(super) async fn give_way(engine: &Inner) -> bool {
    const PATIENCE: i64 = 600;
    const LOOK: std::time::Duration = std::time::Duration::from_millis(250);
    let begun = clock::now();
    while engine.live.any_awaited() && clock::now() - begun < PATIENCE {
        tokio::select! {
            () = engine.closing.cancelled() => return false,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
    !engine.closing.is_cancelled()
}
