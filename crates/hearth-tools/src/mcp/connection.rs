//! A connection to a server: made, used, closed with all that the server started.
//!
//! Invariants: a program runs in a group of its own with a clean environment; its group is killed when the
//! connection is dropped, whatever the program thinks of it; an answer is bounded in size by the SDK.

use super::server::SecretOf;
use super::{Launch, ServerConfig};
use crate::exec::environment;
use crate::exec::group::{self, Group};
use reqwest::redirect;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, Tool};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::VecDeque;
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// For starting and greeting. A package runner may fetch the server first.
const GREETING: Duration = Duration::from_secs(60);
/// Lines of a server's own log that are kept, to say why it failed.
const LOG_LINES: usize = 12;
/// Characters of such a line.
const LOG_CHARS: usize = 300;

/// A server that answers.
pub(super) struct Connection {
    service: RunningService<RoleClient, ()>,
    _program: Option<Program>,
}

/// A server's process and all it started.
struct Program {
    group: Arc<Group>,
    log: Log,
}

type Log = Arc<Mutex<VecDeque<String>>>;

impl Drop for Program {
    fn drop(&mut self) {
        self.group.kill();
    }
}

impl Connection {
    /// Starts or reaches a server and greets it.
    pub(super) async fn open(config: &ServerConfig, secrets: &SecretOf) -> Result<Self, String> {
        match &config.launch {
            Launch::Command { command, env } => {
                Self::start(command, &resolved(env, secrets).await?).await
            }
            Launch::Url(url) => {
                let key = secrets(format!("mcp/{}", config.id)).await;
                Self::reach(url, key).await
            }
        }
    }

    async fn start(command: &[String], env: &[(String, String)]) -> Result<Self, String> {
        let (program, output, input) = launch(command, env).map_err(|error| {
            format!("{} cannot be started: {error}", command.first().map_or("it", String::as_str))
        })?;
        let greeted = tokio::time::timeout(GREETING, rmcp::serve_client((), (output, input))).await;
        match greeted {
            Ok(Ok(service)) => Ok(Self { service, _program: Some(program) }),
            Ok(Err(error)) => Err(program.why(&error.to_string())),
            Err(_) => {
                Err(program.why(&format!("it did not answer in {} seconds", GREETING.as_secs())))
            }
        }
    }

    async fn reach(url: &str, key: Option<String>) -> Result<Self, String> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("hearth/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the key elsewhere.
            .redirect(redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .pool_max_idle_per_host(0);
        let local = url::Url::parse(url)
            .is_ok_and(|url| matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")));
        let client = if local { client.no_proxy() } else { client };
        let client = client.build().map_err(|error| error.to_string())?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        if let Some(key) = key {
            config = config.auth_header(key);
        }
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let greeted = tokio::time::timeout(GREETING, rmcp::serve_client((), transport)).await;
        match greeted {
            Ok(Ok(service)) => Ok(Self { service, _program: None }),
            Ok(Err(error)) => Err(format!("{url} does not answer as an MCP server: {error}")),
            Err(_) => Err(format!("{url} did not answer in {} seconds", GREETING.as_secs())),
        }
    }

    pub(super) async fn tools(&self) -> Result<Vec<Tool>, String> {
        let listed = tokio::time::timeout(GREETING, self.service.list_all_tools()).await;
        listed
            .map_err(|_| "the server did not list its tools in time".to_owned())?
            .map_err(|error| format!("the server does not list its tools: {error}"))
    }

    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, ServiceError> {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.service.call_tool(request).await
    }

    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }
}

/// Variables with the values of the secrets that they name.
async fn resolved(
    env: &[(String, String)],
    secrets: &SecretOf,
) -> Result<Vec<(String, String)>, String> {
    let mut resolved = Vec::new();
    for (name, value) in env {
        let value = match value.strip_prefix("secret:") {
            None => value.clone(),
            Some(secret) => secrets(secret.to_owned())
                .await
                .ok_or_else(|| format!("the secret {secret} for {name} is not stored"))?,
        };
        resolved.push((name.clone(), value));
    }
    Ok(resolved)
}

impl Program {
    /// What went wrong, with what the program itself said last.
    fn why(&self, what: &str) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let said: Vec<&str> = log.iter().map(String::as_str).collect();
        if said.is_empty() {
            what.to_owned()
        } else {
            format!("{what}; it said: {}", said.join(" / "))
        }
    }
}

fn launch(
    command: &[String],
    env: &[(String, String)],
) -> io::Result<(Program, ChildStdout, ChildStdin)> {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let mark = format!("mcp-{}-{number}", std::process::id());
    let (name, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
    let mut starting = Command::new(name);
    starting
        .args(arguments)
        .env_clear()
        .envs(environment::passed(std::env::vars_os()))
        .envs(env.iter().map(|(name, value)| (name, value)))
        .env(environment::MARK, &mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut starting, 0);
    let mut child = starting.spawn()?;
    let group = Arc::new(Group::of(&child, &mark));
    let log = Log::default();
    let gone = || io::Error::other("its input and output are gone");
    let input = ChildStdin::from_std(child.stdin.take().ok_or_else(gone)?)?;
    let output = ChildStdout::from_std(child.stdout.take().ok_or_else(gone)?)?;
    let errors = ChildStderr::from_std(child.stderr.take().ok_or_else(gone)?)?;
    tokio::spawn(listen(errors, Arc::clone(&log)));
    let watched = Arc::clone(&group);
    // Not one of the runtime's threads: a server lives long, and the runtime would wait for it.
    std::thread::Builder::new().name("mcp server".to_owned()).spawn(move || {
        group::ended(&mut child);
        watched.kill_last();
        let _ = child.wait();
    })?;
    Ok((Program { group, log }, output, input))
}

async fn listen(errors: ChildStderr, log: Log) {
    let mut lines = BufReader::new(errors).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = crate::outputs::plain(&String::from_utf8_lossy(&line));
        let line: String = line.trim().chars().take(LOG_CHARS).collect();
        tracing::debug!(%line, "an MCP server says");
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == LOG_LINES {
            log.pop_front();
        }
        if !line.is_empty() {
            log.push_back(line);
        }
    }
}
