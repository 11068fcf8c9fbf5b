//! The tools that the engine brings to the registry: notices, and, in step with `hearth.toml`, MCP servers and
//! the search of the web.
//!
//! Invariants: a change counts from the next turn; following the settings starts no program, but for a
//! server that nobody has looked at yet, beside the turns; what a server offered when it was taken is kept in
//! `hearth.db` and offered from there. Absent here: what a tool may do (policy).

use crate::engine::{Access, Inner};
use crate::host::Notice;
use crate::settings::Settings;
use crate::vault::Vault;
use async_trait::async_trait;
use hearth_protocol::api::mcp::McpEdit;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, TurnId, WireError};
use hearth_tools::mcp::{Launch, Pin, SecretOf, Server, ServerConfig};
use hearth_tools::{Announce, Notify, SearchKey, SearchKind, WebSearch};
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The secret of the search service.
const SEARCH_SECRET: &str = "search";

/// What follows the settings.
#[derive(Default)]
pub(crate) struct Hands {
    known: tokio::sync::Mutex<Known>,
}

#[derive(Default)]
struct Known {
    settings: Option<Arc<Settings>>,
    servers: BTreeMap<String, Server>,
}

impl Hands {
    /// Brings the registry in step with the settings.
    pub(crate) async fn follow(&self, engine: &Arc<Inner>) {
        let settings = engine.settings.current();
        let mut known = self.known.lock().await;
        if known.settings.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &settings)) {
            return;
        }
        if known.settings.is_none() {
            let announcer = Announcer(Arc::downgrade(engine));
            engine.tools.put("notify", vec![Arc::new(Notify(Arc::new(announcer)))]);
        }
        follow_search(engine, &settings);
        let wanted: Vec<&McpEdit> = settings.mcp.iter().filter(|server| server.enabled).collect();
        let stays = |id: &String, server: &Server| {
            wanted.iter().any(|edit| edit.id == *id && config(edit) == *server.config())
        };
        for (id, server) in std::mem::take(&mut known.servers) {
            if stays(&id, &server) {
                known.servers.insert(id, server);
            } else {
                engine.tools.remove(&part(&id));
                // What still runs of it ends with its last call.
                tokio::spawn(async move { server.close().await });
            }
        }
        for edit in wanted {
            if !known.servers.contains_key(&edit.id) {
                let server = begin(engine, edit).await;
                known.servers.insert(edit.id.clone(), server);
            }
        }
        known.settings = Some(settings);
    }

    /// The server of an id, if it is turned on.
    pub(crate) async fn server(&self, id: &str) -> Option<Server> {
        self.known.lock().await.servers.get(id).cloned()
    }

    /// Ends all servers.
    pub(crate) async fn close(&self) {
        let servers = std::mem::take(&mut self.known.lock().await.servers);
        futures::future::join_all(servers.values().map(Server::close)).await;
    }
}

/// Notices that a turn asks for, in the turn's own conversation.
struct Announcer(Weak<Inner>);

#[async_trait]
impl Announce for Announcer {
    async fn announce(&self, turn: &TurnId, title: String, body: String) -> Result<(), String> {
        let engine = self.0.upgrade().ok_or("Hearth is closing.")?;
        let session = engine.live.session_of(turn).ok_or("The turn is over.")?;
        if crate::beat::is_work(&session) {
            return engine.say_within(&session, title, body).await;
        }
        engine.try_notify(Notice::new(title, body, session)).await
    }
}

/// The registry's name for a server's tools.
fn part(id: &str) -> String {
    format!("mcp/{id}")
}

fn config(edit: &McpEdit) -> ServerConfig {
    let launch = match edit.command.is_empty() {
        true => Launch::Url(edit.url.clone()),
        false => Launch::Command {
            command: edit.command.clone(),
            env: edit.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        },
    };
    ServerConfig { id: edit.id.clone(), launch, timeout: Duration::from_secs(edit.timeout_s) }
}

/// A server with what was taken of it; one that nobody looked at yet is taken beside the turns, since the
/// person has just written it down.
async fn begin(engine: &Arc<Inner>, edit: &McpEdit) -> Server {
    let pinned = pins(engine, &edit.id).await;
    let server =
        Server::new(config(edit), secret_of(&engine.secrets), pinned.clone().unwrap_or_default());
    engine.tools.put(&part(&edit.id), server.tools());
    if pinned.is_none() && engine.access == Access::Own {
        let (weak, server, closing) =
            (Arc::downgrade(engine), server.clone(), engine.closing.clone());
        tokio::spawn(async move {
            let taken = tokio::select! {
                () = closing.cancelled() => return,
                taken = server.take() => taken,
            };
            let Some(engine) = weak.upgrade() else { return };
            match taken {
                Ok(pins) => keep(&engine, &server, &pins).await,
                Err(error) => tracing::warn!(%error, "an MCP server could not be looked at"),
            }
            engine.bus.send(Signal::Settings);
        });
    }
    server
}

/// Takes a server's tools as they are now.
pub(crate) async fn take(engine: &Inner, server: &Server) -> Result<(), WireError> {
    let pins = server.take().await.map_err(|error| away(&error))?;
    keep(engine, server, &pins).await;
    Ok(())
}

/// Why a server does not answer.
pub(crate) fn away(why: &str) -> WireError {
    let hint = "Try its command in a terminal, or look at its address and key.";
    WireError::new(ErrorCode::InvalidRequest, why.to_owned(), hint)
}

async fn keep(engine: &Inner, server: &Server, pins: &[Pin]) {
    let id = &server.config().id;
    let text = serde_json::to_string(pins).unwrap_or_default();
    if let Err(error) = engine.store.set_meta(&pins_key(id), Some(&text)).await {
        tracing::warn!(%error, "what an MCP server offers could not be kept");
    }
    refresh(engine, server);
}

/// Offers a server's tools as they stand now.
pub(crate) fn refresh(engine: &Inner, server: &Server) {
    engine.tools.put(&part(&server.config().id), server.tools());
}

async fn pins(engine: &Inner, id: &str) -> Option<Vec<Pin>> {
    let text = engine.store.meta(&pins_key(id)).await.ok()??;
    serde_json::from_str(&text).ok()
}

/// Forgets what was taken of a server.
pub(crate) async fn forget(engine: &Inner, id: &str) -> Result<(), WireError> {
    Ok(engine.store.set_meta(&pins_key(id), None).await?)
}

fn pins_key(id: &str) -> String {
    format!("mcp.pins/{id}")
}

fn follow_search(engine: &Inner, settings: &Settings) {
    let secrets = secret_of(&engine.secrets);
    let key: SearchKey = Arc::new(move || secrets(SEARCH_SECRET.to_owned()));
    let kind = SearchKind::named(&settings.search_kind);
    match kind.and_then(|kind| WebSearch::new(kind, &settings.search_url, key)) {
        Some(search) => engine.tools.put("search", vec![Arc::new(search)]),
        None => engine.tools.remove("search"),
    }
}

fn secret_of(vault: &Arc<Vault>) -> SecretOf {
    let vault = Arc::clone(vault);
    Arc::new(move |name: String| {
        let vault = Arc::clone(&vault);
        Box::pin(async move {
            let secret = vault.get(&name).await.ok().flatten();
            secret.map(|secret| secret.expose_secret().to_owned())
        })
    })
}
