//! Why texts cannot be embedded.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// A failed call on the encoder.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// One of the model's files is not there.
    #[error("the embedding model is not in {}", .0.display())]
    Missing(PathBuf),
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no model of the kind that is run here.
    #[error("{} is not a usable embedding model: {why}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The tokenizer or the network failed on a text.
    #[error("the embedding model failed: {0}")]
    Failed(String),
}

impl EmbedError {
    pub(crate) fn malformed(path: &Path, why: impl ToString) -> Self {
        Self::Malformed { path: path.to_owned(), why: why.to_string() }
    }

    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::Missing(path.to_owned()),
            _ => Self::Io { path: path.to_owned(), source },
        }
    }
}

impl From<candle_core::Error> for EmbedError {
    fn from(error: candle_core::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
