//! A home as one encrypted file, and back.
//!
//! Invariants: a backup is there whole or not at all, and was read back before it counts; what is restored was
//! proven to its last byte before anything of the home moves; what was there before is set aside, never deleted;
//! a crash leaves the old home, or one that the next start completes.
//! The master key of the secrets travels inside: the file is worth what its passphrase is worth.

mod make;
mod parcel;
mod pending;
mod restore;

pub(crate) use make::make;
pub(crate) use pending::{finish, sweep};
pub(crate) use restore::prepare;

use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::SealError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Names within a backup.
const MANIFEST: &str = "manifest.json";
const SETTINGS: &str = "hearth.toml";
const DATABASE: &str = "hearth.db";
const SECRETS: &str = "secrets.enc";
const SECRETS_KEY: &str = "secrets.key";
const WORKSPACE: &str = "workspace";
const SKILLS: &str = "skills";

/// Raised when a reader of the format before would misunderstand a file.
const FORMAT: u32 = 1;

/// What a backup says of itself, first.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// Of Hearth.
    version: String,
    /// Unix seconds.
    made_at: i64,
}

/// Where an installed skill says what it came from: a name that only Hearth may give.
const ORIGIN: &str = ".hearth-skill.json";

/// Whether a path stays below the folder it is joined to, on every system.
fn fits(path: &str) -> bool {
    let own = path.strip_suffix(ORIGIN).and_then(|rest| rest.strip_suffix('/'));
    hearth_workspace::check_path(own.unwrap_or(path)).is_ok()
}

fn wire_seal(path: &Path, error: &SealError) -> WireError {
    let (code, hint) = match error {
        SealError::NotOurs => {
            (ErrorCode::InvalidRequest, "Choose a file that `hearth backup` made.")
        }
        SealError::Newer => (ErrorCode::InvalidRequest, "Update Hearth."),
        SealError::WrongPassphrase => {
            (ErrorCode::InvalidRequest, "Try again. Nothing was changed.")
        }
        SealError::ShortPassphrase => (ErrorCode::InvalidRequest, "Choose a longer one."),
        SealError::Damaged(_) => (
            ErrorCode::InvalidRequest,
            "Nothing was changed. Copy the file again from where it was kept, or use an older backup.",
        ),
        SealError::System(_) => (ErrorCode::Internal, ""),
        SealError::Io(source) => return wire_io(path, source),
    };
    WireError::new(code, format!("{}: {error}", path.display()), hint)
}

fn wire_io(path: &Path, error: &std::io::Error) -> WireError {
    use std::io::ErrorKind;
    let (code, hint) = match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => (
            ErrorCode::InvalidRequest,
            "Nothing was changed. Copy the file again from where it was kept, or use an older backup.",
        ),
        ErrorKind::NotFound => (ErrorCode::NotFound, "Check the spelling."),
        _ => (ErrorCode::Storage, "Check that the folder may be written and the disk has space."),
    };
    WireError::new(code, format!("{}: {error}", path.display()), hint)
}
