//! What a model call was given.

use crate::Engine;
use crate::catalogue::Model;
use crate::driver::{Occasioned, all_tools, next_call, request};
use hearth_agent::prompt::Assembled;
use hearth_protocol::{ContextManifest, ErrorCode, SessionKey, TurnId, WireError};
use hearth_store::Window;

/// The manifest of a past call (its last step where none is named), or of the next one where no turn is
/// named.
///
/// # Errors
/// `not_found`, or what keeps the model from being asked.
pub async fn call(
    engine: &Engine,
    session: SessionKey,
    turn: Option<TurnId>,
    step: Option<u32>,
) -> Result<ContextManifest, WireError> {
    match turn {
        Some(turn) => past(engine, &session, &turn, step).await,
        None => next(engine, &session).await,
    }
}

/// The manifest of a session's n-th call, from 1.
///
/// # Errors
/// `not_found`.
pub async fn numbered(
    engine: &Engine,
    session: SessionKey,
    call: u64,
) -> Result<ContextManifest, WireError> {
    let found = engine.inner.store.manifest(&session, Some(call)).await?;
    found
        .map(|stored| stored.manifest)
        .ok_or_else(|| none(&format!("{session} has no call {call}")))
}

async fn past(
    engine: &Engine,
    session: &SessionKey,
    turn: &TurnId,
    step: Option<u32>,
) -> Result<ContextManifest, WireError> {
    let found = engine.inner.store.manifest_of(turn, step).await?;
    let missing = || none(&format!("no call of that turn is stored in {session}"));
    found.map(|stored| stored.manifest).ok_or_else(missing)
}

/// Has the built-in model read what the session's next call begins with, where it is the one to be asked
/// and is here, so that its answer starts sooner. A question that comes meanwhile is not held up. Returns the
/// tokens that are read; 0 where there is nothing to do.
///
/// # Errors
/// `home_busy`, or what keeps the model from being asked.
pub async fn read_ahead(engine: &Engine, session: SessionKey) -> Result<usize, WireError> {
    engine.inner.must_own()?;
    let (model, assembled) = next_of(engine, &session).await?;
    if !model.built_in || !engine.inner.catalogue.is_here(&model.id) {
        return Ok(0);
    }
    let request = request(&engine.settings(), &model, &assembled);
    let read = engine.inner.catalogue.read_ahead(&model.id, &request).await;
    read.map_err(|fault| WireError::new(ErrorCode::ProviderUnavailable, fault.message, fault.hint))
}

async fn next(engine: &Engine, session: &SessionKey) -> Result<ContextManifest, WireError> {
    Ok(next_of(engine, session).await?.1.manifest)
}

async fn next_of(engine: &Engine, session: &SessionKey) -> Result<(Model, Assembled), WireError> {
    let inner = &engine.inner;
    let settings = inner.settings.current();
    let stored = inner.store.session(session).await?;
    let id =
        stored.as_ref().and_then(|row| row.model.clone()).unwrap_or(settings.model_default.clone());
    let model = inner.catalogue.find_or_rough(&settings, &id).await;
    let window = match stored {
        Some(_) => inner.store.window(session).await?,
        None => Window::default(),
    };
    // Before the first turn nobody has looked at the skills, and their tool goes with them.
    inner.skills().await?;
    let tools = all_tools(inner, None);
    let what = Occasioned {
        session,
        window,
        recovery: None,
        recalled: None,
        skills: None,
        tools,
        minimal: false,
        light: false,
        instead: None,
    };
    let assembled = next_call(inner, &model, what).await?;
    Ok((model, assembled))
}

fn none(message: &str) -> WireError {
    WireError::new(ErrorCode::NotFound, message, "`hearth context` shows the next call.")
}
