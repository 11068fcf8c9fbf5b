//! What surrounds the engine: a window, a terminal, a test.

use hearth_protocol::{MessageId, SessionKey};
use std::pin::Pin;

/// Something the person should know although they are not looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Headline.
    pub title: String,
    /// One or two sentences.
    pub body: String,
    /// The conversation it belongs to.
    pub session: SessionKey,
    /// The message that says it, if one does.
    pub message: Option<MessageId>,
}

impl Notice {
    /// A notice of a conversation.
    #[must_use]
    pub fn new(title: impl Into<String>, body: impl Into<String>, session: SessionKey) -> Self {
        Self { title: title.into(), body: body.into(), session, message: None }
    }
}

/// Whether a notice was shown, once that is known; else why it cannot be seen, in words for people.
pub type Shown = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Implemented by each shell.
pub trait Host: Send + Sync + 'static {
    /// Shows a notice, at once and also where nobody waits for the answer; must not block.
    fn notify(&self, notice: Notice) -> Shown;

    /// Whether the person looks at this session now. A notice is made only where they do not.
    fn is_watching(&self, session: &SessionKey) -> bool;

    /// Whether there is a person who can be asked, now or within half an hour. What needs their approval is
    /// denied at once where there is none.
    fn can_ask(&self) -> bool {
        false
    }
}

/// A host for commands that are over before anybody could look away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Host for Quiet {
    fn notify(&self, _notice: Notice) -> Shown {
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_watching(&self, _session: &SessionKey) -> bool {
        true
    }
}
