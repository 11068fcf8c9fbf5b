//! Memory as the assistant's tools reach it.

use super::{By, Fact, SAID, whose};
use crate::engine::Inner;
use hearth_guard::Source;
use hearth_protocol::api::entries::EntryChange;
use hearth_protocol::api::files::Author;
use hearth_protocol::api::memory::{MemoryHit, MemoryQuery};
use hearth_protocol::{EventBody, MemoryEventKind, TurnId, WireError};
use hearth_tools::{Note, Notebook};
use hearth_workspace::foreign;
use std::fmt::Write as _;
use std::sync::{Arc, Weak};

/// Characters of one hit that the model is shown.
const HIT_CHARS: usize = 800;

/// Where tools are served. It does not keep the engine alive.
pub(crate) struct Desk(pub(crate) Weak<Inner>);

impl Desk {
    fn engine(&self) -> Result<Arc<Inner>, String> {
        self.0.upgrade().ok_or_else(|| "Hearth is closing.".to_owned())
    }

    async fn by(engine: &Inner, turn: &TurnId, why: &'static str) -> By {
        let session = engine.store.session_of_turn(turn).await.ok().flatten();
        By { author: Author::Turn, session, turn: Some(turn.clone()), why }
    }
}

#[async_trait::async_trait]
impl Notebook for Desk {
    async fn search(&self, turn: &TurnId, query: &str, k: usize) -> Result<String, String> {
        let engine = self.engine()?;
        let asked = MemoryQuery { query: query.to_owned(), k: Some(k), ..MemoryQuery::default() };
        let answer = engine.recall(&asked).await.map_err(|error| said(&error))?;
        if answer.nothing_found || answer.hits.is_empty() {
            return Ok("Nothing found in memory. Say so rather than guess.".to_owned());
        }
        for hit in &answer.hits {
            engine.tell_turn(turn, recalled(hit));
        }
        let whose = whose(&engine, &answer.hits).await;
        let session = engine.store.session_of_turn(turn).await.ok().flatten();
        engine.note_recalled(&answer.hits, session.as_ref(), turn).await;
        if let Some(session) = session.filter(|_| whose.iter().any(|whose| !whose.is_empty())) {
            let read = engine.taints.change(&session, |taint| taint.read(Source::Marked, ""));
            read.await.map_err(|error| said(&error))?;
        }
        Ok(answer.hits.iter().zip(&whose).map(|(hit, whose)| shown(hit, whose)).collect())
    }

    async fn append(&self, turn: &TurnId, note: Note) -> Result<String, String> {
        let engine = self.engine()?;
        let by = Self::by(&engine, turn, "the assistant was asked to remember it").await;
        let fact = Fact {
            text: note.text,
            title: note.title,
            kind: note.kind,
            confidence: Some(SAID),
            ..Fact::default()
        };
        let done = engine.remember(&fact, &by).await.map_err(|error| said(&error))?;
        let place = format!("{}#L{}", done.held.path, done.held.entry.line);
        Ok(match done.change {
            EntryChange::Strengthened => {
                format!("Memory holds that already, as {} ({place}).", done.held.id)
            }
            _ => format!("Saved as {} ({place}).", done.held.id),
        })
    }

    async fn supersede(&self, turn: &TurnId, id: &str, text: &str) -> Result<String, String> {
        let engine = self.engine()?;
        let by = Self::by(&engine, turn, "it has changed, as the assistant was told").await;
        let fact = Fact { text: text.to_owned(), confidence: Some(SAID), ..Fact::default() };
        let (old, done) = engine.supersede(id, &fact, &by).await.map_err(|error| said(&error))?;
        Ok(format!("Saved as {} in the place of {}.", done.held.id, old.id))
    }

    async fn forget(&self, turn: &TurnId, id: &str) -> Result<String, String> {
        let engine = self.engine()?;
        let by = Self::by(&engine, turn, "the assistant was asked to forget it").await;
        engine.forget(id, false, &by).await.map_err(|error| said(&error))?;
        Ok("Forgotten. The user can bring it back for 30 days on the Memory page.".to_owned())
    }
}

fn said(error: &WireError) -> String {
    format!("{} {}", error.message, error.hint).trim().to_owned()
}

fn recalled(hit: &MemoryHit) -> EventBody {
    EventBody::Memory {
        kind: MemoryEventKind::Recalled,
        id: hit.id.clone(),
        path: hit.path.clone(),
        from: hit.from,
        to: hit.to,
        why: hit.why.join(", "),
    }
}

fn shown(hit: &MemoryHit, whose: &str) -> String {
    let mut out = String::new();
    let text: String = hit.text.chars().take(HIT_CHARS).collect();
    let _ = writeln!(out, "[{}] {}#L{}-L{}", hit.id, hit.path, hit.from, hit.to);
    if let Some(now) = &hit.superseded {
        let text: String = now.text.chars().take(HIT_CHARS).collect();
        let _ = writeln!(out, "(This holds no more. Now, by [{}]: {})", now.id, text.trim());
    }
    let frame = if whose.is_empty() { String::new() } else { foreign(whose) + "\n" };
    let _ = writeln!(out, "{frame}{}\n", text.trim());
    out
}
