//! Answers to control commands, as Markdown.

use crate::{Engine, api, clock, turns};
use hearth_agent::commands::{self, Asked, Command};
use hearth_protocol::api::chat::{SessionChange, Submitted};
use hearth_protocol::api::files::UndoneState;
use hearth_protocol::{ErrorCode, Origin, SessionKey, WireError};
use std::fmt::Write;

/// Carries a command out.
///
/// # Errors
/// What the command's function says; for a program that waits for the exit status, a skill that there is not.
pub(crate) async fn answer(
    engine: &Engine,
    session: &SessionKey,
    origin: Origin,
    asked: Asked<'_>,
) -> Result<Submitted, WireError> {
    let text = match asked.command {
        Command::Stop => match engine.inner.live.stop(session) {
            true => "Stopped.".to_owned(),
            false => "Nothing is running.".to_owned(),
        },
        Command::New => {
            engine.inner.flush_ended(session);
            let created = api::sessions::create(engine).await?;
            format!("A new conversation: `{}`", created.key)
        }
        Command::Compact => {
            let turn = turns::compact(&engine.inner, session, asked.argument).await?;
            return Ok(Submitted::Turn { turn });
        }
        Command::Status => status(engine, session).await?,
        Command::Context => context(engine, session).await?,
        Command::Model => model(engine, session, asked.argument).await?,
        Command::Usage => usage(engine).await?,
        Command::Undo => undo(engine, session).await?,
        Command::Skill => {
            let text = skills(engine, asked.argument).await?;
            if origin == Origin::Cli && !asked.argument.is_empty() {
                let why = text.lines().next().unwrap_or_default().replace('`', "");
                let hint = "`hearth skills list` shows those there are.";
                return Err(WireError::new(ErrorCode::NotFound, why, hint));
            }
            text
        }
        Command::Help => help(),
    };
    Ok(Submitted::Command { text })
}

/// `/skill` alone lists them; with the name of one the message is a turn and never comes here.
async fn skills(engine: &Engine, wanted: &str) -> Result<String, WireError> {
    let rows = api::skills::list(engine).await?;
    let mut text = String::new();
    if !wanted.is_empty() {
        let name = wanted.split_whitespace().next().unwrap_or_default();
        let known = rows.iter().find(|row| row.name.eq_ignore_ascii_case(name));
        let why = match known {
            Some(row) if !row.eligible => {
                format!("The skill `{name}` cannot be used: {}.", row.reason)
            }
            Some(_) => format!("The skill `{name}` is not for `/skill`."),
            None => format!("There is no skill `{name}`."),
        };
        let _ = writeln!(text, "{why}\n");
    }
    for row in rows.iter().filter(|row| row.eligible && row.user_invocable) {
        let about: String = row.description.chars().take(100).collect();
        let _ = writeln!(text, "- `/skill {}` {}", row.name, about.replace('\n', " "));
    }
    if text.is_empty() {
        text.push_str("There are no skills yet.\n");
    }
    Ok(text)
}

async fn status(engine: &Engine, session: &SessionKey) -> Result<String, WireError> {
    let settings = engine.settings();
    let stored = engine.inner.store.session(session).await?;
    let model = stored.as_ref().and_then(|row| row.model.clone());
    let turns = stored.map_or(0, |row| row.turns);
    let running = if engine.inner.live.is_busy(session) { "a turn is running" } else { "idle" };
    Ok(format!(
        "- session: `{session}`, {turns} turns, {running}\n- model: `{}`\n- workspace: `{}`\n",
        model.unwrap_or_else(|| settings.model_default.clone()),
        engine.inner.workspace.folder().display()
    ))
}

async fn context(engine: &Engine, session: &SessionKey) -> Result<String, WireError> {
    let manifest = api::context::call(engine, session.clone(), None, None).await?;
    let mut text = format!("The next call to `{}` would be given:\n\n", manifest.model);
    text.push_str("| section | source | tokens |\n|---|---|---:|\n");
    for section in &manifest.sections {
        let cut = if section.truncated { " (cut)" } else { "" };
        let _ =
            writeln!(text, "| {} | {}{cut} | {} |", section.name, section.source, section.tokens);
    }
    let _ = writeln!(text, "\n{} of {} tokens", manifest.total_tokens, manifest.window);
    Ok(text)
}

