//! How a command reaches its home: as the owner, through the door of the owner, or reading only.

use crate::terminal::{Failure, warn};
use hearth_engine::door::{Call, knock, perform};
use hearth_engine::settings::SettingsFile;
use hearth_engine::{Access, Engine, Home, Host, OpenOptions, Quiet, zone};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, SessionKey, WireError};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An owner that is starting or ending opens no door for a moment.
const PATIENCE: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(40);

/// A home that may be owned by this process or by another. Once owned, it stays so until [`Reach::close`].
#[derive(Clone)]
pub(crate) struct Reach {
    home: Option<PathBuf>,
    owned: Arc<Mutex<Option<Engine>>>,
}

impl Reach {
    pub(crate) fn new(home: Option<PathBuf>) -> Self {
        Self { home, owned: Arc::default() }
    }

    fn owned(&self) -> Option<Engine> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn open(&self, access: Access) -> Result<Engine, WireError> {
        if let Some(engine) = self.owned() {
            return Ok(engine);
        }
        let options = OpenOptions { home: self.home.clone(), host: Arc::new(Quiet), access };
        let engine = Engine::open(options).await?;
        complain(&engine);
        if access == Access::Own {
            *self.owned.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine.clone());
        }
        Ok(engine)
    }

    /// Opens for reading: as the owner where nobody is, so that a crash before is healed first.
    pub(crate) async fn read(&self) -> Result<Engine, Failure> {
        let error = match self.open(Access::Own).await {
            Ok(engine) => return Ok(engine),
            Err(error) => error,
        };
        match error.code {
            ErrorCode::HomeBusy => Ok(self.open(Access::Read).await?),
            // A disk that is full or read-only must not stand in the way of reading.
            ErrorCode::Storage => Ok(self.open(Access::Read).await.map_err(|_| error)?),
            _ => Err(error.into()),
        }
    }

    /// Owns the home with a host that stays, until [`Reach::close`].
    pub(crate) async fn own(&self, host: Arc<dyn Host>) -> Result<Engine, Failure> {
        let options = OpenOptions { home: self.home.clone(), host, access: Access::Own };
        let engine = Engine::open(options).await?;
        complain(&engine);
        *self.owned.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine.clone());
        Ok(engine)
    }

    /// The time zone of the home's clock; the system's where it says none.
    pub(crate) fn zone(&self) -> hearth_schedule::Tz {
        let home = Home::find(self.home.as_deref()).ok();
        let settings = home.and_then(|home| SettingsFile::open(home.settings()).ok());
        zone(&settings.map(|file| file.current().time_zone.clone()).unwrap_or_default())
    }

    /// Has a call done by whoever owns the home.
    pub(crate) async fn call(
        &self,
        call: Call,
        signals: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Value, Failure> {
        let begun = Instant::now();
        loop {
            let busy = match self.open(Access::Own).await {
                Ok(engine) => return Ok(perform(&engine, call, signals).await?),
                Err(error) if error.code == ErrorCode::HomeBusy => error,
                Err(error) => return Err(error.into()),
            };
            let home = Home::find(self.home.as_deref())
                .map_err(|error| Failure::said(error.to_string()))?;
            if let Some(door) = knock(&home).await
                && let Some(value) = door.call(&call, signals).await?
            {
                return Ok(value);
            }
            if begun.elapsed() > PATIENCE {
                return Err(busy.into());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Stops what runs in a session.
    pub(crate) async fn stop(&self, session: &SessionKey) {
        // What cannot be stopped has ended, or its process has.
        let _ = self.call(Call::Stop { session: session.clone() }, &mut |_| {}).await;
    }

    /// Gives the home back, after what others asked of this process is done.
    pub(crate) async fn close(&self) {
        if let Some(engine) = self.owned() {
            engine.close().await;
        }
    }
}

/// What is wrong with the audit log from this entry on.
pub(crate) fn broken_entries(at: i64, missing_to: Option<i64>) -> String {
    match missing_to {
        Some(last) if last == at => format!("entry {at} is missing"),
        Some(last) => format!("entries {at} to {last} are missing"),
        None => format!("entry {at} is not as it was written"),
    }
}

/// Says what of hearth.toml could not be used, and that the audit log was changed.
fn complain(engine: &Engine) {
    if let Some(found) = engine.audit_broken() {
        let what = broken_entries(found.broken_at.unwrap_or_default(), found.missing_to);
        warn(&format!(
            "the audit log was changed by another hand: {what}. A new chain begins; `hearth audit verify` \
             checks all of it."
        ));
    }
    for problem in &engine.settings().problems {
        let line =
            format!("hearth.toml line {}: {} {}", problem.line, problem.key, problem.message);
        warn(&line);
    }
}
