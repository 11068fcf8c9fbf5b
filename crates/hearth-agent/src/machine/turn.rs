//! The machine itself: which input means what in which stage.

use super::listen::Listening;
use super::tools::{Batch, Ledger};
use super::{Draft, Effect, Input, TurnConfig};
use hearth_protocol::{
    CallId, ErrorCode, EventBody, Fault, FaultKind, Finish, ModelReply, Part, Role, StopReason,
    ToolCall, WireError,
};
use std::collections::HashSet;

/// One turn: from one message to the final reply.
#[derive(Debug)]
pub struct Turn {
    pub(super) config: TurnConfig,
    pub(super) stage: Stage,
    /// Model calls made.
    pub(super) steps: u32,
    /// The visible reply of all steps.
    pub(super) reply: String,
    /// Messages of the person that wait for the next tool boundary.
    pub(super) steers: Vec<Vec<Part>>,
    pub(super) ledger: Ledger,
    clock: Clock,
    seen: HashSet<CallId>,
}

#[derive(Debug)]
pub(super) enum Stage {
    Fresh,
    Model(Listening),
    Tools(Batch),
    Over,
}

/// Time at work: what passes while the person is waited for does not count.
#[derive(Debug, Default)]
struct Clock {
    last: f64,
    worked: f64,
}

impl Turn {
    /// A turn that waits for [`Input::Begin`].
    #[must_use]
    pub fn new(config: TurnConfig) -> Self {
        Self {
            config,
            stage: Stage::Fresh,
            steps: 0,
            reply: String::new(),
            steers: Vec::new(),
            ledger: Ledger::default(),
            clock: Clock::default(),
            seen: HashSet::new(),
        }
    }

    /// Whether `done` was emitted. A message that comes now begins the next turn.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Takes an input and says what to do. What does not fit the stage (an answer that came after a
    /// cancel, say) changes nothing.
    #[must_use = "effects have to be performed"]
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        if self.is_over() {
            return out;
        }
        match input {
            Input::Begin { parts } => self.begin(parts, &mut out),
            Input::Steer { parts } => self.steers.push(parts),
            Input::Cancel => self.interrupt(StopReason::Cancelled, None, &mut out),
            Input::Elapsed { seconds } => self.elapsed(seconds, &mut out),
            Input::Broken(error) => self.interrupt(StopReason::Failed, Some(error), &mut out),
            Input::Delta(delta) => {
                if let Stage::Model(listening) = &mut self.stage {
                    let events = listening.delta(delta);
                    self.emit_reply(events, &mut out);
                }
            }
            Input::Reply(reply) => self.replied(&reply, &mut out),
            Input::Failed { fault, partial } => self.failed(&fault, partial.as_ref(), &mut out),
            Input::BudgetRefused { why } => self.refused(why, &mut out),
            Input::Verdict { call, verdict, why } => self.verdict(&call, verdict, why, &mut out),
            Input::Approved { call } => self.approved(&call, &mut out),
            Input::Denied { call, why } => self.denied(&call, &why, &mut out),
            Input::Waits { call, waits } => self.waits(&call, waits),
            Input::ToolOutput { call, text } => self.tool_output(call, text, &mut out),
            Input::ToolDone { call, ok, text, kept, ms } => {
                let text = self.cut(text, kept.as_deref());
                self.tool_done(&call, ok, text, ms, &mut out);
            }
        }
        out
    }

    fn begin(&mut self, parts: Vec<Part>, out: &mut Vec<Effect>) {
        if matches!(self.stage, Stage::Fresh) {
            out.push(Effect::Emit(EventBody::Started {}));
            out.push(Effect::Persist(Draft { role: Role::User, parts }));
            self.call_model(out);
        }
    }

    /// The boundary before a model call: what the person said meanwhile comes in, limits are checked.
    pub(super) fn call_model(&mut self, out: &mut Vec<Effect>) {
        self.take_steers(out);
        if self.steps >= self.config.limits.steps {
            return self.finish(StopReason::Steps, out);
        }
        self.steps += 1;
        self.stage = Stage::Model(Listening::default());
        out.push(Effect::CallModel { step: self.steps });
    }

    pub(super) fn take_steers(&mut self, out: &mut Vec<Effect>) {
        for parts in std::mem::take(&mut self.steers) {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            });
            let text = texts.collect();
            out.push(Effect::Persist(Draft { role: Role::User, parts }));
            out.push(Effect::Emit(EventBody::Steered { text }));
        }
    }

    fn elapsed(&mut self, seconds: f64, out: &mut Vec<Effect>) {
        let passed = (seconds - self.clock.last).max(0.0);
        self.clock.last = self.clock.last.max(seconds);
        if !matches!(&self.stage, Stage::Tools(batch) if batch.is_asking()) {
            self.clock.worked += passed;
        }
        if self.clock.worked >= self.config.limits.seconds {
            self.interrupt(StopReason::Time, None, out);
        }
    }

    fn replied(&mut self, reply: &ModelReply, out: &mut Vec<Effect>) {
        if !matches!(self.stage, Stage::Model(_)) {
            return;
        }
        let failed = reply.finish == Some(Finish::Error);
        if !reply.complete || failed {
            return self.failed(&cut_fault(failed), Some(reply), out);
        }
        let calls = self.calls_of(reply);
        let written = if calls.is_empty() { self.only_written(reply) } else { None };
        let stored = written.as_ref().map_or(calls.as_slice(), std::slice::from_ref);
        let said = self.store_reply(Some(reply), stored, out);
        if let Some(call) = written {
            return self.hand_back(&call, out);
        }
        if !calls.is_empty() {
            self.stage = Stage::Tools(Batch::new(calls));
            return self.next_call(out);
        }
        // A paused reply goes on; words of the person that came meanwhile are answered in this turn.
        if reply.finish == Some(Finish::Pause) || !self.steers.is_empty() {
            return self.call_model(out);
        }
        let acted = !self.ledger.is_empty();
        out.extend(ending_notice(reply.finish, said, acted).map(Effect::Emit));
        self.finish(StopReason::Finished, out);
    }

    /// The calls that may run, with ids that are unique in this turn.
    fn calls_of(&mut self, reply: &ModelReply) -> Vec<ToolCall> {
        if matches!(reply.finish, Some(Finish::Refusal | Finish::ContentFilter)) {
            return Vec::new();
        }
        let mut calls = reply.tool_calls.clone();
        for call in &mut calls {
            call.id = self.unique(call.id.as_str());
        }
        calls
    }

    pub(super) fn unique(&mut self, wanted: &str) -> CallId {
        let base = if wanted.is_empty() { "call" } else { wanted };
        let mut id = CallId::from(base);
        let mut n = 1;
        while !self.seen.insert(id.clone()) {
            n += 1;
            id = CallId::from(format!("{base}_{n}").as_str());
        }
        id
    }

    /// Ends listening: emits what is left, stores the message. Returns whether anything was visible.
    pub(super) fn store_reply(
        &mut self,
        reply: Option<&ModelReply>,
        calls: &[ToolCall],
        out: &mut Vec<Effect>,
    ) -> bool {
        let Stage::Model(listening) = &mut self.stage else { return false };
        let events = listening.end(reply);
        self.emit_reply(events, out);
        let Stage::Model(listening) = std::mem::replace(&mut self.stage, Stage::Fresh) else {
            return false;
        };
        let said = !listening.text().trim().is_empty();
        let mut parts = listening.into_parts(reply);
        parts.extend(calls.iter().cloned().map(Part::ToolCall));
        let worth = parts.iter().any(|part| !matches!(part, Part::Reasoning { .. }));
        if worth {
            out.push(Effect::Persist(Draft { role: Role::Assistant, parts }));
        }
        said
    }

    /// Emits a reply's events; texts of different steps are parted by an empty line.
    fn emit_reply(&mut self, events: Vec<EventBody>, out: &mut Vec<Effect>) {
        for event in events {
            if let EventBody::Text { text } = &event {
                if self.ledger.new_step_text(self.steps) && !self.reply.is_empty() {
                    self.reply.push_str("\n\n");
                    out.push(Effect::Emit(EventBody::Text { text: "\n\n".to_owned() }));
                }
                self.reply.push_str(text);
            }
            out.push(Effect::Emit(event));
        }
    }

    fn failed(&mut self, fault: &Fault, partial: Option<&ModelReply>, out: &mut Vec<Effect>) {
        if !matches!(self.stage, Stage::Model(_)) {
            return;
        }
        self.store_reply(partial, &[], out);
        if fault.kind == FaultKind::Cancelled {
            return self.finish(StopReason::Cancelled, out);
        }
        let error = WireError::new(error_code(fault.kind), &fault.message, &fault.hint);
        self.fail(error, out);
    }

    fn refused(&mut self, why: String, out: &mut Vec<Effect>) {
        if !matches!(self.stage, Stage::Model(_)) {
            return;
        }
        self.steps = self.steps.saturating_sub(1);
        self.store_reply(None, &[], out);
        let title = "The budget is used up".to_owned();
        out.push(Effect::Emit(EventBody::Notice { title, body: why }));
        self.finish(StopReason::Budget, out);
    }
}

