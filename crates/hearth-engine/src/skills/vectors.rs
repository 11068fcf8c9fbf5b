//! Vectors of what skills say they are for, so that a message in one language finds a skill in another.
//!
//! Invariants: a text is embedded once a model, and kept in `<home>/skills.vectors`, which may be deleted;
//! where there is no model, or it takes too long, words alone decide.

use super::Known;
use crate::engine::{Access, Inner};
use half::f16;
use hearth_agent::skills::Meaning;
use hearth_embed::{Kind, Script, centred, sentences};
use hearth_memory::Encoder;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use tokio::sync::Mutex;

const FILE: &str = "skills.vectors";
/// Texts embedded at once; between them others get their turn.
const BATCH: usize = 32;
/// So many descriptions of a script have a mean that tells something.
const ENOUGH: usize = 8;

/// Vectors by the hash of kind and text.
type Rows = HashMap<[u8; 32], Vec<f32>>;

/// Vectors, and what was made of them for the skills at hand.
#[derive(Default)]
pub(crate) struct Vectors {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The model that they are of.
    model: String,
    rows: Rows,
    ready: Option<Ready>,
}

/// Made for one look at the skills.
#[derive(Clone)]
struct Ready {
    of: Weak<Known>,
    model: String,
    meaning: Arc<Meaning>,
}

impl Vectors {
    /// How near a message is in meaning to each candidate; none where that cannot be told.
    pub(super) async fn nearness(
        &self,
        engine: &Inner,
        known: &Arc<Known>,
        text: &str,
    ) -> Option<Vec<f32>> {
        let encoder = engine.encoder()?;
        let mut state = self.state.lock().await;
        state.of_model(engine, &encoder).await?;
        let meaning = state.meaning(engine, &encoder, known).await?;
        let centre = state.centre(&encoder, Kind::Query, Script::of(text)).await?;
        drop(state);
        // The beginning of a long message says what it asks for.
        let text: String = text.chars().take(600).collect();
        let vector = embed(&encoder, Kind::Query, vec![text]).await?.pop()?;
        Some(meaning.nearness(&centred(&vector, &centre)))
    }
}

impl State {
    /// Takes the rows of a model; those of another go.
    async fn of_model(&mut self, engine: &Inner, encoder: &Arc<dyn Encoder>) -> Option<()> {
        let name = encoder.name().ok()?;
        if self.model != name {
            self.rows = read(&engine.home.root().join(FILE), &name).unwrap_or_default();
            self.model = name;
            self.ready = None;
        }
        Some(())
    }

    async fn meaning(
        &mut self,
        engine: &Inner,
        encoder: &Arc<dyn Encoder>,
        known: &Arc<Known>,
    ) -> Option<Arc<Meaning>> {
        let same = |ready: &&Ready| {
            std::ptr::eq(ready.of.as_ptr(), Arc::as_ptr(known)) && ready.model == self.model
        };
        if let Some(ready) = self.ready.as_ref().filter(same) {
            return Some(Arc::clone(&ready.meaning));
        }
        let before = self.rows.len();
        let meaning = Arc::new(self.made(encoder, known).await?);
        if self.rows.len() > before && engine.access == Access::Own {
            let written =
                super::write(&engine.home.root().join(FILE), &bytes(&self.model, &self.rows));
            if let Err(error) = written {
                tracing::debug!(%error, "the vectors of skills were not kept");
            }
        }
        let of = Arc::downgrade(known);
        self.ready = Some(Ready { of, model: self.model.clone(), meaning: Arc::clone(&meaning) });
        Some(meaning)
    }

    async fn made(&mut self, encoder: &Arc<dyn Encoder>, known: &Known) -> Option<Meaning> {
        let candidates = known.matcher().candidates();
        let texts: Vec<[String; 2]> = candidates
            .iter()
            .map(|one| {
                let description: String = one.description.chars().take(600).collect();
                let named = format!("{}: {description}", one.name.replace(['-', '_'], " "));
                [description, named]
            })
            .collect();
        let all: Vec<String> = texts.iter().flatten().cloned().collect();
        self.fill(encoder, Kind::Passage, &all).await?;
        let mut raw = Vec::with_capacity(texts.len());
        for [description, named] in &texts {
            let (one, other) =
                (self.row(Kind::Passage, description)?, self.row(Kind::Passage, named)?);
            let both: Vec<f32> =
                one.iter().zip(other).map(|(a, b)| f32::midpoint(*a, *b)).collect();
            raw.push((Script::of(description), both));
        }
        let mut centres = HashMap::new();
        for script in Script::ALL {
            let everyday = self.centre(encoder, Kind::Passage, script).await?;
            centres.insert(script, between(everyday, &raw, script));
        }
        let skills = raw.iter().map(|(script, both)| centred(both, &centres[script])).collect();
        let mut everyday = Vec::new();
        for script in [Script::Latin, Script::Han] {
            let centre = self.centre(encoder, Kind::Query, script).await?;
            for text in sentences(Kind::Query, script) {
                everyday.push(centred(self.row(Kind::Query, text)?, &centre));
            }
        }
        Some(Meaning::new(skills, &everyday))
    }

