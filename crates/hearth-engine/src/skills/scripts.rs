//! Commands while skills are active: which of them `allowed-tools` leaves, what a skill's scripts may read,
//! and the secrets that they alone are given.
//!
//! Invariant: a secret of a skill goes to a command only if the line is plain (nothing set, nothing
//! substituted) and every program of it is a script of that skill; it never stands in the command's text.
//! The network is for the scripts that come with Hearth and speak to an account of the person's (their
//! mail, their documents), which is what their secrets are for; for nothing else that is run.

use super::machine::SECRETS;
use super::turn::TurnSkills;
use crate::engine::Inner;
use hearth_agent::skills::fits;
use hearth_guard::Shell;
use hearth_guard::command::{self, Run};
use hearth_protocol::api::skills::SkillSource;
use hearth_tools::Extras;
use hearth_workspace::skills::Found;
use secrecy::ExposeSecret as _;
use std::path::Path;

impl TurnSkills {
    /// Why active skills leave no room for a command; none: they do.
    pub(crate) fn refuses_command(&self, line: &str) -> Option<String> {
        let all = self.command_forms();
        let read = command::read(Shell::here(), line);
        let refused = |forms: &Vec<String>| {
            let fits_one = |run: &Run| {
                let words: Vec<&str> = std::iter::once(run.program.as_str())
                    .chain(run.arguments.iter().map(String::as_str))
                    .collect();
                fits(forms, &words)
            };
            read.runs.is_empty() || !read.runs.iter().all(fits_one)
        };
        let forms = all.iter().find(|forms| refused(forms))?;
        let forms = if forms.is_empty() { "no command".to_owned() } else { forms.join(", ") };
        Some(format!("the active skill allows {forms}"))
    }
}

/// What a command gets beside what every command gets.
pub(crate) async fn extras(engine: &Inner, skills: &TurnSkills, line: &str, cwd: &str) -> Extras {
    let folders = skills.folders();
    let mut extras = Extras::default();
    let folder = engine.workspace.folder().join(cwd);
    let read = command::read(Shell::here(), line);
    for found in &folders {
        extras.read.push(found.folder.clone());
        let is_plain = read.concerns.is_empty() && !read.runs.is_empty();
        if is_plain && read.runs.iter().all(|run| is_script(run, found, &folder)) {
            extras.env.extend(secrets(engine, found).await);
            extras.network |=
                found.source == SkillSource::Bundled && !found.skill.requires.env.is_empty();
        }
    }
    extras
}

/// Whether a run is a script of a skill, by itself or by its interpreter.
fn is_script(run: &Run, found: &Found, cwd: &Path) -> bool {
    let scripts = found.folder.join("scripts").canonicalize();
    let own = |path: &str| {
        let there = cwd.join(path).canonicalize();
        matches!((&scripts, there), (Ok(scripts), Ok(there)) if there.starts_with(scripts))
    };
    let first = run.arguments.iter().find(|argument| !argument.starts_with('-'));
    let by_interpreter = INTERPRETERS.contains(&run.program.as_str())
        && first.is_some_and(|path| own(path) && run.arguments.first() == Some(path));
    match run.through.as_slice() {
        [] => (run.program.contains('/') && own(&run.program)) || by_interpreter,
        // The script of the run before, as the guard reads it out of its interpreter.
        [program] => INTERPRETERS.contains(&program.as_str()) && own(&run.program),
        _ => false,
    }
}

const INTERPRETERS: [&str; 9] =
    ["python3", "python", "node", "sh", "bash", "ruby", "perl", "deno", "bun"];

async fn secrets(engine: &Inner, found: &Found) -> Vec<(String, String)> {
    let skill = &found.skill;
    let mut given = Vec::new();
    for name in skill.requires.env.iter().chain(&skill.primary_env).chain(&skill.optional_env) {
        if given.iter().any(|(known, _): &(String, String)| known == name) {
            continue;
        }
        // A secret that cannot be opened is missing; the script will say so.
        let stored = engine.secrets.get(&format!("{SECRETS}{name}")).await.ok().flatten();
        let value = stored.map(|secret| secret.expose_secret().to_owned());
        if let Some(value) = value.or_else(|| std::env::var(name).ok()) {
            crate::logging::redactor().learn(&value);
            given.push((name.clone(), value));
        }
    }
    given
}
