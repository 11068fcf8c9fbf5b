//! Lines of a workspace file that Hearth cannot read as they are meant.
//!
//! Invariant: a problem never keeps a file from being read, saved or put in a prompt.

use crate::PersonaFile;
use crate::entries::{Comment, KINDS, comments, entries, marks};
use hearth_protocol::api::files::FileProblem;
use std::collections::HashSet;

/// What cannot be understood in the file at `path`, by line.
#[must_use]
pub fn problems(path: &str, text: &str) -> Vec<FileProblem> {
    let mut found = Vec::new();
    if path.ends_with(".md") {
        unfinished(text, &mut found);
    }
    if PersonaFile::at(path) == Some(PersonaFile::Memory) {
        memory_comments(text, &mut found);
    }
    if PersonaFile::at(path) == Some(PersonaFile::Heartbeat) {
        found.extend(crate::heartbeat(text).problems);
    }
    found.sort_by_key(|problem| problem.line);
    found
}

fn problem(line: usize, message: impl Into<String>) -> FileProblem {
    FileProblem { line: u32::try_from(line).unwrap_or(u32::MAX), message: message.into() }
}

fn unfinished(text: &str, found: &mut Vec<FileProblem>) {
    for comment in comments(text).filter(|comment| !comment.closed) {
        let message = match comment.broken {
            true => {
                "This entry's comment has no end (`-->`): it is read up to the end of its line."
            }
            false => "This comment has no end (`-->`): everything below it is hidden.",
        };
        found.push(problem(comment.line, message));
    }
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            found.push(problem(
                index + 1,
                "A conflict was left here: keep one side and remove the marks.",
            ));
        }
    }
}

fn memory_comments(text: &str, found: &mut Vec<FileProblem>) {
    let mut ids = HashSet::new();
    let all: HashSet<String> = entries(text).into_iter().filter_map(|entry| entry.id).collect();
    for comment in comments(text).filter(Comment::is_entry) {
        let mut keys = HashSet::new();
        for part in marks(&comment.body) {
            let Some((key, value)) = crate::entries::pair(part) else {
                found.push(problem(
                    comment.line,
                    format!("`{part}` is not of the form `key: value`."),
                ));
                continue;
            };
            if !keys.insert(key.clone()) {
                found.push(problem(comment.line, format!("`{key}` stands here twice.")));
            }
            if let Some(message) = fault(&key, value, &all) {
                found.push(problem(comment.line, message));
            }
            if key == "id" && !ids.insert(value.to_owned()) {
                found.push(problem(
                    comment.line,
                    format!("The id `{value}` is used by an entry above."),
                ));
            }
        }
    }
}

fn fault(key: &str, value: &str, ids: &HashSet<String>) -> Option<String> {
    let ok = match key {
        "id" => !value.is_empty() && !value.contains(char::is_whitespace),
        "kind" => KINDS.contains(&value),
        "time" | "expiry" => crate::entries::time(value).is_some(),
        "confidence" | "importance" => crate::entries::share(value).is_some(),
        "status" => return status_fault(value, ids),
        "source" => !value.is_empty(),
        // Keys of the person's own are theirs.
        _ => true,
    };
    let expected = match key {
        "id" => "one word",
        "kind" => "fact, preference, event, decision or lesson",
        "time" | "expiry" => "a date such as 2026-11-29 or 2026-11-29T21:00:00Z",
        "confidence" | "importance" => "a number from 0 to 1",
        _ => "a value",
    };
    (!ok).then(|| format!("`{key}: {value}` cannot be read: expected {expected}."))
}

fn status_fault(value: &str, ids: &HashSet<String>) -> Option<String> {
    if matches!(value, "active" | "expired") {
        return None;
    }
    let Some(id) = value.strip_prefix("superseded by ") else {
        return Some(format!(
            "`status: {value}` cannot be read: expected active, expired or superseded by ID."
        ));
    };
    let known = ids.contains(id.trim());
    (!known)
        .then(|| format!("This entry is superseded by `{}`, which is not in the file.", id.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<u32> {
        problems(path, text).into_iter().map(|p| p.line).collect()
    }

    #[test]
    fn good_entries_and_free_text_have_no_problem() {
        let good = "# Memory\n\nFree text: a; b\n<!-- a remark; nothing more -->\n\n## Tea\n<!-- id: m1; kind: preference; time: 2026-11-29T21:00:00+01:00; source: session assistant:main, turn t1; confidence: 0.9; status: active; mood: fine -->\nGreen.\n\n## Old\n<!-- id: m0; time: 2026-01-02; status: superseded by m1; expiry: 2027-01-01 -->\n";
        assert_eq!(problems("MEMORY.md", good), []);
        assert_eq!(problems("MEMORY.md", ""), []);
        assert_eq!(problems("USER.md", "## X\n<!-- id: a b -->"), []);
    }

    #[test]
    fn each_fault_is_found_at_its_line() {
        let entry = |comment: &str| format!("## A\n\n<!-- {comment} -->\nx\n");
        for bad in [
            "id: a b",
            "id: a; kind: rumour",
            "id: a; time: yesterday",
            "id: a; confidence: 3",
            "id: a; importance: very",
            "id: a; status: gone",
            "id: a; status: superseded by zz",
            "id: a; what",
            "id: a; id: b",
        ] {
            assert_eq!(lines("MEMORY.md", &entry(bad)), [3], "{bad}");
        }
        assert_eq!(lines("MEMORY.md", &format!("{}{}", entry("id: a"), entry("id: a"))), [7]);
        assert_eq!(lines("HEARTBEAT.md", "# H\n<!-- never closed\n- [ ] x\n"), [2]);
        assert_eq!(lines("SOUL.md", "a\n<<<<<<< yours\nb\n=======\nc\n>>>>>>> on disk\n"), [2, 6]);
    }

    #[test]
    fn a_comment_in_a_code_block_is_text() {
        assert_eq!(lines("SOUL.md", "```html\n<!-- open\n```\nend\n"), [0; 0]);
        assert_eq!(lines("SOUL.md", "Write `<!--` to begin.\n"), [0; 0]);
    }
}
