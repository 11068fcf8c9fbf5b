//! Doing a call in the process that owns the home, for itself or for another.

use super::Call;
use crate::{Engine, Heard, Listener, api};
use futures::FutureExt;
use hearth_protocol::api::chat::Submitted;
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::ImportAsk;
use hearth_protocol::{ErrorCode, EventBody, SessionKey, TurnId, WireError};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Does a call of this process; signals that belong to it are told as they come.
///
/// # Errors
/// What the call's function says.
pub async fn perform(
    engine: &Engine,
    call: Call,
    signals: &mut (dyn FnMut(Signal) + Send),
) -> Result<Value, WireError> {
    perform_for(engine, call, &CancellationToken::new(), signals).await
}

/// As [`perform`], for a caller that may leave: then `gone` is cancelled.
pub(super) async fn perform_for(
    engine: &Engine,
    call: Call,
    gone: &CancellationToken,
    signals: &mut (dyn FnMut(Signal) + Send),
) -> Result<Value, WireError> {
    match call {
        Call::Ask { submit, answers } => {
            let mut listener = engine.listen();
            let session = submit.session.clone();
            let terminal = answers.then(|| gone.clone());
            let submitted = api::chat::submit_from(engine, submit, terminal).await?;
            if let Submitted::Turn { turn } | Submitted::Steered { turn } = &submitted {
                follow(engine, &mut listener, &session, turn, signals).await?;
            }
            json(&submitted)
        }
        Call::Stop { session } => json(&api::chat::stop(engine, session).await?),
        Call::Decide(request) => json(&api::approvals::decide(engine, request).await?),
        Call::DecideAll(request) => json(&api::approvals::decide_all(engine, request).await?),
        Call::Revoke { id } => json(&api::approvals::revoke(engine, id).await?),
        Call::Answer { id, text } => json(&api::approvals::answer(engine, id, text).await?),
        Call::Undo { turn } => json(&api::undo::turn(engine, turn).await?),
        Call::ChangeSession { session, change } => {
            json(&api::sessions::change(engine, session, change).await?)
        }
        Call::Import { session, lines } => {
            json(&api::sessions::import(engine, &lines, session).await?)
        }
        Call::AddEntry(request) => json(&api::entries::add(engine, request).await?),
        Call::CorrectEntry { id, text } => json(&api::entries::correct(engine, id, text).await?),
        Call::ForgetEntry { id, erase } => json(&api::entries::forget(engine, id, erase).await?),
        Call::BringBackEntry { id } => json(&api::entries::bring_back(engine, id).await?),
        Call::Restore { path, rev } => json(&api::files::restore(engine, path, rev).await?),
        Call::Pull { id } => pull(engine, id, signals).await,
        Call::ImportModel { id, path } => json(&api::models::import(engine, id, path).await?),
        Call::ImportFrom(ask) => import(engine, ask, signals).await,
        Call::ImportMemory { path } => json(&api::memory::import(engine, path).await?),
        Call::Reindex => json(&api::memory::reindex(engine).await?),
        Call::TestMcp { id } => json(&api::mcp::test(engine, id).await?),
        Call::AllowMcp { id } => json(&api::mcp::allow(engine, id).await?),
        Call::RemoveMcp { id } => json(&api::mcp::remove(engine, id).await?),
        Call::InstallSkills(order) => json(&api::installs::install(engine, order).await?),
        Call::RemoveSkill { name } => json(&api::installs::remove(engine, name).await?),
        Call::RestoreSkill { name } => json(&api::installs::restore(engine, name).await?),
        Call::Beat { item, at } => {
            let ask = api::heartbeat::RunNow { dry_run: false, item, at };
            json(&api::heartbeat::run(engine, ask).await?)
        }
        Call::PauseHeart { until } => json(&api::heartbeat::pause(engine, until).await?),
        Call::AddJob(request) => json(&api::cron::add(engine, request).await?),
        Call::RemoveJob { id } => json(&api::cron::remove(engine, id).await?),
        Call::RunJob { id } => json(&api::cron::run(engine, id).await?),
        Call::ChangeNotice { id, change } => json(&api::notices::change(engine, id, change).await?),
        Call::SetSecret { name, value } => json(&api::secrets::set(engine, name, value.0).await?),
        Call::RemoveSecret { name } => json(&api::secrets::remove(engine, name).await?),
    }
}

/// Tells a turn's events, and how far its prompt is read, until it is done.
async fn follow(
    engine: &Engine,
    listener: &mut Listener,
    session: &SessionKey,
    turn: &TurnId,
    signals: &mut (dyn FnMut(Signal) + Send),
) -> Result<(), WireError> {
    let mut seen = 0;
    while let Some(heard) = listener.next().await {
        let events = match heard {
            Heard::Signal(Signal::Turn(event)) if event.turn == *turn => vec![event],
            Heard::Signal(Signal::Reading(progress)) if progress.turn == *turn => {
                signals(Signal::Reading(progress));
                continue;
            }
            Heard::Signal(_) => continue,
            // Too slow to hear all: the stored events have what was missed.
            Heard::Missed(_) => {
                api::sessions::events(engine, session.clone(), turn.clone()).await?
            }
        };
        for event in events.into_iter().filter(|event| event.seq > seen).collect::<Vec<_>>() {
            seen = event.seq;
            let done = matches!(event.body, EventBody::Done { .. });
            signals(Signal::Turn(event));
            if done {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Fetches and tells how far it is.
async fn pull(
    engine: &Engine,
    id: String,
    signals: &mut (dyn FnMut(Signal) + Send),
) -> Result<Value, WireError> {
    let mine = |signal: &Signal| matches!(signal, Signal::Pull(progress) if progress.id == id);
    json(&telling(engine, api::models::pull(engine, id.clone()), &mine, signals).await?)
}

/// Imports and tells how far it is.
async fn import(
    engine: &Engine,
    ask: ImportAsk,
    signals: &mut (dyn FnMut(Signal) + Send),
) -> Result<Value, WireError> {
    let mine = |signal: &Signal| matches!(signal, Signal::Import(_));
    json(&telling(engine, api::imports::run(engine, ask), &mine, signals).await?)
}

/// Does something, and tells those signals meanwhile that belong to it.
async fn telling<T>(
    engine: &Engine,
    work: impl Future<Output = T>,
    mine: &(dyn Fn(&Signal) -> bool + Send + Sync),
    signals: &mut (dyn FnMut(Signal) + Send),
) -> T {
    let mut listener = engine.listen();
    let mut tell = |heard: Heard| match heard {
        Heard::Signal(signal) if mine(&signal) => signals(signal),
        _ => {}
    };
    tokio::pin!(work);
    let result = loop {
        tokio::select! {
            result = &mut work => break result,
            Some(heard) = listener.next() => tell(heard),
        }
    };
    // The last word was said just before the end.
    while let Some(Some(heard)) = listener.next().now_or_never() {
        tell(heard);
    }
    result
}

fn json(value: &impl Serialize) -> Result<Value, WireError> {
    serde_json::to_value(value)
        .map_err(|error| WireError::new(ErrorCode::Internal, error.to_string(), ""))
}
