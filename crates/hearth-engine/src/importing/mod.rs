//! Imports: what other assistants leave behind comes into conversations, workspace and skills.
//!
//! Invariants: nothing that is here is overwritten; the same source twice adds nothing; a dry run decides the
//! same and writes nothing; one bad item does not keep the others out.

mod conversations;
mod files;
mod skills;

use crate::engine::{Access, joined};
use crate::{Engine, clock};
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::{
    ImportAsk, ImportCounts, ImportItem, ImportKind, ImportProgress, ImportReason, ImportReport,
    ImportSource, ImportState,
};
use hearth_protocol::{ErrorCode, WireError};
use hearth_transfer::{Openclaw, TransferError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A window is told so often how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Imports, or says what it would do.
pub(crate) async fn run(engine: &Engine, ask: ImportAsk) -> Result<ImportReport, WireError> {
    if !ask.dry_run {
        engine.inner.must_own()?;
    }
    let one = engine.inner.importing.try_lock().map_err(|_| {
        let message = "an import is running already";
        WireError::new(ErrorCode::InvalidRequest, message, "Wait until it is done.")
    })?;
    let path = PathBuf::from(&ask.path);
    let mut run = Run::new(engine, ask);
    match run.report.source {
        ImportSource::Openclaw => openclaw(&mut run, path).await?,
        ImportSource::Chatgpt | ImportSource::Claude => {
            conversations::export(&mut run, path).await?
        }
    }
    drop(one);
    Ok(run.end())
}

/// A workspace first, then its skills, then what was said.
async fn openclaw(run: &mut Run<'_>, path: PathBuf) -> Result<(), WireError> {
    let scratch = scratch(run.engine);
    let opened = tokio::task::spawn_blocking(move || Openclaw::open(&path, &scratch)).await;
    let found = joined(opened)?.map_err(|error| wire(&error))?;
    for (name, why) in &found.refused {
        run.item(ImportKind::Export, name, ImportReason::Refused, why, "");
    }
    if let Some(workspace) = &found.workspace {
        files::workspace(run, workspace.clone()).await?;
    }
    for (folder, to_workspace) in &found.skills {
        skills::skill(run, folder, *to_workspace).await?;
    }
    conversations::transcripts(run, &found.transcripts).await
}

/// An import under way.
struct Run<'a> {
    engine: &'a Engine,
    dry_run: bool,
    report: ImportReport,
    progress: ImportProgress,
    told: Instant,
    now: i64,
}

impl<'a> Run<'a> {
    fn new(engine: &'a Engine, ask: ImportAsk) -> Self {
        let ImportAsk { source, dry_run, .. } = ask;
        let counts = ImportCounts::default();
        let progress = ImportProgress { done_bytes: 0, total_bytes: 0, items: 0 };
        Self {
            engine,
            dry_run,
            report: ImportReport { source, dry_run, counts, items: Vec::new() },
            progress,
            told: Instant::now(),
            now: clock::now(),
        }
    }

    /// Notes what became of an item.
    fn item(
        &mut self,
        kind: ImportKind,
        name: &str,
        reason: ImportReason,
        detail: &str,
        target: &str,
    ) {
        let state = state_of(reason);
        let counts = &mut self.report.counts;
        let count = match state {
            ImportState::Added => &mut counts.added,
            ImportState::AlreadyThere => &mut counts.already_there,
            ImportState::Skipped => &mut counts.skipped,
            ImportState::Failed => &mut counts.failed,
        };
        *count += 1;
        let owned = str::to_owned;
        self.report.items.push(ImportItem {
            kind,
            name: owned(name),
            state,
            reason,
            detail: owned(detail),
            target: owned(target),
        });
        self.tell();
    }

    fn tell(&mut self) {
        self.progress.items = self.report.items.len() as u64;
        if self.told.elapsed() >= TELL_EVERY {
            self.told = Instant::now();
            self.engine.inner.bus.send(Signal::Import(self.progress.clone()));
        }
    }

    fn is_closing(&self) -> bool {
        self.engine.inner.closing.is_cancelled()
    }

    fn end(self) -> ImportReport {
        let inner = &self.engine.inner;
        if !self.dry_run && self.report.counts.added > 0 {
            inner.memory_is_behind();
            inner.bus.send(Signal::Sessions);
        }
        let ImportCounts { added, already_there, skipped, failed, .. } = self.report.counts;
        tracing::info!(added, already_there, skipped, failed, dry_run = self.dry_run, "import");
        self.report
    }
}

fn state_of(reason: ImportReason) -> ImportState {
    match reason {
        ImportReason::New
        | ImportReason::LeftOut
        | ImportReason::Merged
        | ImportReason::Beside
        | ImportReason::OverTemplate => ImportState::Added,
        ImportReason::Same | ImportReason::Grew => ImportState::AlreadyThere,
        ImportReason::Empty
        | ImportReason::ByItself
        | ImportReason::TooOld
        | ImportReason::NotTaken
        | ImportReason::Refused => ImportState::Skipped,
        ImportReason::Unreadable | ImportReason::CutShort | ImportReason::NotStored => {
            ImportState::Failed
        }
    }
}

/// A folder for what an archive holds; beside an owner, where only reading is allowed, the system's.
fn scratch(engine: &Engine) -> PathBuf {
    let name = format!("{SCRATCH}{}", uuid::Uuid::now_v7().simple());
    match engine.inner.access {
        Access::Own => engine.home().root().join(name),
        Access::Read => std::env::temp_dir().join(format!("hearth{name}")),
    }
}

/// Begins the names of folders that an import unpacks to.
pub(crate) const SCRATCH: &str = ".import-";

fn wire(error: &TransferError) -> WireError {
    // What and why and what to do stand in one sentence each.
    let message = error.to_string();
    let (what, hint) = message.split_once(". ").unwrap_or((message.as_str(), ""));
    WireError::new(ErrorCode::InvalidRequest, what, hint)
}

fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
