//! The flush, driven: what a conversation leaves behind goes to memory before it can be lost.
//!
//! When: a session ends or was silent for 30 minutes; before every path that drops messages from the window
//! ([`Inner::flush`] is called by whoever drops them); a transcript that grew by 2 MB; the nightly beat.
//! Invariants: a conversation is marked as flushed only after all of it is written, so a crash repeats a flush
//! and a repeat strengthens what stands; a flush never compacts and never calls itself; where no model answers
//! well, the host's own extract is written; a flush in the background stops when the person starts a turn.

use crate::clock;
use crate::driver::Aside;
use crate::engine::Inner;
use crate::notebook::{By, Done, Fact, HEARD, SAID};
use crate::settings::BUILT_IN_MODEL;
use hearth_agent::flush::{self, Decision, Known, Place, Said, decide, plain_extract, says};
use hearth_protocol::api::entries::EntryChange;
use hearth_protocol::api::files::Author;
use hearth_protocol::{
    EventBody, MemoryEventKind, Message, Purpose, Role, SessionKey, TurnId, WireError,
};
use hearth_workspace::{Held, PersonaFile};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Silence after which a conversation is flushed.
const IDLE_SECONDS: i64 = 30 * 60;
/// Bytes of stored messages after which it is flushed all the same.
const MOST_BYTES: u64 = 2_000_000;
/// A model gets so long; the built-in one reads slowly.
const LIMIT: Duration = Duration::from_secs(60);
const LIMIT_BUILT_IN: Duration = Duration::from_secs(300);
const LOOK_EVERY: Duration = Duration::from_secs(60);
const PREEMPT_EVERY: Duration = Duration::from_millis(25);

/// What a flush did.
#[derive(Debug, Default)]
pub(crate) struct Flushed {
    /// For the events of the turn that needed it.
    pub(crate) events: Vec<EventBody>,
    /// Entries written or strengthened.
    pub(crate) entries: usize,
    /// The model that extracted; none: the host did.
    pub(crate) model: Option<String>,
}

/// What a model found.
struct Extracted {
    model: String,
    facts: Vec<flush::Fact>,
    /// Messages before the first that it was given.
    unread: usize,
}

impl Inner {
    /// Writes to memory what a conversation says since it was flushed last. To be called before messages are
    /// dropped from the window; calling it again without new messages does nothing.
    ///
    /// # Errors
    /// The database's, or the workspace's: then nothing is marked as flushed.
    pub(crate) async fn flush(
        self: &Arc<Self>,
        session: &SessionKey,
        cancel: &CancellationToken,
    ) -> Result<Flushed, WireError> {
        if !is_flushed(session) {
            return Ok(Flushed::default());
        }
        let _one = self.notes.flushing.lock().await;
        let messages = self.store.messages(session).await?;
        let mark = self.store.flushed_to(session).await?;
        let from = mark.and_then(|mark| messages.iter().position(|message| message.id == mark));
        let new = &messages[from.map_or(0, |at| at + 1)..];
        let Some(last) = new.last() else { return Ok(Flushed::default()) };
        let said: Vec<Said> = new.iter().filter_map(said).collect();
        let mut flushed = Flushed::default();
        if said.iter().any(|message| message.role == Role::User) {
            flushed = self.write_down(session, &said, last, cancel).await?;
        }
        if cancel.is_cancelled() && flushed.entries == 0 {
            return Ok(flushed);
        }
        self.store.set_flushed(session, &last.id, clock::now()).await?;
        flushed.events.extend(self.tidy(Author::Flush).await?);
        Ok(flushed)
    }

