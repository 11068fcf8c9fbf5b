//! A file of any size, sealed with a passphrase as it is written and opened as it is read.
//!
//! A line that says what it is, a head (how the key is made, the start of the nonces), a tag that tells a wrong
//! passphrase from a damaged file, then pieces of 64 KiB. Each piece is sealed with XChaCha20-Poly1305 under the
//! nonce `start ‖ number ‖ kind`, bound to the head; the last piece is of another kind (the STREAM construction),
//! so pieces that are changed, exchanged, left out, added or cut off at the end are noticed.
//! Invariant: no byte of a piece is handed on before the piece is proven.

use crate::SHORTEST_PASSPHRASE;
use crate::error::SecretsError;
use crate::seal::{Kdf, MasterKey, NONCE_BYTES, fill};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};

const MAGIC: &[u8] = b"hearth backup ";
const FORMAT: &[u8] = b"1\n";
const PIECE: usize = 64 * 1024;
const TAG: usize = 16;
const START: usize = NONCE_BYTES - 5;
const LONGEST_HEAD: usize = 1024;
/// Kinds of pieces.
const MORE: u8 = 0;
const LAST: u8 = 1;
const CHECK: u8 = 2;

/// Why a sealed file cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// It is something else.
    #[error("it is no backup of Hearth")]
    NotOurs,
    /// A newer Hearth wrote it.
    #[error("a newer Hearth wrote it")]
    Newer,
    /// The passphrase does not open it.
    #[error("the passphrase does not open it")]
    WrongPassphrase,
    /// The passphrase of a new one is too short.
    #[error("a passphrase has at least {SHORTEST_PASSPHRASE} characters")]
    ShortPassphrase,
    /// It is not as it was written.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// No random bytes, or no memory for the key.
    #[error(transparent)]
    System(SecretsError),
    /// The disk's.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The key of a file that was just written, to read it again without the passphrase.
#[derive(Debug)]
pub struct SealedKey(MasterKey);

#[derive(Serialize, Deserialize)]
struct Head {
    key: Kdf,
    start: Vec<u8>,
}

/// What all pieces of a file share.
struct Sealing {
    key: MasterKey,
    head: Vec<u8>,
    start: [u8; START],
    number: u32,
}

impl Sealing {
    fn nonce(&self, kind: u8) -> [u8; NONCE_BYTES] {
        let mut nonce = [0; NONCE_BYTES];
        nonce[..START].copy_from_slice(&self.start);
        nonce[START..START + 4].copy_from_slice(&self.number.to_be_bytes());
        nonce[START + 4] = kind;
        nonce
    }

    fn next(&mut self) -> io::Result<()> {
        let next = self.number.checked_add(1);
        self.number = next.ok_or_else(|| io::Error::other("it is too large"))?;
        Ok(())
    }

    fn seal(&self, kind: u8, text: &[u8]) -> io::Result<Vec<u8>> {
        let sealed = self.key.seal_at(self.nonce(kind), &self.head, text);
        sealed.ok_or_else(|| io::Error::other("it cannot be sealed"))
    }
}

/// Seals what is written to it.
pub struct SealedWriter<W: Write> {
    out: W,
    sealing: Sealing,
    piece: Zeroizing<Vec<u8>>,
}

impl<W: Write> SealedWriter<W> {
    /// Begins a file. Takes a moment: the key is costly on purpose.
    ///
    /// # Errors
    /// [`SealError::ShortPassphrase`], the system's, or the disk's.
    pub fn new(mut out: W, passphrase: &SecretString) -> Result<Self, SealError> {
        if passphrase.expose_secret().chars().count() < SHORTEST_PASSPHRASE {
            return Err(SealError::ShortPassphrase);
        }
        let kdf = Kdf::new().map_err(SealError::System)?;
        let mut start = [0; START];
        fill(&mut start).map_err(SealError::System)?;
        let key = kdf.derive_here(passphrase).map_err(SealError::Damaged)?;
        let key = key.map_err(SealError::System)?;
        let head = Head { key: kdf, start: start.to_vec() };
        let head =
            serde_json::to_vec(&head).map_err(|error| io::Error::other(error.to_string()))?;
        let length =
            u16::try_from(head.len()).map_err(|_| io::Error::other("the head is too long"))?;
        let sealing = Sealing { key, head, start, number: 0 };
        for part in [MAGIC, FORMAT, &length.to_be_bytes(), &sealing.head] {
            out.write_all(part)?;
        }
        out.write_all(&sealing.seal(CHECK, b"")?)?;
        Ok(Self { out, sealing, piece: Zeroizing::new(Vec::with_capacity(PIECE)) })
    }

