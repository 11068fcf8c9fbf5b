//! Whole results of tools, kept on disk where the model was shown only a part, and read page by page.
//!
//! Invariants: a page is small whatever the result is, a single line of megabytes included; files are
//! removed after [`DAYS`] days. Absent here: how a result is cut (`hearth_agent::cut`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a path begins with that names a kept result.
pub(crate) const PREFIX: &str = "output:";
/// So long results are kept.
const DAYS: u64 = 7;
/// Lines of a page.
const LINES: usize = 400;
/// Characters of a line; a longer one counts as several.
const LINE_CHARS: usize = 1_000;

/// The folder of kept results.
#[derive(Debug, Clone)]
pub(crate) struct Outputs {
    folder: PathBuf,
}

impl Outputs {
    /// Results under a folder, which is made when the first one comes.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a result; returns the path to read it by. Blocks on the disk.
    pub(crate) fn keep(&self, text: &str) -> io::Result<String> {
        fs::create_dir_all(&self.folder)?;
        let name = crate::consents::new_id();
        fs::write(self.file(&name), text)?;
        Ok(format!("{PREFIX}{name}"))
    }

    /// A page of a kept result, `from` a line on; none where the path names no such result. Blocks on the
    /// disk.
    pub(crate) fn page(&self, path: &str, from: usize, lines: Option<usize>) -> Option<String> {
        let name = path.strip_prefix(PREFIX)?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        let text = fs::read_to_string(self.file(name)).ok()?;
        let pieces = pieces(&text);
        let from = from.max(1);
        let to = pieces.len().min(from - 1 + lines.unwrap_or(LINES).min(LINES));
        if from > pieces.len() {
            return Some(format!("[{path} has {} lines only]", pieces.len()));
        }
        let shown = pieces[from - 1..to].join("\n");
        Some(format!("{shown}\n[lines {from} to {to} of {} of {path}]", pieces.len()))
    }

    /// Removes what is too old. Blocks on the disk.
    pub(crate) fn tidy(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let oldest = SystemTime::now().checked_sub(Duration::from_secs(DAYS * 24 * 60 * 60));
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|meta| meta.modified()).ok();
            if let (Some(modified), Some(oldest)) = (modified, oldest)
                && modified < oldest
                && let Err(error) = fs::remove_file(entry.path())
            {
                tracing::warn!(%error, "an old tool result could not be removed");
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.folder).join(format!("{name}.txt"))
    }
}

/// Lines, long ones in pieces.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for mut line in text.lines() {
        while let Some((at, _)) = line.char_indices().nth(LINE_CHARS) {
            let (piece, rest) = line.split_at(at);
            pieces.push(piece);
            line = rest;
        }
        pieces.push(line);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_result_is_read_page_by_page() {
        let folder = tempfile::tempdir().expect("folder");
        let outputs = Outputs::new(folder.path().join("outputs"));
        let text: String = (1..=1_000).map(|n| format!("line {n}\n")).collect();
        let path = outputs.keep(&text).expect("kept");
        let page = outputs.page(&path, 1, None).expect("a page");
        assert!(page.starts_with("line 1\n") && page.contains("lines 1 to 400 of 1000"), "{page}");
        let page = outputs.page(&path, 999, Some(5)).expect("a page");
        assert!(page.starts_with("line 999\nline 1000\n[lines 999 to 1000"), "{page}");
        assert!(outputs.page(&path, 2_000, None).expect("a page").contains("1000 lines only"));
        for other in ["output:", "output:../hearth", "output:nothere", "notes.md"] {
            assert_eq!(outputs.page(other, 1, None), None, "{other}");
        }
    }

    #[test]
    fn one_line_of_megabytes_has_small_pages() {
        let folder = tempfile::tempdir().expect("folder");
        let outputs = Outputs::new(folder.path().to_path_buf());
        let path = outputs.keep(&"长".repeat(5_000_000 / 3)).expect("kept");
        let page = outputs.page(&path, 1_600, Some(2)).expect("a page");
        assert!(page.chars().count() < 2_100 && page.contains("of 1667 of"), "{}", page.len());
    }

    #[test]
    fn old_results_are_removed() {
        let folder = tempfile::tempdir().expect("folder");
        let outputs = Outputs::new(folder.path().to_path_buf());
        let (old, new) = (outputs.keep("old").expect("kept"), outputs.keep("new").expect("kept"));
        let name = old.strip_prefix(PREFIX).expect("a name");
        let file = fs::File::options().write(true).open(outputs.file(name)).expect("opens");
        let long_ago = SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60);
        file.set_modified(long_ago).expect("set");
        outputs.tidy();
        assert_eq!(outputs.page(&old, 1, None), None);
        assert!(outputs.page(&new, 1, None).is_some());
    }
}
