//! Writing memory: entries are written here, by the host, for whoever asks: the person, the assistant's tools,
//! the flush, the heartbeat.
//!
//! Invariants: every entry is dated by the local clock at that moment, read back before it counts as saved,
//! noted in the ledger with who wrote it and from which turn, and told to windows and the index. Automatic
//! writes never push MEMORY.md past what a prompt carries of it: what does not fit goes to the daily log.

mod conflicts;
mod desk;
mod foreign;
mod forget;
mod tidy;

pub(crate) use conflicts::conflict_draft;
pub(crate) use desk::Desk;
pub(crate) use foreign::{has_mark, whose};

use crate::clock;
use crate::engine::Inner;
use chrono_tz::Tz;
use hearth_agent::flush;
use hearth_protocol::api::entries::{EntryChange, EntryEvent, EntryRow};
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_protocol::api::memory::MemoryHit;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{EventBody, MemoryEventKind, SessionKey, TurnId, WireError};
use hearth_workspace::{
    Attribution, DEFAULT_FILE_CHARS, Draft, EntryFault, Held, PersonaFile, Status, WorkspaceError,
    daily_log_path, mark_entry,
};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Confidence of what the person said themselves, and of what only the assistant said.
pub(crate) const SAID: f64 = 0.9;
pub(crate) const HEARD: f64 = 0.5;

/// What a process keeps in mind while it writes memory.
#[derive(Default)]
pub(crate) struct Notes {
    /// Events of a turn that its driver has still to tell.
    told: Mutex<HashMap<TurnId, Vec<EventBody>>>,
    /// One flush or tidying at a time.
    pub(crate) flushing: tokio::sync::Mutex<()>,
}

/// On whose behalf memory is written.
#[derive(Debug, Clone)]
pub(crate) struct By {
    pub(crate) author: Author,
    pub(crate) session: Option<SessionKey>,
    pub(crate) turn: Option<TurnId>,
    pub(crate) why: &'static str,
}

impl By {
    pub(crate) fn person(why: &'static str) -> Self {
        Self { author: Author::User, session: None, turn: None, why }
    }

    /// As the files' versions name it.
    pub(crate) fn attribution(&self) -> Attribution {
        Attribution { author: self.author, turn: self.turn.clone() }
    }

    /// As an entry names it.
    fn source(&self) -> String {
        match (&self.session, &self.turn) {
            (Some(session), Some(turn)) => format!("session {session}, turn {turn}"),
            (Some(session), None) => format!("session {session}"),
            (None, _) => "user".to_owned(),
        }
    }
}

/// What is to be remembered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fact {
    pub(crate) text: String,
    pub(crate) title: String,
    pub(crate) kind: String,
    pub(crate) expiry: String,
    pub(crate) confidence: Option<f64>,
    pub(crate) importance: Option<f64>,
}

/// Something that was done, for the caller to tell.
#[derive(Debug, Clone)]
pub(crate) struct Done {
    pub(crate) held: Held,
    pub(crate) change: EntryChange,
}

impl Inner {
    fn zone(&self) -> Tz {
        clock::zone(&self.settings.current().time_zone)
    }

    pub(crate) fn today(&self) -> String {
        clock::day(clock::now(), self.zone())
    }

    pub(crate) fn log_of_today(&self) -> String {
        daily_log_path(clock::local(clock::now(), self.zone()).date_naive())
    }

