//! The bytes of a SKILL.md as clean text: one kind of line end, nothing that cannot be seen.

use super::warning::{Warning, Warnings};

/// Text without byte-order mark, carriage returns and control characters; `None`: it is not UTF-8.
pub(super) fn clean(bytes: &[u8], warnings: &mut Warnings) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        warnings.add(Warning::Encoding);
        return None;
    };
    let bare = text.strip_prefix('\u{feff}');
    warnings.add_if(bare.is_some(), Warning::Bom);
    let text = bare.unwrap_or(text);
    if is_plain(text.as_bytes()) {
        return Some(text.to_owned());
    }
    Some(cleaned(text, warnings))
}

/// Nothing in it needs a closer look.
fn is_plain(bytes: &[u8]) -> bool {
    // Anything invisible starts with one of these bytes in UTF-8.
    let odd = |b: &u8| matches!(b, 0..=8 | 11..=31 | 127 | 0xc2 | 0xe1 | 0xe2 | 0xef | 0xf3);
    !bytes.iter().any(odd)
}

/// A text of one line, without what cannot be seen.
pub(super) fn clean_line(text: &str, warnings: &mut Warnings) -> String {
    let text = cleaned(text, warnings);
    warnings.add_if(text.contains(['\n', '\t']), Warning::ControlChars);
    text.split(['\n', '\t']).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The same for each of a list; what is empty then goes.
pub(super) fn clean_lines(list: &mut Vec<String>, warnings: &mut Warnings) {
    list.iter_mut().for_each(|text| *text = clean_line(text, warnings));
    list.retain(|text| !text.is_empty());
}

pub(super) fn cleaned(text: &str, warnings: &mut Warnings) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                let is_alone = chars.peek() != Some(&'\n');
                warnings.add_if(is_alone, Warning::LineEnds);
                if is_alone {
                    clean.push('\n');
                }
            }
            '\t' | '\n' => clean.push(c),
            c if c.is_control() => warnings.add(Warning::ControlChars),
            '\u{200c}' | '\u{200d}' if joins_after(before) => clean.push(c),
            c if is_invisible(c) => warnings.add(Warning::InvisibleChars),
            c => clean.push(c),
        }
        before = c;
    }
    clean
}

/// Joiners belong between emoji, and into scripts from Arabic to Burmese.
fn joins_after(before: char) -> bool {
    matches!(before, '\u{600}'..='\u{109f}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Characters that show nothing, or turn around what is shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
