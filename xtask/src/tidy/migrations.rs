//! A migration that people have run is never edited: the hash of each is noted in
//! `xtask/migrations.sha256`, and a changed or vanished one is a problem.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::tree::{TextFile, text_files};

fn notes(root: &Path) -> PathBuf {
    root.join("xtask").join("migrations.sha256")
}

/// All problems of the migrations.
pub(crate) fn check(root: &Path, files: &[TextFile]) -> Result<Vec<String>> {
    let noted = fs::read_to_string(notes(root)).context("read xtask/migrations.sha256")?;
    Ok(compare(&parse(&noted), &hashes(files)))
}

/// Notes the hashes of new migrations; a noted one is left as it is.
pub(crate) fn record(root: &Path) -> Result<()> {
    let mut noted = parse(&fs::read_to_string(notes(root)).unwrap_or_default());
    for (path, hash) in hashes(&text_files(root)?) {
        noted.entry(path).or_insert(hash);
    }
    let lines: String = noted.iter().map(|(path, hash)| format!("{hash}  {path}\n")).collect();
    fs::write(notes(root), lines).context("write xtask/migrations.sha256")
}

fn compare(noted: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<String> {
    let changed = noted.iter().filter_map(|(path, hash)| match found.get(path) {
        Some(now) if now == hash => None,
        Some(_) => Some(format!("{path}: a migration is never edited; write a new one")),
        None => Some(format!("{path}: a migration is never removed")),
    });
    let new = found.keys().filter(|path| !noted.contains_key(*path));
    changed.chain(new.map(|path| format!("{path}: new; run `cargo xtask tidy --record`"))).collect()
}

fn parse(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().filter_map(|line| line.split_once("  "));
    pairs.map(|(hash, path)| (path.to_owned(), hash.to_owned())).collect()
}

fn hashes(files: &[TextFile]) -> BTreeMap<String, String> {
    let migrations =
        files.iter().filter(|file| file.path.contains("/migrations/") && file.kind() == "sql");
    migrations.map(|file| (file.path.clone(), sha256(&file.text))).collect()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
        rows.iter().map(|(path, hash)| ((*path).to_owned(), (*hash).to_owned())).collect()
    }

    #[test]
    fn kept_changed_removed_and_new() {
        let noted = table(&[("a.sql", "1"), ("b.sql", "2"), ("c.sql", "3")]);
        let found = table(&[("a.sql", "1"), ("b.sql", "x"), ("d.sql", "4")]);
        let starts: Vec<_> =
            compare(&noted, &found).iter().map(|line| line[..5].to_owned()).collect();
        assert_eq!(starts, ["b.sql", "c.sql", "d.sql"]);
    }

    #[test]
    fn notes_read_back() {
        let line = format!("{}  crates/x/migrations/0001_a.sql\n", sha256(""));
        let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(parse(&line), table(&[("crates/x/migrations/0001_a.sql", hash)]));
    }
}
