//! Turns of an engine: taking messages in, the lanes, and speaking to turns that run.
//!
//! Invariant: a message is in the store before anything else happens with it.

use crate::driver::{Asker, Begin, Drive, Word};
use crate::engine::Inner;
use crate::settings::Busy;
use crate::{clock, masking};
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Message, MessageId, Origin, Part, Role, SessionKey, TurnId, WireError};
use hearth_store::NewTurn;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// What `ask_user` returns where the person wrote a message instead.
const ANSWERED: &str = "[the user answered with a message, which follows]";

/// Turns that run or wait, by session, in order.
#[derive(Debug, Default)]
pub(crate) struct Live {
    sessions: Mutex<HashMap<SessionKey, Vec<Running>>>,
}

#[derive(Debug)]
struct Running {
    turn: TurnId,
    words: mpsc::UnboundedSender<Word>,
}

impl Live {
    /// Whether a turn runs or waits in a session.
    pub(crate) fn is_busy(&self, session: &SessionKey) -> bool {
        self.lock().contains_key(session)
    }

    /// Whether any turn runs or waits.
    pub(crate) fn any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Whether a turn runs or waits that somebody waits for: no beat, no job.
    pub(crate) fn any_awaited(&self) -> bool {
        self.lock().keys().any(|session| !crate::beat::is_work(session))
    }

    /// Whether a turn runs or waits.
    pub(crate) fn is_running(&self, turn: &TurnId) -> bool {
        self.lock().values().flatten().any(|row| row.turn == *turn)
    }

    /// The session of a turn that runs or waits.
    pub(crate) fn session_of(&self, turn: &TurnId) -> Option<SessionKey> {
        let sessions = self.lock();
        let found = sessions.iter().find(|(_, turns)| turns.iter().any(|one| one.turn == *turn));
        found.map(|(session, _)| session.clone())
    }

    /// The turn that runs in a session, if any.
    fn current(&self, session: &SessionKey) -> Option<TurnId> {
        Some(self.lock().get(session)?.first()?.turn.clone())
    }

    /// Stops what runs or waits in a session; says whether anything did.
    pub(crate) fn stop(&self, session: &SessionKey) -> bool {
        let sessions = self.lock();
        let Some(turns) = sessions.get(session) else { return false };
        for running in turns {
            // A turn that just ended needs no stopping.
            let _ = running.words.send(Word::Cancel);
        }
        true
    }

    /// Stops everything.
    pub(crate) fn stop_all(&self) {
        for running in self.lock().values().flatten() {
            let _ = running.words.send(Word::Cancel);
        }
    }

    fn enter(&self, session: &SessionKey, turn: &TurnId) -> mpsc::UnboundedReceiver<Word> {
        let (words, receiver) = mpsc::unbounded_channel();
        let running = Running { turn: turn.clone(), words };
        self.lock().entry(session.clone()).or_default().push(running);
        receiver
    }

