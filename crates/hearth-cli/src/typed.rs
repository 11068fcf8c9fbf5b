//! What a person types: lines of standard input, also while a reply is written.

use std::collections::VecDeque;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;

/// Lines of standard input; bytes that are no UTF-8 spoil their own characters only.
pub(crate) struct Typed {
    lines: mpsc::UnboundedReceiver<String>,
    /// Typed while a reply was written.
    early: VecDeque<String>,
}

impl Typed {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut input = BufReader::new(tokio::io::stdin());
            let mut line = Vec::new();
            while matches!(input.read_until(b'\n', &mut line).await, Ok(1..)) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self { lines, early: VecDeque::new() }
    }

    /// The next line to be taken for a message; none at the end of the input.
    pub(crate) async fn next(&mut self) -> Option<String> {
        match self.early.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        }
    }

    /// The next line typed from now on.
    pub(crate) async fn now(&mut self) -> Option<String> {
        self.lines.recv().await
    }

    /// Keeps a line for later.
    pub(crate) fn keep(&mut self, line: String) {
        self.early.push_back(line);
    }
}
