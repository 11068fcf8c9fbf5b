//! A question asked of a persona that is not saved yet.
//!
//! Invariants: no session, message, event or file comes of it, and no tool is offered; its cost is reserved
//! and booked like any call's; at most one runs.

use super::{money, prompt};
use crate::catalogue::Model;
use crate::engine::Inner;
use crate::persona::Instead;
use crate::settings::Settings;
use crate::turns;
use hearth_agent::machine::error_code;
use hearth_agent::prompt::{Assembled, Slot, assemble};
use hearth_protocol::api::persona::{PersonaTried, PersonaTry};
use hearth_protocol::{
    ErrorCode, Fault, ModelDelta, ModelReply, Part, Purpose, SessionKey, TurnId, WireError,
};
use hearth_store::Window;
use hearth_workspace::PersonaFile;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The built-in model may need minutes for a full prompt.
const LIMIT: Duration = Duration::from_secs(300);

/// The trial that runs, if one does.
#[derive(Debug, Default)]
pub(crate) struct Trials(Mutex<Option<CancellationToken>>);

impl Trials {
    /// Stops it; says whether one ran.
    pub(crate) fn stop(&self) -> bool {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        running.is_some_and(|token| {
            let ran = !token.is_cancelled();
            token.cancel();
            ran
        })
    }

    /// A new one takes its place.
    fn begin(&self, closing: &CancellationToken) -> CancellationToken {
        let token = closing.child_token();
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(token.clone());
        if let Some(before) = before {
            before.cancel();
        }
        token
    }
}

/// Asks, and waits for the whole answer.
pub(crate) async fn ask(
    engine: &Arc<Inner>,
    request: PersonaTry,
) -> Result<PersonaTried, WireError> {
    let file = tried_file(&request)?;
    let stop = engine.trials.begin(&engine.closing);
    // Whatever ends it, nothing is left to be stopped.
    let _ended = stop.clone().drop_guard();
    let settings = engine.settings.current();
    let model = engine.catalogue.find(&settings, &settings.model_default).await;
    let model = model.map_err(of_fault)?;
    let session = SessionKey::parse("assistant:trial").unwrap_or_else(|_| SessionKey::main());
    let instead = Instead { file, text: request.text };
    let message = turns::message(vec![Part::Text { text: request.question }]);
    let what = prompt::Occasioned {
        session: &session,
        window: Window { messages: vec![message], ..Window::default() },
        recovery: None,
        recalled: None,
        tools: Arc::default(),
        skills: None,
        minimal: false,
        light: file == PersonaFile::Heartbeat,
        instead: Some(&instead),
    };
    let (parts, _) = prompt::parts(engine, &model, what).await?;
    let assembled = assemble(parts, &*model.token_counter())
        .map_err(|error| of_fault(super::faults::no_prompt(&error)))?;
    Trial { engine, settings: &settings, model: &model, session: &session, stop: &stop }
        .call(&assembled)
        .await
}

/// The file, if a prompt carries it.
fn tried_file(request: &PersonaTry) -> Result<PersonaFile, WireError> {
    let refused =
        |message: String, hint| Err(WireError::new(ErrorCode::InvalidRequest, message, hint));
    if request.question.trim().is_empty() {
        return refused("Nothing is asked".to_owned(), "Write a question.");
    }
    let carried = PersonaFile::at(&request.path)
        .filter(|file| *file != PersonaFile::SessionState && Slot::of_file(file.path()).is_some());
    match carried {
        Some(file) => Ok(file),
        None => refused(
            format!("{} is in no prompt of a new conversation", request.path),
            "Persona files such as SOUL.md can be tried.",
        ),
    }
}

struct Trial<'a> {
    engine: &'a Inner,
    settings: &'a Settings,
    model: &'a Model,
    session: &'a SessionKey,
    stop: &'a CancellationToken,
}

impl Trial<'_> {
    async fn call(&self, assembled: &Assembled) -> Result<PersonaTried, WireError> {
        let Self { engine, settings, model, .. } = self;
        let turn = TurnId::new();
        let account = money::Account { session: self.session, turn: &turn, purpose: Purpose::Turn };
        let counted = assembled.manifest.total_tokens;
        let permit = money::reserve(engine, settings, model, counted, &account)
            .await?
            .map_err(|why| WireError::new(ErrorCode::Budget, why, money::HINT))?;
        let request = prompt::request(settings, model, assembled);
        let mut sink = |_: ModelDelta| {};
        let called = model.chat.call(&request, &mut sink, self.stop);
        let (reply, fault) = match tokio::time::timeout(LIMIT, called).await {
            Ok(Ok(reply)) => (reply, None),
            Ok(Err(error)) => (*error.partial, Some(of_fault(error.fault))),
            Err(_) => (ModelReply::default(), Some(too_long())),
        };
        // What never reached a model costs nothing.
        if reply == ModelReply::default() {
            money::release(engine, permit).await;
            return Err(fault.unwrap_or_else(silent));
        }
        let usage = money::settle(engine, settings, model, permit, counted, &reply, &account).await;
        match fault {
            Some(fault) => Err(fault),
            None if reply.text.trim().is_empty() => Err(silent()),
            None => Ok(PersonaTried { reply: reply.text, usage }),
        }
    }
}

fn of_fault(fault: Fault) -> WireError {
    WireError::new(error_code(fault.kind), fault.message, fault.hint)
}

fn too_long() -> WireError {
    let message = format!("The model did not answer within {} minutes", LIMIT.as_secs() / 60);
    WireError::new(ErrorCode::ProviderUnavailable, message, "Try again, or choose another model.")
}

fn silent() -> WireError {
    let message = "The model gave an empty reply";
    WireError::new(ErrorCode::ProviderUnavailable, message, "Try again, or choose another model.")
}
