//! Memory as the engine holds it: an index kept equal to the files of a workspace.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use chrono::{Local, NaiveDate};
use hearth_embed::{Kind, Script};
use hearth_protocol::api::memory::{MemoryProgress, MemoryStatus};
use hearth_workspace::{Language, PersonaFile, WorkspaceRoot, template};
use tokio::task::spawn_blocking;

use crate::chunk::{Chunk, chunks, conversation_chunks};
use crate::index::{Index, Opened};
use crate::matrix::Matrix;
use crate::{Conversations, Encoder, Result};

/// Files that tell the assistant how to be, and working notes: not memory.
const NOT_MEMORY: [&str; 8] = [
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "SESSION-STATE.md",
    "README.md",
    "memory/working-buffer.md",
];
const LOAD_AT_ONCE: usize = 20_000;
/// Names, among the index's values, the day and place of a damaged index that was set aside.
const SET_ASIDE: &str = "set aside";
const SAID_FOR_DAYS: i64 = 7;
const UNREAD_SHOWN: usize = 3;

/// An open memory. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Memory {
    pub(crate) inner: Arc<Inner>,
}

/// The mean vector of a script's questions (true) or notes.
pub(crate) type Centres = HashMap<(bool, Script), Arc<Vec<f32>>>;

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) index: Index,
    pub(crate) workspace: Arc<WorkspaceRoot>,
    pub(crate) encoder: Option<Arc<dyn Encoder>>,
    conversations: Option<Arc<dyn Conversations>>,
    pub(crate) matrix: RwLock<Matrix>,
    pub(crate) generation: AtomicI64,
    pub(crate) centres: Mutex<Centres>,
    pub(crate) rate: Mutex<Option<f64>>,
    /// How far the building is that goes on.
    pub(crate) progress: Mutex<Option<MemoryProgress>>,
    /// Why the model cannot be used, since it failed last.
    pub(crate) failed: Mutex<Option<String>>,
    /// Files that cannot be read, and why.
    unread: Mutex<BTreeMap<String, String>>,
    /// One change to the index at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    /// One pass over the missing vectors at a time; taken before `changing`.
    pub(crate) embedding: tokio::sync::Mutex<()>,
}

/// What a memory is opened with.
#[derive(Debug)]
pub struct Sources {
    /// Where the notes are.
    pub workspace: Arc<WorkspaceRoot>,
    /// The embedding model; none: by words alone.
    pub encoder: Option<Arc<dyn Encoder>>,
    /// Past conversations; none: they are not recalled.
    pub conversations: Option<Arc<dyn Conversations>>,
}

impl Memory {
    /// Opens the index, making it where it is missing or unusable. Call [`Memory::sync`] next.
    ///
    /// # Errors
    /// When no index can be made there.
    pub async fn open(path: &Path, sources: Sources) -> Result<Self> {
        Self::with(Index::open(path).await?, sources).await
    }

    /// Sets the index aside, since it was found damaged, and begins a new one.
    ///
    /// # Errors
    /// As [`Memory::open`].
    pub async fn open_anew(path: &Path, sources: Sources) -> Result<Self> {
        Self::with(Index::open_anew(path).await?, sources).await
    }

