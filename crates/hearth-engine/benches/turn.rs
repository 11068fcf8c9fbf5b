//! What Hearth itself costs in a turn, beside a model server that answers at once: a turn with one reply, a
//! turn with five tool calls, and one tool call, in a workspace with 10,000 notes.
//!
//! `cargo bench --workspace --bench turn` prints them. Aim: p95 of a turn's overhead at most 15 ms (the time
//! in which the server has the request is taken off), of a tool call's at most 2 ms, the tool's own work
//! included. What memory knows of the message is not looked for: that is another measure.

use hearth_engine::{Access, Engine, Heard, OpenOptions, Quiet, api};
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Event, EventBody, MessageId, Origin, SessionKey};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const WARM: usize = 10;
const NOTES: usize = 10_000;
const CALLS: usize = 5;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    tokio::runtime::Runtime::new()?.block_on(measure())
}

async fn measure() -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (sender, served) = channel();
    std::thread::spawn(move || serve(&listener, &sender));
    let home = tempfile::tempdir()?;
    write_home(home.path(), &format!("http://{address}/v1"))?;
    let options = OpenOptions {
        home: Some(home.path().to_path_buf()),
        host: Arc::new(Quiet),
        access: Access::Own,
    };
    let engine = Engine::open(options).await?;
    let mut plain = Vec::new();
    let mut with_tools = Vec::new();
    let mut calls = Vec::new();
    for round in 0..WARM + ROUNDS {
        let (time, _) = turn(&engine, &served, round, "hello", 1).await?;
        let (tool_time, events) = turn(&engine, &served, round, "use tools", 2).await?;
        if round >= WARM {
            plain.push(time);
            with_tools.push(tool_time);
            calls.push(per_call(&events));
        }
    }
    engine.close().await;
    report("turn of one reply, overhead", &mut plain);
    report("turn of five tool calls, overhead", &mut with_tools);
    report("one tool call, all in all", &mut calls);
    Ok(())
}

/// 10,000 notes in the daily logs of the last years.
fn write_home(home: &Path, url: &str) -> std::io::Result<()> {
    let memory = home.join("workspace/memory");
    std::fs::create_dir_all(&memory)?;
    for day in 0..NOTES / 100 {
        let notes: String = (0..100)
            .map(|n| format!("- 09:{:02} note {day}-{n}: the lamp was lit, 灯亮了。\n", n % 60))
            .collect();
        let name = format!("{}-{:02}-{:02}.md", 2020 + day / 300, 1 + day / 28 % 12, 1 + day % 28);
        std::fs::write(memory.join(name), notes)?;
    }
    let settings = format!(
        "[model]\ndefault = \"work/m\"\n[[providers]]\nid = \"work\"\nbase_url = \"{url}\"\n\
         models = [{{ id = \"m\", window = 128000 }}]\n[budget]\ndaily_tokens = 0\nmonthly_tokens = 0\n\
         [memory]\nembedding = \"off\"\nrecall = false\n"
    );
    std::fs::write(home.join("hearth.toml"), settings)
}

/// Runs a turn in a session of its own; returns its time without the server's.
async fn turn(
    engine: &Engine,
    served: &Receiver<Duration>,
    round: usize,
    text: &str,
    requests: usize,
) -> Result<(Duration, Vec<Event>), Failed> {
    let mut listener = engine.listen();
    let request = Submit {
        session: SessionKey::parse(&format!("assistant:bench-{requests}-{round}"))?,
        text: text.to_owned(),
        origin: Origin::Window,
        message_id: MessageId::new().0,
        attachments: Vec::new(),
        model: None,
        yes_to: Vec::new(),
    };
    let begun = Instant::now();
    let Submitted::Turn { turn } = api::chat::submit(engine, request).await? else {
        return Err("the message became no turn".into());
    };
    let mut events = Vec::new();
    while let Some(heard) = listener.next().await {
        let Heard::Signal(Signal::Turn(event)) = heard else { continue };
        if event.turn != turn {
            continue;
        }
        let done = matches!(event.body, EventBody::Done { .. });
        events.push(event);
        if done {
            break;
        }
    }
    let whole = begun.elapsed();
    let mut server = Duration::ZERO;
    for _ in 0..requests {
        server += served.recv()?;
    }
    Ok((whole.saturating_sub(server), events))
}

fn per_call(events: &[Event]) -> Duration {
    let started = events.iter().find(|e| matches!(e.body, EventBody::ToolStart { .. }));
    let ended = events.iter().rfind(|e| matches!(e.body, EventBody::ToolEnd { .. }));
    let (Some(started), Some(ended)) = (started, ended) else { return Duration::MAX };
    Duration::from_secs_f64((ended.at - started.at).max(0.0) / CALLS as f64)
}

fn serve(listener: &TcpListener, sender: &Sender<Duration>) {
    for stream in listener.incoming().flatten() {
        if let Ok(time) = answer(stream)
            && sender.send(time).is_err()
        {
            return;
        }
    }
}

/// Answers one request; returns how long it had it.
fn answer(mut stream: TcpStream) -> std::io::Result<Duration> {
    let mut bytes = vec![0; 1 << 16];
    let mut all = Vec::new();
    let read = stream.read(&mut bytes)?;
    let begun = Instant::now();
    all.extend_from_slice(&bytes[..read]);
    let (start, length) = loop {
        if let Some(found) = head(&all) {
            break found;
        }
        let read = stream.read(&mut bytes)?;
        all.extend_from_slice(&bytes[..read]);
    };
    while all.len() < start + length {
        let read = stream.read(&mut bytes)?;
        all.extend_from_slice(&bytes[..read]);
    }
    let body = String::from_utf8_lossy(&all[start..]);
    let reply = if body.contains("use tools") && !body.contains("\"role\":\"tool\"") {
        tool_calls()
    } else {
        chunk("{\"content\":\"OK.\"}", "stop")
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
        reply.len()
    )?;
    Ok(begun.elapsed())
}

fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta},\
         \"finish_reason\":\"{finish}\"}}],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":1,\
         \"total_tokens\":10}}}}\n\ndata: [DONE]\n\n"
    )
}

fn tool_calls() -> String {
    let call = |n: usize| {
        format!(
            "{{\"index\":{n},\"id\":\"call_{n}\",\"type\":\"function\",\"function\":{{\"name\":\"read_file\",\
             \"arguments\":\"{{\\\"path\\\":\\\"SOUL.md\\\",\\\"from\\\":{}}}\"}}}}",
            n + 1
        )
    };
    let calls: Vec<String> = (0..CALLS).map(call).collect();
    chunk(&format!("{{\"tool_calls\":[{}]}}", calls.join(",")), "tool_calls")
}

/// Where the body starts and how long it is, once the head is whole.
fn head(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())?;
    Some((end, length))
}

#[expect(clippy::print_stdout, reason = "this is what a benchmark is for")]
fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    println!("{what}: p50 {:.2} ms, p95 {:.2} ms", at(50), at(95));
}
