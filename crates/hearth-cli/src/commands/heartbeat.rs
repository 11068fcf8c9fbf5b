//! `hearth heartbeat`: the items of HEARTBEAT.md, and a beat now.

use crate::access::Reach;
use crate::args::Heartbeat;
use crate::terminal::{Failure, print, print_json, print_list, warn};
use hearth_engine::Engine;
use hearth_engine::api::{self, heartbeat::RunNow};
use hearth_engine::door::Call;
use hearth_protocol::api::files::FileProblem;
use hearth_protocol::api::heartbeat::{BeatDecision, HeartbeatItem, HeartbeatRun, HeartbeatStatus};
use hearth_protocol::{ErrorCode, WireError};
use serde::Serialize;
use serde_json::Value;

pub(crate) async fn run(reach: &Reach, command: Heartbeat, json: bool) -> Result<(), Failure> {
    match command {
        Heartbeat::List => list(reach, json).await,
        Heartbeat::Run { dry_run, at, item } => {
            let at = at.map(|text| moment(reach, &text)).transpose()?;
            beat(reach, RunNow { dry_run, item, at }, json).await
        }
        Heartbeat::Log { n } => log(reach, n, json).await,
    }
}

/// A time as the person writes it, on the clock of the home.
fn moment(reach: &Reach, text: &str) -> Result<i64, Failure> {
    let wrong = || {
        let hint = "Write it as 2026-12-01T09:00:00Z, or as 2026-12-01 09:00 on your clock.";
        let message = format!("{text:?} is no time");
        Failure::Misused(WireError::new(ErrorCode::InvalidRequest, message, hint))
    };
    hearth_schedule::moment(text, reach.zone()).ok_or_else(wrong)
}

async fn list(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let status = api::heartbeat::status(&engine).await?;
    let problems = status.problems.clone();
    rests(&engine, status, json)?;
    let rows = api::heartbeat::list(&engine).await?;
    print_list(json, &rows, "HEARTBEAT.md holds nothing to do.", |row: &HeartbeatItem| {
        let when = match (&row.error, &row.paused, row.next.first()) {
            (Some(error), ..) => format!("line {}: {error}", place(row, error, &problems)),
            (None, Some(why), _) => format!("rests: {why}; run it by hand to wake it"),
            (None, None, Some(next)) => format!("next {}", engine.local_time(*next)),
            (None, None, None) => "never again".to_owned(),
        };
        vec![row.item.clone(), word(&row.kind), row.schedule.clone(), row.name.clone(), when]
    })?;
    // What the rows do not say: keys that nobody knows, comments without an end, times that are past.
    let said =
        |problem: &FileProblem| rows.iter().any(|row| row.error.as_ref() == Some(&problem.message));
    for FileProblem { line, message } in problems.iter().filter(|problem| !said(problem)) {
        warn(&format!("HEARTBEAT.md line {line}: {message}"));
    }
    Ok(())
}

/// The line of what is wrong with an item, not the one where it begins.
fn place(row: &HeartbeatItem, error: &str, problems: &[FileProblem]) -> u32 {
    let own =
        problems.iter().filter(|problem| problem.line >= row.line && problem.message == error);
    own.map(|problem| problem.line).min().unwrap_or(row.line)
}

/// Says that nothing of it runs now, and why: the rows alone look as if it did.
fn rests(engine: &Engine, status: HeartbeatStatus, json: bool) -> Result<(), Failure> {
    let paused = status.paused_until.map(|until| {
        format!("The heartbeat is paused until {}; then it goes on.", engine.local_time(until))
    });
    let off = status.off_because.map(|why| format!("The heartbeat is off: {why}."));
    match off.or(paused) {
        None => Ok(()),
        // Rows are for programs: they stay rows.
        Some(line) if json => {
            warn(&line);
            Ok(())
        }
        Some(line) => print(&format!("{line}\n")),
    }
}

async fn beat(reach: &Reach, ask: RunNow, json: bool) -> Result<(), Failure> {
    let run: HeartbeatRun = if ask.dry_run {
        api::heartbeat::run(&reach.read().await?, ask).await?
    } else {
        let call = Call::Beat { item: ask.item, at: ask.at };
        serde_json::from_value(reach.call(call, &mut |_| {}).await?)?
    };
    shown(&run, json)
}

/// What a run did; one that failed is a failure of the command.
pub(crate) fn shown(run: &HeartbeatRun, json: bool) -> Result<(), Failure> {
    if json {
        print_json(run)?;
    }
    if run.decision == BeatDecision::Failed {
        return Err(Failure::said(format!("it failed: {}", run.why)));
    }
    if json {
        return Ok(());
    }
    let mut text = format!("{}: {}\n", word(&run.decision), run.why);
    let said = [run.title.as_str(), run.body.as_str()];
    let said = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" — ");
    if !said.is_empty() {
        text.push_str(&said);
        text.push('\n');
    }
    print(&text)
}

async fn log(reach: &Reach, n: u32, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::heartbeat::log(&engine, n).await?;
    print_list(json, &rows, "It has not beaten yet.", |row| {
        vec![engine.local_time(row.at), row.name.clone(), word(&row.decision), row.why.clone()]
    })
}

/// The wire name of a word.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}
