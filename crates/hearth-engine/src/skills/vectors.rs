//! How near a message is in meaning to the skills at hand, so that one in one language finds a skill in
//! another.
//!
//! Invariants: a text is embedded once a model, and kept in `<home>/skills.vectors`, which may be deleted;
//! where there is no model, or it takes too long, words alone decide.

use super::Known;
use super::embedded::{Embedded, sum};
use super::tasks;
use crate::engine::{Access, Inner};
use hearth_agent::skills::{Meaning, Nearness, Tasks};
use hearth_embed::{Kind, Script};
use hearth_memory::Encoder;
use std::sync::{Arc, Weak};
use tokio::sync::Mutex;

const FILE: &str = "skills.vectors";
/// How much a skill's name counts beside its description.
const NAME: f32 = 0.25;
/// The beginning of a long text says what it is about.
const CHARS: usize = 600;

/// Vectors, and what was made of them for the skills at hand.
#[derive(Default)]
pub(crate) struct Vectors {
    state: Mutex<Option<State>>,
}

/// Of one model.
struct State {
    texts: Embedded,
    tasks: Arc<Tasks>,
    ready: Option<(Weak<Known>, Arc<Meaning>)>,
}

impl Vectors {
    /// How near a message is in meaning to each candidate; none where that cannot be told.
    pub(super) async fn nearness(
        &self,
        engine: &Inner,
        known: &Arc<Known>,
        text: &str,
    ) -> Option<Nearness> {
        let encoder = engine.encoder()?;
        let mut state = self.state.lock().await;
        let name = encoder.name().ok()?;
        if state.as_ref().is_none_or(|state| state.texts.model != name) {
            *state = State::of_model(engine, name, encoder).await;
        }
        let state = state.as_mut()?;
        let meaning = state.meaning(engine, known).await?;
        let centre = state.texts.centre(Kind::Query, Kind::Query, Script::of(text)).await?;
        let vector = state.texts.message(beginning(text), &centre).await?;
        Some(meaning.nearness(&vector))
    }
}

impl State {
    async fn of_model(engine: &Inner, name: String, encoder: Arc<dyn Encoder>) -> Option<Self> {
        let kept = engine.home.root().join(FILE);
        let mut texts = Embedded::of_model(name, encoder, &kept);
        let tasks = Arc::new(tasks::tasks(&mut texts).await?);
        Some(Self { texts, tasks, ready: None })
    }

    async fn meaning(&mut self, engine: &Inner, known: &Arc<Known>) -> Option<Arc<Meaning>> {
        if let Some((of, meaning)) = &self.ready
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(known))
        {
            return Some(Arc::clone(meaning));
        }
        let before = self.texts.known();
        let meaning = Arc::new(Meaning::new(self.skills(known).await?, Arc::clone(&self.tasks)));
        if self.texts.known() > before && engine.access == Access::Own {
            let written = super::write(&engine.home.root().join(FILE), &self.texts.bytes());
            if let Err(error) = written {
                tracing::debug!(%error, "the vectors of skills were not kept");
            }
        }
        self.ready = Some((Arc::downgrade(known), Arc::clone(&meaning)));
        Some(meaning)
    }

    /// A vector for each skill: its description as it would be kept, the same with its name as it would be
    /// asked, and a little of its name alone.
    async fn skills(&mut self, known: &Known) -> Option<Vec<Vec<f32>>> {
        let candidates = known.matcher().candidates();
        let names: Vec<String> =
            candidates.iter().map(|one| one.name.replace(['-', '_'], " ")).collect();
        let alone: Vec<String> = candidates.iter().map(|one| beginning(&one.description)).collect();
        let named: Vec<String> =
            names.iter().zip(&alone).map(|(name, alone)| format!("{name}: {alone}")).collect();
        let alone = self.texts.described(Kind::Passage, &alone).await?;
        let named = self.texts.described(Kind::Query, &named).await?;
        let names = self.texts.asked(&names).await?;
        let both = alone.iter().zip(&named).map(|(alone, named)| sum(alone, named, 1.0));
        Some(both.zip(&names).map(|(both, name)| sum(&both, name, NAME)).collect())
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(CHARS).collect()
}
