//! The two windows. The main one is destroyed when closed to the tray and built again on demand (that
//! halves the memory of an idle app); the quick prompt is loaded once and only hidden.

use crate::platform;
use crate::text::Words;
use hearth_engine::Engine;
use hearth_protocol::SessionKey;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tauri::{
    AppHandle, LogicalSize, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent,
};

/// Label of the main window.
pub(crate) const MAIN: &str = "main";
/// Label of the quick prompt.
pub(crate) const QUICK: &str = "quick";

/// What closing the main window does on this desktop.
pub(crate) struct Closing {
    /// There is a tray that brings it back. Without one the window only minimises.
    pub(crate) to_tray: bool,
}

/// Which conversation each window shows, as the windows say.
#[derive(Default)]
pub(crate) struct Showing(Mutex<HashMap<String, SessionKey>>);

impl Showing {
    /// Notes what a window shows now; none: another page.
    pub(crate) fn set(&self, label: &str, session: Option<SessionKey>) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match session {
            Some(session) => shown.insert(label.to_owned(), session),
            None => shown.remove(label),
        };
    }

    /// Whether a window that has the focus shows this conversation.
    pub(crate) fn in_focus(&self, app: &AppHandle, session: &SessionKey) -> bool {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().filter(|(_, shown)| *shown == session).any(|(label, _)| {
            app.get_webview_window(label).is_some_and(|window| window.is_focused().unwrap_or(false))
        })
    }
}

/// Shows the main window, at a page of it if one is given (`/chat/assistant:main`).
pub(crate) fn open_main(app: &AppHandle, path: Option<&str>) {
    if let Some(window) = app.get_webview_window(MAIN) {
        present(&window);
        if let Some(path) = path {
            crate::signals::navigate(app, path);
        }
        return;
    }
    if let Err(error) = create_main(app, path) {
        tracing::error!(%error, "the main window could not be opened");
    }
}

fn create_main(app: &AppHandle, path: Option<&str>) -> tauri::Result<()> {
    let url = format!("index.html#{}", path.unwrap_or("/"));
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(url.into()))
        .data_directory(page_data(app))
        .title("Hearth")
        .inner_size(1120.0, 760.0)
        .min_inner_size(640.0, 480.0)
        .focused(true)
        .build()?;
    platform::draw_quickly(&window);
    let handle = app.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::CloseRequested { api, .. } => on_close(&handle, api),
        WindowEvent::Destroyed => {
            crate::signals::closed(&handle, MAIN);
            handle.state::<Showing>().set(MAIN, None);
        }
        _ => {}
    });
    Ok(())
}

/// Where the pages keep what they remember by themselves (drafts, the conversation last open): with the home, so that
/// two homes share nothing. macOS keeps it by application instead, and takes no notice of the folder.
fn page_data(app: &AppHandle) -> PathBuf {
    app.state::<Engine>().home().root().join("window")
}

fn on_close(app: &AppHandle, api: &tauri::CloseRequestApi) {
    if app.state::<Closing>().to_tray {
        crate::notify::say_tray_once(app, *app.state::<Words>());
        return;
    }
    api.prevent_close();
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.minimize();
    }
}

/// Loads the quick prompt, hidden.
///
/// # Errors
/// When the system refuses the window.
pub(crate) fn create_quick(app: &AppHandle) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, QUICK, WebviewUrl::App("quick.html".into()))
        .data_directory(page_data(app))
        .title("Hearth")
        .inner_size(640.0, 420.0)
        .decorations(false)
        .always_on_top(true)
        .skip_taskbar(true)
        .resizable(false)
        .visible(false)
        .center()
        .build()?;
    platform::draw_quickly(&window);
    let quick = window.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { api, .. } = event {
            api.prevent_close();
            let _ = quick.hide();
        }
    });
    Ok(())
}

/// Shows the quick prompt over everything, focus in its field.
pub(crate) fn show_quick(app: &AppHandle) {
    let Some(window) = app.get_webview_window(QUICK) else { return };
    let _ = window.set_size(LogicalSize::new(640.0, 420.0));
    let _ = window.center();
    present(&window);
}

/// Shows the quick prompt, or hides it where it is in sight (it stays above every other window).
pub(crate) fn toggle_quick(app: &AppHandle) {
    let Some(window) = app.get_webview_window(QUICK) else { return };
    if window.is_visible().unwrap_or(false) {
        let _ = window.hide();
    } else {
        show_quick(app);
    }
}

fn present(window: &WebviewWindow) {
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}
