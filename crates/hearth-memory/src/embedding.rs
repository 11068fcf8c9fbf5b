//! Making the vectors that are missing, in batches that stand by themselves.

use std::sync::PoisonError;
use std::time::Instant;

use half::f16;
use hearth_embed::{Kind, Script, centred};
use hearth_protocol::api::memory::MemoryProgress;
use tokio::task::spawn_blocking;

use crate::index::Pending;
use crate::matrix::packed;
use crate::memory::{Inner, mean};
use crate::{Memory, MemoryError, Result};

const BATCH: usize = 64;
/// Fewer say nothing about the speed.
const TELLING: usize = 32;

/// How far a pass over the chunks without a vector is.
struct Pass {
    generation: i64,
    /// Chunks up to this id were looked at.
    after: i64,
    now: Option<MemoryProgress>,
}

impl Default for Pass {
    fn default() -> Self {
        Self { generation: 0, after: -1, now: None }
    }
}

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
        let inner = &self.inner;
        let _alone = inner.embedding.lock().await;
        let mut pass = Pass::default();
        let all = loop {
            // Let go after each batch: changed files are read in between, and nobody waits for the whole pass.
            let one = inner.changing.lock().await;
            let step = inner.embed_next(inner.generation(), &mut pass).await;
            drop(one);
            match step {
                Ok(Some(now)) if progress(now) => {}
                Ok(Some(_)) => break Ok(false),
                Ok(None) => break Ok(true),
                Err(error) => break Err(error),
            }
        };
        inner.set_progress(None);
        all
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
    /// Makes the missing vectors of a generation that is being built.
    pub(crate) async fn embed_all(
        &self,
        generation: i64,
        progress: &mut (dyn FnMut(MemoryProgress) -> bool + Send),
    ) -> Result<bool> {
        let mut pass = Pass::default();
        let all = loop {
            match self.embed_next(generation, &mut pass).await {
                Ok(Some(now)) if progress(now) => {}
                Ok(Some(_)) => break Ok(false),
                Ok(None) => break Ok(true),
                Err(error) => break Err(error),
            }
        };
        self.set_progress(None);
        all
    }

    /// Makes the next vectors that are missing and says how far it is; none where all are made.
    async fn embed_next(&self, generation: i64, pass: &mut Pass) -> Result<Option<MemoryProgress>> {
        let mut now = match pass.now.filter(|_| pass.generation == generation) {
            Some(now) => now,
            None => {
                *pass = Pass { generation, ..Pass::default() };
                let missing = u64::try_from(self.index.stale(generation).await?).unwrap_or(0);
                let total = u64::try_from(self.index.totals(generation).await?.chunks).unwrap_or(0);
                MemoryProgress { done: total - missing.min(total), total }
            }
        };
        let pending = self.index.pending(generation, pass.after, BATCH).await?;
        let Some(last) = pending.last() else { return Ok(None) };
        pass.after = last.id;
        self.set_progress(Some(now));
        self.embed_batch(generation, &pending).await?;
        now.done = (now.done + pending.len() as u64).min(now.total);
        pass.now = Some(now);
        Ok(Some(now))
    }

    fn set_progress(&self, progress: Option<MemoryProgress>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    async fn embed_batch(&self, generation: i64, pending: &[Pending]) -> Result<()> {
        let texts: Vec<Vec<String>> = pending.iter().map(Pending::readings).collect();
        let mut raw: Vec<Option<Vec<f32>>> = Vec::with_capacity(pending.len());
        for one in pending {
            raw.push(self.index.cached(&one.hash).await?.as_deref().and_then(halves_to_floats));
        }
        let missing: Vec<usize> = (0..raw.len()).filter(|n| raw[*n].is_none()).collect();
        let wanted = missing.iter().flat_map(|n| texts[*n].iter().cloned()).collect();
        let begun = Instant::now();
        let mut made = self.run_model(Kind::Passage, wanted).await?.into_iter();
        if missing.len() >= TELLING {
            #[expect(clippy::cast_precision_loss, reason = "a batch")]
            let rate = missing.len() as f64 / begun.elapsed().as_secs_f64().max(1e-6);
            *self.rate.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate);
        }
        for n in &missing {
            let readings: Vec<Vec<f32>> = made.by_ref().take(texts[*n].len()).collect();
            raw[*n] = Some(mean(&readings));
        }
        let mut rows = Vec::with_capacity(pending.len());
        for (n, one) in pending.iter().enumerate() {
            let Some(vector) = &raw[n] else { continue };
            let centre = self.centre(Kind::Passage, Script::of(&texts[n][0])).await?;
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
        let made = spawn_blocking(move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            encoder.embed(kind, &texts)
        })
        .await?;
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) =
            made.as_ref().err().map(ToString::to_string);
        Ok(made?)
    }
}

fn floats_to_halves(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect()
}

fn halves_to_floats(bytes: &[u8]) -> Option<Vec<f32>> {
    let (halves, rest) = bytes.as_chunks::<2>();
    rest.is_empty().then(|| halves.iter().map(|x| f16::from_le_bytes(*x).to_f32()).collect())
}
