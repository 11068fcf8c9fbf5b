//! Search in files, line by line.
//!
//! Invariant: what is searched is what could be read; pictures and other files that are no text are passed
//! over.

use crate::call::{Invocation, Outcome};
use crate::files::{LIMIT, blocking, object};
use crate::outside;
use crate::reach::{Place, Surroundings};
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_workspace::{WorkspaceError, WorkspaceRoot};
use regex::{Regex, RegexBuilder};
use serde_json::json;
use std::borrow::Cow;

/// Hits in one answer.
const HITS: usize = 100;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 240;
/// Folders below the one searched.
const DEPTH: usize = 8;

pub(crate) struct SearchFiles(pub(crate) Surroundings);

static SEARCH_FILES: Descriptor = Descriptor {
    name: Cow::Borrowed("search_files"),
    description: Cow::Borrowed(
        "Find lines in text files by a regular expression, case ignored: in the workspace, or in `path`.",
    ),
    access: &[Access::Reads],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(
        "Reads files of the workspace and the allowed folders; links that lead out are refused.",
    ),
    schema: Schema::Built(|| {
        object(json!({"pattern": {"type": "string"}, "path": {"type": "string"}}), &["pattern"])
    }),
};

#[async_trait]
impl Tool for SearchFiles {
    fn descriptor(&self) -> &Descriptor {
        &SEARCH_FILES
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let around = self.0.clone();
        blocking(move || {
            let pattern = call.text("pattern");
            let wanted = match compiled(pattern) {
                Ok(wanted) => wanted,
                Err(why) => return Outcome::failed(why),
            };
            let mut hits = Hits { wanted, found: Vec::new() };
            let path = if call.text("path").is_empty() { "." } else { call.text("path") };
            let place = match around.place(path) {
                Ok(place) => place,
                Err(why) => return Outcome::failed(why),
            };
            let searched = match &place {
                Place::Workspace(path) => {
                    search(&around.workspace, path, &mut hits).map_err(|error| error.to_string())
                }
                _ => outside::search(&place, &mut hits, path),
            };
            let outcome = searched.map_or_else(Outcome::failed, |()| answer(pattern, hits.found));
            if place.is_untrusted() { outcome.from_outside(path) } else { outcome }
        })
        .await
    }
}

/// What is looked for, and where it was found.
pub(crate) struct Hits {
    wanted: Regex,
    found: Vec<String>,
}

impl Hits {
    /// Looks at a line, with its number from 1.
    pub(crate) fn look(&mut self, file: &str, at: usize, line: &str) {
        if self.wanted.is_match(line) {
            let shown: String = line.trim().chars().take(LINE_CHARS).collect();
            self.found.push(format!("{file}:{at}: {shown}"));
        }
    }

    /// More would not be shown.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() > HITS
    }
}

fn search(workspace: &WorkspaceRoot, path: &str, hits: &mut Hits) -> Result<(), WorkspaceError> {
    let mut files = Vec::new();
    match workspace.read(path) {
        Ok(file) if file.exists => files.push(path.to_owned()),
        _ => collect(workspace, path, 0, &mut files)?,
    }
    for file in files {
        let Ok(text) = workspace.read(&file) else { continue };
        for (at, line) in text.text.lines().enumerate() {
            hits.look(&file, at + 1, line);
        }
        if hits.is_full() {
            break;
        }
    }
    Ok(())
}

/// A pattern that is no regular expression is taken as plain text: models forget to escape.
fn compiled(pattern: &str) -> Result<Regex, String> {
    let build =
        |text: &str| RegexBuilder::new(text).case_insensitive(true).size_limit(1 << 20).build();
    build(pattern)
        .or_else(|_| build(&regex::escape(pattern)))
        .map_err(|error| format!("The pattern cannot be used: {error}"))
}

fn collect(
    workspace: &WorkspaceRoot,
    folder: &str,
    depth: usize,
    files: &mut Vec<String>,
) -> Result<(), WorkspaceError> {
    for entry in workspace.folder_entries(folder)? {
        let path = if folder == "." { entry.name } else { format!("{folder}/{}", entry.name) };
        match entry.folder {
            true if depth < DEPTH => collect(workspace, &path, depth + 1, files)?,
            true => {}
            false => files.push(path),
        }
    }
    Ok(())
}

fn answer(pattern: &str, mut hits: Vec<String>) -> Outcome {
    if hits.is_empty() {
        return Outcome::done(format!("Nothing matches {pattern}."));
    }
    if hits.len() > HITS {
        hits.truncate(HITS);
        hits.push(format!("[only the first {HITS} hits; narrow the pattern or the path]"));
    }
    Outcome::done(hits.join("\n"))
}
