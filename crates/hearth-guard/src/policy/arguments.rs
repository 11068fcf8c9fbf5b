//! The second level: with which arguments. Sizes, paths with links resolved, hosts, commands.

use super::{Places, Policy, Profile, at_home};
use crate::class::Class;
use crate::command::{self, Shell};
use crate::path::{self, Part, System};
use crate::request::{Judgement, Request};
use crate::{place, repository, resolve};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Where keys, passwords and what starts by itself lie, in the person's home folder: never touched by a
/// file tool, whatever `allowed_roots` says.
const NEVER: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".password-store",
    ".local/share/keyrings",
    "Library/Keychains",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".bashrc",
    ".profile",
    ".bash_profile",
    ".zshrc",
    ".config/autostart",
    ".config/systemd",
    "Library/LaunchAgents",
];

impl Policy {
    /// Allowed, or the first limit that is not kept.
    pub(super) fn arguments(&self, request: &Request<'_>) -> Judgement {
        if size(request.arguments) > self.max_size {
            let why = format!("the arguments have more than {} bytes", self.max_size);
            return Judgement::deny("max_size", why);
        }
        match request.class {
            Class::Read | Class::Write => self.file(request),
            Class::Run => self.command(request),
            Class::Fetch => self.address(request),
            _ => self.plain(request),
        }
    }

    fn plain(&self, request: &Request<'_>) -> Judgement {
        let why = match request.class {
            Class::Read => "reading in the workspace is allowed",
            Class::Write => "files of the workspace may be changed; every change can be undone",
            Class::Remember => "memory may be changed; every change can be undone",
            Class::Converse => "it only talks with you",
            _ => "nothing speaks against it",
        };
        Judgement::allow(self.profile_rule(), why)
    }

    fn file(&self, request: &Request<'_>) -> Judgement {
        let Some(text) = text_of(request.arguments, "path") else { return self.plain(request) };
        // Outputs that are kept for the assistant; the file tools find them by name alone.
        if text.starts_with("output:") && request.class == Class::Read {
            return self.plain(request);
        }
        let Places { workspace, person, .. } = &self.places;
        let text = &at_home(text, person.as_deref());
        let absolute = Path::new(text).is_absolute();
        let found = match resolve::real(workspace, text) {
            Ok(found) => found,
            Err(error) => return Judgement::deny("path", format!("{text}: {error}")),
        };
        if let Some(denied) = self.blocked(text, &found) {
            return denied;
        }
        let root = real(workspace);
        if let Ok(relative) = found.strip_prefix(&root) {
            let relative = relative.to_string_lossy();
            let machinery =
                [text.as_str(), &relative].iter().any(|p| path::part_of(p) == Part::Machinery);
            if request.class == Class::Write && (machinery || in_repository(&found, &root)) {
                let why = format!("other programs run what {text} says");
                return Judgement::ask("machinery", why);
            }
            if has_other_names(&found) {
                return linked(text);
            }
            return self.plain(request);
        }
        if !absolute {
            return Judgement::deny("path", format!("{text} leads out of the workspace"));
        }
        if self.roots.iter().any(|root| found.starts_with(real(root))) {
            if request.class == Class::Write && self.profile != Profile::Full {
                return Judgement::ask(
                    "allowed_roots",
                    format!("{text} lies outside the workspace"),
                );
            }
            if request.class == Class::Write && path::part_of(text) == Part::Machinery {
                let why = format!("other programs run what {text} says");
                return Judgement::ask("machinery", why);
            }
            if has_other_names(&found) {
                return linked(text);
            }
            return Judgement::allow("allowed_roots", format!("{text} is within allowed_roots"));
        }
        Judgement::deny(
            "allowed_roots",
            format!("{text} is outside the workspace and allowed_roots"),
        )
    }

    fn blocked(&self, text: &str, found: &Path) -> Option<Judgement> {
        let shown = normal_text(found);
        let root = normal_text(&real(&self.places.workspace));
        // Patterns that do not begin at a root are about the path within the workspace.
        let within =
            shown.strip_prefix(&root).map_or(shown.as_str(), |rest| rest.trim_start_matches('/'));
        let hit = self.blocked.iter().find(|pattern| {
            path::covers(pattern, &shown)
                || path::covers(pattern, within)
                || path::covers(pattern, text)
        });
        if let Some(pattern) = hit {
            return Some(Judgement::deny("blocked_paths", format!("blocked_paths has {pattern}")));
        }
        let system = System::here();
        let home = normal_text(&real(&self.places.home));
        if path::is_within(&home, &shown, system) && !path::is_within(&root, &shown, system) {
            return Some(Judgement::deny("home", "Hearth's own files are not for the assistant"));
        }
        let person = self.places.person.as_deref().map(|person| normal_text(&real(person)))?;
        let never =
            NEVER.iter().any(|below| path::is_within(&format!("{person}/{below}"), &shown, system));
        never.then(|| {
            Judgement::deny("keys", "keys, passwords and what starts by itself are never touched")
        })
    }

