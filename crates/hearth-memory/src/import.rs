//! Dated notes from elsewhere, written into daily logs.
//!
//! Invariants: all lines are checked before the first is written; an id that is in its day's log already is
//! not written again; what stands in a log is only ever appended to.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;
use hearth_protocol::api::files::Author;
use hearth_protocol::api::memory::MemoryImported;
use hearth_workspace::WorkspaceRoot;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use crate::chunk::chunks;
use crate::daily::Bullet;
use crate::{Memory, MemoryError, Result};

/// A log is continued in a second file before it gets too large to be read.
const LARGEST_LOG: usize = 1 << 20;

/// A line of an import; other fields are ignored.
#[derive(Debug, Deserialize)]
struct Note {
    id: Option<String>,
    date: String,
    session: Option<String>,
    speaker: Option<String>,
    text: String,
}

impl Memory {
    /// Writes notes (JSON Lines of `{id, date, session, speaker, text}`) into daily logs and reads the index
    /// up to them.
    ///
    /// # Errors
    /// A line that is no such note (nothing is written then); the disk's.
    pub async fn import(&self, lines: &str) -> Result<MemoryImported> {
        let days = parse(lines)?;
        let mut done = MemoryImported::default();
        for (day, bullets) in days {
            let workspace = Arc::clone(&self.inner.workspace);
            let (written, files) = spawn_blocking(move || append(&workspace, day, &bullets))
                .await?
                .map(|(written, skipped, files)| ((written, skipped), files))?;
            done.imported += written.0;
            done.skipped += written.1;
            done.files += files;
        }
        self.sync().await?;
        Ok(done)
    }
}

/// Notes by day, those of one session together, each as it will be written.
fn parse(lines: &str) -> Result<BTreeMap<NaiveDate, Vec<Bullet>>> {
    let mut days: BTreeMap<NaiveDate, Vec<Bullet>> = BTreeMap::new();
    for (index, line) in lines.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| MemoryError::Line { line: index + 1, why };
        let note: Note = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let day =
            note.date.get(..10).and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
        let day = day.ok_or_else(|| wrong(format!("{:?} is no date", note.date)))?;
        let time = note.date.get(11..16).filter(|time| time.as_bytes()[2] == b':');
        days.entry(day).or_default().push(Bullet {
            time: time.map(str::to_owned),
            speaker: note.speaker.filter(|speaker| !speaker.trim().is_empty()),
            text: note.text,
            id: note.id,
            session: note.session,
            over: false,
        });
    }
    for bullets in days.values_mut() {
        let mut sessions: Vec<Option<String>> = Vec::new();
        for bullet in bullets.iter() {
            if !sessions.contains(&bullet.session) {
                sessions.push(bullet.session.clone());
            }
        }
        bullets.sort_by_key(|bullet| sessions.iter().position(|one| *one == bullet.session));
    }
    Ok(days)
}

/// Notes written, notes that were there, and files written to.
fn append(
    workspace: &WorkspaceRoot,
    day: NaiveDate,
    bullets: &[Bullet],
) -> Result<(u64, u64, u64)> {
    let mut known: HashSet<String> = HashSet::new();
    let mut part = 1;
    let mut size;
    loop {
        let path = log_path(day, part);
        let file = workspace.read(&path)?;
        size = file.text.len();
        known.extend(chunks(&path, &file.text).into_iter().filter_map(|chunk| chunk.doc));
        if size < LARGEST_LOG {
            break;
        }
        part += 1;
    }
    let new: Vec<&Bullet> = bullets
        .iter()
        .filter(|bullet| bullet.id.as_ref().is_none_or(|id| known.insert(id.clone())))
        .collect();
    let mut files = 0;
    let mut at = 0;
    while at < new.len() {
        let mut block = if size == 0 { format!("# {day}\n\n") } else { String::new() };
        while at < new.len() && size + block.len() < LARGEST_LOG {
            block.push_str(&new[at].write());
            at += 1;
        }
        workspace.append(&log_path(day, part), &block, &Author::Import.into())?;
        files += 1;
        part += 1;
        size = 0;
    }
    let written = new.len() as u64;
    Ok((written, bullets.len() as u64 - written, files))
}

fn log_path(day: NaiveDate, part: usize) -> String {
    match part {
        1 => format!("memory/{day}.md"),
        part => format!("memory/{day}-{part}.md"),
    }
}
