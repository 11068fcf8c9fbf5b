//! Linux: whether the notification service took what the plugin sent it.
//!
//! The plugin sends on a thread of its own and keeps the service's answer to itself. Two things of it show: it
//! drops what is to be called when a notification closes where the service refused that notification, and its
//! list of shown ones is locked until the service has answered.

use super::{Answer, Unshown};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, Wry, async_runtime};
use tauri_plugin_notification::{NotificationBuilder, NotificationExt as _};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A service that lives answers in milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// When it is looked whether it has: the plugin's thread may begin a little late, and connects to the bus with the
/// first notification.
const LOOKS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(350)];
const FIRST_LOOKS: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(2_000)];
static FIRST: AtomicBool = AtomicBool::new(true);
/// How long after the answer a refusal shows.
const MOMENT: Duration = Duration::from_millis(50);

/// Shows a notification.
pub(crate) fn show(app: &AppHandle, notification: NotificationBuilder<Wry>) -> Answer {
    let (closed, mut closes) = oneshot::channel();
    // Whoever would have heard of the closing may be gone by then.
    let notification = notification.on_close(move || {
        let _ = closed.send(());
    });
    if let Err(error) = notification.show() {
        return Box::pin(std::future::ready(Err(Unshown::Failed(error.to_string()))));
    }
    let looks = if FIRST.swap(false, Ordering::Relaxed) { FIRST_LOOKS } else { LOOKS };
    let app = app.clone();
    let answered = async_runtime::spawn_blocking(move || {
        for look in looks {
            std::thread::sleep(look);
            // Removes nothing, once the list is free.
            drop(app.notification().remove_active(Vec::new()));
        }
    });
    Box::pin(async move {
        tokio::select! {
            biased;
            closed = &mut closes => closed.map_err(|_| Unshown::Refused),
            answered = timeout(PATIENCE, answered) => match answered {
                Err(_) => Err(Unshown::Silent),
                Ok(_) => match timeout(MOMENT, closes).await {
                    Ok(Err(_)) => Err(Unshown::Refused),
                    Ok(Ok(())) | Err(_) => Ok(()),
                },
            },
        }
    })
}
