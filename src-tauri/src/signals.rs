//! The one channel of each window: every signal of the engine, numbered per window, so that a window
//! notices a gap and reads its page again.

use hearth_engine::{Engine, Heard, api};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ApprovalState, EventBody};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tauri::{AppHandle, Manager, ipc::Channel};

/// A signal with its place in the window's stream, from 1.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Numbered {
    seq: u64,
    signal: Signal,
}

/// The channels of the open windows, by label.
#[derive(Default)]
pub(crate) struct Windows(Mutex<HashMap<String, Stream>>);

struct Stream {
    channel: Channel<Numbered>,
    seq: u64,
}

impl Windows {
    /// Puts `channel` in the place of the window's earlier one.
    pub(crate) fn subscribe(&self, label: &str, channel: Channel<Numbered>) {
        let stream = Stream { channel, seq: 0 };
        self.lock().insert(label.to_owned(), stream);
    }

    fn send(&self, signal: &Signal) {
        self.lock().retain(|_, stream| {
            stream.seq += 1;
            stream.channel.send(Numbered { seq: stream.seq, signal: signal.clone() }).is_ok()
        });
    }

    /// Leaves a gap, since `missed` signals were lost.
    fn skip(&self, missed: u64) {
        self.lock().values_mut().for_each(|stream| stream.seq += missed);
    }

    fn forget(&self, label: &str) {
        self.lock().remove(label);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes the engine's signals on to the windows until the engine ends, and keeps the shell in step
/// with the settings.
pub(crate) fn pump(app: AppHandle, engine: &Engine) {
    let mut listener = engine.listen();
    let engine = engine.clone();
    tauri::async_runtime::spawn(async move {
        while let Some(heard) = listener.next().await {
            match heard {
                Heard::Signal(signal) => {
                    if matches!(signal, Signal::Settings) {
                        apply_settings(&app, &engine);
                    }
                    app.state::<Windows>().send(&signal);
                    if matches!(&signal, Signal::Turn(event) if is_approval(&event.body)) {
                        count_waiting(&app, &engine).await;
                    }
                }
                Heard::Missed(missed) => {
                    app.state::<Windows>().skip(missed);
                    count_waiting(&app, &engine).await;
                }
            }
        }
    });
}

fn is_approval(body: &EventBody) -> bool {
    matches!(body, EventBody::Approval { .. })
}

/// The tray says how many calls wait.
async fn count_waiting(app: &AppHandle, engine: &Engine) {
    if let Ok(rows) = api::approvals::list(engine).await {
        let waits = rows.iter().filter(|row| row.state == ApprovalState::Asked).count();
        crate::tray::waits(app, waits);
    }
}

fn apply_settings(app: &AppHandle, engine: &Engine) {
    let settings = engine.settings();
    crate::shortcut::register(app, &settings.ui.shortcut);
    crate::start::start_at_login(app, settings.ui.start_at_login);
}

/// Asks the main window to go to a page.
pub(crate) fn navigate(app: &AppHandle, path: &str) {
    app.state::<Windows>().send(&Signal::Navigate(path.to_owned()));
}

/// Drops the channel of a window that is gone.
pub(crate) fn closed(app: &AppHandle, label: &str) {
    app.state::<Windows>().forget(label);
}