    /// Writes the last piece. Without this the file opens nowhere.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> io::Result<(W, SealedKey)> {
        let sealed = self.sealing.seal(LAST, &self.piece)?;
        self.out.write_all(&sealed)?;
        self.out.flush()?;
        Ok((self.out, SealedKey(self.sealing.key)))
    }
}

impl<W: Write> Write for SealedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The last piece is only known to be it at the end: a full one waits.
        if self.piece.len() == PIECE && !bytes.is_empty() {
            let sealed = self.sealing.seal(MORE, &self.piece)?;
            self.out.write_all(&sealed)?;
            self.sealing.next()?;
            self.piece.clear();
        }
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Opens what a [`SealedWriter`] sealed. A change is an error of kind `InvalidData`.
pub struct SealedReader<R: Read> {
    input: R,
    sealing: Sealing,
    /// The piece after the one at hand, still sealed; empty at the end.
    next: Vec<u8>,
    piece: Zeroizing<Vec<u8>>,
    at: usize,
}

impl<R: Read> SealedReader<R> {
    /// Opens a file. Takes a moment: the key is costly on purpose.
    ///
    /// # Errors
    /// Each [`SealError`] but [`SealError::ShortPassphrase`].
    pub fn open(input: R, passphrase: &SecretString) -> Result<Self, SealError> {
        Self::begin(input, |kdf| {
            kdf.derive_here(passphrase).map_err(SealError::Damaged)?.map_err(SealError::System)
        })
    }

    /// Opens a file that was just written.
    ///
    /// # Errors
    /// As [`SealedReader::open`].
    pub fn open_again(input: R, key: SealedKey) -> Result<Self, SealError> {
        Self::begin(input, |_| Ok(key.0))
    }

    fn begin(
        mut input: R,
        key: impl FnOnce(&Kdf) -> Result<MasterKey, SealError>,
    ) -> Result<Self, SealError> {
        let head = read_head(&mut input)?;
        let read: Head = serde_json::from_slice(&head)
            .map_err(|error| SealError::Damaged(format!("its head: {error}")))?;
        let start = read.start.as_slice().try_into();
        let start =
            start.map_err(|_| SealError::Damaged("its head is of another size".to_owned()))?;
        let sealing = Sealing { key: key(&read.key)?, head, start, number: 0 };
        let check = up_to(&mut input, TAG)?;
        let nonce = sealing.nonce(CHECK);
        if sealing.key.open_at(nonce, &sealing.head, &check).is_none() {
            return Err(SealError::WrongPassphrase);
        }
        let next = up_to(&mut input, PIECE + TAG)?;
        if next.is_empty() {
            return Err(SealError::Damaged("it is cut off".to_owned()));
        }
        Ok(Self { input, sealing, next, piece: Zeroizing::default(), at: 0 })
    }

    fn advance(&mut self) -> io::Result<()> {
        let sealed = std::mem::take(&mut self.next);
        self.next = up_to(&mut self.input, PIECE + TAG)?;
        let kind = if self.next.is_empty() { LAST } else { MORE };
        let nonce = self.sealing.nonce(kind);
        let opened = self.sealing.key.open_at(nonce, &self.sealing.head, &sealed);
        let bad = || io::Error::new(ErrorKind::InvalidData, "it is damaged or cut off");
        self.piece = opened.ok_or_else(bad)?;
        self.at = 0;
        self.sealing.next()
    }
}

impl<R: Read> Read for SealedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            if self.next.is_empty() {
                return Ok(0);
            }
            self.advance()?;
        }
        let taken = buffer.len().min(self.piece.len() - self.at);
        buffer[..taken].copy_from_slice(&self.piece[self.at..self.at + taken]);
        self.at += taken;
        Ok(taken)
    }
}

fn read_head(input: &mut impl Read) -> Result<Vec<u8>, SealError> {
    if up_to(input, MAGIC.len())? != MAGIC {
        return Err(SealError::NotOurs);
    }
    if up_to(input, FORMAT.len())? != FORMAT {
        return Err(SealError::Newer);
    }
    let cut = || SealError::Damaged("it is cut off".to_owned());
    let length: [u8; 2] = up_to(input, 2)?.try_into().map_err(|_| cut())?;
    let length = usize::from(u16::from_be_bytes(length));
    if length > LONGEST_HEAD {
        return Err(SealError::Damaged("its head is too long".to_owned()));
    }
    let head = up_to(input, length)?;
    if head.len() < length { Err(cut()) } else { Ok(head) }
}

