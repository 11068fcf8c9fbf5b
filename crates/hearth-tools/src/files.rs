//! Tools for files: read, write, edit by exact replacement, list.
//!
//! Invariants: in the workspace, confinement, size and encoding are its own, so links and `..` that lead
//! out are refused there, and every write is compare-and-swap against what was read in the same call, and a
//! version; allowed folders are `outside`'s. A path leads to exactly one of the two.

use crate::call::{Invocation, Outcome};
use crate::outside;
use crate::reach::{Place, Surroundings};
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_protocol::TurnId;
use hearth_protocol::api::files::{Author, FileSave, FileSaved};
use hearth_workspace::{Attribution, FolderEntry, WorkspaceError, WorkspaceRoot};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;

/// Lines of a file in one answer, unless the model asks for fewer.
const LINES: usize = 800;
/// A disk that does not answer for so long is given up.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct ReadFile(pub(crate) Surroundings);
pub(crate) struct WriteFile(pub(crate) Surroundings);
pub(crate) struct EditFile(pub(crate) Surroundings);
pub(crate) struct ListFiles(pub(crate) Surroundings);

static READ_FILE: Descriptor = Descriptor {
    name: Cow::Borrowed("read_file"),
    description: Cow::Borrowed(
        "Read a text file of the workspace, of an allowed folder (absolute path) or a kept output (output:NAME).",
    ),
    access: &[Access::Reads],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(
        "Reads files of the workspace and the allowed folders; links that lead out are refused.",
    ),
    schema: Schema::Built(|| {
        object(
            json!({"path": {"type": "string"}, "from": {"type": "integer", "minimum": 1},
                "lines": {"type": "integer", "minimum": 1}}),
            &["path"],
        )
    }),
};

static WRITE_FILE: Descriptor = Descriptor {
    name: Cow::Borrowed("write_file"),
    description: Cow::Borrowed(
        "Create a file or replace its whole text, in the workspace or (absolute path) an allowed folder. To \
         change a part, use edit_file.",
    ),
    access: &[Access::WritesWorkspace, Access::WritesOutside],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(
        "Changes files of the workspace, where every change is a version and can be undone, and of the allowed folders.",
    ),
    schema: Schema::Built(|| {
        object(
            json!({"path": {"type": "string"}, "content": {"type": "string"}}),
            &["path", "content"],
        )
    }),
};

static EDIT_FILE: Descriptor = Descriptor {
    name: Cow::Borrowed("edit_file"),
    description: Cow::Borrowed("Replace text in a file. `old` must occur exactly once."),
    access: &[Access::WritesWorkspace, Access::WritesOutside],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(
        "Changes files of the workspace, where every change is a version and can be undone, and of the allowed folders.",
    ),
    schema: Schema::Built(|| {
        object(
            json!({"path": {"type": "string"}, "old": {"type": "string"}, "new": {"type": "string"}}),
            &["path", "old", "new"],
        )
    }),
};

static LIST_FILES: Descriptor = Descriptor {
    name: Cow::Borrowed("list_files"),
    description: Cow::Borrowed("List a folder; \".\" is the workspace itself."),
    access: &[Access::Reads],
    group: Group::Files,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(
        "Reads files of the workspace and the allowed folders; links that lead out are refused.",
    ),
    schema: Schema::Built(|| object(json!({"path": {"type": "string"}}), &["path"])),
};

/// A schema of an object with these properties and nothing else.
pub(crate) fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false})
}

/// Runs blocking work on a thread that may wait.
pub(crate) async fn blocking(work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Outcome::failed("The tool stopped before it was done."))
}

#[async_trait]
impl Tool for ReadFile {
    fn descriptor(&self) -> &Descriptor {
        &READ_FILE
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let around = self.0.clone();
        blocking(move || match around.place(call.text("path")) {
            Ok(Place::Workspace(path)) => {
                read(&around.workspace, &path, &call).unwrap_or_else(failed)
            }
            Ok(place) => outside::read(&place, &call),
            Err(why) => Outcome::failed(why),
        })
        .await
    }
}

pub(crate) fn read(
    workspace: &WorkspaceRoot,
    path: &str,
    call: &Invocation,
) -> Result<Outcome, WorkspaceError> {
    let file = workspace.read(path)?;
    if !file.exists {
        return Ok(no_such(workspace, path));
    }
    let all: Vec<&str> = file.text.lines().collect();
    let from = call.count("from").unwrap_or(1);
    let wanted = call.count("lines").unwrap_or(LINES).min(LINES);
    if from > all.len() && from > 1 {
        return Ok(Outcome::failed(format!("{path} has {} lines only.", all.len())));
    }
    let to = all.len().min(from - 1 + wanted);
    if (from, to) == (1, all.len()) {
        return Ok(Outcome::done(file.text));
    }
    let shown = all[from - 1..to].join("\n");
    let note = format!("\n[lines {from} to {to} of {}; the rest with from and lines]", all.len());
    Ok(Outcome::done(shown + &note))
}

