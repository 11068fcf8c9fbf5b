//! Where a history may be cut: places that part no call from its result.

use crate::prompt::begins_turn;
use hearth_protocol::{CallId, Message, Part, Role};
use std::collections::HashMap;

/// A place at which what is kept may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Index of the first kept message.
    pub at: usize,
    /// A turn begins there; else a step within one.
    pub turn: bool,
}

/// All safe places, in order. A result without its call does not count: it is never sent.
#[must_use]
pub fn safe_starts(messages: &[Message]) -> Vec<Start> {
    let parted = parted(messages);
    (0..messages.len())
        .filter(|at| !parted[*at] && matches!(messages[*at].role, Role::User | Role::Assistant))
        .map(|at| Start { at, turn: begins_turn(messages, at) })
        .collect()
}

/// Where the turn being answered begins.
#[must_use]
pub fn current_turn(messages: &[Message]) -> usize {
    (0..messages.len()).rev().find(|at| begins_turn(messages, *at)).unwrap_or(0)
}

/// For each place, whether a call stands before it and its result at it or behind.
fn parted(messages: &[Message]) -> Vec<bool> {
    // Where a call stands, and how many results it still waits for: an id may be used twice in a message.
    let mut opened: HashMap<&CallId, (usize, usize)> = HashMap::new();
    // How many pairs begin to be parted here, and how many cease to be.
    let mut change = vec![0_i64; messages.len() + 2];
    for (at, message) in messages.iter().enumerate() {
        for part in &message.parts {
            match part {
                Part::ToolCall(call) if message.role == Role::Assistant => {
                    let open = opened.entry(&call.id).or_insert((at, 0));
                    *open = if open.0 == at { (at, open.1 + 1) } else { (at, 1) };
                }
                Part::ToolResult(result) => {
                    // A further result of the same call is never sent.
                    if let Some((call, open)) = opened.get_mut(&result.call)
                        && *open > 0
                    {
                        *open -= 1;
                        change[*call + 1] += 1;
                        change[at + 1] -= 1;
                    }
                }
                _ => {}
            }
        }
    }
    let mut open = 0;
    change[..messages.len()]
        .iter()
        .map(|step| {
            open += step;
            open > 0
        })
        .collect()
}