/// So many bytes; fewer only at the end.
fn up_to(input: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    input.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSPHRASE: &str = "correct horse battery";

    fn phrase(text: &str) -> SecretString {
        SecretString::from(text)
    }

    fn sealed(text: &[u8]) -> (Vec<u8>, SealedKey) {
        let mut writer = SealedWriter::new(Vec::new(), &phrase(PASSPHRASE)).expect("begins");
        writer.write_all(text).expect("writes");
        writer.finish().expect("ends")
    }

    fn again(key: &SealedKey) -> SealedKey {
        SealedKey(MasterKey::from_bytes(key.0.bytes()).expect("a key"))
    }

    fn opened(sealed: &[u8], key: &SealedKey) -> Result<Vec<u8>, String> {
        let reader = SealedReader::open_again(sealed, again(key));
        let mut out = Vec::new();
        reader
            .map_err(|error| error.to_string())?
            .read_to_end(&mut out)
            .map_err(|e| e.to_string())?;
        Ok(out)
    }

    #[test]
    fn texts_of_every_size_come_back() {
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 7] {
            let text: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let (file, key) = sealed(&text);
            assert_eq!(opened(&file, &key).expect("opens"), text, "{size}");
            assert!(size < 64 || !file.windows(32).any(|window| window == &text[..32]));
        }
    }

    #[test]
    fn only_the_passphrase_opens_it() {
        let (file, _) = sealed(b"hello");
        let mut out = String::new();
        let reader = SealedReader::open(&file[..], &phrase(PASSPHRASE));
        reader.expect("opens").read_to_string(&mut out).expect("reads");
        assert_eq!(out, "hello");
        let wrong = SealedReader::open(&file[..], &phrase("correct horse batterY"));
        assert!(matches!(wrong, Err(SealError::WrongPassphrase)));
        let short = SealedWriter::new(Vec::new(), &phrase("1234567"));
        assert!(matches!(short, Err(SealError::ShortPassphrase)));
    }

    #[test]
    fn every_change_is_noticed() {
        let text = vec![7; 2 * PIECE + 100];
        let (file, key) = sealed(&text);
        let step = 997;
        for at in (0..200.min(file.len())).chain((200..file.len()).step_by(step)) {
            let mut touched = file.clone();
            touched[at] ^= 1;
            assert!(opened(&touched, &key).is_err(), "byte {at}");
        }
        for length in (0..200).chain((200..file.len()).step_by(step)).chain([file.len() - 1]) {
            assert!(opened(&file[..length], &key).is_err(), "cut at {length}");
        }
        let body = file.len() - (2 * (PIECE + TAG) + 100 + TAG);
        let piece = |number: usize| &file[body + number * (PIECE + TAG)..][..PIECE + TAG];
        let tail = &file[body + 2 * (PIECE + TAG)..];
        let head = &file[..body];
        for (what, parts) in [
            ("exchanged", vec![head, piece(1), piece(0), tail]),
            ("left out", vec![head, piece(0), tail]),
            ("twice", vec![head, piece(0), piece(0), piece(1), tail]),
            ("without its end", vec![head, piece(0), piece(1)]),
            ("with more", vec![&file[..], tail]),
            ("nothing", vec![head]),
        ] {
            assert!(opened(&parts.concat(), &key).is_err(), "{what}");
        }
    }

    #[test]
    fn what_is_something_else_is_told() {
        let open = |bytes: &[u8]| SealedReader::open(bytes, &phrase(PASSPHRASE)).map(|_| ());
        assert!(matches!(open(b""), Err(SealError::NotOurs)));
        assert!(matches!(open(b"PK\x03\x04 something"), Err(SealError::NotOurs)));
        assert!(matches!(open(b"hearth backup 2\n"), Err(SealError::Newer)));
        assert!(matches!(open(b"hearth backup 1\n\xff\xff"), Err(SealError::Damaged(_))));
        let head = br#"{"key":{"salt":"00","memory_kib":4294967295,"passes":1,"lanes":1},"start":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#;
        let mut greedy = b"hearth backup 1\n\0".to_vec();
        greedy.push(u8::try_from(head.len()).expect("short"));
        greedy.extend_from_slice(head);
        assert!(
            matches!(open(&greedy), Err(SealError::Damaged(_))),
            "it cannot ask for all memory"
        );
    }
}