#[async_trait]
impl Tool for WriteFile {
    fn descriptor(&self) -> &Descriptor {
        &WRITE_FILE
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let around = self.0.clone();
        blocking(move || match around.place(call.text("path")) {
            Ok(Place::Workspace(path)) => {
                save(&around.workspace, &path, &call).unwrap_or_else(failed)
            }
            Ok(place) => outside::write(&place, &call, around.reach().max_bytes),
            Err(why) => Outcome::failed(why),
        })
        .await
    }

    fn refuses(&self, call: &Invocation) -> Option<String> {
        let most = || self.0.reach().max_bytes;
        if call.extras.seen.is_some() && call.extras.seen != self.replaces(call) {
            return Some(changed_since(call.text("path")));
        }
        match self.0.place(call.text("path")) {
            Ok(Place::Workspace(path)) => {
                let edit = whole(&self.0.workspace, &path, call);
                refused(&path, edit.and_then(|edit| self.0.workspace.foresee(&edit)))
            }
            Ok(place) => outside::replacing(&place, call, most()).err(),
            Err(why) => Some(why),
        }
    }

    fn replaces(&self, call: &Invocation) -> Option<String> {
        fingerprint(&self.0, call)
    }
}

#[async_trait]
impl Tool for EditFile {
    fn descriptor(&self) -> &Descriptor {
        &EDIT_FILE
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let around = self.0.clone();
        blocking(move || match around.place(call.text("path")) {
            Ok(Place::Workspace(path)) => {
                edit(&around.workspace, &path, &call).unwrap_or_else(failed)
            }
            Ok(place) => outside::edit(&place, &call, around.reach().max_bytes),
            Err(why) => Outcome::failed(why),
        })
        .await
    }

    fn refuses(&self, call: &Invocation) -> Option<String> {
        let most = || self.0.reach().max_bytes;
        match self.0.place(call.text("path")) {
            Ok(Place::Workspace(path)) => match part(&self.0.workspace, &path, call) {
                Ok(Ok(edit)) => refused(&path, self.0.workspace.foresee(&edit)),
                Ok(Err(why)) => Some(why),
                Err(error) => Some(error.to_string()),
            },
            Ok(place) => outside::editing(&place, call, most()).err(),
            Err(why) => Some(why),
        }
    }

    fn replaces(&self, call: &Invocation) -> Option<String> {
        fingerprint(&self.0, call)
    }
}

fn fingerprint(around: &Surroundings, call: &Invocation) -> Option<String> {
    match around.place(call.text("path")).ok()? {
        Place::Workspace(path) => {
            Some(around.workspace.fingerprint(&path).ok()?.unwrap_or_default())
        }
        place => outside::fingerprint(&place, around.reach().max_bytes),
    }
}

fn edit(
    workspace: &WorkspaceRoot,
    path: &str,
    call: &Invocation,
) -> Result<Outcome, WorkspaceError> {
    match part(workspace, path, call)? {
        Ok(edit) => Ok(saved(path, workspace.save(&edit, &by(&call.turn))?)),
        Err(why) => Ok(Outcome::failed(why)),
    }
}

/// The change of a part of a file, or why there is none.
fn part(
    workspace: &WorkspaceRoot,
    path: &str,
    call: &Invocation,
) -> Result<Result<FileSave, String>, WorkspaceError> {
    let file = workspace.read(path)?;
    if !file.exists {
        return Ok(Err(no_such(workspace, path).text));
    }
    let text = replaced(path, &file.text, call.text("old"), call.text("new"));
    Ok(text.map(|text| FileSave {
        path: path.to_owned(),
        text,
        base_hash: file.hash,
        base_text: file.text,
        confirmed: false,
    }))
}

/// The text with its only occurrence of `old` replaced.
pub(crate) fn replaced(path: &str, text: &str, old: &str, new: &str) -> Result<String, String> {
    if old.is_empty() {
        return Err("`old` is empty: give the exact text to replace.".to_owned());
    }
    match text.matches(old).count() {
        0 => Err(format!(
            "`old` does not occur in {path}. Read the file and copy the text exactly, line breaks included."
        )),
        1 => Ok(text.replacen(old, new, 1)),
        times => Err(format!(
            "`old` occurs {times} times in {path}. Give more of the text around it, so that it occurs once."
        )),
    }
}

