//! The Markdown of an OpenClaw workspace comes into this one.
//!
//! Invariants: every write goes through the workspace, so it has a version by `import`; a file of the person is
//! never changed, but for a daily log, which is only added to: what differs is laid beside it.

use super::Run;
use crate::engine::joined;
use hearth_protocol::WireError;
use hearth_protocol::api::files::{Author, FileChanged, FileSave, FileSaved, FileText};
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::{ImportKind, ImportReason};
use hearth_transfer::missing;
use hearth_workspace::{
    Attribution, Journal, JournalError, Language, PersonaFile, Version, WorkspaceError,
    WorkspaceRoot, template,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a file lies that differs from the person's own.
const BESIDE: &str = "imported/openclaw";

/// What becomes of one file.
struct Fate {
    kind: ImportKind,
    reason: ImportReason,
    detail: String,
    target: String,
    /// Its hash, where it was written.
    hash: Option<String>,
}

/// The files of their workspace, each into ours.
pub(super) async fn workspace(run: &mut Run<'_>, folder: PathBuf) -> Result<(), WireError> {
    let (theirs, paths, others) = joined(tokio::task::spawn_blocking(move || open(&folder)).await)?
        .map_err(|error| crate::engine::of_workspace(&error))?;
    for name in others {
        run.item(ImportKind::File, &name, ImportReason::NotTaken, "", "");
    }
    for path in paths {
        if run.is_closing() {
            return Ok(());
        }
        let (theirs, at, dry_run) = (Arc::clone(&theirs), path.clone(), run.dry_run);
        let take = move |ours: &WorkspaceRoot| Ok(fate(ours, &theirs, &at, dry_run));
        let fate = run.engine.inner.on_workspace(take).await?;
        if let Some(hash) = fate.hash {
            let path = fate.target.clone();
            let changed = FileChanged { path, author: Author::Import, hash };
            run.engine.inner.bus.send(Signal::File(changed));
        }
        run.item(fate.kind, &path, fate.reason, &fate.detail, &fate.target);
    }
    Ok(())
}

/// Keeps nothing: nothing is written there.
struct Nowhere;

impl Journal for Nowhere {
    fn record(&self, _: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

type Opened = (Arc<WorkspaceRoot>, Vec<String>, Vec<String>);

/// Their workspace, its Markdown, and what else lies at its top.
fn open(folder: &Path) -> Result<Opened, WorkspaceError> {
    let theirs = WorkspaceRoot::open(folder, Arc::new(Nowhere))?;
    let listed = theirs.list()?.into_iter().map(|file| file.path);
    let paths: Vec<String> = listed.filter(|path| !path.starts_with("skills/")).collect();
    let here = theirs.folder_entries(".")?;
    let others = here.into_iter().filter(|entry| !entry.folder).map(|entry| entry.name);
    let others = others.filter(|name| !paths.contains(name)).collect();
    Ok((Arc::new(theirs), paths, others))
}

fn fate(ours: &WorkspaceRoot, theirs: &WorkspaceRoot, path: &str, dry_run: bool) -> Fate {
    let kind = if is_log(path) { ImportKind::Log } else { ImportKind::File };
    let failed = |reason, error: &WorkspaceError| Fate {
        kind,
        reason,
        detail: error.to_string(),
        target: String::new(),
        hash: None,
    };
    // Their first-run ritual is over, or not ours.
    if path == PersonaFile::Bootstrap.path() {
        return Fate {
            kind,
            reason: ImportReason::NotTaken,
            detail: String::new(),
            target: String::new(),
            hash: None,
        };
    }
    let text = match theirs.read(path) {
        Ok(file) => file.text,
        Err(error) => return failed(ImportReason::Unreadable, &error),
    };
    match plan(ours, path, &text) {
        Err(error) => failed(ImportReason::NotStored, &error),
        Ok(plan) => match plan.carry_out(ours, dry_run) {
            Ok(hash) => {
                Fate { kind, reason: plan.reason, detail: plan.detail, target: plan.target, hash }
            }
            Err(error) => failed(ImportReason::NotStored, &error),
        },
    }
}

/// What is to be written where, and why.
struct Plan {
    reason: ImportReason,
    detail: String,
    target: String,
    act: Act,
}

enum Act {
    Nothing,
    /// This text, in the place of what was read.
    Save(String, FileText),
    /// This block, at the end.
    Append(String),
}

fn plan(ours: &WorkspaceRoot, path: &str, text: &str) -> Result<Plan, WorkspaceError> {
    let plan = |reason, target: &str, act| Plan {
        reason,
        detail: String::new(),
        target: target.to_owned(),
        act,
    };
    let here = ours.read(path)?;
    if here.text == text && here.exists {
        return Ok(plan(ImportReason::Same, path, Act::Nothing));
    }
    if !here.exists {
        return Ok(plan(ImportReason::New, path, Act::Save(text.to_owned(), here)));
    }
    if is_template(path, &here.text) {
        return Ok(plan(ImportReason::OverTemplate, path, Act::Save(text.to_owned(), here)));
    }
    if is_log(path) {
        return Ok(match missing(&here.text, text) {
            None => plan(ImportReason::Same, path, Act::Nothing),
            Some((block, count)) => Plan {
                detail: count.to_string(),
                ..plan(ImportReason::Merged, path, Act::Append(block))
            },
        });
    }
    let beside = format!("{BESIDE}/{path}");
    let there = ours.read(&beside)?;
    Ok(match there.exists {
        false => plan(ImportReason::Beside, &beside, Act::Save(text.to_owned(), there)),
        true if there.text == text => plan(ImportReason::Same, &beside, Act::Nothing),
        // The person may have worked on that copy.
        true => Plan {
            detail: format!("{beside} differs, too; move it away and import again"),
            ..plan(ImportReason::Refused, &beside, Act::Nothing)
        },
    })
}

impl Plan {
    fn carry_out(
        &self,
        ours: &WorkspaceRoot,
        dry_run: bool,
    ) -> Result<Option<String>, WorkspaceError> {
        let by = Attribution::from(Author::Import);
        match &self.act {
            Act::Nothing => Ok(None),
            _ if dry_run => Ok(None),
            Act::Append(block) => {
                // Apart from what stands there.
                let block = format!("\n{}", block.trim_start_matches('\n'));
                ours.append(&self.target, &block, &by).map(Some)
            }
            Act::Save(text, base) => {
                let edit = FileSave {
                    path: self.target.clone(),
                    text: text.clone(),
                    base_hash: base.hash.clone(),
                    base_text: base.text.clone(),
                    confirmed: true,
                };
                match ours.save(&edit, &by)? {
                    FileSaved::Written { hash } | FileSaved::Merged { hash, .. } => Ok(Some(hash)),
                    FileSaved::Conflict { .. } | FileSaved::ConfirmShrink { .. } => {
                        Err(WorkspaceError::Changed { path: self.target.clone() })
                    }
                }
            }
        }
    }
}

/// `memory/2026-02-01.md`, and further files of the day.
fn is_log(path: &str) -> bool {
    let day = path.strip_prefix("memory/").and_then(|name| name.get(..10));
    day.is_some_and(|day| chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok())
}

/// Whether a persona file says what it said when it was made.
fn is_template(path: &str, text: &str) -> bool {
    let file = PersonaFile::ALL.into_iter().find(|file| file.path() == path);
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    file.is_some_and(|file| {
        let languages = [Language::English, Language::Chinese];
        let mut known = languages.into_iter().filter_map(|language| template(file, language));
        known.any(|template| plain(template) == plain(text))
    })
}
