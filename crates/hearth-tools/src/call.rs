//! One call of a tool and what came of it.

use hearth_protocol::{CallId, Provenance, TurnId};
use serde_json::{Map, Value};
use std::path::PathBuf;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Where a tool shows what it does while it runs. A tool shows little: the whole is in its outcome.
#[derive(Debug, Clone, Default)]
pub struct LiveOutput(Option<UnboundedSender<String>>);

impl LiveOutput {
    /// Shown to this listener.
    #[must_use]
    pub fn to(listener: UnboundedSender<String>) -> Self {
        Self(Some(listener))
    }

    /// Shows a piece, unless nobody listens (any more).
    pub fn show(&self, text: impl Into<String>) {
        if let Some(listener) = &self.0 {
            let _ = listener.send(text.into());
        }
    }
}

/// What a command is given for this call alone.
#[derive(Clone, Default)]
pub struct Extras {
    /// Folders that it may read.
    pub read: Vec<PathBuf>,
    /// Variables. They may be secrets, so they are never shown.
    pub env: Vec<(String, String)>,
    /// It may reach the network.
    pub network: bool,
    /// Where nobody was asked about it: which names right in the workspace it may not change, nor anything
    /// below them (persona, skills, memory).
    pub keeps: Option<fn(&str) -> bool>,
    /// Where the person was asked about it: what stood there then, as [`Tool::replaces`](crate::Tool::replaces) told.
    pub seen: Option<String>,
}

impl std::fmt::Debug for Extras {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Extras")
            .field("read", &self.read)
            .field("env", &names)
            .field("network", &self.network)
            .field("unasked", &self.keeps.is_some())
            .finish()
    }
}

/// One call, checked and allowed.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Arguments that fit the schema.
    pub arguments: Map<String, Value>,
    /// The turn that asked, to whom changes are attributed.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// Cancelled when the person stops the turn.
    pub cancel: CancellationToken,
    /// Where output is shown while it runs.
    pub live: LiveOutput,
    /// For a command.
    pub extras: Extras,
}

impl Invocation {
    /// A call that nobody watches or stops.
    #[must_use]
    pub fn new(arguments: Map<String, Value>, turn: TurnId, call: CallId) -> Self {
        Self {
            arguments,
            turn,
            call,
            cancel: CancellationToken::new(),
            live: LiveOutput::default(),
            extras: Extras::default(),
        }
    }

    /// A text argument; empty where it is absent.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A whole number that is not negative; none where it is absent.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        let number = self.arguments.get(name)?.as_u64()?;
        usize::try_from(number).ok()
    }
}

/// What came of a call, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// It did what was asked.
    pub ok: bool,
    /// The result, or what went wrong and what to do.
    pub text: String,
    /// Where the text came from.
    pub provenance: Provenance,
    /// The whole output on disk, where `text` is only part of it.
    pub full: Option<PathBuf>,
}

impl Outcome {
    /// It did what was asked.
    pub fn done(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into(), provenance: Provenance::Own, full: None }
    }

    /// It did not.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { ok: false, ..Self::done(text) }
    }

    /// Its text was written by others: `source` names where it came from.
    #[must_use]
    pub fn from_outside(self, source: impl Into<String>) -> Self {
        Self { provenance: Provenance::Untrusted { source: source.into() }, ..self }
    }
}
