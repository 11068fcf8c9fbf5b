//! What the model is told of a command: its output, how it ended, and what held it back.

use crate::call::Outcome;
use crate::outputs::{Ends, PREFIX};
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::task::JoinError;

/// Why a command is over.
pub(super) enum End {
    Exit(ExitStatus),
    Stopped,
    Time(Duration),
    Memory(u64),
    Processes(usize),
    Output(u64),
    Lost(String),
}

/// Phrases of programs that ran into the confinement.
const HELD_BACK: [&str; 7] = [
    "Permission denied",
    "Operation not permitted",
    "Read-only file system",
    "Could not resolve",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Name or service not known",
];

impl End {
    pub(super) fn of(status: Result<io::Result<ExitStatus>, JoinError>) -> Self {
        match status {
            Ok(Ok(status)) => Self::Exit(status),
            Ok(Err(error)) => Self::Lost(error.to_string()),
            Err(error) => Self::Lost(error.to_string()),
        }
    }

    pub(super) fn is_exit(&self) -> bool {
        matches!(self, Self::Exit(_) | Self::Lost(_))
    }

    fn words(&self) -> String {
        match self {
            Self::Exit(status) => exit_words(*status),
            Self::Stopped => "stopped".to_owned(),
            Self::Time(limit) => format!(
                "ended after {} seconds, its time limit; timeout_s can be up to 600",
                limit.as_secs()
            ),
            Self::Memory(most) => format!("ended: it took more than {} GiB of memory", most >> 30),
            Self::Processes(most) => format!("ended: it started more than {most} processes"),
            Self::Output(most) => format!("ended: it wrote more than {} MiB", most >> 20),
            Self::Lost(why) => format!("its end could not be seen: {why}"),
        }
    }
}

fn exit_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    status.code().map_or_else(|| "ended".to_owned(), |code| format!("exit status {code}"))
}

/// All that is known at the end.
pub(super) struct Report<'a> {
    pub(super) end: End,
    pub(super) took: Duration,
    pub(super) name: &'a str,
}

impl Report<'_> {
    pub(super) fn outcome(&self, ends: &Ends, path: PathBuf) -> Outcome {
        let (shown, whole) = self.shown(ends);
        let ok = matches!(&self.end, End::Exit(status) if status.success());
        let mut text = shown.trim_end().to_owned();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("[{}, {:.1} s]", self.end.words(), self.took.as_secs_f64()));
        if !ok && HELD_BACK.iter().any(|phrase| shown.contains(phrase)) {
            text.push_str(
                "\n[Commands are confined: they write only in the workspace, the allowed folders and $TMPDIR, \
                 read system files besides, and have no network.]",
            );
        }
        let full = (!whole).then_some(path.clone());
        if whole {
            let _ = std::fs::remove_file(path);
        }
        Outcome { ok, full, ..Outcome::done(text) }
    }

    fn shown(&self, ends: &Ends) -> (String, bool) {
        match ends.bytes() {
            0 => ("[no output]".to_owned(), true),
            bytes if ends.is_binary() => {
                let text =
                    format!("[{bytes} bytes that are no text, kept as {PREFIX}{}]", self.name);
                (text, false)
            }
            _ => ends.text(self.name),
        }
    }
}
