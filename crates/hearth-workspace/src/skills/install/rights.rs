//! What a skill's files could do: which are programs, what runs them, which hosts they name.
//!
//! Invariant: a look at text, for people to judge by; nothing is run, and nothing is promised: a program
//! can build an address from pieces.

use super::parcel::Files;
use hearth_protocol::api::skills::SkillScript;
use std::collections::BTreeSet;

/// How many hosts are named.
const MAX_HOSTS: usize = 50;
const BY_ENDING: [(&str, &str); 17] = [
    ("py", "python3"),
    ("sh", "sh"),
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("ts", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("php", "php"),
    ("lua", "lua"),
    ("ps1", "powershell"),
    ("bat", "cmd"),
    ("cmd", "cmd"),
    ("exe", "native"),
    ("applescript", "osascript"),
];
const NATIVE: [&[u8]; 5] =
    [b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe"];

/// Everything that can run, sorted by path.
pub(super) fn scripts(files: &Files) -> Vec<SkillScript> {
    let programs = files.iter().filter_map(|(path, item)| {
        let runs_with = runs_with(path, &item.bytes);
        let is_program = path.starts_with("scripts/") || item.runs || !runs_with.is_empty();
        is_program.then(|| SkillScript {
            path: path.clone(),
            runs_with,
            bytes: item.bytes.len() as u64,
        })
    });
    programs.collect()
}

/// What runs a file by its first line, its first bytes or its ending.
fn runs_with(path: &str, bytes: &[u8]) -> String {
    if NATIVE.iter().any(|magic| bytes.starts_with(magic)) {
        return "native".to_owned();
    }
    if let Some(named) = first_line(bytes) {
        return named;
    }
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let known = BY_ENDING.iter().find(|(known, _)| Some(*known) == ending.as_deref());
    known.map(|(_, program)| (*program).to_owned()).unwrap_or_default()
}

/// The program of `#!/usr/bin/env -S python3 -u` or `#!/bin/sh`.
fn first_line(bytes: &[u8]) -> Option<String> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let program = if first == "env" {
        words.find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        first
    };
    Some(super::names::shown(program))
}

/// Hosts that the programs among these files name.
pub(super) fn hosts(files: &Files, scripts: &[SkillScript]) -> Vec<String> {
    let mut hosts = BTreeSet::new();
    for script in scripts {
        let Some(item) = files.get(&script.path) else { continue };
        let text = String::from_utf8_lossy(&item.bytes);
        for (at, _) in text.match_indices("://") {
            if let Some(host) = host(&text[at + 3..]) {
                hosts.insert(host);
            }
        }
    }
    hosts.into_iter().take(MAX_HOSTS).collect()
}

/// The host at the start of what follows `://`.
fn host(rest: &str) -> Option<String> {
    let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>()[]{}|\\,;".contains(c));
    let place = &rest[..end.unwrap_or(rest.len())];
    let place = place.rsplit('@').next().unwrap_or(place);
    let name = place.split(':').next().unwrap_or(place).trim_end_matches('.').to_lowercase();
    let plain = name.chars().all(|c| c.is_alphanumeric() || ".-_".contains(c));
    let told = name.contains('.') || name == "localhost";
    (plain && told && name.len() <= 253 && !name.starts_with('.')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::install::parcel::Item;

    #[test]
    fn what_runs_a_file() {
        let cases: [(&str, &[u8], &str); 12] = [
            ("scripts/a.py", b"print(1)", "python3"),
            ("a", b"#!/usr/bin/env python3\nx", "python3"),
            ("a", b"#!/usr/bin/env -S FOO=1 uv run\n", "uv"),
            ("a.txt", b"#! /bin/sh -e", "sh"),
            ("a.TS", b"", "node"),
            ("scripts/tool", b"\x7fELF\x02", "native"),
            ("readme.md", b"MZ is a name", "native"),
            ("run.ps1", b"", "powershell"),
            ("scripts/data.json", b"{}", ""),
            ("a", b"#!/usr/bin/env", ""),
            ("a", b"#!", ""),
            ("a", b"#!/x/\xff\x1b[31m", "\\u{fffd}\\u{1b}[31m"),
        ];
        for (path, bytes, program) in cases {
            assert_eq!(runs_with(path, bytes), program, "{path}");
        }
    }

    #[test]
    fn programs_are_found_wherever_they_lie() {
        let file = |text: &str, runs| Item { bytes: text.into(), runs };
        let files: Files = [
            ("SKILL.md", file("see https://docs.example.org", false)),
            (
                "assets/x.sh",
                file("curl -s HTTPS://A.example.org:8443/x ; wss://b.example.org", false),
            ),
            ("bin/tool", file("no first line", true)),
            ("scripts/data.json", file("{\"u\": \"https://user:pw@c.example.org.\"}", false)),
            (
                "scripts/r.py",
                file("#!/usr/bin/python3\n'http://localhost:1/' f'https://{host}/' '://x'", false),
            ),
        ]
        .into_iter()
        .map(|(path, item)| (path.to_owned(), item))
        .collect();
        let scripts = scripts(&files);
        let rows: Vec<_> =
            scripts.iter().map(|s| (s.path.as_str(), s.runs_with.as_str())).collect();
        let expected = [
            ("assets/x.sh", "sh"),
            ("bin/tool", ""),
            ("scripts/data.json", ""),
            ("scripts/r.py", "python3"),
        ];
        assert_eq!(rows, expected);
        assert_eq!(
            hosts(&files, &scripts),
            ["a.example.org", "b.example.org", "c.example.org", "localhost"]
        );
    }
}
