//! Zip files.
//!
//! Invariants: sizes are what comes out, never what the archive says of itself; links, encrypted entries
//! and unknown methods refuse the whole; archives inside stay files. Entries are inflated here, by the one
//! method everybody uses, so that each byte is counted.

use super::error::{InstallError, Result, trouble};
use super::names::{is_leftover, shown};
use super::parcel::Parcel;
use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// How much more may come out than went in.
const MAX_RATIO: u64 = 100;
/// Below this nothing fills a disk, and a file of blanks is just that.
const SMALL: u64 = 1024 * 1024;
const MAX_PACKED: u64 = 64 * 1024 * 1024;
/// Kinds of file in the upper half of a Unix mode.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Reads a zip file.
pub(super) fn read(path: &Path) -> Result<Parcel> {
    let file = File::open(path).map_err(|error| trouble(path, error))?;
    let packed = file.metadata().map_err(|error| trouble(path, error))?.len();
    if packed > MAX_PACKED {
        return Err(InstallError::TooLarge { limit: MAX_PACKED / SMALL });
    }
    unpack(BufReader::new(file), packed)
}

/// Reads a zip of so many bytes.
pub(super) fn unpack(file: impl Read + Seek, packed: u64) -> Result<Parcel> {
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    let mut parcel = Parcel::default();
    for at in 0..archive.len() {
        parcel.count()?;
        let mut entry = archive.by_index_raw(at).map_err(damaged)?;
        let Some(path) = plain_path(&entry)? else { continue };
        let method = entry.compression();
        let (length, sum, mode) = (entry.size(), entry.crc32(), entry.unix_mode());
        let runs = mode.is_some_and(|mode| mode & 0o111 != 0);
        let summed = match method {
            CompressionMethod::STORE => add(&mut parcel, &path, runs, &mut entry)?,
            CompressionMethod::DEFLATE => {
                add(&mut parcel, &path, runs, DeflateDecoder::new(&mut entry))?
            }
            _ => return Err(InstallError::Method { path: shown(&path) }),
        };
        if summed != (sum, length) {
            return Err(InstallError::Damaged {
                why: format!("`{}` is not what it says", shown(&path)),
            });
        }
        if parcel.bytes() > SMALL && parcel.bytes() / MAX_RATIO > packed {
            return Err(InstallError::Bomb { ratio: MAX_RATIO });
        }
    }
    Ok(parcel)
}

/// Adds an entry and returns the sum and number of its bytes.
fn add(parcel: &mut Parcel, path: &str, runs: bool, content: impl Read) -> Result<(u32, u64)> {
    let mut counted = CrcReader::new(content);
    match parcel.add(path, runs, &mut counted) {
        Err(InstallError::Io { source, .. }) => {
            Err(InstallError::Damaged { why: format!("`{}`: {source}", shown(path)) })
        }
        done => done.map(|()| (counted.crc().sum(), u64::from(counted.crc().amount()))),
    }
}

/// The path of an entry that is a file; none for folders and what programs leave behind.
fn plain_path<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Result<Option<String>> {
    let raw = entry.name_raw();
    let Ok(path) = std::str::from_utf8(raw) else {
        return Err(InstallError::NameEncoding { path: shown(&String::from_utf8_lossy(raw)) });
    };
    let kind = entry.unix_mode().map_or(0, |mode| mode & KIND);
    if kind == LINK || entry.is_symlink() {
        return Err(InstallError::Link { path: shown(path) });
    }
    if !matches!(kind, 0 | PLAIN | FOLDER) {
        return Err(InstallError::Special { path: shown(path) });
    }
    let is_folder = path.ends_with('/') || kind == FOLDER;
    let path = path.strip_suffix('/').unwrap_or(path);
    super::names::check(path)?;
    if is_leftover(path) || is_folder {
        return Ok(None);
    }
    if entry.encrypted() {
        return Err(InstallError::Encrypted { path: shown(path) });
    }
    Ok(Some(path.to_owned()))
}

#[expect(clippy::needless_pass_by_value, reason = "maps an error")]
fn damaged(error: zip::result::ZipError) -> InstallError {
    InstallError::Damaged { why: error.to_string() }
}
