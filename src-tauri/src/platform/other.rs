//! Windows and macOS.

use super::{Answer, Unshown};
use tauri::{AppHandle, WebviewWindow, Wry};
use tauri_plugin_notification::NotificationBuilder;

/// Whether a tray icon would be seen.
pub(crate) fn tray_available() -> bool {
    true
}

/// Whether a notification would be seen.
pub(crate) fn notifications_available() -> bool {
    true
}

/// Lets a window draw in the quicker way that this machine has: these systems choose it themselves.
pub(crate) fn draw_quickly(_window: &WebviewWindow) {}

/// Shows a notification. These systems do not say what became of it.
pub(crate) fn show(_app: &AppHandle, notification: NotificationBuilder<Wry>) -> Answer {
    let sent = notification.show().map_err(|error| Unshown::Failed(error.to_string()));
    Box::pin(std::future::ready(sent))
}

/// Whether the panel that holds the tray icon is dark. (macOS tints the icon itself and is not asked.)
#[cfg(not(target_os = "macos"))]
pub(crate) fn dark_panel() -> bool {
    true
}

/// Says why the app cannot start, where no window can.
pub(crate) fn say_fatal(message: &str) {
    use std::io::Write as _;
    // Without a console nobody reads it, and nothing else is left to try.
    let _ = writeln!(std::io::stderr(), "{message}");
}
