//! What a server sent, as text that a model can read.
//!
//! Invariants: nothing of a page runs or is fetched; what is no text is named, not shown; a page nested so
//! deep that rendering it could exhaust the stack is shown without its form.

use crate::pdf;
use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability, TextMode};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Elements within elements; no page for people comes near.
const DEEPEST: usize = 250;
/// As deep as this by its tags, and it is not even parsed: a parser looks through all open elements at each tag.
const DEEPEST_TAGS: usize = 1_000;
/// More elements than this are not looked through for the article.
const MOST_ELEMENTS: usize = 60_000;
/// Characters of a page that has an article worth the name.
const ARTICLE: usize = 250;

/// The text of a body, with a title where it has one.
pub(crate) fn text(body: &[u8], content_type: &str, url: &str) -> Result<String, String> {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parameter(content_type, "charset");
    match kind.as_str() {
        _ if body.starts_with(b"%PDF-") => pdf::text(body),
        "text/html" | "application/xhtml+xml" => Ok(markdown(&decoded(body, charset, true), url)),
        "" if looks_like_html(body) => Ok(markdown(&decoded(body, charset, true), url)),
        "" if body.contains(&0) => Err("The server sent something that is no text.".to_owned()),
        "" => Ok(decoded(body, charset, false)),
        kind if is_text(kind) && !is_binary(body, charset) => Ok(decoded(body, charset, false)),
        kind => Err(format!(
            "The server sent {kind} ({} bytes), which cannot be shown as text.",
            body.len()
        )),
    }
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || ["json", "xml", "yaml", "javascript", "toml", "x-sh", "graphql", "sql"]
            .iter()
            .any(|word| kind.ends_with(word))
}

fn is_binary(body: &[u8], charset: Option<&str>) -> bool {
    let wide = charset.is_some_and(|name| name.to_ascii_lowercase().starts_with("utf-16"))
        || body.starts_with(&[0xff, 0xfe])
        || body.starts_with(&[0xfe, 0xff]);
    !wide && body.iter().take(4_096).any(|byte| *byte == 0)
}

fn looks_like_html(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&body[..body.len().min(512)]).to_ascii_lowercase();
    start.contains("<html") || start.contains("<!doctype html")
}

fn parameter<'a>(content_type: &'a str, name: &str) -> Option<&'a str> {
    content_type.split(';').skip(1).find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// By the server's word, else the page's own, else as what it is.
fn decoded(body: &[u8], charset: Option<&str>, html: bool) -> String {
    let named = charset.and_then(|name| Encoding::for_label(name.as_bytes()));
    let own = || html.then(|| declared(body)).flatten();
    let guess = || if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 };
    let encoding = named.or_else(own).unwrap_or_else(guess);
    // A byte-order mark wins over all of them.
    encoding.decode(body).0.into_owned()
}

/// What the page says of itself in its first bytes.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&body[..body.len().min(2_048)]).to_ascii_lowercase();
    let value = start.split("charset=").nth(1)?.trim_start_matches(['"', '\'', ' ']);
    let name: String =
        value.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    Encoding::for_label(name.as_bytes())
}

/// The article of a page as Markdown, or the whole page where it has none.
fn markdown(html: &str, url: &str) -> String {
    if depth_of_tags(html) > DEEPEST_TAGS {
        return tidy(&stripped(html));
    }
    let document = Document::from(html);
    let title = document.select_single("title").text().trim().to_owned();
    let (depth, elements) = extent(&document.root());
    let body = if depth > DEEPEST {
        stripped(html)
    } else {
        let article = (elements <= MOST_ELEMENTS).then(|| article(html, url)).flatten();
        article.unwrap_or_else(|| {
            let skipped =
                ["script", "style", "meta", "head", "noscript", "template", "svg", "iframe"];
            document.md(Some(&skipped)).to_string()
        })
    };
    let body = tidy(&body);
    if title.is_empty() || body.starts_with("# ") { body } else { format!("# {title}\n\n{body}") }
}

fn article(html: &str, url: &str) -> Option<String> {
    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let mut reader = Readability::new(html, Some(url), Some(config)).ok()?;
    let text = reader.parse().ok()?.text_content.to_string();
    (text.chars().count() >= ARTICLE).then_some(text)
}

