//! Folders: a skill on this machine, or a fresh clone.
//!
//! Invariant: no link is followed; the first one refuses the whole.

use super::error::{InstallError, Result, trouble};
use super::names::{is_leftover, shown};
use super::parcel::Parcel;
use std::fs;
use std::path::Path;

/// Reads a folder and everything below it.
pub(super) fn read(folder: &Path) -> Result<Parcel> {
    let mut parcel = Parcel::default();
    visit(folder, "", &mut parcel)?;
    Ok(parcel)
}

fn visit(folder: &Path, above: &str, parcel: &mut Parcel) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| trouble(folder, error))?;
    let mut entries: Vec<_> =
        entries.collect::<std::io::Result<_>>().map_err(|error| trouble(folder, error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(InstallError::NameEncoding { path: shown(&name.to_string_lossy()) });
        };
        let path = format!("{above}{name}");
        if is_leftover(&path) {
            continue;
        }
        parcel.count()?;
        super::names::check(&path)?;
        let place = entry.path();
        let meta = fs::symlink_metadata(&place).map_err(|error| trouble(&place, error))?;
        if meta.is_symlink() {
            return Err(InstallError::Link { path: shown(&path) });
        }
        if meta.is_dir() {
            visit(&place, &format!("{path}/"), parcel)?;
        } else if meta.is_file() {
            let file = fs::File::open(&place).map_err(|error| trouble(&place, error))?;
            parcel.add(&path, runs(&meta), file)?;
        } else {
            return Err(InstallError::Special { path: shown(&path) });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn runs(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn runs(_: &fs::Metadata) -> bool {
    false
}
