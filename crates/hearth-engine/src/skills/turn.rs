//! The skills of one turn: decided on at its beginning, loaded by the model on its way, released at its end.
//!
//! Invariants: what is active stands in the prompt beside the conversation, so no compaction touches it;
//! what others wrote taints the conversation before a model reads it; each change is stored before the turn
//! goes on; everything is in one record that the activation view shows.

use super::record::{Loaded, State};
use super::{Known, PATIENCE};
use crate::clock;
use crate::engine::Inner;
use hearth_agent::skills::{Activated, Decision, Ended, Ledger, narrowed};
use hearth_guard::Source;
use hearth_protocol::api::skills::{SkillActive, SkillActivity, SkillMatch, SkillSource};
use hearth_protocol::{CallId, EventBody, SessionKey, SkillState, TurnId, WireError};
use hearth_workspace::skills::{Body, Found, rough_tokens};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The skills of a turn, shared by its driver, its model calls and its tools.
#[derive(Debug)]
pub(crate) struct TurnSkills {
    session: SessionKey,
    turn: TurnId,
    /// By which its message came.
    channel: &'static str,
    pub(super) state: Mutex<State>,
}

/// How a turn's message reaches skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// By all ways.
    Message,
    /// A job that the person set up: only what it names, whoever may name that in a message.
    Job,
    /// A sub-agent, whose words are a model's: only what its parent gave it.
    Given,
}

/// What the model is told, and what is told of it.
pub(crate) type Told = (Result<String, String>, Vec<EventBody>);

impl TurnSkills {
    /// Nothing is decided yet.
    pub(crate) fn new(session: SessionKey, turn: TurnId, channel: &'static str) -> Self {
        let decision = SkillMatch {
            text: String::new(),
            activated: Vec::new(),
            ranked: Vec::new(),
            threshold: 0.0,
            by_meaning: false,
        };
        let activity = SkillActivity {
            turn: turn.clone(),
            decision,
            active: Vec::new(),
            timeline: Vec::new(),
            index_tokens: 0,
            added: 0,
            freed: 0,
            all_tokens: 0,
        };
        let state = State {
            known: None,
            barred: BTreeMap::new(),
            ledger: Ledger::default(),
            loaded: BTreeMap::new(),
            activity,
            running: HashMap::new(),
            ran: Vec::new(),
        };
        Self { session, turn, channel, state: Mutex::new(state) }
    }

    /// Decides on the turn's message and activates what it asks for; `given`: skills that a parent gave.
    pub(crate) async fn open(
        &self,
        engine: &Arc<Inner>,
        text: &str,
        reach: Reach,
        given: &[String],
    ) -> Result<Vec<EventBody>, WireError> {
        // The turn looked at the folders when it began.
        let known = match engine.skillset.latest() {
            Some(known) => known,
            None => engine.skills().await?,
        };
        let stored = engine.store.skill_ledger(&self.session).await?;
        // What cannot be read any more was not active.
        let ledger: Ledger =
            stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if known.found.is_empty() && ledger.active.is_empty() {
            return Ok(Vec::new());
        }
        let mut decision = match reach {
            Reach::Message => engine.match_skills(&known, text, Some(PATIENCE)).await,
            Reach::Job => known.matcher().decide_named(text),
            Reach::Given => known.matcher().decide_named(""),
        };
        let barred = known.barred(self.channel);
        let lost = decision.leave_out(&barred);
        let names: Vec<String> =
            known.matcher().candidates().iter().map(|one| one.name.clone()).collect();
        let wanted: Vec<String> =
            decision.activated.iter().map(|at| names[*at].clone()).chain(given.to_vec()).collect();
        let mut events: Vec<EventBody> =
            lost.iter().map(|at| left_out(&names[*at], &barred[at])).collect();
        {
            let mut state = self.lock();
            state.barred =
                barred.into_iter().map(|(at, why)| (names[at].to_lowercase(), why)).collect();
            state.ledger = ledger;
            state.activity.decision = SkillMatch {
                text: String::new(),
                ..decision.row(text, known.matcher().candidates())
            };
            state.activity.all_tokens = known.all_tokens();
            state.known = Some(Arc::clone(&known));
            let at = clock::now_exact();
            let mut gone = state.ledger.keep_only(&names, at);
            gone.extend(state.ledger.moved_on(&wanted, at));
            events.extend(state.considered(at));
            events.extend(state.released(&gone));
        }
        self.load_active(engine, &known).await?;
        events.extend(self.activate(engine, &known, &decision, given).await?);
        self.store(engine).await?;
        Ok(events)
    }

