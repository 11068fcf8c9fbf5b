//! The workspace folder: where a path leads, and reading.
//!
//! Invariant: a path is resolved once, links included, to a place below the folder; everything
//! after that works on the open parent folder and a single name, through cap-std, so that a link
//! slipped in meanwhile is refused and not followed.

use crate::disk::{self, Found};
use crate::error::{Result, WorkspaceError};
use crate::observe::Observed;
use crate::path::{TEMPORARY, check_path};
use crate::{Journal, PersonaFile, Version, problems, style};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use hearth_protocol::api::files::{Author, FileText};
use std::collections::HashMap;
use std::fmt;
use std::fs::TryLockError;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Larger files are refused.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
pub(crate) const MAX_DEPTH: usize = 8;
const LOCK_TRIES: u32 = 5_000;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// Hash of a file's bytes, as it stands in [`FileText::hash`].
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

pub(crate) fn hash_of(bytes: Option<&[u8]>) -> String {
    bytes.map(hash).unwrap_or_default()
}

/// An open workspace. Writes through one are in order; share it behind an `Arc`.
pub struct WorkspaceRoot {
    folder: PathBuf,
    pub(crate) journal: Arc<dyn Journal>,
    recorded: Mutex<Recorded>,
    /// Commands that run. Locked after `recorded`.
    pub(crate) observed: Mutex<Vec<Arc<Observed>>>,
}

/// Hash of the content that the journal holds last, by real path. Empty: removed.
pub(crate) type Recorded = HashMap<String, String>;

/// A path, resolved.
pub(crate) struct Place {
    /// As asked for.
    pub(crate) path: String,
    /// Where it is, links followed.
    pub(crate) real: String,
    folder: PathBuf,
    name: String,
}

/// A file of the workspace in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Path within the workspace.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Last change, Unix seconds.
    pub modified_at: i64,
    pub(crate) stamp: Option<SystemTime>,
}

/// What a folder of the workspace holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name, without the folder.
    pub name: String,
    /// It is a folder itself.
    pub folder: bool,
    /// Its size; 0 for a folder.
    pub bytes: u64,
}

