//! Files of allowed folders outside the workspace, and kept outputs.
//!
//! Invariants: everything below an allowed folder is opened through it (cap-std), so a link that leads out
//! is refused even if it is slipped in meanwhile; a file is replaced in one step or not at all; what was read
//! here was written by others. Absent here: versions (the workspace alone has them) and policy.

use crate::call::{Invocation, Outcome};
use crate::files::{changed_since, listing, missing, replaced};
use crate::page;
use crate::reach::Place;
use crate::search::Hits;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use hearth_workspace::FolderEntry;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Folders below the one searched.
const DEPTH: usize = 8;
/// Files looked at in one search.
const FILES: usize = 5_000;
/// Larger files are not searched.
const SEARCHED_BYTES: u64 = 8 * 1024 * 1024;

/// A page of a file.
pub(crate) fn read(place: &Place, call: &Invocation) -> Outcome {
    let path = call.text("path");
    let from = call.count("from").unwrap_or(1).max(1);
    let text =
        opened(place).and_then(|file| page::page(BufReader::new(file), from, call.count("lines")));
    let outcome = match text {
        Ok(Some(text)) => Outcome::done(text),
        Ok(None) => Outcome::failed(format!("{path} is no text.")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => missing(path),
        Err(error) => Outcome::failed(format!("{path} cannot be read: {error}")),
    };
    if place.is_untrusted() { outcome.from_outside(path) } else { outcome }
}

/// Replaces a file, or makes it.
pub(crate) fn write(place: &Place, call: &Invocation, most: u64) -> Outcome {
    let path = call.text("path");
    if call.extras.seen.is_some() && call.extras.seen != fingerprint(place, most) {
        return Outcome::failed(changed_since(path));
    }
    match replacing(place, call, most) {
        Ok(()) => replace(place, path, call.text("content")),
        Err(why) => Outcome::failed(why),
    }
}

/// Whether a file may be replaced by this text, or why not.
pub(crate) fn replacing(place: &Place, call: &Invocation, most: u64) -> Result<(), String> {
    let (path, content) = (call.text("path"), call.text("content"));
    if content.len() as u64 > most {
        return Err(format!(
            "{path} would have {} bytes, at most {most} are allowed.",
            content.len()
        ));
    }
    let before = match whole(place, most) {
        Ok(before) => before,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(format!("{path} cannot be replaced: {error}")),
    };
    if before.len() > 200 && content.len() * 2 < before.len() {
        return Err(format!(
            "That would shrink {path} from {} to {} bytes; nothing was written. Change parts of it with \
             edit_file, or ask your person to do it.",
            before.len(),
            content.len()
        ));
    }
    Ok(())
}

/// The hash of a file's bytes, empty where it is not there.
pub(crate) fn fingerprint(place: &Place, most: u64) -> Option<String> {
    match whole(place, most) {
        Ok(bytes) => Some(blake3::hash(&bytes).to_hex().to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(String::new()),
        Err(_) => None,
    }
}

/// Replaces the only occurrence of a text.
pub(crate) fn edit(place: &Place, call: &Invocation, most: u64) -> Outcome {
    let path = call.text("path");
    match editing(place, call, most) {
        Err(why) => Outcome::failed(why),
        Ok((text, _)) if whole(place, most).ok().as_deref() != Some(text.as_bytes()) => {
            Outcome::failed(format!(
                "{path} was changed at the same time; nothing was written. Read it again and repeat your change."
            ))
        }
        Ok((_, new)) => replace(place, path, &new),
    }
}

/// The text before and after, or why there is none.
pub(crate) fn editing(
    place: &Place,
    call: &Invocation,
    most: u64,
) -> Result<(String, String), String> {
    let path = call.text("path");
    let before = match whole(place, most) {
        Ok(before) => before,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing(path).text),
        Err(error) => return Err(format!("{path} cannot be read: {error}")),
    };
    let text = String::from_utf8(before).map_err(|_| format!("{path} is no UTF-8 text."))?;
    let new = replaced(path, &text, call.text("old"), call.text("new"))?;
    Ok((text, new))
}

/// What a folder holds.
pub(crate) fn list(place: &Place, path: &str) -> Outcome {
    let entries = folder(place).and_then(|dir| entries(&dir));
    match entries {
        Ok(entries) => listing(path, &entries).from_outside(path),
        Err(error) => Outcome::failed(format!("{path} cannot be listed: {error}")),
    }
}

/// Looks through a file, or a folder and what is below it.
pub(crate) fn search(place: &Place, hits: &mut Hits, path: &str) -> Result<(), String> {
    if let Ok(file) = opened(place) {
        return look(file, path, hits).map_err(|error| format!("{path} cannot be read: {error}"));
    }
    let dir = folder(place).map_err(|error| format!("{path} cannot be searched: {error}"))?;
    let mut files = 0;
    below(&dir, path.trim_end_matches('/'), 0, &mut files, hits);
    Ok(())
}

fn below(dir: &Dir, at: &str, depth: usize, files: &mut usize, hits: &mut Hits) {
    for entry in entries(dir).unwrap_or_default() {
        let path = format!("{at}/{}", entry.name);
        if hits.is_full() || *files >= FILES {
            return;
        }
        let linked = dir.symlink_metadata(&entry.name).is_ok_and(|meta| meta.is_symlink());
        let skipped =
            entry.name.starts_with('.') || entry.name == "node_modules" || entry.name == "target";
        if entry.folder && !linked && !skipped && depth < DEPTH {
            let Ok(dir) = dir.open_dir(&entry.name) else { continue };
            below(&dir, &path, depth + 1, files, hits);
        } else if !entry.folder && entry.bytes <= SEARCHED_BYTES {
            *files += 1;
            // A file that may not be read, or is gone by now, has no hits.
            let _ = regular(dir, Path::new(&entry.name)).and_then(|file| look(file, &path, hits));
        }
    }
}

fn look(file: impl Read, path: &str, hits: &mut Hits) -> io::Result<()> {
    page::lines(BufReader::new(file), |at, line| {
        if line.contains(&0) {
            return false;
        }
        hits.look(path, at, &String::from_utf8_lossy(line));
        !hits.is_full()
    })
}

/// The file at a place, for reading.
fn opened(place: &Place) -> io::Result<Box<dyn Read>> {
    match place {
        Place::Output { path, .. } => Ok(Box::new(std::fs::File::open(path)?)),
        Place::Outside { root, rest } if !rest.as_os_str().is_empty() => {
            Ok(Box::new(regular(&open_root(root)?, rest)?))
        }
        Place::Outside { .. } | Place::Workspace(_) => Err(io::Error::other("it is a folder")),
    }
}

/// A pipe or device would wait for ever or act: only plain files are opened.
fn regular(dir: &Dir, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = dir.open_with(path, &options)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no plain file")) }
}

fn whole(place: &Place, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    opened(place)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}

fn replace(place: &Place, path: &str, text: &str) -> Outcome {
    match put(place, text.as_bytes()) {
        Ok(()) => Outcome::done(format!("Saved {path}.")),
        Err(error) => Outcome::failed(format!("{path} was not written: {error}")),
    }
}

fn put(place: &Place, bytes: &[u8]) -> io::Result<()> {
    let Place::Outside { root, rest } = place else {
        return Err(io::Error::other("kept outputs are not changed"));
    };
    let name = rest.file_name().ok_or_else(|| io::Error::other("it is a folder"))?;
    let mut dir = open_root(root)?;
    if let Some(parent) = rest.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        dir.create_dir_all(parent)?;
        dir = dir.open_dir(parent)?;
    }
    // A link or a folder in its place would be replaced by a file.
    if dir.symlink_metadata(name).is_ok_and(|meta| !meta.is_file()) {
        return Err(io::Error::other("it is no plain file"));
    }
    let temporary =
        PathBuf::from(format!(".hearth-{}-{}", std::process::id(), blake3::hash(bytes).to_hex()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let written = dir.open_with(&temporary, &options).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Ok(old) = dir.metadata(name) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    });
    let done = written.and_then(|()| dir.rename(&temporary, &dir, name));
    if done.is_err() {
        let _ = dir.remove_file(&temporary);
    }
    done
}

fn open_root(root: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(root, ambient_authority())
}

fn folder(place: &Place) -> io::Result<Dir> {
    match place {
        Place::Outside { root, rest } if rest.as_os_str().is_empty() => open_root(root),
        Place::Outside { root, rest } => open_root(root)?.open_dir(rest),
        Place::Output { .. } | Place::Workspace(_) => Err(io::Error::other("it is no folder")),
    }
}

/// What can be seen through the open folder; a link that leaves it is left out.
fn entries(dir: &Dir) -> io::Result<Vec<FolderEntry>> {
    let mut found = Vec::new();
    for entry in dir.entries()?.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(meta) = dir.metadata(&name) else { continue };
        let bytes = if meta.is_file() { meta.len() } else { 0 };
        found.push(FolderEntry { name, folder: meta.is_dir(), bytes });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}