/// How deep the tree is, and how many nodes it has. Walked without recursion.
fn extent(root: &NodeRef<'_>) -> (usize, usize) {
    let (mut depth, mut deepest, mut count) = (0_usize, 0, 0);
    let mut at = root.first_child();
    while let Some(node) = at {
        count += 1;
        if let Some(child) = node.first_child() {
            depth += 1;
            deepest = deepest.max(depth);
            at = Some(child);
            continue;
        }
        let mut next = node.next_sibling();
        let mut up = node;
        while next.is_none() && depth > 0 {
            let Some(parent) = up.parent() else { break };
            depth -= 1;
            next = parent.next_sibling();
            up = parent;
        }
        at = next;
    }
    (deepest, count)
}

/// Tags that are never closed, or need not be.
const UNCLOSED: [&str; 31] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead",
    "tbody", "tfoot", "colgroup", "rt", "rp", "body", "html",
];

/// How deep elements stand in each other, as far as their tags tell.
fn depth_of_tags(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        let (closes, name) = tag.strip_prefix('/').map_or((false, tag), |name| (true, name));
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name[..end].to_ascii_lowercase();
        if name.is_empty() || UNCLOSED.contains(&name.as_str()) {
            continue;
        }
        depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text between the tags.
fn stripped(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// No trailing blanks, no more than one empty line in a row.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(body: &str) -> String {
        text(body.as_bytes(), "text/html; charset=utf-8", "https://example.com/a/").expect("text")
    }

    #[test]
    fn a_page_becomes_markdown() {
        let long = "The quay was quiet that morning, and the boats lay still in the grey water. "
            .repeat(12);
        let page = html(&format!(
            "<html><head><title>Quay</title><script>bad()</script></head><body><nav><a href=/x>menu</a></nav>\
             <article><h2>Morning</h2><p>{long}</p><p>See <a href=\"b.html\">more</a>.</p></article></body></html>"
        ));
        assert!(page.starts_with("# Quay"), "{page}");
        assert!(
            page.contains("The quay was quiet") && page.contains("https://example.com/a/b.html"),
            "{page}"
        );
        assert!(!page.contains("bad()") && !page.contains("<p>"), "{page}");
    }

    #[test]
    fn a_short_page_is_shown_whole() {
        let page = html("<title>T</title><ul><li>one</li><li>two</li></ul><script>x</script>");
        assert!(page.contains("one") && page.contains("two") && !page.contains("script"), "{page}");
    }

    #[test]
    fn charsets_are_read() {
        let (gbk, _, _) = encoding_rs::GBK.encode("<meta charset=gbk><p>你好，世界</p>");
        assert!(
            text(&gbk, "text/html", "https://a.example/").expect("text").contains("你好，世界")
        );
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("日本語");
        assert_eq!(text(&sjis, "text/plain; charset=\"Shift_JIS\"", "").expect("text"), "日本語");
        assert_eq!(text(b"caf\xe9", "text/plain", "").expect("text"), "café");
        assert_eq!(text("é".as_bytes(), "", "").expect("text"), "é");
        assert_eq!(text(b"{\"a\":1}", "application/ld+json", "").expect("text"), "{\"a\":1}");
    }

    #[test]
    fn what_is_no_text_is_named() {
        let why = text(b"\x89PNG\r\n", "image/png", "").expect_err("no text");
        assert!(why.contains("image/png"));
        assert!(text(b"a\0b", "text/plain", "").is_err());
        assert!(text(b"a\0b", "", "").is_err());
        assert!(text(b"%PDF-1.4 broken", "application/pdf", "").is_err());
        assert_eq!(text(b"", "text/html", "https://a.example/").expect("nothing"), "");
    }

    #[test]
    fn a_page_nested_without_end_does_no_harm() {
        let deep = format!("<title>Deep</title>{}bottom", "<div>".repeat(200_000));
        assert!(html(&deep).contains("bottom"));
        let wide = "<p>x</p>".repeat(100_000);
        assert!(html(&wide).contains('x'));
    }
}