    async fn activate(
        &self,
        engine: &Arc<Inner>,
        known: &Known,
        decision: &Decision,
        given: &[String],
    ) -> Result<Vec<EventBody>, WireError> {
        let mut events = Vec::new();
        for at in &decision.activated {
            let ranked = decision.ranked.iter().find(|one| one.at == *at);
            let (score, why) = ranked.map_or((1.0, "it was named"), |one| (one.score, &one.why));
            let found = known.candidate(*at).clone();
            let why = (why.to_owned(), f64::from(score));
            events.extend(self.begin(engine, found, why, None).await?.1);
        }
        for name in given {
            let is_barred = self.lock().barred.contains_key(&name.trim().to_lowercase());
            if let Some(found) = known.usable(name).filter(|_| !is_barred).cloned() {
                let why = ("its parent gave it".to_owned(), 1.0);
                events.extend(self.begin(engine, found, why, None).await?.1);
            }
        }
        Ok(events)
    }

    /// Reads the text of what was active before this turn, as it is now.
    async fn load_active(&self, engine: &Arc<Inner>, known: &Known) -> Result<(), WireError> {
        let active: Vec<SkillActive> =
            self.lock().ledger.active.iter().map(|one| one.shown.clone()).collect();
        for one in active {
            let Some(found) = known.usable(&one.name).cloned() else { continue };
            let Ok(body) = read(found.clone()).await else { continue };
            taint(engine, &self.session, &found, &body.text).await?;
            let mut loaded = Loaded::new(found, body);
            for reference in &one.references {
                if let Ok(text) = loaded.found.reference(&reference.path) {
                    loaded.references.push((reference.path.clone(), text));
                }
            }
            self.lock().loaded.insert(one.name, loaded);
        }
        Ok(())
    }

    /// Activates one skill, if it is not active already. What the model is told, and the events.
    async fn begin(
        &self,
        engine: &Arc<Inner>,
        found: Found,
        (reason, score): (String, f64),
        by: Option<String>,
    ) -> Result<Told, WireError> {
        let name = found.skill.name.clone();
        if self.lock().ledger.get(&name).is_some() {
            return Ok((
                Ok(format!("{name} is active already; its instructions are in your prompt.")),
                Vec::new(),
            ));
        }
        let body = match read(found.clone()).await {
            Ok(body) => body,
            Err(why) => return Ok((Err(format!("{name} cannot be loaded: {why}.")), Vec::new())),
        };
        taint(engine, &self.session, &found, &body.text).await?;
        let tokens = rough_tokens(&body.text);
        let at = clock::now_exact();
        let new = Activated {
            name: name.clone(),
            reason: reason.clone(),
            score,
            turn: self.turn.clone(),
            at,
            tokens,
            self_check: body.skill.self_check.clone(),
            by,
        };
        let mut state = self.lock();
        if let Err(why) = state.ledger.activate(new) {
            return Ok((Err(why), Vec::new()));
        }
        state.loaded.insert(name.clone(), Loaded::new(found, body));
        state.activity.added += tokens;
        let event = state.moment(at, &name, SkillState::Activated, reason, score, tokens);
        let told = format!(
            "{name} is active now: its instructions are in your prompt from the next step on."
        );
        Ok((Ok(told), vec![event]))
    }

    /// `skill_load`: a skill, or a reference of one.
    pub(crate) async fn load(
        &self,
        engine: &Arc<Inner>,
        name: &str,
        reference: Option<&str>,
    ) -> Result<Told, WireError> {
        let known = self.lock().known.clone();
        let known = match known {
            Some(known) => known,
            None => engine.skills().await?,
        };
        let Some(found) = known.usable(name).cloned() else {
            let why = known.any(name).map_or_else(
                || format!("There is no skill {name:?}."),
                |(_, reason)| format!("The skill {name} cannot be used: {reason}."),
            );
            return Ok((Err(why), Vec::new()));
        };
        let barred = self.lock().barred.get(&found.skill.name.to_lowercase()).cloned();
        if let Some(why) = barred {
            return Ok((Err(format!("The skill {name} cannot be used: {why}.")), Vec::new()));
        }
        if !found.skill.model_invocable && self.lock().ledger.get(&found.skill.name).is_none() {
            let why = format!("Only the user may activate {name}, with /skill {name}.");
            return Ok((Err(why), Vec::new()));
        }
        let by = self.user_of(&found.skill.name);
        let reason = match &by {
            Some(by) => format!("{by} uses it"),
            None => "the model asked for it".to_owned(),
        };
        let (told, mut events) = self.begin(engine, found.clone(), (reason, 1.0), by).await?;
        let mut told = told;
        if let (Ok(_), Some(path)) = (&told, reference) {
            let (said, more) = self.refer(engine, &found, path).await?;
            told = said;
            events.extend(more);
        }
        self.store(engine).await?;
        Ok((told, events))
    }

    /// Why a skill of these cannot be given to a sub-agent; none: each can. A model gives what it may load
    /// itself, or works with.
    pub(crate) fn cannot_give(&self, names: &[String]) -> Option<String> {
        let state = self.lock();
        let known = state.known.as_deref();
        names.iter().find_map(|name| {
            let found = known.and_then(|known| known.usable(name));
            let own = found.map(|found| found.skill.name.as_str()).unwrap_or_default();
            let is_barred = state.barred.contains_key(&own.to_lowercase());
            match found {
                Some(_) if is_barred => Some(format!("The skill {name} is not for this message.")),
                Some(found) if found.skill.model_invocable || state.ledger.get(own).is_some() => {
                    None
                }
                Some(_) => Some(format!("Only the user may activate {name}, with /skill {name}.")),
                None => Some(format!("There is no skill {name:?} that could be used.")),
            }
        })
    }