fn save(
    workspace: &WorkspaceRoot,
    path: &str,
    call: &Invocation,
) -> Result<Outcome, WorkspaceError> {
    let edit = whole(workspace, path, call)?;
    Ok(match workspace.save(&edit, &by(&call.turn))? {
        FileSaved::Conflict { .. } if call.extras.seen.is_some() => {
            Outcome::failed(changed_since(path))
        }
        answer => saved(path, answer),
    })
}

/// The change of a whole file: of what the person saw when they were asked, else of what is there.
fn whole(
    workspace: &WorkspaceRoot,
    path: &str,
    call: &Invocation,
) -> Result<FileSave, WorkspaceError> {
    let now = workspace.read(path)?;
    let seen = call.extras.seen.clone().unwrap_or_else(|| now.hash.clone());
    // Nothing is merged into what nobody was shown.
    let base_text = if seen == now.hash { now.text } else { String::new() };
    Ok(FileSave {
        path: path.to_owned(),
        text: call.text("content").to_owned(),
        base_hash: seen,
        base_text,
        confirmed: false,
    })
}

pub(crate) fn changed_since(path: &str) -> String {
    format!(
        "{path} was changed since your person was asked about this; nothing was written. Read it again and repeat \
         your change."
    )
}

/// Why a change would not be written.
fn refused(path: &str, answer: Result<FileSaved, WorkspaceError>) -> Option<String> {
    let outcome = answer.map_or_else(failed, |answer| saved(path, answer));
    (!outcome.ok).then_some(outcome.text)
}

fn by(turn: &TurnId) -> Attribution {
    Attribution { author: Author::Turn, turn: Some(turn.clone()) }
}

fn saved(path: &str, saved: FileSaved) -> Outcome {
    match saved {
        FileSaved::Written { .. } => Outcome::done(format!("Saved {path}.")),
        FileSaved::Merged { .. } => Outcome::done(format!(
            "Saved {path}, together with a change that somebody else made at the same time. Read it again before you go on."
        )),
        FileSaved::Conflict { .. } => Outcome::failed(format!(
            "{path} was changed at the same time in the same place; nothing was written. Read it again and repeat your change."
        )),
        FileSaved::ConfirmShrink { from_chars, to_chars } => Outcome::failed(format!(
            "That would shrink {path} from {from_chars} to {to_chars} characters; nothing was written. \
             Change parts of it with edit_file, or ask your person to do it."
        )),
    }
}

#[async_trait]
impl Tool for ListFiles {
    fn descriptor(&self) -> &Descriptor {
        &LIST_FILES
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let around = self.0.clone();
        blocking(move || match around.place(call.text("path")) {
            Ok(Place::Workspace(path)) => around
                .workspace
                .folder_entries(&path)
                .map_or_else(failed, |entries| listing(&path, &entries)),
            Ok(place) => outside::list(&place, call.text("path")),
            Err(why) => Outcome::failed(why),
        })
        .await
    }
}

/// Entries of a folder in one answer.
const ENTRIES: usize = 500;

pub(crate) fn listing(path: &str, entries: &[FolderEntry]) -> Outcome {
    if entries.is_empty() {
        return Outcome::done(format!("{path} is empty."));
    }
    let line = |entry: &FolderEntry| match entry.folder {
        true => format!("{}/", entry.name),
        false => format!("{} ({} bytes)", entry.name, entry.bytes),
    };
    let mut lines: Vec<String> = entries.iter().take(ENTRIES).map(line).collect();
    if entries.len() > ENTRIES {
        lines.push(format!("[{} more]", entries.len() - ENTRIES));
    }
    Outcome::done(lines.join("\n"))
}

/// As [`missing`], with the file that was probably meant: models begin paths with folders that lead to the
/// workspace, as it looks to them.
fn no_such(workspace: &WorkspaceRoot, path: &str) -> Outcome {
    let shorter = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| &path[at + 1..]);
    let exists = |path: &&str| workspace.read(path).is_ok_and(|file| file.exists);
    match shorter.filter(|path| !path.is_empty()).find(exists) {
        Some(there) => Outcome::failed(format!("There is no file {path}. There is {there}.")),
        None => missing(path),
    }
}

pub(crate) fn missing(path: &str) -> Outcome {
    Outcome::failed(format!("There is no file {path}. list_files shows what there is."))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_or_else and unwrap_or_else take"
)]
pub(crate) fn failed(error: WorkspaceError) -> Outcome {
    Outcome::failed(error.to_string())
}
