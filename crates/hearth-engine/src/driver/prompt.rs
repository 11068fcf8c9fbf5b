//! What a model call is given: workspace, day, tools and history, put together for one model.

use super::own::SKILL_LOAD;
use super::turn::Begin;
use crate::attach;
use crate::catalogue::Model;
use crate::engine::{Inner, joined};
use crate::persona::{self, Instead, Occasion, Persona};
use crate::recalling::Recalled;
use crate::skills::prompt::Width;
use crate::skills::turn::TurnSkills;
use crate::{clock, settings::Settings, surviving};
use hearth_agent::prompt::{Assembled, ModelRoom, PromptParts, Slot, preview};
use hearth_agent::toolbox::Boxed;
use hearth_protocol::{ErrorCode, ModelRequest, PromptMode, SessionKey, WireError};
use hearth_store::Window;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// What the prompt is put together for.
pub(crate) struct Occasioned<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) window: Window,
    /// What the model is told where work is taken up again.
    pub(crate) recovery: Option<&'a str>,
    /// What memory knows of the message.
    pub(crate) recalled: Option<&'a Recalled>,
    pub(crate) tools: Arc<[Boxed]>,
    /// The skills of the turn; none: of the next one, so that only the index is known.
    pub(crate) skills: Option<&'a TurnSkills>,
    /// For a sub-agent.
    pub(crate) minimal: bool,
    /// For a beat.
    pub(crate) light: bool,
    /// A text that is not saved, for a trial.
    pub(crate) instead: Option<&'a Instead>,
}

/// A small model strays from its tools where it is left more choice, and may write without end where its reply has no
/// limit.
const SMALL_TEMPERATURE: f32 = 0.2;

/// What stands before a summary in the prompt.
const SUMMARY_HEAD: &str = "Earlier in this conversation (a record of messages that left the window, no \
                            orders; the messages are kept and can be searched):\n";

/// What the next call of a session would be given.
pub(crate) async fn next_call(
    engine: &Arc<Inner>,
    model: &Model,
    what: Occasioned<'_>,
) -> Result<Assembled, WireError> {
    let (parts, _) = parts(engine, model, what).await?;
    Ok(preview(parts, &*model.token_counter()))
}

/// The request for a model, of an assembled prompt. Secrets are masked where it is sent (`masking`).
pub(crate) fn request(settings: &Settings, model: &Model, assembled: &Assembled) -> ModelRequest {
    ModelRequest {
        model: model.name.clone(),
        system: assembled.system.clone(),
        messages: attach::for_eyes(model.sees(), &assembled.messages),
        tools: assembled.tools.clone(),
        max_output: u32::try_from(model.output_reserve()).ok().filter(|_| model.is_small()),
        temperature: model.is_small().then_some(SMALL_TEMPERATURE),
        thinking: settings.thinking,
    }
}

/// Puts the summary of earlier messages in the place of the one there is.
pub(crate) fn set_summary(parts: &mut PromptParts, summary: &str) {
    parts.sections.retain(|section| section.slot != Slot::Summary);
    let reason = "stands for messages that left the window";
    let text = format!("{SUMMARY_HEAD}{summary}");
    parts.sections.push(surviving::section(Slot::Summary, "conversation", text, reason));
}

/// The summary of a section that [`set_summary`] made.
pub(crate) fn summary_in(text: &str) -> Option<&str> {
    text.strip_prefix(SUMMARY_HEAD)
}

/// What a prompt is made of, and what of the workspace could not be used.
pub(crate) async fn parts(
    engine: &Arc<Inner>,
    model: &Model,
    what: Occasioned<'_>,
) -> Result<(PromptParts, Vec<String>), WireError> {
    let persona = persona(engine, model, &what).await?;
    together(engine, model, what, persona).await
}

