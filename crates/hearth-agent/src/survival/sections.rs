//! Markdown files that hold one section a session key: `## assistant:main`.
//!
//! Invariant: only the named section changes. A body never holds a line that begins a section.

/// The session's own section without its heading, trimmed; none where there is none or it is empty.
#[must_use]
pub fn section<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (from, to) = span(text, key)?;
    let body = text[from..to].trim();
    (!body.is_empty()).then_some(body)
}

/// The text with the session's section replaced; an empty body takes the section away. `title` begins a new
/// file.
#[must_use]
pub fn with_section(text: &str, key: &str, body: &str, title: &str) -> String {
    let body = body.trim();
    match span(text, key) {
        Some((from, to)) if body.is_empty() => {
            let heading = text[..from].trim_end().rfind("## ").unwrap_or(from);
            format!("{}{}", &text[..heading], &text[to..])
        }
        Some((from, to)) => {
            let end = if to < text.len() { "\n\n" } else { "\n" };
            format!("{}{body}{end}{}", &text[..from], &text[to..])
        }
        None if body.is_empty() => text.to_owned(),
        None => {
            let begun = if text.trim().is_empty() { title } else { text };
            format!("{}\n\n## {key}\n{body}\n", begun.trim_end())
        }
    }
}

/// The session keys that have a section, in order.
pub fn keys(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim).filter(|k| is_key(k))
}

fn is_key(heading: &str) -> bool {
    heading.contains(':') && !heading.contains(char::is_whitespace)
}

/// Where the section's body begins and ends.
fn span(text: &str, key: &str) -> Option<(usize, usize)> {
    let mut from = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let heading = line.strip_prefix("## ").map(str::trim);
        match (from, heading) {
            (None, Some(heading)) if heading == key => from = Some(at + line.len()),
            (Some(from), Some(_)) => return Some((from, at)),
            _ => {}
        }
        at += line.len();
    }
    from.map(|from| (from, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_section_changes() {
        let theirs = "# Mine\nby hand\n\n## assistant:a\n- one\n\n## Notes\nfree text\n";
        let text = with_section(theirs, "assistant:b", "- two", "# T");
        assert_eq!(text, format!("{theirs}\n## assistant:b\n- two\n"));
        assert_eq!(section(&text, "assistant:b"), Some("- two"));
        let text = with_section(&text, "assistant:a", "- new\n- more\n", "# T");
        assert_eq!(section(&text, "assistant:a"), Some("- new\n- more"));
        assert!(
            text.starts_with("# Mine\nby hand\n\n## assistant:a\n- new\n- more\n\n## Notes\nfree")
        );
        assert_eq!(keys(&text).collect::<Vec<_>>(), ["assistant:a", "assistant:b"]);
        let text = with_section(&text, "assistant:a", "", "# T");
        assert_eq!(text, "# Mine\nby hand\n\n## Notes\nfree text\n\n## assistant:b\n- two\n");
        assert_eq!(section(&text, "assistant:a"), None);
    }

    #[test]
    fn a_new_file_begins_with_its_title() {
        assert_eq!(
            with_section("", "assistant:a", "- x", "# T\nwhy"),
            "# T\nwhy\n\n## assistant:a\n- x\n"
        );
        assert_eq!(with_section("", "assistant:a", "", "# T"), "");
    }
}
