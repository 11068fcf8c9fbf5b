//! Real notifications of the operating system, and the engine's [`Host`].
//!
//! `show` answers "ok" even where no notification service runs or it refuses, so the platform is asked
//! before and after; what could not be shown is said to the engine, and the inbox holds it in any case.

use crate::platform::Unshown;
use crate::text::Words;
use crate::{platform, windows};
use hearth_engine::{Engine, Host, Notice, Shown, api};
use hearth_protocol::SessionKey;
use hearth_protocol::api::settings::SettingSet;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use tauri::{AppHandle, Manager};
use tauri_plugin_notification::NotificationExt as _;

/// Where a click on each shown notification leads, by notification id.
#[derive(Default)]
struct Targets(Mutex<HashMap<i32, String>>);

/// Notifications whose target is remembered; the oldest go first.
const REMEMBERED: usize = 64;

static NEXT_ID: AtomicI32 = AtomicI32::new(1);

/// The desktop as the engine sees it.
pub(crate) struct DesktopHost {
    app: AppHandle,
}

impl DesktopHost {
    pub(crate) fn new(app: AppHandle) -> Self {
        app.manage(Targets::default());
        app.manage(windows::Showing::default());
        Self { app }
    }
}

impl Host for DesktopHost {
    fn notify(&self, notice: Notice) -> Shown {
        show(&self.app, &notice.title, &notice.body, Some(&path_of(&notice)))
    }

    fn is_watching(&self, session: &SessionKey) -> bool {
        self.app.state::<windows::Showing>().in_focus(&self.app, session)
    }

    /// The tray stays, and a notification leads to the window.
    fn can_ask(&self) -> bool {
        true
    }
}

/// The page of the main window that a notice leads to: its conversation, at its message where it has one.
fn path_of(notice: &Notice) -> String {
    let session = &notice.session;
    match &notice.message {
        Some(message) => format!("/chat/{session}/{message}"),
        None => format!("/chat/{session}"),
    }
}

/// Shows a notification; a click on it opens the main window at `path`. Answers why it cannot be seen.
fn show(app: &AppHandle, title: &str, body: &str, path: Option<&str>) -> Shown {
    let words = *app.state::<Words>();
    if !platform::notifications_available() {
        return Box::pin(std::future::ready(Err(words.no_notifications.to_owned())));
    }
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    if let (Some(path), Some(targets)) = (path, app.try_state::<Targets>()) {
        let mut targets = targets.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if targets.len() >= REMEMBERED
            && let Some(oldest) = targets.keys().min().copied()
        {
            targets.remove(&oldest);
        }
        targets.insert(id, path.to_owned());
    }
    let answer = platform::show(app, app.notification().builder().id(id).title(title).body(body));
    Box::pin(async move {
        answer.await.map_err(|unshown| match unshown {
            Unshown::Silent => words.no_notifications.to_owned(),
            Unshown::Refused => words.notification_refused.to_owned(),
            Unshown::Failed(why) => why,
        })
    })
}

/// Shows one of the shell's own, which nothing else holds.
pub(crate) fn show_own(app: &AppHandle, title: &str, body: &str, path: Option<&str>) {
    let (shown, title) = (show(app, title, body, path), title.to_owned());
    tauri::async_runtime::spawn(async move {
        if let Err(why) = shown.await {
            tracing::warn!(why, title, "a notification could not be shown");
        }
    });
}

/// Opens the right place when a notification is clicked.
pub(crate) fn listen(app: &AppHandle) {
    let handle = app.clone();
    let listening = app.notification().on_action(move |action| {
        if action.action_id() != "tap" {
            return;
        }
        let id = action.notification().map(tauri_plugin_notification::ActiveNotification::id);
        let targets = handle.state::<Targets>();
        let path = id.and_then(|id| {
            targets.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(&id)
        });
        windows::open_main(&handle, path.as_deref());
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "clicks on notifications will not be heard");
    }
}

/// Says, the first time only, that closing the window left the app in the tray.
pub(crate) fn say_tray_once(app: &AppHandle, words: Words) {
    let engine = app.state::<Engine>().inner().clone();
    if engine.settings().ui.tray_explained {
        return;
    }
    show_own(app, words.in_tray_title, words.in_tray_body, None);
    tauri::async_runtime::spawn(async move {
        let said = SettingSet { key: "ui.tray_explained".to_owned(), value: true.into() };
        if let Err(error) = api::settings::set(&engine, said).await {
            tracing::warn!(%error, "cannot remember that the tray was explained");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_leads_to_its_message() {
        let mut notice = Notice::new("Tea", "is ready", SessionKey::main());
        assert_eq!(path_of(&notice), "/chat/assistant:main");
        notice.message = Some("m1".into());
        assert_eq!(path_of(&notice), "/chat/assistant:main/m1");
    }
}
