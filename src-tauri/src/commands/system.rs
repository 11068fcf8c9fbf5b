//! Health, usage, the window's own channel and the windows themselves.

use super::Answer;
use crate::{shortcut, signals, windows};
use hearth_engine::{Engine, api};
use hearth_protocol::SessionKey;
use hearth_protocol::api::system::{DoctorRow, UsageRow};
use tauri::State;
use tauri::{AppHandle, Manager as _, WebviewWindow, ipc::Channel};

#[tauri::command]
pub(crate) async fn doctor_run(engine: State<'_, Engine>) -> Answer<Vec<DoctorRow>> {
    api::doctor::run(&engine).await
}

#[tauri::command]
pub(crate) async fn logs_tail(engine: State<'_, Engine>, count: u32) -> Answer<Vec<String>> {
    api::logs::tail(&engine, count).await
}

#[tauri::command]
pub(crate) async fn usage_rows(engine: State<'_, Engine>, days: u32) -> Answer<Vec<UsageRow>> {
    api::usage::rows(&engine, days).await
}

#[tauri::command]
pub(crate) fn signals_subscribe(window: WebviewWindow, channel: Channel<signals::Numbered>) {
    window.state::<signals::Windows>().subscribe(window.label(), channel);
}

/// The window says which conversation it shows, so that no notification is made of what is in view; and so
/// that the built-in model can read its beginning while the person still types.
#[tauri::command]
pub(crate) fn window_showing(
    engine: State<'_, Engine>,
    window: WebviewWindow,
    session: Option<SessionKey>,
) {
    // The quick prompt is loaded long before it is used.
    if let Some(session) = session.clone().filter(|_| window.label() == windows::MAIN) {
        let engine = engine.inner().clone();
        tauri::async_runtime::spawn(async move {
            if let Err(error) = api::context::read_ahead(&engine, session).await {
                tracing::debug!(%error, "nothing was read ahead");
            }
        });
    }
    window.state::<windows::Showing>().set(window.label(), session);
}

/// Goes on in the main window with the quick prompt's conversation.
#[tauri::command]
pub(crate) fn window_continue(app: AppHandle, path: String) {
    hide_quick(&app);
    windows::open_main(&app, Some(&path));
}

#[tauri::command]
pub(crate) fn window_hide_quick(app: AppHandle) {
    hide_quick(&app);
}

/// Whether another program holds the shortcut that the settings name.
#[tauri::command]
pub(crate) fn window_shortcut(app: AppHandle) -> shortcut::Taken {
    shortcut::taken(&app)
}

#[tauri::command]
pub(crate) fn window_quit(app: AppHandle) {
    app.exit(0);
}

fn hide_quick(app: &AppHandle) {
    if let Some(quick) = app.get_webview_window(windows::QUICK) {
        let _ = quick.hide();
    }
}
