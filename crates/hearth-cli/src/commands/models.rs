//! `hearth models`: what can be picked, fetched and found.

use crate::access::Reach;
use crate::args::Models;
use crate::terminal::{Failure, print, print_json, print_rows, warn, watched};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::api::models::{LocalModelRow, PullProgress};
use hearth_protocol::api::system::Signal;
use std::io::Write;

pub(crate) async fn run(reach: &Reach, command: Models, json: bool) -> Result<(), Failure> {
    match command {
        Models::List => {
            let engine = reach.read().await?;
            let rows = api::models::list(&engine).await?;
            print_rows(json, &rows, |row| {
                let mark = if row.default { "*" } else { " " };
                let state = row.problem.clone().unwrap_or_else(|| "ready".to_owned());
                vec![format!("{mark} {}", row.id), format!("{} tokens", row.window), state]
            })
        }
        Models::Status => {
            let engine = reach.read().await?;
            print_rows(json, &api::models::local(&engine).await?, local_columns)
        }
        Models::Detect => {
            let engine = reach.read().await?;
            let rows = api::models::detect(&engine).await?;
            print_rows(json, &rows, |row| {
                let state = if row.configured { "configured" } else { "not in hearth.toml" };
                vec![
                    row.name.clone(),
                    row.base_url.clone(),
                    row.models.join(", "),
                    state.to_owned(),
                ]
            })
        }
        Models::Pull { id } => pull(reach, id, json).await,
        Models::Import { id, file } => {
            let path = std::path::absolute(&file)?.display().to_string();
            let row: LocalModelRow = serde_json::from_value(
                reach.call(Call::ImportModel { id, path }, &mut |_| {}).await?,
            )?;
            print_rows(json, &[row], local_columns)
        }
    }
}

fn local_columns(row: &LocalModelRow) -> Vec<String> {
    let state = match (row.ready, row.have_bytes) {
        (true, _) => format!("ready, from {}", row.source.clone().unwrap_or_default()),
        (false, 0) => "not fetched".to_owned(),
        (false, have) => format!("{} of {} fetched", size(have), size(row.bytes)),
    };
    vec![
        row.id.clone(),
        row.name.clone(),
        size(row.bytes),
        state,
        row.problem.clone().unwrap_or_default(),
    ]
}

async fn pull(reach: &Reach, id: String, json: bool) -> Result<(), Failure> {
    let bar = watched();
    let mut last = String::new();
    let mut tell = |signal: Signal| {
        let Signal::Pull(progress) = signal else { return };
        if json {
            // A pipe that is closed shows itself when the result is printed.
            let _ = print_json(&progress);
        } else if bar {
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", line(&progress));
        } else if progress.state != last {
            warn(&line(&progress));
        }
        last.clone_from(&progress.state);
    };
    let result = reach.call(Call::Pull { id: id.clone() }, &mut tell).await;
    if bar && !json {
        let _ = writeln!(std::io::stderr());
    }
    result?;
    if json { Ok(()) } else { print(&format!("{id} is ready\n")) }
}

fn line(progress: &PullProgress) -> String {
    let PullProgress { source, file, done_bytes, total_bytes, bytes_per_s, state, problem, .. } =
        progress;
    match (state.as_str(), problem) {
        (_, Some(problem)) => problem.clone(),
        ("fetching", None) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a speed for people"
            )]
            let speed = size(*bytes_per_s as u64);
            let percent = (done_bytes * 100).checked_div(*total_bytes).unwrap_or_default();
            format!("{file} from {source}: {percent} % of {}, {speed}/s", size(*total_bytes))
        }
        (state, None) => format!("{file} from {source}: {state}"),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{:02} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 10_000_000),
    }
}
