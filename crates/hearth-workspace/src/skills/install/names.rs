//! Which names a source's files may have, and how a name is shown.
//!
//! Invariant: two names that any common file system takes for one never come together.

use super::error::{InstallError, Result};
use crate::WorkspaceError;
use std::collections::HashMap;

/// Folders above a file.
const MAX_DEPTH: usize = 12;
/// What programs leave behind; never installed, never counted.
const LEFTOVERS: [&str; 8] =
    [".git", ".svn", ".hg", "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__"];
/// Where an installed skill came from; written by us alone.
pub(super) const ORIGIN: &str = ".hearth-skill.json";

/// Whether a path is nothing of the skill's own.
pub(super) fn is_leftover(path: &str) -> bool {
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        if LEFTOVERS.contains(&part) || (parts.peek().is_none() && part == ORIGIN) {
            return true;
        }
    }
    false
}

/// Refuses what is no plain path within a folder on every system.
pub(super) fn check(path: &str) -> Result<()> {
    if path.split('/').count() > MAX_DEPTH + 1 {
        return Err(InstallError::TooDeep { path: shown(path), limit: MAX_DEPTH });
    }
    match crate::check_path(path) {
        Ok(()) => Ok(()),
        Err(WorkspaceError::BadPath { fault, .. }) => {
            Err(InstallError::BadName { path: shown(path), fault })
        }
        Err(other) => Err(InstallError::Damaged { why: other.to_string() }),
    }
}

/// A name with everything invisible written out, and cut.
pub(super) fn shown(path: &str) -> String {
    let mut shown = String::new();
    for c in path.chars().take(120) {
        let plain = c == ' ' || c.is_alphanumeric() || c.is_ascii_punctuation();
        if plain && !is_filler(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    if path.chars().nth(120).is_some() {
        shown.push('…');
    }
    shown
}

/// Letters by their class, nothing to the eye.
fn is_filler(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Names that were taken, as file systems compare them.
#[derive(Debug, Default)]
pub(super) struct Taken {
    files: HashMap<String, String>,
    folders: HashMap<String, String>,
}

impl Taken {
    /// Takes a path. Refused if another file has it, or a folder, or if a folder on the way is a file or is
    /// spelled otherwise elsewhere.
    pub(super) fn take(&mut self, path: &str) -> Result<()> {
        let clash = |other: &str| InstallError::Clash { first: shown(other), second: shown(path) };
        let key = folded(path);
        if let Some(other) = self.files.get(&key).or_else(|| self.folders.get(&key)) {
            return Err(clash(other));
        }
        for (at, _) in path.match_indices('/') {
            let folder = &path[..at];
            let key = folded(folder);
            if let Some(file) = self.files.get(&key) {
                return Err(clash(file));
            }
            let known = self.folders.entry(key).or_insert_with(|| folder.to_owned());
            if known != folder {
                return Err(clash(known));
            }
        }
        self.files.insert(key, path.to_owned());
        Ok(())
    }
}

/// Upper and lower case, and composed and decomposed characters, are one on some systems.
fn folded(path: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    path.nfkd().flat_map(char::to_lowercase).nfkd().collect()
}

/// The name of a skill's folder: its own name, else its folder's.
pub(super) fn folder_name(name: &str, folder: &str) -> Result<String> {
    let fits = |name: &&str| {
        let starts = name.chars().next().is_some_and(char::is_alphanumeric);
        let plain = name.chars().all(|c| (c.is_alphanumeric() && !is_filler(c)) || c == '-');
        starts && plain && name.chars().count() <= 64 && crate::check_path(name).is_ok()
    };
    let found = [name, folder].into_iter().find(fits);
    found.map(str::to_lowercase).ok_or_else(|| InstallError::OddName { name: shown(name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_some_system_takes_for_one_do_not_come_together() {
        for (first, second) in [
            ("a.md", "A.md"),
            ("a/x", "A/y"),
            ("é.md", "e\u{301}.md"),
            ("ﬁ.md", "fi.md"),
            ("a", "a/b"),
            ("a/b", "a"),
            ("ß.md", "ẞ.md"),
            ("Å", "\u{212b}"),
        ] {
            let mut taken = Taken::default();
            taken.take(first).unwrap();
            assert!(
                matches!(taken.take(second), Err(InstallError::Clash { .. })),
                "{first} {second}"
            );
        }
        let mut taken = Taken::default();
        for path in ["a/b", "a/c", "b", "ab", "a/d/b"] {
            taken.take(path).unwrap();
        }
    }

    #[test]
    fn what_is_shown_hides_nothing() {
        assert_eq!(shown("a\u{202e}gnp.exe"), "a\\u{202e}gnp.exe");
        assert_eq!(shown("天气/说明 1.md"), "天气/说明 1.md");
        assert_eq!(shown("x\n\u{1b}[31m\u{3164}"), "x\\u{a}\\u{1b}[31m\\u{3164}");
        assert_eq!(shown(&"y".repeat(500)).chars().count(), 121);
    }

    #[test]
    fn a_folder_is_named_by_the_skill_or_by_its_own_folder() {
        let names = [
            ("note-sum", "x", "note-sum"),
            ("天气", "x", "天气"),
            ("Note Sum", "note-sum", "note-sum"),
            ("../evil", "Plain", "plain"),
            ("Upper", "x", "upper"),
            ("con", "fine", "fine"),
            (".hidden", "ok", "ok"),
        ];
        for (name, folder, expected) in names {
            assert_eq!(folder_name(name, folder).unwrap(), expected);
        }
        for (name, folder) in [("", ""), ("a/b", "c d"), ("-x", "nul"), ("\u{3164}", "\u{202e}a")] {
            assert!(matches!(folder_name(name, folder), Err(InstallError::OddName { .. })));
        }
    }

    #[test]
    fn leftovers() {
        for path in
            [".git/config", "a/.DS_Store", "__MACOSX/a/._SKILL.md", "x/__pycache__/a.pyc", ORIGIN]
        {
            assert!(is_leftover(path), "{path}");
        }
        for path in ["SKILL.md", ".gitignore", "git/a", ".hearth-skill.json/x", "scripts/a.py"] {
            assert!(!is_leftover(path), "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_checked_path_stays_below(path in "\\PC{0,24}|[./\\\\:a~\u{0}\u{202e}\u{ff0e} ]{0,10}") {
            if check(&path).is_ok() {
                let joined = std::path::Path::new("/top").join(&path);
                prop_assert!(joined.starts_with("/top") && joined != std::path::Path::new("/top"));
                let plain = joined.components().all(|c| !matches!(c, std::path::Component::ParentDir | std::path::Component::CurDir));
                prop_assert!(plain);
                prop_assert!(!path.contains(['\\', ':']) && !path.chars().any(char::is_control));
            }
        }

        #[test]
        fn what_is_shown_has_no_invisible_character(path in "\\PC{0,30}|[\u{0}-\u{a0}\u{200b}-\u{202e}]{0,10}") {
            let hidden = |c: char| c.is_control() || ('\u{200b}'..='\u{202e}').contains(&c);
            prop_assert!(!shown(&path).contains(hidden));
        }

        #[test]
        fn a_folders_name_is_one_plain_part(name in "\\PC{0,70}", folder in "\\PC{0,20}") {
            if let Ok(name) = folder_name(&name, &folder) {
                prop_assert!(check(&name).is_ok() && !name.contains(['/', '.', ' ']));
            }
        }
    }
}
