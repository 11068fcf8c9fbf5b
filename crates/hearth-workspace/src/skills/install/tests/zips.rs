//! Zip files as somebody might make them who means no good: every field can say what it likes.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write as _;

/// One entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) content: Vec<u8>,
    pub(super) mode: u32,
    pub(super) method: u16,
    pub(super) flags: u16,
    /// What it says its size is; none: the truth.
    pub(super) claims: Option<u32>,
    /// It says so of its sum.
    pub(super) lies: bool,
}

/// A plain file.
pub(super) fn file(name: &str, content: &str) -> Entry {
    Entry {
        name: name.into(),
        content: content.into(),
        mode: 0o100_644,
        method: 8,
        flags: 1 << 11,
        claims: None,
        lies: false,
    }
}

/// The bytes of a zip of these entries.
pub(super) fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut central) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = u32::try_from(out.len()).unwrap();
        let packed = packed(entry);
        let mut sum = flate2::Crc::new();
        sum.update(&entry.content);
        let size = entry.claims.unwrap_or(u32::try_from(entry.content.len()).unwrap());
        let mut fields = Vec::new();
        for short in [20, entry.flags, entry.method, 0, 0x5a21] {
            fields.extend(short.to_le_bytes());
        }
        let sum = if entry.lies { !sum.sum() } else { sum.sum() };
        for long in [sum, u32::try_from(packed.len()).unwrap(), size] {
            fields.extend(long.to_le_bytes());
        }
        fields.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
        fields.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(&entry.name);
        out.extend(&packed);
        central.extend(b"PK\x01\x02\x14\x03");
        central.extend(&fields);
        central.extend([0; 6]);
        central.extend((entry.mode << 16).to_le_bytes());
        central.extend(at.to_le_bytes());
        central.extend(&entry.name);
    }
    let (count, start) = (u16::try_from(entries.len()).unwrap(), u32::try_from(out.len()).unwrap());
    let length = u32::try_from(central.len()).unwrap();
    out.extend(central);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out
}

fn packed(entry: &Entry) -> Vec<u8> {
    if entry.method != 8 {
        return entry.content.clone();
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&entry.content).unwrap();
    encoder.finish().unwrap()
}
