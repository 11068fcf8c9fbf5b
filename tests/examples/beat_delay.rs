//! What beats cost a person who asks something meanwhile: time to the first words of a reply.
//!
//! `cargo run -p hearth-tests --example beat_delay -- [ROUNDS]`
#![allow(clippy::print_stdout, reason = "a command says what it measured")]

use hearth_tests::delay::{measure, percentile};
use hearth_tests::{FORMATS, TestHome};
use std::time::Duration;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let (format, kind) = FORMATS[0];
    let home = TestHome::new(format, kind).await?;
    let engine = home.open().await.map_err(|error| anyhow::anyhow!(error.message))?;
    let waits = measure(&home, &engine, rounds).await?;
    for (name, waits) in [("alone", &waits.alone), ("beside beats", &waits.beside)] {
        let [middle, slow, most] = [50, 95, 100].map(|percent| milliseconds(waits, percent));
        println!("{name:13} p50 {middle:.2} ms, p95 {slow:.2} ms, at most {most:.2} ms");
    }
    let delay = milliseconds(&waits.beside, 100) - milliseconds(&waits.alone, 50);
    println!("the slowest beside beats came {delay:.2} ms after the middle one alone");
    engine.close().await;
    Ok(())
}

fn milliseconds(waits: &[Duration], percent: usize) -> f64 {
    percentile(waits, percent).as_secs_f64() * 1e3
}
