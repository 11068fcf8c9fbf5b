//! Forgetting an entry: out of the files, the index, stored conversations, prompts and histories; and bringing
//! it back within 30 days.
//!
//! Invariants: what the ledger needs to bring it back is kept before anything is masked; files lose the
//! sentences that say the same and nothing else; an erased entry is masked in the versions of files too.

use super::By;
use crate::clock;
use crate::engine::Inner;
use hearth_agent::flush::{MASK, Mask, masked};
use hearth_agent::survival::{buffer, sections, state};
use hearth_protocol::api::entries::{EntryChange, EntryForgotten};
use hearth_protocol::{ErrorCode, MemoryEventKind, TurnId, WireError};
use hearth_store::Forgetting;
use hearth_workspace::{Attribution, Held, WorkspaceError, WorkspaceRoot, remove_entry};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const KEPT_SECONDS: i64 = 30 * 86_400;
const STATE: &str = "SESSION-STATE.md";
const BUFFER: &str = "memory/working-buffer.md";

/// A file before and after something in it was forgotten.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    path: String,
    before: String,
    after: String,
    /// The whole section or bullet, where the entry stood in this file.
    section: Option<String>,
    /// What the entry said.
    text: String,
}

impl Inner {
    /// Forgets an entry. `erase`: it can never be brought back.
    pub(crate) async fn forget(
        self: &Arc<Self>,
        id: &str,
        erase: bool,
        by: &By,
    ) -> Result<EntryForgotten, WireError> {
        let wanted = id.to_owned();
        let found = self.on_workspace(move |workspace| workspace.find_held(&wanted)).await;
        let held = match found {
            Ok(held) => held,
            Err(error) => return self.erase_forgotten(id, erase, error).await,
        };
        let (now, attribution) = (clock::now(), by.attribution());
        let plan = {
            let held = held.clone();
            self.on_workspace(move |workspace| planned(workspace, &held)).await?
        };
        let turns = self.turns_of(&held).await?;
        let until = (!erase).then_some(now + KEPT_SECONDS);
        let said = held.text.clone();
        let mask = move |text: &str| masked(text, &said, Mask::Telling);
        let files = serde_json::to_string(&plan).unwrap_or_default();
        // Told after its text is masked everywhere: the note itself carries no words.
        let blank = Held { text: String::new(), ..held.clone() };
        let blank = Held {
            entry: hearth_workspace::Entry { title: String::new(), ..blank.entry.clone() },
            ..blank
        };
        let masked_rows = self
            .store
            .forget_entry(&Forgetting {
                entry: id,
                at: now,
                until,
                files: &files,
                mask: &mask,
                turns: &turns,
                whole: MASK,
            })
            .await?;
        let count = plan.len() as u64;
        let work = {
            let held = held.clone();
            move |workspace: &WorkspaceRoot| removed(workspace, &held, &plan, &attribution)
        };
        let changed = self.on_workspace(work).await?;
        if erase {
            self.erase_versions(id, &held.text).await?;
        }
        self.note(&blank, EntryChange::Forgotten, None, by).await?;
        self.tell(by, MemoryEventKind::Forgotten, &blank);
        for path in changed {
            self.changed(&path, by.author).await;
        }
        self.reread_memory().await;
        Ok(EntryForgotten { id: id.to_owned(), files: count, masked: masked_rows, until })
    }

    /// An entry that is in no file: forgotten before, and perhaps to be erased now.
    async fn erase_forgotten(
        &self,
        id: &str,
        erase: bool,
        missing: WireError,
    ) -> Result<EntryForgotten, WireError> {
        let Some(kept) = self.store.forgotten(id).await? else { return Err(missing) };
        if erase {
            for file in parsed(&kept.files) {
                self.erase_versions(id, &file.text).await?;
            }
        }
        let until = (!erase).then_some(kept.until);
        Ok(EntryForgotten { id: id.to_owned(), files: 0, masked: 0, until })
    }

    async fn erase_versions(&self, id: &str, said: &str) -> Result<(), WireError> {
        let said = said.to_owned();
        let mask = move |text: &str| masked(text, &said, Mask::Telling);
        self.store.erase_entry(id, &mask).await?;
        Ok(())
    }

    /// Erases what was forgotten more than 30 days ago.
    pub(crate) async fn purge_forgotten(&self) -> Result<(), WireError> {
        for (entry, files) in self.store.forgotten_before(clock::now()).await? {
            for file in parsed(&files) {
                self.erase_versions(&entry, &file.text).await?;
            }
        }
        Ok(())
    }