    async fn with(opened: Opened, sources: Sources) -> Result<Self> {
        let Opened { index, set_aside } = opened;
        if let Some(aside) = set_aside {
            let told = format!("{}\n{}", Local::now().date_naive(), aside.display());
            index.set_meta(SET_ASIDE, told.as_bytes()).await?;
        }
        let mut failed = None;
        let mut encoder = sources.encoder;
        if let Some(model) = encoder.clone() {
            match spawn_blocking(move || model.name()).await? {
                Ok(name) => {
                    index.take_model(&name).await?;
                }
                Err(error) => {
                    failed = Some(error.to_string());
                    encoder = None;
                }
            }
        }
        let generation = index.generation().await?;
        let inner = Inner {
            index,
            workspace: sources.workspace,
            encoder,
            conversations: sources.conversations,
            matrix: RwLock::default(),
            generation: AtomicI64::new(generation),
            centres: Mutex::default(),
            rate: Mutex::default(),
            progress: Mutex::default(),
            failed: Mutex::new(failed),
            unread: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            embedding: tokio::sync::Mutex::default(),
        };
        inner.load_matrix(generation).await?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Reads changed files and conversations again, by their hash, and forgets those that are gone; returns
    /// how many there were. Vectors come with [`Memory::embed`].
    ///
    /// # Errors
    /// The index's and the disk's. What was done until then stands.
    pub async fn sync(&self) -> Result<usize> {
        let _one = self.inner.changing.lock().await;
        if self.inner.generation() == 0 {
            return self.inner.rebuild(&mut |_| true).await;
        }
        self.inner.update(self.inner.generation()).await
    }

    /// Reads one file again, if it changed.
    ///
    /// # Errors
    /// As [`Memory::sync`].
    pub async fn sync_file(&self, path: &str) -> Result<()> {
        if !is_memory(path) || self.inner.generation() == 0 {
            return Ok(());
        }
        let _one = self.inner.changing.lock().await;
        let generation = self.inner.generation();
        let known = self.inner.index.file(generation, path).await?;
        let workspace = Arc::clone(&self.inner.workspace);
        let wanted = path.to_owned();
        let there = spawn_blocking(move || workspace.read(&wanted)).await?;
        if there.as_ref().is_ok_and(|file| !file.exists) {
            self.inner.unread().remove(path);
            if known.is_some() {
                self.inner.put(generation, path, None).await?;
            }
            return Ok(());
        }
        self.inner.take_file(generation, path, known.as_deref()).await?;
        Ok(())
    }

    /// Reads changed conversations again.
    ///
    /// # Errors
    /// As [`Memory::sync`].
    pub async fn sync_conversations(&self) -> Result<usize> {
        if self.inner.generation() == 0 {
            return Ok(0);
        }
        let _one = self.inner.changing.lock().await;
        let generation = self.inner.generation();
        let mut known = self.inner.index.files(generation).await?;
        known.retain(|path, _| path.starts_with(crate::source::CONVERSATION));
        self.inner.update_conversations(generation, &mut known).await
    }

    /// Reads everything again, changed or not, and wipes from the disk what is gone: after forgetting, when no
    /// mark is believed. The model is asked nothing.
    ///
    /// # Errors
    /// As [`Memory::sync`].
    pub async fn reread(&self) -> Result<()> {
        let _one = self.inner.changing.lock().await;
        let generation = self.inner.generation();
        if generation > 0 {
            self.inner.index.doubt(generation).await?;
            self.inner.update(generation).await?;
        }
        self.inner.index.scrub().await
    }

    /// Wipes from the disk what was removed from the index. Costs as much as writing all words once.
    ///
    /// # Errors
    /// The index's.
    pub async fn scrub(&self) -> Result<()> {
        let _one = self.inner.changing.lock().await;
        self.inner.index.scrub().await
    }

    /// Builds the index anew beside the old one and switches to it at the end. A build that was stopped
    /// goes on where it was.
    ///
    /// # Errors
    /// As [`Memory::sync`]; the old index is searched on.
    pub async fn reindex(
        &self,
        progress: &mut (dyn FnMut(MemoryProgress) -> bool + Send),
    ) -> Result<usize> {
        let _one = self.inner.changing.lock().await;
        self.inner.rebuild(progress).await
    }

    /// The state of the index.
    ///
    /// # Errors
    /// The index's.
    pub async fn status(&self) -> Result<MemoryStatus> {
        let inner = &self.inner;
        let generation = inner.generation();
        let totals = inner.index.totals(generation).await?;
        let whole = |n: i64| u64::try_from(n).unwrap_or(0);
        let model = match &inner.encoder {
            Some(_) => inner.index.meta("model").await?,
            None => None,
        };
        let stale = match &model {
            Some(_) => inner.index.stale(generation).await?,
            None => 0,
        };
        let failed = inner.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let alone = match (failed, &model) {
            (Some(why), _) => Some(format!("{why}: memory is searched by words alone")),
            (None, None) => {
                Some("no embedding model is here: memory is searched by words alone".to_owned())
            }
            (None, Some(_)) => None,
        };
        let mut notes: Vec<String> = inner.set_aside().await?.into_iter().chain(alone).collect();
        let unread = inner.unread().clone();
        notes.extend(unread.values().take(UNREAD_SHOWN).map(|why| format!("not searched: {why}")));
        if unread.len() > UNREAD_SHOWN {
            notes.push(format!("{} more files are not searched", unread.len() - UNREAD_SHOWN));
        }
        Ok(MemoryStatus {
            files: whole(totals.files),
            chunks: whole(totals.chunks),
            generation: whole(generation),
            model: model.and_then(|model| String::from_utf8(model).ok()),
            dims: inner.matrix().width() as u64,
            stale: whole(stale),
            embed_per_s: *inner.rate.lock().unwrap_or_else(PoisonError::into_inner),
            progress: *inner.progress.lock().unwrap_or_else(PoisonError::into_inner),
            note: notes.join("\n"),
        })
    }

    /// Ends all connections to the index.
    pub async fn close(&self) {
        self.inner.index.close().await;
    }
}

impl Inner {
    /// What is said for some days of an index that was damaged.
    async fn set_aside(&self) -> Result<Option<String>> {
        let Some(told) = self.index.meta(SET_ASIDE).await? else { return Ok(None) };
        let told = String::from_utf8_lossy(&told).into_owned();
        let Some((day, path)) = told.split_once('\n') else { return Ok(None) };
        let since = day
            .parse::<NaiveDate>()
            .map(|day| Local::now().date_naive().signed_duration_since(day));
        Ok(since.is_ok_and(|since| since.num_days() < SAID_FOR_DAYS).then(|| {
            format!("index.db was damaged on {day}; it lies in {path} and was built anew from your files")
        }))
    }

