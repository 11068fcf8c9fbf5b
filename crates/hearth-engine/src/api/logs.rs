//! The log as a window shows it: its last lines, over the days that are kept.
//!
//! Invariant: what is read is bounded, however large the files are. Absent here: writing and masking
//! ([`crate::logging`]).

use crate::Engine;
use hearth_protocol::{ErrorCode, WireError};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes that are read from the end of one file.
const MOST_BYTES: u64 = 1_000_000;
/// Lines that are given back.
const MOST_LINES: usize = 5_000;

/// The last lines, in order; none where nothing was logged.
///
/// # Errors
/// `storage` where the folder cannot be read.
pub async fn tail(engine: &Engine, count: u32) -> Result<Vec<String>, WireError> {
    let folder = engine.home().logs();
    let most = usize::try_from(count).unwrap_or(MOST_LINES).min(MOST_LINES);
    let read = tokio::task::spawn_blocking(move || last_lines(&folder, most)).await;
    read.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(|error| {
        let message = format!("the log cannot be read: {error}");
        WireError::new(ErrorCode::Storage, message, "Check that the logs folder may be read.")
    })
}

fn last_lines(folder: &Path, most: usize) -> io::Result<Vec<String>> {
    let mut days = days(folder)?;
    let mut lines = VecDeque::new();
    while lines.len() < most {
        let Some(day) = days.pop() else { break };
        let text = end_of(&day)?;
        let missing = most - lines.len();
        for line in text.lines().rev().take(missing) {
            lines.push_front(line.to_owned());
        }
    }
    Ok(lines.into())
}

/// The files, oldest first: their names hold their day.
fn days(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut days: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "log"))
        .collect();
    days.sort();
    Ok(days)
}

/// The end of a file, from the beginning of a line on.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let from = file.metadata()?.len().saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match (from, text.split_once('\n')) {
        (0, _) | (_, None) => text,
        (_, Some((_, rest))) => rest.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_reach_back_over_days_and_begin_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("ok");
        write("hearth.2026-11-28.log", "a\nb\n");
        write("hearth.2026-11-29.log", "c\nd\n");
        write("notes.txt", "not a log\n");
        let lines = |most| last_lines(folder.path(), most).expect("read");
        assert_eq!(lines(1), ["d"]);
        assert_eq!(lines(3), ["b", "c", "d"]);
        assert_eq!(lines(9), ["a", "b", "c", "d"]);
        write("hearth.2026-11-30.log", &format!("{}\nlast\n", "x".repeat(1_000_000)));
        assert_eq!(lines(2), ["d", "last"]);
        assert!(last_lines(&folder.path().join("none"), 3).expect("read").is_empty());
    }
}
