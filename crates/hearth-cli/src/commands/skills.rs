//! `hearth skills`: list, check, show, match, run; installing is in `installs`.

use crate::access::Reach;
use crate::args::{Ask, RunSkill, Skills};
use crate::commands::{ask, installs};
use crate::terminal::{Failure, print, print_json, print_rows, text};
use hearth_engine::api;
use hearth_protocol::api::skills::{SkillMatch, SkillView};
use serde_json::{Value, json};
use std::io::BufRead;

pub(crate) async fn run(reach: &Reach, command: Skills, json: bool) -> Result<(), Failure> {
    match command {
        Skills::List => {
            let engine = reach.read().await?;
            let rows: Vec<Value> =
                api::skills::list(&engine).await?.iter().map(|row| json!(row)).collect();
            print_rows(json, &rows, listed)
        }
        Skills::Check { path } => {
            let rows = match path {
                Some(path) => api::skills::check(&path)?,
                None => api::skills::check_all(&reach.read().await?).await?,
            };
            let rows: Vec<Value> = rows.iter().map(|row| json!(row)).collect();
            print_rows(json, &rows, checked)
        }
        Skills::Show { name } => {
            let engine = reach.read().await?;
            let view = api::skills::show(&engine, name).await?;
            if json { print_json(&view) } else { print(&shown(&view)) }
        }
        Skills::Match { text } => matched(reach, &text, json).await,
        Skills::Run(run) => ask::run(reach, asked(*run), json).await,
        Skills::Install(wanted) => installs::install(reach, wanted, json).await,
        Skills::Update { name, yes } => installs::update(reach, name, yes, json).await,
        Skills::Remove { name } => installs::remove(reach, name, json).await,
        Skills::Restore { name } => installs::restore(reach, name, json).await,
    }
}

async fn matched(reach: &Reach, message: &str, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    if message != "-" {
        return print_match(&api::skills::matching(&engine, message.to_owned()).await?, json);
    }
    // Answers line by line, so that it can be piped to.
    let mut line = Vec::new();
    loop {
        line.clear();
        if std::io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let message = text("standard input", line.clone())?;
        let message = message.trim_end_matches(['\n', '\r']).to_owned();
        print_match(&api::skills::matching(&engine, message).await?, json)?;
    }
}

fn print_match(found: &SkillMatch, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(found);
    }
    let activated =
        if found.activated.is_empty() { "–".to_owned() } else { found.activated.join(", ") };
    print(&format!("{activated}\t{}\n", found.text))?;
    for one in &found.ranked {
        print(&format!("    {:.3}  {}: {}\n", one.score, one.name, one.why))?;
    }
    Ok(())
}

/// A skill is run by asking for it.
fn asked(run: RunSkill) -> Ask {
    Ask {
        text: format!("/skill {} {}", run.name, run.text).trim_end().to_owned(),
        session: run.session,
        model: run.model,
        agent: "assistant".to_owned(),
        yes_to: run.yes_to,
        file: run.file,
    }
}

fn listed(row: &Value) -> Vec<String> {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let state = match text("reason") {
        reason if reason.is_empty() => "ready".to_owned(),
        reason => reason,
    };
    vec![text("name"), text("source"), row["tokens"].to_string(), state]
}

fn checked(row: &Value) -> Vec<String> {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let codes = row["warnings"].as_array().cloned().unwrap_or_default();
    let codes: Vec<&str> = codes.iter().filter_map(Value::as_str).collect();
    let state = match (row["usable"] == true, codes.is_empty()) {
        (true, true) => "ok".to_owned(),
        (true, false) => codes.join(" "),
        (false, _) => format!("not usable: {}", codes.join(" ")),
    };
    vec![text("path"), text("name"), state]
}

fn shown(view: &SkillView) -> String {
    let row = &view.row;
    let mut text = format!("{}\n{}\n{}\n", row.name, row.description, row.path);
    if !row.eligible {
        text.push_str(&format!("It cannot be used: {}\n", row.reason));
    }
    for hint in &view.hints {
        text.push_str(&format!("To install what it needs: {hint}\n"));
    }
    if !row.problems.is_empty() {
        text.push_str(&format!("Odd about it: {}\n", row.problems.join(", ")));
    }
    format!("{text}\n{}\n", view.body)
}
