//! One side of `bench/embed/compare.py`: embeds the lines of a file and says how long it took.
//!
//! `speed MODEL_FOLDER LINES_FILE`: one JSON object on standard output, vectors included.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::path::Path;
use std::time::Instant;

use hearth_embed::{Embedder, Kind};

/// Processor time of this process so far; 0 where the system does not tell.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |at: usize| after.split_whitespace().nth(at).and_then(|n| n.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// Kilobytes of this process that are its own, mapped files apart; 0 where the system does not tell.
fn private_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = &arguments[..] else {
        println!("usage: speed MODEL_FOLDER LINES_FILE");
        return;
    };
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let embedder = Embedder::new(Path::new(folder));
    let before = private_kb();
    // Loading the model and the first pages of the file are not measured.
    embedder.embed(Kind::Passage, &lines[..lines.len().min(8)]).unwrap();
    let (begun, used) = (Instant::now(), processor_seconds());
    let vectors = embedder.embed(Kind::Passage, &lines).unwrap();
    let (seconds, used) = (begun.elapsed().as_secs_f64(), processor_seconds() - used);
    let held = private_kb().saturating_sub(before);
    let threads =
        std::thread::available_parallelism().map_or(1, |n| n.get().saturating_sub(1).max(1));
    println!(
        "{}",
        serde_json::json!({
            "seconds": seconds, "cpu": used, "threads": threads, "private_kb": held, "vectors": vectors
        })
    );
}
