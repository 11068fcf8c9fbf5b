//! One model call of a turn: which model, the prompt for it, the budget, tries, and what to do when none
//! answers.
//!
//! Invariants: the budget is checked before each try; a model picked by hand is never replaced; text that
//! was shown is not shown again; the call ends with exactly one input for the machine.

use super::compacting::{NoRoom, Room};
use super::prompt::{self, Ahead, Occasioned};
use super::turn::Begin;
use super::{Told, faults, money};
use crate::catalogue::{Model, rough_counter};
use crate::engine::Inner;
use crate::recalling::{self, Recalled};
use crate::settings::{BUILT_IN_MODEL, Settings};
use crate::skills::turn::TurnSkills;
use hearth_agent::machine::{Input, Limits, TurnConfig};
use hearth_agent::prompt::{PromptError, assemble};
use hearth_agent::toolbox::Boxed;
use hearth_guard::{Source, Taint};
use hearth_llm::resume::{Overlap, join, request_for_rest};
use hearth_llm::retry::{Backoff, Next};
use hearth_protocol::api::system::{ReadingProgress, Signal};
use hearth_protocol::{
    EventBody, Fault, FaultKind, ModelDelta, ModelReply, ModelRequest, Origin, ProviderState,
    Purpose, Retry, Thinking,
};
use hearth_store::Window;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;

/// Which models may answer.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    models: Vec<String>,
    /// The person picked it: nothing takes its place silently.
    by_hand: bool,
}

impl Choice {
    /// The turn's model, else the session's, else the default with its fallbacks.
    pub(crate) async fn of(engine: &Inner, begin: &Begin) -> Self {
        let session = engine.store.session(&begin.session).await.ok().flatten();
        let picked = begin.model.clone().or(session.and_then(|row| row.model));
        let settings = engine.settings.current();
        match picked {
            Some(model) => Self { models: vec![model], by_hand: true },
            None => {
                let mut models = vec![settings.model_default.clone()];
                models.extend(settings.model_fallback.iter().cloned());
                Self { models, by_hand: false }
            }
        }
    }

    /// The model that is asked first.
    pub(crate) fn first(&self) -> &str {
        self.models.first().map_or(BUILT_IN_MODEL, String::as_str)
    }
}

/// How often a small model is told that it only wrote about a call.
const WRITTEN: u32 = 2;

/// What the machine needs to know of the model before the first call.
pub(crate) async fn first_config(engine: &Inner, choice: &Choice) -> (TurnConfig, Option<Model>) {
    // The call itself will say what is missing.
    let model = engine.catalogue.find(&engine.settings.current(), choice.first()).await.ok();
    let (window, counter) = match &model {
        Some(model) => (model.window, model.token_counter()),
        None => (32_768, rough_counter()),
    };
    let written = if model.as_ref().is_some_and(Model::is_small) { WRITTEN } else { 0 };
    let (limits, tools) = (Limits { written, ..Limits::default() }, Arc::from(Vec::new()));
    (TurnConfig { limits, tools, window, counter }, model)
}

/// One call to be made.
pub(crate) struct Asking {
    pub(crate) engine: Arc<Inner>,
    pub(crate) begin: Arc<Begin>,
    pub(crate) step: u32,
    /// What the model may read; early messages leave it where it has to be compacted.
    pub(crate) window: Mutex<Window>,
    /// What the model is told where work is taken up again.
    pub(crate) recovery: Option<Arc<str>>,
    pub(crate) tools: Arc<[Boxed]>,
    pub(crate) choice: Choice,
    /// Found at the turn's first call, the same for all of them.
    pub(crate) recalled: Arc<OnceCell<Recalled>>,
    pub(crate) ahead: Arc<Ahead>,
    pub(crate) skills: Arc<TurnSkills>,
    pub(crate) cancel: CancellationToken,
    pub(crate) tell: mpsc::UnboundedSender<Told>,
}

/// How one model did.
enum Outcome {
    Answered(ModelReply),
    Failed { fault: Fault, partial: ModelReply },
    Over(String),
    Broken(Input),
}

impl Asking {
    /// Makes the call and tells how it went.
    pub(crate) async fn run(self) {
        let input = self.ask().await;
        self.say(Told::Input(Box::new(input)));
    }

