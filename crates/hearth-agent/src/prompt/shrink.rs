//! The small prompt: for a model that reads slowly, sections are cut so that all of them together fit.
//!
//! Invariants: what matters most comes first, and a section that could only be named is left out; what stands
//! above the cache boundary depends on nothing below it; each cut is marked. Hearth's own words and the
//! index of skills, which is short there, are never cut.

use super::Slot;
use super::assemble::Piece;
use crate::TokenCounter;
use crate::cut::{back_to_line, first_chars, last_chars, on_to_line};

/// Tokens kept free for the message and the day.
const MESSAGE_TOKENS: u64 = 60;
/// Of the budget, for what a turn brings along: what is recalled for its message, notes of the session. It
/// gets what the files leave, too.
const TURN_TOKENS: u64 = 90;
/// Beside the budget, for skills at work: instructions that are cut are none.
const SKILL_TOKENS: u64 = 1_200;
/// Of the budget, for tools: what those take that are always offered. Others come by the words of a conversation, and
/// what stands above the cache boundary may not shrink for them.
const TOOL_TOKENS: u64 = 256;
/// What a heading and a marker cost about.
const HEADING_TOKENS: u64 = 9;
const MARKER_TOKENS: u64 = 4;
/// With less a section says nothing.
const LEAST_TOKENS: u64 = 60;
const MARKER: &str = "[…]";
/// From so many characters on the end of a section is shown, too.
const TAIL_CHARS: u64 = 600;

/// Cuts the given sections to the budget.
pub(super) fn shrink(pieces: &mut [Piece], budget: u64, counter: &dyn TokenCounter) {
    for piece in pieces.iter_mut() {
        piece.tokens = counter.count(&piece.text);
    }
    let own = |piece: &&Piece| piece.slot.is_stable() && !is_given(piece.slot);
    let price = |piece: &Piece| match piece.slot {
        Slot::Tools => piece.tokens.min(TOOL_TOKENS),
        _ => piece.tokens,
    };
    let framing: u64 = pieces.iter().filter(own).map(|piece| price(piece) + 2).sum();
    let left = budget.saturating_sub(MESSAGE_TOKENS).saturating_sub(framing);
    let taken = share(pieces, true, left.saturating_sub(TURN_TOKENS), counter);
    share(pieces, false, left.saturating_sub(taken), counter);
    let mut skills = SKILL_TOKENS;
    for piece in pieces.iter_mut().filter(|piece| piece.slot == Slot::ActiveSkill) {
        if piece.tokens > skills {
            cut(piece, skills.max(LEAST_TOKENS), counter);
        }
        skills = skills.saturating_sub(piece.tokens);
    }
}

fn is_given(slot: Slot) -> bool {
    slot.has_heading() && slot != Slot::ActiveSkill
}

/// What matters more is lower: what the turn is about, who the person is and what is known of them, who speaks,
/// and then how to work.
fn rank(slot: Slot) -> usize {
    const ORDER: [Slot; 13] = [
        Slot::HeartbeatFile,
        Slot::Recalled,
        Slot::UserFile,
        Slot::MemoryFile,
        Slot::IdentityFile,
        Slot::SoulFile,
        Slot::Recovery,
        Slot::SessionState,
        Slot::AgentsFile,
        Slot::BootstrapFile,
        Slot::WorkingBuffer,
        Slot::DailyLog,
        Slot::ToolsFile,
    ];
    ORDER.iter().position(|one| *one == slot).unwrap_or(ORDER.len())
}

/// Shares tokens among the sections on one side of the boundary; returns what they take. Each gets what it
/// wants as long as those that come after it keep the least they need.
fn share(pieces: &mut [Piece], stable: bool, budget: u64, counter: &dyn TokenCounter) -> u64 {
    let mut given: Vec<&mut Piece> = pieces
        .iter_mut()
        .filter(|piece| is_given(piece.slot) && piece.slot.is_stable() == stable)
        .collect();
    given.sort_by_key(|piece| rank(piece.slot));
    let wanted = |piece: &Piece| piece.tokens + HEADING_TOKENS;
    let least = |piece: &Piece| wanted(piece).min(LEAST_TOKENS);
    let mut needed = 0;
    given.retain_mut(|piece| {
        let fits = needed + least(piece) <= budget;
        if fits {
            needed += least(piece);
        } else {
            leave_out(piece);
        }
        fits
    });
    let mut left = budget;
    for piece in given {
        needed -= least(piece);
        let (wanted, may) = (wanted(piece), left - needed);
        if wanted > may {
            cut(piece, may.saturating_sub(HEADING_TOKENS), counter);
        }
        left -= wanted.min(may);
    }
    budget - left
}

/// The manifest still names it.
fn leave_out(piece: &mut Piece) {
    piece.text = "".into();
    piece.truncated = true;
    piece.reason.push_str("; left out of the small prompt");
}

/// Cuts a section to so many tokens: beginning, marker, end.
fn cut(piece: &mut Piece, tokens: u64, counter: &dyn TokenCounter) {
    let chars = piece.text.chars().count() as u64;
    let for_text = tokens.saturating_sub(MARKER_TOKENS);
    let mut room = (chars * for_text).checked_div(piece.tokens).unwrap_or(0);
    let mut text = shown(piece, room);
    while room > 0 && counter.count(&text) > tokens {
        room = room * 4 / 5;
        text = shown(piece, room);
    }
    piece.text = text.into();
    piece.truncated = true;
    piece.reason.push_str("; cut for the small prompt");
}

fn shown(piece: &Piece, room: u64) -> String {
    // Of little only the beginning is worth its place, in whole lines.
    if room < TAIL_CHARS {
        let head = first_chars(&piece.text, room as usize);
        let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
        return format!("{head}\n{MARKER}");
    }
    let head = back_to_line(first_chars(&piece.text, (room * 3 / 4) as usize));
    let tail = on_to_line(last_chars(&piece.text, (room / 5) as usize));
    format!("{head}\n{MARKER}\n{tail}")
}
