//! Logs: one file a day in `<home>/logs`, the last seven kept, filtered by `HEARTH_LOG`.
//!
//! Invariant: no secret reaches a log. What looks like a key is masked in every line before it is
//! written, whoever logged it.

use std::io::{Result, Write};
use std::path::Path;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

const DEFAULT_FILTER: &str = "warn,hearth_engine=info,hearth_desktop=info";
const KEPT_DAYS: usize = 7;
/// Shorter runs of letters and digits are words; a key of a known form may be shorter.
const LONG_TOKEN: usize = 32;
const PREFIXES: [&str; 9] =
    ["sk-", "sk_", "AIza", "xox", "ghp_", "github_pat_", "gsk_", "hf_", "Bearer "];

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
        let line = redact(&String::from_utf8_lossy(bytes));
        self.inner.write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

/// The text with everything that looks like a key masked.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_letter = false;
    while let Some(first) = rest.chars().next() {
        let token = rest.find(|c| !is_token(c)).unwrap_or(rest.len());
        let prefix = PREFIXES.iter().find(|prefix| !after_letter && rest.starts_with(**prefix));
        if let Some(prefix) = prefix {
            let body = &rest[prefix.len()..];
            let length = body.find(|c| !is_token(c) && !"./+=".contains(c)).unwrap_or(body.len());
            if length >= 8 {
                out.push_str(prefix);
                out.push_str("***");
                rest = &body[length..];
                continue;
            }
        }
        if token >= LONG_TOKEN && looks_random(&rest[..token]) {
            out.push_str("***");
            rest = &rest[token..];
            continue;
        }
        let step = token.max(first.len_utf8());
        let step = if token == 0 { first.len_utf8() } else { step };
        out.push_str(&rest[..step]);
        after_letter = rest[..step].chars().next_back().is_some_and(char::is_alphanumeric);
        rest = &rest[step..];
    }
    out
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// Letters of both cases and digits mixed. Ids of ours are lower-case hexadecimal and stay readable.
fn looks_random(token: &str) -> bool {
    let has = |class: fn(&char) -> bool| token.chars().any(|c| class(&c));
    has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_and_words_are_not() {
        let cases = [
            ("key=sk-abcdef123456 end", "key=sk-*** end"),
            ("Authorization: Bearer abc.def12345678", "Authorization: Bearer ***"),
            ("x AIzaSyA1234567890abcdefg y", "x AIza*** y"),
            ("tok Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1", "tok ***"),
            (
                "turn 019ac1f2e0b87d5f9d0c1b2a3f4e5d6c ends",
                "turn 019ac1f2e0b87d5f9d0c1b2a3f4e5d6c ends",
            ),
            ("task-oriented desk-bound 中文", "task-oriented desk-bound 中文"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected);
        }
    }
}
