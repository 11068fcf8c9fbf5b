//! The global shortcut of the quick prompt.
//!
//! On Linux it exists under X11 only. A shortcut that another program holds is said once, and stands in the
//! settings with a free one beside it; the tray and `hearth-desktop --quick` work in any case.

use crate::platform::Shortcuts;
use crate::{notify, text::Words, windows};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use tauri::{AppHandle, Manager};

/// Offered in this order where the wanted one is taken.
const OFFERS: [&str; 4] =
    ["CmdOrCtrl+Shift+Space", "CmdOrCtrl+Alt+Space", "CmdOrCtrl+Shift+J", "CmdOrCtrl+Alt+J"];

struct Registered {
    shortcuts: Shortcuts,
    keys: Mutex<Keys>,
}

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
        let shortcuts = Shortcuts::of(app, windows::toggle_quick);
        app.manage(Registered { shortcuts, keys: Mutex::default() });
    }
    let state = app.state::<Registered>();
    let mut keys = lock(&state);
    if keys.current == shortcut {
        return;
    }
    keys.current.clear();
    let known = std::mem::take(&mut keys.taken).taken;
    if shortcut.is_empty() {
        state.shortcuts.give_back();
        return;
    }
    match state.shortcuts.take(shortcut) {
        Ok(()) => shortcut.clone_into(&mut keys.current),
        Err(error) => {
            tracing::warn!(%error, shortcut, "the shortcut could not be registered");
            let offered = offer(&state.shortcuts, shortcut);
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
fn offer(shortcuts: &Shortcuts, wanted: &str) -> Option<String> {
    let free = |keys: &&str| *keys != wanted && shortcuts.is_free(keys);
    OFFERS.iter().copied().find(free).map(str::to_owned)
}

fn lock(state: &Registered) -> std::sync::MutexGuard<'_, Keys> {
    state.keys.lock().unwrap_or_else(PoisonError::into_inner)
}