    async fn write_down(
        self: &Arc<Self>,
        session: &SessionKey,
        said: &[Said],
        last: &Message,
        cancel: &CancellationToken,
    ) -> Result<Flushed, WireError> {
        let held = self.on_workspace(|workspace| workspace.all_held()).await?;
        let today = self.log_of_today();
        let held: Vec<Held> = held
            .into_iter()
            .filter(|held| !held.entry.superseded)
            .filter(|held| !held.path.starts_with("memory/") || held.path == today)
            .collect();
        let known: Vec<Known> = held.iter().map(known).collect();
        let turn = last.turn.clone().unwrap_or_else(|| TurnId(last.id.0.clone()));
        let answer = self.extract(session, &turn, said, &known, cancel).await;
        if cancel.is_cancelled() {
            // The person goes on: it is done later, as a whole.
            return Ok(Flushed::default());
        }
        let plain = plain_extract(said);
        let mut flushed = Flushed::default();
        let facts = match answer {
            Some(Extracted { model, mut facts, unread }) => {
                flushed.model = Some(model);
                // What the person asked to remember is not left to a model's taste, and what the model was not
                // given to read is kept as it was said.
                let asked = plain.into_iter().filter(|fact| fact.kind != flush::Kind::Event);
                let missed: Vec<_> = plain_extract(&said[..unread])
                    .into_iter()
                    .chain(asked)
                    .filter(|fact| {
                        let covers = |text: &str| {
                            says(&fact.text, text, flush::Mask::Telling)
                                || says(text, &fact.text, flush::Mask::Telling)
                        };
                        !facts.iter().any(|other| covers(&other.text))
                            && !known.iter().any(|entry| covers(&entry.text))
                    })
                    .collect();
                for fact in missed {
                    if !facts.iter().any(|other| other.text == fact.text) {
                        facts.push(fact);
                    }
                }
                facts
            }
            None => plain,
        };
        for decision in decide(facts, &known) {
            let done = self.carry_out(session, decision, &held, &turn).await?;
            flushed.entries += usize::from(done.is_some());
            flushed.events.extend(done);
        }
        Ok(flushed)
    }

    /// The facts that a model finds, and which one; none where no model answers as asked.
    async fn extract(
        &self,
        session: &SessionKey,
        turn: &TurnId,
        said: &[Said],
        known: &[Known],
        cancel: &CancellationToken,
    ) -> Option<Extracted> {
        let settings = self.settings.current();
        let mut models = vec![settings.model_default.clone()];
        models.extend(settings.model_fallback.iter().cloned());
        if self.catalogue.is_here(BUILT_IN_MODEL) {
            models.push(BUILT_IN_MODEL.to_owned());
        }
        models.dedup();
        for id in models.into_iter().filter(|id| !self.catalogue.rests(id)) {
            let Ok(model) = self.catalogue.find(&settings, &id).await else { continue };
            let prompt = flush::prompt(said, known, &self.today(), model.built_in);
            let aside = Aside {
                session,
                turn,
                purpose: Purpose::Flush,
                system: prompt.system,
                user: prompt.user,
                answer_tokens: prompt.answer_tokens,
                limit: if model.built_in { LIMIT_BUILT_IN } else { LIMIT },
                // The facts that are whole are read.
                cut_is_of_use: model.built_in,
                cancel,
            };
            let Some((answer, _)) = aside.ask(self, &model).await else {
                if cancel.is_cancelled() {
                    return None;
                }
                continue;
            };
            match flush::read(&answer, said) {
                Ok(facts) => {
                    return Some(Extracted { model: id, facts, unread: prompt.shown.start });
                }
                Err(error) => tracing::info!(model = id, %error, "the host extracts instead"),
            }
        }
        None
    }

    async fn carry_out(
        self: &Arc<Self>,
        session: &SessionKey,
        decision: Decision,
        held: &[Held],
        turn: &TurnId,
    ) -> Result<Option<EventBody>, WireError> {
        let by = |fact: &flush::Fact| By {
            author: Author::Flush,
            session: Some(session.clone()),
            turn: Some(fact.turns.first().unwrap_or(turn).clone()),
            why: "the conversation was written down",
        };
        match decision {
            Decision::Add(place, fact) => {
                let by = by(&fact);
                // What others may have said is not who the person is.
                let foreign = !self.foreign(&fact.text, &by).await?.is_empty();
                let path = match place {
                    Place::Person if foreign => PersonaFile::Memory.path().to_owned(),
                    Place::Person => PersonaFile::User.path().to_owned(),
                    Place::Memory => PersonaFile::Memory.path().to_owned(),
                    Place::Log => self.log_of_today(),
                };
                let done = self.write(path, &note(&fact), &by).await?;
                Ok(Some(told(&done, by.why)))
            }
            Decision::Strengthen(id, fact) => {
                let Some(held) = held.iter().find(|held| held.id == id) else { return Ok(None) };
                self.strengthen(held.clone(), &by(&fact)).await?;
                Ok(None)
            }
            Decision::Supersede(id, fact) => {
                let by = by(&fact);
                let (old, _) = self.supersede(&id, &note(&fact), &by).await?;
                let kind = MemoryEventKind::Superseded;
                Ok(Some(crate::notebook::event(kind, &old, by.why)))
            }
            Decision::Ask(id, fact, why) => {
                let draft = crate::notebook::conflict_draft(&note(&fact), &by(&fact));
                self.store.add_conflict(&id, &draft, clock::now(), why).await?;
                Ok(None)
            }
        }
    }

