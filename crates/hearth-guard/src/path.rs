//! Paths as text: one normal form, comparison as the system compares, patterns of `blocked_paths`, and
//! what a file of the workspace is to the guard.
//!
//! Invariant: two spellings that the system may take for one file compare equal here; a spelling that
//! cannot be judged is refused. Links are followed by [`crate::resolve`], not here.

use std::fmt;
use unicode_normalization::UnicodeNormalization;

pub use crate::part::{Part, is_run_by_others, part_of};

/// Whose rules of spelling hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Bytes as they are.
    Linux,
    /// Case and composition do not matter.
    Mac,
    /// Case, trailing dots and spaces do not matter; devices and streams have names.
    Windows,
}

impl System {
    /// The one this is compiled for.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

/// Why a path cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "Display says what each one is")]
pub enum PathTrouble {
    Empty,
    TooLong,
    Invisible(char),
    Relative,
    Above,
    Device,
    Stream,
    ShortName,
    Network,
    Raw,
}

impl fmt::Display for PathTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty"),
            Self::TooLong => f.write_str("the path is too long"),
            Self::Invisible(c) => {
                write!(f, "the path holds the invisible character U+{:04X}", *c as u32)
            }
            Self::Relative => f.write_str("the path is relative to nothing known"),
            Self::Above => f.write_str("the path leads above the root"),
            Self::Device => f.write_str("the path names a device"),
            Self::Stream => f.write_str("the path names a stream inside a file"),
            Self::ShortName => f.write_str("the path uses a short name (~1)"),
            Self::Network => f.write_str("the path leads to another machine"),
            Self::Raw => f.write_str("the path goes around the system's rules (\\\\?\\)"),
        }
    }
}

const MAX_BYTES: usize = 4096;

/// An absolute path with `/` between parts and without `.`, `..`, empty parts or a trailing slash.
/// `base` is absolute; `..` is taken away as text, which is right only where no link is involved.
///
/// # Errors
/// Where the spelling cannot be judged.
pub fn normal(base: &str, path: &str, system: System) -> Result<String, PathTrouble> {
    if path.is_empty() {
        return Err(PathTrouble::Empty);
    }
    if path.len() > MAX_BYTES || base.len() > MAX_BYTES {
        return Err(PathTrouble::TooLong);
    }
    if let Some(c) = path.chars().find(|c| is_invisible(*c)) {
        return Err(PathTrouble::Invisible(c));
    }
    let slashed = |text: &str| match system {
        System::Windows => text.replace('\\', "/"),
        System::Linux | System::Mac => text.to_owned(),
    };
    let (base, path) = (slashed(base), slashed(path));
    let (root, rest) = split_root(&path, system)?;
    let (root, start) = match root {
        Some(root) => (root, String::new()),
        None => {
            let (root, start) = split_root(&base, system)?;
            (root.ok_or(PathTrouble::Relative)?, start.to_owned())
        }
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(rest.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(PathTrouble::Above)?;
            }
            part => parts.push(checked(part, system)?),
        }
    }
    Ok(format!("{root}{}", parts.join("/")))
}

/// The root (`/` or `C:/`) and what follows it; no root for a relative path.
fn split_root(path: &str, system: System) -> Result<(Option<String>, &str), PathTrouble> {
    if system != System::Windows {
        return Ok(match path.strip_prefix('/') {
            Some(rest) => (Some("/".to_owned()), rest),
            None => (None, path),
        });
    }
    if path.starts_with("//?/") || path.starts_with("//./") || path.starts_with("/??/") {
        return Err(PathTrouble::Raw);
    }
    if path.starts_with("//") {
        return Err(PathTrouble::Network);
    }
    let bytes = path.as_bytes();
    match bytes.first() {
        Some(drive) if drive.is_ascii_alphabetic() && bytes.get(1) == Some(&b':') => {
            // `C:x` means the folder that drive C was last in.
            let rest = path[2..].strip_prefix('/').ok_or(PathTrouble::Relative)?;
            Ok((Some(format!("{}:/", char::from(drive.to_ascii_uppercase()))), rest))
        }
        Some(b'/') => Err(PathTrouble::Relative),
        _ => Ok((None, path)),
    }
}

fn checked(part: &str, system: System) -> Result<&str, PathTrouble> {
    if system != System::Windows {
        return Ok(part);
    }
    if part.contains(':') {
        return Err(PathTrouble::Stream);
    }
    let part = part.trim_end_matches(['.', ' ']);
    if part.is_empty() {
        // `...` and `. .` mean different things to different callers.
        return Err(PathTrouble::Above);
    }
    if is_device(part) {
        return Err(PathTrouble::Device);
    }
    if is_short_name(part) {
        return Err(PathTrouble::ShortName);
    }
    Ok(part)
}

/// Whether Windows takes a name for a device, whatever its extension.
#[must_use]
pub fn is_device(part: &str) -> bool {
    let stem = part.split(['.', ':']).next().unwrap_or(part).trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$") {
        return true;
    }
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let mut digits = number.unwrap_or_default().chars();
    matches!(
        (digits.next(), digits.next()),
        (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None)
    )
}

/// `PROGRA~1`, `SECRET~2.TXT`.
fn is_short_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part);
    stem.rsplit_once('~').is_some_and(|(name, number)| {
        !name.is_empty()
            && name.len() <= 6
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}')
}

/// A form in which paths that the system takes for one file are equal.
#[must_use]
pub fn folded(path: &str, system: System) -> String {
    match system {
        System::Linux => path.to_owned(),
        System::Windows => path.to_lowercase(),
        System::Mac => path.nfc().collect::<String>().to_lowercase().nfc().collect(),
    }
}

/// Whether a normal path is a folder or lies below it.
#[must_use]
pub fn is_within(folder: &str, path: &str, system: System) -> bool {
    let (folder, path) = (folded(folder, system), folded(path, system));
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a pattern of `blocked_paths` covers a normal path. Without a star it covers the path itself
/// and all below; `*` stands for any text within a part, `**` for any parts, `?` for one character. A
/// pattern that does not begin at a root may begin at any part. Case never matters: a block should
/// rather cover too much.
#[must_use]
pub fn covers(pattern: &str, path: &str) -> bool {
    let fold = |text: &str| text.replace('\\', "/").nfkc().collect::<String>().to_lowercase();
    let (pattern, path) = (fold(pattern), fold(path));
    let pattern = pattern.trim_end_matches('/');
    if pattern.is_empty() {
        return true;
    }
    let is_rooted = pattern.starts_with('/') || pattern.as_bytes().get(1) == Some(&b':');
    let wanted: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let starts = if is_rooted { 0..1 } else { 0..parts.len().max(1) };
    starts.into_iter().any(|start| parts_match(&wanted, &parts[start.min(parts.len())..]))
}

/// Whether the pattern matches the parts, or a beginning of them.
fn parts_match(pattern: &[&str], parts: &[&str]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((&"**", rest)) => {
            (0..=parts.len()).any(|skipped| parts_match(rest, &parts[skipped..]))
        }
        Some((first, rest)) => parts
            .split_first()
            .is_some_and(|(part, below)| part_matches(first, part) && parts_match(rest, below)),
    }
}

/// `*` and `?` within one part, without backtracking over more than the last star.
fn part_matches(pattern: &str, part: &str) -> bool {
    let (pattern, part): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), part.chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < part.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(c) if *c == '?' || *c == part[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => match star {
                None => return false,
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = taken + 1;
                    in_pattern = place + 1;
                }
            },
        }
    }
    pattern[in_pattern..].iter().all(|c| *c == '*')
}