    async fn draft(&self, fact: &Fact, by: &By) -> Result<Draft, WireError> {
        let now = clock::local(clock::now(), self.zone());
        let kind = if fact.kind.is_empty() { "fact" } else { fact.kind.as_str() };
        Ok(Draft {
            taint: self.foreign(&format!("{}\n{}", fact.title, fact.text), by).await?,
            title: fact.title.clone(),
            text: fact.text.clone(),
            kind: kind.to_owned(),
            time: now.format("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            source: by.source(),
            confidence: fact.confidence,
            importance: fact.importance,
            expiry: fact.expiry.clone(),
            ..Draft::default()
        })
    }

    /// Remembers a fact in long-term memory, or strengthens the entry that says it already.
    pub(crate) async fn remember(&self, fact: &Fact, by: &By) -> Result<Done, WireError> {
        let text = fact.text.clone();
        let known = self
            .on_workspace(move |workspace| {
                let all = workspace.all_held()?;
                Ok(all
                    .into_iter()
                    .find(|held| !held.entry.superseded && flush::same(&held.text, &text)))
            })
            .await?;
        match known {
            Some(held) => self.strengthen(held, by).await,
            None => self.write(PersonaFile::Memory.path().to_owned(), fact, by).await,
        }
    }

    /// Writes a new entry to a file; where it would not fit there, to today's log.
    pub(crate) async fn write(
        &self,
        path: String,
        fact: &Fact,
        by: &By,
    ) -> Result<Done, WireError> {
        let automatic = by.author != Author::User;
        let most = (automatic && !path.starts_with("memory/")).then_some(DEFAULT_FILE_CHARS);
        let log = self.log_of_today();
        let (draft, attribution) = (self.draft(fact, by).await?, by.attribution());
        let held = self
            .on_workspace(move |workspace| {
                match workspace.remember(&path, &draft, most, &attribution) {
                    Err(WorkspaceError::Entry { fault: EntryFault::OverCap { .. }, .. }) => {
                        workspace.remember(&log, &draft, None, &attribution)
                    }
                    other => other,
                }
            })
            .await?;
        self.done(held, EntryChange::Created, None, by).await
    }

    /// Puts a fact in the place of an entry.
    pub(crate) async fn supersede(
        &self,
        id: &str,
        fact: &Fact,
        by: &By,
    ) -> Result<(Held, Done), WireError> {
        let wanted = id.to_owned();
        let old = self.on_workspace(move |workspace| workspace.find_held(&wanted)).await?;
        let fact = Fact {
            kind: if fact.kind.is_empty() {
                old.entry.kind.clone().unwrap_or_default()
            } else {
                fact.kind.clone()
            },
            ..fact.clone()
        };
        let (draft, attribution) = (self.draft(&fact, by).await?, by.attribution());
        let (path, old_id) = (old.path.clone(), old.id.clone());
        let new = self
            .on_workspace(move |workspace| {
                workspace.supersede(&path, &old_id, &draft, &attribution)
            })
            .await?;
        self.note(&old, EntryChange::Superseded, Some(new.id.clone()), by).await?;
        self.tell(by, MemoryEventKind::Superseded, &old);
        let done = self.done(new, EntryChange::Created, Some(old.id.clone()), by).await?;
        Ok((old, done))
    }

    /// The same was told again.
    pub(crate) async fn strengthen(&self, held: Held, by: &By) -> Result<Done, WireError> {
        let same_turn = by.turn.as_ref().is_some_and(|turn| {
            held.entry.source.as_ref().is_some_and(|source| source.contains(turn.as_str()))
        });
        if same_turn {
            return Ok(Done { held, change: EntryChange::Strengthened });
        }
        let confidence = held.entry.confidence.unwrap_or(HEARD);
        let confidence = format!("{:.2}", (confidence + (1.0 - confidence) / 2.0).min(0.99));
        let seen = (held.entry.seen + 1).to_string();
        let (path, id, attribution) = (held.path.clone(), held.id.clone(), by.attribution());
        self.on_workspace(move |workspace| {
            workspace.rewrite_entries(&path, &attribution, |text| {
                mark_entry(&path, text, &id, &[("confidence", &confidence), ("seen", &seen)])
            })
        })
        .await?;
        self.note(&held, EntryChange::Strengthened, None, by).await?;
        self.changed(&held.path, by.author).await;
        Ok(Done { held, change: EntryChange::Strengthened })
    }

    async fn done(
        &self,
        held: Held,
        change: EntryChange,
        other: Option<String>,
        by: &By,
    ) -> Result<Done, WireError> {
        self.note(&held, change, other, by).await?;
        self.tell(by, MemoryEventKind::Created, &held);
        self.changed(&held.path, by.author).await;
        Ok(Done { held, change })
    }

    /// Notes in the ledger what happened to an entry.
    pub(crate) async fn note(
        &self,
        held: &Held,
        change: EntryChange,
        other: Option<String>,
        by: &By,
    ) -> Result<(), WireError> {
        let at = clock::now();
        let event = EntryEvent {
            entry: held.id.clone(),
            change,
            at,
            day: clock::day(at, self.zone()),
            path: held.path.clone(),
            title: held.entry.title.clone(),
            text: held.text.clone(),
            other,
            session: by.session.clone(),
            turn: by.turn.clone(),
            author: by.author,
            why: by.why.to_owned(),
        };
        Ok(self.store.add_entry_events(&[event]).await?)
    }

    /// Notes in the ledger which entries a turn was given, each once a day. A turn never fails for it.
    pub(crate) async fn note_recalled(
        &self,
        hits: &[MemoryHit],
        session: Option<&SessionKey>,
        turn: &TurnId,
    ) {
        let mut events = Vec::new();
        let at = clock::now();
        for hit in hits.iter().filter(|hit| hit.path.ends_with(".md")) {
            let (path, id) = (hit.path.clone(), hit.id.clone());
            // Most hits are places in notes, whose ids are of another kind.
            let found = self.on_workspace(move |workspace| {
                Ok(workspace.held(&path)?.into_iter().find(|held| held.id == id))
            });
            let Ok(Some(held)) = found.await else { continue };
            events.push(EntryEvent {
                entry: held.id,
                change: EntryChange::Recalled,
                at,
                day: clock::day(at, self.zone()),
                path: held.path,
                title: held.entry.title,
                text: held.text,
                other: None,
                session: session.cloned(),
                turn: Some(turn.clone()),
                author: Author::Turn,
                why: hit.why.join(", "),
            });
        }
        if let Err(error) = self.store.add_recalled(events).await {
            tracing::warn!(%error, "what was recalled is not noted");
        }
    }

    /// Has the turn's driver tell what happened, where a turn did it.
    pub(crate) fn tell(&self, by: &By, kind: MemoryEventKind, held: &Held) {
        if let Some(turn) = &by.turn {
            self.tell_turn(turn, event(kind, held, by.why));
        }
    }

    pub(crate) fn tell_turn(&self, turn: &TurnId, body: EventBody) {
        // A turn that is over has nobody to tell its events.
        if self.live.is_running(turn) {
            let mut told = self.notes.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.entry(turn.clone()).or_default().push(body);
        }
    }

    /// What memory has to tell in a turn.
    pub(crate) fn take_told(&self, turn: &TurnId) -> Vec<EventBody> {
        let mut told = self.notes.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.remove(turn).unwrap_or_default()
    }

    /// Windows that show the file read it again, and so does the index.
    pub(crate) async fn changed(&self, path: &str, author: Author) {
        self.memory_is_behind();
        let place = path.to_owned();
        if let Ok(file) = self.on_workspace(move |workspace| workspace.read(&place)).await {
            let changed = FileChanged { path: path.to_owned(), author, hash: file.hash };
            self.bus.send(Signal::File(changed));
        }
    }
}

/// An event of a turn about an entry.
pub(crate) fn event(kind: MemoryEventKind, held: &Held, why: &str) -> EventBody {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    EventBody::Memory {
        kind,
        id: held.id.clone(),
        path: held.path.clone(),
        from: line(held.entry.line),
        to: line(held.entry.last_line),
        why: why.to_owned(),
    }
}

/// An entry as lists show it.
pub(crate) fn row(held: &Held) -> EntryRow {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    EntryRow {
        id: held.id.clone(),
        kind: held.entry.kind.clone().unwrap_or_default(),
        title: held.entry.title.clone(),
        text: held.text.clone(),
        at: held.entry.time,
        status: match &held.entry.status {
            Status::Active => "active".to_owned(),
            Status::Superseded(by) => format!("superseded by {by}"),
            Status::Expired => "expired".to_owned(),
        },
        path: held.path.clone(),
        lines: (line(held.entry.line), line(held.entry.last_line)),
    }
}
