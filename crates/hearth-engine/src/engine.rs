//! The engine: everything that lives as long as a process uses a home.

use crate::bus::{Bus, Listener};
use crate::home::{Home, HomeError, Ownership};
use crate::host::Host;
use crate::settings::{Settings, SettingsFile};
use hearth_protocol::{ErrorCode, WireError};
use std::path::PathBuf;
use std::sync::Arc;

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
    inner: Arc<Inner>,
}

struct Inner {
    home: Home,
    settings: SettingsFile,
    bus: Bus,
    host: Arc<dyn Host>,
    _ownership: Option<Ownership>,
}

impl Engine {
    /// Opens a home; makes what is missing where this process owns it.
    ///
    /// # Errors
    /// `home_busy` where another process owns it; `storage` where it cannot be read or made.
    pub async fn open(options: OpenOptions) -> Result<Self, WireError> {
        let home = Home::find(options.home.as_deref()).map_err(wire)?;
        let ownership = match options.access {
            Access::Own => {
                home.create().map_err(wire)?;
                Some(home.own().map_err(wire)?)
            }
            Access::Read => None,
        };
        let settings = SettingsFile::open(home.settings())
            .map_err(|error| WireError::new(ErrorCode::Storage, error.to_string(), ""))?;
        let inner = Inner {
            home,
            settings,
            bus: Bus::default(),
            host: options.host,
            _ownership: ownership,
        };
        Ok(Self { inner: Arc::new(inner) })
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

    /// The shell.
    #[must_use]
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.inner.host
    }

    /// Hears every signal from now on.
    #[must_use]
    pub fn listen(&self) -> Listener {
        self.inner.bus.listen()
    }

    /// Stops what runs and leaves everything stored.
    pub async fn close(&self) {}
}

fn wire(error: HomeError) -> WireError {
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
