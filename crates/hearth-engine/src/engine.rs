//! The engine: everything that lives as long as a process uses a home.

use crate::audit::Audit;
use crate::backup;
use crate::beat::{Heart, planner};
use crate::borrowed::Borrowed;
use crate::bus::{Bus, Listener};
use crate::catalogue::Catalogue;
use crate::consents::Consents;
use crate::door::{self, Doorkeeper};
use crate::driver::trial::Trials;
use crate::hands::Hands;
use crate::home::{Home, HomeError, Ownership};
use crate::host::{Host, Notice};
use crate::lanes::Lanes;
use crate::ledger::Ledger;
use crate::logging::masked;
use crate::models::{Pulls, Shelf};
use crate::notebook::{Desk, Notes};
use crate::remembering::Remembering;
use crate::settings::{Settings, SettingsFile};
use crate::skills::Skillset;
use crate::taints::Taints;
use crate::turns::Live;
use crate::vault::Vault;
use crate::{clock, guard, watching};
use hearth_agent::dedup::Seen;
use hearth_protocol::api::guard::AuditCheck;
use hearth_protocol::{ErrorCode, SessionKey, WireError};
use hearth_store::{EventLog, Store};
use hearth_tools::{Outputs, Registry, Surroundings};
use hearth_workspace::skills::unpack_bundled;
use hearth_workspace::{EntryFault, Language, Watch, WorkspaceError, WorkspaceRoot};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Names the workspace that got its templates.
pub(crate) const SEEDED: &str = "workspace.seeded";

const NO_SETTINGS: &str = "Mend it, or move it away: without one the defaults are in force.";

/// How a home is opened.
pub struct OpenOptions {
    /// The folder; none: `HEARTH_HOME`, else the platform's.
    pub home: Option<PathBuf>,
    /// The shell.
    pub host: Arc<dyn Host>,
    /// Whether this process writes.
    pub access: Access,
}

/// Whether a process writes to the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It owns the home; fails with `home_busy` while another does.
    Own,
    /// It only reads, beside an owner or alone.
    Read,
}

/// One open home. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

/// What an engine is made of.
pub(crate) struct Inner {
    pub(crate) home: Home,
    pub(crate) access: Access,
    pub(crate) settings: Arc<SettingsFile>,
    pub(crate) store: Store,
    pub(crate) log: EventLog,
    pub(crate) audit: Audit,
    pub(crate) taints: Taints,
    pub(crate) borrowed: Arc<Borrowed>,
    pub(crate) workspace: Arc<WorkspaceRoot>,
    pub(crate) tools: Registry,
    pub(crate) outputs: Outputs,
    pub(crate) hands: Hands,
    pub(crate) secrets: Arc<Vault>,
    pub(crate) catalogue: Catalogue,
    pub(crate) shelf: Shelf,
    pub(crate) pulls: Pulls,
    pub(crate) bus: Bus,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) lanes: Lanes,
    pub(crate) live: Live,
    pub(crate) consents: Consents,
    pub(crate) heart: Heart,
    pub(crate) turns: TaskTracker,
    pub(crate) closing: CancellationToken,
    seen: Mutex<Seen>,
    /// What was wrong with the audit log when it was opened.
    audit_broken: OnceLock<AuditCheck>,
    opened: Instant,
    pub(crate) remembering: Remembering,
    pub(crate) skillset: Skillset,
    pub(crate) notes: Notes,
    pub(crate) trials: Trials,
    /// Held while an import runs.
    pub(crate) importing: tokio::sync::Mutex<()>,
    doorkeeper: Mutex<Option<Arc<Doorkeeper>>>,
    watch: Mutex<Option<Watch>>,
    /// The first look at the workspace is over.
    pub(crate) looked: watch::Sender<bool>,
    ownership: Mutex<Option<Ownership>>,
}

impl Engine {
    /// Opens a home; makes what is missing and heals what a crash left where this process owns it.
    ///
    /// # Errors
    /// `home_busy` where another process owns it; `storage` where it cannot be read or made.
    pub async fn open(options: OpenOptions) -> Result<Self, WireError> {
        let home = Home::find(options.home.as_deref()).map_err(of_home)?;
        let ownership = match options.access {
            Access::Own => {
                home.create().map_err(of_home)?;
                let owned = home.own().map_err(of_home)?;
                settle(&home)?;
                Some(owned)
            }
            Access::Read => None,
        };
        let inner = Arc::new(Inner::open(home, options, ownership).await?);
        let desk: Arc<dyn hearth_tools::Notebook> = Arc::new(Desk(Arc::downgrade(&inner)));
        inner.tools.put("memory", hearth_tools::memory_tools(&desk, &inner.workspace));
        inner.tools.put("cron", vec![planner::tool(&inner)]);
        let engine = Self { inner };
        engine.inner.hands.follow(&engine.inner).await;
        if engine.inner.access == Access::Own {
            engine.inner.heal().await?;
            engine.open_door();
            watching::start(&engine.inner);
        }
        Ok(engine)
    }

