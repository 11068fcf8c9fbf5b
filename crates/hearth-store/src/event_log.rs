//! The way events take into the database while turns run: nobody waits for the disk.
//!
//! Invariants: events are stored in the order in which they were pushed; anything but a delta is
//! written at once, deltas at most [`DELTA_WAIT`] after they came; what could not be written (a full
//! disk) is kept and tried again with the next batch, and [`EventLog::flush`] says so.

use crate::{Result, Store, StoreError};
use hearth_protocol::{Event, EventBody};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long deltas wait for more of them.
const DELTA_WAIT: Duration = Duration::from_millis(200);

/// Takes events without waiting and stores them in batches. Cheap to clone. Lives within a runtime;
/// flush it before that ends.
#[derive(Debug, Clone)]
pub struct EventLog {
    sender: mpsc::UnboundedSender<Entry>,
}

#[derive(Debug)]
enum Entry {
    Event(Box<Event>),
    Flush(oneshot::Sender<Result<()>>),
}

impl EventLog {
    /// Starts the task that writes; it ends when the last clone is dropped and all is written.
    #[must_use]
    pub fn start(store: Store) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(Writer { store, receiver, unsaved: Vec::new() }.run());
        Self { sender }
    }

    /// Takes an event. Returns at once.
    pub fn push(&self, event: Event) {
        if self.sender.send(Entry::Event(Box::new(event))).is_err() {
            tracing::error!("an event came after the end of the event log");
        }
    }

    /// Waits until everything pushed before is stored.
    ///
    /// # Errors
    /// The database's; the events are kept and written with the next batch.
    pub async fn flush(&self) -> Result<()> {
        let (answer, outcome) = oneshot::channel();
        let ended = || StoreError::Refused("the event log has ended".to_owned());
        self.sender.send(Entry::Flush(answer)).map_err(|_| ended())?;
        outcome.await.map_err(|_| ended())?
    }
}

struct Writer {
    store: Store,
    receiver: mpsc::UnboundedReceiver<Entry>,
    unsaved: Vec<Event>,
}

impl Writer {
    async fn run(mut self) {
        while let Some(entry) = self.receiver.recv().await {
            let mut urgent = self.take(entry).await;
            while let Ok(entry) = self.receiver.try_recv() {
                urgent |= self.take(entry).await;
            }
            if !urgent {
                self.gather().await;
            }
            if let Err(error) = self.save().await {
                tracing::warn!(%error, "events could not be stored; they are tried again");
            }
        }
    }

    /// Waits for more deltas, until something urgent comes or the time is up.
    async fn gather(&mut self) {
        let end = tokio::time::Instant::now() + DELTA_WAIT;
        while let Ok(Some(entry)) = tokio::time::timeout_at(end, self.receiver.recv()).await {
            if self.take(entry).await {
                return;
            }
        }
    }

    /// Takes one entry; true where it should not wait.
    async fn take(&mut self, entry: Entry) -> bool {
        match entry {
            Entry::Event(event) => {
                let delta = matches!(
                    event.body,
                    EventBody::Text { .. }
                        | EventBody::Reasoning { .. }
                        | EventBody::ToolOutput { .. }
                );
                self.unsaved.push(*event);
                !delta
            }
            Entry::Flush(answer) => {
                // Whoever asked may have gone; the events are stored all the same.
                let _ = answer.send(self.save().await);
                true
            }
        }
    }

    /// Stores each turn's events in one transaction, so that a turn whose events cannot be stored does
    /// not hold up the others.
    async fn save(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        for batch in by_turn(std::mem::take(&mut self.unsaved)) {
            if let Err(error) = self.store.append_events(&batch).await {
                self.unsaved.extend(batch);
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }
}

/// The same events, one list a turn, each in order. Few turns run at once.
fn by_turn(events: Vec<Event>) -> Vec<Vec<Event>> {
    let mut batches: Vec<Vec<Event>> = Vec::new();
    for event in events {
        let same = |batch: &&mut Vec<Event>| batch.first().is_some_and(|e| e.turn == event.turn);
        match batches.iter_mut().find(same) {
            Some(batch) => batch.push(event),
            None => batches.push(vec![event]),
        }
    }
    batches
}
