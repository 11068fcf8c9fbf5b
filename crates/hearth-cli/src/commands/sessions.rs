//! `hearth sessions`: list, show, export, import.

use crate::access::Reach;
use crate::args::Sessions;
use crate::terminal::{Failure, input, print, print_json, print_rows, text};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::{Message, SessionKey};
use serde_json::json;
use std::path::Path;

pub(crate) async fn run(reach: &Reach, command: Sessions, json: bool) -> Result<(), Failure> {
    match command {
        Sessions::List => list(reach, json).await,
        Sessions::Show { key } => show(reach, key, json).await,
        Sessions::Export { key } => {
            let engine = reach.read().await?;
            let messages = api::sessions::messages(&engine, key).await?;
            messages.iter().try_for_each(print_json)
        }
        Sessions::Import { file, session } => import(reach, &file, session, json).await,
    }
}

async fn list(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::sessions::list(&engine).await?;
    print_rows(json, &rows, |row| {
        let turns = format!("{} turns", row.turns);
        vec![row.key.to_string(), turns, engine.local_time(row.updated_at), row.title.clone()]
    })
}

async fn show(reach: &Reach, key: SessionKey, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::sessions::rows(&engine, key).await?;
    if json {
        return rows.iter().try_for_each(print_json);
    }
    for row in rows {
        let role = format!("{:?}", row.role).to_lowercase();
        let calls =
            row.tool_calls.iter().map(|call| format!("\n[{}]", call.name)).collect::<String>();
        print(&format!(
            "{role} · {}\n{}{calls}\n\n",
            engine.local_time(row.at),
            row.text.trim_end()
        ))?;
    }
    Ok(())
}

async fn import(
    reach: &Reach,
    file: &Path,
    session: Option<SessionKey>,
    json: bool,
) -> Result<(), Failure> {
    let (place, content) = match file.as_os_str().to_str() {
        Some("-") => ("standard input".to_owned(), input()?),
        _ => {
            let place = file.display().to_string();
            let bytes = std::fs::read(file)
                .map_err(|error| Failure::said(format!("{place} cannot be read: {error}")))?;
            let content = text(&place, bytes)?;
            (place, content)
        }
    };
    let mut messages = Vec::new();
    for (number, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let message: Message = serde_json::from_str(line).map_err(|error| {
            Failure::said(format!(
                "{place} line {} is no message as `hearth sessions export` writes them: {error}. \
                 Nothing was imported",
                number + 1
            ))
        })?;
        messages.push(message);
    }
    if messages.is_empty() {
        let what = format!("{place} holds no messages. Give what `hearth sessions export` wrote");
        return Err(Failure::said(what));
    }
    let count = messages.len();
    let session = session.unwrap_or_else(api::sessions::new_key);
    reach.call(Call::Import { session: session.clone(), messages }, &mut |_| {}).await?;
    match json {
        true => print_json(&json!({ "session": session, "messages": count })),
        false => print(&format!("{count} messages are in {session} now\n")),
    }
}
