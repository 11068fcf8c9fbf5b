//! The global shortcut of the quick prompt.
//!
//! On Linux it exists under X11 only. A shortcut that another program holds is said once, and stands in the
//! settings with a free one beside it; the tray and `hearth-desktop --quick` work in any case.

use crate::{notify, text::Words, windows};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use tauri::{AppHandle, Manager};
use tauri_plugin_global_shortcut::{GlobalShortcut, GlobalShortcutExt as _, ShortcutState};

/// Offered in this order where the wanted one is taken.
const OFFERS: [&str; 4] =
    ["CmdOrCtrl+Shift+Space", "CmdOrCtrl+Alt+Space", "CmdOrCtrl+Shift+J", "CmdOrCtrl+Alt+J"];

#[derive(Default)]
struct Registered(Mutex<Keys>);

#[derive(Default)]
struct Keys {
    /// What is registered now; empty: nothing.
    current: String,
    taken: Taken,
}

/// What the settings page says beside the field.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Taken {
    /// The wanted shortcut, where another program holds it.
    taken: Option<String>,
    /// One that is free.
    offered: Option<String>,
}

/// Whether the wanted shortcut is taken.
pub(crate) fn taken(app: &AppHandle) -> Taken {
    app.try_state::<Registered>().map_or_else(Taken::default, |keys| lock(&keys).taken.clone())
}

/// Registers `shortcut` in place of the one before; an empty text turns it off.
pub(crate) fn register(app: &AppHandle, shortcut: &str) {
    if app.try_state::<Registered>().is_none() {
        app.manage(Registered::default());
    }
    let state = app.state::<Registered>();
    let mut keys = lock(&state);
    if keys.current == shortcut {
        return;
    }
    let shortcuts = app.global_shortcut();
    if let Err(error) = shortcuts.unregister_all() {
        tracing::warn!(%error, "the old shortcut could not be given back");
    }
    keys.current.clear();
    let known = std::mem::take(&mut keys.taken).taken;
    if shortcut.is_empty() {
        return;
    }
    let registered = shortcuts.on_shortcut(shortcut, |app, _, event| {
        if event.state() == ShortcutState::Pressed {
            windows::toggle_quick(app);
        }
    });
    match registered {
        Ok(()) => shortcut.clone_into(&mut keys.current),
        Err(error) => {
            tracing::warn!(%error, shortcut, "the shortcut could not be registered");
            let offered = offer(shortcuts, shortcut);
            keys.taken = Taken { taken: Some(shortcut.to_owned()), offered };
            // It is tried again with every change of the settings, and said once.
            if known.as_deref() != Some(shortcut) {
                let words = *app.state::<Words>();
                let body = words.shortcut_taken_body.replace("{}", shortcut);
                notify::show_own(app, words.shortcut_taken_title, &body, Some("/settings/general"));
            }
        }
    }
}

/// The first free one of the offers.
fn offer(shortcuts: &GlobalShortcut<tauri::Wry>, wanted: &str) -> Option<String> {
    let free = |keys: &&str| {
        *keys != wanted
            && shortcuts.register(*keys).and_then(|()| shortcuts.unregister(*keys)).is_ok()
    };
    OFFERS.iter().copied().find(free).map(str::to_owned)
}

fn lock(keys: &Registered) -> std::sync::MutexGuard<'_, Keys> {
    keys.0.lock().unwrap_or_else(PoisonError::into_inner)
}
