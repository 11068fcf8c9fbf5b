//! The memory of an open home: opened at its first use, then kept up with the files.
//!
//! Invariant: only the owner of a home changes the index; other processes search what is there.

use crate::engine::{Access, Inner};
use crate::settings::Settings;
use crate::{Heard, home::Home};
use hearth_embed::Embedder;
use hearth_memory::Memory;
use hearth_protocol::WireError;
use hearth_protocol::api::system::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::OnceCell;

/// So many missing vectors are made before a search answers; more are made beside it.
const AT_ONCE: u64 = 64;
/// Changes that nobody told of are looked for so often.
const CHECK_EVERY: Duration = Duration::from_secs(600);

/// Memory, once it was used.
#[derive(Default)]
pub(crate) struct Remembering {
    memory: OnceCell<Memory>,
    /// Read up to the files, as far as is known.
    fresh: AtomicBool,
}

impl Inner {
    /// Memory, read up to the files where this process may.
    pub(crate) async fn memory(self: &Arc<Self>) -> Result<&Memory, WireError> {
        let opening = || async {
            let path = self.home.index();
            let embedder = embedder(&self.home, &self.settings.current()).map(Arc::new);
            Memory::open(&path, Arc::clone(&self.workspace), embedder).await
        };
        let memory = self.remembering.memory.get_or_try_init(opening).await?;
        if self.access == Access::Own && !self.remembering.fresh.swap(true, Ordering::AcqRel) {
            if let Err(error) = self.read_up(memory).await {
                self.remembering.fresh.store(false, Ordering::Release);
                return Err(error);
            }
        }
        Ok(memory)
    }

    /// Reads what was just written, so that the next search finds it, or finds it no more.
    pub(crate) async fn reread_memory(self: &Arc<Self>) {
        self.remembering.fresh.store(false, Ordering::Release);
        if self.remembering.memory.initialized()
            && let Err(error) = self.memory().await
        {
            tracing::warn!(message = error.message, "memory is behind the files");
        }
    }

    async fn read_up(self: &Arc<Self>, memory: &Memory) -> Result<(), WireError> {
        memory.sync().await?;
        match memory.status().await?.stale {
            0 => {}
            1..=AT_ONCE => {
                memory.embed(&mut |_| true).await?;
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

    /// Lets go of what memory does not need while nobody asks, or all of it at the end.
    pub(crate) fn rest_memory(&self, idle_minutes: u64) {
        if let Some(memory) = self.remembering.memory.get() {
            memory.release_idle(Duration::from_secs(idle_minutes * 60));
        }
    }

    /// Ends the connections to the index.
    pub(crate) async fn close_memory(&self) {
        if let Some(memory) = self.remembering.memory.get() {
            memory.close().await;
        }
    }
}

/// The embedding model that the settings name; none where they turn it off.
pub(crate) fn embedder(home: &Home, settings: &Settings) -> Option<Embedder> {
    let name = settings.memory_embedding.as_str();
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != ".." && name != ".";
    (plain && name != "off").then(|| Embedder::new(&home.models().join(name)))
}

/// Reads changed files into memory as they change, once it is in use; ends with the engine.
pub(crate) fn keep_up(engine: &Arc<Inner>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut listener = engine.bus.listen();
    tokio::spawn(async move {
        let mut check = tokio::time::interval(CHECK_EVERY);
        loop {
            let changed = tokio::select! {
                () = closing.cancelled() => return,
                _ = check.tick() => true,
                heard = listener.next() => match heard {
                    None => return,
                    Some(Heard::Signal(signal)) => matches!(signal, Signal::File(_)),
                    Some(Heard::Missed(_)) => true,
                },
            };
            let Some(engine) = weak.upgrade() else { return };
            if !changed {
                continue;
            }
            engine.remembering.fresh.store(false, Ordering::Release);
            if engine.remembering.memory.initialized()
                && let Err(error) = engine.memory().await
            {
                tracing::warn!(%error, "memory is behind the files");
            }
        }
    });
}
