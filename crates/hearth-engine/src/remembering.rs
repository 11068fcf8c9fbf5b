//! The memory of an open home: opened when it is first used or a little after the start, then kept up with
//! files and conversations.
//!
//! Invariant: only the owner of a home changes the index; other processes search what is there. An index
//! that turns out to be damaged is set aside and built anew, once, and said so.

use crate::engine::{Access, Inner};
use crate::outdated::Outdated;
use crate::recollection::PastConversations;
use crate::settings::Settings;
use crate::{Heard, clock, home::Home};
use hearth_embed::Embedder;
use hearth_memory::{Conversations, Encoder, Memory, MemoryError, Sources};
use hearth_protocol::WireError;
use hearth_protocol::api::memory::{MemoryAnswer, MemoryQuery};
use hearth_protocol::api::system::Signal;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// So many missing vectors are made before a search answers; more are made beside it.
const AT_ONCE: u64 = 64;
/// Changes that nobody told of are looked for so often.
const CHECK_EVERY: Duration = Duration::from_secs(600);
/// The first look comes so long after the start, so that a single command never pays for it.
const FIRST_CHECK: Duration = Duration::from_secs(4);
/// Changes are gathered for so long. The watch has gathered them for most of a second already.
const GATHER: Duration = Duration::from_millis(400);

/// Memory, once it was used.
#[derive(Default)]
pub(crate) struct Remembering {
    memory: Mutex<Option<Opened>>,
    /// Read up to the files, as far as is known.
    fresh: AtomicBool,
    /// What was superseded, until a memory file changes.
    pub(crate) outdated: std::sync::Mutex<Option<Arc<Vec<Outdated>>>>,
    /// The embedding model in use, with its folder: one for memory and skills.
    encoder: std::sync::Mutex<Option<(PathBuf, Arc<dyn Encoder>)>>,
}

/// An open memory, and what it was opened with.
struct Opened {
    memory: Memory,
    setup: Setup,
}

/// What of the settings and the models folder a memory depends on.
#[derive(Debug, PartialEq)]
struct Setup {
    model: Option<PathBuf>,
    conversations: bool,
}

impl Inner {
    /// Memory, read up to the files where this process may.
    pub(crate) async fn memory(self: &Arc<Self>) -> Result<Memory, WireError> {
        let memory = self.open_memory(false).await?;
        if self.access != Access::Own || self.remembering.fresh.swap(true, Ordering::AcqRel) {
            return Ok(memory);
        }
        match self.read_up(&memory).await {
            Ok(()) => Ok(memory),
            Err(error) if error.is_damage() => {
                let memory = self.open_memory(true).await?;
                self.read_up(&memory).await?;
                Ok(memory)
            }
            Err(error) => {
                self.remembering.fresh.store(false, Ordering::Release);
                Err(error.into())
            }
        }
    }

    /// Answers a question: the one way to memory for the tool, the command line, the prompt and the window.
    pub(crate) async fn recall(
        self: &Arc<Self>,
        asked: &MemoryQuery,
    ) -> Result<MemoryAnswer, WireError> {
        let mut answer = match self.memory().await?.search(asked).await {
            Err(error) if error.is_damage() && self.access == Access::Own => {
                let memory = self.open_memory(true).await?;
                self.read_up(&memory).await?;
                memory.search(asked).await?
            }
            answer => answer?,
        };
        self.mark_outdated(&mut answer).await?;
        Ok(answer)
    }

    /// The open memory; `anew` sets the index aside first.
    async fn open_memory(&self, anew: bool) -> Result<Memory, WireError> {
        let settings = self.settings.current();
        let setup = Setup {
            model: model_folder(&self.home, &settings),
            conversations: settings.memory_index_conversations,
        };
        let mut slot = self.remembering.memory.lock().await;
        if let Some(opened) = slot.as_ref().filter(|opened| !anew && opened.setup == setup) {
            return Ok(opened.memory.clone());
        }
        match slot.take() {
            Some(damaged) if anew => damaged.memory.close().await,
            // A model came or went, or a setting changed. Who still searches the old one may end.
            Some(_) => self.remembering.fresh.store(false, Ordering::Release),
            None => {}
        }
        let path = self.home.index();
        let sources = self.sources(&settings);
        let memory = match anew {
            true => Memory::open_anew(&path, sources).await?,
            false => Memory::open(&path, sources).await?,
        };
        *slot = Some(Opened { memory: memory.clone(), setup });
        Ok(memory)
    }

