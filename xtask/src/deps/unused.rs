//! Dependencies that no line of a crate names, and shared ones that no crate takes.
//!
//! A name in a comment counts as a use: this finds the forgotten, not the clever. A crate that is used
//! without being named says so in `[package.metadata.cargo-machete] ignored`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml_edit::DocumentMut;

use crate::metadata::{Graph, Package};
use crate::tree::text_files;

/// All unused dependencies.
pub(crate) fn check(root: &Path, graph: &Graph) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut taken = BTreeSet::new();
    for (_, package) in graph.own() {
        taken.extend(package.dependencies.iter().map(|dependency| dependency.name.clone()));
        problems.extend(in_crate(package)?);
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("read Cargo.toml")?;
    let manifest: DocumentMut = manifest.parse().context("Cargo.toml")?;
    let shared =
        manifest["workspace"]["dependencies"].as_table_like().context("shared dependencies")?;
    let forgotten = shared.iter().map(|(name, _)| name).filter(|name| !taken.contains(*name));
    problems.extend(forgotten.map(|name| format!("Cargo.toml: no crate takes {name}")));
    Ok(problems)
}

fn in_crate(package: &Package) -> Result<Vec<String>> {
    let files = text_files(&package.folder)?;
    let source: String =
        files.iter().filter(|file| file.kind() == "rs").map(|file| file.text.as_str()).collect();
    let used: BTreeSet<&str> = source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let unused = package.dependencies.iter().filter(|dependency| {
        !used.contains(dependency.word.as_str()) && !package.excused.contains(&dependency.name)
    });
    Ok(unused
        .map(|dependency| format!("{}: {} is not used", package.name, dependency.name))
        .collect())
}
