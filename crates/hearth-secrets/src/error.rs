//! What can go wrong with secrets, and what a person can do. No variant can hold a value.

use std::path::PathBuf;
use thiserror::Error;

pub(crate) type Result<T, E = SecretsError> = std::result::Result<T, E>;

/// A failed call. The file is as it was.
#[derive(Debug, Error)]
pub enum SecretsError {
    /// There are secrets, but their key is not at hand.
    #[error("the secrets are locked: {why}")]
    Locked {
        /// Why.
        why: String,
    },
    /// No keyring, and no passphrase was set.
    #[error("there is no keyring on this machine, and no passphrase was set")]
    NoPassphrase,
    /// The passphrase does not open the secrets.
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    /// The file was changed by something else, or is broken.
    #[error("{} is damaged or was tampered with: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// The file is of a newer Hearth.
    #[error("{} was written by a newer Hearth (format {found})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The file cannot be read or written.
    #[error("{} cannot be read or written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The keyring failed.
    #[error("the system's keyring cannot be used: {0}")]
    Keyring(String),
    /// A name, value or passphrase that cannot be.
    #[error("{0}")]
    Invalid(String),
    /// The system gave no random bytes or no memory for the key.
    #[error("the system failed to make a key: {0}")]
    System(String),
}

impl SecretsError {
    /// What a person can do; empty where the message says it all.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Locked { .. } => {
                "Unlock the system's keyring, or enter the passphrase, and try again. If the key is lost: move secrets.enc away and enter the keys again."
            }
            Self::NoPassphrase => {
                "Set a passphrase in the settings of the app, or give the key of a provider in the environment as HEARTH_KEY_<ID>."
            }
            Self::WrongPassphrase => "Try again. Nothing was changed.",
            Self::Damaged { .. } => {
                "Nothing was changed. Put a backup of the file back, or move it away and enter the keys again."
            }
            Self::Newer { .. } => "Nothing was changed. Update Hearth.",
            Self::Io { .. } => "Check that the folder may be written and the disk has space.",
            Self::Keyring(_) => {
                "Start and unlock the keyring, then start Hearth again; or set a passphrase in the settings."
            }
            Self::Invalid(_) | Self::System(_) => "",
        }
    }
}
