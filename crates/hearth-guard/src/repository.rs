//! What the settings of a git repository would run when git only looks at it: filters, converters, hooks by
//! name. What can be turned off by the environment is turned off where commands are started (hearth-tools);
//! this finds what cannot.
//!
//! Invariant: what cannot be read, or takes settings from elsewhere, counts as running something.

use std::path::{Path, PathBuf};

/// Longer settings are nobody's.
const MAX_BYTES: u64 = 256 * 1024;
/// Folders that are looked at on the way up.
const MAX_DEPTH: usize = 64;

/// Why git is not to be started in a folder unasked; none where nothing speaks against it. `stays` says of a
/// folder whether the assistant may work there.
#[must_use]
pub fn runs(folder: &Path, stays: &dyn Fn(&Path) -> bool) -> Option<String> {
    for place in folder.ancestors().take(MAX_DEPTH) {
        let dot_git = place.join(".git");
        match std::fs::symlink_metadata(&dot_git) {
            Ok(meta) if meta.is_dir() => return settings(&dot_git, stays),
            Ok(_) => {
                let Some(real) = pointed(&dot_git) else {
                    return Some("its .git leads nowhere".to_owned());
                };
                return settings(&real, stays);
            }
            Err(_) if is_bare(place) => {
                return Some(format!("the folder {} is a repository without .git", shown(place)));
            }
            Err(_) => {}
        }
    }
    None
}

/// Whether a folder is a repository by itself, as git sees it.
#[must_use]
pub fn is_bare(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("objects") || has("commondir")) && (has("refs") || has("commondir"))
}

/// Where a `.git` file or link leads.
fn pointed(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return std::fs::canonicalize(dot_git).ok();
    }
    let text = limited(dot_git)?;
    let to = text.trim().strip_prefix("gitdir:")?.trim();
    std::fs::canonicalize(dot_git.parent()?.join(to)).ok()
}

fn settings(git: &Path, stays: &dyn Fn(&Path) -> bool) -> Option<String> {
    let common = limited(&git.join("commondir")).map(|to| git.join(to.trim()));
    let common = common.unwrap_or_else(|| git.to_owned());
    let files = [common.join("config"), git.join("config"), git.join("config.worktree")];
    files.iter().find_map(|file| match file.symlink_metadata() {
        Err(_) => None,
        Ok(_) => match limited(file) {
            None => Some(format!("its settings in {} cannot be read", shown(file))),
            Some(text) => entries(&text).into_iter().find_map(|(key, value)| {
                harmful(&key, &value, git, stays)
                    .then(|| format!("the repository's own settings have {key}"))
            }),
        },
    })
}

fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn limited(file: &Path) -> Option<String> {
    let meta = std::fs::metadata(file).ok().filter(|meta| meta.is_file())?;
    if meta.len() > MAX_BYTES {
        return None;
    }
    std::fs::read_to_string(file).ok()
}

/// Keys as `section.name` or `section.part.name`, section and name in lower case, with their values.
fn entries(text: &str) -> Vec<(String, String)> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut section = String::new();
    let mut found = Vec::new();
    for line in joined.lines() {
        let mut line = line.trim_start_matches('\u{feff}').trim();
        if let Some(rest) = line.strip_prefix('[') {
            // A name in quotes may hold brackets; what follows the last one may be an entry.
            let end = rest.rfind(']').unwrap_or(rest.len());
            section = named(&rest[..end]);
            line = rest.get(end + 1..).unwrap_or_default().trim();
            // Both readings count where an entry on the same line holds a bracket.
            if let Some(first) = rest.find(']').filter(|first| *first < end) {
                let (name, value) = pair(rest[first + 1..].trim());
                found.push((format!("{}.{name}", named(&rest[..first])), value));
            }
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = pair(line);
        found.push((format!("{section}.{name}"), value));
    }
    found
}

fn pair(line: &str) -> (String, String) {
    let (name, value) = line.split_once('=').unwrap_or((line, "true"));
    (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"').to_owned())
}

/// `diff "x"` and `diff.x` alike.
fn named(section: &str) -> String {
    let (name, part) = section.split_once(['"', '.']).unwrap_or((section, ""));
    let part = part.trim().trim_end_matches('"');
    let name = name.trim().to_ascii_lowercase();
    if part.is_empty() { name } else { format!("{name}.{part}") }
}

fn harmful(key: &str, value: &str, git: &Path, stays: &dyn Fn(&Path) -> bool) -> bool {
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    let is_switch = ["true", "false", "yes", "no", "on", "off", "0", "1", ""]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word));
    match (section, name) {
        // What `git lfs install --local` writes.
        ("filter", _) => !is_switch && !is_lfs(value),
        ("diff", "command" | "textconv" | "external") => true,
        ("core", "fsmonitor") => !is_switch,
        ("core", "hookspath" | "sshcommand" | "gitproxy" | "alternaterefscommand" | "editor") => {
            true
        }
        ("core", "worktree") => {
            let place = std::fs::canonicalize(git.join(value));
            !place.is_ok_and(|place| stays(&place))
        }
        ("include" | "includeif" | "gpg" | "merge" | "credential" | "sequence", "path") => true,
        ("gpg", _) => name.contains("program") || name.contains("command"),
        ("remote", "uploadpack" | "receivepack" | "vcs") => true,
        ("remote", "url" | "pushurl") => value.contains("::"),
        _ => false,
    }
}

fn is_lfs(value: &str) -> bool {
    let what = value.strip_prefix("git-lfs ");
    what.is_some_and(|what| ["clean -- %f", "smudge -- %f", "filter-process"].contains(&what))
}
