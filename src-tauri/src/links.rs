//! Links that open Hearth from other programs: `hearth://memory`, `hearth://chat/assistant:main`.
//!
//! Invariant: a link shows a page and nothing else. It sends, allows and changes nothing, whoever made it.

use tauri::Url;

/// What links begin with; the packages tell the system so.
const SCHEME: &str = "hearth";

/// The pages of the main window.
const PAGES: [&str; 7] =
    ["chat", "memory", "persona", "skills", "heartbeat", "activity", "settings"];

/// No place within a page is longer.
const MOST_CHARS: usize = 512;

/// The path of the main window that a link leads to; none where it is no link of ours.
pub(crate) fn path_of(link: &str) -> Option<String> {
    let url = Url::parse(link).ok().filter(|url| url.scheme() == SCHEME)?;
    let page = url.host_str()?.to_ascii_lowercase();
    let path = format!("/{page}{}", url.path().trim_end_matches('/'));
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:%.-_~".contains(c);
    let fits = path.len() <= MOST_CHARS && path.chars().all(plain);
    (PAGES.contains(&page.as_str()) && fits).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn a_link_leads_to_a_page_and_nowhere_else() {
        for (link, path) in [
            ("hearth://memory", Some("/memory")),
            ("hearth://Memory/", Some("/memory")),
            ("hearth://chat/assistant:main", Some("/chat/assistant:main")),
            ("hearth://persona/SOUL.md?x=1#y", Some("/persona/SOUL.md")),
            ("hearth://persona/memory%2F2026-01-02.md", Some("/persona/memory%2F2026-01-02.md")),
            ("hearth://quit", None),
            ("hearth:memory", None),
            ("hearth://chat/<script>", Some("/chat/%3Cscript%3E")),
            ("https://memory", None),
            ("memory", None),
            ("", None),
        ] {
            assert_eq!(path_of(link).as_deref(), path, "{link}");
        }
        assert_eq!(path_of(&format!("hearth://chat/{}", "x".repeat(600))), None);
    }
}
