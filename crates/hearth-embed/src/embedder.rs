//! The model as its users see it: a folder that is loaded when first needed and let go when idle.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokenizers::{Tokenizer, TruncationParams};

use crate::EmbedError;
use crate::network::Network;

const FILES: [&str; 3] = ["config.json", "model.safetensors", "tokenizer.json"];
const MAX_TOKENS: usize = 512;
/// Padded tokens computed at once: enough to keep the products large, little enough for the caches.
const BATCH_TOKENS: usize = 256;

/// What a text is to the model; it was trained with a prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something asked.
    Query,
    /// Something kept.
    Passage,
}

impl Kind {
    /// What stands before the text.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Query => "query: ",
            Self::Passage => "passage: ",
        }
    }
}

/// A model folder. Share it behind an `Arc`; calls block and use all processors but one.
pub struct Embedder {
    folder: PathBuf,
    loaded: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    model: Option<Arc<Model>>,
    used: Option<Instant>,
}

struct Model {
    network: Network,
    tokenizer: Tokenizer,
    pool: ThreadPool,
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Embedder {
    /// The model in a folder. Reads nothing yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), loaded: Mutex::default() }
    }

    /// Whether its files are there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        FILES.iter().all(|file| self.folder.join(file).is_file())
    }

    /// Names the weights: vectors of different names are never compared. Hashes the folder's small
    /// file and the ends of the large ones.
    ///
    /// # Errors
    /// When a file is missing or cannot be read.
    pub fn name(&self) -> Result<String, EmbedError> {
        let mut hasher = blake3::Hasher::new();
        for file in FILES {
            let path = self.folder.join(file);
            for part in ends(&path).map_err(|source| EmbedError::io(&path, source))? {
                hasher.update(&part);
            }
        }
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let hash = hasher.finalize().to_hex();
        Ok(format!("{}@{}", name.unwrap_or_default(), &hash[..12]))
    }

    /// Numbers a vector has; loads the model.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    pub fn width(&self) -> Result<usize, EmbedError> {
        Ok(self.model()?.network.width())
    }

    /// One vector of length one for each text, in order. Long texts are cut at 512 tokens.
    ///
    /// # Errors
    /// When the model cannot be loaded, or fails on a text.
    pub fn embed(&self, kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let model = self.model()?;
        let vectors = model.pool.install(|| model.embed(kind, texts));
        self.held().used = Some(Instant::now());
        vectors
    }

    /// Lets the model go if it was not used for so long; says whether it did.
    #[must_use]
    pub fn release_idle(&self, after: Duration) -> bool {
        let mut held = self.held();
        let idle = held.used.is_none_or(|used| used.elapsed() >= after);
        idle && held.model.take().is_some()
    }

    fn model(&self) -> Result<Arc<Model>, EmbedError> {
        let mut held = self.held();
        if let Some(model) = &held.model {
            return Ok(Arc::clone(model));
        }
        let begun = Instant::now();
        let model = Arc::new(Model::load(&self.folder)?);
        tracing::debug!(took = ?begun.elapsed(), "loaded the embedding model");
        held.model = Some(Arc::clone(&model));
        held.used = Some(Instant::now());
        Ok(model)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model {
    fn load(folder: &Path) -> Result<Self, EmbedError> {
        let network = Network::load(folder)?;
        let path = folder.join("tokenizer.json");
        let text = std::fs::read(&path).map_err(|source| EmbedError::io(&path, source))?;
        let malformed = |error: tokenizers::Error| EmbedError::malformed(&path, error);
        let mut tokenizer = Tokenizer::from_bytes(text).map_err(malformed)?;
        let max_length = MAX_TOKENS.min(network.longest());
        tokenizer
            .with_truncation(Some(TruncationParams { max_length, ..TruncationParams::default() }))
            .map_err(malformed)?;
        tokenizer.with_padding(None);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let pool = ThreadPoolBuilder::new()
            .num_threads(cores.saturating_sub(1).max(1))
            .thread_name(|n| format!("embed-{n}"))
            .build()
            .map_err(|error| EmbedError::Failed(error.to_string()))?;
        Ok(Self { network, tokenizer, pool })
    }

    fn embed(&self, kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens: Vec<Vec<u32>> =
            texts.par_iter().map(|text| self.tokens(kind, text)).collect::<Result<_, _>>()?;
        let batches = batches(&tokens);
        let done: Vec<(&Vec<usize>, Vec<Vec<f32>>)> = batches
            .par_iter()
            .map(|batch| {
                let batch_tokens: Vec<&[u32]> =
                    batch.iter().map(|index| tokens[*index].as_slice()).collect();
                Ok::<_, EmbedError>((batch, self.network.vectors(&batch_tokens)?))
            })
            .collect::<Result<_, _>>()?;
        let mut vectors = vec![Vec::new(); texts.len()];
        for (batch, found) in done {
            for (index, vector) in batch.iter().zip(found) {
                vectors[*index] = vector;
            }
        }
        Ok(vectors)
    }

    fn tokens(&self, kind: Kind, text: &str) -> Result<Vec<u32>, EmbedError> {
        // A token is at least a character but for rare bytes, so what is far behind cannot count.
        let text: String = text.chars().take(MAX_TOKENS * 16).collect();
        let encoded = self
            .tokenizer
            .encode_fast(format!("{}{text}", kind.prefix()), true)
            .map_err(|error| EmbedError::Failed(error.to_string()))?;
        Ok(encoded.get_ids().to_vec())
    }
}

/// Texts of like length together, so that little is padded.
fn batches(tokens: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(tokens[*index].len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in order {
        match batches.last_mut() {
            Some(batch) if batch.len() < room => batch.push(index),
            _ => {
                room = BATCH_TOKENS / tokens[index].len().max(1);
                batches.push(vec![index]);
            }
        }
    }
    batches
}

/// A file's length and up to 64 KiB from each end.
fn ends(path: &Path) -> std::io::Result<[Vec<u8>; 3]> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    const PART: u64 = 64 << 10;
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(PART).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(length.saturating_sub(PART)))?;
    let mut tail = Vec::new();
    file.take(PART).read_to_end(&mut tail)?;
    Ok([length.to_le_bytes().to_vec(), head, tail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_lengths_share_a_batch_and_none_is_lost() {
        let lengths = [5, 128, 7, 75, 6, 1, 128, 256];
        let tokens: Vec<Vec<u32>> = lengths.iter().map(|n| vec![0; *n]).collect();
        let batches = batches(&tokens);
        assert_eq!(batches, vec![vec![7], vec![1, 6], vec![3, 2, 4], vec![0, 5]]);
    }

    #[test]
    fn a_missing_model_is_said_and_not_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let embedder = Embedder::new(folder.path());
        assert!(!embedder.is_there());
        assert!(matches!(embedder.embed(Kind::Query, &["x"]), Err(EmbedError::Missing(_))));
        assert!(embedder.embed(Kind::Query, &[]).expect("nothing to do").is_empty());
    }

    #[test]
    fn files_that_are_no_model_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for (weights, config) in [("", "{}"), ("\u{1}", "not json"), ("xxxxxxxxyyyyyyy", "{}")] {
            for file in FILES {
                std::fs::write(folder.path().join(file), weights).expect("writes");
            }
            std::fs::write(folder.path().join("config.json"), config).expect("writes");
            let embedder = Embedder::new(folder.path());
            let error = embedder.embed(Kind::Query, &["x"]).expect_err("no model");
            assert!(matches!(error, EmbedError::Malformed { .. }), "{error}");
        }
    }
}
