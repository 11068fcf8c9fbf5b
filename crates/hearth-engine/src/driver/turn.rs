//! One turn, from its place in the lane to its last event.

use super::call::{Asking, Choice};
use super::own::Desk;
use super::prompt::Ahead;
use super::{Told, audited, batch, call, recovering, tool, toolset};
use crate::engine::{Inner, joined};
use crate::lanes::Pass;
use crate::logging::masked;
use crate::recalling::Recalled;
use crate::skills::turn::{Reach, TurnSkills};
use crate::{api, clock, masking, surviving, turns};
use hearth_agent::commands::skill_argument;
use hearth_agent::machine::{Draft, Effect, Input, Turn, TurnConfig};
use hearth_agent::survival::BUFFER_FROM;
use hearth_agent::survival::recovery::After;
use hearth_agent::toolbox::Boxed;
use hearth_guard::Source;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{
    Event, EventBody, Message, MessageId, Origin, Part, Role, SessionKey, StopReason, ToolCall,
    TurnId, WireError,
};
use hearth_store::{Partial, Window};
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{OnceCell, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often time is told to the machine and what was shown is saved.
const TICK: Duration = Duration::from_millis(500);

/// What a person says to a turn that runs.
#[derive(Debug)]
pub(crate) enum Word {
    /// A message for its next boundary; held in the store already.
    Steer(Vec<Part>),
    /// Stop.
    Cancel,
}

/// What a turn begins with.
#[derive(Debug, Clone)]
pub(crate) struct Begin {
    pub(crate) turn: TurnId,
    pub(crate) session: SessionKey,
    pub(crate) origin: Origin,
    /// Picked by hand for this turn.
    pub(crate) model: Option<String>,
    /// What to say first, where it is not held in the store: a message that came too late for the last turn.
    pub(crate) parts: Option<Vec<Part>>,
    /// No reply is wanted but a compaction, with what is to be kept above all.
    pub(crate) compact: Option<String>,
    /// What whoever asked allows, and whether they can be asked back.
    pub(crate) asker: Asker,
    /// For a sub-agent: what its parent gave it.
    pub(crate) parent: Option<Parent>,
    /// The light prompt of a beat: HEARTBEAT.md, USER.md and today's log.
    pub(crate) light: bool,
}

/// Who sent the message that a turn answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asker {
    /// Tools allowed for this turn without asking.
    pub(crate) yes_to: Vec<String>,
    /// A terminal that asks the person is attached; cancelled when it has left.
    pub(crate) terminal: Option<CancellationToken>,
}

impl Asker {
    /// Whether a terminal that asks the person is attached now.
    pub(crate) fn answers(&self) -> bool {
        self.terminal.as_ref().is_some_and(|terminal| !terminal.is_cancelled())
    }