    /// The mean of everyday sentences of a script.
    async fn centre(
        &mut self,
        encoder: &Arc<dyn Encoder>,
        kind: Kind,
        script: Script,
    ) -> Option<Vec<f32>> {
        let texts: Vec<String> = sentences(kind, script).into_iter().map(str::to_owned).collect();
        self.fill(encoder, kind, &texts).await?;
        let mut mean: Vec<f32> = Vec::new();
        for text in &texts {
            let row = self.row(kind, text)?;
            mean.resize(row.len(), 0.0);
            #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
            let share = 1.0 / texts.len() as f32;
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * share);
        }
        Some(mean)
    }

    /// Embeds what is missing.
    async fn fill(
        &mut self,
        encoder: &Arc<dyn Encoder>,
        kind: Kind,
        texts: &[String],
    ) -> Option<()> {
        let missing: Vec<&String> =
            texts.iter().filter(|text| !self.rows.contains_key(&key(kind, text))).collect();
        for batch in missing.chunks(BATCH) {
            let wanted: Vec<String> = batch.iter().map(|text| (*text).clone()).collect();
            let made = embed(encoder, kind, wanted).await?;
            for (text, vector) in batch.iter().zip(made) {
                self.rows.insert(key(kind, text), vector);
            }
        }
        Some(())
    }

    fn row(&self, kind: Kind, text: &str) -> Option<&Vec<f32>> {
        self.rows.get(&key(kind, text))
    }
}

/// Halfway between everyday sentences and these descriptions, where there are enough of a script: what all
/// descriptions have in common tells none from another.
fn between(everyday: Vec<f32>, all: &[(Script, Vec<f32>)], script: Script) -> Vec<f32> {
    let own: Vec<&Vec<f32>> =
        all.iter().filter(|(of, _)| *of == script).map(|(_, vector)| vector).collect();
    if own.len() < ENOUGH {
        return everyday;
    }
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let share = 1.0 / own.len() as f32;
    let mean = |at: usize| own.iter().map(|vector| vector[at]).sum::<f32>() * share;
    everyday.iter().enumerate().map(|(at, x)| f32::midpoint(*x, mean(at))).collect()
}

fn key(kind: Kind, text: &str) -> [u8; 32] {
    *blake3::hash(format!("{}{text}", kind.prefix()).as_bytes()).as_bytes()
}

async fn embed(
    encoder: &Arc<dyn Encoder>,
    kind: Kind,
    texts: Vec<String>,
) -> Option<Vec<Vec<f32>>> {
    let encoder = Arc::clone(encoder);
    let made = tokio::task::spawn_blocking(move || {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        encoder.embed(kind, &texts)
    });
    match made.await {
        Ok(Ok(vectors)) => Some(vectors),
        Ok(Err(error)) => {
            tracing::warn!(%error, "skills are matched by words alone for now");
            None
        }
        Err(_) => None,
    }
}

/// The model's name and a zero byte, then rows of key and halves.
fn bytes(model: &str, rows: &Rows) -> Vec<u8> {
    let mut bytes = model.as_bytes().to_vec();
    bytes.push(0);
    let width = rows.values().next().map_or(0, Vec::len);
    bytes.extend(u32::try_from(width).unwrap_or(0).to_le_bytes());
    for (key, vector) in rows.iter().filter(|(_, vector)| vector.len() == width) {
        bytes.extend(key);
        bytes.extend(vector.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()));
    }
    bytes
}

fn read(path: &Path, model: &str) -> Option<Rows> {
    let bytes = std::fs::read(path).ok()?;
    let rest = bytes.strip_prefix(model.as_bytes())?.strip_prefix(&[0])?;
    let (width, rest) = rest.split_first_chunk::<4>()?;
    let width = usize::try_from(u32::from_le_bytes(*width)).ok().filter(|width| *width > 0)?;
    let rows = rest.chunks_exact(32 + 2 * width).map(|row| {
        let (key, halves) = row.split_at(32);
        let (halves, _) = halves.as_chunks::<2>();
        let vector = halves.iter().map(|half| f16::from_le_bytes(*half).to_f32()).collect();
        (<[u8; 32]>::try_from(key).unwrap_or_default(), vector)
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_kept_for_their_model_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let rows = Rows::from([([7; 32], vec![0.5, -1.0]), ([9; 32], vec![0.25, 0.0])]);
        std::fs::write(&path, bytes("e5@1", &rows)).expect("written");
        assert_eq!(read(&path, "e5@1"), Some(rows));
        assert_eq!(read(&path, "e5@2"), None);
        std::fs::write(&path, b"e5@1\0\x02").expect("written");
        assert_eq!(read(&path, "e5@1"), None);
    }
}
