//! Zip archives: what they hold, and one entry's bytes as a stream that is counted and checked.
//!
//! Invariants: sizes are what comes out, never what an archive says of itself; the sum of an entry is checked
//! at its end; encrypted entries and unknown methods are refused.

use crate::error::{Result, TransferError};
use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// How much more may come out than went in.
pub(crate) const MAX_RATIO: u64 = 200;
/// Below this nothing fills a disk, and a file of blanks is just that.
const SMALL: u64 = 64 * 1024 * 1024;
const MAGIC: [u8; 4] = *b"PK\x03\x04";

pub(crate) type Archive = ZipArchive<BufReader<File>>;

/// Whether a file begins as a zip archive does.
pub(crate) fn is_zip(path: &Path) -> Result<bool> {
    let mut start = [0; 4];
    let mut file = File::open(path).map_err(|error| TransferError::io(path, error))?;
    match file.read_exact(&mut start) {
        Ok(()) => Ok(start == MAGIC),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(TransferError::io(path, error)),
    }
}

pub(crate) fn open(path: &Path) -> Result<Archive> {
    let file = File::open(path).map_err(|error| TransferError::io(path, error))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(path, &error.to_string()))
}

pub(crate) fn damaged(path: &Path, why: &str) -> TransferError {
    TransferError::DamagedArchive { path: path.display().to_string(), why: why.to_owned() }
}

/// The bytes of an entry.
pub(crate) fn entry<'a>(
    archive: &'a mut Archive,
    path: &Path,
    index: usize,
) -> Result<Box<dyn Read + 'a>> {
    let raw = archive.by_index_raw(index).map_err(|error| damaged(path, &error.to_string()))?;
    if raw.encrypted() {
        return Err(damaged(path, "it is encrypted"));
    }
    let (sum, length, packed) = (raw.crc32(), raw.size(), raw.compressed_size());
    let method = raw.compression();
    let content: Box<dyn Read + 'a> = match method {
        CompressionMethod::STORE => Box::new(raw),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(raw)),
        other => return Err(damaged(path, &format!("it is packed by {other}"))),
    };
    Ok(Box::new(Checked { content: CrcReader::new(content), out: 0, sum, length, packed }))
}

/// Counts what comes out, and compares at the end.
struct Checked<R> {
    content: CrcReader<R>,
    out: u64,
    sum: u32,
    length: u64,
    packed: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bad = |why: &str| io::Error::new(ErrorKind::InvalidData, why.to_owned());
        let read = self.content.read(buffer)?;
        self.out += read as u64;
        if self.out > SMALL && self.out / MAX_RATIO > self.packed {
            return Err(bad(
                "the archive unpacks to far more than it is, as those do that fill a disk",
            ));
        }
        let ended = read == 0 && !buffer.is_empty();
        if ended && (self.content.crc().sum(), self.out) != (self.sum, self.length) {
            return Err(bad("the archive is damaged: a file in it is not what it says"));
        }
        Ok(read)
    }
}
