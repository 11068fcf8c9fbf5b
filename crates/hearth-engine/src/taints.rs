//! What each session has read, kept with it: a restart forgets nothing, and deleting a conversation does
//! not make what was remembered from it the person's own.
//!
//! Invariant: what a model is about to read is noted before it reads it.

use hearth_guard::{Source, Taint};
use hearth_protocol::{Origin, Part, SessionKey, WireError};
use hearth_store::Store;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The taint of all sessions that are in use.
pub(crate) struct Taints {
    store: Store,
    known: Mutex<HashMap<SessionKey, Taint>>,
}

impl Taints {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, known: Mutex::default() }
    }

    /// Brings what a session has read to mind: before its turn begins.
    pub(crate) async fn recall(&self, session: &SessionKey) -> Result<(), WireError> {
        if self.lock().contains_key(session) {
            return Ok(());
        }
        let stored = self.store.taint(session).await?;
        let taint = match stored.map(|text| serde_json::from_str(&text)) {
            None => Taint::new(true),
            Some(Ok(taint)) => taint,
            // What cannot be read any more is believed least.
            Some(Err(_)) => {
                let mut taint = Taint::new(true);
                taint.read(Source::ThirdParty, "");
                taint
            }
        };
        self.lock().entry(session.clone()).or_insert(taint);
        Ok(())
    }

    /// What a session has read, as far as it was brought to mind.
    pub(crate) fn of(&self, session: &SessionKey) -> Taint {
        self.lock().get(session).cloned().unwrap_or_else(|| Taint::new(true))
    }

    /// Changes what a session has read, and stores it where it grew.
    pub(crate) async fn change(
        &self,
        session: &SessionKey,
        change: impl FnOnce(&mut Taint) + Send,
    ) -> Result<(), WireError> {
        self.recall(session).await?;
        let grown = {
            let mut known = self.lock();
            let taint = known.entry(session.clone()).or_insert_with(|| Taint::new(true));
            // What a turn alone goes by is not kept.
            let kept = |taint: &Taint| serde_json::to_string(taint).unwrap_or_default();
            let before = kept(taint);
            change(taint);
            Some(kept(taint)).filter(|now| *now != before)
        };
        let Some(text) = grown else { return Ok(()) };
        Ok(self.store.set_taint(session, &text).await?)
    }

    /// A message came: the person's words, and what they gave along.
    pub(crate) async fn heard(
        &self,
        session: &SessionKey,
        origin: Origin,
        parts: &[Part],
    ) -> Result<(), WireError> {
        let change = |taint: &mut Taint| {
            for (at, part) in parts.iter().enumerate() {
                match part {
                    Part::Text { text } if at == 0 && origin == Origin::Channel => {
                        taint.read(Source::OtherPeople, text);
                    }
                    Part::Text { text } if at == 0 => taint.said(text),
                    Part::Text { text } => taint.read(Source::OutsideFile, text),
                    Part::Image { .. } => taint.read(Source::OutsideFile, ""),
                    _ => {}
                }
            }
        };
        self.change(session, change).await
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Taint>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
