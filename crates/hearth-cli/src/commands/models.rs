//! `hearth models`: what can be picked, fetched and found.

use crate::access::Reach;
use crate::args::Models;
use crate::terminal::{Failure, print, print_json, print_list, print_rows, redraw, warn, watched};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::api::models::{LocalModelRow, PullProgress};
use hearth_protocol::api::system::Signal;

pub(crate) async fn run(reach: &Reach, command: Models, json: bool) -> Result<(), Failure> {
    match command {
        Models::List => {
            let engine = reach.read().await?;
            let rows = api::models::list(&engine).await?;
            print_rows(json, &rows, |row| {
                let mark = if row.default { "*" } else { " " };
                let state = row.problem.clone().unwrap_or_else(|| "ready".to_owned());
                let window = format!("{} tokens", row.window);
                vec![format!("{mark} {}", row.id), row.name.clone(), window, state]
            })
        }
        Models::Status => {
            let engine = reach.read().await?;
            print_rows(json, &api::models::local(&engine).await?, local_columns)
        }
        Models::Detect => {
            let engine = reach.read().await?;
            let rows = api::models::detect(&engine).await?;
            let none = "No model server was found on this machine.";
            print_list(json, &rows, none, |row| {
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
    let bar = watched() && !json;
    let mut last = String::new();
    let mut ready = None;
    let mut tell = |progress: PullProgress| {
        if json {
            // A pipe that is closed shows itself when the result is printed.
            let _ = print_json(&progress);
        } else if progress.state == "connecting" {
            if bar {
                redraw("");
            }
            warn(&line(&progress));
        } else if bar {
            redraw(&bar_of(&progress));
        } else if progress.state != last && matches!(&*progress.state, "fetching" | "checking") {
            warn(&line(&progress));
        }
        last.clone_from(&progress.state);
        ready = Some(progress).filter(|progress| progress.state == "ready");
    };
    let mut signals = |signal: Signal| {
        if let Signal::Pull(progress) = signal {
            tell(progress);
        }
    };
    let result = reach.call(Call::Pull { id: id.clone() }, &mut signals).await;
    if bar {
        redraw("");
    }
    result?;
    let Some(PullProgress { file, source, .. }) = ready.filter(|_| !json) else { return Ok(()) };
    print(&format!("{id} is ready: {file}, from {source}\n"))
}

fn line(progress: &PullProgress) -> String {
    let PullProgress { source, file, total_bytes, state, problem, .. } = progress;
    match (state.as_str(), problem) {
        ("connecting", Some(problem)) => format!("{problem}; trying {file} from {source}"),
        ("connecting", None) => format!("trying {file} from {source}"),
        (_, Some(problem)) => problem.clone(),
        (state, None) => format!("{file} from {source}: {state} {}", size(*total_bytes)),
    }
}

/// Short, for a bar that wraps is not drawn over. File and source stand in the line before.
fn bar_of(progress: &PullProgress) -> String {
    let PullProgress { done_bytes, total_bytes, bytes_per_s, state, problem, .. } = progress;
    if state != "fetching" {
        return problem.clone().unwrap_or_else(|| state.clone());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a speed for people"
    )]
    let speed = *bytes_per_s as u64;
    let percent = (done_bytes * 100).checked_div(*total_bytes).unwrap_or_default();
    let filled = usize::try_from(percent / 5).unwrap_or_default().min(20);
    let bar = format!("[{}{}]", "#".repeat(filled), ".".repeat(20 - filled));
    let (done, total) = (size(*done_bytes), size(*total_bytes));
    let pace = if speed > 0 { format!(", {}/s", size(speed)) } else { String::new() };
    format!("{bar} {percent} %  {done} of {total}{pace}")
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{:02} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 10_000_000),
    }
}
