//! The tray's entries for the heartbeat: a beat now, and pauses.

use crate::notify;
use crate::text::Words;
use hearth_engine::{Engine, api};
use hearth_protocol::WireError;
use hearth_protocol::api::heartbeat::{BeatDecision, HeartbeatRun};
use std::time::{SystemTime, UNIX_EPOCH};
use tauri::{AppHandle, Manager};

/// How long it rests.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pause {
    Hour,
    UntilTomorrow,
}

/// A beat now. One that has nothing to say is said too: somebody asked for it.
pub(crate) fn now(app: &AppHandle) {
    let (app, engine) = (app.clone(), app.state::<Engine>().inner().clone());
    tauri::async_runtime::spawn(async move {
        let ran = api::heartbeat::run(&engine, api::heartbeat::RunNow::default()).await;
        let words = *app.state::<Words>();
        if let Some((title, body)) = answer(ran, words) {
            notify::show_own(&app, title, &body, Some("/heartbeat"));
        }
    });
}

/// What is said of a beat that did not speak itself.
fn answer(ran: Result<HeartbeatRun, WireError>, words: Words) -> Option<(&'static str, String)> {
    match ran {
        Ok(run) if run.decision == BeatDecision::Notify => None,
        Ok(run) if run.decision == BeatDecision::Failed => Some((words.beat_failed, run.why)),
        Ok(run) => Some((words.beat_quiet, run.why)),
        Err(error) => Some((words.beat_failed, error.message)),
    }
}

/// Pauses beats and jobs.
pub(crate) fn pause(app: &AppHandle, pause: Pause) {
    let engine = app.state::<Engine>().inner().clone();
    tauri::async_runtime::spawn(async move {
        let until = match pause {
            Pause::Hour => unix_now() + 3_600,
            Pause::UntilTomorrow => api::heartbeat::tomorrow(&engine),
        };
        if let Err(error) = api::heartbeat::pause(&engine, Some(until)).await {
            tracing::warn!(message = error.message, "the heartbeat could not be paused");
        }
    });
}

fn unix_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
