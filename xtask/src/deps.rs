//! Rules about dependencies, Rust and npm: licences, bans, sources, unused ones, advisories.
//!
//! `deny.toml` is the one list of what is allowed. It is read here because building cargo-deny takes
//! longer than all tests; people who have it can use it on the same file. Advisories need its database,
//! so they are left to it, and said to be skipped where it or the network is missing.

mod advisories;
mod licence;
mod npm;
mod unused;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml_edit::{DocumentMut, Item};

use crate::metadata::{Graph, Package};

/// What `deny.toml` allows.
struct Allowed {
    licences: Vec<String>,
    banned: Vec<String>,
    registries: Vec<String>,
}

/// Every problem, one sentence each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let allowed = Allowed::read(root)?;
    let graph = Graph::read(root)?;
    let mut problems: Vec<String> =
        graph.packages.values().flat_map(|package| allowed.problems(package)).collect();
    problems.extend(unused::check(root, &graph)?);
    problems.extend(npm::check(root, &allowed.licences)?);
    problems.extend(advisories::check(root)?);
    println!("{} Rust packages checked", graph.packages.len());
    Ok(problems)
}

impl Allowed {
    fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join("deny.toml")).context("read deny.toml")?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let file: DocumentMut = text.parse().context("deny.toml")?;
        let crates = file["bans"]["deny"].as_array().into_iter().flatten();
        let banned = crates
            .filter_map(|row| row.as_inline_table()?.get("crate")?.as_str().map(str::to_owned));
        Ok(Self {
            licences: strings(&file["licenses"]["allow"]),
            banned: banned.collect(),
            registries: strings(&file["sources"]["allow-registry"]),
        })
    }

    fn problems(&self, package: &Package) -> Vec<String> {
        let (name, version) = (&package.name, &package.version);
        let mut problems = Vec::new();
        match &package.licence {
            None => problems.push(format!("{name} {version}: names no licence")),
            Some(terms) if licence::fits(terms, &self.licences) => {}
            Some(terms) => {
                problems.push(format!("{name} {version}: licence {terms} is not in deny.toml"))
            }
        }
        if self.banned.contains(name) {
            problems.push(format!("{name} {version}: banned in deny.toml"));
        }
        let known =
            |source: &String| self.registries.iter().any(|known| source.ends_with(known.as_str()));
        if package.source.as_ref().is_some_and(|source| !known(source)) {
            problems.push(format!("{name} {version}: from a source that deny.toml does not allow"));
        }
        problems
    }
}

fn strings(item: &Item) -> Vec<String> {
    let rows = item.as_array().into_iter().flatten();
    rows.filter_map(|row| row.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        licenses.allow = ["MIT"]
        bans.deny = [{ crate = "bad", reason = "r" }]
        sources.allow-registry = ["https://example.org/index"]
    "#;

    fn problems(name: &str, licence: Option<&str>, source: Option<&str>) -> usize {
        let package = Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
            source: source.map(str::to_owned),
            folder: "x".into(),
            dependencies: vec![],
            excused: vec![],
        };
        Allowed::parse(FILE).expect("valid").problems(&package).len()
    }

    #[test]
    fn licences_bans_and_sources() {
        let registry = Some("registry+https://example.org/index");
        assert_eq!(problems("good", Some("MIT OR GPL-3.0"), registry), 0);
        assert_eq!(problems("own", Some("MIT"), None), 0);
        assert_eq!(problems("unlicensed", None, registry), 1);
        assert_eq!(problems("copyleft", Some("GPL-3.0"), registry), 1);
        assert_eq!(problems("bad", Some("MIT"), registry), 1);
        assert_eq!(problems("elsewhere", Some("MIT"), Some("git+https://example.org/x")), 1);
    }
}
