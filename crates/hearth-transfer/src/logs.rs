//! Two daily logs of one day made one: what the other has and ours has not, piece by piece.
//!
//! A piece is a list item with what is indented below it, or a paragraph. Invariants: nothing of ours changes;
//! a piece that is in ours, in whatever place, does not come again; headings come along with pieces below them.

/// The pieces of `theirs` that `ours` has not, in their order, and how many; none where all are there.
#[must_use]
pub fn missing(ours: &str, theirs: &str) -> Option<(String, usize)> {
    let ours = plain(ours);
    let known = |piece: &str| ours.contains(&plain(piece));
    let mut out = String::new();
    let mut headings: Vec<String> = Vec::new();
    let mut added = 0;
    for piece in pieces(theirs) {
        if let Some(level) = heading(&piece) {
            headings.retain(|other| heading(other).is_some_and(|above| above < level));
            headings.push(piece);
            continue;
        }
        if known(&piece) {
            continue;
        }
        // The title of the day stands there already.
        for heading in headings.drain(..).filter(|one| !(one.starts_with("# ") && known(one))) {
            out.push_str(&format!("\n{heading}\n\n"));
        }
        if !is_item(&piece) && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        out.push_str(&piece);
        out.push('\n');
        added += 1;
    }
    (added > 0).then_some((out, added))
}

/// Lines as they are compared: blanks and empty lines do not count.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    format!("\n{}\n", lines.join("\n"))
}

fn is_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign))
}

fn heading(piece: &str) -> Option<usize> {
    let level = piece.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level).then_some(level).filter(|level| piece[*level..].starts_with(' '))
}

fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut fence = false;
    let mut fresh = true;
    for line in text.lines() {
        let said = line.trim();
        let marks = said.starts_with("```") || said.starts_with("~~~");
        if said.is_empty() && !fence {
            fresh = true;
            continue;
        }
        let below = line.starts_with([' ', '\t']);
        let begins = !fence && (is_item(line) || heading(said).is_some() || (fresh && !below));
        match pieces.last_mut() {
            Some(last) if !begins => {
                last.push('\n');
                last.push_str(line.trim_end());
            }
            _ => pieces.push(line.trim_end().to_owned()),
        }
        fence ^= marks;
        // What follows a heading without an empty line is not part of it.
        fresh = !fence && heading(said).is_some();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_is_missing_comes() {
        let ours =
            "# 2026-02-01\n\n- 09:30 tea\n- call Bo\n  on Monday\n\n## Work\n\nA paragraph.\n";
        let theirs = "# 2026-02-01\n\n- call Bo\n  on Monday\n- buy  milk\n\n## Work\nA paragraph.\n\n## Health\n\n- ran\n\n```\n- no item\n\nstill code\n```\n";
        let (text, added) = missing(ours, theirs).expect("something");
        assert_eq!(added, 3);
        assert_eq!(
            text,
            "- buy  milk\n\n## Health\n\n- ran\n\n```\n- no item\n\nstill code\n```\n"
        );
        let both = format!("{ours}{text}");
        assert_eq!(missing(&both, theirs), None, "a second time nothing comes");
        assert_eq!(missing(ours, ours), None);
        assert_eq!(missing("", ""), None);
    }

    proptest! {
        #[test]
        fn merging_twice_adds_nothing(ours in "([-#* a-c\n`]|  ){0,60}", theirs in "([-#* a-c\n`]|  ){0,60}") {
            if let Some((text, _)) = missing(&ours, &theirs) {
                prop_assert_eq!(missing(&format!("{ours}\n{text}"), &theirs), None);
            }
        }
    }
}
