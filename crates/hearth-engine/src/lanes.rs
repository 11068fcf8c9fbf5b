//! Lanes: which turn may run now.
//!
//! Invariants: one turn at a time in a session, in the order of entering; at most [`AT_ONCE`] turns at once
//! in all, the rest wait in order; turns of the heartbeat and of jobs use at most half of these places, so
//! that a person's message finds one free; a sub-agent runs in its parent's place, since the parent waits.

use hearth_protocol::{Origin, SessionKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// Turns that run at the same time.
pub(crate) const AT_ONCE: usize = 4;
/// Of these, turns that nobody waits for.
const BACKGROUND: usize = 2;

type SessionLane = Arc<tokio::sync::Mutex<()>>;

/// All lanes of one engine.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    sessions: Arc<Mutex<HashMap<SessionKey, SessionLane>>>,
    all: Arc<Semaphore>,
    background: Arc<Semaphore>,
}

/// The right to run a turn, until dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    _session: OwnedMutexGuard<()>,
    _place: Option<OwnedSemaphorePermit>,
    _background: Option<OwnedSemaphorePermit>,
}

/// A place in a session's lane, taken in order; [`Ticket::wait`] turns it into a [`Pass`].
pub(crate) struct Ticket {
    session: std::pin::Pin<Box<dyn Future<Output = OwnedMutexGuard<()>> + Send>>,
    lanes: Lanes,
    background: bool,
    in_parents_place: bool,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            sessions: Arc::default(),
            all: Arc::new(Semaphore::new(AT_ONCE)),
            background: Arc::new(Semaphore::new(BACKGROUND)),
        }
    }
}

impl Lanes {
    /// Enters the session's lane. The order of these calls is the order of the turns.
    #[must_use]
    pub(crate) fn enter(
        &self,
        session: &SessionKey,
        origin: Origin,
        in_parents_place: bool,
    ) -> Ticket {
        let lane = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.retain(|key, lane| key == session || Arc::strong_count(lane) > 1);
            Arc::clone(sessions.entry(session.clone()).or_default())
        };
        let mut waiting = Box::pin(lane.lock_owned());
        // The mutex queues a waiter when it is first polled: do that now, so that order is kept.
        let first = futures::FutureExt::now_or_never(&mut waiting);
        let session: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = match first {
            Some(guard) => Box::pin(std::future::ready(guard)),
            None => waiting,
        };
        let background = matches!(origin, Origin::Heartbeat | Origin::Cron);
        Ticket { session, lanes: self.clone(), background, in_parents_place }
    }
}

impl Ticket {
    /// Waits until the turn may run.
    pub(crate) async fn wait(self) -> Pass {
        let session = self.session.await;
        if self.in_parents_place {
            return Pass { _session: session, _place: None, _background: None };
        }
        // The semaphores are never closed; were they, running is better than waiting for ever.
        let background = match self.background {
            true => Arc::clone(&self.lanes.background).acquire_owned().await.ok(),
            false => None,
        };
        let place = Arc::clone(&self.lanes.all).acquire_owned().await.ok();
        Pass { _session: session, _place: place, _background: background }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn key(scope: &str) -> SessionKey {
        SessionKey::parse(&format!("assistant:{scope}")).expect("valid")
    }

    #[tokio::test]
    async fn a_session_is_first_in_first_out() {
        let lanes = Lanes::default();
        let first = lanes.enter(&key("a"), Origin::Cli, false).wait().await;
        let second = lanes.enter(&key("a"), Origin::Cli, false);
        let third = lanes.enter(&key("a"), Origin::Cli, false);
        let mut third = Box::pin(third.wait());
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        assert!((&mut third).now_or_never().is_none(), "the second is before it");
        let pass = second.wait().await;
        assert!((&mut third).now_or_never().is_none());
        drop(pass);
        third.await;
    }

    #[tokio::test]
    async fn four_run_at_once_and_background_leaves_room() {
        let lanes = Lanes::default();
        let beat = lanes.enter(&key("b1"), Origin::Heartbeat, false).wait().await;
        let job = lanes.enter(&key("b2"), Origin::Cron, false).wait().await;
        assert!(lanes.enter(&key("b3"), Origin::Cron, false).wait().now_or_never().is_none());
        let one =
            lanes.enter(&key("u1"), Origin::Window, false).wait().now_or_never().expect("room");
        let two =
            lanes.enter(&key("u2"), Origin::Window, false).wait().now_or_never().expect("room");
        assert!(lanes.enter(&key("u3"), Origin::Window, false).wait().now_or_never().is_none());
        let child = lanes.enter(&key("c"), Origin::Window, true).wait().now_or_never();
        assert!(child.is_some(), "a parent that waits for its sub-agent never blocks it");
        drop((beat, job, one, two));
        assert!(lanes.enter(&key("u3"), Origin::Window, false).wait().now_or_never().is_some());
    }
}
