//! Three-way merge by lines.
//!
//! Invariants: a line that one side added or kept, and the other did not remove, is in the result;
//! where both added lines at one place, both stand there, those on disk first; where both changed
//! the same lines differently, nothing is decided.

use diffy::{DiffOptions, Line};
use std::ops::Range;

const OURS: &str = "<<<<<<< yours";
const MIDDLE: &str = "=======";
const THEIRS: &str = ">>>>>>> on disk";

/// Result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Both edits.
    Clean(String),
    /// The edits overlap: the whole text with both, between conflict markers.
    Conflict(String),
}

/// Merges two edits of `base`; `theirs` is what stands on disk.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merge {
    // A last line without an end would differ from the same line with one.
    let ended = |text: &str| !text.is_empty() && !text.ends_with('\n');
    let end = if theirs.contains("\r\n") { "\r\n" } else { "\n" };
    let closed = |text: &str| if ended(text) { format!("{text}{end}") } else { text.to_owned() };
    let (b, o, t) = (closed(base), closed(ours), closed(theirs));
    let mut out = Output { text: String::new(), conflict: false, end };
    out.run(&b, &changes(&b, &o), &changes(&b, &t));
    if out.conflict {
        return Merge::Conflict(out.text);
    }
    if ended(ours) && ended(theirs) && out.text.ends_with(end) {
        out.text.truncate(out.text.len() - end.len());
    }
    Merge::Clean(out.text)
}

/// Both texts whole, between conflict markers.
pub(crate) fn marked_whole(ours: &str, theirs: &str) -> String {
    let mut out = Output { text: String::new(), conflict: true, end: "\n" };
    out.marked(ours, theirs);
    out.text
}

/// Lines of the base that one side replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change<'a> {
    base: Range<usize>,
    lines: Vec<&'a str>,
}

fn changes<'a>(base: &'a str, side: &'a str) -> Vec<Change<'a>> {
    // With all context there is one hunk, and its lines tell where each change stands.
    let context = base.lines().count() + side.lines().count() + 1;
    let patch = DiffOptions::new().set_context_len(context).create_patch(base, side);
    let side: Vec<&'a str> = side.split_inclusive('\n').collect();
    let mut changes: Vec<Change<'a>> = Vec::new();
    let (mut at, mut side_at, mut open) = (0, 0, false);
    for line in patch.hunks().iter().flat_map(|hunk| hunk.lines()) {
        if let Line::Context(_) = line {
            at += 1;
            side_at += 1;
            open = false;
            continue;
        }
        if !open {
            changes.push(Change { base: at..at, lines: Vec::new() });
            open = true;
        }
        let Some(change) = changes.last_mut() else { continue };
        if let Line::Insert(_) = line {
            change.lines.extend(side.get(side_at));
            side_at += 1;
        } else {
            at += 1;
            change.base.end = at;
        }
    }
    changes
}

impl Change<'_> {
    fn inserts(&self) -> bool {
        self.base.is_empty()
    }

    /// Whether two changes touch the same lines. An insertion at the edge of a change does not.
    fn overlaps(&self, other: &Self) -> bool {
        match (self.inserts(), other.inserts()) {
            (true, true) => self.base.start == other.base.start,
            (true, false) => other.base.start < self.base.start && self.base.start < other.base.end,
            (false, true) => other.overlaps(self),
            (false, false) => self.base.start < other.base.end && other.base.start < self.base.end,
        }
    }
}

struct Output {
    text: String,
    conflict: bool,
    end: &'static str,
}

impl Output {
    fn run(&mut self, base: &str, ours: &[Change<'_>], theirs: &[Change<'_>]) {
        let lines: Vec<&str> = base.split_inclusive('\n').collect();
        let (mut o, mut t, mut at) = (0, 0, 0);
        loop {
            // The next change of either side, with all that it overlaps, each through the other.
            let (first_o, first_t) = (o, t);
            let Some(mut span) = next_span(ours.get(o), theirs.get(t)) else { break };
            take_first(ours, theirs, &mut o, &mut t);
            loop {
                let before = (o, t);
                grow(ours, &theirs[first_t..t], &mut o, &mut span);
                grow(theirs, &ours[first_o..o], &mut t, &mut span);
                if before == (o, t) {
                    break;
                }
            }
            self.lines(&lines[at..span.start]);
            let (mine, other) = (&ours[first_o..o], &theirs[first_t..t]);
            self.group(&lines, &span, mine, other);
            at = span.end;
        }
        self.lines(&lines[at..]);
    }

