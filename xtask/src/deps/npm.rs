//! The UI's packages: licences and sources, from `package-lock.json`. Packages that only build or test
//! may have a few more licences: they are not shipped.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::licence;

const FOR_TOOLS: [&str; 4] = ["BSD-2-Clause", "BlueOak-1.0.0", "CC-BY-4.0", "MIT-0"];

/// All problems of the lock.
pub(crate) fn check(root: &Path, allowed: &[String]) -> Result<Vec<String>> {
    let text =
        fs::read_to_string(root.join("package-lock.json")).context("read package-lock.json")?;
    let lock: Value = serde_json::from_str(&text).context("read package-lock.json")?;
    let packages = lock["packages"].as_object().context("package-lock.json holds packages")?;
    println!("{} npm packages checked", packages.len());
    Ok(packages
        .iter()
        .filter(|(path, _)| !path.is_empty())
        .flat_map(|(path, row)| problems(path, row, allowed))
        .collect())
}

fn problems(path: &str, row: &Value, allowed: &[String]) -> Vec<String> {
    let name = path.rsplit("node_modules/").next().unwrap_or(path);
    let mut allowed = allowed.to_vec();
    if row["dev"] == true || row["devOptional"] == true {
        allowed.extend(FOR_TOOLS.map(str::to_owned));
    }
    let terms = row["license"].as_str().unwrap_or_default();
    let licence = (!licence::fits(terms, &allowed))
        .then(|| format!("npm {name}: licence {terms:?} is not allowed"));
    let registry =
        row["resolved"].as_str().is_none_or(|from| from.starts_with("https://registry.npmjs.org/"));
    let source = (!registry).then(|| format!("npm {name}: not from the registry"));
    let sealed = row["integrity"].is_string() || row["inBundle"] == true;
    let seal = (!sealed).then(|| format!("npm {name}: the lock holds no hash"));
    [licence, source, seal].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shipped_packages_are_judged_harder_than_tools() {
        let allowed = ["MIT".to_owned()];
        let row = |licence: &str, dev: bool| json!({ "license": licence, "dev": dev, "integrity": "sha512-x" });
        assert!(problems("node_modules/a", &row("MIT", false), &allowed).is_empty());
        assert!(problems("node_modules/a", &row("CC-BY-4.0", true), &allowed).is_empty());
        assert_eq!(problems("node_modules/a", &row("CC-BY-4.0", false), &allowed).len(), 1);
        let foreign = json!({ "license": "MIT", "resolved": "git+ssh://example.org/a.git" });
        assert_eq!(problems("node_modules/a", &foreign, &allowed).len(), 2);
    }
}