    fn steer(&self, session: &SessionKey, turn: &TurnId, parts: Vec<Part>) -> bool {
        let sessions = self.lock();
        let running =
            sessions.get(session).and_then(|turns| turns.iter().find(|row| row.turn == *turn));
        running.is_some_and(|row| row.words.send(Word::Steer(parts)).is_ok())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionKey, Vec<Running>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a turn off the list: nobody can speak to it from here on.
pub(crate) fn leave(engine: &Inner, session: &SessionKey, turn: &TurnId) {
    let mut sessions = engine.live.lock();
    if let Some(turns) = sessions.get_mut(session) {
        turns.retain(|running| running.turn != *turn);
        if turns.is_empty() {
            sessions.remove(session);
        }
    }
}

/// Takes a message in: steers, interrupts or queues, as the settings say. `hearth ask` always gets a turn
/// of its own.
pub(crate) async fn take_in(
    engine: &Arc<Inner>,
    request: &Submit,
    mut parts: Vec<Part>,
    asker: Asker,
) -> Result<Submitted, WireError> {
    masking::said(&mut parts);
    let busy = engine.settings.current().busy;
    if let Some(turn) =
        engine.live.current(&request.session).filter(|_| request.origin != Origin::Cli)
    {
        match busy {
            Busy::Steer => {
                if steer(engine, request, &turn, &parts).await? {
                    return Ok(Submitted::Steered { turn });
                }
            }
            Busy::Interrupt => drop(engine.live.stop(&request.session)),
            Busy::Queue => {}
        }
    }
    let new = new_turn(&request.session, request.origin);
    let message = message(parts);
    engine.store.queue_turn(&new, Some(&message)).await?;
    let model = request.model.clone();
    Ok(Submitted::Turn { turn: start(engine, Begin { model, asker, ..begin(&new) }) })
}

async fn steer(
    engine: &Arc<Inner>,
    request: &Submit,
    turn: &TurnId,
    parts: &[Part],
) -> Result<bool, WireError> {
    match engine.store.hold(turn, &message(parts.to_vec())).await {
        Ok(()) => {}
        // It ended meanwhile: the message gets a turn of its own.
        Err(hearth_store::StoreError::NotFound { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    // Where the turn left the list after the message was held, the store keeps the message in the
    // conversation and a turn answers it.
    let steered = engine.live.steer(&request.session, turn, parts.to_vec());
    // Whoever is asked something and writes a message has answered: the message says what.
    if let Some(question) = engine.consents.question_in(&request.session) {
        engine.consents.answer(&question, ANSWERED.to_owned());
    }
    if !steered {
        let before = NewTurn {
            id: turn.clone(),
            session: request.session.clone(),
            origin: request.origin,
            at: clock::now(),
        };
        answer_late(engine, &begin(&before), parts.to_vec()).await;
    }
    Ok(true)
}

/// A turn for a message that is in the conversation already.
pub(crate) async fn answer_late(engine: &Arc<Inner>, before: &Begin, parts: Vec<Part>) {
    let new = new_turn(&before.session, before.origin);
    match engine.store.queue_turn(&new, None).await {
        Ok(()) => {
            let asker = before.asker.clone();
            start(engine, Begin { parts: Some(parts), asker, ..begin(&new) });
        }
        Err(error) => tracing::error!(%error, "a late message could not be answered"),
    }
}

/// A turn to be stored.
pub(crate) fn new_turn(session: &SessionKey, origin: Origin) -> NewTurn {
    NewTurn { id: TurnId::new(), session: session.clone(), origin, at: clock::now() }
}

/// A message of the person.
pub(crate) fn message(parts: Vec<Part>) -> Message {
    Message { id: MessageId::new(), role: Role::User, parts, at: clock::now(), turn: None }
}

/// The beginning of a stored turn, with nothing special about it.
pub(crate) fn begin(new: &NewTurn) -> Begin {
    Begin {
        turn: new.id.clone(),
        session: new.session.clone(),
        origin: new.origin,
        model: None,
        parts: None,
        compact: None,
        asker: Asker::default(),
        parent: None,
        light: false,
    }
}

/// Queues a turn that only compacts.
pub(crate) async fn compact(
    engine: &Arc<Inner>,
    session: &SessionKey,
    focus: &str,
) -> Result<TurnId, WireError> {
    let new = new_turn(session, Origin::Window);
    engine.store.queue_turn(&new, None).await?;
    Ok(start(engine, Begin { compact: Some(focus.to_owned()), ..begin(&new) }))
}

/// Puts a stored turn into its lane.
pub(crate) fn start(engine: &Arc<Inner>, begin: Begin) -> TurnId {
    let turn = begin.turn.clone();
    let words = engine.live.enter(&begin.session, &turn);
    let ticket = engine.lanes.enter(&begin.session, begin.origin, begin.parent.is_some());
    let inner = Arc::clone(engine);
    engine.turns.spawn(async move {
        let pass = ticket.wait().await;
        Drive::run(inner, begin, words, pass).await;
    });
    engine.bus.send(Signal::Sessions);
    turn
}
