//! Logs: one file a day in `<home>/logs`, the last seven kept, filtered by `HEARTH_LOG`.
//!
//! Invariant: no secret reaches a log. Known secrets and what looks like a key are masked in every line
//! before it is written, whoever logged it, and in what a panic says.

use hearth_guard::redact::Redactor;
use std::io::{Result, Write};
use std::path::Path;
use std::sync::LazyLock;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

const DEFAULT_FILTER: &str = "warn,hearth_engine=info,hearth_desktop=info";
const KEPT_DAYS: usize = 7;

/// Writes what is left when it is dropped.
#[derive(Debug)]
pub struct LogGuard {
    _worker: WorkerGuard,
}

/// Starts logging for this process. A second start, or a folder that cannot be written, changes nothing:
/// Hearth works without a log.
#[must_use]
pub fn start(folder: &Path) -> Option<LogGuard> {
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("hearth")
        .filename_suffix("log")
        .max_log_files(KEPT_DAYS)
        .build(folder)
        .ok()?;
    let (writer, worker) = tracing_appender::non_blocking(appender);
    let filter = std::env::var("HEARTH_LOG").ok().and_then(|text| text.parse::<EnvFilter>().ok());
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|| EnvFilter::new(DEFAULT_FILTER)))
        .with_ansi(false)
        .with_writer(Redacting { inner: writer })
        .try_init()
        .ok()?;
    Some(LogGuard { _worker: worker })
}

/// The secrets that this process has seen, and from the first look on the keys in its environment. One for all homes of the process: the log is one, too.
#[must_use]
pub fn redactor() -> &'static Redactor {
    static KNOWN: LazyLock<Redactor> = LazyLock::new(|| {
        let known = Redactor::default();
        let given = std::env::vars_os().filter_map(|(name, value)| {
            let is_key = name.to_str().is_some_and(|name| name.starts_with("HEARTH_KEY_"));
            is_key.then(|| value.into_string().ok()).flatten()
        });
        given.filter(|value| !is_word(value)).for_each(|value| known.learn(&value));
        known
    });
    &KNOWN
}

/// What people give servers that want any key at all: `ollama`, `not-needed`. Masked, it would spoil texts.
fn is_word(value: &str) -> bool {
    value.len() < 16 && value.trim().chars().all(|c| c.is_ascii_lowercase() || "-_ ".contains(c))
}

/// From now on what a panic of any thread says is masked, on standard error and in the log.
pub fn mask_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("unnamed");
        let text = masked(&panic);
        tracing::error!("thread {thread} {text}");
        let trace = std::backtrace::Backtrace::capture();
        let trace = match trace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        // A closed standard error is no reason to fail twice.
        let _ = writeln!(std::io::stderr(), "thread {thread} {text}{trace}");
    }));
}

/// What an error says, for people: it may quote what a panic was given.
#[must_use]
pub fn masked(error: &impl std::fmt::Display) -> String {
    redactor().redact(&error.to_string()).into_owned()
}

struct Redacting<M> {
    inner: M,
}

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for Redacting<M> {
    type Writer = RedactingLine<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        RedactingLine { inner: self.inner.make_writer() }
    }
}

struct RedactingLine<W> {
    inner: W,
}

impl<W: Write> Write for RedactingLine<W> {
    /// The subscriber writes whole lines, so a key is never split between two calls.
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        let line = redactor().redact(&line);
        self.inner.write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}
