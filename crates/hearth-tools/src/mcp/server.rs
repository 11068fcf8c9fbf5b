//! One server over its life: asleep, answering, fallen over, started again.
//!
//! Invariants: one connection at a time; after a failure the next start waits longer (1 s doubling to 60 s),
//! and whoever calls meanwhile is told so at once; each new connection is held against the pins before a
//! tool of it is called.

use super::connection::Connection;
use super::pins::{Pin, PinState, compare};
use super::tool::McpTool;
use super::{ServerConfig, offered_name};
use crate::registry::Tool;
use futures::future::BoxFuture;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::ServiceError;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// One that ran for so long has not failed at once: its next start does not wait.
const STEADY: Duration = Duration::from_secs(30);

/// Gives the secret of a name, if there is one.
pub type SecretOf = Arc<dyn Fn(String) -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// Not started: nobody called yet.
    Asleep,
    /// It answers.
    Running,
    /// It could not be started, or fell over.
    Failed(String),
}

/// A server. Cheap to clone; dropped, its processes end.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    config: ServerConfig,
    secrets: SecretOf,
    pinned: Mutex<Vec<Pin>>,
    state: Mutex<ServerState>,
    life: tokio::sync::Mutex<Life>,
}

#[derive(Default)]
struct Life {
    connection: Option<Arc<Connection>>,
    /// The tools of this connection, as they stand to their pins.
    tools: Vec<(Pin, PinState)>,
    begun: Option<Instant>,
    pause: Option<Duration>,
    not_before: Option<Instant>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("id", &self.0.config.id).finish_non_exhaustive()
    }
}

/// The other end is gone, even where the connection has not noticed yet.
fn is_fall(error: &ServiceError) -> bool {
    matches!(error, ServiceError::TransportSend(_) | ServiceError::TransportClosed)
}

impl Server {
    /// A server with the tools that the person took; not started yet.
    #[must_use]
    pub fn new(config: ServerConfig, secrets: SecretOf, pinned: Vec<Pin>) -> Self {
        Self(Arc::new(Inner {
            config,
            secrets,
            pinned: Mutex::new(pinned),
            state: Mutex::new(ServerState::Asleep),
            life: tokio::sync::Mutex::default(),
        }))
    }

    /// Its settings.
    #[must_use]
    pub fn config(&self) -> &ServerConfig {
        &self.0.config
    }

    /// How it is now.
    #[must_use]
    pub fn state(&self) -> ServerState {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the person took.
    #[must_use]
    pub fn pinned(&self) -> Vec<Pin> {
        self.0.pinned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its tools as far as they are known: of the last connection, else what the person took.
    #[must_use]
    pub fn known(&self) -> Vec<(Pin, PinState)> {
        // Whoever connects just now will know more; it is not waited for.
        let life = self.0.life.try_lock().ok();
        let seen = life.map(|life| life.tools.clone()).filter(|tools| !tools.is_empty());
        seen.unwrap_or_else(|| self.pinned().into_iter().map(|pin| (pin, PinState::Same)).collect())
    }

    /// The tools as they are offered: what the person took, less what is known to have changed.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let same = self.known().into_iter().filter(|(_, state)| *state == PinState::Same);
        same.map(|(pin, _)| Arc::new(McpTool::new(self.clone(), pin)) as Arc<dyn Tool>).collect()
    }

    /// Starts it anew, whatever it was, and says what it offers.
    ///
    /// # Errors
    /// Why it does not answer.
    pub async fn look(&self) -> Result<Vec<(Pin, PinState)>, String> {
        let mut life = self.0.life.lock().await;
        *life = Life::default();
        self.connect(&mut life).await?;
        Ok(life.tools.clone())
    }

    /// Takes its tools as they are now.
    ///
    /// # Errors
    /// Why it does not answer.
    pub async fn take(&self) -> Result<Vec<Pin>, String> {
        let now: Vec<Pin> = self
            .look()
            .await?
            .into_iter()
            .filter(|(_, state)| *state != PinState::Gone)
            .map(|(pin, _)| pin)
            .collect();
        *self.0.pinned.lock().unwrap_or_else(PoisonError::into_inner) = now.clone();
        let mut life = self.0.life.lock().await;
        life.tools = now.iter().map(|pin| (pin.clone(), PinState::Same)).collect();
        Ok(now)
    }

    /// Ends it and all it started.
    pub async fn close(&self) {
        let mut life = self.0.life.lock().await;
        *life = Life::default();
        self.set(ServerState::Asleep);
    }

    /// Calls a tool, starting the server if need be.
    pub(super) async fn call(
        &self,
        pin: &Pin,
        arguments: JsonObject,
    ) -> Result<CallToolResult, String> {
        let connection = self.connection(pin).await?;
        let limit = self.0.config.timeout;
        let called = tokio::time::timeout(limit, connection.call(&pin.name, arguments)).await;
        match called {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) if connection.is_closed() || is_fall(&error) => {
                self.0.life.lock().await.connection = None;
                self.set(ServerState::Failed(error.to_string()));
                Err(format!(
                    "The server {} fell over; it will be started again. ({error})",
                    self.0.config.id
                ))
            }
            Ok(Err(error)) => Err(format!("The server {} refuses: {error}", self.0.config.id)),
            Err(_) => Err(format!(
                "The server {} did not answer in {} seconds.",
                self.0.config.id,
                limit.as_secs()
            )),
        }
    }

