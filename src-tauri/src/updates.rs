//! New versions of the app: looked for when the person asks, held against the key that this build was made
//! with, put in the app's place at a word. Nothing is asked by itself; a build without an address asks nobody.
//!
//! The plugin fetches, verifies and replaces. Here is what it is given, what may be asked of it when, and how
//! its failures are told. Its own commands are open to no window.

use crate::start;
use hearth_engine::Engine;
use hearth_protocol::api::updates::{
    UpdateFault, UpdateKind, UpdateProblem, UpdateStep, UpdateView,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tauri::utils::config::{BundleType, Config};
use tauri::utils::platform::bundle_type;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_updater::{Error, Update, UpdaterExt as _};

/// A server that says nothing for so long is away.
const PATIENCE: Duration = Duration::from_secs(30);

/// The plugin's name in the configuration.
const PLUGIN: &str = "updater";

/// How it stands, for the process's life.
#[derive(Default)]
pub(crate) struct Updates(Mutex<Course>);

#[derive(Default)]
struct Course {
    step: UpdateStep,
    problem: Option<UpdateProblem>,
    /// What the server offers.
    offer: Option<Update>,
    /// Its file, once it is here and verified.
    file: Option<Arc<Vec<u8>>>,
}

/// The plugin, in builds that were given an address and a key.
pub(crate) fn with_updater(builder: tauri::Builder<Wry>, config: &Config) -> tauri::Builder<Wry> {
    if config.plugins.0.contains_key(PLUGIN) {
        builder.plugin(tauri_plugin_updater::Builder::new().build())
    } else {
        builder
    }
}

/// In a development build the test gives the address and the key of its own server, as `scripts/package.mjs`
/// writes them into a package. Other builds know only what they were made with.
#[cfg(debug_assertions)]
pub(crate) fn configure_for_tests(config: &mut Config) {
    let given = std::env::var("HEARTH_TEST_UPDATER").ok();
    if let Some(value) = given.and_then(|text| serde_json::from_str(&text).ok()) {
        config.plugins.0.insert(PLUGIN.into(), value);
    }
}

impl Updates {
    pub(crate) fn view(&self, app: &AppHandle) -> UpdateView {
        let course = self.course();
        let kind = kind(app);
        UpdateView {
            version: app.package_info().version.to_string(),
            kind,
            server: if kind == UpdateKind::Unpacked { None } else { server(app.config()) },
            step: course.step.clone(),
            problem: course.problem.clone(),
        }
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on from a step where `next` knows how; a second click does nothing.
    fn begin<T>(&self, next: impl FnOnce(&Course) -> Option<(UpdateStep, T)>) -> Option<T> {
        let mut course = self.course();
        let (step, given) = next(&course)?;
        course.step = step;
        course.problem = None;
        Some(given)
    }

    /// Back to a step from which it can be tried again.
    fn failed(&self, back: UpdateStep, error: &Error) {
        let detail = root_cause(error);
        tracing::warn!(error = %detail, "no update");
        let mut course = self.course();
        course.step = back;
        course.problem = Some(UpdateProblem { fault: fault(error), detail });
    }
}

/// Asks the server whether there is something newer.
pub(crate) async fn check(app: &AppHandle, updates: &Updates) {
    if updates.view(app).server.is_none() {
        return;
    }
    let begun = updates.begin(|course| match course.step {
        UpdateStep::Checking | UpdateStep::Downloading { .. } | UpdateStep::Installing { .. } => {
            None
        }
        _ => Some((UpdateStep::Checking, ())),
    });
    if begun.is_none() {
        return;
    }
    match ask(app).await {
        Ok(offer) => {
            let mut course = updates.course();
            course.step = offer.as_ref().map_or(UpdateStep::Current, available);
            course.offer = offer;
            course.file = None;
        }
        Err(error) => updates.failed(UpdateStep::Idle, &error),
    }
}

async fn ask(app: &AppHandle) -> Result<Option<Update>, Error> {
    let before_exit = app.clone();
    app.updater_builder()
        .configure_client(|client| client.connect_timeout(PATIENCE).read_timeout(PATIENCE))
        // Windows' installer ends the process on the spot.
        .on_before_exit(move || {
            tauri::async_runtime::block_on(before_exit.state::<Engine>().close());
            before_exit.cleanup_before_exit();
        })
        .build()?
        .check()
        .await
}

fn available(update: &Update) -> UpdateStep {
    UpdateStep::Available { version: update.version.clone(), notes: update.body.clone() }
}

/// Fetches what was offered and verifies it.
pub(crate) async fn download(updates: &Updates) {
    let begun = updates.begin(|course| match (&course.step, &course.offer) {
        (UpdateStep::Available { .. }, Some(offer)) => {
            Some((downloading(offer, 0, None), offer.clone()))
        }
        _ => None,
    });
    let Some(offer) = begun else { return };
    let mut done = 0;
    let told = |length: usize, total: Option<u64>| {
        done += length as u64;
        updates.course().step = downloading(&offer, done, total);
    };
    match offer.download(told, || {}).await {
        Ok(file) => {
            let mut course = updates.course();
            course.step = UpdateStep::Ready { version: offer.version.clone() };
            course.file = Some(Arc::new(file));
        }
        Err(error) => updates.failed(available(&offer), &error),
    }
}

fn downloading(update: &Update, done_bytes: u64, total_bytes: Option<u64>) -> UpdateStep {
    UpdateStep::Downloading { version: update.version.clone(), done_bytes, total_bytes }
}

/// Puts what was fetched in the place of the app and starts it again.
pub(crate) async fn install(app: &AppHandle, updates: &Updates) {
    let begun = updates.begin(|course| match (&course.step, &course.offer, &course.file) {
        (UpdateStep::Ready { version }, Some(offer), Some(file)) => Some((
            UpdateStep::Installing { version: version.clone() },
            (offer.clone(), Arc::clone(file)),
        )),
        _ => None,
    });
    let Some((offer, file)) = begun else { return };
    let version = offer.version.clone();
    // It may wait for a password.
    let done = tauri::async_runtime::spawn_blocking(move || offer.install(file.as_slice())).await;
    match done.map_err(Error::from).flatten() {
        Ok(()) => start::restart(app),
        Err(error) => updates.failed(UpdateStep::Ready { version }, &error),
    }
}

/// What the bundler wrote into the binary. An unpacked AppImage has no one file to replace.
fn kind(app: &AppHandle) -> UpdateKind {
    match bundle_type() {
        Some(BundleType::Deb) => UpdateKind::Deb,
        Some(BundleType::Rpm) => UpdateKind::Rpm,
        Some(BundleType::App) if is_in_bundle() => UpdateKind::App,
        Some(BundleType::Nsis) => UpdateKind::Nsis,
        Some(BundleType::Msi) => UpdateKind::Msi,
        Some(BundleType::AppImage) if is_appimage(app) => UpdateKind::Appimage,
        _ => UpdateKind::Unpacked,
    }
}

/// On macOS every binary is taken for an app bundle's.
fn is_in_bundle() -> bool {
    std::env::current_exe().is_ok_and(|path| {
        path.ancestors().any(|part| part.extension().is_some_and(|end| end == "app"))
    })
}

#[cfg(target_os = "linux")]
fn is_appimage(app: &AppHandle) -> bool {
    app.env().appimage.is_some()
}

#[cfg(not(target_os = "linux"))]
fn is_appimage(_: &AppHandle) -> bool {
    false
}

/// The host of the first address.
fn server(config: &Config) -> Option<String> {
    let address = config.plugins.0.get(PLUGIN)?.get("endpoints")?.get(0)?.as_str()?;
    Some(address.parse::<tauri::Url>().ok()?.host_str()?.to_owned())
}

fn fault(error: &Error) -> UpdateFault {
    match error {
        Error::Reqwest(error) if error.is_decode() => UpdateFault::Answer,
        Error::Reqwest(_) => UpdateFault::Away,
        Error::ReleaseNotFound
        | Error::Serialization(_)
        | Error::Network(_)
        | Error::InvalidUpdaterFormat => UpdateFault::Answer,
        Error::TargetNotFound(_) | Error::TargetsNotFound(_) => UpdateFault::Missing,
        Error::Minisign(_)
        | Error::Base64(_)
        | Error::SignatureUtf8(_)
        | Error::SignedVersionMismatch { .. }
        | Error::MissingSignedVersion => UpdateFault::Signature,
        Error::AuthenticationFailed | Error::DebInstallFailed | Error::PackageInstallFailed => {
            UpdateFault::Refused
        }
        Error::Io(_) | Error::TempDirNotFound | Error::TempDirNotOnSameMountPoint => {
            UpdateFault::Place
        }
        _ => UpdateFault::Other,
    }
}

/// The innermost reason: what stands around it names addresses and says nothing more.
fn root_cause(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
