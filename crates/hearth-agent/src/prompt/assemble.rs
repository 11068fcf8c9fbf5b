//! Putting the prompt together: sections in order, history as far as it fits, the manifest.

use super::fit::{self, Fitted};
use super::{Assembled, PromptError, PromptParts, Section, Slot, framing, hint, shrink};
use crate::TokenCounter;
use crate::history::{self, Unsendable};
use hearth_protocol::{ContextManifest, ManifestSection, Message, PromptMode, SystemBlock};
use std::sync::Arc;

/// A section on its way into the prompt.
pub(super) struct Piece {
    pub(super) slot: Slot,
    pub(super) source: String,
    pub(super) text: Arc<str>,
    pub(super) raw_chars: u64,
    pub(super) truncated: bool,
    pub(super) reason: String,
    /// Tokens of `text`; set last.
    pub(super) tokens: u64,
}

const HEARTH: &str = "Hearth";

/// Puts the prompt of a model call together.
///
/// # Errors
/// [`PromptError`]: there is nothing to send, or the message does not fit.
pub fn assemble(
    mut parts: PromptParts,
    counter: &dyn TokenCounter,
) -> Result<Assembled, PromptError> {
    match whole(&parts, counter) {
        Ok((pieces, fitted)) => Ok(finish(parts, pieces, fitted, counter)),
        // A message that was too long for any answer must not stand in the way of all later ones.
        Err(PromptError::Overflow { needed, room }) => {
            let unanswered = history::unanswered_before_last(&parts.history);
            if unanswered.is_empty() {
                return Err(PromptError::Overflow { needed, room });
            }
            let left_out = unanswered.len();
            parts.history.drain(unanswered);
            let (pieces, mut fitted) = whole(&parts, counter)?;
            fitted.name_unanswered(left_out);
            Ok(finish(parts, pieces, fitted, counter))
        }
        Err(error) => Err(error),
    }
}

/// Sections and messages with nothing of the turn being answered left out.
fn whole(
    parts: &PromptParts,
    counter: &dyn TokenCounter,
) -> Result<(Vec<Piece>, Fitted), PromptError> {
    let (mut messages, _) = history::mended(&parts.history);
    if messages.is_empty() {
        return Err(Unsendable::Empty.into());
    }
    history::close_ends(&mut messages);
    add_hints(&mut messages, parts);
    let pieces = pieces(parts, counter);
    let fixed = pieces.iter().map(|piece| piece.tokens).sum();
    let fitted = fit::fit(messages, fit::current_turn, fixed, &parts.room, counter);
    let room = parts.room.window.saturating_sub(parts.room.output_reserve);
    let needed = fixed + fitted.turn_tokens();
    if needed > room {
        return Err(PromptError::Overflow { needed, room });
    }
    history::sendable(&fitted.messages)?;
    Ok((pieces, fitted))
}

/// What the next model call of this session would be given, apart from the message that is to come.
#[must_use]
pub fn preview(parts: PromptParts, counter: &dyn TokenCounter) -> Assembled {
    let (mut messages, _) = history::mended(&parts.history);
    add_hints(&mut messages, &parts);
    let pieces = pieces(&parts, counter);
    let fixed = pieces.iter().map(|piece| piece.tokens).sum();
    let fitted = fit::fit(messages, |all| all.len(), fixed, &parts.room, counter);
    finish(parts, pieces, fitted, counter)
}

/// Small models that can read files are told how to begin.
fn add_hints(messages: &mut [Message], parts: &PromptParts) {
    let asks =
        parts.mode == PromptMode::Full && parts.tools.iter().any(|tool| tool.name == hint::EXAMPLE);
    if parts.room.prompt_tokens.is_some() && asks {
        hint::add(messages);
    }
}

/// Tokens of everything but the history and the message.
#[must_use]
pub fn fixed_tokens(parts: &PromptParts, counter: &dyn TokenCounter) -> u64 {
    pieces(parts, counter).iter().map(|piece| piece.tokens).sum()
}

