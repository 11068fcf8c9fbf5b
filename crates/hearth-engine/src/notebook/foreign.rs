//! Whose words memory holds: what was written after text of others, and the person did not say, is marked.
//!
//! Invariants: the mark stays with the entry wherever it moves; what a marked entry says is framed as
//! information when it is shown to a model, and what a model then writes is marked in its turn. Absent here:
//! what may be done after it was read (policy).

use super::By;
use crate::engine::{Inner, of_workspace};
use hearth_agent::flush;
use hearth_guard::{Source, Taint};
use hearth_protocol::api::files::{FileSave, FileText};
use hearth_protocol::api::memory::MemoryHit;
use hearth_protocol::{ErrorCode, Part, Role, SessionKey, WireError};
use hearth_workspace::{WorkspaceError, entries_of, loose_lines, mark_entry, name_bullets};
use std::collections::HashSet;

impl Inner {
    /// The mark of what is written now on somebody's behalf; empty where the person said it themselves.
    pub(crate) async fn foreign(&self, text: &str, by: &By) -> Result<String, WireError> {
        let Some(session) = &by.session else { return Ok(String::new()) };
        self.taints.recall(session).await?;
        let taint = self.taints.of(session);
        let Some(mark) = taint.mark() else { return Ok(String::new()) };
        // The task of a sub-agent is its parent's, and a channel's messages are anybody's.
        let by_others =
            session.scope().starts_with("subagent:") || taint.holds(Source::OtherPeople);
        if !by_others && flush::covers(&self.said_in(session).await?, text) {
            return Ok(String::new());
        }
        Ok(mark.name().to_owned())
    }

    /// Marks the entries that a file tool added to a memory file, as a memory tool would have: `before` is the
    /// file's text until then. Foreign text that no entry holds could not be marked: the file is put back.
    pub(crate) async fn mark_added(
        &self,
        path: &str,
        before: &str,
        by: &By,
    ) -> Result<(), WireError> {
        let place = path.to_owned();
        let now = self.on_workspace(move |workspace| workspace.read(&place)).await?;
        let old = entries_of(&now.path, before);
        let known = |text: &str| old.iter().any(|entry| before[entry.range.clone()].trim() == text);
        let stood = |item: &str| before.contains(item);
        let had: HashSet<&str> = before.lines().map(str::trim).collect();
        let named = name_bullets(&now.path, &now.text, stood);
        let loose: Vec<&str> =
            loose_lines(&now.path, &named).filter(|line| !had.contains(line)).collect();
        if !loose.is_empty() && !self.foreign(&loose.join("\n"), by).await?.is_empty() {
            self.put(&now, before.to_owned(), by).await?;
            let (message, hint) = (
                "it stands outside of entries, so the file was put back as it was.",
                "Write entries: `## title` with its text, or `- ` bullets in a daily log.",
            );
            return Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
        }
        let mut text = now.text.clone();
        for entry in entries_of(&now.path, &named) {
            let whole = named[entry.range.clone()].trim();
            if entry.taint.is_some() || known(whole) {
                continue;
            }
            let mark = self.foreign(whole, by).await?;
            if mark.is_empty() {
                continue;
            }
            if text == now.text {
                text.clone_from(&named);
            }
            let marked = mark_entry(&now.path, &text, &entry.handle(&named), &[("taint", &mark)]);
            text = marked.map_err(|fault| {
                of_workspace(&WorkspaceError::Entry { path: now.path.clone(), fault })
            })?;
        }
        if text == now.text { Ok(()) } else { self.put(&now, text, by).await }
    }

    async fn put(&self, now: &FileText, text: String, by: &By) -> Result<(), WireError> {
        let edit = FileSave {
            path: now.path.clone(),
            text,
            base_hash: now.hash.clone(),
            base_text: now.text.clone(),
            confirmed: false,
        };
        let by = by.attribution();
        self.on_workspace(move |workspace| workspace.save(&edit, &by)).await?;
        Ok(())
    }

    /// What the person said in a conversation, what they gave along left out.
    async fn said_in(&self, session: &SessionKey) -> Result<String, WireError> {
        let messages = self.store.messages(session).await?;
        let said = messages.iter().filter(|message| message.role == Role::User);
        let texts = said.filter_map(|message| match message.parts.first() {
            Some(Part::Text { text }) => Some(text.as_str()),
            _ => None,
        });
        Ok(texts.collect::<Vec<_>>().join("\n"))
    }
}

/// Whether a memory file holds a marked entry.
pub(crate) fn has_mark(path: &str, text: &str) -> bool {
    text.contains("taint:") && entries_of(path, text).iter().any(|entry| entry.taint.is_some())
}

/// Whose text each hit may be; empty where nothing speaks against the person's.
pub(crate) async fn whose(engine: &Inner, hits: &[MemoryHit]) -> Vec<String> {
    let mut found = Vec::new();
    for hit in hits {
        found.push(match hit.path.strip_prefix("conversation:") {
            Some(session) => of_conversation(engine, session).await,
            None => of_entry(engine, hit).await,
        });
    }
    found
}

async fn of_conversation(engine: &Inner, session: &str) -> String {
    let Ok(session) = SessionKey::parse(session) else { return String::new() };
    // What cannot be looked up is believed least.
    let taint = match engine.taints.recall(&session).await {
        Ok(()) => engine.taints.of(&session),
        Err(_) => {
            let mut taint = Taint::new(true);
            taint.read(Source::ThirdParty, "");
            taint
        }
    };
    taint
        .mark()
        .map(|mark| format!("a conversation that had read {}", mark.name()))
        .unwrap_or_default()
}

async fn of_entry(engine: &Inner, hit: &MemoryHit) -> String {
    let (path, from, to) = (hit.path.clone(), hit.from as usize, hit.to as usize);
    let read = engine.on_workspace(move |workspace| {
        let text = workspace.read(&path)?.text;
        let entries = entries_of(&path, &text).into_iter();
        let mut there = entries.filter(|entry| entry.line <= to && entry.last_line >= from);
        Ok(there.find_map(|entry| entry.taint))
    });
    read.await.ok().flatten().unwrap_or_default()
}
