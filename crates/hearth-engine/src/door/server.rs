//! The side of the owner.

use super::perform::perform_for;
use super::{Call, Line, name, socket_path};
use crate::Engine;
use crate::home::Home;
use hearth_protocol::{ErrorCode, WireError};
use interprocess::local_socket::ListenerOptions;
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Lets calls in until it is told to stop.
#[derive(Debug)]
pub(crate) struct Doorkeeper {
    path: PathBuf,
    closing: CancellationToken,
    guests: TaskTracker,
}

/// Opens the door of an owned home. A home works without one, so a failure is only logged.
pub(crate) fn open(home: &Home) -> Option<(Doorkeeper, Listener)> {
    let path = socket_path(home.root());
    match listen(&path) {
        Ok(listener) => {
            let keeper =
                Doorkeeper { path, closing: CancellationToken::new(), guests: TaskTracker::new() };
            Some((keeper, listener))
        }
        Err(error) => {
            tracing::warn!(%error, "other processes cannot reach this one");
            None
        }
    }
}

fn listen(path: &Path) -> std::io::Result<Listener> {
    // Left by a process that was killed: the lock says that nobody listens there.
    if !cfg!(windows) {
        let _ = std::fs::remove_file(path);
    }
    let options = ListenerOptions::new().name(name(path)?).reclaim_name(false);
    #[cfg(target_os = "linux")]
    let options = interprocess::os::unix::local_socket::ListenerOptionsExt::mode(options, 0o600);
    options.create_tokio()
}

impl Doorkeeper {
    /// Answers calls until [`Self::close`].
    pub(crate) fn serve(&self, listener: Listener, engine: &Engine) {
        let (engine, closing, guests) = (engine.clone(), self.closing.clone(), self.guests.clone());
        self.guests.spawn(async move {
            loop {
                let accepted = tokio::select! {
                    () = closing.cancelled() => break,
                    accepted = listener.accept() => accepted,
                };
                match accepted {
                    Ok(stream) => {
                        drop(guests.spawn(guest(stream, engine.clone(), closing.clone())))
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a caller could not be let in");
                        tokio::task::yield_now().await;
                    }
                }
            }
        });
    }

    /// Lets nobody in any more and waits for those inside.
    pub(crate) async fn close(&self) {
        // The name goes first: a new caller finds no door and waits for the home instead.
        if !cfg!(windows) {
            let _ = std::fs::remove_file(&self.path);
        }
        self.closing.cancel();
        self.guests.close();
        self.guests.wait().await;
    }
}

async fn guest(stream: Stream, engine: Engine, closing: CancellationToken) {
    let (receive, mut send) = (&stream, &stream);
    let mut lines = BufReader::new(receive).lines();
    // A caller that has not said what it wants is sent away at the end; it will try again.
    let line = tokio::select! {
        biased;
        line = lines.next_line() => line,
        () = closing.cancelled() => return,
    };
    let Ok(Some(line)) = line else { return };
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let gone = CancellationToken::new();
    // A caller says one line and then listens: what comes next is its end.
    let leave = async {
        while let Ok(Some(_)) = lines.next_line().await {}
        gone.cancel();
        std::future::pending::<()>().await;
    };
    let work = async {
        let result = match serde_json::from_str::<Call>(&line) {
            Ok(call) => {
                let mut tell = |signal| drop(sender.send(Line::Signal(signal)));
                perform_for(&engine, call, &gone, &mut tell).await
            }
            Err(error) => {
                let message = format!("the call cannot be read: {error}");
                let hint = "Both processes must be of the same version of Hearth.";
                Err(WireError::new(ErrorCode::InvalidRequest, message, hint))
            }
        };
        let _ = sender.send(result.map_or_else(Line::Error, Line::Answer));
        drop(sender);
    };
    let tell = async {
        while let Some(line) = receiver.recv().await {
            let Ok(mut bytes) = serde_json::to_vec(&line) else { continue };
            bytes.push(b'\n');
            // A caller that left changes nothing: the turn is the session's.
            if send.write_all(&bytes).await.is_err() {
                break;
            }
        }
        let _ = send.flush().await;
    };
    tokio::select! {
        _ = async { tokio::join!(work, tell) } => {}
        () = leave => {}
    }
}
