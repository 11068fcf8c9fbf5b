//! Thinking that a model leaks into its visible text as `<think>…</think>`, taken out while it streams.
//!
//! Invariants: the same pieces come out however the text is split; nothing but the tags is lost; a tag
//! in code (after a backtick or in a fence) is text. Absent here: thinking that providers send apart.

/// Opening and closing tags, as the models in the wild write them.
const OPENING: [&str; 2] = ["<think>", "<thinking>"];
const CLOSING: [&str; 2] = ["</think>", "</thinking>"];

/// A piece of a reply, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// For the person.
    Visible(String),
    /// Thinking.
    Hidden(String),
}

/// The filter's state between two deltas.
#[derive(Debug, Default)]
pub struct ThinkFilter {
    inside: bool,
    /// The beginning of what may become a tag.
    pending: String,
    code: CodeTracker,
}

impl ThinkFilter {
    /// Takes the next delta and returns what is certain by now.
    pub fn feed(&mut self, delta: &str) -> Vec<Piece> {
        let mut text = std::mem::take(&mut self.pending);
        text.push_str(delta);
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('<') {
            self.push(&rest[..at], &mut pieces);
            rest = &rest[at..];
            match self.tag_at(rest) {
                Tag::Whole(length) => {
                    self.inside = !self.inside;
                    rest = &rest[length..];
                }
                Tag::Beginning => {
                    self.pending = rest.to_owned();
                    return pieces;
                }
                Tag::None => {
                    self.push("<", &mut pieces);
                    rest = &rest[1..];
                }
            }
        }
        self.push(rest, &mut pieces);
        pieces
    }

    /// The text ended: what looked like the beginning of a tag was text.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let pending = std::mem::take(&mut self.pending);
        self.push(&pending, &mut pieces);
        pieces
    }

    fn tag_at(&self, rest: &str) -> Tag {
        let tags = if self.inside { CLOSING } else { OPENING };
        if !self.inside && self.code.is_code() {
            return Tag::None;
        }
        if let Some(tag) = tags.iter().find(|tag| rest.starts_with(**tag)) {
            return Tag::Whole(tag.len());
        }
        if tags.iter().any(|tag| tag.starts_with(rest)) { Tag::Beginning } else { Tag::None }
    }

    fn push(&mut self, text: &str, pieces: &mut Vec<Piece>) {
        if text.is_empty() {
            return;
        }
        if !self.inside {
            self.code.see(text);
        }
        match (pieces.last_mut(), self.inside) {
            (Some(Piece::Visible(last)), false) | (Some(Piece::Hidden(last)), true) => {
                last.push_str(text);
            }
            (_, false) => pieces.push(Piece::Visible(text.to_owned())),
            (_, true) => pieces.push(Piece::Hidden(text.to_owned())),
        }
    }
}

/// Splits a whole text into what is visible and what is thinking.
#[must_use]
pub fn split(text: &str) -> (String, String) {
    let mut filter = ThinkFilter::default();
    let (mut visible, mut hidden) = (String::new(), String::new());
    for piece in filter.feed(text).into_iter().chain(filter.finish()) {
        match piece {
            Piece::Visible(text) => visible.push_str(&text),
            Piece::Hidden(text) => hidden.push_str(&text),
        }
    }
    (visible, hidden)
}

enum Tag {
    Whole(usize),
    Beginning,
    None,
}

/// Knows whether the next character stands in a code fence or right after a backtick.
#[derive(Debug)]
struct CodeTracker {
    in_fence: bool,
    after_tick: bool,
    /// Backticks since the line began, while nothing else came.
    ticks: Option<u8>,
}

impl Default for CodeTracker {
    fn default() -> Self {
        Self { in_fence: false, after_tick: false, ticks: Some(0) }
    }
}

impl CodeTracker {
    fn is_code(&self) -> bool {
        self.in_fence || self.after_tick
    }

    fn see(&mut self, text: &str) {
        for c in text.chars() {
            self.after_tick = c == '`';
            self.ticks = match (c, self.ticks) {
                ('\n', _) => Some(0),
                (' ', Some(0)) => Some(0),
                ('`', Some(2)) => {
                    self.in_fence = !self.in_fence;
                    None
                }
                ('`', Some(n)) => Some(n + 1),
                _ => None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, visible: &str, hidden: &str) {
        assert_eq!(split(text), (visible.to_owned(), hidden.to_owned()), "{text:?}");
    }

    #[test]
    fn tags_part_thinking_from_text() {
        check("plain", "plain", "");
        check("<think>hm</think>yes", "yes", "hm");
        check("<thinking>hm</thinking>\n\nyes", "\n\nyes", "hm");
        check("a <think>b</think> c", "a  c", "b");
        check("<think>never closed", "", "never closed");
        check("<think></think>x", "x", "");
        check("1 < 2 <thin", "1 < 2 <thin", "");
        check("<think>a<b</think>c", "c", "a<b");
        check("no opening</think> x", "no opening</think> x", "");
        check("write `<think>` so", "write `<think>` so", "");
        check("```\n<think>\n```\n<think>x</think>y", "```\n<think>\n```\ny", "x");
        check("<思考><think>想</think>好", "<思考>好", "想");
    }

    proptest! {
        #[test]
        fn splitting_changes_nothing(
            words in prop::collection::vec(
                prop::sample::select(vec!["<think>", "</think>", "<thi", "nk>", "a", "你", "`", "\n", "```", "<", " "]),
                0..20,
            ),
            cuts in prop::collection::vec(0usize..8, 0..40),
        ) {
            let text = words.concat();
            let mut filter = ThinkFilter::default();
            let (mut visible, mut hidden) = (String::new(), String::new());
            let chars: Vec<char> = text.chars().collect();
            let mut at = 0;
            let mut pieces = Vec::new();
            for cut in cuts {
                let end = (at + cut).min(chars.len());
                pieces.extend(filter.feed(&chars[at..end].iter().collect::<String>()));
                at = end;
            }
            pieces.extend(filter.feed(&chars[at..].iter().collect::<String>()));
            pieces.extend(filter.finish());
            for piece in pieces {
                match piece {
                    Piece::Visible(t) => visible.push_str(&t),
                    Piece::Hidden(t) => hidden.push_str(&t),
                }
            }
            prop_assert_eq!((visible, hidden), split(&text));
        }
    }
}