    /// Its folders.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.inner.home
    }

    /// The settings as last read.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.inner.settings.current()
    }

    /// What was wrong with the audit log when this process, which writes it, opened it: a new chain was begun.
    #[must_use]
    pub fn audit_broken(&self) -> Option<&AuditCheck> {
        self.inner.audit_broken.get()
    }

    /// Hears every signal from now on.
    #[must_use]
    pub fn listen(&self) -> Listener {
        self.inner.bus.listen()
    }

    /// A time as the person's clock shows it.
    #[must_use]
    pub fn local_time(&self, at: i64) -> String {
        let zone = clock::zone(&self.settings().time_zone);
        clock::local(at, zone).format("%Y-%m-%d %H:%M").to_string()
    }

    /// Lets callers of other processes finish, stops the turns of this one, stores everything and gives the
    /// home back.
    pub async fn close(&self) {
        let inner = &self.inner;
        let doorkeeper = inner.doorkeeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(doorkeeper) = doorkeeper {
            doorkeeper.close().await;
        }
        inner.live.stop_all();
        inner.closing.cancel();
        inner.turns.close();
        inner.turns.wait().await;
        inner.close_memory().await;
        inner.hands.close().await;
        drop(inner.watch.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Err(error) = inner.log.flush().await {
            tracing::error!(%error, "the last events could not be stored");
        }
        inner.store.close().await;
        drop(inner.ownership.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn open_door(&self) {
        let Some((doorkeeper, listener)) = door::open(&self.inner.home) else { return };
        doorkeeper.serve(listener, self);
        *self.inner.doorkeeper.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Arc::new(doorkeeper));
    }
}

impl Inner {
    async fn open(
        home: Home,
        options: OpenOptions,
        ownership: Option<Ownership>,
    ) -> Result<Self, WireError> {
        let settings = SettingsFile::open(home.settings())
            .map_err(|error| WireError::new(ErrorCode::Storage, error.to_string(), NO_SETTINGS))?;
        let store = match options.access {
            Access::Own => Store::open(&home.database()).await?,
            Access::Read => Store::open_reader(&home.database()).await?,
        };
        let folder = home.workspace(&settings.current().workspace_path);
        let borrowed = Arc::new(Borrowed::load(store.clone()).await);
        let journal = Arc::new(Ledger::new(store.clone(), Arc::clone(&borrowed)));
        let opened =
            tokio::task::spawn_blocking(move || WorkspaceRoot::open(&folder, journal)).await;
        let workspace = Arc::new(joined(opened)?.map_err(|error| of_workspace(&error))?);
        let secrets = Arc::new(Vault::open(home.root(), Audit::new(store.clone())));
        let outputs = Outputs::new(home.root().join("outputs"));
        let settings = Arc::new(settings);
        let reach = guard::reach(Arc::clone(&settings));
        let around = Surroundings::new(Arc::clone(&workspace), outputs, reach);
        let shelf = Shelf::new(home.models());
        let bus = Bus::default();
        Ok(Self {
            catalogue: Catalogue::new(Arc::clone(&secrets), shelf.clone()),
            pulls: Pulls::new(shelf.clone(), bus.clone()),
            log: EventLog::start(store.clone()),
            audit: Audit::new(store.clone()),
            taints: Taints::new(store.clone()),
            borrowed,
            tools: Registry::new(&around),
            outputs: around.outputs.clone(),
            hands: Hands::default(),
            access: options.access,
            host: options.host,
            lanes: Lanes::default(),
            live: Live::default(),
            consents: Consents::default(),
            heart: Heart::default(),
            turns: TaskTracker::new(),
            closing: CancellationToken::new(),
            seen: Mutex::default(),
            audit_broken: OnceLock::new(),
            opened: Instant::now(),
            remembering: Remembering::default(),
            skillset: Skillset::default(),
            notes: Notes::default(),
            trials: Trials::default(),
            importing: tokio::sync::Mutex::default(),
            doorkeeper: Mutex::default(),
            watch: Mutex::default(),
            looked: watch::Sender::new(false),
            ownership: Mutex::new(ownership),
            home,
            settings,
            store,
            workspace,
            secrets,
            shelf,
            bus,
        })
    }

    /// Sessions are well-formed again, and a new workspace has its templates.
    async fn heal(&self) -> Result<(), WireError> {
        let recovered = self.store.recover(clock::now()).await?;
        if !recovered.is_empty() {
            tracing::info!(turns = recovered.len(), "healed turns that a crash left open");
        }
        let checked = self.audit.look(true).await?;
        if !checked.current_ok {
            let words = self.words();
            let body = words.audit_entry(checked.broken_at.unwrap_or(0), checked.missing_to);
            self.notify(Notice::new(words.audit_changed(), body, SessionKey::main()));
            let _ = self.audit_broken.set(checked);
        }
        self.heal_slots().await?;
        let outputs = self.outputs.clone();
        tokio::task::spawn_blocking(move || outputs.sweep(std::time::SystemTime::now()));
        self.retain_sessions().await?;
        self.lay_out_skills().await?;
        self.seed().await
    }

    /// Without the bundled skills everything else still works.
    async fn lay_out_skills(&self) -> Result<(), WireError> {
        let home = self.home.root().to_owned();
        let laid = tokio::task::spawn_blocking(move || unpack_bundled(&home)).await;
        if let Err(error) = joined(laid)? {
            tracing::warn!(%error, "the bundled skills are not there");
        }
        Ok(())
    }

    /// Removes conversations that the person's rule does not keep. Pinned ones and the main one stay.
    async fn retain_sessions(&self) -> Result<(), WireError> {
        let days = self.settings.current().keep_days;
        if days == 0 {
            return Ok(());
        }
        let seconds = i64::try_from(days.saturating_mul(24 * 60 * 60)).unwrap_or(i64::MAX);
        let oldest = clock::now().saturating_sub(seconds);
        for row in self.store.sessions().await? {
            let kept = row.pinned || row.running || row.key == SessionKey::main();
            if !kept && row.updated_at < oldest {
                self.store.delete_session(&row.key).await?;
                tracing::info!(session = %row.key, days, "removed by sessions.keep_days");
            }
        }
        Ok(())
    }

    /// Once a workspace: a template that the person removed is theirs to miss.
    async fn seed(&self) -> Result<(), WireError> {
        let folder = self.workspace.folder().display().to_string();
        if self.store.meta(SEEDED).await?.as_deref() == Some(&folder) {
            return Ok(());
        }
        let workspace = Arc::clone(&self.workspace);
        let seeded =
            tokio::task::spawn_blocking(move || workspace.seed(Language::of_system())).await;
        // A workspace that cannot be written can still be read.
        match joined(seeded)? {
            Ok(_) => self.store.set_meta(SEEDED, Some(&folder)).await?,
            Err(error) => tracing::warn!(%error, "templates could not be written"),
        }
        Ok(())
    }

    /// Keeps the workspace watched as long as the engine is open.
    pub(crate) fn keep_watch(&self, watch: Watch) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch);
    }

    /// Waits until what was edited while nothing ran is noticed. Beside an owner that is its business.
    pub(crate) async fn first_look(&self) {
        if self.access == Access::Own {
            // The sender lives in `self`, so waiting cannot fail.
            let _ = self.looked.subscribe().wait_for(|looked| *looked).await;
        }
    }

    /// Whether a message comes for the first time.
    pub(crate) fn is_new(&self, key: &str) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_new(key, self.opened.elapsed().as_secs())
    }

    /// Only the owner of a home writes.
    pub(crate) fn must_own(&self) -> Result<(), WireError> {
        match self.access {
            Access::Own => Ok(()),
            Access::Read => Err(of_home(HomeError::Busy(self.home.root().display().to_string()))),
        }
    }

    /// Runs something on the workspace where it may wait for the disk.
    pub(crate) async fn on_workspace<T: Send + 'static>(
        &self,
        work: impl FnOnce(&WorkspaceRoot) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WireError> {
        let workspace = Arc::clone(&self.workspace);
        let done = tokio::task::spawn_blocking(move || work(&workspace)).await;
        joined(done)?.map_err(|error| of_workspace(&error))
    }
}

