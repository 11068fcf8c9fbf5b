//! Lanes: which turn may run now.
//!
//! Invariants: one turn at a time in a session, in the order of entering; at most [`AT_ONCE`] turns of people at
//! once, the rest wait in order, and only for each other; a turn of the heartbeat or of a job starts only where
//! fewer than [`AT_ONCE`] of all kinds run or wait, and at most [`BACKGROUND`] of these run; a sub-agent runs in
//! its parent's place, since the parent waits.

use hearth_protocol::{Origin, SessionKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, watch};

/// Turns that run at the same time.
pub(crate) const AT_ONCE: usize = 4;
/// Of these, turns that nobody waits for.
const BACKGROUND: usize = 2;

type SessionLane = Arc<tokio::sync::Mutex<()>>;

/// All lanes of one engine.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    sessions: Arc<Mutex<HashMap<SessionKey, SessionLane>>>,
    people: Arc<Semaphore>,
    background: Arc<Semaphore>,
    /// Turns that run, and people's that wait for a place.
    busy: watch::Sender<usize>,
}

/// The right to run a turn, until dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    _session: OwnedMutexGuard<()>,
    _place: Option<(Busy, OwnedSemaphorePermit)>,
}

/// One of those that are counted.
#[derive(Debug)]
struct Busy(watch::Sender<usize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.send_modify(|busy| *busy = busy.saturating_sub(1));
    }
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
            people: Arc::new(Semaphore::new(AT_ONCE)),
            background: Arc::new(Semaphore::new(BACKGROUND)),
            busy: watch::Sender::new(0),
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
            return Pass { _session: session, _place: None };
        }
        let Lanes { people, background, busy, .. } = self.lanes;
        // The semaphores are never closed; were they, running is better than waiting for ever.
        let place = match self.background {
            true => {
                let permit = background.acquire_owned().await;
                let counted = room(&busy).await;
                permit.map(|permit| (counted, permit))
            }
            false => {
                // Counted while it waits, so that no background turn takes the place that comes free.
                busy.send_modify(|busy| *busy += 1);
                let counted = Busy(busy);
                people.acquire_owned().await.map(|permit| (counted, permit))
            }
        };
        Pass { _session: session, _place: place.ok() }
    }
}

/// Waits until a turn that nobody waits for would take no place from a person's.
async fn room(busy: &watch::Sender<usize>) -> Busy {
    let mut changes = busy.subscribe();
    let take = |busy: &mut usize| {
        let free = *busy < AT_ONCE;
        *busy += usize::from(free);
        free
    };
    // The sender is at hand, so that changes come for ever.
    while !busy.send_if_modified(take) && changes.changed().await.is_ok() {}
    Busy(busy.clone())
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

    fn now(lanes: &Lanes, scope: &str, origin: Origin) -> Option<Pass> {
        lanes.enter(&key(scope), origin, false).wait().now_or_never()
    }

    #[tokio::test]
    async fn four_of_people_run_at_once_whatever_runs_in_the_background() {
        let lanes = Lanes::default();
        let beat = now(&lanes, "b1", Origin::Heartbeat).expect("room");
        let job = now(&lanes, "b2", Origin::Cron).expect("room");
        assert!(now(&lanes, "b3", Origin::Cron).is_none(), "two in the background");
        let mut people: Vec<Pass> = (1..=4)
            .map(|number| now(&lanes, &format!("u{number}"), Origin::Window).expect("room"))
            .collect();
        let mut fifth = Box::pin(lanes.enter(&key("u5"), Origin::Window, false).wait());
        assert!((&mut fifth).now_or_never().is_none(), "four people");
        drop((beat, job));
        assert!((&mut fifth).now_or_never().is_none(), "it does not wait for those");
        let mut later = Box::pin(lanes.enter(&key("b4"), Origin::Heartbeat, false).wait());
        assert!((&mut later).now_or_never().is_none(), "no place is free");
        let child = lanes.enter(&key("c"), Origin::Window, true).wait().now_or_never();
        assert!(child.is_some(), "a parent that waits for its sub-agent never blocks it");
        drop(people.pop());
        assert!((&mut later).now_or_never().is_none(), "a person was waiting");
        let fifth = (&mut fifth).now_or_never().expect("a place came free");
        drop(people.pop());
        assert!((&mut later).now_or_never().is_some(), "one of four places");
        drop(fifth);
    }

    #[tokio::test]
    async fn one_that_no_longer_waits_takes_no_place() {
        let lanes = Lanes::default();
        let people: Vec<Pass> = (1..=4)
            .map(|number| now(&lanes, &format!("u{number}"), Origin::Cli).expect("room"))
            .collect();
        assert!(now(&lanes, "u5", Origin::Cli).is_none());
        drop(people);
        let beats: Vec<_> = ["b1", "b2"].map(|scope| now(&lanes, scope, Origin::Cron)).into();
        assert!(beats.iter().all(Option::is_some));
    }
}