    pub(crate) fn generation(&self) -> i64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(crate) fn matrix(&self) -> std::sync::RwLockReadGuard<'_, Matrix> {
        self.matrix.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn matrix_mut(&self) -> std::sync::RwLockWriteGuard<'_, Matrix> {
        self.matrix.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a script's vectors lie, for one kind of text.
    pub(crate) async fn centre(&self, kind: Kind, script: Script) -> Result<Arc<Vec<f32>>> {
        let slot = (kind == Kind::Query, script);
        let known = || self.centres.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(centre) = known().get(&slot) {
            return Ok(Arc::clone(centre));
        }
        let sentences = hearth_embed::sentences(kind, script);
        // Other sentences make another centre.
        let mark = blake3::hash(sentences.join("\n").as_bytes()).to_hex();
        let key = format!("centre/{}{}/{}", kind.prefix(), script.name(), &mark[..8]);
        let centre = match self.index.meta(&key).await? {
            Some(bytes) => bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect(),
            None => {
                let texts = sentences.into_iter().map(str::to_owned).collect();
                let centre = mean(&self.run_model(kind, texts).await?);
                let bytes: Vec<u8> = centre.iter().flat_map(|x| x.to_le_bytes()).collect();
                self.index.set_meta(&key, &bytes).await?;
                centre
            }
        };
        let centre = Arc::new(centre);
        known().insert(slot, Arc::clone(&centre));
        Ok(centre)
    }

