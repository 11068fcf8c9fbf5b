//! What of a line is markup, and whether words are left without it.

use super::lines::is_blank;

/// The names of HTML's elements; `<check mail>` is none of them and stays.
const ELEMENTS: &str = " a abbr article aside b blockquote body br button center cite code col dd del details div dl dt em \
    figure figcaption font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link \
    main mark meta nav ol p picture pre q s samp script section small source span strike strong style sub summary sup \
    svg table tbody td template tfoot th thead title tr tt u ul var video wbr ";

/// Whether there is a word, a number or a picture of a thing: anything but blanks and marks.
pub(super) fn says(text: &str) -> bool {
    text.chars().any(|c| !is_blank(c) && !is_mark(c))
}

fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}')
        || matches!(c, '\u{2010}'..='\u{205e}' | '\u{2500}'..='\u{259f}' | '\u{25a0}'..='\u{25ff}')
        || matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}')
        || matches!(c, '\u{fe30}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
        || matches!(c, '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// The text without HTML tags.
pub(super) fn untagged(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        let after = &rest[start + 1..];
        match after.find('>').filter(|end| is_tag(&after[..*end])) {
            Some(end) => {
                out.push_str(&rest[..start]);
                rest = &after[end + 1..];
            }
            None => {
                out.push_str(&rest[..=start]);
                rest = after;
            }
        }
    }
    out + rest
}

/// Whether what stands between `<` and `>` is a tag, a declaration or an instruction.
fn is_tag(inside: &str) -> bool {
    if inside.starts_with(['!', '?']) {
        return true;
    }
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let end = name.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(name.len());
    let name = name[..end].to_ascii_lowercase();
    !name.is_empty() && ELEMENTS.contains(&format!(" {name} "))
}

/// The text with HTML's character references as what they stand for, as far as that matters here.
pub(super) fn entities(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('&') {
        let after = &rest[start + 1..];
        let found = after
            .find(';')
            .filter(|end| *end <= 32)
            .and_then(|end| reference(&after[..end]).map(|c| (c, end)));
        match found {
            Some((c, end)) => {
                out.push_str(&rest[..start]);
                out.push(c);
                rest = &after[end + 1..];
            }
            None => {
                out.push_str(&rest[..=start]);
                rest = after;
            }
        }
    }
    out + rest
}

fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hexadecimal = number.strip_prefix(['x', 'X']);
        let code = match hexadecimal {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    Some(match name {
        "nbsp" | "ensp" | "emsp" | "thinsp" | "hairsp" | "numsp" | "puncsp" | "emsp13"
        | "emsp14" | "Tab" | "NewLine" | "MediumSpace" | "NonBreakingSpace" | "ThinSpace" => ' ',
        "zwj" | "zwnj" | "lrm" | "rlm" | "ZeroWidthSpace" | "NoBreak" => '\u{200b}',
        "shy" => '\u{ad}',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "hellip" => '…',
        "mdash" | "ndash" | "horbar" => '—',
        "middot" | "bull" => '·',
        "ldquo" | "rdquo" | "lsquo" | "rsquo" | "laquo" | "raquo" => '”',
        _ => return None,
    })
}

/// The text without links that have no words: `[](address)`.
pub(super) fn unlinked(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("[](") {
        let Some(end) = rest[start..].find(')').filter(|_| !rest[..start].ends_with('!')) else {
            out.push_str(&rest[..start + 3]);
            rest = &rest[start + 3..];
            continue;
        };
        out.push_str(&rest[..start]);
        rest = &rest[start + end + 1..];
    }
    out + rest
}

/// `[label]: https://address "title"`: where a link leads, and nothing that is seen. A comment may be written so.
pub(super) fn is_reference(text: &str) -> bool {
    let Some((label, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once("]:"))
    else {
        return false;
    };
    if label.contains(['[', ']', '^']) {
        return false;
    }
    let rest = rest.trim();
    if label == "//" {
        return true;
    }
    let (address, title) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let leads = address.contains("://")
        || ["<", "#", "/", "./", "../", "mailto:", "www."]
            .iter()
            .any(|way| address.starts_with(way));
    let title = title.trim();
    leads && (title.is_empty() || title.starts_with(['"', '\'', '(']))
}