    /// What the nightly beat does for memory: every conversation is written down, MEMORY.md is tidied, what
    /// was forgotten long ago is erased.
    ///
    /// # Errors
    /// The database's, or the workspace's.
    pub(crate) async fn keep_memory(
        self: &Arc<Self>,
        cancel: &CancellationToken,
    ) -> Result<Vec<EventBody>, WireError> {
        let mut events = Vec::new();
        for waiting in self.store.unflushed().await? {
            if cancel.is_cancelled() {
                return Ok(events);
            }
            events.extend(self.flush(&waiting.session, cancel).await?.events);
        }
        events.extend(self.tidy(Author::Heartbeat).await?);
        self.purge_forgotten().await?;
        Ok(events)
    }

    /// Flushes the conversations that are silent or have grown at a moment; gives way to the person.
    pub(crate) async fn flush_silent(self: &Arc<Self>, now: i64) -> Result<(), WireError> {
        let before = now - IDLE_SECONDS;
        for waiting in self.store.unflushed().await? {
            let due = waiting.last_at <= before || waiting.bytes >= MOST_BYTES;
            if !due || self.live.any() || self.closing.is_cancelled() {
                continue;
            }
            self.flush_beside(&waiting.session).await?;
        }
        Ok(())
    }

    /// Flushes a conversation unless the person starts a turn meanwhile.
    async fn flush_beside(self: &Arc<Self>, session: &SessionKey) -> Result<(), WireError> {
        let cancel = self.closing.child_token();
        let gives_way = async {
            while !self.live.any() {
                tokio::time::sleep(PREEMPT_EVERY).await;
            }
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = gives_way => Ok(()),
            flushed = self.flush(session, &cancel) => flushed.map(drop),
        }
    }

    /// A conversation has ended: it is flushed beside what comes next.
    pub(crate) fn flush_ended(self: &Arc<Self>, session: &SessionKey) {
        let (engine, session) = (Arc::clone(self), session.clone());
        self.turns.spawn(async move {
            if let Err(error) = engine.flush_beside(&session).await {
                tracing::warn!(message = error.message, %session, "it is written down later");
            }
        });
    }
}

/// Looks for silent conversations as long as the engine is open.
pub(crate) fn start(engine: &Arc<Inner>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        // The first look waits: what starts up has better things to do.
        tick.tick().await;
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                _ = tick.tick() => {}
            }
            let Some(engine) = weak.upgrade() else { return };
            if let Err(error) = engine.flush_silent(clock::now()).await {
                tracing::warn!(message = error.message, "conversations are written down later");
            }
        }
    });
}

/// Sessions without a person have nothing to say about one.
fn is_flushed(session: &SessionKey) -> bool {
    // What the person says where notices arrive is theirs, like anywhere else.
    !crate::beat::is_work(session) && !session.scope().starts_with("subagent:")
}

fn said(message: &Message) -> Option<Said> {
    let text = message.joined_text();
    let read = matches!(message.role, Role::User | Role::Assistant) && !text.trim().is_empty();
    read.then(|| Said { role: message.role, text, turn: message.turn.clone() })
}

fn known(held: &Held) -> Known {
    let source = held.entry.source.as_deref().unwrap_or_default();
    Known {
        id: held.id.clone(),
        kind: held.entry.kind.clone().unwrap_or_default(),
        title: held.entry.title.clone(),
        text: held.text.clone(),
        by_hand: source.is_empty() || source == "user",
    }
}

fn note(fact: &flush::Fact) -> Fact {
    Fact {
        text: fact.text.clone(),
        title: fact.title.clone(),
        kind: fact.kind.name().to_owned(),
        expiry: fact.expiry.clone(),
        confidence: Some(if fact.hearsay { HEARD } else { SAID }),
        importance: Some(fact.importance),
    }
}

fn told(done: &Done, why: &str) -> EventBody {
    let kind = match done.change {
        EntryChange::Superseded => MemoryEventKind::Superseded,
        _ => MemoryEventKind::Created,
    };
    crate::notebook::event(kind, &done.held, why)
}