    fn command(&self, request: &Request<'_>) -> Judgement {
        let Some(text) = text_of(request.arguments, "command") else {
            return Judgement::ask("command", "there is no command");
        };
        let mut line = command::read(request.shell, text);
        let folder = match text_of(request.arguments, "cwd") {
            None | Some("" | ".") => self.places.workspace.clone(),
            Some(cwd) => match resolve::real(&self.places.workspace, cwd) {
                Ok(found) if self.is_inside(&found) => found,
                _ => return Judgement::ask("command", format!("{cwd} is outside the workspace")),
            },
        };
        let mut folders = vec![folder];
        if request.shell == Shell::Sh
            && let Some(entered) = line.entered()
        {
            match resolve::real(&folders[0], &entered) {
                Ok(found) if self.is_inside(&found) && self.blocked(&entered, &found).is_none() => {
                    folders.push(found);
                }
                _ => {
                    return Judgement::ask(
                        "command",
                        format!("{entered} is outside the workspace"),
                    );
                }
            }
        }
        let stays_in = |folder: &PathBuf, piece: &str| {
            resolve::real(folder, piece).is_ok_and(|found| {
                self.is_inside(&found)
                    && self.blocked(piece, &found).is_none()
                    && !has_other_names(&found)
            })
        };
        let stays = |piece: &str| folders.iter().all(|folder| stays_in(folder, piece));
        let any;
        let allowed = if self.profile == Profile::Full || self.is_allowed_by_name(request.tool) {
            any = self.commands.clone().and_everything();
            &any
        } else {
            &self.commands
        };
        match command::within(&line, request.shell, allowed, &stays) {
            Ok(()) => {
                let runs = folders.iter().find_map(|folder| self.repository_runs(&line, folder));
                if let Some(why) = runs {
                    return Judgement::ask("repository", format!("git would run programs: {why}"));
                }
                if folders.iter().any(|folder| compares_folders(&line, folder)) {
                    let why = "diff follows the links in a folder";
                    return Judgement::ask("command", why);
                }
                Judgement::allow("command", "every program in it is allowed, and it stays inside")
            }
            Err(why) => {
                let inner: Vec<&str> = line
                    .runs
                    .iter()
                    .filter(|r| !r.through.is_empty())
                    .map(|r| r.program.as_str())
                    .collect();
                let runs = if inner.is_empty() {
                    String::new()
                } else {
                    format!(" (inside it: {})", inner.join(", "))
                };
                Judgement::ask("command", format!("{why}{runs}"))
            }
        }
    }

    /// What git would run besides, by the settings of the repository that it finds.
    fn repository_runs(&self, line: &command::Line, folder: &Path) -> Option<String> {
        let is_git =
            |run: &command::Run| run.program.to_ascii_lowercase().trim_end_matches(".exe") == "git";
        let looks = line.runs.iter().any(is_git);
        looks.then(|| repository::runs(&real(folder), &|place| self.is_inside(place)))?
    }

    fn is_inside(&self, found: &Path) -> bool {
        found.starts_with(real(&self.places.workspace))
            || self.roots.iter().any(|root| found.starts_with(real(root)))
    }

    fn address(&self, request: &Request<'_>) -> Judgement {
        let url = text_of(request.arguments, "url").unwrap_or_default();
        if let Some(why) = place::never(url) {
            return Judgement::deny("address", format!("refused: {why}"));
        }
        let host = place::host_of(url).unwrap_or_default();
        if !self.domains.is_empty() && !self.is_allowed_domain(&host) {
            return Judgement::deny("allowed_domains", format!("{host} is not in allowed_domains"));
        }
        Judgement::allow(self.profile_rule(), format!("{host} may be read"))
    }

    pub(super) fn is_allowed_domain(&self, host: &str) -> bool {
        self.domains.iter().any(|entry| place::covers(entry, host))
    }
}

/// Whether `diff` is given a folder, whose links it would follow.
fn compares_folders(line: &command::Line, folder: &Path) -> bool {
    let diffs = line.runs.iter().filter(|run| run.program == "diff");
    diffs.flat_map(|run| &run.arguments).any(|word| folder.join(word).is_dir())
}

/// What makes a folder with a HEAD a repository, and what git reads or runs of it.
const OF_REPOSITORY: &[&str] =
    &["config", "objects", "refs", "hooks", "info", "modules", "worktrees", "index", "logs"];

/// Whether a file is part of what git would take for a repository.
fn in_repository(found: &Path, root: &Path) -> bool {
    let mut below = found.ancestors().zip(found.ancestors().skip(1));
    below.any(|(part, folder)| {
        let name = part.file_name().map(|name| name.to_string_lossy().to_lowercase());
        folder.starts_with(root)
            && name.is_some_and(|name| OF_REPOSITORY.contains(&name.as_str()))
            && folder.join("HEAD").symlink_metadata().is_ok()
    })
}

/// Whether a file has other names, which may lie outside; the system does not say where.
#[cfg(unix)]
fn has_other_names(found: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::symlink_metadata(found).is_ok_and(|meta| meta.is_file() && meta.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_names(_found: &Path) -> bool {
    false
}

fn linked(text: &str) -> Judgement {
    let why = format!("{text} has another name as well (a hard link), which may lie outside");
    Judgement::ask("hard-link", why)
}

fn text_of<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Bytes of all texts and numbers, near enough.
fn size(arguments: &Map<String, Value>) -> u64 {
    fn of(value: &Value) -> u64 {
        match value {
            Value::String(text) => text.len() as u64,
            Value::Array(items) => items.iter().map(of).sum(),
            Value::Object(object) => object.iter().map(|(k, v)| k.len() as u64 + of(v)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        }
    }
    arguments.iter().map(|(key, value)| key.len() as u64 + of(value)).sum()
}

/// The folder itself, links followed; as it is written where it does not exist.
fn real(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

fn normal_text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
