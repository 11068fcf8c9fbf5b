//! The home folder: where it is, what lies in it, and who owns it.
//!
//! Invariant: one process owns a home, by an OS lock on `hearth.lock` that ends with the process, however
//! it ends. Only the owner writes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Error;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// Why a home cannot be used.
#[derive(Debug, ThisError)]
pub enum HomeError {
    /// Another process owns it.
    #[error("another Hearth process uses {0}")]
    Busy(String),
    /// The platform names no folder for data.
    #[error("this system names no folder for application data")]
    NoPlace,
    /// A folder or file cannot be made.
    #[error("{path} cannot be used: {source}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        source: Error,
    },
}

/// The folders of one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// `given`, else `HEARTH_HOME`, else the platform's data folder.
    ///
    /// # Errors
    /// When the platform has none.
    pub fn find(given: Option<&Path>) -> Result<Self, HomeError> {
        let named = given.map(Path::to_path_buf).or_else(|| {
            std::env::var_os("HEARTH_HOME").filter(|value| !value.is_empty()).map(PathBuf::from)
        });
        let root = match named {
            Some(path) => std::path::absolute(&path).unwrap_or(path),
            None => directories::ProjectDirs::from("", "", "Hearth")
                .ok_or(HomeError::NoPlace)?
                .data_dir()
                .to_path_buf(),
        };
        Ok(Self { root })
    }

    /// Makes the folders that are missing.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn create(&self) -> Result<(), HomeError> {
        for folder in [self.root.clone(), self.models(), self.logs()] {
            std::fs::create_dir_all(&folder).map_err(|source| io(&folder, source))?;
        }
        private(&self.root);
        Ok(())
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `hearth.toml`.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.root.join("hearth.toml")
    }

    /// The ledger.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("hearth.db")
    }

    /// The index of memory.
    #[must_use]
    pub fn index(&self) -> PathBuf {
        self.root.join("index.db")
    }

    /// Model files.
    #[must_use]
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Files that were pasted into a message, until it is sent.
    #[must_use]
    pub fn pasted(&self) -> PathBuf {
        self.root.join("pasted")
    }

    /// The workspace, where the settings name no other.
    #[must_use]
    pub fn workspace(&self, configured: &str) -> PathBuf {
        match configured {
            "" => self.root.join("workspace"),
            // A folder that moved with the current directory would be another one each time.
            path => self.root.join(expand(path)),
        }
    }

    /// Takes the home for this process.
    ///
    /// # Errors
    /// [`HomeError::Busy`] while another process has it.
    pub fn own(&self) -> Result<Ownership, HomeError> {
        let path = self.root.join("hearth.lock");
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(|source| io(&path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Ownership { _file: file }),
            Err(TryLockError::WouldBlock) => Err(HomeError::Busy(self.root.display().to_string())),
            Err(TryLockError::Error(source)) => Err(io(&path, source)),
        }
    }
}

/// The home is this process's own until this is dropped.
#[derive(Debug)]
pub struct Ownership {
    _file: File,
}

fn io(path: &Path, source: Error) -> HomeError {
    HomeError::Io { path: path.display().to_string(), source }
}

/// `~/` as people write it.
fn expand(path: &str) -> PathBuf {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Conversations are nobody else's business. A file system without modes is left as it is.
#[cfg(unix)]
fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if let Err(error) = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)) {
        tracing::warn!(%error, "the home folder keeps its permissions");
    }
}

/// The user's application data folder is private on Windows already.
#[cfg(not(unix))]
fn private(_folder: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_one_owner_at_a_time() {
        let folder = tempfile::tempdir().expect("folder");
        let home = Home::find(Some(folder.path())).expect("given");
        home.create().expect("creates");
        let owner = home.own().expect("owns");
        assert!(matches!(home.own(), Err(HomeError::Busy(_))));
        drop(owner);
        home.own().expect("owns again");
    }

    #[test]
    fn the_workspace_is_inside_unless_named() {
        let home = Home::find(Some(Path::new("/tmp/h"))).expect("given");
        assert_eq!(home.workspace(""), Path::new("/tmp/h/workspace"));
        assert_eq!(home.workspace("/data/notes"), Path::new("/data/notes"));
        assert_eq!(home.workspace("notes"), Path::new("/tmp/h/notes"));
    }
}
