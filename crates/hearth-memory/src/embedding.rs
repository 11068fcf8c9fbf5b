//! Making the vectors that are missing, in batches that stand by themselves.

use std::sync::PoisonError;
use std::time::Instant;

use half::f16;
use hearth_embed::{Kind, Script, centred};
use hearth_protocol::api::memory::MemoryProgress;
use tokio::task::spawn_blocking;

use crate::index::Pending;
use crate::matrix::packed;
use crate::memory::Inner;
use crate::{Memory, MemoryError, Result};

const BATCH: usize = 64;
/// Fewer say nothing about the speed.
const TELLING: usize = 32;

impl Memory {
    /// Makes the vectors that are missing; `progress` hears of each batch and may stop by `false`. Returns
    /// whether all are made. Without a model there is nothing to do.
    ///
    /// # Errors
    /// The model's and the index's; what was made until then stands.
    pub async fn embed(
        &self,
        progress: &mut (dyn FnMut(MemoryProgress) -> bool + Send),
    ) -> Result<bool> {
        if self.inner.encoder.is_none() {
            return Ok(true);
        }
        let _one = self.inner.changing.lock().await;
        self.inner.embed_all(self.inner.generation(), progress).await
    }

    /// Lets the model go if it was not used for so long.
    pub fn release_idle(&self, after: std::time::Duration) {
        if let Some(encoder) = &self.inner.encoder
            && encoder.release_idle(after)
        {
            tracing::debug!("let the embedding model go");
        }
    }
}

impl Inner {
    pub(crate) async fn embed_all(
        &self,
        generation: i64,
        progress: &mut (dyn FnMut(MemoryProgress) -> bool + Send),
    ) -> Result<bool> {
        let missing = u64::try_from(self.index.stale(generation).await?).unwrap_or(0);
        let total = u64::try_from(self.index.totals(generation).await?.chunks).unwrap_or(0);
        let mut now = MemoryProgress { done: total - missing.min(total), total };
        let mut after = -1;
        let all = loop {
            let pending = self.index.pending(generation, after, BATCH).await?;
            let Some(last) = pending.last() else { break true };
            after = last.id;
            self.set_progress(Some(now));
            let made = self.embed_batch(generation, &pending).await;
            if let Err(error) = made {
                self.set_progress(None);
                return Err(error);
            }
            now.done = (now.done + pending.len() as u64).min(total);
            if !progress(now) {
                break false;
            }
        };
        self.set_progress(None);
        Ok(all)
    }

    fn set_progress(&self, progress: Option<MemoryProgress>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    async fn embed_batch(&self, generation: i64, pending: &[Pending]) -> Result<()> {
        let texts: Vec<String> = pending.iter().map(Pending::embedded).collect();
        let mut raw: Vec<Option<Vec<f32>>> = Vec::with_capacity(pending.len());
        for one in pending {
            raw.push(self.index.cached(&one.hash).await?.as_deref().and_then(halves_to_floats));
        }
        let missing: Vec<usize> = (0..raw.len()).filter(|n| raw[*n].is_none()).collect();
        let wanted = missing.iter().map(|n| texts[*n].clone()).collect();
        for (n, vector) in missing.iter().zip(self.run_model(Kind::Passage, wanted).await?) {
            raw[*n] = Some(vector);
        }
        let mut rows = Vec::with_capacity(pending.len());
        for (n, one) in pending.iter().enumerate() {
            let Some(vector) = &raw[n] else { continue };
            let centre = self.centre(Kind::Passage, Script::of(&texts[n])).await?;
            let data = packed(&centred(vector, &centre));
            let keep = missing.contains(&n).then(|| floats_to_halves(vector));
            rows.push((one, keep, data));
        }
        self.index.put_vectors(&rows).await?;
        if generation == self.generation() {
            let mut matrix = self.matrix_mut();
            for (one, _, data) in &rows {
                matrix.put(one.id, data);
            }
        }
        Ok(())
    }

    /// A question as it is compared with the vectors of chunks.
    pub(crate) async fn embed_question(&self, text: &str) -> Result<Vec<f32>> {
        let vectors = self.run_model(Kind::Query, vec![text.to_owned()]).await?;
        let Some(vector) = vectors.first() else { return Ok(Vec::new()) };
        let centre = self.centre(Kind::Query, Script::of(text)).await?;
        Ok(centred(vector, &centre))
    }

    /// Runs the model where it may take its time.
    pub(crate) async fn run_model(&self, kind: Kind, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let Some(encoder) = self.encoder.clone() else {
            return Err(MemoryError::Refused("there is no embedding model".to_owned()));
        };
        let count = texts.len();
        let begun = Instant::now();
        let made = spawn_blocking(move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            encoder.embed(kind, &texts)
        })
        .await?;
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) =
            made.as_ref().err().map(ToString::to_string);
        let vectors = made?;
        if count >= TELLING {
            #[expect(clippy::cast_precision_loss, reason = "a batch")]
            let rate = count as f64 / begun.elapsed().as_secs_f64().max(1e-6);
            *self.rate.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate);
        }
        Ok(vectors)
    }
}

fn floats_to_halves(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect()
}

fn halves_to_floats(bytes: &[u8]) -> Option<Vec<f32>> {
    let (halves, rest) = bytes.as_chunks::<2>();
    rest.is_empty().then(|| halves.iter().map(|x| f16::from_le_bytes(*x).to_f32()).collect())
}
