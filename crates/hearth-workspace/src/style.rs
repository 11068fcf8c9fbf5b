//! The byte-order mark and line ends of a file, which an editor does not see and must not change.

const BOM: char = '\u{feff}';

/// How a file's text is written in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Style {
    bom: bool,
    crlf: bool,
}

impl Style {
    /// The style of a file's whole text, as on disk.
    pub(crate) fn of(raw: &str) -> Self {
        let ends = raw.matches('\n').count();
        Self { bom: raw.starts_with(BOM), crlf: ends > 0 && raw.matches("\r\n").count() == ends }
    }

    /// `text` in this style. Text that brings carriage returns of its own keeps them.
    pub(crate) fn apply(self, text: &str) -> String {
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let body = if self.crlf && !text.contains('\r') {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        };
        if self.bom { format!("{BOM}{body}") } else { body }
    }

    /// The same, for text that does not stand at the start of the file.
    pub(crate) fn without_mark(self) -> Self {
        Self { bom: false, ..self }
    }

    /// `text` in every style that a file may have.
    pub(crate) fn forms(text: &str) -> impl Iterator<Item = String> {
        [(false, false), (true, false), (false, true), (true, true)]
            .into_iter()
            .map(move |(bom, crlf)| Self { bom, crlf }.apply(text))
    }
}

/// `raw` without its byte-order mark.
pub(crate) fn without_bom(raw: &str) -> &str {
    raw.strip_prefix(BOM).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_keeps_mark_and_line_ends() {
        let style = Style::of("\u{feff}a\r\nb\r\n");
        assert_eq!(style.apply("a\nc\n"), "\u{feff}a\r\nc\r\n");
        assert_eq!(Style::of("a\r\nb\n").apply("a\nc\n"), "a\nc\n");
        assert_eq!(Style::of("").apply("a\n"), "a\n");
    }
}
