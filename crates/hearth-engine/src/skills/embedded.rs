//! Texts that were embedded once: kept by the hash of their kind and words, less what they have from their
//! language alone.
//!
//! Invariant: only texts of skills and our own sentences are kept, never a message.

use half::f16;
use hearth_embed::{Kind, Script, centred, sentences};
use hearth_memory::Encoder;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Texts embedded at once; between them others get their turn.
const BATCH: usize = 32;

/// Vectors by the hash of kind and text.
pub(super) type Rows = HashMap<[u8; 32], Vec<f32>>;

/// Texts with their vectors, of one model.
pub(super) struct Embedded {
    /// The model's name.
    pub(super) model: String,
    encoder: Arc<dyn Encoder>,
    rows: Rows,
    centres: HashMap<(&'static str, &'static str, Script), Arc<Vec<f32>>>,
}

impl Embedded {
    /// What is kept for a model.
    pub(super) fn of_model(model: String, encoder: Arc<dyn Encoder>, kept: &Path) -> Self {
        let rows = read(kept, &model).unwrap_or_default();
        Self { model, encoder, rows, centres: HashMap::new() }
    }

    /// How many texts are known.
    pub(super) fn known(&self) -> usize {
        self.rows.len()
    }

    /// As a file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes(&self.model, &self.rows)
    }

    /// One text as it is asked, which is not kept.
    pub(super) async fn message(&self, text: String, centre: &[f32]) -> Option<Vec<f32>> {
        let vector = embed(&self.encoder, Kind::Query, vec![text]).await?.pop()?;
        Some(centred(&vector, centre))
    }

    /// Texts as they are asked.
    pub(super) async fn asked(&mut self, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        self.fill(Kind::Query, texts).await?;
        let mut made = Vec::with_capacity(texts.len());
        for text in texts {
            made.push(self.centred(Kind::Query, Kind::Query, text).await?);
        }
        Some(made)
    }

    /// Texts that describe something, embedded as a kind.
    pub(super) async fn described(
        &mut self,
        kind: Kind,
        texts: &[String],
    ) -> Option<Vec<Vec<f32>>> {
        self.fill(kind, texts).await?;
        let mut made = Vec::with_capacity(texts.len());
        for text in texts {
            made.push(self.centred(Kind::Passage, kind, text).await?);
        }
        Some(made)
    }

    /// The mean of everyday sentences of a script, notes or questions, embedded as a kind.
    pub(super) async fn centre(
        &mut self,
        of: Kind,
        kind: Kind,
        script: Script,
    ) -> Option<Arc<Vec<f32>>> {
        let key = (of.prefix(), kind.prefix(), script);
        if let Some(known) = self.centres.get(&key) {
            return Some(Arc::clone(known));
        }
        let texts: Vec<String> = sentences(of, script).into_iter().map(str::to_owned).collect();
        self.fill(kind, &texts).await?;
        let rows = texts.iter().map(|text| self.row(kind, text)).collect::<Option<Vec<_>>>()?;
        let mean = Arc::new(mean(&rows));
        self.centres.insert(key, Arc::clone(&mean));
        Some(mean)
    }

    async fn centred(&mut self, of: Kind, kind: Kind, text: &str) -> Option<Vec<f32>> {
        let centre = self.centre(of, kind, Script::of(text)).await?;
        Some(centred(self.row(kind, text)?, &centre))
    }

    /// Embeds what is missing.
    async fn fill(&mut self, kind: Kind, texts: &[String]) -> Option<()> {
        let missing: Vec<&String> =
            texts.iter().filter(|text| !self.rows.contains_key(&key(kind, text))).collect();
        for batch in missing.chunks(BATCH) {
            let wanted: Vec<String> = batch.iter().map(|text| (*text).clone()).collect();
            let made = embed(&self.encoder, kind, wanted).await?;
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

/// The mean of vectors; empty where there are none.
pub(super) fn mean<V: AsRef<[f32]>>(vectors: &[V]) -> Vec<f32> {
    let mut mean = vec![0.0; vectors.first().map_or(0, |first| first.as_ref().len())];
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let share = 1.0 / vectors.len().max(1) as f32;
    for vector in vectors {
        mean.iter_mut().zip(vector.as_ref()).for_each(|(sum, x)| *sum += x * share);
    }
    mean
}

/// The direction of a vector and a part of another, of length one.
pub(super) fn sum(one: &[f32], other: &[f32], part: f32) -> Vec<f32> {
    let negative: Vec<f32> = other.iter().map(|x| -part * x).collect();
    centred(one, &negative)
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
        let path = folder.path().join("skills.vectors");
        let rows = Rows::from([([7; 32], vec![0.5, -1.0]), ([9; 32], vec![0.25, 0.0])]);
        std::fs::write(&path, bytes("e5@1", &rows)).expect("written");
        assert_eq!(read(&path, "e5@1"), Some(rows));
        assert_eq!(read(&path, "e5@2"), None);
        std::fs::write(&path, b"e5@1\0\x02").expect("written");
        assert_eq!(read(&path, "e5@1"), None);
    }

    #[test]
    fn means_and_sums() {
        assert_eq!(mean(&[vec![1.0, 0.0], vec![0.0, 1.0]]), [0.5, 0.5]);
        assert!(mean::<Vec<f32>>(&[]).is_empty());
        assert_eq!(sum(&[1.0, 0.0], &[-0.5, 0.0], 1.0), [1.0, 0.0]);
    }
}
