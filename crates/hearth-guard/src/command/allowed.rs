//! What may run without asking: programs by name, and exact forms.

use super::{Run, Shell, known};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Programs and exact forms that were allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allowed {
    /// Those known to only read with any harmless arguments that stay inside, others by their name alone.
    programs: BTreeSet<String>,
    /// Word for word.
    forms: BTreeSet<Vec<String>>,
    /// Whatever is found by its name and can be judged.
    #[serde(default)]
    everything: bool,
}

impl Allowed {
    /// One word allows a program with harmless arguments, or by its name alone where it is not known to
    /// only read; several words allow exactly this command.
    #[must_use]
    pub fn new<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Self {
        let mut allowed = Self::default();
        for entry in entries {
            allowed.add(entry.as_ref());
        }
        allowed
    }

    /// Besides, every program that is found by its name, as far as its line can be judged.
    #[must_use]
    pub fn and_everything(self) -> Self {
        Self { everything: true, ..self }
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

    /// Whether these very words were allowed.
    pub(super) fn is_form(&self, run: &Run) -> bool {
        let is_it = |form: &Vec<String>| {
            form.split_first().is_some_and(|(name, rest)| {
                *name == run.program && rest == run.arguments.as_slice()
            })
        };
        self.forms.iter().any(is_it)
    }

    /// Whether a program was allowed by its name.
    pub(super) fn names(&self, shell: Shell, program: &str) -> bool {
        let everything = self.everything && !program.contains(['/', '\\']);
        everything || self.programs.iter().any(|name| shell.same_name(name, program))
    }

    /// What is glued to a program's options and names files, or why its name is not enough.
    pub(super) fn harmless<'a>(&self, shell: Shell, run: &'a Run) -> Result<Vec<&'a str>, String> {
        match self.everything {
            true => Ok(vec![]),
            false => known::judge(shell, &run.program, &run.arguments),
        }
    }

    /// Whether a program may do whatever can be judged.
    pub(super) fn is_everything(&self) -> bool {
        self.everything
    }
}
