//! `hearth cron`: jobs, their ledger, and when a schedule fires.

use super::heartbeat::{shown, word};
use crate::access::Reach;
use crate::args::Cron;
use crate::terminal::{Failure, print, print_json, print_list, print_rows};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::ErrorCode;
use hearth_protocol::api::heartbeat::{
    CronAdd, HeartbeatRun, JobAction, JobRow, JobSource, MissedPolicy,
};
use serde_json::{Value, json};

pub(crate) async fn run(reach: &Reach, command: Cron, json: bool) -> Result<(), Failure> {
    match command {
        Cron::Add { schedule, text, name, zone, action, missed } => {
            let request = CronAdd {
                name,
                schedule,
                zone,
                action: action.map_or(JobAction::Remind, |word| read(&word)),
                text,
                missed: missed.map(|word| read::<MissedPolicy>(&word)),
                source: JobSource::Cli,
            };
            add(reach, request, json).await
        }
        Cron::List => list(reach, json).await,
        Cron::Remove { id } => {
            reach.call(Call::RemoveJob { id: id.clone() }, &mut |_| {}).await?;
            match json {
                true => print_json(&json!({ "removed": id })),
                false => print(&format!("{id} is removed\n")),
            }
        }
        Cron::Run { id } => {
            let ran = reach.call(Call::RunJob { id }, &mut |_| {}).await?;
            shown(&serde_json::from_value::<HeartbeatRun>(ran)?, json)
        }
        Cron::History { id } => history(reach, id, json).await,
        Cron::Next { schedule, zone, from, to, n } => {
            let ask = api::cron::Next { schedule, zone, from, to, count: n };
            let times = api::cron::next(&ask).map_err(|error| match error.code {
                // It can be read, and there is no such time any more.
                ErrorCode::NotFound => Failure::Refused(error),
                _ => Failure::Misused(error),
            })?;
            print_rows(json, &times, |time| vec![time.local.clone(), time.at_utc.clone()])
        }
    }
}

/// A word that the parser of the command line has checked.
fn read<T: serde::de::DeserializeOwned + Default>(word: &str) -> T {
    serde_json::from_value(Value::String(word.to_owned())).unwrap_or_default()
}

async fn add(reach: &Reach, request: CronAdd, json: bool) -> Result<(), Failure> {
    let row: JobRow =
        serde_json::from_value(reach.call(Call::AddJob(request), &mut |_| {}).await?)?;
    if json {
        return print_json(&row);
    }
    let times: Vec<&str> = row.next.iter().map(|next| next.local.as_str()).collect();
    print(&format!("{} “{}”: {}\n", row.id, row.name, times.join(", ")))?;
    print("Jobs run while the Hearth window or `hearth serve` runs.\n")
}

async fn list(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::cron::list(&engine).await?;
    print_list(json, &rows, "Nothing is planned.", |row| {
        let next = match row.next.first() {
            Some(next) => format!("next {}", next.local),
            None => format!("{} {}", word(&row.state), row.why),
        };
        vec![row.id.clone(), row.name.clone(), row.schedule.clone(), word(&row.action), next]
    })
}

async fn history(reach: &Reach, id: Option<String>, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::cron::history(&engine, id).await?;
    print_list(json, &rows, "No slot has come yet.", |row| {
        let until =
            row.until.map(|until| format!(" – {} ({})", engine.local_time(until), row.count));
        let when = format!("{}{}", engine.local_time(row.slot), until.unwrap_or_default());
        vec![when, row.name.clone(), word(&row.state), row.why.clone()]
    })
}
