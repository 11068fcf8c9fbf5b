//! What goes to the terminal: results to standard output, everything else to standard error.
//!
//! A closed pipe (`hearth sessions list | head -1`) ends the command without a word.

use hearth_protocol::WireError;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Read, Write, stderr, stdout};

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One line: what, why, what to do.
    Said(String),
    /// The same from the engine, with a code for programs.
    Refused(WireError),
    /// The same, where the command itself was wrong.
    Misused(WireError),
    /// It was said already, by an event.
    Told,
    /// Nobody reads any more.
    PipeClosed,
}

impl Failure {
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self::Said(text.into())
    }
}

impl Failure {
    /// The line to say, where it was not said yet.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Self::Said(line) => Some(line.clone()),
            Self::Refused(error) | Self::Misused(error) => {
                Some(sentence(&error.message, &error.hint))
            }
            Self::Told | Self::PipeClosed => None,
        }
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        Self::Refused(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::Said(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(ErrorKind::BrokenPipe) => Self::PipeClosed,
            _ => Self::Said(error.to_string()),
        }
    }
}

/// All of standard input.
pub(crate) fn input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    text("standard input", bytes)
}

/// Bytes of a place as text, without a byte-order mark.
pub(crate) fn text(place: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::said(format!("{place} is not UTF-8 text (line {line}). Save it as UTF-8."))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Message and hint as one line.
pub(crate) fn sentence(message: &str, hint: &str) -> String {
    let end = if hint.is_empty() || message.ends_with(['.', '!', '?', '。']) { "" } else { "." };
    let gap = if hint.is_empty() { "" } else { " " };
    format!("{message}{end}{gap}{hint}").replace('\n', " ")
}

/// A line on standard error. A closed one is nobody's concern.
pub(crate) fn warn(line: &str) {
    let line = hearth_engine::logging::masked(&line);
    let line = shown(&line, stderr().is_terminal());
    let _ = writeln!(stderr(), "hearth: {line}");
}

/// Text on standard output, at once.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    let text = shown(text, out.is_terminal());
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// What a terminal is given: control characters as pictures, so that no stored text and no reply of a
/// model can drive it. Files and pipes get the text as it is.
fn shown(text: &str, terminal: bool) -> Cow<'_, str> {
    let drives = |c: char| turns_around(c) || c.is_control() && !matches!(c, '\n' | '\t');
    if !terminal || !text.contains(drives) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(|c| if drives(c) { picture(c) } else { c }).collect())
}

/// Characters that turn around what is shown beside them.
pub(crate) fn turns_around(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One JSON object on a line.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let mut out = stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// Rows: JSON Lines, or columns for people.
pub(crate) fn print_rows<T: Serialize>(
    json: bool,
    rows: &[T],
    columns: impl Fn(&T) -> Vec<String>,
) -> Result<(), Failure> {
    if json {
        return rows.iter().try_for_each(print_json);
    }
    print(&columned(&rows.iter().map(columns).collect::<Vec<_>>()))
}

/// Cells in columns, a row a line.
pub(crate) fn columned(cells: &[Vec<String>]) -> String {
    let count = cells.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            cells
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| width(cell))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in cells {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(wide.saturating_sub(width(cell)) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// As [`print_rows`]; for people, a line where there is nothing.
pub(crate) fn print_list<T: Serialize>(
    json: bool,
    rows: &[T],
    none: &str,
    columns: impl Fn(&T) -> Vec<String>,
) -> Result<(), Failure> {
    match (json, rows) {
        (false, []) => print(&format!("{none}\n")),
        _ => print_rows(json, rows, columns),
    }
}

/// JSON Lines as they are: no terminal makes pictures of them.
pub(crate) fn print_lines(lines: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    out.write_all(lines.as_bytes())?;
    Ok(out.flush()?)
}

/// A text after `first`, broken at spaces into lines that fit the terminal, the others after `below`. A file
/// or a pipe gets one line.
pub(crate) fn wrapped(first: &str, below: &str, text: &str) -> String {
    wrap(first, below, text, columns())
}

fn wrap(first: &str, below: &str, text: &str, columns: usize) -> String {
    let (mut out, mut line) = (String::new(), first.to_owned());
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && width(&line) + 1 + width(word) > columns {
            out.push_str(line.trim_end());
            out.push('\n');
            below.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out + line.trim_end() + "\n"
}

/// How wide the terminal is; without one there is no limit.
fn columns() -> usize {
    if !stdout().is_terminal() {
        return usize::MAX;
    }
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(40))
}

/// Columns that a text takes: CJK characters are two wide.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{ffdc}') { 2 } else { 1 })
        .sum()
}

/// Puts a text in the place of the last line of a terminal's standard error.
pub(crate) fn redraw(text: &str) {
    let _ = write!(stderr(), "\r\x1b[K{text}");
}

/// Whether a person looks at standard error.
pub(crate) fn watched() -> bool {
    stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_drives_a_terminal() {
        let text = "a\u{1b}[31mred\u{0}\tz\n\u{9b}2J中";
        assert_eq!(shown(text, true), "a␛[31mred␀\tz\n\u{fffd}2J中");
        assert_eq!(shown(text, false), text);
    }

    #[test]
    fn long_texts_are_broken_at_spaces() {
        let text = "Start a keyring, or set one";
        assert_eq!(
            wrap("look  ", "      ", text, 20),
            "look  Start a\n      keyring, or\n      set one\n"
        );
        assert_eq!(wrap("look  ", "      ", text, usize::MAX), format!("look  {text}\n"));
        let long = wrap("- ", "  ", "/a/path/longer/than/the/line and more", 12);
        assert_eq!(long, "- /a/path/longer/than/the/line\n  and more\n");
        assert_eq!(wrap("- ", "  ", "", 12), "-\n");
    }

    #[test]
    fn an_error_is_one_line() {
        assert_eq!(sentence("it broke", "Mend it."), "it broke. Mend it.");
        assert_eq!(sentence("it broke:\nhard.", ""), "it broke: hard.");
        assert_eq!(width("a 中文"), 6);
    }
}
