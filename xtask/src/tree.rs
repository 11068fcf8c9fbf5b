//! The text files of the repository, read once.
//!
//! Left out: what is built, fetched or generated elsewhere, and the inputs of tests, which are kept as
//! they were found.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

const PASSED_OVER: [&str; 8] =
    ["target", "node_modules", "dist", ".git", "fixtures", "bindings", "shots", "gen"];
const KINDS: [&str; 9] = ["rs", "ts", "tsx", "mjs", "css", "py", "sql", "json", "toml"];

/// One text file, by its path from the top with forward slashes.
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// The part of the name after the last dot.
    pub(crate) fn kind(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// All of them, sorted by path.
pub(crate) fn text_files(root: &Path) -> Result<Vec<TextFile>> {
    let mut files = Vec::new();
    collect(root, root, &mut files)?;
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<TextFile>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && !PASSED_OVER.contains(&name) {
            collect(root, &path, files)?;
        } else if KINDS
            .contains(&path.extension().and_then(|kind| kind.to_str()).unwrap_or_default())
        {
            let text =
                fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
            let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push(TextFile { path, text });
        }
    }
    Ok(())
}
