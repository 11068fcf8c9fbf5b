//! `hearth serve`: the home without a window. Heartbeats and jobs run until it is told to end; notices and
//! the events of turns go to standard output.
//!
//! Nobody can be asked here: what needs consent is denied at once.

use crate::access::Reach;
use crate::terminal::{Failure, print, print_json};
use hearth_engine::{Heard, Host, Notice, Shown, api};
use hearth_protocol::SessionKey;
use hearth_protocol::api::system::Signal;
use serde_json::json;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Standard output as the engine sees it.
struct Output {
    json: bool,
}

impl Host for Output {
    fn notify(&self, notice: Notice) -> Shown {
        let Notice { title, body, session, message } = notice;
        let at =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let printed = match self.json {
            true => print_json(&json!({"event": "notice", "title": title, "body": body,
                "session": session, "message": message, "at": at})),
            false => print(&format!("{title}: {body}\n")),
        };
        let printed = printed.map_err(|_| "standard output is closed".to_owned());
        Box::pin(std::future::ready(printed))
    }

    fn is_watching(&self, _session: &SessionKey) -> bool {
        false
    }
}

pub(crate) async fn run(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = reach.own(Arc::new(Output { json })).await?;
    let mut listener = engine.listen();
    api::heartbeat::start(&engine);
    // From here on other commands go to this process.
    match json {
        true => print_json(&json!({"event": "serving"}))?,
        false => print("Hearth is here; Ctrl-C ends it.\n")?,
    }
    let end = ended();
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => return Ok(()),
            heard = listener.next() => match heard {
                Some(Heard::Signal(Signal::Turn(event))) if json => print_json(&event)?,
                Some(_) => {}
                None => return Ok(()),
            },
        }
    }
}

/// Ctrl-C, or the system's wish that it ends.
async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
