//! The global shortcut of the quick prompt.
//!
//! On Linux it exists under X11 only. A shortcut that another program holds is said, with the settings
//! as the place to choose another; the tray and `hearth-desktop --quick` work in any case.

use crate::{notify, text::Words, windows};
use std::sync::Mutex;
use tauri::{AppHandle, Manager};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

/// What is registered now; empty: nothing.
#[derive(Default)]
struct Registered(Mutex<String>);

/// Registers `shortcut` in place of the one before; an empty text turns it off.
pub(crate) fn register(app: &AppHandle, shortcut: &str) {
    if app.try_state::<Registered>().is_none() {
        app.manage(Registered::default());
    }
    let state = app.state::<Registered>();
    let mut current = state.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if *current == shortcut {
        return;
    }
    let shortcuts = app.global_shortcut();
    if let Err(error) = shortcuts.unregister_all() {
        tracing::warn!(%error, "the old shortcut could not be given back");
    }
    current.clear();
    if shortcut.is_empty() {
        return;
    }
    let registered = shortcuts.on_shortcut(shortcut, |app, _, event| {
        if event.state() == ShortcutState::Pressed {
            windows::toggle_quick(app);
        }
    });
    match registered {
        Ok(()) => shortcut.clone_into(&mut current),
        Err(error) => {
            tracing::warn!(%error, shortcut, "the shortcut could not be registered");
            let words = *app.state::<Words>();
            let body = words.shortcut_taken_body.replace("{}", shortcut);
            notify::show(app, words.shortcut_taken_title, &body, Some("/settings"));
        }
    }
}
