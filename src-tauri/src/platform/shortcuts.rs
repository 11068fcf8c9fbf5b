//! The global shortcut on Windows and macOS, by the plugin.

use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

/// The shortcuts of this app.
pub(crate) struct Shortcuts {
    app: AppHandle,
    pressed: fn(&AppHandle),
}

/// Adds what shortcuts need to the app.
pub(crate) fn with_shortcuts(builder: tauri::Builder<Wry>) -> tauri::Builder<Wry> {
    builder.plugin(tauri_plugin_global_shortcut::Builder::new().build())
}

impl Shortcuts {
    /// Calls `pressed` on each press of what is [`taken`](Self::take).
    pub(crate) fn of(app: &AppHandle, pressed: fn(&AppHandle)) -> Self {
        Self { app: app.clone(), pressed }
    }

    /// Takes a shortcut for this app in place of the one before.
    ///
    /// # Errors
    /// Where another program holds it.
    pub(crate) fn take(&self, shortcut: &str) -> Result<(), String> {
        self.give_back();
        let pressed = self.pressed;
        let on = self.app.global_shortcut().on_shortcut(shortcut, move |app, _, event| {
            if event.state() == ShortcutState::Pressed {
                pressed(app);
            }
        });
        on.map_err(|error| error.to_string())
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&self) {
        if let Err(error) = self.app.global_shortcut().unregister_all() {
            tracing::warn!(%error, "the old shortcut could not be given back");
        }
    }

    /// Whether no program holds a shortcut.
    pub(crate) fn is_free(&self, shortcut: &str) -> bool {
        let shortcuts = self.app.global_shortcut();
        shortcuts.register(shortcut).and_then(|()| shortcuts.unregister(shortcut)).is_ok()
    }
}
