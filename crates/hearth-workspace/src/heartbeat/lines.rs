//! The lines of the file without what is never something to do: comments, frontmatter, the marks of code
//! blocks.

use super::free::unlisted;
use crate::entries::comments;

/// A line that may say something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u32,
    /// Without its line break.
    pub(super) text: String,
}

impl Line {
    pub(super) fn trimmed(&self) -> &str {
        trim(&self.text)
    }

    pub(super) fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }

    /// How far it is indented.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The width of the mark of a list item, with the space behind it.
    pub(super) fn mark(&self) -> usize {
        let text = self.trimmed();
        unlisted(text).map_or(0, |rest| text.len() - rest.len())
    }

    /// The text of an ATX heading.
    pub(super) fn heading(&self) -> Option<&str> {
        heading(self.trimmed())
    }
}

/// The text of an ATX heading.
pub(super) fn heading(line: &str) -> Option<&str> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &line[level..];
    let is = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is.then(|| rest.trim().trim_end_matches('#').trim())
}

/// Without white space and characters without a width around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// White space, and characters that show nothing.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        )
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// All lines; what is no line of the person's is blank.
pub(super) fn of(text: &str) -> Vec<Line> {
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments(text) {
        let range = match comment.closed || comment.broken {
            true => comment.range(),
            false => comment.start..text.len(),
        };
        for byte in &mut bytes[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines: Vec<Line> = text
        .split('\n')
        .enumerate()
        .map(|(index, line)| Line {
            number: u32::try_from(index + 1).unwrap_or(u32::MAX),
            text: line.trim_end_matches('\r').to_owned(),
        })
        .collect();
    frontmatter(&mut lines);
    for line in &mut lines {
        if ["```", "~~~"].iter().any(|mark| line.trimmed().starts_with(mark)) {
            line.text.clear();
        }
    }
    lines
}

/// Blanks the frontmatter: from a first line `---` to the next or to `...`, where everything between is
/// `key: value`. One that holds a trigger is a block between two rules.
fn frontmatter(lines: &mut [Line]) {
    if lines.first().is_none_or(|line| line.trimmed() != "---") {
        return;
    }
    let ends = |line: &Line| matches!(line.trimmed(), "---" | "...");
    let Some(end) = lines.iter().skip(1).position(ends) else { return };
    let inside = &lines[1..=end];
    let is_pair = |line: &Line| {
        line.is_blank()
            || line.indent() > 0
            || line.trimmed().split_once(':').is_some_and(|(key, _)| {
                key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            })
    };
    let ours = |line: &Line| {
        ["trigger", "tasks"].iter().any(|key| line.trimmed().to_lowercase().starts_with(key))
    };
    if inside.iter().all(is_pair) && !inside.iter().any(ours) {
        lines[..=end + 1].iter_mut().for_each(|line| line.text.clear());
    }
}