impl fmt::Debug for WorkspaceRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkspaceRoot").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl WorkspaceRoot {
    /// Opens the folder, creating it if absent. Touches no file in it.
    ///
    /// # Errors
    /// If it cannot be created or read, or is no folder.
    pub fn open(folder: &Path, journal: Arc<dyn Journal>) -> Result<Self> {
        let root = |source| WorkspaceError::Root { path: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(root)?;
        let folder = std::fs::canonicalize(folder).map_err(root)?;
        Dir::open_ambient_dir(&folder, ambient_authority())
            .and_then(|dir| dir.entries().map(drop))
            .map_err(root)?;
        Ok(Self { folder, journal, recorded: Mutex::default(), observed: Mutex::default() })
    }

    /// The folder, links resolved.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file's text, without its byte-order mark, and the hash of its bytes. A missing file is
    /// empty and has an empty hash.
    ///
    /// # Errors
    /// Each file that is refused, with the reason.
    pub fn read(&self, path: &str) -> Result<FileText> {
        let place = self.resolve(path)?;
        let Some(bytes) = self.bytes(&place)? else {
            return Ok(FileText {
                path: path.to_owned(),
                text: String::new(),
                hash: String::new(),
                exists: false,
                cap_chars: crate::DEFAULT_FILE_CHARS as u64,
                problems: Vec::new(),
            });
        };
        let text = style::without_bom(text(path, &bytes)?).to_owned();
        Ok(FileText {
            path: path.to_owned(),
            problems: problems(path, &text),
            text,
            hash: hash(&bytes),
            exists: true,
            cap_chars: crate::DEFAULT_FILE_CHARS as u64,
        })
    }

    /// The hash of a file's bytes, whether they are text or not; none where there is no file.
    ///
    /// # Errors
    /// If the path is refused, or the file is too large.
    pub fn fingerprint(&self, path: &str) -> Result<Option<String>> {
        let place = self.resolve(path)?;
        Ok(self.bytes(&place)?.as_deref().map(hash))
    }

    /// The Markdown files of the workspace, sorted by path. Folders that hide their name are left
    /// out, but for `.learnings` and `.agents`, and so are links to folders.
    ///
    /// # Errors
    /// If the workspace folder cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>> {
        let mut found = Vec::new();
        let root = self.dir()?;
        walk(&root, "", 0, &mut found).map_err(|e| WorkspaceError::reading(".", e))?;
        for (listed, is_link) in &mut found {
            if *is_link && let Ok(place) = self.resolve(&listed.path) {
                self.fill(listed, &place);
            }
        }
        let mut files: Vec<_> = found.into_iter().map(|(listed, _)| listed).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// What a folder holds, by name, `.` being the workspace itself. Links that lead out, hidden files
    /// and files in the middle of a write are left out.
    ///
    /// # Errors
    /// If the path is refused, or is no folder.
    pub fn folder_entries(&self, path: &str) -> Result<Vec<FolderEntry>> {
        let dir = match path {
            "." | "" => self.dir()?,
            path => {
                let place = self.resolve(path.trim_end_matches('/'))?;
                let reading = |e| WorkspaceError::reading(path, e);
                self.dir()?.open_dir(&place.real).map_err(reading)?
            }
        };
        let reading = |e| WorkspaceError::reading(path, e);
        let mut found = Vec::new();
        for entry in dir.entries().map_err(reading)? {
            let entry = entry.map_err(reading)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Through the open folder, so a link that leaves it fails here and is left out.
            let Ok(meta) = dir.metadata(&name) else { continue };
            if name.starts_with('.') && name != ".learnings" && name != ".agents" {
                continue;
            }
            let bytes = if meta.is_file() { meta.len() } else { 0 };
            found.push(FolderEntry { name, folder: meta.is_dir(), bytes });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Whether this workspace was never lived in: no persona file, no memory, no state.
    ///
    /// # Errors
    /// If the workspace folder cannot be read.
    pub fn is_new(&self) -> Result<bool> {
        let dir = self.dir()?;
        let taken = |name: &str| dir.symlink_metadata(name).is_ok();
        Ok(!PersonaFile::ALL.iter().any(|file| taken(file.path()))
            && !taken("memory")
            && !taken(".learnings"))
    }

    fn fill(&self, listed: &mut Listed, place: &Place) {
        if let Ok(meta) = std::fs::metadata(self.folder.join(&place.real)) {
            listed.bytes = meta.len();
            listed.stamp = meta.modified().ok();
            listed.modified_at = listed.stamp.map_or(0, unix_seconds);
        }
    }

    pub(crate) fn dir(&self) -> Result<Dir> {
        // Opened anew each time: the person may have replaced the folder meanwhile.
        Dir::open_ambient_dir(&self.folder, ambient_authority()).map_err(|source| {
            WorkspaceError::Root { path: self.folder.display().to_string(), source }
        })
    }

    /// What the journal holds. While it is held, no other thread writes here.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Recorded> {
        // What is recorded stays true if a thread died: it is only ever set after the fact.
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While it is held, no other Hearth writes here either. The lock is on the folder itself, so
    /// that no file is needed for it; where folders cannot be locked (Windows, some network disks)
    /// only the comparison before each write protects.
    pub(crate) fn lock_for_writing(&self, path: &str) -> Result<Option<std::fs::File>> {
        // On Windows a folder does not even open as a file.
        let Ok(folder) = std::fs::File::open(&self.folder) else { return Ok(None) };
        for _ in 0..LOCK_TRIES {
            match folder.try_lock() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(folder)),
            }
        }
        Err(WorkspaceError::Busy { path: path.to_owned() })
    }

    /// Where `path` leads. The file itself may be missing.
    pub(crate) fn resolve(&self, path: &str) -> Result<Place> {
        check_path(path)?;
        let real = self.real(path)?;
        let folder = real.parent().map(Path::to_path_buf).unwrap_or_default();
        let name = real.file_name().and_then(|n| n.to_str());
        let (Some(name), Some(real)) = (name, slashed(&real)) else {
            return Err(WorkspaceError::NotAFile { path: path.to_owned() });
        };
        Ok(Place { path: path.to_owned(), name: name.to_owned(), real, folder })
    }

    /// A path in the workspace as it stands, no link followed.
    pub(crate) fn at(&self, path: &str) -> Place {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let [path, real, name] = [path, path, name].map(str::to_owned);
        Place { path, real, folder: folder.into(), name }
    }

    fn real(&self, path: &str) -> Result<PathBuf> {
        let full = self.folder.join(path);
        let mut rest = PathBuf::new();
        let mut at = full.as_path();
        loop {
            match std::fs::canonicalize(at) {
                Ok(real) => {
                    let below = real
                        .strip_prefix(&self.folder)
                        .map_err(|_| WorkspaceError::LeavesWorkspace { path: path.to_owned() })?;
                    return Ok(if rest.as_os_str().is_empty() {
                        below.to_path_buf()
                    } else {
                        below.join(&rest)
                    });
                }
                Err(_) if is_link(at) => return Err(self.broken(path, at)),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(WorkspaceError::reading(path, e)),
            }
            // Missing: its nearest folder that exists decides.
            let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
                return Err(WorkspaceError::Missing { path: path.to_owned() });
            };
            rest =
                if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(rest) };
            at = parent;
        }
    }

    /// A link to something that is missing: inside it is broken, outside it leaves.
    fn broken(&self, path: &str, link: &Path) -> WorkspaceError {
        let path = path.to_owned();
        let inside = std::fs::read_link(link).is_ok_and(|target| {
            let climbs = target.components().any(|c| c == Component::ParentDir);
            if target.is_absolute() { target.starts_with(&self.folder) } else { !climbs }
        });
        if inside {
            WorkspaceError::BrokenLink { path }
        } else {
            WorkspaceError::LeavesWorkspace { path }
        }
    }

    /// The bytes at a place; none where there is no file.
    pub(crate) fn bytes(&self, place: &Place) -> Result<Option<Vec<u8>>> {
        let path = place.path.as_str();
        let found = match self.parent(place) {
            Ok(dir) => disk::read(&dir, &place.name, MAX_FILE_BYTES),
            Err(e) => Err(e),
        };
        match found.map_err(|e| WorkspaceError::reading(path, e)) {
            Ok(Found::Bytes(bytes)) => Ok(Some(bytes)),
            Ok(Found::TooLarge(bytes)) => {
                Err(WorkspaceError::TooLarge { path: path.to_owned(), bytes })
            }
            Ok(Found::Other) => Err(WorkspaceError::NotAFile { path: path.to_owned() }),
            Err(WorkspaceError::Missing { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn parent(&self, place: &Place) -> io::Result<Dir> {
        let root = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        if place.folder.as_os_str().is_empty() { Ok(root) } else { root.open_dir(&place.folder) }
    }

    /// The folder that holds a place, created if need be, and the name in it.
    pub(crate) fn parent_for_writing<'a>(&self, place: &'a Place) -> Result<(Dir, &'a str)> {
        let writing = |e| WorkspaceError::writing(&place.path, e);
        let root = self.dir()?;
        if place.folder.as_os_str().is_empty() {
            return Ok((root, &place.name));
        }
        root.create_dir_all(&place.folder).map_err(writing)?;
        Ok((root.open_dir(&place.folder).map_err(writing)?, &place.name))
    }

    /// Has the journal keep what a place holds now, unless it does already.
    pub(crate) fn record(
        &self,
        recorded: &mut Recorded,
        place: &Place,
        bytes: Option<&[u8]>,
        by: &crate::Attribution,
    ) -> Result<()> {
        let now = hash_of(bytes);
        let before = recorded.get(&place.real);
        if before == Some(&now) || (before.is_none() && now.is_empty()) {
            return Ok(());
        }
        let version = Version {
            path: place.path.clone(),
            bytes: bytes.map(<[u8]>::to_vec),
            hash: now,
            by: by.clone(),
        };
        #[cfg(test)]
        disk::crash::step();
        self.journal
            .record(&version)
            .map_err(|source| WorkspaceError::Journal { path: place.path.clone(), source })?;
        recorded.insert(place.real.clone(), version.hash);
        Ok(())
    }

    /// As [`Self::record`], for what this process did not write: a command that runs did, or somebody else.
    pub(crate) fn record_found(
        &self,
        recorded: &mut Recorded,
        place: &Place,
        bytes: Option<&[u8]>,
    ) -> Result<()> {
        let now = hash_of(bytes);
        let outside = Author::Outside.into();
        if recorded.get(&place.real) == Some(&now) {
            return Ok(());
        }
        let observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(observed) = observed.iter().find(|one| one.is_changed(&place.real, &now)) else {
            return self.record(recorded, place, bytes, &outside);
        };
        // What was found by the name of a link is the file's own change, and so is what it held before.
        let place = &self.at(&place.real);
        if let Some(before) = observed.to_keep(&place.real, recorded) {
            if observed.is_linked(&place.real) {
                recorded.remove(&place.real);
            }
            self.record(recorded, place, Some(before), &outside)?;
        }
        self.record(recorded, place, bytes, observed.by())
    }
}

/// The text that `bytes` are.
pub(crate) fn text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str> {
    if bytes.contains(&0) && !bytes.starts_with(&[0xff, 0xfe]) && !bytes.starts_with(&[0xfe, 0xff])
    {
        return Err(WorkspaceError::Binary { path: path.to_owned() });
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        WorkspaceError::NotUtf8 { path: path.to_owned(), line }
    })
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|c| c.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

pub(crate) fn unix_seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn walk(dir: &Dir, at: &str, depth: usize, found: &mut Vec<(Listed, bool)>) -> io::Result<()> {
    for entry in dir.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !is_skipped(&name)
                && depth < MAX_DEPTH
                && let Ok(sub) = entry.open_dir()
            {
                // A folder that may not be read hides only what is in it.
                let _ = walk(&sub, &format!("{at}{name}/"), depth + 1, found);
            }
        } else if is_tracked(&name) && (kind.is_file() || kind.is_symlink()) {
            let meta = entry.metadata().ok();
            let stamp = meta.as_ref().and_then(|m| m.modified().ok()).map(|t| t.into_std());
            let listed = Listed {
                path: format!("{at}{name}"),
                bytes: meta.map_or(0, |m| m.len()),
                modified_at: stamp.map_or(0, unix_seconds),
                stamp,
            };
            found.push((listed, kind.is_symlink()));
        }
    }
    Ok(())
}

/// Folders in which nothing is the assistant's.
pub(crate) fn is_skipped(name: &str) -> bool {
    let heavy = matches!(name, "node_modules" | "target" | "__pycache__");
    let hidden = name.starts_with('.') && name != ".learnings" && name != ".agents";
    heavy || hidden
}

fn is_tracked(name: &str) -> bool {
    let markdown = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
    markdown && !name.starts_with(TEMPORARY)
}
