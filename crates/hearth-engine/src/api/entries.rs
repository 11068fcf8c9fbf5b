//! Memory entries: listing, adding, correcting, forgetting them; their histories and conflicts.

use crate::Engine;
use crate::engine::Inner;
use crate::notebook::{By, Done, Fact, row};
use hearth_protocol::api::entries::{
    EntryAdd, EntryChange, EntryConflict, EntryDay, EntryEdit, EntryForgotten, EntryRow, EntryTake,
    EntryView,
};
use hearth_protocol::{ErrorCode, WireError};
use hearth_workspace::{Held, edit_entry};

const KINDS: [&str; 5] = ["fact", "preference", "event", "decision", "lesson"];

/// The entries of MEMORY.md, USER.md and the daily logs, those that hold no more included.
///
/// # Errors
/// `storage` where the workspace cannot be read.
pub async fn list(engine: &Engine) -> Result<Vec<EntryRow>, WireError> {
    let all = engine.inner.on_workspace(|workspace| workspace.all_held()).await?;
    Ok(all.iter().map(row).collect())
}

/// The entries of one file, or those that touch lines of it.
///
/// # Errors
/// `storage`, with the reason, where the file is refused; `not_found` where it is not there.
pub async fn at(
    engine: &Engine,
    path: String,
    lines: Option<(u32, u32)>,
) -> Result<Vec<EntryRow>, WireError> {
    let of = path.clone();
    let held = engine.inner.on_workspace(move |workspace| {
        let file = workspace.read(&of)?;
        if !file.exists {
            return Err(hearth_workspace::WorkspaceError::Missing { path: of });
        }
        workspace.held(&of)
    });
    let rows = held.await?.iter().map(row).collect::<Vec<_>>();
    let Some((from, to)) = lines else { return Ok(rows) };
    Ok(rows.into_iter().filter(|row| row.lines.0 <= to && row.lines.1 >= from).collect())
}

/// One, with where it comes from and what happened to it.
///
/// # Errors
/// `not_found` where it never was.
pub async fn view(engine: &Engine, id: String) -> Result<EntryView, WireError> {
    let inner = &engine.inner;
    let wanted = id.clone();
    let found = inner.on_workspace(move |workspace| workspace.find_held(&wanted)).await;
    let history = inner.store.entry_history(&id).await?;
    let forgotten_until = inner.store.forgotten(&id).await?.map(|kept| kept.until);
    let held = match found {
        Ok(held) => Some(held),
        Err(error) if error.code != ErrorCode::NotFound => return Err(error),
        Err(error) if history.is_empty() && forgotten_until.is_none() => return Err(error),
        Err(_) => None,
    };
    let entry = held.as_ref().map(|held| held.entry.clone()).unwrap_or_default();
    Ok(EntryView {
        row: held.as_ref().map(row),
        source: entry.source.unwrap_or_default(),
        confidence: entry.confidence,
        seen: entry.seen.max(1),
        expiry: entry.expiry,
        history,
        forgotten_until,
    })
}

/// Remembers something; where memory says it already, that entry is strengthened and returned.
///
/// # Errors
/// `invalid_request` for a kind that is none; `home_busy`; `storage`.
pub async fn add(engine: &Engine, request: EntryAdd) -> Result<EntryRow, WireError> {
    engine.inner.must_own()?;
    let kind = request.kind.unwrap_or_else(|| "fact".to_owned());
    if !KINDS.contains(&kind.as_str()) {
        let message = format!("{kind} is no kind of entry");
        return Err(WireError::new(
            ErrorCode::InvalidRequest,
            message,
            "One of fact, preference, event, decision, lesson.",
        ));
    }
    let fact = Fact {
        text: request.text,
        title: request.title.unwrap_or_default(),
        kind,
        confidence: Some(1.0),
        ..Fact::default()
    };
    let done = engine.inner.remember(&fact, &By::person("you wrote it")).await?;
    now(&engine.inner, done).await
}

