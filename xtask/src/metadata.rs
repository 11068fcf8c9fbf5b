//! What `cargo metadata` says about packages and the edges between them, as far as the rules ask.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The whole graph, all platforms included.
pub(crate) struct Graph {
    /// Every package of the lock, by id.
    pub(crate) packages: BTreeMap<String, Package>,
    /// The ids of our own crates.
    pub(crate) members: BTreeSet<String>,
    /// Edges that end up in a binary (normal and build), by id.
    edges: BTreeMap<String, Vec<String>>,
}

/// One package.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Empty for our own crates.
    pub(crate) source: Option<String>,
    pub(crate) folder: PathBuf,
    /// Dependencies as the manifest lists them, development ones included.
    pub(crate) dependencies: Vec<Dependency>,
    /// Names that `[package.metadata.cargo-machete]` excuses.
    pub(crate) excused: Vec<String>,
}

/// One line of a manifest.
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The name in the code.
    pub(crate) word: String,
}

impl Graph {
    /// Asks cargo.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let asked = Command::new("cargo")
            .args(["metadata", "--format-version=1", "--locked"])
            .current_dir(root)
            .output()
            .context("start cargo metadata")?;
        if !asked.status.success() {
            bail!("cargo metadata: {}", String::from_utf8_lossy(&asked.stderr).trim());
        }
        let value: Value = serde_json::from_slice(&asked.stdout).context("read cargo metadata")?;
        Ok(Self {
            packages: list(&value["packages"])
                .map(|row| (text(&row["id"]), package(row)))
                .collect(),
            members: list(&value["workspace_members"]).map(text).collect(),
            edges: list(&value["resolve"]["nodes"])
                .map(|row| (text(&row["id"]), shipped(row)))
                .collect(),
        })
    }

    /// Our own crates.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&String, &Package)> {
        self.packages.iter().filter(|(id, _)| self.members.contains(*id))
    }

    /// The names of all packages that a binary of this one would hold, itself left out.
    pub(crate) fn below(&self, id: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            for edge in self.edges.get(next).into_iter().flatten() {
                if seen.insert(edge.as_str()) {
                    open.push(edge);
                }
            }
        }
        seen.into_iter()
            .filter_map(|id| self.packages.get(id))
            .map(|found| found.name.as_str())
            .collect()
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn package(row: &Value) -> Package {
    let manifest = PathBuf::from(text(&row["manifest_path"]));
    Package {
        name: text(&row["name"]),
        version: text(&row["version"]),
        licence: row["license"].as_str().map(str::to_owned),
        source: row["source"].as_str().map(str::to_owned),
        folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
        dependencies: list(&row["dependencies"]).map(dependency).collect(),
        excused: list(&row["metadata"]["cargo-machete"]["ignored"]).map(text).collect(),
    }
}

fn dependency(row: &Value) -> Dependency {
    let name = text(&row["name"]);
    let word = row["rename"].as_str().unwrap_or(&name).replace('-', "_");
    Dependency { name, word }
}

/// The targets of edges that are not for tests alone.
fn shipped(node: &Value) -> Vec<String> {
    list(&node["deps"])
        .filter(|edge| list(&edge["dep_kinds"]).any(|kind| kind["kind"].as_str() != Some("dev")))
        .map(|edge| text(&edge["pkg"]))
        .collect()
}
