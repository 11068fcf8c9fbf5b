//! Where a command may write that nobody was asked about: everywhere in the workspace but where the
//! assistant's own rules, skills and memory lie.
//!
//! The system's means allow folders and take nothing back below them, so the workspace's own folder is not
//! among them, only what lies in it. Such a command can make nothing new right in the workspace.

use std::path::{Path, PathBuf};

/// Entries that are looked at; a workspace with more of them right in it is given those.
const MOST: usize = 2_000;

/// What it may change of the workspace, for a command that starts in `cwd`; `keeps` says of a name what stays.
pub(super) fn unasked(workspace: &Path, cwd: &Path, keeps: fn(&str) -> bool) -> Vec<PathBuf> {
    // What cargo builds has its folder, which it could not make.
    if cwd == workspace && workspace.join("Cargo.toml").is_file() {
        let _ = std::fs::create_dir(workspace.join("target"));
    }
    let entries = std::fs::read_dir(workspace).into_iter().flatten().flatten().take(MOST);
    let open = entries.filter(|entry| {
        let name = entry.file_name();
        let is_link = entry.file_type().map_or(true, |kind| kind.is_symlink());
        !is_link && name.to_str().is_some_and(|name| !keeps(name))
    });
    open.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_what_leads_elsewhere_is_not_among_it() {
        let folder = tempfile::tempdir().expect("temp");
        let made = folder.path();
        for name in ["notes", "skills", ".git"] {
            std::fs::create_dir(made.join(name)).expect("made");
        }
        for name in ["SOUL.md", "todo.md", "Cargo.toml"] {
            std::fs::write(made.join(name), "x").expect("written");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", made.join("root")).expect("linked");
        let keeps = |name: &str| matches!(name, "skills" | "SOUL.md");
        let mut open: Vec<String> = unasked(made, made, keeps)
            .iter()
            .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        open.sort();
        assert_eq!(open, [".git", "Cargo.toml", "notes", "target", "todo.md"]);
    }
}
