//! The end of every call in the audit log: also of those that never came before the policy, or were stopped.

use super::{Drive, policy};
use crate::audit::Note;
use hearth_protocol::{Arguments, CallId, EventBody, WireError};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Calls of which the log tells how they ended, and what those were given of which it does not.
#[derive(Default)]
pub(super) struct Audited {
    ended: HashSet<CallId>,
    begun: HashMap<CallId, (String, Arguments)>,
}

impl Audited {
    /// The log tells, or is about to, how a call ended.
    pub(super) fn ended(&mut self, call: &CallId) {
        self.ended.insert(call.clone());
    }
}

impl Drive {
    /// Notes the end of a call that nothing else in the log tells of.
    pub(super) async fn note_end(&mut self, body: &EventBody) -> Result<(), WireError> {
        match body {
            EventBody::ToolStart { call, tool, arguments } => {
                self.audited.begun.insert(call.clone(), (tool.clone(), arguments.clone()));
            }
            EventBody::ToolEnd { call, result, .. } => {
                let begun = self.audited.begun.remove(call);
                let is_told = self.audited.ended.remove(call);
                if let Some((tool, arguments)) = begun.filter(|_| !is_told) {
                    let arguments = policy::noted(&self.engine, &tool, &arguments);
                    let body = json!({"call": call, "tool": tool, "arguments": arguments,
                        "verdict": "stopped", "why": result});
                    let (session, turn) = (Some(&self.begin.session), Some(&self.begin.turn));
                    let note = Note { kind: "tool_call", session, turn, body: &body };
                    self.engine.audit.note(note).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
