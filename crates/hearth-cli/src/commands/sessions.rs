//! `hearth sessions`: list, show, export, import.

use crate::access::Reach;
use crate::args::Sessions;
use crate::terminal::{Failure, input, print, print_json, print_lines, print_list, text};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::{SessionKey, WireError};
use std::path::Path;

pub(crate) async fn run(reach: &Reach, command: Sessions, json: bool) -> Result<(), Failure> {
    match command {
        Sessions::List => list(reach, json).await,
        Sessions::Show { key } => show(reach, key, json).await,
        Sessions::Export { key } => {
            let engine = reach.read().await?;
            print_lines(&api::sessions::export(&engine, key).await?)
        }
        Sessions::Import { file, session } => import(reach, &file, session, json).await,
    }
}

async fn list(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::sessions::list(&engine).await?;
    let none = "No conversation is stored yet. `hearth ask TEXT` begins one.";
    print_list(json, &rows, none, |row| {
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
    if content.trim().is_empty() {
        let what = format!("{place} holds no session. Give what `hearth sessions export` wrote");
        return Err(Failure::said(what));
    }
    let call = Call::Import { session, lines: content };
    let imported = reach.call(call, &mut |_| {}).await.map_err(|failure| at(&place, failure))?;
    if json {
        return print_json(&imported);
    }
    let number = |name: &str| imported[name].as_u64().unwrap_or_default();
    let key = imported["session"].as_str().unwrap_or_default();
    print(&format!("{key} has {} turns and {} messages\n", number("turns"), number("messages")))
}

/// An error of a line is one of the file it stands in.
fn at(place: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Refused(error) if error.message.starts_with("line ") => {
            let message = format!("{place} {}", error.message);
            Failure::Refused(WireError { message, ..error })
        }
        other => other,
    }
}
