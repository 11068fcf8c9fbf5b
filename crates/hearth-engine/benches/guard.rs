//! What the guard costs: one judgement with its policy built from the settings, links followed, and one
//! durable entry of the audit log.
//!
//! `cargo bench --workspace --bench guard` prints both. Aim: 0.5 ms a call, 2 ms an entry.

use hearth_engine::{Access, Engine, OpenOptions, Quiet, api};
use hearth_protocol::api::guard::Explain;
use hearth_store::{AuditRow, Store};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    tokio::runtime::Runtime::new()?.block_on(measure())
}

async fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let home = tempfile::tempdir()?;
    let options = OpenOptions {
        home: Some(home.path().to_path_buf()),
        host: Arc::new(Quiet),
        access: Access::Own,
    };
    let engine = Engine::open(options).await?;
    let calls = [
        ("read_file", json!({"path": "memory/2026-01-01.md"})),
        ("write_file", json!({"path": "notes/a/b/c.md", "content": "x".repeat(10_000)})),
        ("exec", json!({"command": "git status --short && grep -rn 'a|b' notes | head -3"})),
        ("web_fetch", json!({"url": "https://example.org/a?b=c"})),
    ];
    for (tool, arguments) in calls {
        let ask = Explain {
            tool: tool.to_owned(),
            arguments,
            allow: None,
            shell: None,
            tainted: true,
            session: None,
            said: None,
        };
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            api::guard::explain(&engine, &ask).await?;
            times.push(begun.elapsed());
        }
        report(&format!("judge {tool}"), &mut times);
    }
    engine.close().await;
    let store = Store::open(&home.path().join("audit.db")).await?;
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        store.append_audit(|head, _| row(head.map_or(0, |head| head.seq))).await?;
        times.push(begun.elapsed());
    }
    report("audit entry", &mut times);
    store.close().await;
    Ok(())
}

fn row(last: i64) -> AuditRow {
    let text = |text: &str| text.to_owned();
    AuditRow {
        seq: last + 1,
        chain: 1,
        at: 1,
        kind: text("tool_call"),
        session: text("assistant:main"),
        turn: text("t"),
        body: "x".repeat(300),
        prev: "0".repeat(64),
        hash: "0".repeat(64),
    }
}

#[expect(clippy::print_stdout, reason = "a measurement for people")]
fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!("{what:<18} p50 {:?}  p95 {:?}", at(50), at(95));
}
