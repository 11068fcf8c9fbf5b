//! Search in the files of the workspace, line by line.

use crate::call::{Invocation, Outcome};
use crate::files::{LIMIT, blocking, failed, object};
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_workspace::{WorkspaceError, WorkspaceRoot};
use regex::{Regex, RegexBuilder};
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;

/// Hits in one answer.
const HITS: usize = 100;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 240;
/// Folders below the one searched.
const DEPTH: usize = 8;

pub(crate) struct SearchFiles(pub(crate) Arc<WorkspaceRoot>);

static SEARCH_FILES: Descriptor = Descriptor {
    name: Cow::Borrowed("search_files"),
    description: Cow::Borrowed(
        "Find lines in the workspace's text files by a regular expression, case ignored.",
    ),
    access: &[Access::Reads],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed("Reads files of the workspace; links that lead out are refused."),
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
        let workspace = Arc::clone(&self.0);
        blocking(move || search(&workspace, &call).unwrap_or_else(failed)).await
    }
}

fn search(workspace: &WorkspaceRoot, call: &Invocation) -> Result<Outcome, WorkspaceError> {
    let pattern = call.text("pattern");
    let wanted = match compiled(pattern) {
        Ok(wanted) => wanted,
        Err(why) => return Ok(Outcome::failed(why)),
    };
    let path = match call.text("path") {
        "" => ".",
        path => path,
    };
    let mut hits = Vec::new();
    let mut files = Vec::new();
    match workspace.read(path) {
        Ok(file) if file.exists => files.push(path.to_owned()),
        _ => collect(workspace, path, 0, &mut files)?,
    }
    for file in files {
        // Pictures and other files that are no text are not what is searched.
        let Ok(text) = workspace.read(&file) else { continue };
        let found = text.text.lines().enumerate().filter(|(_, line)| wanted.is_match(line));
        hits.extend(found.map(|(at, line)| {
            let shown: String = line.trim().chars().take(LINE_CHARS).collect();
            format!("{file}:{}: {shown}", at + 1)
        }));
        if hits.len() > HITS {
            break;
        }
    }
    Ok(answer(pattern, hits))
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
