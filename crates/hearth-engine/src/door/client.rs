//! The side of the second process.

use super::{Call, Line, name, socket_path};
use crate::home::Home;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use interprocess::local_socket::tokio::{Stream, prelude::*};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// A connection to the owner of a home.
#[derive(Debug)]
pub struct Door {
    stream: Stream,
}

/// Connects to the process that owns the home; none where nobody listens.
pub async fn knock(home: &Home) -> Option<Door> {
    let path = socket_path(home.root());
    let stream = Stream::connect(name(&path).ok()?).await.ok()?;
    Some(Door { stream })
}

impl Door {
    /// Has a call done. `Ok(None)`: the owner left without reading it; nothing happened, try again.
    ///
    /// # Errors
    /// The owner's error, or that the owner left while it worked.
    pub async fn call(
        self,
        call: &Call,
        signals: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Option<Value>, WireError> {
        let (receive, mut send) = (&self.stream, &self.stream);
        let mut line = serde_json::to_vec(call).map_err(|error| broken(&error.to_string()))?;
        line.push(b'\n');
        if send.write_all(&line).await.is_err() || send.flush().await.is_err() {
            return Ok(None);
        }
        let mut lines = BufReader::new(receive).lines();
        let mut begun = false;
        loop {
            let line = match lines.next_line().await {
                Ok(Some(line)) => line,
                _ if begun => return Err(broken("the process that owns this home ended")),
                _ => return Ok(None),
            };
            begun = true;
            match serde_json::from_str(&line).map_err(|error| broken(&error.to_string()))? {
                Line::Signal(signal) => signals(signal),
                Line::Answer(value) => return Ok(Some(value)),
                Line::Error(error) => return Err(error),
            }
        }
    }
}

fn broken(why: &str) -> WireError {
    let message = format!("the call through the other Hearth process failed: {why}");
    let hint = "What was stored stays: look with `hearth sessions list`, then try again.";
    WireError::new(ErrorCode::Internal, message, hint)
}
