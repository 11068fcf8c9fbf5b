//! Tools that the driver runs itself, since they reach the turn, its person or other turns: `ask_user`,
//! `skill_load`, `spawn_agent`, `tool_load`.
//!
//! Invariant: they touch nothing outside; what a sub-agent does is judged in its own turn.

use super::{Begin, Told, spawn};
use crate::clock;
use crate::consents::{self, PATIENCE};
use crate::engine::Inner;
use crate::skills::turn::TurnSkills;
use hearth_agent::machine::Input;
use hearth_agent::toolbox::{Boxed, TOOL_LOAD};
use hearth_protocol::api::approvals::QuestionRow;
use hearth_protocol::{CallId, EventBody, ToolSpec};
use hearth_tools::Outcome;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const ASK_USER: &str = "ask_user";
pub(super) const SPAWN_AGENT: &str = "spawn_agent";
/// Brings a skill's instructions, or one of its references.
pub(crate) const SKILL_LOAD: &str = "skill_load";

/// What a tool of the driver can reach.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) engine: Arc<Inner>,
    pub(super) begin: Arc<Begin>,
    /// All tools of the turn.
    pub(super) tools: Arc<[Boxed]>,
    /// Sub-agents that the turn has started.
    pub(super) children: Arc<AtomicUsize>,
    pub(super) cancel: CancellationToken,
    pub(super) tell: mpsc::UnboundedSender<Told>,
    pub(super) skills: Arc<TurnSkills>,
}

impl Desk {
    /// Says something to the turn. It may have ended by a cancel; then nobody listens any more.
    pub(super) fn say(&self, told: Told) {
        let _ = self.tell.send(told);
    }
}

/// Whether a name is one of these.
pub(crate) fn is(name: &str) -> bool {
    [ASK_USER, SKILL_LOAD, SPAWN_AGENT, TOOL_LOAD].contains(&name)
}

/// Those offered: a sub-agent neither asks nor spawns; skills are loaded where there are any.
pub(super) fn specs(is_child: bool, has_skills: bool) -> Vec<ToolSpec> {
    let load = has_skills.then(|| ToolSpec {
        name: SKILL_LOAD.to_owned(),
        description:
            "Load a skill of the list into your prompt, or with `reference` one more of its files."
                .to_owned(),
        schema: object(
            &json!({"name": {"type": "string"}, "reference": {"type": "string"}}),
            "name",
        ),
    });
    if is_child {
        return load.into_iter().collect();
    }
    let ask = ToolSpec {
        name: ASK_USER.to_owned(),
        description: "Ask the user something you cannot find out, and wait for the answer."
            .to_owned(),
        schema: object(
            &json!({"text": {"type": "string"},
                "choices": {"type": "array", "items": {"type": "string"}, "maxItems": 8}}),
            "text",
        ),
    };
    let spawn = ToolSpec {
        name: SPAWN_AGENT.to_owned(),
        description:
            "Give a part of the task to a sub-agent that sees only this text, and get its result. \
                      Name everything it has to know."
                .to_owned(),
        schema: object(
            &json!({"task": {"type": "string"},
                "tools": {"type": "array", "items": {"type": "string"}},
                "skills": {"type": "array", "items": {"type": "string"}}}),
            "task",
        ),
    };
    load.into_iter().chain([ask, spawn]).collect()
}

/// The tool that brings the schema of one that is only named.
pub(super) fn loader() -> ToolSpec {
    ToolSpec {
        name: TOOL_LOAD.to_owned(),
        description: "Load a tool of the list of more tools, so that you can call it.".to_owned(),
        schema: object(&json!({"name": {"type": "string"}}), "name"),
    }
}

fn object(properties: &Value, required: &str) -> Value {
    json!({"type": "object", "properties": properties, "required": [required],
        "additionalProperties": false})
}

/// Runs one of these.
pub(super) async fn run(
    desk: &Desk,
    call: &CallId,
    name: &str,
    arguments: &Map<String, Value>,
) -> Outcome {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    match name {
        TOOL_LOAD => load(desk, text("name")),
        SKILL_LOAD => load_skill(desk, text("name"), text("reference")).await,
        SPAWN_AGENT => {
            let (tools, skills) = (texts(arguments, "tools"), texts(arguments, "skills"));
            spawn::run(desk, text("task"), tools, skills.unwrap_or_default()).await
        }
        _ => {
            let choices = texts(arguments, "choices").unwrap_or_default();
            ask(desk, call, text("text"), choices).await
        }
    }
}

fn texts(arguments: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
    let list = arguments.get(key)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn load(desk: &Desk, name: &str) -> Outcome {
    match desk.tools.iter().find(|tool| tool.spec.name == name) {
        Some(Boxed { spec, .. }) => Outcome::done(format!(
            "{} can be called now. {} Arguments: {}",
            spec.name, spec.description, spec.schema
        )),
        None => Outcome::failed(format!("There is no tool {name:?} in the list of more tools.")),
    }
}

async fn load_skill(desk: &Desk, name: &str, reference: &str) -> Outcome {
    let reference = Some(reference.trim()).filter(|path| !path.is_empty());
    match desk.skills.load(&desk.engine, name, reference).await {
        Ok((told, events)) => {
            events.into_iter().for_each(|event| desk.say(Told::Event(event)));
            told.map_or_else(Outcome::failed, Outcome::done)
        }
        Err(error) => Outcome::failed(format!("The skill could not be loaded: {error}.")),
    }
}

async fn ask(desk: &Desk, call: &CallId, text: &str, choices: Vec<String>) -> Outcome {
    let (engine, begin) = (&desk.engine, &desk.begin);
    if !begin.asker.answers() && !engine.host.can_ask() {
        return Outcome::failed(
            "Nobody can be asked now. Decide yourself, or end your reply with the question.",
        );
    }
    let row = QuestionRow {
        id: consents::new_id(),
        text: text.to_owned(),
        choices,
        session: begin.session.clone(),
        turn: begin.turn.clone(),
        asked_at: clock::now(),
    };
    let QuestionRow { id, text, choices, session, .. } = row.clone();
    let mut waiting = engine.consents.question(row);
    let waits = |waits| Told::Input(Box::new(Input::Waits { call: call.clone(), waits }));
    desk.say(waits(true));
    engine.notice_unseen(&session, engine.words().question(), &text);
    desk.say(Told::Event(EventBody::Question { id, text, choices }));
    let answer = tokio::select! {
        answer = waiting.answer() => answer,
        () = tokio::time::sleep(PATIENCE) => None,
        () = begin.asker.left() => None,
    };
    desk.say(waits(false));
    match answer {
        Some(text) => Outcome::done(text),
        None => Outcome::failed(
            "Nobody answered in time. Go on without, or end your reply with the question.",
        ),
    }
}
