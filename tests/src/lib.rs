//! Support for the integration tests: a home of its own with a scripted model server behind it.
//!
//! Invariant: nothing outside the temporary folder and loopback is touched.

pub mod delay;
pub mod haul;
pub mod strict;

use anyhow::{Context, Result};
use hearth_engine::{Access, Engine, Heard, Host, Listener, Notice, OpenOptions, Shown, api};
use hearth_llm::scripted::{Reply, Server};
use hearth_llm::wire::Format;
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Event, EventBody, MessageId, Origin, SessionKey, TurnId, WireError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The five wire formats and their names in `hearth.toml`.
pub const FORMATS: [(Format, &str); 5] = [
    (Format::OpenaiChat, "openai"),
    (Format::OpenaiResponses, "openai-responses"),
    (Format::Anthropic, "anthropic"),
    (Format::Gemini, "gemini"),
    (Format::Ollama, "ollama"),
];

/// What every request for a summary holds.
pub const SUMMARY_MARK: &str = "You keep the record of a conversation";
/// What the scripted model writes as a summary. It names no identifier: those are the host's to keep.
pub const SUMMARY: &str =
    "## Tasks\nThe talk goes on as it was, step by step.\n## Decisions\nNone so far.";

/// What every request to write a conversation down holds.
pub const FLUSH_MARK: &str = "You keep a personal assistant's memory";
/// The answer where there is nothing to write down.
pub const FLUSH: &str = "{\"entries\":[]}";

/// A home in a temporary folder, with one provider `work` that is the scripted server.
#[derive(Debug)]
pub struct TestHome {
    /// Removed at the end.
    pub folder: tempfile::TempDir,
    /// The model server.
    pub server: Server,
}

impl TestHome {
    /// A home whose provider speaks this format.
    ///
    /// # Errors
    /// When the folder or the server cannot be made.
    pub async fn new(format: Format, kind: &str) -> Result<Self> {
        let folder = tempfile::tempdir().context("making a home")?;
        let server = Server::start().await.context("starting the scripted server")?;
        // Summaries are asked for when a window is full, not when a script says so.
        server.aside(SUMMARY_MARK, Reply::new().text(SUMMARY));
        let home = Self { folder, server };
        home.write_settings(&home.settings(format, kind))?;
        Ok(home)
    }

    /// Lets every flush find nothing, apart from the script: for talks that outgrow their window.
    pub fn flush_nothing(&self) {
        self.server.aside(FLUSH_MARK, Reply::new().text(FLUSH));
    }

    /// `hearth.toml` with the provider alone.
    #[must_use]
    pub fn settings(&self, format: Format, kind: &str) -> String {
        let url = self.server.base_url(format);
        format!(
            "[model]\ndefault = \"work/scripted-1\"\n[[providers]]\nid = \"work\"\nkind = \"{kind}\"\n\
             base_url = \"{url}\"\nmodels = [{{ id = \"scripted-1\", window = 128000, input_usd = 1.0, \
             output_usd = 2.0 }}]\n"
        )
    }

    /// Writes `hearth.toml`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_settings(&self, text: &str) -> Result<()> {
        std::fs::write(self.path("hearth.toml"), text).context("writing hearth.toml")
    }

    /// A path in the home.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Opens the home.
    ///
    /// # Errors
    /// The engine's.
    pub async fn open(&self) -> Result<Engine, WireError> {
        open(self.folder.path(), Arc::new(Notices::default())).await
    }
}

/// Opens a home with a host.
///
/// # Errors
/// The engine's.
pub async fn open(home: &Path, host: Arc<dyn Host>) -> Result<Engine, WireError> {
    Engine::open(OpenOptions { home: Some(home.to_path_buf()), host, access: Access::Own }).await
}

/// A host that keeps its notices and watches nothing.
#[derive(Debug, Default)]
pub struct Notices {
    kept: Mutex<Vec<Notice>>,
}

impl Notices {
    /// What was noticed so far.
    #[must_use]
    pub fn kept(&self) -> Vec<Notice> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Host for Notices {
    fn notify(&self, notice: Notice) -> Shown {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_watching(&self, _session: &SessionKey) -> bool {
        false
    }

    fn can_ask(&self) -> bool {
        true
    }
}

/// A message to the main session.
#[must_use]
pub fn message(text: &str) -> Submit {
    Submit {
        session: SessionKey::main(),
        text: text.to_owned(),
        origin: Origin::Window,
        message_id: MessageId::new().0,
        attachments: Vec::new(),
        model: None,
        yes_to: Vec::new(),
    }
}

/// Sends a message and waits for the end of its turn.
///
/// # Errors
/// When it does not become a turn.
pub async fn ask(engine: &Engine, request: Submit) -> Result<Vec<Event>> {
    let mut listener = engine.listen();
    match api::chat::submit(engine, request).await? {
        Submitted::Turn { turn } => Ok(turn_events(&mut listener, &turn).await),
        other => anyhow::bail!("not a turn: {other:?}"),
    }
}

/// The events of a turn up to its end.
pub async fn turn_events(listener: &mut Listener, turn: &TurnId) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(heard) = listener.next().await {
        let Heard::Signal(Signal::Turn(event)) = heard else { continue };
        if event.turn == *turn {
            let done = matches!(event.body, EventBody::Done { .. });
            events.push(event);
            if done {
                break;
            }
        }
    }
    events
}

/// The names of events, in order.
#[must_use]
pub fn names(events: &[Event]) -> Vec<String> {
    let name =
        |event: &Event| serde_json::to_value(event).ok()?.get("event")?.as_str().map(str::to_owned);
    events.iter().filter_map(name).collect()
}

/// The reply and the reason of the last event.
#[must_use]
pub fn done(events: &[Event]) -> Option<(String, hearth_protocol::StopReason)> {
    match &events.last()?.body {
        EventBody::Done { reply, stop, .. } => Some((reply.clone(), *stop)),
        _ => None,
    }
}
