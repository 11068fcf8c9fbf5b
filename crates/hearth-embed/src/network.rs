//! The encoder itself: word, place and type rows, the layers, and the mean over a text's tokens.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, IndexOp as _, Tensor};
use candle_nn::{LayerNorm, Module as _, VarBuilder};
use candle_transformers::models::bert::{BertEncoder, Config};

use crate::EmbedError;
use crate::weights::Weights;

const WORDS: &str = "embeddings.word_embeddings.weight";

/// A loaded encoder.
pub(crate) struct Network {
    weights: Weights,
    encoder: BertEncoder,
    places: Tensor,
    kind: Tensor,
    norm: LayerNorm,
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
        let mut layers = HashMap::new();
        for name in weights.names().filter(|name| name.starts_with("encoder.")) {
            layers.insert(name.to_owned(), weights.tensor(name)?);
        }
        let layers = VarBuilder::from_tensors(layers, DType::F32, &Device::Cpu);
        let norm = LayerNorm::new(
            weights.tensor("embeddings.LayerNorm.weight")?,
            weights.tensor("embeddings.LayerNorm.bias")?,
            config.layer_norm_eps,
        );
        Ok(Self {
            encoder: BertEncoder::load(layers.pp("encoder"), &config)?,
            places: weights.tensor("embeddings.position_embeddings.weight")?,
            kind: weights.tensor("embeddings.token_type_embeddings.weight")?.i(0)?,
            norm,
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
        self.places.dim(0).unwrap_or(0)
    }

    /// One vector of length one for each text; texts are tokens, none of them empty.
    pub(crate) fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let longest = batch.iter().map(|tokens| tokens.len()).max().unwrap_or(0);
        let mut rows = Vec::with_capacity(batch.len() * longest * self.width);
        let mut seen = Vec::with_capacity(batch.len() * longest);
        for tokens in batch {
            for token in *tokens {
                // A tokenizer with more words than the table has is of another model.
                let row = (*token as usize).min(self.vocabulary.saturating_sub(1));
                self.weights.row(WORDS, row, &mut rows)?;
            }
            rows.resize(rows.len() + (longest - tokens.len()) * self.width, 0.0);
            seen.extend((0..longest).map(|at| f32::from(u8::from(at < tokens.len()))));
        }
        let shape = (batch.len(), longest, self.width);
        let words = Tensor::from_vec(rows, shape, &Device::Cpu)?;
        let places = self.places.i(..longest)?;
        let words = words.broadcast_add(&places)?.broadcast_add(&self.kind)?;
        let words = self.norm.forward(&words)?;

        let hidden: Vec<f32> = seen.iter().map(|seen| (1.0 - seen) * f32::MIN).collect();
        let hidden = Tensor::from_vec(hidden, (batch.len(), 1, 1, longest), &Device::Cpu)?;
        let out = self.encoder.forward(&words, &hidden)?;

        let seen = Tensor::from_vec(seen, (batch.len(), longest, 1), &Device::Cpu)?;
        let sums = out.broadcast_mul(&seen)?.sum(1)?;
        let mut vectors: Vec<Vec<f32>> = sums.to_vec2()?;
        vectors.iter_mut().for_each(|vector| normalise(vector));
        Ok(vectors)
    }
}

/// Scales to length one; a vector of zeros stays one.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
