//! What a body holds: its self-check, the files it names, its first paragraph.

/// A file that a body names, as it stands there.
#[derive(Debug, PartialEq)]
pub(super) enum Named {
    /// A path within the skill's folder.
    Inside {
        path: String,
        /// A link promises the file; a word in backticks may be anything.
        by_link: bool,
    },
    /// It leaves the folder.
    Outside,
}

/// What one look at a body finds.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) self_check: Vec<String>,
    pub(super) named: Vec<Named>,
    pub(super) has_merge_markers: bool,
}

/// Looks at a body once, line by line; what stands in code fences does not count.
pub(super) fn look(body: &str) -> Looked {
    let mut looked = Looked::default();
    let mut fence = Fence::default();
    // The level of the heading under which a self-check stands.
    let mut check: Option<usize> = None;
    for line in body.lines() {
        if fence.holds(line) {
            continue;
        }
        if let Some((level, title)) = heading(line) {
            if is_self_check(title) {
                check = check.filter(|open| level > *open).or(Some(level));
            } else if check.is_some_and(|open| level <= open) {
                check = None;
            }
        } else if check.is_some()
            && let Some(item) = list_item(line)
        {
            looked.self_check.push(item.to_owned());
        }
        looked.has_merge_markers |= line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        if line.contains(['`', ']']) {
            names(line, &mut looked.named);
        }
    }
    looked
}

/// An open code fence: its character and length.
#[derive(Default)]
struct Fence(Option<(char, usize)>);

impl Fence {
    /// Whether a line is a fence or stands within one.
    fn holds(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            return self.0.is_some();
        };
        let length = line.chars().take_while(|c| *c == mark).count();
        let rest = line[length..].trim();
        match self.0 {
            None if length >= 3 && !(mark == '`' && rest.contains('`')) => {
                self.0 = Some((mark, length));
                true
            }
            None => false,
            Some((open, least)) => {
                if mark == open && length >= least && rest.is_empty() {
                    self.0 = None;
                }
                true
            }
        }
    }
}

/// Level and title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = &line[level..];
    let is_heading = (1..=6).contains(&level)
        && title.starts_with(|c: char| c.is_whitespace() || c >= '\u{2e80}');
    is_heading.then_some((level, title.trim()))
}

fn is_self_check(title: &str) -> bool {
    let title = title.to_lowercase();
    ["自检", "检查清单", "self-check", "self check", "checklist"]
        .iter()
        .any(|name| title.contains(name))
}

const BOXES: [char; 8] = ['☐', '☑', '☒', '□', '■', '✅', '✓', '✔'];

/// The text of a list item, without its mark and box.
fn list_item(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.chars().all(|c| matches!(c, '-' | '*' | '_' | ' ')) {
        return None;
    }
    let unmarked = after_mark(line);
    let text = unmarked.unwrap_or(line);
    let unboxed = after_box(text);
    if unmarked.is_none() && unboxed.is_none() {
        return None;
    }
    Some(unboxed.unwrap_or(text).trim()).filter(|text| !text.is_empty())
}

fn after_mark(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix(['-', '*', '+', '•']) {
        Some(rest) => rest,
        None => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            (1..=3).contains(&digits).then(|| line[digits..].strip_prefix(['.', ')', '、']))??
        }
    };
    rest.starts_with([' ', '\t', '[']).then(|| rest.trim_start())
}

fn after_box(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(BOXES) {
        return Some(rest.trim_start_matches('\u{fe0f}'));
    }
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_box = matches!(inside.trim(), "" | "x" | "X" | "✓" | "✔");
    (is_box && !rest.starts_with('(')).then_some(rest)
}

/// The files that a line names.
fn names(line: &str, found: &mut Vec<Named>) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', ']']) {
        if rest.as_bytes()[at] == b'`' {
            let ticks = rest[at..].bytes().take_while(|b| *b == b'`').count();
            let inside = &rest[at + ticks..];
            let Some(end) = inside.find(&rest[at..at + ticks]) else {
                rest = inside;
                continue;
            };
            add(found, &inside[..end], false);
            rest = &inside[end + ticks..];
            continue;
        }
        let after = &rest[at + 1..];
        if let Some(target) = after.strip_prefix('(') {
            add(found, link_target(target), true);
        } else if let Some(target) = after.strip_prefix(':')
            && rest[..at].trim_start().starts_with('[')
        {
            add(found, target.trim(), true);
        }
        rest = after;
    }
}

/// What stands in the brackets of a link, without its title.
fn link_target(text: &str) -> &str {
    if let Some(angled) = text.strip_prefix('<') {
        return angled.split('>').next().unwrap_or_default();
    }
    let mut depth = 0_usize;
    let end = text.find(|c| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return true,
            ')' => depth -= 1,
            _ => {}
        }
        false
    });
    let inside = text[..end.unwrap_or(text.len())].trim();
    inside
        .split_once([' ', '\t'])
        .filter(|(_, title)| title.trim_start().starts_with(['"', '\'']))
        .map_or(inside, |(target, _)| target)
}

fn add(found: &mut Vec<Named>, target: &str, by_link: bool) {
    if let Some(named) = named(target, by_link)
        && !found.contains(&named)
    {
        found.push(named);
    }
}

/// What a target names, if it is a file at all.
fn named(target: &str, by_link: bool) -> Option<Named> {
    let target = target.trim();
    if !by_link && (target.contains(char::is_whitespace) || !target.contains('.')) {
        return None;
    }
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let target = target.strip_prefix("{baseDir}/").unwrap_or(target);
    let outside = || by_link.then_some(Named::Outside);
    if target.is_empty() || target.starts_with("//") {
        return None;
    }
    if let Some((scheme, _)) = target.split_once(':') {
        let is_scheme = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b));
        let is_local = scheme.len() == 1 || scheme.eq_ignore_ascii_case("file");
        if is_scheme {
            return if is_local { outside() } else { None };
        }
    }
    if target.starts_with(['/', '\\', '~']) {
        return outside();
    }
    match within(&decoded(target)) {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(Named::Inside { path, by_link }),
        None => outside(),
    }
}

/// A path without `.` and `..`; none: it climbs out.
fn within(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A link's path without its percent signs.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, next)) = rest.split_first() {
        let coded = (*byte == b'%').then(|| next.get(..2)).flatten();
        let value = coded
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(value.unwrap_or(*byte));
        rest = if value.is_some() { &next[2..] } else { next };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The first paragraph of ordinary text, on one line.
pub(super) fn first_paragraph(body: &str) -> String {
    let mut fence = Fence::default();
    let mut paragraph: Vec<&str> = Vec::new();
    for line in body.lines() {
        let line = if fence.holds(line) { "" } else { line.trim() };
        let is_text = !line.is_empty()
            && heading(line).is_none()
            && !line.starts_with(['<', '|', '!'])
            && !line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
        if is_text {
            paragraph.push(line.trim_start_matches("> "));
        } else if !paragraph.is_empty() {
            break;
        }
    }
    paragraph.join(" ")
}