    /// Brings a forgotten entry back: files that are as they were left are as they were before; to others
    /// the entry is added again.
    pub(crate) async fn bring_back(self: &Arc<Self>, id: &str, by: &By) -> Result<Held, WireError> {
        let missing = || {
            let hint = "It was never forgotten, was erased, or its 30 days are over.";
            WireError::new(ErrorCode::NotFound, format!("nothing forgotten has the id {id}"), hint)
        };
        let kept = self.store.forgotten(id).await?.ok_or_else(missing)?;
        let files = parsed(&kept.files);
        let attribution = by.attribution();
        let work = {
            let files = files.clone();
            move |workspace: &WorkspaceRoot| restored(workspace, &files, &attribution)
        };
        self.on_workspace(work).await?;
        self.store.bring_back(id).await?;
        for file in &files {
            self.changed(&file.path, by.author).await;
        }
        self.reread_memory().await;
        let wanted = id.to_owned();
        let held = self.on_workspace(move |workspace| workspace.find_held(&wanted)).await?;
        self.note(&held, EntryChange::Restored, None, by).await?;
        Ok(held)
    }

    /// The turns that an entry comes from, as it and its history say.
    async fn turns_of(&self, held: &Held) -> Result<Vec<TurnId>, WireError> {
        let history = self.store.entry_history(&held.id).await?;
        let mut turns: Vec<TurnId> = history.into_iter().filter_map(|event| event.turn).collect();
        let source = held.entry.source.as_deref().unwrap_or_default();
        turns.extend(source.split_once("turn ").map(|(_, turn)| TurnId(turn.trim().to_owned())));
        turns.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        turns.dedup();
        Ok(turns)
    }
}

fn parsed(files: &str) -> Vec<Kept> {
    serde_json::from_str(files).unwrap_or_default()
}

/// Each file that says it, before and after.
fn planned(workspace: &WorkspaceRoot, held: &Held) -> Result<Vec<Kept>, WorkspaceError> {
    let listed = workspace.list()?.into_iter().map(|file| file.path);
    let mut paths: Vec<String> = listed
        .filter(|path| {
            path.starts_with("memory/") || matches!(path.as_str(), "MEMORY.md" | "USER.md" | STATE)
        })
        .collect();
    if !paths.contains(&held.path) {
        paths.push(held.path.clone());
    }
    let mut plan = Vec::new();
    for path in paths {
        let Ok(file) = workspace.read(&path) else { continue };
        let after = without(&path, &file.text, held)?;
        if after == file.text {
            continue;
        }
        let own = path == held.path;
        let section = own.then(|| file.text.get(held.entry.range.clone()).unwrap_or_default());
        plan.push(Kept {
            section: section.map(str::to_owned),
            before: file.text,
            after,
            path,
            text: held.text.clone(),
        });
    }
    Ok(plan)
}

/// A file's text without what is forgotten.
fn without(path: &str, text: &str, held: &Held) -> Result<String, WorkspaceError> {
    let mut text = text.to_owned();
    if path == held.path {
        text = match remove_entry(path, &text, &held.id) {
            Ok(text) => text,
            // Gone meanwhile.
            Err(hearth_workspace::EntryFault::Unknown(_)) => text,
            Err(fault) => return Err(WorkspaceError::Entry { path: path.to_owned(), fault }),
        };
    }
    let said = held.text.as_str();
    match path {
        STATE => text = each_section(&text, |section| state::forgotten(section, said)),
        BUFFER => text = each_section(&text, |section| buffer::forgotten(section, said)),
        _ => {}
    }
    // Working notes are Hearth's own words; other files are the person's.
    let mask = if matches!(path, STATE | BUFFER) { Mask::Telling } else { Mask::Same };
    Ok(masked(&text, said, mask).unwrap_or(text))
}

/// The notes of each session without what is forgotten.
fn each_section(text: &str, without: impl Fn(&str) -> String) -> String {
    let keys: Vec<String> = sections::keys(text).map(str::to_owned).collect();
    let mut text = text.to_owned();
    for key in keys {
        let Some(section) = sections::section(&text, &key) else { continue };
        let left = without(section);
        if left.trim() != section.trim() {
            text = sections::with_section(&text, &key, &left, "");
        }
    }
    text
}

fn removed(
    workspace: &WorkspaceRoot,
    held: &Held,
    plan: &[Kept],
    by: &Attribution,
) -> Result<Vec<String>, WorkspaceError> {
    let mut changed = Vec::new();
    for file in plan {
        let path = file.path.as_str();
        workspace.rewrite_entries(path, by, |text| match without(path, text, held) {
            Ok(text) => Ok(text),
            Err(WorkspaceError::Entry { fault, .. }) => Err(fault),
            Err(_) => Ok(text.to_owned()),
        })?;
        changed.push(file.path.clone());
    }
    Ok(changed)
}

fn restored(
    workspace: &WorkspaceRoot,
    files: &[Kept],
    by: &Attribution,
) -> Result<(), WorkspaceError> {
    for file in files {
        workspace.rewrite_entries(&file.path, by, |text| {
            if text == file.after {
                return Ok(file.before.clone());
            }
            let Some(section) = file.section.as_deref().filter(|section| !text.contains(section))
            else {
                return Ok(text.to_owned());
            };
            let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
            let gap = if text.is_empty() || text.ends_with('\n') { gap } else { "\n\n" };
            Ok(format!("{text}{gap}{section}"))
        })?;
    }
    Ok(())
}
