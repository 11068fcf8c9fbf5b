//! A model server for tests: a script of replies, spoken in whichever wire format is asked for.
//!
//! It listens on loopback only and is compiled only with the feature `scripted`. Invariant: one reply of
//! the script answers one request, in order. Left out: checking requests; tests read [`Server::requests`].

mod http;
mod speak;

use crate::wire::Format;
use http::Shared;
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Holds a reply back until the test opens it.
#[derive(Debug, Clone)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Gate {
    /// Lets everything that waits go on, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    async fn passed(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

#[derive(Debug, Clone)]
enum Step {
    Text(String),
    Reasoning(String),
    Call { name: String, arguments: String },
    Wait(Duration),
    Hold(Gate),
    Error { kind: String, message: String },
    Drop,
    End,
}

/// One reply of the script.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    steps: Vec<Step>,
    usage: Option<(u64, u64, u64)>,
    length: bool,
    bare: Option<Bare>,
}

#[derive(Debug, Clone)]
struct Bare {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Reply {
    /// An empty reply that ends well.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An HTTP answer that is no stream of ours: any status, any body.
    #[must_use]
    pub fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let headers = headers.iter().map(owned).collect();
        Self { bare: Some(Bare { status, headers, body: body.into() }), ..Self::default() }
    }

    /// A piece of visible text.
    #[must_use]
    pub fn text(self, piece: impl Into<String>) -> Self {
        self.step(Step::Text(piece.into()))
    }

    /// A piece of thinking.
    #[must_use]
    pub fn reasoning(self, piece: impl Into<String>) -> Self {
        self.step(Step::Reasoning(piece.into()))
    }

    /// A tool call.
    #[must_use]
    pub fn call(self, name: &str, arguments: &Value) -> Self {
        self.step(Step::Call { name: name.to_owned(), arguments: arguments.to_string() })
    }

    /// A tool call whose arguments are this text. Gemini can only send an object: there it is `null`.
    #[must_use]
    pub fn call_raw(self, name: &str, arguments: &str) -> Self {
        self.step(Step::Call { name: name.to_owned(), arguments: arguments.to_owned() })
    }

    /// A pause.
    #[must_use]
    pub fn wait(self, pause: Duration) -> Self {
        self.step(Step::Wait(pause))
    }

    /// A pause until the gate opens.
    #[must_use]
    pub fn hold(self, gate: &Gate) -> Self {
        self.step(Step::Hold(gate.clone()))
    }

    /// An error inside the stream, which ends it.
    #[must_use]
    pub fn error(self, kind: &str, message: &str) -> Self {
        self.step(Step::Error { kind: kind.to_owned(), message: message.to_owned() })
    }

    /// The connection breaks here.
    #[must_use]
    pub fn cut(self) -> Self {
        self.step(Step::Drop)
    }

    /// The stream ends here without its end marks.
    #[must_use]
    pub fn end_early(self) -> Self {
        self.step(Step::End)
    }

    /// Tokens that it reports: prompt, of these cached, written.
    #[must_use]
    pub fn usage(mut self, input: u64, cached: u64, output: u64) -> Self {
        self.usage = Some((input, cached, output));
        self
    }

    /// It stops at the limit of tokens.
    #[must_use]
    pub fn at_limit(mut self) -> Self {
        self.length = true;
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// A request that came in.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path and query.
    pub path: String,
    /// Headers, names in small letters.
    pub headers: HashMap<String, String>,
    /// JSON body; null where there was none.
    pub body: Value,
}

/// The server; it stops when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

impl Server {
    /// Starts on a free port.
    ///
    /// # Errors
    /// The error of the socket.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let listening = tokio::spawn(http::listen(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, listening })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL to configure for a format.
    #[must_use]
    pub fn base_url(&self, format: Format) -> String {
        let path = match format {
            Format::OpenaiChat | Format::OpenaiResponses => "/v1",
            Format::Anthropic | Format::Ollama => "",
            Format::Gemini => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// Adds a reply to the end of the script.
    pub fn push(&self, reply: Reply) {
        self.shared.lock().script.push_back(reply);
    }

    /// Answers every request whose body holds this text with this reply, apart from the script.
    pub fn aside(&self, mark: &str, reply: Reply) {
        self.shared.lock().asides.push((mark.to_owned(), reply));
    }

    /// Refuses requests without this key.
    pub fn require_key(&self, key: &str) {
        self.shared.lock().key = Some(key.to_owned());
    }

    /// Answers this path with an [`Reply::answer`], whatever else it would say.
    pub fn page(&self, path: &str, answer: Reply) {
        if let Some(bare) = answer.bare {
            self.shared.lock().pages.insert(path.to_owned(), bare);
        }
    }

    /// The models that it lists.
    pub fn set_models(&self, models: &[&str]) {
        self.shared.lock().models = models.iter().map(|&name| name.to_owned()).collect();
    }

    /// The requests for replies so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// The requests for replies since this was last asked; they are forgotten, so a long run stays small.
    #[must_use]
    pub fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.shared.lock().requests)
    }

    /// Waits until clients have dropped this many connections in the middle of a reply.
    pub async fn dropped(&self, count: usize) {
        let mut dropped = self.shared.dropped.subscribe();
        // The sender lives in `self.shared`, so waiting cannot fail.
        let _ = dropped.wait_for(|&seen| seen >= count).await;
    }

    /// Waits until this many requests for replies have come.
    pub async fn asked(&self, count: usize) {
        let mut asked = self.shared.asked.subscribe();
        let _ = asked.wait_for(|&seen| seen >= count).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