/// The sections that stand before the history, in order.
fn pieces(parts: &PromptParts, counter: &dyn TokenCounter) -> Vec<Piece> {
    let own =
        [Slot::Identity, Slot::Capabilities, Slot::Tools, Slot::Safety, Slot::Guidance, Slot::Date];
    let mut pieces: Vec<Piece> = own
        .into_iter()
        .filter(|slot| slot.is_in(parts.mode))
        .filter_map(|slot| own_piece(slot, parts))
        .chain(parts.sections.iter().filter(|s| s.slot.is_in(parts.mode)).map(given_piece))
        .collect();
    pieces.sort_by_key(|piece| piece.slot);
    if let Some(budget) = parts.room.prompt_tokens {
        // A small prompt has no room for what may be near; the index names it all the same.
        pieces.retain(|piece| piece.slot != Slot::NearestSkills);
        shrink::shrink(&mut pieces, budget, counter);
    }
    let is_small = parts.room.prompt_tokens.is_some();
    for piece in &mut pieces {
        // Of what is left out of a small prompt not even the heading stands there.
        if piece.slot != Slot::Tools && !(is_small && piece.text.is_empty()) {
            piece.text = headed(piece).into();
        }
        piece.tokens = counter.count(&piece.text);
    }
    pieces
}

fn own_piece(slot: Slot, parts: &PromptParts) -> Option<Piece> {
    let (text, reason) = match slot {
        Slot::Tools if parts.tools.is_empty() => return None,
        Slot::Tools => (tools_text(parts), "offered with the request, beside the prompt"),
        _ => (framing::text(slot, parts)?, "always"),
    };
    let raw_chars = text.chars().count() as u64;
    Some(Piece {
        slot,
        source: HEARTH.to_owned(),
        text: text.into(),
        raw_chars,
        truncated: false,
        reason: reason.to_owned(),
        tokens: 0,
    })
}

/// Tools as the model reads them, for counting. In a small prompt what stands around them counts, too.
fn tools_text(parts: &PromptParts) -> String {
    if parts.room.prompt_tokens.is_some() {
        return crate::toolbox::in_template(&parts.tools);
    }
    parts.tools.iter().map(crate::toolbox::line_of).collect::<Vec<_>>().join("\n")
}

fn given_piece(section: &Section) -> Piece {
    let missing = || format!("[MISSING] {}", section.source).into();
    Piece {
        slot: section.slot,
        source: section.source.clone(),
        text: section.text.clone().unwrap_or_else(missing),
        raw_chars: section.raw_chars,
        truncated: section.truncated,
        reason: section.reason.clone(),
        tokens: 0,
    }
}

/// The text as it stands in the prompt.
fn headed(piece: &Piece) -> String {
    let missing = piece.text.starts_with("[MISSING] ");
    if piece.slot.has_heading() && !missing {
        format!("=== {} ===\n{}\n\n", piece.source, piece.text.trim_end())
    } else {
        format!("{}\n\n", piece.text.trim_end())
    }
}

fn finish(
    parts: PromptParts,
    pieces: Vec<Piece>,
    fitted: Fitted,
    counter: &dyn TokenCounter,
) -> Assembled {
    let system = [true, false].map(|stable| system_block(&pieces, stable));
    let mut sections: Vec<_> = pieces.into_iter().map(manifest_section).collect();
    sections.extend(fitted.sections);
    let tools = if Slot::Tools.is_in(parts.mode) { parts.tools.to_vec() } else { Vec::new() };
    Assembled {
        system: system.into_iter().filter(|block| !block.text.is_empty()).collect(),
        messages: fitted.messages,
        tools,
        manifest: ContextManifest {
            total_tokens: sections.iter().map(|section| section.tokens).sum(),
            sections,
            window: parts.room.window,
            model: parts.room.model,
            mode: parts.mode,
            exact: counter.exact(),
        },
    }
}

fn system_block(pieces: &[Piece], stable: bool) -> SystemBlock {
    let inside = |piece: &&Piece| piece.slot.is_stable() == stable && piece.slot != Slot::Tools;
    let mut text = String::with_capacity(pieces.iter().map(|piece| piece.text.len()).sum());
    for piece in pieces.iter().filter(inside) {
        text.push_str(&piece.text);
    }
    SystemBlock { text, stable }
}

fn manifest_section(piece: Piece) -> ManifestSection {
    ManifestSection {
        name: piece.slot.name().to_owned(),
        chars: piece.text.chars().count() as u64,
        raw_chars: piece.raw_chars,
        tokens: piece.tokens,
        reason: piece.reason,
        truncated: piece.truncated,
        cached_part: piece.slot.is_stable(),
        text: Some(piece.text.as_ref().to_owned()),
        source: piece.source,
    }
}
