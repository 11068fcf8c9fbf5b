//! The long haul as a command: `cargo run -p hearth-tests --example long_haul -- [TURNS] [WINDOW]`.
//!
//! Prints the figures as JSON and fails where one misses its mark.
#![allow(clippy::print_stdout, reason = "a command says what it measured")]

use anyhow::{Result, ensure};
use hearth_tests::haul::haul;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let turns = arguments.next().transpose()?.unwrap_or(2_000);
    let window = arguments.next().transpose()?.unwrap_or(8_000);
    let report = haul(usize::try_from(turns)?, window).await?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    ensure!(report.compactions > 0, "nothing was compacted");
    let wrong = report.without_progress + report.refused + report.too_large + report.boundary_moved;
    ensure!(wrong == 0 && report.unfindable == 0, "something was lost or sent wrong");
    let answered = report.in_prompt + report.found;
    ensure!(answered * 100 >= report.planted * 98, "{answered} of {} facts", report.planted);
    let (early, late) = report.memory;
    ensure!(late * 10 <= early * 11, "memory grew from {early} to {late} KiB");
    Ok(())
}
