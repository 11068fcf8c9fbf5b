//! Just enough HTTP/1.1: one request a connection, a chunked reply, one chunk an event.

use super::speak::Speaker;
use super::{Bare, Reply, Request, Step};
use crate::wire::Format;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) script: VecDeque<Reply>,
    pub(crate) requests: Vec<Request>,
    pub(crate) key: Option<String>,
    pub(crate) models: Vec<String>,
    pub(crate) pages: HashMap<String, Bare>,
    /// Replies apart from the script, by what the request's body holds.
    pub(crate) asides: Vec<(String, Reply)>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    pub(crate) dropped: watch::Sender<usize>,
    pub(crate) asked: watch::Sender<usize>,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // Events must arrive one by one.
    let _ = stream.set_nodelay(true);
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let Ok(request) = request(&mut read).await else { return };
    // An error means that the client has gone.
    let _ = answer(request, &mut read, &mut write, &shared).await;
}

async fn request(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Request> {
    let mut line = String::new();
    read.read_line(&mut line).await?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = HashMap::new();
    loop {
        line.clear();
        read.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    read.read_exact(&mut body).await?;
    Ok(Request { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn format_of(path: &str) -> Option<Format> {
    let path = path.split('?').next().unwrap_or_default();
    let ends = [
        ("/chat/completions", Format::OpenaiChat),
        ("/responses", Format::OpenaiResponses),
        ("/messages", Format::Anthropic),
        (":streamGenerateContent", Format::Gemini),
        ("/api/chat", Format::Ollama),
    ];
    ends.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, format)| format)
}

async fn answer(
    request: Request,
    read: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
    shared: &Shared,
) -> io::Result<()> {
    let key_fits = shared.lock().key.as_ref().is_none_or(|key| has_key(&request, key));
    if !key_fits {
        let body = json!({"error": {"message": "Incorrect API key provided", "type": "authentication_error"}});
        return bare(write, &json_answer(401, &body)).await;
    }
    let page = shared.lock().pages.get(&request.path).cloned();
    if let Some(page) = page {
        return bare(write, &page).await;
    }
    let Some(format) = format_of(&request.path) else {
        let listed = listing(&request.path, &shared.lock().models);
        let missing = || json_answer(404, &json!({"detail": "Not Found"}));
        return bare(write, &listed.map_or_else(missing, |body| json_answer(200, &body))).await;
    };
    let (reply, number) = {
        let mut state = shared.lock();
        let body = request.body.to_string();
        let aside = state.asides.iter().find(|(mark, _)| body.contains(mark));
        let aside = aside.map(|(_, reply)| reply.clone());
        state.requests.push(request);
        (aside.or_else(|| state.script.pop_front()), state.requests.len())
    };
    shared.asked.send_modify(|asked| *asked += 1);
    let empty = || Reply::answer(500, &[], "{\"error\":{\"message\":\"the script is empty\"}}");
    let reply = reply.unwrap_or_else(empty);
    if let Some(answer) = &reply.bare {
        return bare(write, answer).await;
    }
    let told = tell(format, number, &reply, read, write).await;
    if told.is_err() {
        shared.dropped.send_modify(|dropped| *dropped += 1);
    }
    told
}

fn has_key(request: &Request, key: &str) -> bool {
    let is = |name: &str, want: &str| request.headers.get(name).is_some_and(|value| value == want);
    is("authorization", &format!("Bearer {key}"))
        || is("x-api-key", key)
        || is("x-goog-api-key", key)
}

fn listing(path: &str, models: &[String]) -> Option<Value> {
    let path = path.split('?').next().unwrap_or_default();
    let rows = |field: &str, prefix: &str| -> Vec<Value> {
        models.iter().map(|name| json!({field: format!("{prefix}{name}")})).collect()
    };
    match path {
        "/v1/models" => Some(json!({"object": "list", "data": rows("id", "")})),
        "/v1beta/models" => Some(json!({"models": rows("name", "models/")})),
        "/api/tags" => Some(json!({"models": rows("name", "")})),
        _ => None,
    }
}

fn json_answer(status: u16, body: &Value) -> Bare {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Bare { status, headers, body: body.to_string().into_bytes() }
}

async fn bare(write: &mut OwnedWriteHalf, answer: &Bare) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", answer.body.len()));
    write.write_all(head.as_bytes()).await?;
    write.write_all(&answer.body).await?;
    write.shutdown().await
}

/// An error where the client went away in the middle.
async fn tell(
    format: Format,
    number: usize,
    reply: &Reply,
    read: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let kind = if format == Format::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    write.write_all(head.as_bytes()).await?;
    let mut speaker = Speaker::new(format, number, reply);
    chunk(write, &speaker.begin()).await?;
    for step in &reply.steps {
        match step {
            Step::Text(text) => chunk(write, &speaker.text(text)).await?,
            Step::Reasoning(text) => chunk(write, &speaker.reasoning(text)).await?,
            Step::Call { name, arguments } => chunk(write, &speaker.call(name, arguments)).await?,
            Step::Wait(pause) => still_there(read, tokio::time::sleep(*pause)).await?,
            Step::Hold(gate) => still_there(read, gate.passed()).await?,
            Step::Error { kind, message } => {
                chunk(write, &speaker.error(kind, message)).await?;
                return end(write).await;
            }
            Step::Drop => return Ok(()),
            Step::End => return end(write).await,
        }
    }
    chunk(write, &speaker.end()).await?;
    end(write).await
}

async fn still_there(
    read: &mut BufReader<OwnedReadHalf>,
    pause: impl Future<Output = ()>,
) -> io::Result<()> {
    let gone = async {
        let mut byte = [0];
        // A client sends nothing more; whatever comes, it has hung up.
        let _ = read.read(&mut byte).await;
    };
    tokio::select! {
        biased;
        () = pause => Ok(()),
        () = gone => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

async fn chunk(write: &mut OwnedWriteHalf, events: &[String]) -> io::Result<()> {
    for event in events {
        let framed = format!("{:x}\r\n{event}\r\n", event.len());
        write.write_all(framed.as_bytes()).await?;
    }
    Ok(())
}

async fn end(write: &mut OwnedWriteHalf) -> io::Result<()> {
    write.write_all(b"0\r\n\r\n").await?;
    write.shutdown().await
}
