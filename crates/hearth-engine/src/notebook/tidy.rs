//! MEMORY.md kept in size: what holds no more leaves it, repeats become one, and the least telling entries
//! move to the logs of their days. Also what is over: entries that expired, forgotten ones that cannot be
//! brought back any more.
//!
//! Invariant: an entry is in the log before it leaves MEMORY.md, so a crash in between leaves it twice, never
//! nowhere.

use super::By;
use crate::clock;
use crate::engine::Inner;
use hearth_agent::flush::{Tidied, Tidy, consolidate, same};
use hearth_protocol::api::entries::EntryChange;
use hearth_protocol::api::files::Author;
use hearth_protocol::{EventBody, MemoryEventKind, WireError};
use hearth_workspace::{
    DEFAULT_FILE_CHARS, Draft, Held, PersonaFile, WorkspaceError, WorkspaceRoot, daily_log_path,
    mark_entry, remove_entry,
};

impl Inner {
    /// Tidies MEMORY.md where it has grown; returns what happened, as events.
    pub(crate) async fn tidy(&self, author: Author) -> Result<Vec<EventBody>, WireError> {
        let by = By { author, session: None, turn: None, why: "memory was tidied" };
        let over = {
            let attribution = by.attribution();
            self.on_workspace(move |workspace| workspace.expire(clock::now(), &attribution)).await?
        };
        for held in &over {
            self.note(held, EntryChange::Expired, None, &by).await?;
            self.changed(&held.path, author).await;
        }
        let path = PersonaFile::Memory.path();
        let all = self.on_workspace(move |workspace| workspace.held(path)).await?;
        let plan = consolidate(&all.iter().map(tidy_of).collect::<Vec<_>>(), DEFAULT_FILE_CHARS);
        let mut events = Vec::new();
        for step in plan {
            let (Tidied::Drop(id) | Tidied::Merge(id, _) | Tidied::Move(id)) = &step;
            let Some(held) = all.iter().find(|held| held.id == *id).cloned() else { continue };
            let other = match &step {
                Tidied::Merge(_, into) => Some(into.clone()),
                Tidied::Drop(_) | Tidied::Move(_) => None,
            };
            let (zone, attribution) = (self.zone(), by.attribution());
            let work = {
                let held = held.clone();
                move |workspace: &WorkspaceRoot| {
                    step_of(workspace, &held, &step, zone, &attribution)
                }
            };
            match self.on_workspace(work).await {
                Ok(moved) => {
                    let after = Held { path: moved.unwrap_or(held.path.clone()), ..held };
                    self.note(&after, EntryChange::Consolidated, other, &by).await?;
                    events.push(super::event(MemoryEventKind::Consolidated, &after, by.why));
                }
                // Changed by somebody meanwhile: it is tidied the next time.
                Err(error) => {
                    tracing::warn!(id = held.id, message = error.message, "an entry was not tidied")
                }
            }
        }
        if !events.is_empty() {
            self.changed(path, author).await;
        }
        Ok(events)
    }
}

fn tidy_of(held: &Held) -> Tidy {
    let source = held.entry.source.as_deref().unwrap_or_default();
    Tidy {
        id: held.id.clone(),
        text: held.text.clone(),
        kind: held.entry.kind.clone().unwrap_or_default(),
        chars: held.entry.range.len().min(held.text.chars().count() + 250),
        time: held.entry.time.unwrap_or(0),
        importance: held.entry.importance,
        seen: held.entry.seen,
        active: !held.entry.superseded,
        by_hand: source.is_empty() || source == "user",
    }
}

/// Does one step; returns the log that the entry moved to.
fn step_of(
    workspace: &WorkspaceRoot,
    held: &Held,
    step: &Tidied,
    zone: chrono_tz::Tz,
    by: &hearth_workspace::Attribution,
) -> Result<Option<String>, WorkspaceError> {
    let path = held.path.as_str();
    let mut moved = None;
    match step {
        Tidied::Drop(_) => {}
        Tidied::Merge(_, into) => {
            let seen = held.entry.seen;
            workspace.rewrite_entries(path, by, |text| {
                let other = hearth_workspace::entries_of(path, text);
                let other = other.iter().find(|entry| entry.handle(text) == *into);
                let seen = (other.map_or(1, |entry| entry.seen) + seen).to_string();
                mark_entry(path, text, into, &[("seen", &seen)])
            })?;
        }
        Tidied::Move(_) => {
            let at = clock::local(held.entry.time.unwrap_or_else(clock::now), zone);
            let log = daily_log_path(at.date_naive());
            if !workspace.held(&log)?.iter().any(|there| there.id == held.id) {
                let draft = Draft {
                    id: held.id.clone(),
                    title: held.entry.title.trim_end_matches('…').to_owned(),
                    text: held.text.clone(),
                    kind: held.entry.kind.clone().unwrap_or_default(),
                    time: at.format("%Y-%m-%dT%H:%M:%S%:z").to_string(),
                    source: held.entry.source.clone().unwrap_or_default(),
                    confidence: held.entry.confidence,
                    importance: Some(held.entry.importance),
                    seen: held.entry.seen,
                    taint: held.entry.taint.clone().unwrap_or_default(),
                    ..Draft::default()
                };
                workspace.remember(&log, &draft, None, by)?;
            }
            moved = Some(log);
        }
    }
    workspace.rewrite_entries(path, by, |text| {
        // Only as it was when this was decided.
        let now = hearth_workspace::entries_of(path, text);
        let now = now.iter().find(|entry| entry.handle(text) == held.id);
        match now {
            Some(entry) if same(&entry.body(text), &held.text) || entry.body(text) == held.text => {
                remove_entry(path, text, &held.id)
            }
            _ => Ok(text.to_owned()),
        }
    })?;
    Ok(moved)
}
