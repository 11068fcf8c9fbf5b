//! Time from a person's message to the first byte of the model request, with a workspace at its cap of
//! 60,000 characters, beside a bare POST of the same body in the same run.
//!
//! `cargo bench --workspace --bench first_byte` prints both and their ratio. Aim: p50 at most 5 ms, p95 at
//! most 15 ms on an idle machine. What memory knows of the message is not looked for (that is another measure).

use hearth_engine::{Access, Engine, Heard, OpenOptions, Quiet, api};
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{EventBody, MessageId, Origin, SessionKey};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;
const WARM: usize = 10;
const REPLY: &str = "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":\
    {\"content\":\"OK.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,\
    \"total_tokens\":10}}\n\ndata: [DONE]\n\n";

/// A request as it came in.
struct Came {
    first_byte: Instant,
    body: Vec<u8>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure())
}

async fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (sender, came) = channel();
    std::thread::spawn(move || serve(&listener, &sender));
    let home = tempfile::tempdir()?;
    write_home(home.path(), &format!("http://{address}/v1"))?;
    let options = OpenOptions {
        home: Some(home.path().to_path_buf()),
        host: Arc::new(Quiet),
        access: Access::Own,
    };
    let engine = Engine::open(options).await?;
    let (mut times, body) = turns(&engine, &came).await?;
    let mut bare = posts(&format!("http://{address}/v1/chat/completions"), &body, &came).await?;
    engine.close().await;
    report(&mut times, &mut bare, body.len());
    Ok(())
}

/// A full workspace: three files at their cap of 20,000 characters.
fn write_home(home: &Path, url: &str) -> std::io::Result<()> {
    let workspace = home.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    for name in ["AGENTS.md", "SOUL.md", "MEMORY.md"] {
        let text: String = (0..)
            .map(|n| format!("- {name} line {n}: keep the lamp lit, 灯要亮着。\n"))
            .take(600)
            .collect();
        std::fs::write(workspace.join(name), text.chars().take(20_000).collect::<String>())?;
    }
    let settings = format!(
        "[model]\ndefault = \"work/m\"\n[[providers]]\nid = \"work\"\nbase_url = \"{url}\"\n\
         models = [{{ id = \"m\", window = 400000 }}]\n[memory]\nrecall = false\n[budget]\ndaily_tokens = 0\nmonthly_tokens = 0\n"
    );
    std::fs::write(home.join("hearth.toml"), settings)
}

async fn turns(
    engine: &Engine,
    came: &Receiver<Came>,
) -> Result<(Vec<Duration>, Vec<u8>), Box<dyn std::error::Error>> {
    let (mut times, mut body) = (Vec::new(), Vec::new());
    let mut listener = engine.listen();
    for round in 0..WARM + ROUNDS {
        // A session of its own: a history that grows would measure something else.
        let request = Submit {
            session: SessionKey::parse(&format!("assistant:bench-{round}"))?,
            text: format!("message {round}"),
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
        while let Some(heard) = listener.next().await {
            let Heard::Signal(Signal::Turn(event)) = heard else { continue };
            if event.turn == turn && matches!(event.body, EventBody::Done { .. }) {
                break;
            }
        }
        let request = came.recv()?;
        if round >= WARM {
            times.push(request.first_byte - begun);
        }
        body = request.body;
    }
    Ok((times, body))
}

async fn posts(
    url: &str,
    body: &[u8],
    came: &Receiver<Came>,
) -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let body = body.to_vec();
        let begun = Instant::now();
        let response =
            client.post(url).header("content-type", "application/json").body(body).send().await?;
        response.bytes().await?;
        times.push(came.recv()?.first_byte - begun);
    }
    Ok(times)
}

fn serve(listener: &TcpListener, sender: &Sender<Came>) {
    for stream in listener.incoming().flatten() {
        if let Ok(came) = answer(stream)
            && sender.send(came).is_err()
        {
            return;
        }
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<Came> {
    let mut bytes = vec![0; 1 << 16];
    let mut all = Vec::new();
    let read = stream.read(&mut bytes)?;
    let first_byte = Instant::now();
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
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{REPLY}",
        REPLY.len()
    )?;
    Ok(Came { first_byte, body: all.split_off(start) })
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
fn report(times: &mut [Duration], bare: &mut [Duration], bytes: usize) {
    times.sort();
    bare.sort();
    let at = |times: &[Duration], percent: usize| {
        times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3
    };
    println!("body {bytes} bytes, {ROUNDS} rounds");
    println!("message to first byte: p50 {:.2} ms, p95 {:.2} ms", at(times, 50), at(times, 95));
    println!("bare POST:             p50 {:.2} ms, p95 {:.2} ms", at(bare, 50), at(bare, 95));
    println!(
        "ratio:                 p50 {:.1}, p95 {:.1}",
        at(times, 50) / at(bare, 50),
        at(times, 95) / at(bare, 95)
    );
}
