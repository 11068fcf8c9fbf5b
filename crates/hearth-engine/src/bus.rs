//! The event bus: everything that shells hear, in order, to as many listeners as there are.
//!
//! A listener that falls far behind loses the oldest signals and is told so; it then reads the stored
//! state again. Nothing waits for a slow window.

use hearth_protocol::api::system::Signal;
use tokio::sync::broadcast;

/// Deltas of a long reply while a window is busy drawing.
const CAPACITY: usize = 8192;

/// Hands signals to listeners.
#[derive(Debug, Clone)]
pub struct Bus {
    sender: broadcast::Sender<Signal>,
}

/// Hears every signal sent after it was made.
#[derive(Debug)]
pub struct Listener {
    receiver: broadcast::Receiver<Signal>,
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// The next signal.
    Signal(Signal),
    /// So many were missed; read the stored state again.
    Missed(u64),
}

impl Default for Bus {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(CAPACITY) }
    }
}

impl Bus {
    /// Tells every listener; nobody listening is no error.
    pub fn send(&self, signal: Signal) {
        let _ = self.sender.send(signal);
    }

    /// A new listener.
    #[must_use]
    pub fn listen(&self) -> Listener {
        Listener { receiver: self.sender.subscribe() }
    }
}

impl Listener {
    /// The next thing; none when the engine is gone.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.receiver.recv().await {
            Ok(signal) => Some(Heard::Signal(signal)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Heard::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_listener_is_told_what_it_missed() {
        let bus = Bus::default();
        let mut listener = bus.listen();
        for _ in 0..CAPACITY + 3 {
            bus.send(Signal::Sessions);
        }
        assert_eq!(listener.next().await, Some(Heard::Missed(3)));
        assert_eq!(listener.next().await, Some(Heard::Signal(Signal::Sessions)));
        drop(bus);
    }
}