async fn model(engine: &Engine, session: &SessionKey, wanted: &str) -> Result<String, WireError> {
    if wanted.is_empty() {
        let rows = api::models::list(engine).await?;
        let mut text = String::new();
        for row in rows {
            let state = row.problem.map(|problem| format!(" · {problem}")).unwrap_or_default();
            let default = if row.default { " (default)" } else { "" };
            let _ = writeln!(text, "- `{}`{default}{state}", row.id);
        }
        text.push_str("\n`/model PROVIDER/MODEL` picks one for this conversation.\n");
        return Ok(text);
    }
    let settings = engine.settings();
    if let Err(fault) = engine.inner.catalogue.find(&settings, wanted).await {
        return Ok(format!("{} {}", fault.message, fault.hint));
    }
    engine.inner.store.ensure_session(session, clock::now()).await?;
    let change = SessionChange { model: Some(wanted.to_owned()), ..SessionChange::default() };
    api::sessions::change(engine, session.clone(), change).await?;
    Ok(format!("This conversation goes on with `{wanted}`."))
}

async fn usage(engine: &Engine) -> Result<String, WireError> {
    let rows = api::usage::rows(engine, 30).await?;
    if rows.is_empty() {
        return Ok("Nothing was used in the last 30 days.".to_owned());
    }
    let mut text =
        "| day | model | calls | in | out | US$ |\n|---|---|---:|---:|---:|---:|\n".to_owned();
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.4} |",
            row.day, row.model, row.calls, row.input, row.output, row.usd
        );
    }
    Ok(text)
}

async fn undo(engine: &Engine, session: &SessionKey) -> Result<String, WireError> {
    let Some(turn) = api::undo::latest(engine, session).await? else {
        return Ok(
            "No turn of this conversation changed a file that is not taken back yet.".to_owned()
        );
    };
    let mut text = "Taken back, as it was before the last turn that changed files:\n\n".to_owned();
    let ran_commands = api::undo::ran_commands(engine, &turn).await?;
    for row in api::undo::turn(engine, turn).await? {
        let state = match row.state {
            UndoneState::Restored => "restored".to_owned(),
            UndoneState::Merged => "taken back; later changes stay".to_owned(),
            UndoneState::Removed => "removed, the turn had made it".to_owned(),
            UndoneState::Conflict | UndoneState::Refused => format!("left as it is: {}", row.why),
        };
        let _ = writeln!(text, "- `{}`: {state}", row.path);
    }
    if ran_commands {
        text.push_str(
            "\nThe turn also ran commands; what those changed outside of the workspace or in hidden folders is not \
             recorded and stays.\n",
        );
    }
    Ok(text)
}

fn help() -> String {
    let mut text = String::new();
    for row in commands::rows() {
        let aliases: Vec<String> = row.aliases.iter().map(|alias| format!("`/{alias}`")).collect();
        let argument =
            if row.argument.is_empty() { String::new() } else { format!(" {}", row.argument) };
        let does = commands::parse(&format!("/{}", row.name)).map_or("", |row| does(row.command));
        let _ = writeln!(text, "- `/{}{argument}` {}: {does}", row.name, aliases.join(" "));
    }
    text
}

fn does(command: Command) -> &'static str {
    match command {
        Command::Stop => "stop what runs here",
        Command::New => "begin a new conversation",
        Command::Compact => "summarise the early conversation now, keeping the focus above all",
        Command::Status => "session, model and workspace",
        Command::Context => "what the next model call would be given",
        Command::Model => "show the models, or pick one for this conversation",
        Command::Usage => "tokens and money of the last 30 days",
        Command::Skill => "work with a skill; alone, the list of them",
        Command::Undo => "take back the file changes of the last turn that made any",
        Command::Help => "this list",
    }
}
