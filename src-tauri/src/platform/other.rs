//! Windows and macOS.

/// Whether a tray icon would be seen.
pub(crate) fn tray_available() -> bool {
    true
}

/// Whether a notification would be seen.
pub(crate) fn notifications_available() -> bool {
    true
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
