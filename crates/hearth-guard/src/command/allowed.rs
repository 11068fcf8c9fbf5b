//! What may run without asking: programs by name, and exact forms.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Programs and exact forms that were allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allowed {
    /// With any plain arguments that stay inside.
    programs: BTreeSet<String>,
    /// Word for word.
    forms: BTreeSet<Vec<String>>,
}

impl Allowed {
    /// One word allows a program with any plain arguments, several words allow exactly this command.
    #[must_use]
    pub fn new<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Self {
        let mut allowed = Self::default();
        for entry in entries {
            allowed.add(entry.as_ref());
        }
        allowed
    }

    /// Adds one entry.
    pub fn add(&mut self, entry: &str) {
        let words: Vec<String> = entry.split_whitespace().map(str::to_owned).collect();
        match words.as_slice() {
            [] => {}
            [program] => {
                self.programs.insert(program.clone());
            }
            _ => {
                self.forms.insert(words);
            }
        }
    }

    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(String::as_str)
    }

    pub(super) fn forms(&self) -> impl Iterator<Item = &[String]> {
        self.forms.iter().map(Vec::as_slice)
    }
}