    /// A connection on which the tool is still as it was taken.
    async fn connection(&self, pin: &Pin) -> Result<Arc<Connection>, String> {
        let mut life = self.0.life.lock().await;
        let open = life.connection.as_ref().filter(|connection| !connection.is_closed());
        let connection = match open {
            Some(connection) => Arc::clone(connection),
            None => self.again(&mut life).await?,
        };
        let state =
            life.tools.iter().find(|(now, _)| now.name == pin.name).map(|(_, state)| *state);
        match state {
            Some(PinState::Same) => Ok(connection),
            Some(PinState::Gone) | None => {
                Err(format!("The server {} has no {} any more.", self.0.config.id, pin.name))
            }
            Some(_) => Err(format!(
                "{} of the server {} is described otherwise than when it was allowed. Your person must look at \
                 it in the settings and allow it again.",
                pin.name, self.0.config.id
            )),
        }
    }

    async fn again(&self, life: &mut Life) -> Result<Arc<Connection>, String> {
        life.connection = None;
        if life.begun.take().is_some_and(|begun| begun.elapsed() >= STEADY) {
            (life.pause, life.not_before) = (None, None);
        }
        if let Some(wait) =
            life.not_before.and_then(|then| then.checked_duration_since(Instant::now()))
        {
            return Err(format!(
                "The server {} failed and is started again in {} s.",
                self.0.config.id,
                wait.as_secs() + 1
            ));
        }
        let pause = life.pause.map_or(FIRST_PAUSE, |pause| (pause * 2).min(LONGEST_PAUSE));
        (life.pause, life.not_before) = (Some(pause), Some(Instant::now() + pause));
        self.connect(life).await
    }

    async fn connect(&self, life: &mut Life) -> Result<Arc<Connection>, String> {
        let opened = self.open().await;
        let (connection, now) = match opened {
            Ok(opened) => opened,
            Err(why) => {
                self.set(ServerState::Failed(why.clone()));
                return Err(format!("The server {} cannot be used: {why}", self.0.config.id));
            }
        };
        let connection = Arc::new(connection);
        life.tools = compare(&self.pinned(), &now);
        life.begun = Some(Instant::now());
        life.connection = Some(Arc::clone(&connection));
        self.set(ServerState::Running);
        Ok(connection)
    }

    async fn open(&self) -> Result<(Connection, Vec<Pin>), String> {
        let connection = Connection::open(&self.0.config, &self.0.secrets).await?;
        let mut now: Vec<Pin> = connection.tools().await?.iter().map(Pin::of).collect();
        // Two tools that would have one name are one too many.
        let mut names = std::collections::HashSet::new();
        now.retain(|pin| names.insert(offered_name(&self.0.config.id, &pin.name)));
        Ok((connection, now))
    }

    fn set(&self, state: ServerState) {
        *self.0.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}
