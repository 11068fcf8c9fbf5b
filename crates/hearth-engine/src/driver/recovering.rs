//! Taking work up again after a crash or "continue": what is at hand, for the model.
//!
//! Order of reading: the working buffer, SESSION-STATE and the logs come with the prompt; the last request and
//! reply come from the conversation, or, where a new one begins with "continue", from the latest one before it.
//! Absent here: compactions (they tell themselves).

use super::turn::Begin;
use crate::engine::Inner;
use hearth_agent::survival::recovery::{After, AtHand, asks_to_continue, briefing as words};
use hearth_agent::survival::{BUFFER_PATH, STATE_PATH};
use hearth_protocol::{Message, Origin, Part, Role, SessionKey, ToolCall, TurnId, WireError};
use hearth_store::Window;
use std::sync::Arc;

/// Whether a person speaks in this turn.
pub(super) fn is_the_persons(begin: &Begin) -> bool {
    !matches!(begin.origin, Origin::Heartbeat | Origin::Cron)
}

/// What the person said in a turn.
pub(super) fn said_in(window: &Window, turn: &TurnId) -> String {
    let own =
        |message: &&Message| message.role == Role::User && message.turn.as_ref() == Some(turn);
    let texts: Vec<String> = window.messages.iter().filter(own).map(Message::joined_text).collect();
    texts.join("\n")
}

/// After what the turn takes work up again, and what the model is told of it; none in an ordinary turn.
///
/// # Errors
/// The database's.
pub(super) async fn briefing(
    engine: &Arc<Inner>,
    begin: &Begin,
    window: &Window,
) -> Result<Option<(After, Arc<str>)>, WireError> {
    if !is_the_persons(begin) {
        return Ok(None);
    }
    let crashed = engine.store.follows_interrupted(&begin.turn).await?;
    let after = match crashed {
        true => After::Crash,
        false if asks_to_continue(&said_in(window, &begin.turn)) => After::Continue,
        false => return Ok(None),
    };
    let before = before_turn(&window.messages, &begin.turn);
    let mut hand = at_hand(before);
    if before.is_empty() && window.earlier.is_none() {
        hand = match latest_other(engine, &begin.session).await? {
            Some(messages) => at_hand(&messages),
            // There is nothing to go on with.
            None => return Ok(None),
        };
    }
    hand.read = vec![BUFFER_PATH.to_owned(), STATE_PATH.to_owned(), "the daily logs".to_owned()];
    Ok(Some((after, words(after, &hand).into())))
}

fn before_turn<'a>(messages: &'a [Message], turn: &TurnId) -> &'a [Message] {
    let begins = messages.iter().position(|message| message.turn.as_ref() == Some(turn));
    &messages[..begins.unwrap_or(messages.len())]
}

fn at_hand(messages: &[Message]) -> AtHand {
    let last = |role: Role| {
        let said = messages.iter().rev().filter(|message| message.role == role);
        said.map(Message::joined_text).find(|text| {
            let plain = text.trim();
            !(plain.is_empty() || role == Role::User && asks_to_continue(plain))
        })
    };
    AtHand {
        request: last(Role::User),
        reply: last(Role::Assistant),
        unfinished: unfinished(messages),
        read: Vec::new(),
    }
}

/// Tools of the last calls that have no result, or one that says that they were interrupted.
fn unfinished(messages: &[Message]) -> Vec<String> {
    let last = messages.iter().rposition(|message| message.tool_calls().next().is_some());
    let Some(last) = last else { return Vec::new() };
    let cut_off = |call: &&ToolCall| {
        let results = messages[last..].iter().flat_map(|message| &message.parts);
        let result = results.filter_map(|part| match part {
            Part::ToolResult(result) if result.call == call.id => Some(result),
            _ => None,
        });
        result.into_iter().all(|result| !result.ok && result.text.contains("interrupted"))
    };
    messages[last].tool_calls().filter(cut_off).map(|call| call.name.clone()).collect()
}

/// The latest conversation of the same agent with a person, other than this one.
async fn latest_other(
    engine: &Arc<Inner>,
    session: &SessionKey,
) -> Result<Option<Vec<Message>>, WireError> {
    let mut rows = engine.store.sessions().await?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
    let background = ["heartbeat", "cron", "subagent"];
    let of_person = |key: &SessionKey| !background.iter().any(|kind| key.scope().starts_with(kind));
    let agent = |key: &SessionKey| key.as_str().split(':').next().map(str::to_owned);
    let other = rows.into_iter().find(|row| {
        row.key != *session
            && row.turns > 0
            && of_person(&row.key)
            && agent(&row.key) == agent(session)
    });
    match other {
        Some(row) => Ok(Some(engine.store.window(&row.key).await?.messages)),
        None => Ok(None),
    }
}