fn cut_fault(by_provider: bool) -> Fault {
    let message = if by_provider {
        "The model's server reported an error in the middle of its reply."
    } else {
        "The connection to the model ended before its reply did."
    };
    Fault {
        kind: FaultKind::Cut,
        message: message.to_owned(),
        hint: "What had come is kept. Send the message again, or ask to go on.".to_owned(),
        retry: hearth_protocol::Retry::Resume,
        status: None,
    }
}

fn ending_notice(finish: Option<Finish>, said: bool, acted: bool) -> Option<EventBody> {
    let (title, body) = match finish {
        Some(Finish::Length) => (
            "The reply reached the model's length limit",
            "It may be incomplete. Ask to go on if something is missing.",
        ),
        Some(Finish::ContentFilter) => {
            ("The provider's content filter ended the reply", "Try to say it in other words.")
        }
        Some(Finish::Refusal) => ("The model declined to answer", ""),
        _ if !said && acted => ("The model ended without a word", "What it did stands above."),
        _ if !said => {
            ("The model gave an empty reply", "Send the message again, or choose another model.")
        }
        _ => return None,
    };
    Some(EventBody::Notice { title: title.to_owned(), body: body.to_owned() })
}

/// What a client can do about a fault.
#[must_use]
pub fn error_code(kind: FaultKind) -> ErrorCode {
    match kind {
        FaultKind::BadKey => ErrorCode::BadKey,
        FaultKind::Quota => ErrorCode::Quota,
        FaultKind::RateLimited => ErrorCode::RateLimited,
        FaultKind::ContextOverflow => ErrorCode::ContextOverflow,
        FaultKind::ModelMissing => ErrorCode::ModelMissing,
        FaultKind::ModelFiles => ErrorCode::ModelNotDownloaded,
        FaultKind::Forbidden | FaultKind::WrongUrl | FaultKind::Rejected => {
            ErrorCode::ProviderRejected
        }
        FaultKind::Unavailable
        | FaultKind::Refused
        | FaultKind::Offline
        | FaultKind::Tls
        | FaultKind::Timeout
        | FaultKind::Cut
        | FaultKind::Cancelled => ErrorCode::ProviderUnavailable,
    }
}
