//! Finding the SKILL.md files of a folder, and what lies beside each.
//!
//! Invariants: folders are visited in byte order, six levels deep at most; links to folders are never
//! followed, so there is no way out and no circle.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

/// Folders between a source and a skill's own, the latter included.
const MAX_DEPTH: usize = 6;
/// Files of one skill that are looked at; more are not listed.
const MAX_FILES: usize = 2_000;

/// A SKILL.md and the files of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The file.
    pub(super) file: PathBuf,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Path below the source, with `/`.
    pub(super) path: String,
    /// It is a link.
    pub(super) is_link: bool,
    /// Everything in the folder and below, sorted, as paths with `/`; the SKILL.md itself left out.
    pub(super) files: Vec<Beside>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Beside {
    pub(super) path: String,
    pub(super) is_link: bool,
}

/// A folder with everything below it.
struct Tree {
    /// Files as paths from this folder.
    files: Vec<Beside>,
}

/// All places below a source. A source that cannot be read has none.
pub(super) fn places(root: &Path) -> Vec<Place> {
    let mut found = Vec::new();
    visit(root, "", 0, &mut found);
    found
}

fn visit(folder: &Path, path: &str, depth: usize, found: &mut Vec<Place>) -> Tree {
    let mut tree = Tree { files: Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return tree };
    let mut entries: Vec<(String, DirEntry)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let skill = skill_file(&entries);
    // The outer one comes before those inside it, as its path does in byte order.
    let own = skill.map(|(name, is_link)| {
        found.push(Place {
            file: folder.join(&name),
            folder: folder.to_owned(),
            path: join(path, &name),
            is_link,
            files: Vec::new(),
        });
        (found.len() - 1, name)
    });
    for (name, entry) in &entries {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if depth < MAX_DEPTH && !is_ignored(name) {
                let inner = visit(&folder.join(name), &join(path, name), depth + 1, found);
                let room = MAX_FILES.saturating_sub(tree.files.len());
                tree.files.extend(inner.files.into_iter().take(room).map(|beside| Beside {
                    path: format!("{name}/{}", beside.path),
                    is_link: beside.is_link,
                }));
            }
        } else if tree.files.len() < MAX_FILES && own.as_ref().is_none_or(|(_, own)| own != name) {
            tree.files.push(Beside { path: name.clone(), is_link: kind.is_symlink() });
        }
    }
    if let Some((at, _)) = own {
        found[at].files.clone_from(&tree.files);
    }
    tree
}

/// The one file that makes the folder a skill; the proper spelling first.
fn skill_file(entries: &[(String, DirEntry)]) -> Option<(String, bool)> {
    let mut best: Option<(String, bool)> = None;
    for (name, entry) in entries.iter().filter(|(name, _)| name.eq_ignore_ascii_case("skill.md")) {
        let Ok(kind) = entry.file_type() else { continue };
        let is_better = best.is_none() || name == "SKILL.md";
        if !kind.is_dir() && is_better {
            best = Some((name.clone(), kind.is_symlink()));
        }
    }
    best
}

fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "node_modules" | "__pycache__")
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}
