//! The small prompt: for a model that reads slowly, sections are cut so that all of them together fit.
//!
//! Invariants: small sections stay whole, large ones share what is left equally; what stands above the
//! cache boundary depends on nothing below it; each cut is marked. Hearth's own words are never cut.

use super::Slot;
use super::assemble::Piece;
use crate::TokenCounter;
use crate::cut::{back_to_line, first_chars, last_chars, on_to_line};

/// Tokens kept free for the message and the day.
const MESSAGE_TOKENS: u64 = 150;
/// Share of the rest for the files above the cache boundary, in percent.
const STABLE_PERCENT: u64 = 75;
/// What a heading and a marker cost about.
const HEADING_TOKENS: u64 = 12;
const MARKER_TOKENS: u64 = 24;

/// Cuts the given sections to the budget.
pub(super) fn shrink(pieces: &mut [Piece], budget: u64, counter: &dyn TokenCounter) {
    for piece in pieces.iter_mut() {
        piece.tokens = counter.count(&piece.text);
    }
    let own = |piece: &&Piece| piece.slot.is_stable() && !is_given(piece.slot);
    let framing: u64 = pieces.iter().filter(own).map(|piece| piece.tokens + 2).sum();
    let left = budget.saturating_sub(MESSAGE_TOKENS).saturating_sub(framing);
    let stable = left * STABLE_PERCENT / 100;
    share(pieces, true, stable, counter);
    share(pieces, false, left - stable, counter);
}

fn is_given(slot: Slot) -> bool {
    slot.has_heading() || slot == Slot::SkillIndex
}

/// Shares tokens among the sections on one side of the boundary.
fn share(pieces: &mut [Piece], stable: bool, budget: u64, counter: &dyn TokenCounter) {
    let mut given: Vec<&mut Piece> = pieces
        .iter_mut()
        .filter(|piece| is_given(piece.slot) && piece.slot.is_stable() == stable)
        .collect();
    given.sort_by_key(|piece| piece.tokens);
    let mut left = budget;
    let count = given.len() as u64;
    for (n, piece) in given.into_iter().enumerate() {
        let fair = left / (count - n as u64);
        let wanted = piece.tokens + HEADING_TOKENS;
        if wanted > fair {
            cut(piece, fair.saturating_sub(HEADING_TOKENS), counter);
        }
        left = left.saturating_sub(wanted.min(fair));
    }
}

/// Cuts a section to so many tokens: beginning, marker, end.
fn cut(piece: &mut Piece, tokens: u64, counter: &dyn TokenCounter) {
    let chars = piece.text.chars().count() as u64;
    let for_text = tokens.saturating_sub(MARKER_TOKENS);
    let mut room = (chars * for_text).checked_div(piece.tokens).unwrap_or(0);
    let mut text = shown(piece, chars, room);
    while room > 0 && counter.count(&text) > tokens {
        room = room * 4 / 5;
        text = shown(piece, chars, room);
    }
    piece.text = text.into();
    piece.truncated = true;
    piece.reason.push_str("; cut for the small prompt");
}

fn shown(piece: &Piece, chars: u64, room: u64) -> String {
    let head = back_to_line(first_chars(&piece.text, (room * 3 / 4) as usize));
    let tail = on_to_line(last_chars(&piece.text, (room / 5) as usize));
    let kept = head.chars().count() + tail.chars().count();
    format!("{head}\n[… {kept} of {chars} characters shown …]\n{tail}")
}