/// Rewrites the title or text of an entry.
///
/// # Errors
/// `not_found`; `home_busy`; `storage`.
pub async fn edit(engine: &Engine, request: EntryEdit) -> Result<EntryRow, WireError> {
    engine.inner.must_own()?;
    let inner = &engine.inner;
    let by = By::person("you edited it");
    let (id, attribution) = (request.id.clone(), by.attribution());
    let old = inner.on_workspace(move |workspace| workspace.find_held(&id)).await?;
    let path = old.path.clone();
    let (id, line) = (request.id.clone(), old.entry.line);
    let held = inner.on_workspace(move |workspace| {
        workspace.rewrite_entries(&path, &attribution, |text| {
            edit_entry(&path, text, &id, request.title.as_deref(), request.text.as_deref())
        })?;
        // Where the id is made of the text, it is another one now.
        let held = workspace.held(&path)?;
        let same = held.iter().find(|held| held.id == id);
        Ok(same.or_else(|| held.iter().find(|held| held.entry.line == line)).cloned())
    });
    let held = held.await?.unwrap_or(old);
    inner.note(&held, EntryChange::Edited, None, &by).await?;
    inner.changed(&held.path, by.author).await;
    Ok(row(&held))
}

/// Puts what is true now in the place of an entry, which stays as history.
///
/// # Errors
/// `not_found`; `home_busy`; `storage`.
pub async fn correct(engine: &Engine, id: String, text: String) -> Result<EntryRow, WireError> {
    engine.inner.must_own()?;
    let fact = Fact { text, confidence: Some(1.0), ..Fact::default() };
    let (_, done) = engine.inner.supersede(&id, &fact, &By::person("you corrected it")).await?;
    Ok(row(&done.held))
}

/// Forgets an entry: for 30 days it can be brought back, unless it is erased.
///
/// # Errors
/// `not_found`; `home_busy`; `storage`.
pub async fn forget(engine: &Engine, id: String, erase: bool) -> Result<EntryForgotten, WireError> {
    engine.inner.must_own()?;
    engine.inner.forget(&id, erase, &By::person("you asked for it")).await
}

/// Brings a forgotten entry back.
///
/// # Errors
/// `not_found` where it is not kept any more; `home_busy`; `storage`.
pub async fn bring_back(engine: &Engine, id: String) -> Result<EntryRow, WireError> {
    engine.inner.must_own()?;
    let held = engine.inner.bring_back(&id, &By::person("you brought it back")).await?;
    Ok(row(&held))
}

/// What is the person's to settle.
///
/// # Errors
/// `storage`.
pub async fn conflicts(engine: &Engine) -> Result<Vec<EntryConflict>, WireError> {
    engine.inner.conflicts().await
}

/// Settles a conflict; returns the entry that was written, if one was.
///
/// # Errors
/// `not_found`; `home_busy`; `storage`.
pub async fn settle(
    engine: &Engine,
    conflict: i64,
    take: EntryTake,
) -> Result<Option<EntryRow>, WireError> {
    engine.inner.must_own()?;
    let done = engine.inner.settle(conflict, take).await?;
    Ok(done.map(|done| row(&done.held)))
}

/// What happened to memory, by day, the latest first.
///
/// # Errors
/// The database's.
pub async fn timeline(engine: &Engine, until: Option<String>) -> Result<Vec<EntryDay>, WireError> {
    const MOST: u32 = 500;
    let events = engine.inner.store.entry_timeline(until.as_deref(), MOST).await?;
    let mut days: Vec<EntryDay> = Vec::new();
    for event in events {
        match days.last_mut().filter(|day| day.day == event.day) {
            Some(day) => day.events.push(event),
            None => days.push(EntryDay { day: event.day.clone(), events: vec![event] }),
        }
    }
    Ok(days)
}

/// Writes down every conversation that is not in memory yet and tidies MEMORY.md, as the nightly beat does.
///
/// # Errors
/// `home_busy`; `storage`.
pub async fn consolidate(engine: &Engine) -> Result<u64, WireError> {
    engine.inner.must_own()?;
    Ok(engine.inner.keep_memory(&engine.inner.closing).await?.len() as u64)
}

/// Writes down the conversations that are due at a moment, Unix seconds: silent for half an hour, or grown large.
///
/// # Errors
/// `home_busy`; `storage`.
pub async fn write_down(engine: &Engine, at: i64) -> Result<(), WireError> {
    engine.inner.must_own()?;
    engine.inner.flush_silent(at).await
}

/// The entry as it stands after it was written.
async fn now(inner: &Inner, done: Done) -> Result<EntryRow, WireError> {
    let path = done.held.path.clone();
    let held: Vec<Held> = inner.on_workspace(move |workspace| workspace.held(&path)).await?;
    Ok(row(held.iter().find(|held| held.id == done.held.id).unwrap_or(&done.held)))
}
