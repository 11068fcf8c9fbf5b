//! A zip file of OpenClaw's folder, unpacked as far as it is of use.
//!
//! Invariants: nothing leaves the folder it is unpacked to: paths are checked, links are refused, nothing is
//! overwritten; only Markdown, transcripts, their index and skills come out; sizes are counted as they come.

use crate::error::{Result, TransferError};
use crate::place;
use hearth_workspace::check_path;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

const MAX_FILES: usize = 50_000;
/// Bytes of one file of a workspace or skill; transcripts may be larger.
const MAX_FILE: u64 = 16 * 1024 * 1024;
const MAX_TRANSCRIPT: u64 = 256 * 1024 * 1024;
/// Kinds of file in the upper half of a Unix mode.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;

/// Unpacks; returns what was refused, and why.
pub(crate) fn unpack(path: &Path, into: &Path) -> Result<Vec<(String, String)>> {
    let mut archive = place::open(path)?;
    if archive.len() > MAX_FILES {
        return Err(TransferError::TooMany { path: path.display().to_string(), limit: MAX_FILES });
    }
    fs::create_dir_all(into).map_err(|error| TransferError::io(into, error))?;
    let packed = fs::metadata(path).map_or(0, |meta| meta.len());
    let mut refused = Vec::new();
    let mut out: u64 = 0;
    for index in 0..archive.len() {
        let raw = archive
            .by_index_raw(index)
            .map_err(|error| place::damaged(path, &error.to_string()))?;
        let name = String::from_utf8_lossy(raw.name_raw()).into_owned();
        let kind = raw.unix_mode().map_or(0, |mode| mode & KIND);
        let (is_folder, is_link) =
            (name.ends_with('/'), raw.is_symlink() || !matches!(kind, 0 | PLAIN));
        drop(raw);
        if is_folder || !of_use(&name) {
            continue;
        }
        let done = match check_path(&name) {
            Err(fault) => Err(fault.to_string()),
            Ok(()) if is_link => Err("it is a link, which could lead anywhere".to_owned()),
            Ok(()) => {
                let limit = if name.contains(".jsonl") { MAX_TRANSCRIPT } else { MAX_FILE };
                place::entry(&mut archive, path, index).map_err(|error| error.to_string()).and_then(
                    |content| copy(content, into, &name, limit).map_err(|e| e.to_string()),
                )
            }
        };
        match done {
            Ok(bytes) => out += bytes,
            Err(why) => refused.push((name, why)),
        }
        if out > MAX_TRANSCRIPT && out / place::MAX_RATIO > packed {
            let path = path.display().to_string();
            return Err(TransferError::Bomb { path, ratio: place::MAX_RATIO });
        }
    }
    Ok(refused)
}

/// What an import reads.
fn of_use(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let markdown = Path::new(last).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    let skill = name.split('/').any(|part| part == "skills");
    let kept = markdown
        || skill
        || last.contains(".jsonl")
        || last == "sessions.json"
        || last == "openclaw.json";
    kept && !name.contains("__MACOSX")
        && !name.split('/').any(|part| part == "node_modules" || part == ".git")
}

fn copy(content: impl Read, into: &Path, name: &str, limit: u64) -> io::Result<u64> {
    let target = into.join(name);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(&target)?;
    let copied = io::copy(&mut content.take(limit + 1), &mut file);
    let done = copied.and_then(|bytes| match bytes > limit {
        true => Err(io::Error::other(format!("it is larger than {} MB", limit >> 20))),
        false => Ok(bytes),
    });
    if done.is_err() {
        drop(file);
        let _ = fs::remove_file(&target);
    }
    done
}
