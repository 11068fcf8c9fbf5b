//! How a turn ends, and what the person is told about it.

use super::turn::Stage;
use super::{Effect, Limits, Turn};
use hearth_protocol::{EventBody, StopReason, WireError};

impl Turn {
    /// Says what failed, then ends the turn.
    pub(super) fn fail(&mut self, error: WireError, out: &mut Vec<Effect>) {
        let WireError { code, message, hint } = error;
        out.push(Effect::Emit(EventBody::Error { code, message, hint }));
        self.finish(StopReason::Failed, out);
    }

    /// Ends the turn: what the person said meanwhile is kept, the reason told, `done` emitted.
    pub(super) fn finish(&mut self, stop: StopReason, out: &mut Vec<Effect>) {
        self.take_steers(out);
        out.extend(stop_notice(stop, &self.config.limits).map(Effect::Emit));
        self.stage = Stage::Over;
        let reply = std::mem::take(&mut self.reply);
        out.push(Effect::Emit(EventBody::Done { reply: reply.clone(), stop, steps: self.steps }));
        out.push(Effect::Finish { stop, reply });
    }
}

/// What the person is told. A finished turn speaks for itself, a cancel was theirs, and a failure or a
/// budget has been told in full before.
fn stop_notice(stop: StopReason, limits: &Limits) -> Option<EventBody> {
    let (title, body) = match stop {
        StopReason::Steps => (
            format!("Stopped after {} steps", limits.steps),
            "The task may be unfinished. Say “go on” to continue.",
        ),
        StopReason::Time => (
            format!("Stopped after {} minutes", (limits.seconds / 60.0).round()),
            "The task may be unfinished. Say “go on” to continue.",
        ),
        StopReason::Repeat => (
            format!("Stopped: the same tool call gave the same result {} times", limits.repeats),
            "The assistant was going in circles. Say what it should try instead.",
        ),
        StopReason::Finished | StopReason::Budget | StopReason::Cancelled | StopReason::Failed => {
            return None;
        }
    };
    Some(EventBody::Notice { title, body: body.to_owned() })
}