    async fn ask(&self) -> Input {
        let settings = self.engine.settings.current();
        let mut last: Option<(String, Fault, ModelReply)> = None;
        for id in self.order() {
            if let Some((failed, fault, partial)) = &last {
                // What was shown of one model is not continued by another.
                if !partial.text.is_empty() {
                    break;
                }
                // What was too long for one model is too long for those that hold no more.
                let windows = &self.engine.catalogue;
                if fault.kind == FaultKind::ContextOverflow
                    && windows.window(&settings, &id).await
                        <= windows.window(&settings, failed).await
                {
                    continue;
                }
                self.provider(ProviderState::Switched, &id, pause_asked(fault), &fault.message);
            }
            self.say(Told::Model(id.clone()));
            match self.ask_model(&settings, &id).await {
                Outcome::Answered(reply) => {
                    self.engine.catalogue.answered(&id);
                    return Input::Reply(reply);
                }
                Outcome::Broken(input) => return input,
                Outcome::Over(why) => return self.degrade(&settings, why).await,
                Outcome::Failed { fault, partial } if fault.kind == FaultKind::Cancelled => {
                    return Input::Failed { fault, partial: Some(partial) };
                }
                Outcome::Failed { fault, partial } => {
                    if faults::is_the_models(fault.kind) {
                        self.engine.catalogue.failed(&id);
                    }
                    last = Some((id, fault, partial));
                }
            }
        }
        match last {
            Some((_, fault, partial)) => Input::Failed { fault, partial: Some(partial) },
            None => Input::Failed { fault: faults::nothing_to_ask(), partial: None },
        }
    }

    /// Models that failed lately come last; one picked by hand is asked all the same.
    fn order(&self) -> Vec<String> {
        let rests = |id: &String| !self.choice.by_hand && self.engine.catalogue.rests(id);
        let (resting, ready): (Vec<_>, Vec<_>) =
            self.choice.models.iter().cloned().partition(rests);
        ready.into_iter().chain(resting).collect()
    }

    /// The budget is used up: the built-in model goes on for free, where the person left the choice to us.
    async fn degrade(&self, settings: &Settings, why: String) -> Input {
        if self.choice.by_hand || !self.engine.catalogue.is_here(BUILT_IN_MODEL) {
            return Input::BudgetRefused { why: format!("{why} {}", money::HINT) };
        }
        self.provider(ProviderState::Switched, BUILT_IN_MODEL, 0.0, &why);
        self.say(Told::Model(BUILT_IN_MODEL.to_owned()));
        match self.ask_model(settings, BUILT_IN_MODEL).await {
            Outcome::Answered(reply) => Input::Reply(reply),
            Outcome::Failed { fault, partial } => Input::Failed { fault, partial: Some(partial) },
            Outcome::Over(why) => Input::BudgetRefused { why },
            Outcome::Broken(input) => input,
        }
    }

    /// A prompt that the provider calls too long is compacted once more, for a smaller window.
    async fn ask_model(&self, settings: &Settings, id: &str) -> Outcome {
        let model = match self.engine.catalogue.find(settings, id).await {
            Ok(model) if self.is_background() => self.engine.catalogue.in_background(model),
            Ok(model) => model,
            Err(fault) => return Outcome::Failed { fault, partial: ModelReply::default() },
        };
        let (outcome, counted) = self.ask_once(settings, &model, None).await;
        match outcome {
            Outcome::Failed { fault, partial }
                if fault.retry == Retry::AfterCompaction && partial.text.is_empty() =>
            {
                self.ask_once(settings, &model, Some(counted)).await.0
            }
            outcome => outcome,
        }
    }

