//! The `[guard]` section, checked.

use super::Profile;
use crate::class::Named;
use crate::place;

/// The settings of the guard as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// `profile`.
    pub profile: Profile,
    /// `allowed_roots`: folders outside the workspace that file tools may reach.
    pub allowed_roots: Vec<String>,
    /// `allowed_domains`: where it is not empty, nothing else is reached.
    pub allowed_domains: Vec<String>,
    /// `blocked_paths`: files and folders that nothing touches.
    pub blocked_paths: Vec<String>,
    /// `allow_tools`: tools and groups that the profile would ask about or refuse.
    pub allow_tools: Vec<String>,
    /// `deny_tools`: tools and groups that never run.
    pub deny_tools: Vec<String>,
    /// `allow_commands`: programs that are known to only read, by name, and exact commands, besides the
    /// profile's. A name alone of another program allows it without arguments.
    pub allow_commands: Vec<String>,
    /// `max_size`: bytes of one call's arguments.
    pub max_size: u64,
    /// What is wrong in the section. Not empty: the guard is closed until it is mended.
    pub mistakes: Vec<Mistake>,
}

/// Something wrong in `[guard]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line in `hearth.toml`, from 1.
    pub line: u32,
    /// The key.
    pub key: String,
    /// What is wrong.
    pub message: String,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            allowed_roots: vec![],
            allowed_domains: vec![],
            blocked_paths: vec![],
            allow_tools: vec![],
            deny_tools: vec![],
            allow_commands: vec![],
            max_size: 10_000_000,
            mistakes: vec![],
        }
    }
}

/// Why an entry of a list of `[guard]` cannot be used; none where it can, or where the key has no list.
#[must_use]
pub fn entry_fault(key: &str, entry: &str) -> Option<String> {
    match key {
        "allow_tools" | "deny_tools" => Named::parse(entry).err(),
        "allowed_domains" => place::domain(entry).is_none().then(|| {
            format!("{entry:?} is no domain such as \"example.org\" or \"*.example.org\"")
        }),
        "allowed_roots" => (!is_absolute(entry))
            .then(|| format!("{entry:?} is no full path; begin it with / or ~/ (or a drive)")),
        "blocked_paths" | "allow_commands" => {
            entry.trim().is_empty().then(|| "an entry is empty".to_owned())
        }
        _ => None,
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.starts_with("~/") || path == "~" || {
        let bytes = path.as_bytes();
        bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'/' | b'\\')
    }
}
