//! Sub-agents: a part of a task as a turn of its own, its result handed back.
//!
//! Invariants: a sub-agent has a subset of its parent's tools and the parent's origin, so it may never do
//! more; it starts no others; at most [`CHILDREN`] a turn; it ends with its parent; what it asks the person
//! is told in the parent's turn too.

use super::own::{Desk, SKILL_LOAD, SPAWN_AGENT};
use super::{Begin, Parent, Told, own};
use crate::bus::{Heard, Listener};
use crate::{clock, consents, turns};
use hearth_agent::toolbox::TOOL_LOAD;
use hearth_protocol::api::chat::SessionChange;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{EventBody, Part, SessionKey, StopReason, SubagentState, TurnId, WireError};
use hearth_store::NewTurn;
use hearth_tools::Outcome;
use std::sync::atomic::Ordering;

/// Sub-agents that one turn may start.
const CHILDREN: usize = 5;

/// Starts one, waits for it, returns its result.
pub(super) async fn run(
    desk: &Desk,
    task: &str,
    wanted: Option<Vec<String>>,
    skills: Vec<String>,
) -> Outcome {
    if desk.begin.parent.is_some() {
        return Outcome::failed("A sub-agent cannot start others. Do it yourself.");
    }
    if task.trim().is_empty() {
        return Outcome::failed("The task is empty: say what the sub-agent shall do.");
    }
    if desk.children.fetch_add(1, Ordering::SeqCst) >= CHILDREN {
        return Outcome::failed(format!(
            "This turn has started {CHILDREN} sub-agents, the most it may. Do the rest yourself."
        ));
    }
    let tools = match tools(desk, wanted) {
        Ok(tools) => tools,
        Err(missing) => {
            let why = format!("You do not have the tool {missing}, so a sub-agent cannot either.");
            return Outcome::failed(why);
        }
    };
    if let Some(why) = desk.skills.cannot_give(&skills) {
        return Outcome::failed(why);
    }
    let id = consents::new_id();
    let mut listener = desk.engine.bus.listen();
    let (session, turn) = match start(desk, &id, task, Parent { tools, skills }).await {
        Ok(started) => started,
        Err(error) => return Outcome::failed(format!("No sub-agent was started: {error}.")),
    };
    tell(desk, &id, SubagentState::Started, None);
    // Dropped by a cancel of the parent: the child ends too.
    let guard = Ends { desk, session: session.clone() };
    let outcome = follow(desk, &mut listener, &session, &turn).await;
    drop(guard);
    // Its result may say what it has read.
    let read = desk.engine.taints.of(&session);
    if let Err(error) =
        desk.engine.taints.change(&desk.begin.session, |taint| taint.join(&read)).await
    {
        return Outcome::failed(format!("The result could not be noted: {error}."));
    }
    let state = if outcome.ok { SubagentState::Finished } else { SubagentState::Failed };
    tell(desk, &id, state, Some(outcome.text.clone()));
    outcome
}

/// The child's tools: those wanted, else all of the parent's, but never those that reach the turn's person.
fn tools(desk: &Desk, wanted: Option<Vec<String>>) -> Result<Vec<String>, String> {
    let own = |name: &String| own::is(name) && ![TOOL_LOAD, SKILL_LOAD].contains(&name.as_str());
    let all: Vec<String> =
        desk.tools.iter().map(|tool| tool.spec.name.clone()).filter(|name| !own(name)).collect();
    let Some(wanted) = wanted.filter(|names| !names.is_empty()) else { return Ok(all) };
    match wanted.iter().find(|name| !all.contains(name) && *name != SPAWN_AGENT) {
        Some(missing) => Err(missing.clone()),
        None => Ok(wanted),
    }
}

async fn start(
    desk: &Desk,
    id: &str,
    task: &str,
    given: Parent,
) -> Result<(SessionKey, TurnId), WireError> {
    let (engine, parent) = (&desk.engine, &desk.begin);
    let key = format!("{}:subagent:{id}", parent.session.agent());
    let session = SessionKey::parse(&key).unwrap_or_else(|_| SessionKey::main());
    let row = engine.store.session(&parent.session).await?;
    let new = NewTurn {
        id: TurnId::new(),
        session: session.clone(),
        origin: parent.origin,
        at: clock::now(),
    };
    // The task may say what its parent has read, so the child has read it too.
    let inherited = engine.taints.of(&parent.session);
    engine.taints.change(&session, |taint| *taint = inherited).await?;
    let message = turns::message(vec![Part::Text { text: task.to_owned() }]);
    engine.store.queue_turn(&new, Some(&message)).await?;
    // Kept, but not among the conversations of the person.
    let change = SessionChange { archived: Some(true), ..SessionChange::default() };
    engine.store.change_session(&session, &change).await?;
    let begin = Begin {
        turn: new.id.clone(),
        session: session.clone(),
        origin: parent.origin,
        model: parent.model.clone().or(row.and_then(|row| row.model)),
        parts: None,
        compact: None,
        asker: parent.asker.clone(),
        parent: Some(given),
        light: false,
    };
    turns::start(engine, begin);
    Ok((session, new.id))
}

/// Hears the child to its end.
async fn follow(
    desk: &Desk,
    listener: &mut Listener,
    session: &SessionKey,
    turn: &TurnId,
) -> Outcome {
    let mut error = None;
    loop {
        let event = match listener.next().await {
            Some(Heard::Signal(Signal::Turn(event))) if event.turn == *turn => event,
            Some(Heard::Signal(_)) => continue,
            // Fell behind: the end may be among what was missed.
            Some(Heard::Missed(_)) => match ended(desk, session, turn).await {
                Some(outcome) => return outcome,
                None => continue,
            },
            None => return Outcome::failed("Hearth is closing."),
        };
        match event.body {
            body @ (EventBody::Approval { .. } | EventBody::Question { .. }) => {
                desk.say(Told::Event(body));
            }
            EventBody::Error { message, .. } => error = Some(message),
            EventBody::Done { reply, stop, .. } => return result(reply, stop, error),
            _ => {}
        }
    }
}

async fn ended(desk: &Desk, session: &SessionKey, turn: &TurnId) -> Option<Outcome> {
    desk.engine.log.flush().await.ok()?;
    let events = desk.engine.store.events(session, turn).await.ok()?;
    match events.into_iter().next_back()?.body {
        EventBody::Done { reply, stop, .. } => Some(result(reply, stop, None)),
        _ => None,
    }
}

fn result(reply: String, stop: StopReason, error: Option<String>) -> Outcome {
    let why = match stop {
        StopReason::Finished if !reply.trim().is_empty() => return Outcome::done(reply),
        StopReason::Finished => "it said nothing",
        StopReason::Steps => "it took too many steps",
        StopReason::Time => "it took too long",
        StopReason::Budget => "the budget is used up",
        StopReason::Repeat => "it went in circles",
        StopReason::Cancelled => "it was stopped",
        StopReason::Failed => "it failed",
    };
    let error = error.map(|error| format!(" ({error})")).unwrap_or_default();
    Outcome::failed(if reply.trim().is_empty() {
        format!("The sub-agent did not finish: {why}{error}.")
    } else {
        format!("The sub-agent did not finish: {why}{error}. It had said: {reply}")
    })
}

fn tell(desk: &Desk, id: &str, state: SubagentState, result: Option<String>) {
    desk.say(Told::Event(EventBody::Subagent { id: id.to_owned(), state, result }));
}

/// Ends the child when the parent does not wait for it any more.
struct Ends<'a> {
    desk: &'a Desk,
    session: SessionKey,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.desk.engine.live.stop(&self.session);
    }
}