    /// Makes room and asks; returns the tokens of the prompt, too. `refused`: so many were too many.
    async fn ask_once(
        &self,
        settings: &Settings,
        model: &Model,
        refused: Option<u64>,
    ) -> (Outcome, u64) {
        let failed = |fault| (Outcome::Failed { fault, partial: ModelReply::default() }, 0);
        let broken = |error| (Outcome::Broken(Input::Broken(error)), 0);
        let recalled = self.recalled.get_or_init(|| self.recall()).await;
        let what = Occasioned {
            recalled: Some(recalled),
            skills: Some(&self.skills),
            session: &self.begin.session,
            window: self.window.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            recovery: self.recovery.as_deref(),
            tools: Arc::clone(&self.tools),
            minimal: self.begin.parent.is_some(),
            light: self.begin.light,
            instead: None,
        };
        let persona = match self.ahead.take(&model.id).await {
            Some(persona) => Ok(persona),
            None => prompt::persona(&self.engine, model, &what).await,
        };
        let together = match persona {
            Ok(persona) => prompt::together(&self.engine, model, what, persona).await,
            Err(error) => Err(error),
        };
        let (mut parts, problems) = match together {
            Ok(prompt) => prompt,
            Err(error) => return broken(error),
        };
        self.report(problems);
        let room = Room { refused, ..self.room(settings, model) };
        let made = match room.make(&mut parts).await {
            Ok(made) => made,
            Err(NoRoom::Broken(error)) => return broken(error),
            Err(NoRoom::Cancelled) => return failed(hearth_llm::fault::cancelled()),
            Err(NoRoom::Overflow { needed, room }) => {
                return failed(faults::no_prompt(&PromptError::Overflow { needed, room }));
            }
        };
        if let Some(compaction) = made.compacted {
            self.window.lock().unwrap_or_else(PoisonError::into_inner).compacted(compaction);
        }
        let assembled = match assemble(parts, &*model.token_counter()) {
            Ok(assembled) => assembled,
            Err(error) => return failed(faults::no_prompt(&error)),
        };
        let mut request = prompt::request(settings, model, &assembled);
        if made.think_less {
            request.thinking = Thinking::Off;
        }
        let counted = assembled.manifest.total_tokens;
        self.say(Told::Fill(counted as f64 / model.window.max(1) as f64));
        // The manifest is stored on another thread while the model reads: it must not hold the request up.
        let (engine, turn, step) = (Arc::clone(&self.engine), self.begin.turn.clone(), self.step);
        let saving = self.engine.turns.spawn(async move {
            if let Err(error) = engine.store.save_manifest(&turn, step, &assembled.manifest).await {
                tracing::warn!(%error, "a context manifest could not be stored");
            }
        });
        let outcome = self.tries(settings, model, request, counted).await;
        // Whoever hears of the answer can look up what it was given.
        let _ = saving.await;
        (outcome, counted)
    }

