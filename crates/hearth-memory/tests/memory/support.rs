//! A workspace and its memory in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hearth_embed::{EmbedError, Kind};
use hearth_memory::{Conversations, Encoder, Memory, Sources};
use hearth_protocol::api::memory::{MemoryAnswer, MemoryQuery};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};

struct NoJournal;

impl Journal for NoJournal {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("workspace/memory")).unwrap();
        Self { folder }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("workspace").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join("workspace").join(path)).unwrap()
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index.db")
    }

    /// Opened and read up to the files; by words alone.
    pub(crate) async fn memory(&self) -> Memory {
        self.memory_with(None, None).await
    }

    /// Opened with a model or conversations, and read up to the files.
    pub(crate) async fn memory_with(
        &self,
        encoder: Option<Arc<dyn Encoder>>,
        conversations: Option<Arc<dyn Conversations>>,
    ) -> Memory {
        let folder = self.folder.path().join("workspace");
        let memory = open(&folder, &self.index(), encoder, conversations).await;
        memory.sync().await.unwrap();
        memory
    }
}

pub(crate) async fn open(
    workspace: &Path,
    index: &Path,
    encoder: Option<Arc<dyn Encoder>>,
    conversations: Option<Arc<dyn Conversations>>,
) -> Memory {
    let workspace = Arc::new(WorkspaceRoot::open(workspace, Arc::new(NoJournal)).unwrap());
    Memory::open(index, Sources { workspace, encoder, conversations }).await.unwrap()
}

/// Vectors from letters alone: like texts are near each other, and no weights are needed.
#[derive(Debug)]
pub(crate) struct Letters {
    pub(crate) width: usize,
    /// Texts that were asked for.
    pub(crate) asked: AtomicUsize,
}

impl Letters {
    pub(crate) fn new(width: usize) -> Arc<Self> {
        Arc::new(Self { width, asked: AtomicUsize::new(0) })
    }
}

impl Encoder for Letters {
    fn name(&self) -> Result<String, EmbedError> {
        Ok(format!("letters-{}", self.width))
    }

    fn embed(&self, _kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.fetch_add(texts.len(), Ordering::SeqCst);
        let vector = |text: &&str| {
            let mut vector = vec![0.0_f32; self.width];
            let chars: Vec<u32> = text.to_lowercase().chars().map(u32::from).collect();
            for pair in chars.windows(2) {
                let hash = pair[0].wrapping_mul(2_654_435_761) ^ pair[1].wrapping_mul(40_503);
                vector[(hash >> 7) as usize % self.width] += 1.0;
            }
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
            vector.iter_mut().for_each(|x| *x /= length);
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn release_idle(&self, _after: Duration) -> bool {
        false
    }
}

pub(crate) async fn ask(memory: &Memory, query: &str) -> MemoryAnswer {
    let query = MemoryQuery { query: query.to_owned(), ..MemoryQuery::default() };
    memory.search(&query).await.unwrap()
}

/// The texts of the hits.
pub(crate) async fn texts(memory: &Memory, query: &str) -> Vec<String> {
    ask(memory, query).await.hits.into_iter().map(|hit| hit.text).collect()
}
