//! How soon a daily log that another program saves is found: `cargo run -p hearth-tests --example saved_file -- [TIMES]`.
//!
//! Prints the figures as JSON and fails where a save is found later than after two seconds.
#![allow(clippy::print_stdout, reason = "a command says what it measured")]

use anyhow::{Context, Result, ensure};
use hearth_engine::{Engine, api};
use hearth_protocol::api::memory::MemoryQuery;
use hearth_tests::{FORMATS, TestHome};
use std::time::{Duration, Instant};

const LOGS: usize = 365;
const LIMIT: Duration = Duration::from_secs(2);
const LOST: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    let times = std::env::args().nth(1).map(|text| text.parse()).transpose()?.unwrap_or(20);
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await?;
    let folder = home.path("workspace/memory");
    std::fs::create_dir_all(&folder)?;
    for day in 0..LOGS {
        let (month, day) = (day / 31 + 1, day % 31 + 1);
        let log: String =
            (0..20).map(|n| format!("- 10:{n:02} note {n} of the harbour\n")).collect();
        std::fs::write(folder.join(format!("2025-{month:02}-{day:02}.md")), log)?;
    }
    let engine = home.open().await.map_err(|error| anyhow::anyhow!(error.message))?;
    found(&engine, "harbour").await?;
    let mut took = Vec::new();
    for n in 0..times {
        let word = format!("quartz{n}x");
        let path = folder.join("2026-01-01.md");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let begun = Instant::now();
        std::fs::write(&path, format!("{before}- 11:00 the {word} was found\n"))?;
        while !found(&engine, &word).await? {
            ensure!(begun.elapsed() < LOST, "{word} is not found at all");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        took.push(begun.elapsed());
        // The next save comes at another moment of the watch.
        tokio::time::sleep(Duration::from_millis(137 * (n % 7))).await;
    }
    engine.close().await;
    took.sort_unstable();
    let most = *took.last().context("no save")?;
    let figures = serde_json::json!({
        "saves": took.len(), "logs": LOGS,
        "median_ms": took[took.len() / 2].as_millis(), "most_ms": most.as_millis(),
    });
    println!("{figures:#}");
    ensure!(most <= LIMIT, "a save was found after {most:?}");
    Ok(())
}

async fn found(engine: &Engine, word: &str) -> Result<bool> {
    let query = MemoryQuery { query: word.to_owned(), ..MemoryQuery::default() };
    let answer = api::memory::search(engine, query).await;
    let hits = answer.map_err(|error| anyhow::anyhow!(error.message))?.hits;
    Ok(hits.iter().any(|hit| hit.text.contains(word)))
}
