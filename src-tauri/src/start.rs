//! From process start to the event loop, and the end of the process.

use crate::{commands, links, notify, platform, shortcut, signals, text, tray, updates, windows};
use hearth_engine::{Access, Engine, Home, OpenOptions};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tauri::{AppHandle, Manager, RunEvent};

/// What was asked for on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Args {
    home: Option<PathBuf>,
    /// Show the quick prompt (Wayland has no global shortcut: bind this to a key instead).
    quick: bool,
    /// Start in the tray (login).
    hidden: bool,
    /// The page to open, from a link.
    page: Option<String>,
}

impl Args {
    fn parse(words: impl IntoIterator<Item = String>) -> Self {
        let mut args = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => args.quick = true,
                "--hidden" => args.hidden = true,
                "--home" => args.home = words.next().map(PathBuf::from),
                word => args.page = args.page.take().or_else(|| links::path_of(word)),
            }
        }
        args
    }
}

/// Whether the process starts again once it has ended in order.
#[derive(Default)]
struct Again(AtomicBool);

/// Ends in order and starts anew: a prepared restore and a new version take effect then.
pub(crate) fn restart(app: &AppHandle) {
    app.state::<Again>().0.store(true, Ordering::Relaxed);
    app.exit(0);
}

/// The words to start again with: the program and its home. That it was to stay hidden or to show a page was
/// said of the start before; whoever asks for a new one looks at the window.
fn words_again(words: Vec<OsString>) -> Vec<OsString> {
    let mut kept: Vec<OsString> = words.first().cloned().into_iter().collect();
    let mut words = words.into_iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--home" {
            kept.extend([Some(word), words.next()].into_iter().flatten());
        }
    }
    kept
}

/// Runs the app until it quits.
pub(crate) fn run() {
    hearth_engine::logging::mask_panics();
    // The first TLS provider installed is the process's; a second one would be refused, harmlessly.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args = Args::parse(std::env::args().skip(1));
    let home = match Home::find(args.home.as_deref()) {
        Ok(home) => home,
        Err(error) => fail(&error),
    };

    #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "only tests change it"))]
    let mut context = tauri::generate_context!();
    #[cfg(debug_assertions)]
    updates::configure_for_tests(context.config_mut());
    let builder = updates::with_updater(tauri::Builder::default(), context.config());
    let built = platform::with_shortcuts(builder)
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(instance_name(&home))
                .callback(|app, words, _| {
                    let args = Args::parse(words.into_iter().skip(1));
                    if args.quick {
                        windows::show_quick(app)
                    } else {
                        windows::open_main(app, args.page.as_deref())
                    }
                })
                .build(),
        )
        .plugin(tauri_plugin_notification::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(tauri_plugin_autostart::init(
            tauri_plugin_autostart::MacosLauncher::LaunchAgent,
            Some(vec!["--hidden"]),
        ))
        .plugin(tauri_plugin_window_state::Builder::new().with_denylist(&[windows::QUICK]).build())
        .invoke_handler(commands::handler())
        .setup(move |app| {
            setup(app.handle(), &args).map_err(|error| {
                tracing::error!(error = format!("{error:#}"), "start failed");
                error.into()
            })
        })
        .build(context);

    match built {
        Ok(app) => app.run(on_run_event),
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::error::Error) -> ! {
    platform::say_fatal(&format!("Hearth could not start: {error}"));
    std::process::exit(1);
}

/// One instance per home, not per machine: the name on the bus holds a hash of the home's path.
fn instance_name(home: &Home) -> String {
    let hash = blake3::hash(home.root().as_os_str().as_encoded_bytes()).to_hex();
    format!("org.hearth.desktop.home-{}", &hash[..16])
}

fn setup(app: &AppHandle, args: &Args) -> anyhow::Result<()> {
    let host = Arc::new(notify::DesktopHost::new(app.clone()));
    let options = OpenOptions { home: args.home.clone(), host, access: Access::Own };
    let engine = tauri::async_runtime::block_on(Engine::open(options))?;
    app.manage(engine.clone());
    app.manage(signals::Windows::default());
    app.manage(Again::default());
    app.manage(updates::Updates::default());
    signals::pump(app.clone(), &engine);

    let settings = engine.settings();
    let words = text::Words::pick(&settings.ui.language);
    app.manage(words);
    let tray_shown = tray::build(app, words);
    app.manage(windows::Closing { to_tray: tray_shown });
    shortcut::register(app, &settings.ui.shortcut);
    start_at_login(app, settings.ui.start_at_login);
    // It spawns on the runtime, which this thread is not in.
    tauri::async_runtime::block_on(async { hearth_engine::api::heartbeat::start(&engine) });
    notify::listen(app);
    end_on_terminate(app);

    windows::create_quick(app)?;
    if args.quick {
        windows::show_quick(app);
    } else if !(args.hidden && tray_shown) {
        windows::open_main(app, args.page.as_deref());
    }
    Ok(())
}

/// Ends in order when the system asks for it (log-out, shutdown, `kill`).
fn end_on_terminate(app: &AppHandle) {
    #[cfg(unix)]
    {
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            use tokio::signal::unix::{SignalKind, signal};
            match signal(SignalKind::terminate()) {
                Ok(mut asked) => {
                    asked.recv().await;
                    app.exit(0);
                }
                Err(error) => tracing::warn!(%error, "termination will not be in order"),
            }
        });
    }
    // Windows ends a program by closing its windows, which the event loop hears.
    #[cfg(not(unix))]
    let _ = app;
}

/// Makes the system's login item say what the setting says.
pub(crate) fn start_at_login(app: &AppHandle, wanted: bool) {
    use tauri_plugin_autostart::ManagerExt as _;
    let login = app.autolaunch();
    let result = match (wanted, login.is_enabled()) {
        (true, Ok(false)) => login.enable(),
        (false, Ok(true)) => login.disable(),
        _ => Ok(()),
    };
    if let Err(error) = result {
        tracing::warn!(%error, "start at login could not be changed");
    }
}

fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        // The last window closed: the app lives on in the tray. Quit passes a code.
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        RunEvent::Exit => {
            if let Some(engine) = app.try_state::<Engine>() {
                tauri::async_runtime::block_on(engine.close());
            }
            if app.try_state::<Again>().is_some_and(|again| again.0.load(Ordering::Relaxed)) {
                app.cleanup_before_exit();
                let mut env = app.env();
                env.args_os = words_again(env.args_os);
                tauri::process::restart(&env);
            }
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => windows::open_main(app, None),
        // The other systems start a second process with the link, which single-instance hands over.
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            let page = urls.iter().find_map(|url| links::path_of(url.as_str()));
            windows::open_main(app, page.as_deref());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, words_again};
    use std::ffi::OsString;

    #[test]
    fn arguments_are_read_and_strangers_ignored() {
        let words = ["--quick", "--home", "/tmp/h", "--nonsense", "--hidden", "hearth://memory"];
        let args = Args::parse(words.map(String::from));
        let page = Some("/memory".to_owned());
        assert_eq!(args, Args { home: Some("/tmp/h".into()), quick: true, hidden: true, page });
    }

    #[test]
    fn a_new_start_keeps_the_home_and_shows_the_window() {
        let words = ["hearth", "--hidden", "--quick", "--home", "/tmp/h", "hearth://memory"];
        let again = words_again(words.map(OsString::from).to_vec());
        assert_eq!(again, ["hearth", "--home", "/tmp/h"]);
    }
}
