//! What outlives a window, a crash and a night, on disk: SESSION-STATE.md and the working buffer.
//!
//! Invariants: every write compares what is on disk with what it started from; only the section of the own
//! session changes; the facts of a message are on disk before [`note`] returns. What the texts look like, and
//! how they stay small, is `hearth_agent::survival`.

use crate::catalogue::Model;
use crate::clock;
use crate::engine::Inner;
use crate::persona::Noted;
use hearth_agent::prompt::{Section, Slot};
use hearth_agent::signals;
use hearth_agent::survival::{BUFFER_PATH, STATE_PATH, buffer, sections, state};
use hearth_protocol::api::files::{Author, FileChanged, FileSave, FileSaved};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Message, Role, SessionKey, WireError};
use hearth_store::Window;
use hearth_workspace::{WorkspaceError, WorkspaceRoot};
use std::sync::Arc;

/// How often a file may change under a write before it is given up.
const ATTEMPTS: usize = 50;

/// Notes the facts of what the person said. Returns how many there are.
///
/// # Errors
/// Where SESSION-STATE.md is refused or cannot be written; it is then as it was.
pub(crate) async fn note(
    engine: &Arc<Inner>,
    session: &SessionKey,
    messages: &[Message],
) -> Result<usize, WireError> {
    let at = stamp(engine);
    let mut facts: Vec<state::Fact> = Vec::new();
    for hit in messages.iter().flat_map(|message| signals::scan(&message.joined_text())) {
        let name = hit.signal.name().to_owned();
        let fact = state::Fact::new(&at, vec![name.clone()], &hit.sentence);
        match facts.last_mut().filter(|last| last.text == fact.text) {
            Some(last) => last.signals.push(name),
            None => facts.push(fact),
        }
    }
    let count = facts.len();
    if count > 0 {
        let key = session.to_string();
        rewrite(engine, STATE_PATH, move |text| {
            let own = sections::section(text, &key).unwrap_or_default();
            sections::with_section(text, &key, &state::noted(own, &facts), state::TITLE)
        })
        .await?;
    }
    Ok(count)
}

/// Appends an exchange to the working buffer.
///
/// # Errors
/// As [`note`].
pub(crate) async fn keep_exchange(
    engine: &Arc<Inner>,
    session: &SessionKey,
    said: &str,
    reply: &str,
) -> Result<(), WireError> {
    let exchange =
        buffer::Exchange { at: stamp(engine), said: said.to_owned(), reply: reply.to_owned() };
    in_buffer(engine, session, move |own| buffer::appended(own, &exchange)).await
}

/// The working buffer of a session is read from now on: a compaction passed.
///
/// # Errors
/// As [`note`].
pub(crate) async fn mark_compacted(
    engine: &Arc<Inner>,
    session: &SessionKey,
) -> Result<(), WireError> {
    in_buffer(engine, session, buffer::compacted).await
}

/// Share of the window for the noted facts, and for the working buffer, in percent.
const STATE_PERCENT: u64 = 10;
const BUFFER_PERCENT: u64 = 4;

/// What of it a prompt carries: the facts nearest to the message, the buffer after a compaction or where work
/// is taken up again, and what is said about that.
pub(crate) fn carried(
    noted: &Noted,
    window: &Window,
    recovery: Option<&str>,
    model: &Model,
) -> Vec<Section> {
    let counter = model.token_counter();
    let said = window.messages.iter().rev().find(|message| message.role == Role::User);
    let said = said.map(Message::joined_text).unwrap_or_default();
    let part = |percent: u64| model.window * percent / 100;
    let mut sections = Vec::new();
    if let Some(state) = &noted.state {
        let text = state::chosen(state, &said, part(STATE_PERCENT), &*counter);
        let shown = section(Slot::SessionState, STATE_PATH, text, "this session's noted state");
        sections.push(of(state, shown));
    }
    let awaited = |buffer: &&String| buffer::is_compacted(buffer) || recovery.is_some();
    if let Some(own) = noted.buffer.as_ref().filter(awaited) {
        let text = buffer::chosen(own, &window.messages, part(BUFFER_PERCENT), &*counter);
        let reason = "what was said before the window was emptied";
        let shown = section(Slot::WorkingBuffer, BUFFER_PATH, text, reason);
        sections.push(of(own, shown));
    }
    sections.extend(recovery.map(|text| {
        let reason = "work is taken up again";
        section(Slot::Recovery, "Hearth", text.to_owned(), reason)
    }));
    sections.retain(|section| section.text.as_deref().is_some_and(|text| !text.is_empty()));
    sections
}

/// A section of the prompt with all of a text.
pub(crate) fn section(slot: Slot, source: &str, text: String, reason: &str) -> Section {
    Section {
        slot,
        source: source.to_owned(),
        raw_chars: text.chars().count() as u64,
        text: Some(text.into()),
        truncated: false,
        reason: reason.to_owned(),
    }
}

/// The same, shown as a part of a longer text.
fn of(whole: &str, shown: Section) -> Section {
    let raw_chars = whole.chars().count() as u64;
    Section { truncated: shown.raw_chars < raw_chars, raw_chars, ..shown }
}

async fn in_buffer(
    engine: &Arc<Inner>,
    session: &SessionKey,
    change: impl Fn(&str) -> String + Send + 'static,
) -> Result<(), WireError> {
    let key = session.to_string();
    rewrite(engine, BUFFER_PATH, move |text| {
        let own = sections::section(text, &key).unwrap_or_default();
        sections::with_section(text, &key, &change(own), buffer::TITLE)
    })
    .await
}

/// Changes a file of the workspace, from what is on disk at that moment.
async fn rewrite(
    engine: &Arc<Inner>,
    path: &'static str,
    change: impl Fn(&str) -> String + Send + 'static,
) -> Result<(), WireError> {
    let written = engine.on_workspace(move |workspace| rewritten(workspace, path, &change)).await?;
    if let Some(hash) = written {
        let changed = FileChanged { path: path.to_owned(), author: Author::Flush, hash };
        engine.bus.send(Signal::File(changed));
    }
    Ok(())
}

/// The new hash; none where nothing changes.
fn rewritten(
    workspace: &WorkspaceRoot,
    path: &str,
    change: &dyn Fn(&str) -> String,
) -> Result<Option<String>, WorkspaceError> {
    for _ in 0..ATTEMPTS {
        let file = workspace.read(path)?;
        let text = change(&file.text);
        if text == file.text {
            return Ok(None);
        }
        let edit = FileSave {
            path: path.to_owned(),
            text,
            base_hash: file.hash,
            base_text: file.text,
            confirmed: true,
        };
        // The host's own note, not a turn's work: taking a turn back does not take back what was said.
        match workspace.save(&edit, &Author::Flush.into())? {
            FileSaved::Written { hash } | FileSaved::Merged { hash, .. } => return Ok(Some(hash)),
            FileSaved::Conflict { .. } | FileSaved::ConfirmShrink { .. } => {}
        }
    }
    Err(WorkspaceError::Busy { path: path.to_owned() })
}

/// The local date and time.
fn stamp(engine: &Inner) -> String {
    let zone = clock::zone(&engine.settings.current().time_zone);
    clock::local(clock::now(), zone).format("%Y-%m-%d %H:%M").to_string()
}
