//! The calls of one reply, one after another: arguments, policy, approval, run, result.

use super::turn::Stage;
use super::{Draft, Effect, Turn, Verdict};
use crate::arguments::{self, canonical};
use crate::cut::{CutLimits, cut_result};
use hearth_protocol::{
    Arguments, CallId, ErrorCode, EventBody, Part, Role, StopReason, ToolCall, ToolResult,
    WireError,
};
use std::collections::{HashMap, VecDeque};

/// What the model reads where a call was stopped.
pub(super) const INTERRUPTED: &str =
    "[interrupted: this call was stopped before its result; it may have run in part]";
const NOTHING: &str = "[the tool returned nothing]";
const NOT_RUN: &str = "[not run: the turn ended first]";
const STEERED_PAST: &str = "[not run: the person sent a message first; read it, then decide anew]";

/// The calls of one reply.
#[derive(Debug)]
pub(super) struct Batch {
    waiting: VecDeque<ToolCall>,
    current: Option<Current>,
    any_done: bool,
}

#[derive(Debug)]
struct Current {
    call: ToolCall,
    phase: Phase,
    /// It runs, and what it waits for is the person.
    waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Checking,
    Asking,
    Running,
}

impl Batch {
    pub(super) fn new(calls: Vec<ToolCall>) -> Self {
        Self { waiting: calls.into(), current: None, any_done: false }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.phase == Phase::Asking || current.waits)
    }
}

/// What a turn remembers of its calls.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    outcomes: HashMap<[u8; 32], u32>,
    misses: HashMap<String, u32>,
    text_step: u32,
    /// Calls that were only written about.
    pub(super) written: u32,
}

impl Ledger {
    /// Whether this is the first text of the step.
    pub(super) fn new_step_text(&mut self, step: u32) -> bool {
        std::mem::replace(&mut self.text_step, step) != step
    }

    /// Whether no call has ended yet.
    pub(super) fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// How often this call ended like this.
    fn count(&mut self, call: &ToolCall, ok: bool, text: &str) -> u32 {
        let mut hash = blake3::Hasher::new();
        for field in [call.name.as_str(), &canonical(&call.arguments), if ok { "1" } else { "0" }] {
            hash.update(&(field.len() as u64).to_le_bytes());
            hash.update(field.as_bytes());
        }
        hash.update(text.as_bytes());
        let count = self.outcomes.entry(*hash.finalize().as_bytes()).or_default();
        *count += 1;
        *count
    }
}

/// What a call came to.
pub(super) struct Outcome {
    ok: bool,
    text: String,
    ms: u64,
}

impl Outcome {
    pub(super) fn no(text: impl Into<String>) -> Self {
        Self { ok: false, text: text.into(), ms: 0 }
    }
}

impl Turn {
    /// Takes up the next call, or goes back to the model after the last.
    pub(super) fn next_call(&mut self, out: &mut Vec<Effect>) {
        loop {
            let steered = !self.steers.is_empty();
            let Stage::Tools(batch) = &mut self.stage else { return };
            if batch.any_done && steered {
                self.close_calls(STEERED_PAST, out);
                return self.call_model(out);
            }
            let Some(mut call) = batch.waiting.pop_front() else {
                return self.call_model(out);
            };
            match arguments::check_call(&call, &self.config.tools) {
                Ok(checked) => {
                    self.ledger.misses.remove(&call.name);
                    call.arguments = Arguments::Object(checked);
                    batch.current =
                        Some(Current { call: call.clone(), phase: Phase::Checking, waits: false });
                    return out.push(Effect::CheckPolicy(call));
                }
                Err(error) => {
                    if self.miss(call, &error.to_string(), out) {
                        return;
                    }
                }
            }
        }
    }

    /// The calls of the reply that come after the current one and fit their tools, with the very arguments
    /// that will be checked.
    #[must_use]
    pub fn upcoming(&self) -> Vec<ToolCall> {
        let Stage::Tools(batch) = &self.stage else { return Vec::new() };
        let checked = |call: &ToolCall| {
            let arguments = arguments::check_call(call, &self.config.tools).ok()?;
            Some(ToolCall { arguments: Arguments::Object(arguments), ..call.clone() })
        };
        batch.waiting.iter().filter_map(checked).collect()
    }

    /// A call that cannot run goes back to the model. Returns whether that ended the turn.
    fn miss(&mut self, call: ToolCall, error: &str, out: &mut Vec<Effect>) -> bool {
        let misses = self.ledger.misses.entry(call.name.clone()).or_default();
        *misses += 1;
        let too_often = *misses > self.config.limits.mends;
        let name = call.name.clone();
        let repeated = self.record(&call, false, Outcome::no(error), out);
        if too_often {
            let message = format!("The model kept calling {name} in a wrong way.");
            let hint = "Say it in other words, or choose a stronger model.";
            self.close_calls(NOT_RUN, out);
            self.fail(WireError::new(ErrorCode::ProviderRejected, message, hint), out);
            return true;
        }
        if repeated {
            self.close_calls(NOT_RUN, out);
            self.finish(StopReason::Repeat, out);
        }
        repeated
    }

    pub(super) fn verdict(
        &mut self,
        call: &CallId,
        verdict: Verdict,
        why: String,
        out: &mut Vec<Effect>,
    ) {
        let Some(current) = self.current(call, Phase::Checking) else { return };
        match verdict {
            Verdict::Allow => self.run(out),
            Verdict::Ask => {
                current.phase = Phase::Asking;
                let call = current.call.clone();
                out.push(Effect::AskApproval { call, why });
            }
            Verdict::Deny => self.settle(Outcome::no(format!("denied: {why}")), out),
        }
    }

