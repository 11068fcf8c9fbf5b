//! Files in one stream: each a head, its bytes in pieces, and an end; at last a head that counts them.
//!
//! Sizes need not be known before, so a file that grows while it is read is taken as far as it was.
//! Invariant: a stream without its last head is refused.

use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};

const PIECE: usize = 64 * 1024;
const LONGEST_HEAD: usize = 16 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Head {
    File(FileHead),
    End { files: u64 },
}

/// A file in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileHead {
    /// `/` between parts.
    pub(super) path: String,
    /// Its owner may run it.
    pub(super) runs: bool,
}

pub(super) struct Packer<W: Write> {
    out: W,
    files: u64,
}

impl<W: Write> Packer<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, files: 0 }
    }

    pub(super) fn add(&mut self, path: &str, runs: bool, mut content: impl Read) -> io::Result<()> {
        self.head(&Head::File(FileHead { path: path.to_owned(), runs }))?;
        let mut piece = vec![0; PIECE];
        loop {
            let read = match content.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            };
            self.length(read)?;
            if read == 0 {
                break;
            }
            self.out.write_all(&piece[..read])?;
        }
        self.files += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<(W, u64)> {
        self.head(&Head::End { files: self.files })?;
        Ok((self.out, self.files))
    }

    fn head(&mut self, head: &Head) -> io::Result<()> {
        let bytes = serde_json::to_vec(head).map_err(io::Error::other)?;
        self.length(bytes.len())?;
        self.out.write_all(&bytes)
    }

    fn length(&mut self, length: usize) -> io::Result<()> {
        let length = u32::try_from(length).map_err(io::Error::other)?;
        self.out.write_all(&length.to_be_bytes())
    }
}

pub(super) struct Unpacker<R: Read> {
    input: R,
    files: u64,
}

impl<R: Read> Unpacker<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, files: 0 }
    }

    /// The next file; its content must be taken before the next one. None at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<FileHead>> {
        let length = self.length(LONGEST_HEAD)?;
        let mut bytes = vec![0; length];
        self.input.read_exact(&mut bytes)?;
        let head = serde_json::from_slice(&bytes).map_err(|_| damaged("a head cannot be read"))?;
        match head {
            Head::File(head) => {
                self.files += 1;
                Ok(Some(head))
            }
            Head::End { files } if files == self.files => Ok(None),
            Head::End { .. } => Err(damaged("files are missing")),
        }
    }

    /// Copies the content of the file at hand.
    pub(super) fn content(&mut self, out: &mut impl Write) -> io::Result<u64> {
        let mut piece = vec![0; PIECE];
        let mut copied = 0;
        loop {
            let length = self.length(PIECE)?;
            if length == 0 {
                return Ok(copied);
            }
            self.input.read_exact(&mut piece[..length])?;
            out.write_all(&piece[..length])?;
            copied += length as u64;
        }
    }

    /// What the files came from.
    pub(super) fn into_inner(self) -> R {
        self.input
    }

    fn length(&mut self, most: usize) -> io::Result<usize> {
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes)?;
        let length = usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(usize::MAX);
        if length > most { Err(damaged("a piece is too large")) } else { Ok(length) }
    }
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it is damaged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed() -> Vec<u8> {
        let mut packer = Packer::new(Vec::new());
        packer.add("a.md", false, &b"one"[..]).expect("adds");
        packer.add("b/empty", true, &b""[..]).expect("adds");
        packer.add("large", false, io::repeat(7).take(3 * PIECE as u64 + 5)).expect("adds");
        packer.finish().expect("ends").0
    }

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<(FileHead, u64)>> {
        let mut unpacker = Unpacker::new(bytes);
        let mut found = Vec::new();
        while let Some(head) = unpacker.next()? {
            let size = unpacker.content(&mut io::sink())?;
            found.push((head, size));
        }
        Ok(found)
    }

    #[test]
    fn files_come_back() {
        let found = unpacked(&packed()).expect("reads");
        let rows: Vec<_> =
            found.iter().map(|(head, size)| (head.path.as_str(), head.runs, *size)).collect();
        let large = 3 * PIECE as u64 + 5;
        assert_eq!(rows, [("a.md", false, 3), ("b/empty", true, 0), ("large", false, large)]);
    }

    #[test]
    fn a_stream_that_is_cut_is_refused() {
        let bytes = packed();
        for length in 0..bytes.len() {
            assert!(unpacked(&bytes[..length]).is_err(), "cut at {length}");
        }
        let mut other = bytes.clone();
        let end = bytes.len() - 3;
        other[end] = b'9';
        assert!(unpacked(&other).is_err(), "the count does not fit");
    }
}
