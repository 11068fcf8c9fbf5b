//! The persona files that a run is given, read from disk.

use crate::error::{Result, WorkspaceError};
use crate::{PersonaFile, Run, WorkspaceRoot};

/// A persona file for a prompt, before it is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Which one.
    pub file: PersonaFile,
    /// Its text, or the marker that stands for it.
    pub text: String,
    /// Hash of its bytes; empty where a marker stands for it.
    pub hash: String,
    /// Why it is not the file's text: missing, or refused.
    pub problem: Option<String>,
}

impl WorkspaceRoot {
    /// The persona files of a run, in the order of the prompt. A missing or refused file is a
    /// marker, so that the assistant knows; a file that may be absent is left out.
    ///
    /// # Errors
    /// If the workspace folder itself is gone.
    pub fn load(&self, run: Run) -> Result<Vec<Loaded>> {
        let mut loaded = Vec::new();
        for file in PersonaFile::ALL.into_iter().filter(|file| file.is_loaded(run)) {
            match self.read(file.path()) {
                Ok(read) if read.exists => {
                    loaded.push(Loaded { file, text: read.text, hash: read.hash, problem: None })
                }
                Ok(_) => loaded.extend(file.missing_marker().map(|text| Loaded {
                    file,
                    text,
                    hash: String::new(),
                    problem: Some(format!("`{}` does not exist.", file.path())),
                })),
                Err(e @ WorkspaceError::Root { .. }) => return Err(e),
                Err(e) => loaded.push(Loaded {
                    file,
                    text: format!("[UNREADABLE] {}", file.path()),
                    hash: String::new(),
                    problem: Some(e.to_string()),
                }),
            }
        }
        Ok(loaded)
    }
}
