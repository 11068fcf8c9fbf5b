//! Which paths may name a workspace file, decided without touching the disk.
//!
//! Invariant: an accepted path means the same file on every system, or none.

use crate::error::{PathFault, Result, WorkspaceError};

/// Start of the names of files that are being written.
pub(crate) const TEMPORARY: &str = ".hearth-";
const MAX_BYTES: usize = 1024;
const MAX_PART_BYTES: usize = 255;

/// Checks a path within the workspace: relative, `/` between parts, nothing that leads elsewhere.
///
/// # Errors
/// [`WorkspaceError::BadPath`] with the reason.
pub fn check_path(path: &str) -> Result<()> {
    fault(path)
        .map_or(Ok(()), |fault| Err(WorkspaceError::BadPath { path: path.to_owned(), fault }))
}

fn fault(path: &str) -> Option<PathFault> {
    if path.is_empty() {
        return Some(PathFault::Empty);
    }
    if path.len() > MAX_BYTES {
        return Some(PathFault::TooLong);
    }
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with(['/', '\\', '~']) || drive {
        return Some(PathFault::Absolute);
    }
    path.chars().find_map(character_fault).or_else(|| path.split('/').find_map(part_fault))
}

fn character_fault(c: char) -> Option<PathFault> {
    match c {
        '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => Some(PathFault::Forbidden(c)),
        // Invisible or turning the direction of what follows.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}'
        | '\u{e0000}'..='\u{e007f}'
        // Spaces that look like the ordinary one.
        | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{205f}'
        // Look like `/`, `\` or `.`, and some systems fold them to these.
        | '\u{2024}'..='\u{2026}' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{29f8}'
        | '\u{29f9}' | '\u{fe52}' | '\u{fe68}' | '\u{ff0e}' | '\u{ff0f}' | '\u{ff3c}' => {
            Some(PathFault::Misleading(c))
        }
        c if c.is_control() => Some(PathFault::Misleading(c)),
        _ => None,
    }
}

fn part_fault(part: &str) -> Option<PathFault> {
    if part.is_empty() || part == "." || part == ".." {
        return Some(PathFault::Dots);
    }
    if part.len() > MAX_PART_BYTES {
        return Some(PathFault::TooLong);
    }
    if part.starts_with(TEMPORARY) {
        return Some(PathFault::Reserved);
    }
    if part.ends_with(['.', ' ', '\u{3000}']) || part.starts_with([' ', '\u{3000}']) {
        return Some(PathFault::Edge);
    }
    is_device(part).then_some(PathFault::Device)
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let Some(number) = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")) else {
        return false;
    };
    let mut digits = number.chars();
    matches!(
        (digits.next(), digits.next()),
        (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_taken() {
        for path in [
            "SOUL.md",
            "memory/2026-11-29.md",
            ".learnings/ERRORS.md",
            "skills/天气/SKILL.md",
            "notes/a b (c).md",
            "CONSOLE.md",
            "com10.md",
            "nulls/x.md",
            "emoji-👩.md",
            "...a.md",
        ] {
            assert_eq!(fault(path), None, "{path}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        let cases = [
            ("", PathFault::Empty),
            ("/etc/passwd", PathFault::Absolute),
            ("~/x", PathFault::Absolute),
            ("\\\\server\\x", PathFault::Absolute),
            ("C:/x", PathFault::Absolute),
            ("c:x", PathFault::Absolute),
            ("../x", PathFault::Dots),
            ("a/../b", PathFault::Dots),
            ("a/./b", PathFault::Dots),
            ("a//b", PathFault::Dots),
            ("a/", PathFault::Dots),
            ("a\\..\\b", PathFault::Forbidden('\\')),
            ("SOUL.md:stream", PathFault::Forbidden(':')),
            ("a\0b", PathFault::Misleading('\0')),
            ("a\nb", PathFault::Misleading('\n')),
            ("SOUL\u{202e}dm.", PathFault::Misleading('\u{202e}')),
            ("SOUL\u{200b}.md", PathFault::Misleading('\u{200b}')),
            ("\u{ff0e}\u{ff0e}\u{ff0f}x", PathFault::Misleading('\u{ff0e}')),
            ("a\u{2215}b", PathFault::Misleading('\u{2215}')),
            ("CON", PathFault::Device),
            ("memory/nul.md", PathFault::Device),
            ("Com1.txt", PathFault::Device),
            ("lpt\u{b9}", PathFault::Device),
            ("aux .md", PathFault::Device),
            ("CONOUT$", PathFault::Device),
            ("SOUL.md.", PathFault::Edge),
            ("SOUL.md ", PathFault::Edge),
            (".. /x", PathFault::Edge),
            (".hearth-1.tmp", PathFault::Reserved),
        ];
        for (path, expected) in cases {
            assert_eq!(fault(path), Some(expected), "{path:?}");
        }
        assert_eq!(fault(&"x".repeat(2000)), Some(PathFault::TooLong));
        assert_eq!(fault(&"x".repeat(300)), Some(PathFault::TooLong));
    }
}