/// What a thread returned. It can only have failed by a panic, which is a bug of ours.
pub(crate) fn joined<T>(result: Result<T, tokio::task::JoinError>) -> Result<T, WireError> {
    result.map_err(|error| WireError::new(ErrorCode::Internal, masked(&error), ""))
}

/// Completes a restore that waits in a home and removes what broken-off work left. Only for its owner. Says
/// where what was there before the restore lies now.
pub(crate) fn settle(home: &Home) -> Result<Option<PathBuf>, WireError> {
    let finished = backup::finish(home.root()).map_err(|error| {
        let message =
            format!("a restore of {} cannot be completed: {error}", home.root().display());
        let hint = "Check that the folder may be written and the disk has space, then start again.";
        WireError::new(ErrorCode::Storage, message, hint)
    })?;
    if let Some(aside) = &finished {
        tracing::info!(aside = %aside.display(), "a restore is completed");
    }
    backup::sweep(home.root());
    Ok(finished)
}

pub(crate) fn of_home(error: HomeError) -> WireError {
    let (code, hint) = match &error {
        HomeError::Busy(_) => {
            (ErrorCode::HomeBusy, "Close the other one, or use another home with --home.")
        }
        HomeError::NoPlace => (ErrorCode::Storage, "Name a folder with HEARTH_HOME or --home."),
        HomeError::Io { .. } => {
            (ErrorCode::Storage, "Check that the folder exists and may be written.")
        }
    };
    WireError::new(code, error.to_string(), hint)
}

/// The messages of the workspace say what to do themselves.
pub(crate) fn of_workspace(error: &WorkspaceError) -> WireError {
    let code = match error {
        WorkspaceError::Missing { .. }
        | WorkspaceError::Entry { fault: EntryFault::Unknown(_), .. } => ErrorCode::NotFound,
        WorkspaceError::Entry { .. } => ErrorCode::InvalidRequest,
        WorkspaceError::BadPath { .. } | WorkspaceError::LeavesWorkspace { .. } => {
            ErrorCode::InvalidRequest
        }
        _ => ErrorCode::Storage,
    };
    WireError::new(code, error.to_string(), "")
}
