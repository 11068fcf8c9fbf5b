//! What the person is being asked right now: approvals of calls, and questions of `ask_user`.
//!
//! Invariants: each is answered once, by the first who answers; what is asked ends with its turn. Absent
//! here: the stored approvals (`hearth-store`), and whether something has to be asked (policy).

use hearth_protocol::SessionKey;
use hearth_protocol::api::approvals::{ApprovalScope, QuestionRow};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// So long an approval or a question waits for the person.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30 * 60);

/// What the person said to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// It may run, and how far that reaches.
    Yes(ApprovalScope),
    /// It may not.
    No,
}

/// All that is open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Consents {
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    approvals: HashMap<String, oneshot::Sender<Said>>,
    questions: HashMap<String, (QuestionRow, oneshot::Sender<String>)>,
}

/// Takes the question back when nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    consents: Consents,
    id: String,
    answer: oneshot::Receiver<T>,
}

impl<T> Waiting<T> {
    /// The answer; none where nobody will give one.
    pub(crate) async fn answer(&mut self) -> Option<T> {
        (&mut self.answer).await.ok()
    }
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        let mut open = self.consents.lock();
        open.approvals.remove(&self.id);
        open.questions.remove(&self.id);
    }
}

impl Consents {
    /// Opens an approval.
    pub(crate) fn approval(&self, id: &str) -> Waiting<Said> {
        let (sender, answer) = oneshot::channel();
        self.lock().approvals.insert(id.to_owned(), sender);
        Waiting { consents: self.clone(), id: id.to_owned(), answer }
    }

    /// Opens a question.
    pub(crate) fn question(&self, row: QuestionRow) -> Waiting<String> {
        let (sender, answer) = oneshot::channel();
        let id = row.id.clone();
        self.lock().questions.insert(id.clone(), (row, sender));
        Waiting { consents: self.clone(), id, answer }
    }

    /// Tells a decision to whoever waits for it.
    pub(crate) fn decide(&self, id: &str, said: Said) -> bool {
        let waiting = self.lock().approvals.remove(id);
        waiting.is_some_and(|sender| sender.send(said).is_ok())
    }

    /// Answers a question; false where it is not open.
    pub(crate) fn answer(&self, id: &str, text: String) -> bool {
        let waiting = self.lock().questions.remove(id);
        waiting.is_some_and(|(_, sender)| sender.send(text).is_ok())
    }

    /// The questions that are open, oldest first.
    pub(crate) fn questions(&self) -> Vec<QuestionRow> {
        let mut rows: Vec<_> = self.lock().questions.values().map(|(row, _)| row.clone()).collect();
        rows.sort_by(|a, b| a.asked_at.cmp(&b.asked_at).then_with(|| a.id.cmp(&b.id)));
        rows
    }

    /// The question that is open in a session.
    pub(crate) fn question_in(&self, session: &SessionKey) -> Option<String> {
        let open = self.lock();
        open.questions
            .values()
            .map(|(row, _)| row)
            .find(|row| row.session == *session)
            .map(|row| row.id.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A short name that can be typed.
pub(crate) fn new_id() -> String {
    use rand::Rng;
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut chance = rand::rng();
    (0..8).map(|_| char::from(LETTERS[chance.random_range(0..LETTERS.len())])).collect()
}