    /// Ends when the terminal that the turn began in has left; never where there was none.
    pub(crate) async fn left(&self) {
        match &self.terminal {
            Some(terminal) => terminal.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// What a sub-agent has of its parent.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    /// The tools it may use, all of them its parent's.
    pub(crate) tools: Vec<String>,
    /// The skills it works with.
    pub(crate) skills: Vec<String>,
}

/// A turn at work.
pub(crate) struct Drive {
    pub(super) engine: Arc<Inner>,
    pub(super) begin: Arc<Begin>,
    pub(super) machine: Turn,
    pub(super) tools: Arc<[Boxed]>,
    children: Arc<AtomicUsize>,
    /// The questions that are open, as they were told; a sub-agent's too.
    pub(super) open: Vec<EventBody>,
    /// What the calls of the last reply asked.
    pub(super) batch: batch::Batch,
    pub(super) audited: audited::Audited,
    pub(super) window: Window,
    /// What the person said and nobody noted yet.
    fresh: Vec<Message>,
    /// How full the model's window was at the last call, from 0 to 1.
    fill: f64,
    /// After what work is taken up again, and what the model is told of it.
    recovery: Option<(After, Arc<str>)>,
    pub(super) words: mpsc::UnboundedReceiver<Word>,
    pub(super) told: mpsc::UnboundedReceiver<Told>,
    pub(super) tell: mpsc::UnboundedSender<Told>,
    /// The model call or tool that runs.
    pub(super) work: CancellationToken,
    seq: u64,
    step: u32,
    model: Option<String>,
    shown: Shown,
    started: Instant,
    /// Stopped while it waited in its lane.
    pub(super) stopped_early: bool,
    recalled: Arc<OnceCell<Recalled>>,
    /// The workspace's part of the first prompt, read while the turn is opened.
    ahead: Arc<Ahead>,
    /// What must not be lost, on its way to disk.
    noting: Option<JoinHandle<Result<usize, WireError>>>,
    pub(super) skills: Arc<TurnSkills>,
    /// What the message activated, told once the turn has begun.
    opened: Vec<EventBody>,
    /// What went wrong last, in words.
    failed: String,
}

/// What of the current step was shown, for the case of a crash.
#[derive(Default)]
struct Shown {
    text: String,
    reasoning: String,
    saved: bool,
}

impl Drive {
    /// Runs the turn to its end. The pass is given back when its last event is stored.
    pub(crate) async fn run(
        engine: Arc<Inner>,
        begin: Begin,
        words: mpsc::UnboundedReceiver<Word>,
        _pass: Pass,
    ) {
        engine.settings.refresh();
        engine.hands.follow(&engine).await;
        // The tools depend on whether there are any skills.
        let (skills, choice) = tokio::join!(engine.skills(), Choice::of(&engine, &begin));
        if let Err(error) = skills {
            tracing::warn!(%error, "skills could not be read");
        }
        let (config, model) = call::first_config(&engine, &choice).await;
        // A turn that only compacts reads no persona.
        let ahead = Ahead::begin(&engine, &begin, model.filter(|_| begin.compact.is_none()));
        let (tell, told) = mpsc::unbounded_channel();
        let tools = toolset::all_tools(&engine, Some(&begin));
        let config = TurnConfig { tools: toolset::specs(&tools), ..config };
        let drive = Self {
            machine: Turn::new(config),
            tools,
            children: Arc::default(),
            open: Vec::new(),
            batch: batch::Batch::default(),
            audited: audited::Audited::default(),
            window: Window::default(),
            fresh: Vec::new(),
            fill: 0.0,
            recovery: None,
            words,
            told,
            tell,
            work: CancellationToken::new(),
            seq: 0,
            step: 0,
            model: None,
            shown: Shown::default(),
            started: Instant::now(),
            stopped_early: false,
            recalled: Arc::default(),
            ahead: Arc::new(ahead),
            noting: None,
            skills: Arc::new(TurnSkills::new(
                begin.session.clone(),
                begin.turn.clone(),
                api::chat::channel(begin.origin),
            )),
            opened: Vec::new(),
            failed: String::new(),
            engine,
            begin: Arc::new(begin),
        };
        drive.go(choice).await;
    }

    async fn go(mut self, choice: Choice) {
        let parts = match self.open().await {
            Ok(parts) => parts,
            Err(error) => return self.never_began(error).await,
        };
        if self.begin.compact.is_some() {
            return self.shrink(choice).await;
        }
        let mut inputs = VecDeque::from([Input::Begin { parts }]);
        if self.stopped_early {
            inputs.push_back(Input::Cancel);
        }
        let mut tick = tokio::time::interval(TICK);
        loop {
            while let Some(input) = inputs.pop_front() {
                self.note_shown(&input);
                for effect in self.machine.on(input) {
                    if let Effect::Finish { stop, reply } = effect {
                        return self.finish(stop, &reply).await;
                    }
                    self.perform(effect, &choice, &mut inputs).await;
                }
            }
            tokio::select! {
                biased;
                Some(word) = self.words.recv() => inputs.push_back(match word {
                    Word::Steer(parts) => Input::Steer { parts },
                    Word::Cancel => Input::Cancel,
                }),
                Some(told) = self.told.recv() => {
                    self.noted().await;
                    inputs.extend(self.take_told(told));
                }
                _ = tick.tick() => {
                    self.save_shown().await;
                    inputs.push_back(Input::Elapsed { seconds: self.started.elapsed().as_secs_f64() });
                }
            }
        }
    }

    /// Takes in what a model call or tool tells; what of it the machine is to know.
    fn take_told(&mut self, told: Told) -> Option<Input> {
        match told {
            Told::Delta(delta) => return Some(Input::Delta(delta)),
            Told::Event(body) => self.emit(body),
            Told::Answered(answered) => return self.answered(&answered),
            Told::Model(model) => self.model = Some(model),
            Told::Compacted(compaction) => self.window.compacted(*compaction),
            Told::Fill(fill) => self.fill = fill,
            Told::Input(input) => {
                if let Input::ToolDone { call, ok, .. } = input.as_ref() {
                    self.audited.ended(call);
                    self.skills.call_ended(call, *ok);
                }
                return Some(*input);
            }
        }
        None
    }

    /// Sets the stored turn to work; returns what the person said.
    async fn open(&mut self) -> Result<Vec<Part>, WireError> {
        // What was said while the turn waited is held in the store, so it is taken with the message.
        while let Ok(word) = self.words.try_recv() {
            self.stopped_early |= matches!(word, Word::Cancel);
        }
        let store = &self.engine.store;
        let (taken, remembered) = tokio::join!(
            store.start_turn(&self.begin.turn, clock::now()),
            crate::guard::remembers(&self.engine),
        );
        let taken = taken?;
        self.window = store.window(&self.begin.session).await?;
        self.remember(remembered).await?;
        self.recovery = recovering::briefing(&self.engine, &self.begin, &self.window).await?;
        self.engine.bus.send(Signal::Sessions);
        let said = self.begin.parts.clone().unwrap_or_default();
        let late = (!said.is_empty()).then(|| turns::message(said.clone()));
        self.fresh = late.into_iter().chain(taken.iter().cloned()).collect();
        let held = taken.into_iter().flat_map(|message| message.parts);
        let parts: Vec<Part> = said.into_iter().chain(held).collect();
        self.open_skills(&parts).await?;
        Ok(parts)
    }

    /// Activates what the message asks for.
    async fn open_skills(&mut self, parts: &[Part]) -> Result<(), WireError> {
        if self.begin.compact.is_some() {
            return Ok(());
        }
        let text = parts.iter().find_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let given = self.begin.parent.as_ref().map(|parent| parent.skills.clone());
        let text = text.unwrap_or_default();
        // A job's own words are found like a message's; the name of a skill in them is certain.
        let names_one = skill_argument(text).is_some();
        let reach = match self.begin.origin {
            _ if self.begin.parent.is_some() => Reach::Given,
            Origin::Heartbeat => Reach::Job,
            Origin::Cron if names_one => Reach::Job,
            _ => Reach::Message,
        };
        let given = given.unwrap_or_default();
        self.opened = self.skills.open(&self.engine, text, reach, &given).await?;
        Ok(())
    }

    /// Holds self-checks against the reply and lets go of what is over.
    async fn close_skills(&mut self, reply: &str, stop: StopReason) {
        match self.skills.close(&self.engine, reply, stop == StopReason::Finished).await {
            Ok(events) => events.into_iter().for_each(|event| self.emit(event)),
            Err(error) => tracing::warn!(%error, "what became of skills was not stored"),
        }
    }

    /// Notes what the prompt brings before anything is said.
    async fn remember(&self, remembered: Vec<Source>) -> Result<(), WireError> {
        let taints = &self.engine.taints;
        let foreign = self.tools.iter().any(|tool| tool.outside);
        let is_child = self.begin.parent.is_some();
        let change = |taint: &mut hearth_guard::Taint| {
            // A sub-agent works within its parent's turn.
            if !is_child {
                taint.begin();
            }
            for source in remembered {
                taint.read(source, "");
            }
            if foreign {
                taint.read(Source::Described, "");
            }
        };
        taints.change(&self.begin.session, change).await
    }

    async fn perform(&mut self, effect: Effect, choice: &Choice, inputs: &mut VecDeque<Input>) {
        match effect {
            Effect::Emit(body) => {
                if let EventBody::Done { reply, stop, .. } = &body {
                    self.close_skills(reply, *stop).await;
                    self.end_asking(*stop).await;
                }
                if let Some(error) = self.note_end(&body).await.err() {
                    tracing::warn!(%error, "that a call did not run was not noted");
                }
                let begins = matches!(body, EventBody::Started {});
                self.emit(body);
                if begins {
                    std::mem::take(&mut self.opened).into_iter().for_each(|event| self.emit(event));
                }
            }
            Effect::Persist(draft) => {
                if let Err(error) = self.persist(draft).await {
                    inputs.push_back(Input::Broken(error));
                }
            }
            Effect::CallModel { step } => {
                self.end_batch().await;
                self.call_model(step, choice);
            }
            Effect::CancelModel | Effect::CancelTool { .. } => self.work.cancel(),
            Effect::CheckPolicy(call) => {
                inputs.push_back(self.check(call).await.unwrap_or_else(Input::Broken));
            }
            Effect::AskApproval { call, .. } => {
                inputs.extend(
                    self.ask(call).await.unwrap_or_else(|error| Some(Input::Broken(error))),
                );
            }
            Effect::RunTool(call) => self.run_tool(call, inputs),
            Effect::Finish { .. } => {}
        }
    }

    fn run_tool(&mut self, call: ToolCall, inputs: &mut VecDeque<Input>) {
        // What was approved is what runs.
        let Some(seen) = self.as_allowed(&call) else {
            let text = "denied: what it would run changed since it was approved".to_owned();
            let done = Input::ToolDone { call: call.id, ok: false, text, kept: None, ms: 0 };
            return inputs.push_back(done);
        };
        self.work = CancellationToken::new();
        let desk = Desk {
            engine: Arc::clone(&self.engine),
            begin: Arc::clone(&self.begin),
            tools: Arc::clone(&self.tools),
            children: Arc::clone(&self.children),
            cancel: self.work.clone(),
            tell: self.tell.clone(),
            skills: Arc::clone(&self.skills),
        };
        self.engine.turns.spawn(tool::run(desk, masking::call(&call), seen));
    }

    fn call_model(&mut self, step: u32, choice: &Choice) {
        let recovered = self.recovery.as_ref().filter(|_| step == 1).map(|(after, _)| after.name());
        if let Some(from) = recovered {
            self.emit(EventBody::Recovered { from: from.to_owned() });
        }
        self.step = step;
        self.shown = Shown::default();
        self.work = CancellationToken::new();
        let asking = Asking {
            engine: Arc::clone(&self.engine),
            begin: Arc::clone(&self.begin),
            step,
            window: Mutex::new(self.window.clone()),
            recovery: self.recovery.as_ref().map(|(_, text)| Arc::clone(text)),
            tools: Arc::clone(&self.tools),
            choice: choice.clone(),
            recalled: Arc::clone(&self.recalled),
            ahead: Arc::clone(&self.ahead),
            skills: Arc::clone(&self.skills),
            cancel: self.work.clone(),
            tell: self.tell.clone(),
        };
        self.engine.turns.spawn(asking.run());
    }

    /// Messages of the person are in the store already, held for this turn; others are stored here.
    async fn persist(&mut self, draft: Draft) -> Result<(), WireError> {
        let store = &self.engine.store;
        if draft.role == Role::User {
            let taken = store.take_held(&self.begin.turn).await?;
            let mut said = std::mem::take(&mut self.fresh);
            said.extend(taken.iter().cloned());
            // A sub-agent's task is its parent's, not the person's.
            if self.begin.parent.is_none() {
                for message in &said {
                    let taints = &self.engine.taints;
                    taints.heard(&self.begin.session, self.begin.origin, &message.parts).await?;
                }
            }
            self.note(said).await;
            self.window.messages.extend(taken);
            return Ok(());
        }
        let mut message = draft.stamp(MessageId::new(), clock::now(), self.begin.turn.clone());
        masking::message(&mut message);
        store.append(&self.begin.session, std::slice::from_ref(&message)).await?;
        self.window.messages.push(message);
        Ok(())
    }

    pub(super) fn emit(&mut self, body: EventBody) {
        if matches!(body, EventBody::Done { .. }) {
            // Whoever hears of the end and writes at once gets a turn of their own.
            turns::leave(&self.engine, &self.begin.session, &self.begin.turn);
        }
        if self.follows(&body) {
            self.emit_next(body);
        }
    }

    pub(super) fn emit_next(&mut self, mut body: EventBody) {
        if let EventBody::Error { message, hint, .. } = &mut body {
            (*message, *hint) = (masked(message), masked(hint));
            self.failed = format!("{message} {hint}").trim().to_owned();
        }
        masking::event(&mut body);
        self.seq += 1;
        let event = Event {
            body,
            seq: self.seq,
            turn: self.begin.turn.clone(),
            session: self.begin.session.clone(),
            at: clock::now_exact(),
        };
        self.engine.log.push(event.clone());
        self.engine.bus.send(Signal::Turn(event));
    }

    fn note_shown(&mut self, input: &Input) {
        let Input::Delta(delta) = input else { return };
        match delta {
            hearth_protocol::ModelDelta::Text(text) => self.shown.text.push_str(text),
            hearth_protocol::ModelDelta::Reasoning(text) => self.shown.reasoning.push_str(text),
            hearth_protocol::ModelDelta::ServerTool(_)
            | hearth_protocol::ModelDelta::Reading { .. } => return,
        }
        self.shown.saved = false;
    }

    async fn save_shown(&mut self) {
        let Shown { text, reasoning, saved } = &mut self.shown;
        if *saved || text.is_empty() && reasoning.is_empty() {
            return;
        }
        *saved = true;
        let partial = Partial { step: self.step, text: text.clone(), reasoning: reasoning.clone() };
        if let Err(error) = self.engine.store.save_partial(&self.begin.turn, &partial).await {
            tracing::warn!(%error, "what was shown could not be saved");
        }
    }

    async fn never_began(mut self, error: WireError) {
        let WireError { code, message, hint } = error;
        self.emit(EventBody::Error { code, message, hint });
        self.emit(EventBody::Done { reply: String::new(), stop: StopReason::Failed, steps: 0 });
    }

    pub(super) async fn finish(mut self, stop: StopReason, reply: &str) {
        self.work.cancel();
        self.noted().await;
        // Where the end was not told, nobody can steer any more either; what came before is drained below.
        turns::leave(&self.engine, &self.begin.session, &self.begin.turn);
        self.keep_exchange(reply).await;
        let stored = self.store_end(stop).await;
        if let Err(error) = stored {
            tracing::error!(%error, turn = %self.begin.turn, "the end of a turn could not be stored");
        }
        self.engine.bus.send(Signal::Sessions);
        self.notice(stop, reply);
        let mut late = Vec::new();
        while let Ok(word) = self.words.try_recv() {
            if let Word::Steer(parts) = word {
                late.extend(parts);
            }
        }
        if !late.is_empty() && stop != StopReason::Cancelled {
            turns::answer_late(&self.engine, &self.begin, late).await;
        }
    }

    /// What must not be lost goes to disk while the model is asked.
    async fn note(&mut self, said: Vec<Message>) {
        if !recovering::is_the_persons(&self.begin) {
            return;
        }
        self.noted().await;
        let (engine, session) = (Arc::clone(&self.engine), self.begin.session.clone());
        let noting = async move { surviving::note(&engine, &session, &said).await };
        self.noting = Some(self.engine.turns.spawn(noting));
    }

    /// It is on disk before anything of the reply is shown or done.
    async fn noted(&mut self) {
        let Some(noting) = self.noting.take() else { return };
        if let Err(error) = joined(noting.await).flatten() {
            tracing::warn!(%error, "the facts of a message were not noted");
            let title = "SESSION-STATE.md could not be written".to_owned();
            self.emit(EventBody::Notice { title, body: error.message });
        }
    }

    /// From 60 % of the window on, what was said is kept beside the conversation.
    async fn keep_exchange(&self, reply: &str) {
        if self.fill < BUFFER_FROM || !recovering::is_the_persons(&self.begin) {
            return;
        }
        let said = recovering::said_in(&self.window, &self.begin.turn);
        let kept = surviving::keep_exchange(&self.engine, &self.begin.session, &said, reply).await;
        if let Err(error) = kept {
            tracing::warn!(%error, "an exchange was not kept in the working buffer");
        }
    }

    async fn store_end(&mut self, stop: StopReason) -> Result<(), WireError> {
        let engine = &self.engine;
        engine.log.flush().await?;
        let (turn, model) = (&self.begin.turn, self.model.as_deref());
        engine.store.finish_turn(turn, stop, self.step, model, clock::now()).await?;
        Ok(())
    }

    fn notice(&self, stop: StopReason, reply: &str) {
        // Whether a beat speaks is decided by what it says, where it was started.
        let beats = matches!(self.begin.origin, Origin::Heartbeat | Origin::Cron);
        if beats || stop == StopReason::Cancelled || self.begin.parent.is_some() {
            return;
        }
        let title = self.engine.words().answered(stop == StopReason::Finished);
        let text = if reply.trim().is_empty() { &self.failed } else { reply };
        self.engine.notice_unseen(&self.begin.session, title, text);
    }
}