    fn unread(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn rebuild(
        &self,
        progress: &mut (dyn FnMut(MemoryProgress) -> bool + Send),
    ) -> Result<usize> {
        let generation = self.index.begin_generation().await?;
        let changed = self.update(generation).await?;
        if generation > 1 && self.encoder.is_some() && !self.embed_all(generation, progress).await?
        {
            // Stopped: the next call goes on with this generation.
            return Ok(changed);
        }
        self.index.switch_generation(generation).await?;
        self.load_matrix(generation).await?;
        self.generation.store(generation, Ordering::Release);
        Ok(changed)
    }

    async fn update(&self, generation: i64) -> Result<usize> {
        let mut known = self.index.files(generation).await?;
        let workspace = Arc::clone(&self.workspace);
        let listed = spawn_blocking(move || workspace.list()).await??;
        self.unread().clear();
        let mut changed = 0;
        for file in listed.into_iter().filter(|file| is_memory(&file.path)) {
            let old = known.remove(&file.path);
            changed += usize::from(self.take_file(generation, &file.path, old.as_deref()).await?);
        }
        changed += self.update_conversations(generation, &mut known).await?;
        for path in known.keys() {
            self.put(generation, path, None).await?;
            changed += 1;
        }
        Ok(changed)
    }

    /// Takes in a file where it is another than the one known; says whether it was.
    async fn take_file(&self, generation: i64, path: &str, known: Option<&str>) -> Result<bool> {
        let workspace = Arc::clone(&self.workspace);
        let wanted = path.to_owned();
        let text = match spawn_blocking(move || workspace.read(&wanted)).await? {
            Ok(text) => text,
            Err(error) => {
                // Too large or no text: what was known of it is not true any more either.
                let before = self.unread().insert(path.to_owned(), error.to_string());
                if before.is_none() {
                    tracing::warn!(path, %error, "a note cannot be read into memory");
                }
                if known.is_some() {
                    self.put(generation, path, None).await?;
                }
                return Ok(false);
            }
        };
        self.unread().remove(path);
        if known == Some(&text.hash) {
            return Ok(false);
        }
        let blank = is_template(path, &text.text);
        let parts = if blank { Vec::new() } else { chunks(path, &text.text) };
        self.put(generation, path, Some((&text.hash, &parts))).await?;
        Ok(true)
    }

    /// Takes in changed parts of conversations; what is left in `known` is gone.
    async fn update_conversations(
        &self,
        generation: i64,
        known: &mut HashMap<String, String>,
    ) -> Result<usize> {
        let parts = match &self.conversations {
            Some(conversations) => conversations.parts().await?,
            None => Vec::new(),
        };
        let mut changed = 0;
        for part in parts {
            let path = part.path();
            let (session, mark) = (part.session.clone(), part.mark.clone());
            if known.remove(&path).as_ref() == Some(&mark) {
                continue;
            }
            let Some(conversations) = &self.conversations else { continue };
            let turns = conversations.turns(part).await?;
            let chunks = conversation_chunks(&session, &turns);
            self.put(generation, &path, Some((&mark, &chunks))).await?;
            changed += 1;
        }
        let gone: Vec<String> = known
            .extract_if(|path, _| path.starts_with(crate::source::CONVERSATION))
            .map(|(path, _)| path)
            .collect();
        for path in gone {
            self.put(generation, &path, None).await?;
            changed += 1;
        }
        Ok(changed)
    }

    async fn put(&self, generation: i64, path: &str, file: Option<(&str, &[Chunk])>) -> Result<()> {
        let removed = self.index.put_file(generation, path, file).await?;
        if generation == self.generation() {
            self.matrix_mut().remove(&removed);
        }
        Ok(())
    }

    async fn load_matrix(&self, generation: i64) -> Result<()> {
        let mut matrix = Matrix::default();
        let mut after = -1;
        loop {
            let rows = self.index.vectors(generation, after, LOAD_AT_ONCE).await?;
            let Some((last, _)) = rows.last() else { break };
            after = *last;
            for (id, data) in &rows {
                matrix.put(*id, data);
            }
        }
        *self.matrix_mut() = matrix;
        Ok(())
    }
}

fn is_memory(path: &str) -> bool {
    !NOT_MEMORY.contains(&path) && !path.starts_with("skills/") && !path.starts_with(".agents/")
}

/// A file as it was first put there says nothing yet.
fn is_template(path: &str, text: &str) -> bool {
    let Some(file) = PersonaFile::at(path) else { return false };
    let first = [Language::English, Language::Chinese].map(|language| template(file, language));
    first.into_iter().flatten().any(|first| first.trim() == text.trim())
}

pub(crate) fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    #[expect(clippy::cast_precision_loss, reason = "a few dozen sentences")]
    let count = vectors.len().max(1) as f32;
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x / count);
    }
    sum
}
