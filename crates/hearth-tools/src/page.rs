//! Reading a text page by page, however large it is.
//!
//! Invariants: memory is bounded by a page; a line too long for one is told as several, so that `from`
//! reaches every part of it. Absent here: which file it is.

use std::io::{self, BufRead};

/// Bytes of a line that count as one.
const LINE_BYTES: u64 = 4_000;
/// Bytes of a page.
const PAGE_BYTES: usize = 30_000;
/// Lines of a page.
const PAGE_LINES: usize = 800;

/// Hands out lines, long ones in parts, until `take` wants no more.
pub(crate) fn lines(
    mut text: impl BufRead,
    mut take: impl FnMut(usize, &[u8]) -> bool,
) -> io::Result<()> {
    let mut line = Vec::new();
    for at in 1.. {
        line.clear();
        io::Read::take(&mut text, LINE_BYTES).read_until(b'\n', &mut line)?;
        // A character that the limit cut is finished.
        while line.len() as u64 >= LINE_BYTES
            && std::str::from_utf8(&line).is_err_and(|error| error.error_len().is_none())
            && io::Read::take(&mut text, 1).read_until(b'\n', &mut line)? > 0
        {}
        if line.is_empty() || !take(at, &line) {
            break;
        }
    }
    Ok(())
}

/// A page from a line on, with a note where more follows. None where it is no text.
pub(crate) fn page(
    text: impl BufRead,
    from: usize,
    wanted: Option<usize>,
) -> io::Result<Option<String>> {
    let wanted = wanted.unwrap_or(PAGE_LINES).clamp(1, PAGE_LINES);
    let (mut shown, mut count, mut last, mut more, mut binary) =
        (String::new(), 0, 0, false, false);
    lines(text, |at, line| {
        last = at;
        if at < from {
            return true;
        }
        more = count == wanted || shown.len() + line.len() > PAGE_BYTES;
        binary |= line.contains(&0);
        if more || binary {
            return false;
        }
        count += 1;
        shown.push_str(&String::from_utf8_lossy(line));
        true
    })?;
    if binary {
        return Ok(None);
    }
    let to = (from + count).saturating_sub(1);
    Ok(Some(match (count, more) {
        (0, _) => format!("[there are {last} lines only]"),
        (_, false) if from == 1 => shown,
        (_, false) => format!("{}\n[lines {from} to {to}, the end]", shown.trim_end_matches('\n')),
        (_, true) => format!(
            "{}\n[lines {from} to {to}; more follows from {}]",
            shown.trim_end_matches('\n'),
            to + 1
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8], from: usize, wanted: Option<usize>) -> Option<String> {
        page(io::Cursor::new(text), from, wanted).expect("memory reads")
    }

    #[test]
    fn pages_follow_each_other() {
        assert_eq!(read(b"a\nb\n", 1, None).as_deref(), Some("a\nb\n"));
        assert_eq!(
            read(b"a\nb\nc", 1, Some(2)).as_deref(),
            Some("a\nb\n[lines 1 to 2; more follows from 3]")
        );
        assert_eq!(read(b"a\nb\nc", 3, Some(2)).as_deref(), Some("c\n[lines 3 to 3, the end]"));
        assert_eq!(read(b"a\n", 7, None).as_deref(), Some("[there are 1 lines only]"));
        assert_eq!(read(b"", 1, None).as_deref(), Some("[there are 0 lines only]"));
        assert_eq!(read(b"a\0b", 1, None), None);
    }

    proptest! {
        #[test]
        fn a_long_line_is_reached_whole(text in "[a-z中\u{10348}]{0,30000}") {
            let mut all = String::new();
            lines(io::Cursor::new(text.as_bytes()), |_, part| {
                all.push_str(std::str::from_utf8(part).expect("cut between characters"));
                true
            }).expect("memory reads");
            prop_assert_eq!(all, text);
        }
    }
}