    fn room<'a>(&'a self, settings: &'a Settings, model: &'a Model) -> Room<'a> {
        Room {
            engine: &self.engine,
            settings,
            model,
            session: &self.begin.session,
            turn: &self.begin.turn,
            cancel: &self.cancel,
            tell: &self.tell,
            others: &self.choice.models,
            refused: None,
            asked: None,
        }
    }

    async fn recall(&self) -> Recalled {
        if self.begin.parent.is_some() {
            return Recalled::default();
        }
        let messages = self.window.lock().unwrap_or_else(PoisonError::into_inner).messages.clone();
        let recalled = recalling::for_turn(&self.engine, self.begin.origin, &messages).await;
        if recalled.is_marked() {
            let session = &self.begin.session;
            let read = |taint: &mut Taint| taint.read(Source::Marked, "");
            // What cannot be noted is not shown.
            if let Err(error) = self.engine.taints.change(session, read).await {
                tracing::warn!(%error, "nothing is recalled for this turn");
                return Recalled::default();
            }
        }
        recalled.events().for_each(|event| self.say(Told::Event(event)));
        let (session, turn) = (&self.begin.session, &self.begin.turn);
        self.engine.note_recalled(recalled.hits(), Some(session), turn).await;
        recalled
    }

    /// Files that could not be used are named once a turn.
    fn report(&self, problems: Vec<String>) {
        if self.step > 1 {
            return;
        }
        for body in problems {
            let title = "A workspace file is not in this prompt".to_owned();
            self.say(Told::Event(EventBody::Notice { title, body }));
        }
    }

    async fn tries(
        &self,
        settings: &Settings,
        model: &Model,
        request: ModelRequest,
        counted: u64,
    ) -> Outcome {
        let mut backoff = Backoff::new(rand::random());
        let mut shown = ModelReply::default();
        loop {
            let account = money::Account {
                session: &self.begin.session,
                turn: &self.begin.turn,
                purpose: self.purpose(),
            };
            let permit =
                match money::reserve(&self.engine, settings, model, counted, &account).await {
                    Ok(Ok(permit)) => permit,
                    Ok(Err(why)) => return Outcome::Over(why),
                    Err(error) => return Outcome::Broken(Input::Broken(error)),
                };
            let (result, new_text) = self.one_try(model, &request, &shown).await;
            let (reply, fault) = match result {
                Ok(reply) => (reply, None),
                Err(error) => (*error.partial, Some(error.fault)),
            };
            if fault.is_some() && reply == ModelReply::default() {
                money::release(&self.engine, permit).await;
            } else {
                let usage =
                    money::settle(&self.engine, settings, model, permit, counted, &reply, &account)
                        .await;
                if let Some(reported) = reply.usage {
                    model.counter.learn(&request, reported.input);
                }
                self.say(Told::Event(EventBody::Usage(usage)));
            }
            let Some(fault) = fault else {
                return Outcome::Answered(join(&shown, &new_text, reply));
            };
            shown = join(&shown, &new_text, reply);
            let pause = match backoff.after(&fault) {
                Next::Again(pause) if shown.text.is_empty() => pause,
                Next::Again(pause) | Next::Resume(pause) => pause,
                Next::Compact | Next::Ask(_) | Next::GiveUp => {
                    return Outcome::Failed { fault, partial: shown };
                }
            };
            if !self.wait(model, pause, &fault).await {
                return Outcome::Failed { fault: hearth_llm::fault::cancelled(), partial: shown };
            }
        }
    }

    /// Asks once. Returns the reply and what of its text is new to the person.
    async fn one_try(
        &self,
        model: &Model,
        request: &ModelRequest,
        shown: &ModelReply,
    ) -> (Result<ModelReply, hearth_llm::CallError>, String) {
        let request = request_for_rest(request, shown);
        let mut overlap = Overlap::new(shown.text.clone());
        let mut new_text = String::new();
        let mut pass = |text: String| {
            if !text.is_empty() {
                new_text.push_str(&text);
                self.say(Told::Delta(ModelDelta::Text(text)));
            }
        };
        let mut sink = |delta: ModelDelta| match delta {
            ModelDelta::Text(text) => pass(overlap.feed(&text)),
            ModelDelta::Reading { done, total } => self.reading(done, total),
            other => self.say(Told::Delta(other)),
        };
        let result = model.chat.call(&request, &mut sink, &self.cancel).await;
        pass(overlap.finish());
        (result, new_text)
    }

    /// Waits, told to the person; false: cancelled meanwhile.
    async fn wait(&self, model: &Model, pause: Duration, fault: &Fault) -> bool {
        let state = if pause > Duration::from_secs(5) {
            ProviderState::Waiting
        } else {
            ProviderState::Retrying
        };
        self.provider(state, &model.id, pause.as_secs_f64(), &fault.message);
        tokio::select! {
            () = self.cancel.cancelled() => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    fn is_background(&self) -> bool {
        matches!(self.begin.origin, Origin::Heartbeat | Origin::Cron)
    }

    fn purpose(&self) -> Purpose {
        match self.begin.origin {
            _ if self.begin.parent.is_some() => Purpose::Subagent,
            Origin::Heartbeat => Purpose::Heartbeat,
            Origin::Cron => Purpose::Cron,
            Origin::Window | Origin::Quick | Origin::Cli | Origin::Channel => Purpose::Turn,
        }
    }

    fn provider(&self, state: ProviderState, model: &str, seconds: f64, why: &str) {
        let (model, why) = (model.to_owned(), why.to_owned());
        self.say(Told::Event(EventBody::Provider { state, model, seconds, why }));
    }

    /// Shown while it lasts; a sub-agent's reading is not what the person looks at.
    fn reading(&self, done: u64, total: u64) {
        let turn = self.begin.turn.clone();
        self.engine.bus.send(Signal::Reading(ReadingProgress { turn, done, total }));
    }

    fn say(&self, told: Told) {
        // The turn may have ended by a cancel; then nobody listens any more.
        let _ = self.tell.send(told);
    }
}

/// Seconds that the provider wants to be left alone, where that is why it was given up.
fn pause_asked(fault: &Fault) -> f64 {
    match fault.retry {
        Retry::Ask { ms: Some(ms) } => Duration::from_millis(ms).as_secs_f64(),
        _ => 0.0,
    }
}
