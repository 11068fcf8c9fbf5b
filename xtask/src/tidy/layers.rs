//! Rules about crates: dependencies point down, siblings do not know each other, and heavy things stay
//! where they belong.

use crate::metadata::Graph;

/// Each crate and how high it stands; an edge goes from a higher to a lower one.
const LEVELS: [(&str, u8); 18] = [
    ("hearth-protocol", 0),
    ("hearth-schedule", 0),
    ("hearth-agent", 1),
    ("hearth-embed", 1),
    ("hearth-guard", 1),
    ("hearth-llm", 1),
    ("hearth-local", 1),
    ("hearth-secrets", 1),
    ("hearth-store", 1),
    ("hearth-workspace", 1),
    ("hearth-memory", 2),
    ("hearth-tools", 2),
    ("hearth-transfer", 2),
    ("hearth-engine", 3),
    ("hearth-cli", 4),
    ("hearth-desktop", 4),
    ("hearth-tests", 4),
    ("xtask", 4),
];
/// Edges between equals that are meant.
const AMONG_EQUALS: [(&str, &str); 1] = [("hearth-tools", "hearth-memory")];

/// What must not be in a crate's binary, by the start of its name.
const KEPT_OUT: [(&str, &[&str]); 2] = [
    ("hearth-agent", &["tokio", "sqlx", "reqwest", "hyper", "candle", "tauri"]),
    ("hearth-engine", &["tauri", "wry", "webkit2gtk", "gtk"]),
];

/// All problems of the graph.
pub(crate) fn check(graph: &Graph) -> Vec<String> {
    let mut problems = Vec::new();
    for (id, package) in graph.own() {
        if level(&package.name).is_none() {
            problems.push(format!("{}: give it a level in xtask/src/tidy/layers.rs", package.name));
        }
        let edges = package.dependencies.iter().map(|dependency| dependency.name.as_str());
        problems.extend(edges.filter_map(|edge| upwards(&package.name, edge)));
        problems.extend(kept_out(&package.name, graph.below(id)));
    }
    problems
}

fn level(name: &str) -> Option<u8> {
    LEVELS.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
}

fn upwards(from: &str, to: &str) -> Option<String> {
    // A crate may name itself, to turn its own features on in its tests.
    let down = from == to || level(from)? > level(to)? || AMONG_EQUALS.contains(&(from, to));
    let alone = from == "xtask";
    (!down || alone)
        .then(|| format!("{from} depends on {to}: dependencies point down, siblings stay apart"))
}

fn kept_out<'a>(name: &str, below: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let Some((_, words)) = KEPT_OUT.iter().find(|(known, _)| *known == name) else { return vec![] };
    let bad = |found: &&str| {
        words.iter().any(|word| *found == *word || found.starts_with(&format!("{word}-")))
    };
    below.into_iter().filter(bad).map(|found| format!("{name} brings in {found}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_point_down() {
        assert_eq!(upwards("hearth-engine", "hearth-store"), None);
        assert_eq!(upwards("hearth-tools", "hearth-memory"), None);
        assert_eq!(upwards("hearth-store", "serde"), None);
        assert_eq!(upwards("hearth-llm", "hearth-llm"), None);
        assert!(upwards("hearth-store", "hearth-agent").is_some());
        assert!(upwards("hearth-memory", "hearth-tools").is_some());
        assert!(upwards("hearth-store", "hearth-engine").is_some());
        assert!(upwards("hearth-cli", "hearth-desktop").is_some());
        assert!(upwards("xtask", "hearth-protocol").is_some());
    }

    #[test]
    fn heavy_things_stay_out() {
        assert_eq!(kept_out("hearth-agent", ["serde", "tokio-util", "tokio"]).len(), 2);
        assert_eq!(kept_out("hearth-engine", ["tokio", "wry", "tauri-utils"]).len(), 2);
        assert!(kept_out("hearth-desktop", ["tauri"]).is_empty());
    }
}
