//! A workspace in a temporary folder, with a journal that keeps versions in memory.

use hearth_protocol::api::files::{Author, FileSave, FileSaved};
use hearth_workspace::{Attribution, Journal, JournalError, Version, WorkspaceRoot, hash};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Keeps versions as the store does: the latest is not kept twice.
#[derive(Default)]
pub(crate) struct Versions {
    kept: Mutex<Vec<Version>>,
    pub(crate) broken: AtomicBool,
}

impl Journal for Versions {
    fn record(&self, version: &Version) -> Result<(), JournalError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(JournalError("the database is locked".to_owned()));
        }
        assert_eq!(version.hash, version.bytes.as_deref().map(hash).unwrap_or_default());
        let mut kept = self.kept.lock().unwrap();
        let latest = kept.iter().rev().find(|v| v.path == version.path);
        if latest.is_none_or(|v| v.hash != version.hash) {
            kept.push(version.clone());
        }
        Ok(())
    }
}

impl Versions {
    /// Author and text of each version of a file, oldest first; no text where it was removed.
    pub(crate) fn of(&self, path: &str) -> Vec<(Author, Option<String>)> {
        let kept = self.kept.lock().unwrap();
        let of_path = kept.iter().filter(|v| v.path == path);
        let text = |v: &Version| v.bytes.as_ref().map(|b| String::from_utf8_lossy(b).into_owned());
        of_path.map(|v| (v.by.author, text(v))).collect()
    }
}

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) versions: Arc<Versions>,
    pub(crate) root: WorkspaceRoot,
}

pub(crate) fn workspace() -> Fixture {
    workspace_at(tempfile::tempdir().unwrap())
}

/// For tests of thousands of writes, which would wait for the disk.
pub(crate) fn workspace_in_memory() -> Fixture {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    workspace_at(in_memory.or_else(|_| tempfile::tempdir()).unwrap())
}

fn workspace_at(folder: TempDir) -> Fixture {
    let versions = Arc::new(Versions::default());
    let root = WorkspaceRoot::open(folder.path(), versions.clone()).unwrap();
    Fixture { folder, versions, root }
}

pub(crate) fn user() -> Attribution {
    Author::User.into()
}

impl Fixture {
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Another program writes.
    pub(crate) fn outside(&self, path: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(path), bytes).unwrap();
    }

    pub(crate) fn on_disk(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    /// An edit of the file as it is now.
    pub(crate) fn edit(&self, path: &str, text: &str) -> FileSave {
        let now = self.root.read(path).unwrap();
        FileSave {
            path: path.to_owned(),
            text: text.to_owned(),
            base_hash: now.hash,
            base_text: now.text,
            confirmed: false,
        }
    }

    pub(crate) fn save(&self, path: &str, text: &str) -> FileSaved {
        self.root.save(&self.edit(path, text), &user()).unwrap()
    }

    /// Every file and folder below the workspace, temporary ones included.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let below = path.strip_prefix(self.folder.path()).unwrap();
                found.push(below.to_str().unwrap().replace('\\', "/"));
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                }
            }
        }
        found.sort();
        found
    }
}
