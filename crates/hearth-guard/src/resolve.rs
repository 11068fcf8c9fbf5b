//! Where a path really leads, links followed, for places outside the workspace and for the arguments of
//! commands. Inside the workspace the file tools resolve on open handles instead.
//!
//! Invariant: what is answered was true of the file system when it was asked; a link that leads nowhere,
//! or a `..` behind something that does not exist, is refused, since it could come to mean anything.

use crate::path::{self, PathTrouble, System};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why a path could not be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Its spelling cannot be judged.
    #[error("{0}")]
    Spelling(PathTrouble),
    /// A link that leads nowhere.
    #[error("a link on the way leads nowhere")]
    Dangling,
    /// `..` behind a part that does not exist.
    #[error("it climbs out of a folder that does not exist")]
    ClimbsFromNothing,
    /// The system refused.
    #[error("it cannot be looked at: {0}")]
    Io(#[from] io::Error),
}

/// The real path of something that exists, or of something that may be made in a folder that exists.
///
/// # Errors
/// Where that cannot be said for certain.
pub fn real(base: &Path, text: &str) -> Result<PathBuf, ResolveError> {
    let system = System::here();
    // Spelling first: devices, streams and invisible characters never reach the file system.
    path::normal(&base.to_string_lossy(), text, system).map_err(ResolveError::Spelling)?;
    let mut found = std::fs::canonicalize(base)?;
    let mut missing: Vec<std::ffi::OsString> = Vec::new();
    for component in Path::new(text).components() {
        match component {
            Component::Prefix(_) | Component::RootDir => {
                found = PathBuf::from(component.as_os_str());
                if matches!(component, Component::RootDir) && cfg!(windows) {
                    found = Path::new(text).ancestors().last().map(Path::to_owned).unwrap_or(found);
                }
            }
            Component::CurDir => {}
            Component::ParentDir if missing.is_empty() => {
                found.pop();
            }
            Component::ParentDir => return Err(ResolveError::ClimbsFromNothing),
            Component::Normal(name) if missing.is_empty() => {
                let next = found.join(name);
                match std::fs::symlink_metadata(&next) {
                    Ok(_) => {
                        found =
                            std::fs::canonicalize(&next).map_err(|error| match error.kind() {
                                io::ErrorKind::NotFound => ResolveError::Dangling,
                                _ => ResolveError::Io(error),
                            })?;
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        missing.push(name.to_owned());
                    }
                    // A file where a folder should be: nothing can be there.
                    Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                        missing.push(name.to_owned());
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Component::Normal(name) => missing.push(name.to_owned()),
        }
    }
    found.extend(missing);
    Ok(found)
}

/// Whether a path, from `folder`, leads to `folder` or below it.
#[must_use]
pub fn stays(folder: &Path, text: &str) -> bool {
    let Ok(root) = std::fs::canonicalize(folder) else { return false };
    real(folder, text).is_ok_and(|found| found.starts_with(&root))
}