    /// The active skill that uses another.
    fn user_of(&self, name: &str) -> Option<String> {
        let state = self.lock();
        let uses = |loaded: &&Loaded| {
            loaded.found.skill.uses.iter().any(|used| used.eq_ignore_ascii_case(name))
        };
        state.loaded.values().find(uses).map(|loaded| loaded.found.skill.name.clone())
    }

    async fn refer(
        &self,
        engine: &Arc<Inner>,
        found: &Found,
        path: &str,
    ) -> Result<Told, WireError> {
        let (one, wanted) = (found.clone(), path.to_owned());
        let read = tokio::task::spawn_blocking(move || one.reference(&wanted)).await;
        let text = match read {
            Ok(Ok(text)) => text,
            Ok(Err(why)) => return Ok((Err(format!("{why}.")), Vec::new())),
            Err(error) => return Ok((Err(error.to_string()), Vec::new())),
        };
        taint(engine, &self.session, found, &text).await?;
        let (name, tokens, at) = (&found.skill.name, rough_tokens(&text), clock::now_exact());
        let mut state = self.lock();
        let told = format!("{path} of {name} is in your prompt from the next step on.");
        if !state.ledger.refer(name, path, tokens, at) {
            return Ok((Ok(told), Vec::new()));
        }
        if let Some(loaded) = state.loaded.get_mut(name) {
            loaded.references.push((path.to_owned(), text));
        }
        state.activity.added += tokens;
        let name = name.clone();
        let event = state.moment(at, &name, SkillState::Reference, path.to_owned(), 1.0, tokens);
        Ok((Ok(told), vec![event]))
    }

    /// Tools that the active skills leave; none: they do not narrow.
    pub(crate) fn narrowed(&self) -> Option<Vec<String>> {
        narrowed(self.lock().narrowing())
    }

    /// Forms of commands to which active skills narrow `exec`; none: they do not.
    pub(crate) fn command_forms(&self) -> Vec<Vec<String>> {
        self.lock().narrowing().filter_map(|allowed| allowed.commands.clone()).collect()
    }

    /// The active skills' folders and what their scripts may be given, by skill.
    pub(crate) fn folders(&self) -> Vec<Found> {
        self.lock().loaded.values().map(|loaded| loaded.found.clone()).collect()
    }

    /// A command begins.
    pub(crate) fn command_runs(&self, call: &CallId, command: &str) {
        self.lock().running.insert(call.clone(), command.to_owned());
    }

    /// A call ended.
    pub(crate) fn call_ended(&self, call: &CallId, ok: bool) {
        let mut state = self.lock();
        if let Some(command) = state.running.remove(call).filter(|_| ok) {
            state.ran.push(command);
        }
    }

    /// The turn ended: self-checks are held against the reply, and what is over is released.
    pub(crate) async fn close(
        &self,
        engine: &Inner,
        reply: &str,
        finished: bool,
    ) -> Result<Vec<EventBody>, WireError> {
        let events = {
            let mut state = self.lock();
            if state.ledger.active.is_empty() {
                return Ok(Vec::new());
            }
            let mut events = state.checked(reply, finished);
            let at = clock::now_exact();
            let gone = state.ledger.turn_ended(Ended { reply, finished, at });
            events.extend(state.released(&gone));
            events
        };
        self.store(engine).await?;
        Ok(events)
    }

    async fn store(&self, engine: &Inner) -> Result<(), WireError> {
        let (ledger, activity) = {
            let mut state = self.lock();
            state.show_active();
            (serde_json::to_string(&state.ledger).unwrap_or_default(), state.activity.clone())
        };
        Ok(engine.store.set_skills(&self.session, &ledger, &activity).await?)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the person is told of a skill that the message asked for and does not get.
fn left_out(name: &str, why: &str) -> EventBody {
    EventBody::Notice { title: format!("The skill {name} was left out"), body: format!("{why}.") }
}

async fn read(found: Found) -> Result<Body, String> {
    let folder = shell_word(&found.folder);
    let read = tokio::task::spawn_blocking(move || found.body()).await;
    let mut body = read.map_err(|error| error.to_string())??;
    body.text = body.text.replace("{baseDir}", &folder);
    Ok(body)
}

/// A path as a command takes it; `'/a b'/scripts/x.py` is one word too.
pub(super) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\.:_-".contains(c);
    if text.chars().all(plain) {
        text
    } else if cfg!(windows) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// What others wrote is noted before a model reads it.
async fn taint(
    engine: &Inner,
    session: &SessionKey,
    found: &Found,
    text: &str,
) -> Result<(), WireError> {
    if found.source == SkillSource::Bundled {
        return Ok(());
    }
    engine.taints.change(session, |taint| taint.read(Source::Installed, text)).await
}