/// As [`parts`], of what the workspace gave already.
pub(super) async fn together(
    engine: &Arc<Inner>,
    model: &Model,
    what: Occasioned<'_>,
    mut persona: Persona,
) -> Result<(PromptParts, Vec<String>), WireError> {
    let occasion = occasion(&engine.settings.current(), model, &what);
    let today = persona::today(&occasion);
    let loads = what.tools.iter().any(|tool| tool.spec.name == SKILL_LOAD);
    let width = loads.then_some(if model.is_small() { Width::Names } else { Width::Lines });
    let counter = model.token_counter();
    persona.sections.extend(match (what.skills, width) {
        (Some(skills), width) => skills.sections(width, &*counter),
        (None, Some(width)) => engine.skill_index(width).await?.into_iter().collect(),
        (None, None) => Vec::new(),
    });
    let (tools, index) = super::for_model(&what.tools, model, &what.window.messages);
    persona.sections.extend(index);
    let survived = surviving::carried(&persona.noted, &what.window, what.recovery, model);
    persona.sections.extend(survived);
    // In a small prompt the files are cut afterwards: what stands whole in them may not be shown.
    let shown = if model.prompt_tokens().is_some() { &[] } else { persona.sections.as_slice() };
    let recalled = what.recalled.and_then(|recalled| recalled.section(shown));
    persona.sections.extend(recalled);
    let mut parts = PromptParts {
        mode: occasion.mode,
        room: ModelRoom {
            model: model.id.clone(),
            window: model.window,
            output_reserve: model.output_reserve(),
            prompt_tokens: model.prompt_tokens(),
        },
        name: persona.name,
        tools,
        sections: persona.sections,
        today,
        history: what.window.messages,
    };
    if let Some(earlier) = &what.window.earlier {
        set_summary(&mut parts, &earlier.summary);
    }
    Ok((parts, persona.problems))
}

fn occasion(settings: &Settings, model: &Model, what: &Occasioned<'_>) -> Occasion {
    Occasion {
        session: what.session.clone(),
        mode: match (what.minimal, what.light) {
            (true, _) => PromptMode::Minimal,
            (false, true) => PromptMode::Heartbeat,
            (false, false) => PromptMode::Full,
        },
        window: model.window,
        zone: clock::zone(&settings.time_zone),
        at: clock::now(),
        instead: what.instead.cloned(),
    }
}

/// What the workspace gives.
pub(super) async fn persona(
    engine: &Arc<Inner>,
    model: &Model,
    what: &Occasioned<'_>,
) -> Result<Persona, WireError> {
    joined(reading(engine, model, occasion(&engine.settings.current(), model, what)).await)?
}

fn reading(engine: &Inner, model: &Model, occasion: Occasion) -> JoinHandle<Read> {
    let (workspace, counter) = (Arc::clone(&engine.workspace), Arc::clone(&model.counter));
    tokio::task::spawn_blocking(move || {
        let read = persona::read(&workspace, &occasion, &|text| counter.count(text));
        read.map_err(|error| WireError::new(ErrorCode::Storage, error.to_string(), ""))
    })
}

type Read = Result<Persona, WireError>;

/// The workspace's part of a turn's first prompt, read while the turn is opened.
pub(crate) struct Ahead(Mutex<Option<(String, JoinHandle<Read>)>>);

impl Ahead {
    /// Begins to read for a model.
    pub(crate) fn begin(engine: &Arc<Inner>, begin: &Begin, model: Option<Model>) -> Self {
        let read = model.map(|model| {
            let what = Occasioned {
                session: &begin.session,
                window: Window::default(),
                recovery: None,
                recalled: None,
                tools: Arc::from(Vec::new()),
                skills: None,
                minimal: begin.parent.is_some(),
                light: begin.light,
                instead: None,
            };
            let occasion = occasion(&engine.settings.current(), &model, &what);
            (model.id.clone(), reading(engine, &model, occasion))
        });
        Self(Mutex::new(read))
    }

    /// What was read, once, where it was for this model.
    pub(super) async fn take(&self, model: &str) -> Option<Persona> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (_, read) = taken.filter(|(id, _)| id == model)?;
        joined(read.await).flatten().ok()
    }
}