    pub(super) fn approved(&mut self, call: &CallId, out: &mut Vec<Effect>) {
        if self.current(call, Phase::Asking).is_some() {
            self.run(out);
        }
    }

    pub(super) fn denied(&mut self, call: &CallId, why: &str, out: &mut Vec<Effect>) {
        if self.current(call, Phase::Asking).is_some() {
            self.settle(Outcome::no(format!("denied: {why}")), out);
        }
    }

    pub(super) fn tool_output(&mut self, call: CallId, text: String, out: &mut Vec<Effect>) {
        if self.current(&call, Phase::Running).is_some() {
            out.push(Effect::Emit(EventBody::ToolOutput { call, text }));
        }
    }

    pub(super) fn waits(&mut self, call: &CallId, waits: bool) {
        if let Some(current) = self.current(call, Phase::Running) {
            current.waits = waits;
        }
    }

    pub(super) fn tool_done(
        &mut self,
        call: &CallId,
        ok: bool,
        text: String,
        ms: u64,
        out: &mut Vec<Effect>,
    ) {
        if self.current(call, Phase::Running).is_some() {
            self.settle(Outcome { ok, text, ms }, out);
        }
    }

    /// The result as the model shall see it; never empty, since some providers refuse that.
    pub(super) fn cut(&self, text: String, kept: Option<&str>) -> String {
        if text.trim().is_empty() {
            return NOTHING.to_owned();
        }
        let tokens = self.config.window as f64 * self.config.limits.result_share;
        let limits = CutLimits { chars: self.config.limits.result_chars, tokens: tokens as u64 };
        cut_result(text, limits, kept, self.config.counter.as_ref())
    }

    /// The current call, if it is this one in this phase.
    fn current(&mut self, call: &CallId, phase: Phase) -> Option<&mut Current> {
        let Stage::Tools(batch) = &mut self.stage else { return None };
        batch.current.as_mut().filter(|current| current.call.id == *call && current.phase == phase)
    }

    fn run(&mut self, out: &mut Vec<Effect>) {
        let Stage::Tools(Batch { current: Some(current), .. }) = &mut self.stage else { return };
        current.phase = Phase::Running;
        let call = current.call.clone();
        out.push(Effect::Emit(start(&call)));
        out.push(Effect::RunTool(call));
    }

    /// The current call has its outcome.
    fn settle(&mut self, outcome: Outcome, out: &mut Vec<Effect>) {
        let Stage::Tools(batch) = &mut self.stage else { return };
        let Some(Current { call, phase, .. }) = batch.current.take() else { return };
        if self.record(&call, phase == Phase::Running, outcome, out) {
            self.close_calls(NOT_RUN, out);
            return self.finish(StopReason::Repeat, out);
        }
        self.next_call(out);
    }

    /// Emits and stores a call's outcome. Returns whether it came once too often.
    pub(super) fn record(
        &mut self,
        call: &ToolCall,
        started: bool,
        outcome: Outcome,
        out: &mut Vec<Effect>,
    ) -> bool {
        if let Stage::Tools(batch) = &mut self.stage {
            batch.any_done = true;
        }
        let count = self.ledger.count(call, outcome.ok, &outcome.text);
        push_outcome(call, started, outcome, out);
        count >= self.config.limits.repeats
    }

    /// Gives every call without a result one that says why there is none; kills the one that runs.
    pub(super) fn close_calls(&mut self, waiting_text: &str, out: &mut Vec<Effect>) {
        let Stage::Tools(batch) = &mut self.stage else { return };
        if let Some(Current { call, phase, .. }) = batch.current.take() {
            let running = phase == Phase::Running;
            if running {
                out.push(Effect::CancelTool { call: call.id.clone() });
            }
            let text = if running { INTERRUPTED } else { waiting_text };
            push_outcome(&call, running, Outcome::no(text), out);
        }
        for call in std::mem::take(&mut batch.waiting) {
            push_outcome(&call, false, Outcome::no(waiting_text), out);
        }
    }

    /// Ends whatever runs, keeps what had come, and finishes.
    pub(super) fn interrupt(
        &mut self,
        stop: StopReason,
        error: Option<WireError>,
        out: &mut Vec<Effect>,
    ) {
        if matches!(self.stage, Stage::Model(_)) {
            out.push(Effect::CancelModel);
            self.store_reply(None, &[], out);
        }
        self.close_calls(NOT_RUN, out);
        match error {
            Some(error) => self.fail(error, out),
            None => self.finish(stop, out),
        }
    }
}

fn start(call: &ToolCall) -> EventBody {
    EventBody::ToolStart {
        call: call.id.clone(),
        tool: call.name.clone(),
        arguments: call.arguments.clone(),
    }
}

fn push_outcome(call: &ToolCall, started: bool, outcome: Outcome, out: &mut Vec<Effect>) {
    if !started {
        out.push(Effect::Emit(start(call)));
    }
    let Outcome { ok, text, ms } = outcome;
    let id = call.id.clone();
    out.push(Effect::Emit(EventBody::ToolEnd { call: id.clone(), ok, result: text.clone(), ms }));
    let result = Part::ToolResult(ToolResult { call: id, ok, text });
    out.push(Effect::Persist(Draft { role: Role::Tool, parts: vec![result] }));
}
