//! `hearth skills install|update|remove|restore`: what a skill asks for is shown, then it comes.

use crate::access::Reach;
use crate::args::InstallSkill;
use crate::terminal::{Failure, print, print_json, turns_around, warn};
use hearth_engine::api::{self, installs::InstallOrder};
use hearth_engine::door::Call;
use hearth_protocol::api::skills::{SkillFileFate, SkillIncoming, SkillInstall, SkillRequires};
use serde_json::json;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

/// Shows what a source would bring, and installs it after a yes.
pub(crate) async fn install(
    reach: &Reach,
    wanted: InstallSkill,
    json: bool,
) -> Result<(), Failure> {
    let InstallSkill { source, skill, all, workspace, yes } = wanted;
    let engine = reach.read().await?;
    let shown = api::installs::preview(&engine, source, skill.clone(), workspace).await?;
    let several = shown.skills.len() > 1 && skill.is_empty() && !all;
    let order = InstallOrder {
        path: shown.path.clone(),
        hash: shown.hash.clone(),
        skills: skill,
        to_workspace: workspace,
    };
    if several && shown.refused.is_none() {
        show(&shown, json)?;
        let names: Vec<&str> = shown.skills.iter().map(|one| one.name.as_str()).collect();
        return Err(Failure::said(format!(
            "It holds several skills: {}. Name one with --skill NAME (again for more), or add --all.",
            names.join(", ")
        )));
    }
    agreed(&shown, yes, json).await?;
    bring(reach, order, json).await
}

/// Looks for what is new where an installed skill came from.
pub(crate) async fn update(
    reach: &Reach,
    name: String,
    yes: bool,
    json: bool,
) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let (shown, order) = api::installs::update(&engine, name.clone()).await?;
    if shown.refused.is_none() && shown.skills.iter().all(|one| one.changes.is_empty()) {
        return if json {
            print_json(&shown)
        } else {
            print(&format!("{name} is as it is there\n"))
        };
    }
    agreed(&shown, yes, json).await?;
    bring(reach, order, json).await
}

pub(crate) async fn remove(reach: &Reach, name: String, json: bool) -> Result<(), Failure> {
    reach.call(Call::RemoveSkill { name: name.clone() }, &mut |_| {}).await?;
    let back = format!("{name} is removed; `hearth skills restore {name}` brings it back\n");
    if json { print_json(&json!({"name": name, "removed": true})) } else { print(&back) }
}

pub(crate) async fn restore(reach: &Reach, name: String, json: bool) -> Result<(), Failure> {
    reach.call(Call::RestoreSkill { name: name.clone() }, &mut |_| {}).await?;
    if json {
        print_json(&json!({"name": name, "restored": true}))
    } else {
        print(&format!("{name} is back\n"))
    }
}

async fn bring(reach: &Reach, order: InstallOrder, json: bool) -> Result<(), Failure> {
    let rows = reach.call(Call::InstallSkills(order), &mut |_| {}).await?;
    for row in rows.as_array().into_iter().flatten() {
        if json {
            print_json(row)?;
            continue;
        }
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let state = match text("reason") {
            "" => "it counts from the next message".to_owned(),
            reason => format!("it cannot be used yet: {reason}"),
        };
        print(&format!("{} is installed; {state}\n", text("name")))?;
    }
    Ok(())
}

/// Shows it and waits for a yes, where nobody said so before.
async fn agreed(shown: &SkillInstall, yes: bool, json: bool) -> Result<(), Failure> {
    if let Some(why) = &shown.refused {
        if json {
            print_json(shown)?;
        }
        return Err(Failure::said(why.clone()));
    }
    if yes {
        return if json { Ok(()) } else { show(shown, json) };
    }
    show(shown, json)?;
    if json || !std::io::stdin().is_terminal() {
        return Err(Failure::said("Nothing was installed. Add --yes if this is what you want."));
    }
    warn("Install this? [y/N]");
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    let answer = answer.await.map_err(|error| Failure::said(error.to_string()))??;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" | "是" => Ok(()),
        _ => Err(Failure::said("Nothing was installed.")),
    }
}

fn show(shown: &SkillInstall, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(shown);
    }
    let skills: String = shown.skills.iter().map(described).collect();
    print(&format!("{skills}from      {}\nsha256    {}\n", shown.path, shown.hash))
}

/// A skill and the rights it asks for.
fn described(skill: &SkillIncoming) -> String {
    let mut text = format!("{}\n{}\n", flat(&skill.name), flat(&skill.description));
    let mut line = |what: &str, said: String| {
        if !said.is_empty() {
            let _ = writeln!(text, "  {what:<9} {}", flat(&said));
        }
    };
    let tools = match &skill.allowed_tools {
        None => "every tool the assistant has".to_owned(),
        Some(tools) if tools.is_empty() => "none".to_owned(),
        Some(tools) => tools.join(", "),
    };
    line("tools", tools);
    line("needs", needs(&skill.requires));
    let scripts = skill.scripts.iter().map(|script| {
        let with = if script.runs_with.is_empty() { "?" } else { &script.runs_with };
        format!("{} ({with}, {} bytes)", script.path, script.bytes)
    });
    line("runs", scripts.collect::<Vec<_>>().join(", "));
    line("hosts", skill.hosts.join(", "));
    line("odd", skill.problems.join(", "));
    line("files", format!("{}, {} bytes", skill.files, skill.bytes));
    if let Some(version) = &skill.replaces {
        let version = if version.is_empty() { "the installed one" } else { version };
        line("replaces", version.to_owned());
    }
    if let Some(rival) = &skill.rival {
        let which = if rival.wins {
            "comes first: this one would not be used"
        } else {
            "this one comes first"
        };
        line("same name", format!("{}; {which}", rival.path));
    }
    for change in &skill.changes {
        let fate = match change.change {
            SkillFileFate::Added => "added",
            SkillFileFate::Changed => "changed",
            SkillFileFate::Removed => "removed",
        };
        line(fate, change.path.clone());
    }
    text
}

/// What a stranger wrote, on one line: it must not pass for a row of ours, nor drive the terminal.
fn flat(text: &str) -> String {
    let plain = text.chars().map(|c| match c {
        c if c.is_control() => ' ',
        c if turns_around(c) => '\u{fffd}',
        c => c,
    });
    plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn needs(requires: &SkillRequires) -> String {
    let mut parts = requires.bins.clone();
    if !requires.any_bins.is_empty() {
        parts.push(requires.any_bins.join(" or "));
    }
    parts.extend(requires.env.iter().map(|name| format!("variable or secret {name}")));
    parts.extend(requires.config.iter().map(|key| format!("setting {key}")));
    if !requires.os.is_empty() {
        parts.push(requires.os.join(" or "));
    }
    if !requires.channels.is_empty() {
        parts.push(format!("messages by {}", requires.channels.join(" or ")));
    }
    if !requires.senders.is_empty() {
        parts.push(format!("messages of {}", requires.senders.join(" or ")));
    }
    parts.join(", ")
}
