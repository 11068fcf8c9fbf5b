//! `hearth memory add|list|get|correct|forget|restore|history`: the entries.

use crate::access::Reach;
use crate::args::Memory;
use crate::terminal::{Failure, print, print_json, print_list, print_rows, warn};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::api::entries::{EntryAdd, EntryForgotten, EntryRow};
use serde_json::json;
use std::io::Read as _;

pub(crate) async fn run(reach: &Reach, command: Memory, json: bool) -> Result<(), Failure> {
    match command {
        Memory::Add { text, title, kind } => {
            let add = EntryAdd { text: given(text)?, title, kind: Some(kind) };
            written(reach, Call::AddEntry(add), json).await
        }
        Memory::Correct { id, text } => {
            written(reach, Call::CorrectEntry { id, text: given(text)? }, json).await
        }
        Memory::Restore { id } => written(reach, Call::BringBackEntry { id }, json).await,
        Memory::Forget { id, erase } => forget(reach, id, erase, json).await,
        Memory::Get { place } => get(reach, &place, json).await,
        Memory::History { id } => history(reach, id, json).await,
        _ => {
            let engine = reach.read().await?;
            for file in ["MEMORY.md", "USER.md"] {
                // A list that lacks them must not look whole.
                if let Err(error) = api::files::read(&engine, file.to_owned()).await {
                    warn(&error.message);
                }
            }
            rows(json, &api::entries::list(&engine).await?)
        }
    }
}

/// A text, or what standard input says where it is `-`.
fn given(text: String) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text);
    }
    let mut read = String::new();
    std::io::stdin().lock().read_to_string(&mut read)?;
    Ok(read)
}

fn rows(json: bool, rows: &[EntryRow]) -> Result<(), Failure> {
    print_list(json, rows, "Nothing is remembered yet.", |row| {
        let place = format!("{}#L{}-L{}", row.path, row.lines.0, row.lines.1);
        vec![row.id.clone(), row.kind.clone(), row.title.clone(), row.status.clone(), place]
    })
}

async fn written(reach: &Reach, call: Call, json: bool) -> Result<(), Failure> {
    let row: EntryRow = serde_json::from_value(reach.call(call, &mut |_| {}).await?)?;
    match json {
        true => print_json(&row),
        false => print(&format!("{} saved in {} at line {}\n", row.id, row.path, row.lines.0)),
    }
}

async fn forget(reach: &Reach, id: String, erase: bool, json: bool) -> Result<(), Failure> {
    let call = Call::ForgetEntry { id, erase };
    let done: EntryForgotten = serde_json::from_value(reach.call(call, &mut |_| {}).await?)?;
    if json {
        return print_json(&done);
    }
    let back = match done.until {
        Some(_) => format!("`hearth memory restore {}` brings it back within 30 days", done.id),
        None => "it cannot be brought back".to_owned(),
    };
    print(&format!("{} is forgotten; {back}\n", done.id))
}

/// `PATH`, or `PATH:FROM-TO`, or `PATH:LINE`.
fn place(text: &str) -> (String, Option<(u32, u32)>) {
    let split = text.rsplit_once(':').and_then(|(path, lines)| {
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        Some((path.to_owned(), Some((from.parse().ok()?, to.parse().ok()?))))
    });
    split.unwrap_or_else(|| (text.to_owned(), None))
}

async fn get(reach: &Reach, wanted: &str, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let (path, lines) = place(wanted);
    let entries = api::entries::at(&engine, path.clone(), lines).await?;
    if json {
        return rows(true, &entries);
    }
    let file = api::files::read(&engine, path.clone()).await?;
    let held = file.text.lines().count();
    if let Some((from, _)) = lines
        && usize::try_from(from).is_ok_and(|from| from > held)
    {
        return Err(Failure::said(format!("{path} has only {held} lines")));
    }
    let (from, to) = lines.unwrap_or((1, u32::MAX));
    let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
    let take = usize::try_from(to.saturating_sub(from).saturating_add(1)).unwrap_or(usize::MAX);
    let text: String = file.text.split_inclusive('\n').skip(skip).take(take).collect();
    print(if text.ends_with('\n') { text } else { text + "\n" }.as_str())
}

async fn history(reach: &Reach, id: String, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let view = api::entries::view(&engine, id.clone()).await?;
    if view.history.is_empty() {
        warn(&format!(
            "{id} was written by hand or by another program: nothing else is known of it"
        ));
    }
    if json {
        for event in &view.history {
            print_json(&json!({
                "id": event.entry, "change": event.change, "at": event.at, "day": event.day,
                "path": event.path, "title": event.title, "text": event.text, "other": event.other,
                "session": event.session, "turn": event.turn, "author": event.author,
                "why": event.why,
            }))?;
        }
        return Ok(());
    }
    print_rows(false, &view.history, |event| {
        let change = format!("{:?}", event.change).to_lowercase();
        let other = event.other.clone().unwrap_or_default();
        vec![
            engine.local_time(event.at),
            change,
            event.text.replace('\n', " "),
            other,
            event.why.clone(),
        ]
    })
}
