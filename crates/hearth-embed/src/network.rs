//! The encoder itself: word, place and type rows, the layers, and the mean over a text's tokens.

use std::fs;
use std::path::Path;

use candle_core::{Device, Tensor};
use candle_transformers::models::bert::Config;
use pulp::Arch;

use crate::EmbedError;
use crate::arithmetic::Norm;
use crate::layers::{Batch, Layers, load_norm};
use crate::weights::Weights;

const WORDS: &str = "embeddings.word_embeddings.weight";

/// A loaded encoder.
pub(crate) struct Network {
    weights: Weights,
    layers: Layers,
    /// A row for each place, the row of the only kind of text added.
    places: Vec<f32>,
    norm: Norm,
    arch: Arch,
    width: usize,
    vocabulary: usize,
}

impl Network {
    pub(crate) fn load(folder: &Path) -> Result<Self, EmbedError> {
        let path = folder.join("config.json");
        let text = fs::read(&path).map_err(|source| EmbedError::io(&path, source))?;
        let config: Config =
            serde_json::from_slice(&text).map_err(|error| EmbedError::malformed(&path, error))?;
        let weights = Weights::open(&folder.join("model.safetensors"))?;
        let (vocabulary, width) = weights.table(WORDS)?;
        if width != config.hidden_size {
            return Err(EmbedError::malformed(&path, "the widths of its files differ"));
        }
        let arch = Arch::new();
        let kind = weights.tensor("embeddings.token_type_embeddings.weight")?.get(0)?;
        let places = weights.tensor("embeddings.position_embeddings.weight")?;
        Ok(Self {
            layers: Layers::load(&weights, &config, arch)?,
            places: places.broadcast_add(&kind)?.flatten_all()?.to_vec1()?,
            norm: load_norm(&weights, "embeddings.LayerNorm", config.layer_norm_eps)?,
            arch,
            width,
            vocabulary,
            weights,
        })
    }

    /// Numbers a vector has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Tokens a text may have.
    pub(crate) fn longest(&self) -> usize {
        self.places.len() / self.width
    }

    /// One vector of length one for each text; texts are tokens, none of them empty.
    pub(crate) fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let lengths: Vec<usize> = batch.iter().map(|tokens| tokens.len()).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let mut rows = Vec::with_capacity(batch.len() * longest * self.width);
        for tokens in batch {
            let first = rows.len();
            for token in *tokens {
                // A tokenizer with more words than the table has is of another model.
                let row = (*token as usize).min(self.vocabulary.saturating_sub(1));
                self.weights.row(WORDS, row, &mut rows)?;
            }
            rows[first..].iter_mut().zip(&self.places).for_each(|(x, place)| *x += place);
            rows.resize(first + longest * self.width, 0.0);
        }
        self.norm.rows(self.arch, &mut rows);
        let rows = Tensor::from_vec(rows, (batch.len() * longest, self.width), &Device::Cpu)?;
        let out = self.layers.forward(rows, Batch { lengths: &lengths, longest })?;
        let out: Vec<f32> = out.flatten_all()?.to_vec1()?;
        let texts = out.chunks_exact(longest * self.width).zip(&lengths);
        Ok(texts.map(|(rows, length)| mean(&rows[..length * self.width], self.width)).collect())
    }
}

/// The direction of the mean of some rows.
fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    normalise(&mut sum);
    sum
}

/// Scales to length one; a vector of zeros stays one.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
