//! Rules about single files: size, header, names, and who may know Tauri, a clock or a disk.

use crate::tree::TextFile;

const REFUSED_ABOVE: usize = 800;
const EXPLAINED_ABOVE: usize = 500;
const CODE: [&str; 6] = ["rs", "ts", "tsx", "mjs", "css", "py"];
/// Names that say nothing; the glossary in ARCHITECTURE.md has better ones.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "helper", "helpers", "manager", "service", "services", "processor", "misc"];
/// What a crate that only decides has no business with.
const OUTSIDE_WORLD: [&str; 8] = [
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "SystemTime",
    "Instant::now",
    "async fn",
    ".await",
];

/// All problems of all files.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let code = files.iter().filter(|file| CODE.contains(&file.kind()));
    code.flat_map(|file| {
        [size(file), header(file), name(file), tauri(file), world(file), bindings(file)]
            .into_iter()
            .flatten()
            .map(|problem| format!("{}: {problem}", file.path))
    })
    .collect()
}

/// Files that are allowed but long: their header should say why.
pub(crate) fn long(files: &[TextFile]) -> Vec<String> {
    let code = files.iter().filter(|file| CODE.contains(&file.kind()));
    code.map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| (EXPLAINED_ABOVE + 1..=REFUSED_ABOVE).contains(lines))
        .map(|(file, lines)| format!("{}: {lines} lines; does its header say why?", file.path))
        .collect()
}

fn size(file: &TextFile) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > REFUSED_ABOVE)
        .then(|| format!("{lines} lines; a file holds one idea in at most {REFUSED_ABOVE}"))
}

fn header(file: &TextFile) -> Option<String> {
    (file.kind() == "rs" && !file.text.starts_with("//! ")).then(|| {
        "opens without `//!`: what does it own, what holds, what does it leave out?".to_owned()
    })
}

fn name(file: &TextFile) -> Option<String> {
    let mut parts = file.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
    let empty = parts.find(|part| EMPTY_NAMES.contains(&part.to_ascii_lowercase().as_str()))?;
    Some(format!("`{empty}` says nothing about what is inside"))
}

fn tauri(file: &TextFile) -> Option<String> {
    let (word, allowed) = if file.kind() == "rs" {
        ("tauri", file.path.starts_with("src-tauri/") || file.path.starts_with("xtask/"))
    } else {
        let outside = !file.path.starts_with("ui/src/");
        ("@tauri-apps/", outside || file.path.starts_with("ui/src/bridge/"))
    };
    let used = |line: &str| {
        let line = line.trim_start();
        !line.starts_with("//")
            && (line.contains(&format!("{word}::")) || line.contains(&format!("\"{word}")))
    };
    (!allowed && file.text.lines().any(used))
        .then(|| "only src-tauri and ui/src/bridge may know Tauri".to_owned())
}

fn world(file: &TextFile) -> Option<String> {
    if !file.path.starts_with("crates/hearth-agent/src/") {
        return None;
    }
    let mut lines = file.text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let used = lines.find_map(|line| OUTSIDE_WORLD.iter().find(|word| line.contains(**word)))?;
    Some(format!("`{used}`: this crate decides, without disk, clock, network or async"))
}

fn bindings(file: &TextFile) -> Option<String> {
    (file.path.starts_with("crates/") && file.text.contains("#[ts(export")).then(|| {
        "`#[ts(export)]` writes a test that cannot fail; name the type in tests/bindings.rs"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let file = TextFile { path: path.to_owned(), text: text.to_owned() };
        check(&[file])
            .iter()
            .map(|line| line.split(": ").nth(1).unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn a_plain_file_is_fine() {
        assert!(problems("crates/hearth-store/src/lib.rs", "//! Rows.\nuse std::fs;\n").is_empty());
        assert!(problems("ui/src/app/shell.tsx", "import { x } from \"../bridge\";\n").is_empty());
    }

    #[test]
    fn sizes_headers_and_names() {
        let long = format!("//! Long.\n{}", "\n".repeat(800));
        assert_eq!(problems("crates/a/src/x.rs", &long).len(), 1);
        assert_eq!(problems("crates/a/src/x.rs", "fn main() {}\n").len(), 1);
        assert_eq!(problems("ui/src/shared/utils/x.ts", "").len(), 1);
        assert_eq!(problems("crates/a/src/helpers.rs", "//! H.\n").len(), 1);
    }

    #[test]
    fn tauri_stays_in_its_places() {
        let import = "import { invoke } from \"@tauri-apps/api/core\";\n";
        assert_eq!(problems("ui/src/features/chat/api.ts", import).len(), 1);
        assert!(problems("ui/src/bridge/tauri.ts", import).is_empty());
        assert_eq!(problems("crates/hearth-engine/src/x.rs", "//! X.\nuse tauri::App;\n").len(), 1);
        assert!(
            problems("crates/hearth-engine/src/x.rs", "//! Never uses `tauri::App`.\n").is_empty()
        );
        assert!(problems("src-tauri/src/x.rs", "//! X.\nuse tauri::App;\n").is_empty());
    }

    #[test]
    fn the_deciding_crate_has_no_world() {
        assert_eq!(problems("crates/hearth-agent/src/x.rs", "//! X.\nuse std::fs;\n").len(), 1);
        assert_eq!(problems("crates/hearth-agent/src/x.rs", "//! X.\nasync fn go() {}\n").len(), 1);
    }

    #[test]
    fn bindings_have_one_list() {
        assert_eq!(problems("crates/hearth-protocol/src/x.rs", "//! X.\n#[ts(export)]\n").len(), 1);
    }
}