    /// A memory file was written: the next search reads it first.
    pub(crate) fn memory_is_behind(&self) {
        self.remembering.fresh.store(false, Ordering::Release);
        *self.remembering.outdated.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Reads everything again after something was forgotten or brought back, so that the next search finds it,
    /// or finds it no more.
    pub(crate) async fn reread_memory(self: &Arc<Self>) {
        let again = async {
            let memory = self.memory().await?;
            memory.reread().await?;
            Ok::<_, WireError>(self.embed_missing(&memory).await?)
        };
        if let Err(error) = again.await {
            tracing::warn!(message = error.message, "memory is behind the files");
        }
    }

    fn sources(&self, settings: &Settings) -> Sources {
        let conversations = settings.memory_index_conversations.then(|| {
            let zone = clock::zone(&settings.time_zone);
            let past = PastConversations { store: self.store.clone(), zone };
            Arc::new(past) as Arc<dyn Conversations>
        });
        Sources {
            workspace: Arc::clone(&self.workspace),
            encoder: self.encoder_of(settings),
            conversations,
        }
    }

    /// The embedding model of the settings in force, if it is here.
    pub(crate) fn encoder(&self) -> Option<Arc<dyn Encoder>> {
        self.encoder_of(&self.settings.current())
    }

    fn encoder_of(&self, settings: &Settings) -> Option<Arc<dyn Encoder>> {
        let folder = model_folder(&self.home, settings)?;
        let mut slot = self.remembering.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, encoder)) = slot.as_ref().filter(|(known, _)| *known == folder) {
            return Some(Arc::clone(encoder));
        }
        let encoder: Arc<dyn Encoder> = Arc::new(Embedder::new(&folder));
        *slot = Some((folder, Arc::clone(&encoder)));
        Some(encoder)
    }

    async fn read_up(self: &Arc<Self>, memory: &Memory) -> Result<(), MemoryError> {
        memory.sync().await?;
        self.embed_missing(memory).await
    }

    /// Makes a few missing vectors at once, many in the background.
    async fn embed_missing(self: &Arc<Self>, memory: &Memory) -> Result<(), MemoryError> {
        match memory.status().await?.stale {
            0 => {}
            1..=AT_ONCE => {
                if let Err(error) = memory.embed(&mut |_| true).await {
                    tracing::warn!(%error, "memory is searched by words alone for now");
                }
            }
            _ => {
                let (memory, closing) = (memory.clone(), self.closing.clone());
                self.turns.spawn(async move {
                    let made = memory.embed(&mut |_| !closing.is_cancelled()).await;
                    if let Err(error) = made {
                        tracing::warn!(%error, "memory is searched by words alone for now");
                    }
                });
            }
        }
        Ok(())
    }

    /// Reads what changed into a memory that is in use.
    async fn take_changes(self: &Arc<Self>, changes: &Changes) -> Result<(), MemoryError> {
        *self.remembering.outdated.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let opened = self.remembering.memory.lock().await.as_ref().map(|one| one.memory.clone());
        let Some(memory) = opened else {
            self.remembering.fresh.store(false, Ordering::Release);
            return Ok(());
        };
        if changes.all {
            memory.sync().await?;
        } else {
            for path in &changes.files {
                memory.sync_file(path).await?;
            }
            if changes.talked {
                memory.sync_conversations().await?;
            }
        }
        self.embed_missing(&memory).await
    }

    /// Lets go of what memory does not need while nobody asks.
    pub(crate) fn rest_memory(&self, idle_minutes: u64) {
        if let Ok(slot) = self.remembering.memory.try_lock()
            && let Some(opened) = slot.as_ref()
        {
            opened.memory.release_idle(Duration::from_secs(idle_minutes * 60));
        }
    }

    /// Ends the connections to the index.
    pub(crate) async fn close_memory(&self) {
        if let Some(opened) = self.remembering.memory.lock().await.take() {
            opened.memory.close().await;
        }
    }
}

/// The embedding model that the settings name; none where they turn it off or it is not here.
pub(crate) fn encoder(home: &Home, settings: &Settings) -> Option<Arc<dyn Encoder>> {
    let folder = model_folder(home, settings)?;
    Some(Arc::new(Embedder::new(&folder)))
}

/// Where the embedding model is, if all of it is here.
fn model_folder(home: &Home, settings: &Settings) -> Option<PathBuf> {
    let name = settings.memory_embedding.as_str();
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != ".." && name != ".";
    let folder = (plain && name != "off").then(|| home.models().join(name))?;
    Embedder::new(&folder).is_there().then_some(folder)
}

/// What happened since the last look.
#[derive(Default)]
struct Changes {
    all: bool,
    talked: bool,
    files: BTreeSet<String>,
}

impl Changes {
    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Signal(Signal::File(changed)) => {
                self.files.insert(changed.path);
            }
            Heard::Signal(Signal::Sessions) => self.talked = true,
            Heard::Signal(_) => {}
            Heard::Missed(_) => self.all = true,
        }
    }

    fn is_any(&self) -> bool {
        self.all || self.talked || !self.files.is_empty()
    }
}

/// Reads files and conversations into memory as they change; ends with the engine.
pub(crate) fn keep_up(engine: &Arc<Inner>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut listener = engine.bus.listen();
    tokio::spawn(async move {
        let mut changes = Changes::default();
        let mut check = Instant::now() + FIRST_CHECK;
        let mut opened = false;
        let mut due = check;
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep_until(due) => {}
                heard = listener.next() => {
                    let Some(heard) = heard else { return };
                    let first = !changes.is_any();
                    changes.hear(heard);
                    if first && changes.is_any() {
                        due = due.min(Instant::now() + GATHER);
                    }
                    continue;
                }
            }
            let Some(engine) = weak.upgrade() else { return };
            let mut done = Ok(());
            if Instant::now() >= check {
                check = Instant::now() + CHECK_EVERY;
                changes.all = true;
                if !std::mem::replace(&mut opened, true) {
                    done = engine.memory().await.map(|_| ());
                }
            }
            let now = std::mem::take(&mut changes);
            if now.is_any() && done.is_ok() {
                done = engine.take_changes(&now).await.map_err(WireError::from);
            }
            if let Err(error) = done {
                tracing::warn!(%error, "memory is behind the files");
            }
            due = check;
        }
    });
}