    fn group(
        &mut self,
        base: &[&str],
        span: &Range<usize>,
        ours: &[Change<'_>],
        theirs: &[Change<'_>],
    ) {
        let mine = applied(base, span, ours);
        let other = applied(base, span, theirs);
        if theirs.is_empty() || mine == other {
            self.lines(&mine);
        } else if ours.is_empty() {
            self.lines(&other);
        } else if span.is_empty() {
            self.lines(&other);
            self.lines(&mine);
        } else {
            self.conflict = true;
            self.marked(&mine.concat(), &other.concat());
        }
    }

    fn lines(&mut self, lines: &[&str]) {
        self.text.extend(lines.iter().copied());
    }

    fn marked(&mut self, ours: &str, theirs: &str) {
        let end = self.end;
        for (marker, side) in [(OURS, ours), (MIDDLE, theirs)] {
            self.text.push_str(marker);
            self.text.push_str(end);
            self.text.push_str(side);
            if !side.is_empty() && !side.ends_with('\n') {
                self.text.push_str(end);
            }
        }
        self.text.push_str(THEIRS);
        self.text.push_str(end);
    }
}

fn next_span(ours: Option<&Change<'_>>, theirs: Option<&Change<'_>>) -> Option<Range<usize>> {
    match (ours, theirs) {
        (Some(a), Some(b)) => Some(if goes_first(a, b) { a } else { b }.base.clone()),
        (Some(one), None) | (None, Some(one)) => Some(one.base.clone()),
        (None, None) => None,
    }
}

fn take_first(ours: &[Change<'_>], theirs: &[Change<'_>], o: &mut usize, t: &mut usize) {
    let first = match (ours.get(*o), theirs.get(*t)) {
        (Some(a), Some(b)) => goes_first(a, b),
        (mine, _) => mine.is_some(),
    };
    *(if first { o } else { t }) += 1;
}

/// An insertion goes before a change that starts at the same line.
fn goes_first(a: &Change<'_>, b: &Change<'_>) -> bool {
    (a.base.start, !a.inserts()) <= (b.base.start, !b.inserts())
}

fn grow(side: &[Change<'_>], other: &[Change<'_>], next: &mut usize, span: &mut Range<usize>) {
    while let Some(change) = side.get(*next)
        && other.iter().any(|taken| taken.overlaps(change))
    {
        span.end = span.end.max(change.base.end);
        span.start = span.start.min(change.base.start);
        *next += 1;
    }
}

fn applied<'a>(base: &[&'a str], span: &Range<usize>, changes: &[Change<'a>]) -> Vec<&'a str> {
    let mut out = Vec::new();
    let mut at = span.start;
    for change in changes {
        out.extend(&base[at..change.base.start]);
        out.extend(&change.lines);
        at = change.base.end;
    }
    out.extend(&base[at..span.end]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(base: &str, ours: &str, theirs: &str) -> String {
        match merge(base, ours, theirs) {
            Merge::Clean(text) => text,
            Merge::Conflict(marked) => panic!("conflict:\n{marked}"),
        }
    }

    #[test]
    fn edits_in_different_places_are_both_taken() {
        assert_eq!(clean("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n"), "A\nb\nc\nD\n");
        assert_eq!(clean("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n"), "a\nc\nd\n");
        assert_eq!(clean("a\nb\n", "A\nb\n", "a\nB\n"), "A\nB\n");
        assert_eq!(clean("a\nb\n", "a\nb\n", "x\n"), "x\n");
    }

    #[test]
    fn two_appends_at_one_place_are_both_taken() {
        assert_eq!(clean("a\n", "a\nmine\n", "a\ntheirs\n"), "a\ntheirs\nmine\n");
        assert_eq!(clean("a", "a\nmine", "a\ntheirs"), "a\ntheirs\nmine");
        assert_eq!(clean("a", "a\nmine\n", "a\ntheirs"), "a\ntheirs\nmine\n");
        assert_eq!(clean("", "mine\n", "theirs\n"), "theirs\nmine\n");
        assert_eq!(
            clean("h\n\nz\n", "h\n\nmine\nz\n", "h\n\ntheirs\nz\n"),
            "h\n\ntheirs\nmine\nz\n"
        );
        assert_eq!(clean("a\r\n", "a\r\nm\r\n", "a\r\nt\r\n"), "a\r\nt\r\nm\r\n");
    }

    #[test]
    fn the_same_edit_counts_once() {
        assert_eq!(clean("a\nb\n", "a\nB\n", "a\nB\n"), "a\nB\n");
        assert_eq!(clean("a\n", "a\nx\n", "a\nx\n"), "a\nx\n");
    }

    #[test]
    fn an_addition_beside_a_change_is_no_conflict() {
        assert_eq!(clean("a\n", "a\nb\n", "A\n"), "A\nb\n");
        assert_eq!(clean("a\n", "x\na\n", "A\n"), "x\nA\n");
    }

    #[test]
    fn overlapping_edits_are_a_conflict() {
        assert_eq!(
            merge("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n"),
            Merge::Conflict(
                "a\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> on disk\nc\n".to_owned()
            )
        );
        assert!(matches!(merge("a\nb\n", "a\n", "a\nB\n"), Merge::Conflict(_)));
        assert!(matches!(merge("a\nb\nc\nd\n", "X\nd\n", "a\nb\nY\nd\n"), Merge::Conflict(_)));
        assert!(matches!(merge("a\nb\n", "", "a\nx\nb\n"), Merge::Conflict(_)));
    }
}
