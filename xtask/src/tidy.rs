//! The repository's rules as a program: what ARCHITECTURE.md says about layout and style, as far as a
//! program can tell. A test runs them, so they hold on every machine.
//!
//! Each rule is a function from the tree (or the graph) to sentences; no sentence, no problem.

mod capabilities;
mod files;
mod layers;
mod migrations;

use std::path::Path;

use anyhow::Result;

use crate::metadata::Graph;
use crate::tree::text_files;

pub(crate) use migrations::record as record_migrations;

/// Every problem, one sentence each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let files = text_files(root)?;
    let mut problems = files::check(&files);
    problems.extend(capabilities::check(&files));
    problems.extend(migrations::check(root, &files)?);
    problems.extend(layers::check(&Graph::read(root)?));
    Ok(problems)
}

/// What is allowed but worth a look, one sentence each.
pub(crate) fn notes(root: &Path) -> Result<Vec<String>> {
    Ok(files::long(&text_files(root)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_is_tidy() {
        let problems = check(&crate::root().expect("the top")).expect("readable");
        assert_eq!(problems, Vec::<String>::new());
    }
}
