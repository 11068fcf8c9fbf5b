//! Asking the person whether a call may run.
//!
//! Invariants: what is asked is stored before it is told; an approval covers exactly the form that was
//! asked: tool, arguments and what else is pinned; nobody answering in time means no.

use super::policy::Judged;
use super::{Begin, Told};
use crate::audit::Note;
use crate::clock;
use crate::consents::{self, PATIENCE, Said, Waiting};
use crate::engine::Inner;
use crate::host::Notice;
use hearth_agent::arguments::canonical;
use hearth_agent::machine::Input;
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope};
use hearth_protocol::{ApprovalState, EventBody, ToolCall, WireError};
use hearth_store::NewApproval;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Names the exact form of a call.
pub(super) fn form(call: &ToolCall, pinned: &[String]) -> String {
    let mut hash = blake3::Hasher::new();
    let arguments = canonical(&call.arguments);
    let fields = [call.name.as_str(), arguments.as_str()];
    for field in fields.into_iter().chain(pinned.iter().map(String::as_str)) {
        hash.update(&(field.len() as u64).to_le_bytes());
        hash.update(field.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

/// A question on its way to the person.
pub(super) struct Asked {
    row: ApprovalRow,
    call: ToolCall,
    cancel: CancellationToken,
    tell: mpsc::UnboundedSender<Told>,
    engine: Arc<Inner>,
    waiting: Waiting<Said>,
}

impl Asked {
    /// Stores the question.
    pub(super) async fn store(
        engine: &Arc<Inner>,
        begin: &Begin,
        call: ToolCall,
        judged: &Judged,
        (cancel, tell): (CancellationToken, mpsc::UnboundedSender<Told>),
    ) -> Result<Self, WireError> {
        let at = clock::now();
        let row = ApprovalRow {
            id: consents::new_id(),
            state: ApprovalState::Asked,
            scope: None,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            pinned: judged.pinned.clone(),
            reason: judged.why.clone(),
            session: begin.session.clone(),
            turn: begin.turn.clone(),
            asked_at: at,
            expires_at: at.saturating_add(i64::try_from(PATIENCE.as_secs()).unwrap_or(i64::MAX)),
            decided_at: None,
        };
        // Open before it can be found, so that no decision is missed.
        let waiting = engine.consents.approval(&row.id);
        let new = NewApproval { row: row.clone(), form: form(&call, &judged.pinned) };
        engine.store.ask_approval(&new).await?;
        note(engine, &row, ApprovalState::Asked, &row.reason).await?;
        Ok(Self { row, call, cancel, tell, engine: Arc::clone(engine), waiting })
    }

    /// The event of a state.
    pub(super) fn event(&self, verdict: ApprovalState, reason: &str) -> EventBody {
        event(&self.row, verdict, reason)
    }

    /// What ends the turn while this is open: an event, for whoever shows the question.
    pub(super) fn void(&self) -> EventBody {
        self.event(ApprovalState::Expired, "the turn ended")
    }

    /// Waits for the person and tells the turn what they said.
    pub(super) async fn wait(mut self) {
        self.notice();
        self.say(Told::Event(self.event(ApprovalState::Asked, &self.row.reason)));
        let said = tokio::select! {
            said = self.waiting.answer() => said,
            () = tokio::time::sleep(PATIENCE) => None,
            () = self.cancel.cancelled() => None,
        };
        let call = self.call.id.clone();
        let (state, reason, input) = match said {
            Some(Said::Yes(scope)) => {
                (ApprovalState::Allowed, reach(scope), Input::Approved { call })
            }
            Some(Said::No) => {
                let why = "the user said no".to_owned();
                (ApprovalState::Denied, "denied", Input::Denied { call, why })
            }
            None => {
                let why = "nobody answered in time".to_owned();
                (ApprovalState::Expired, "nobody answered in time", Input::Denied { call, why })
            }
        };
        if state == ApprovalState::Expired {
            let at = clock::now();
            let stored =
                self.engine.store.decide_approval(&self.row.id, state, ApprovalScope::Once, at);
            if let Err(error) = stored.await {
                tracing::debug!(%error, "an approval was decided as it expired");
            }
        }
        // What was allowed and cannot be noted does not run.
        let noted = note(&self.engine, &self.row, state, reason).await;
        let input = match (noted, input) {
            (Err(error), Input::Approved { call }) => {
                Input::Denied { call, why: format!("the approval could not be noted: {error}") }
            }
            (_, input) => input,
        };
        self.say(Told::Event(self.event(state, reason)));
        self.say(Told::Input(Box::new(input)));
    }

    fn notice(&self) {
        let session = &self.row.session;
        if self.engine.host.is_watching(session) {
            return;
        }
        let title = self.engine.words().may_run(&self.row.tool);
        let body: String = canonical(&self.row.arguments).chars().take(200).collect();
        self.engine.notify(Notice::new(title, body, session.clone()));
    }

    fn say(&self, told: Told) {
        // The turn may have ended by a cancel; then nobody listens any more.
        let _ = self.tell.send(told);
    }
}

async fn note(
    engine: &Inner,
    row: &ApprovalRow,
    state: ApprovalState,
    reason: &str,
) -> Result<(), WireError> {
    let body = json!({"approval": row.id, "tool": row.tool, "state": state, "reason": reason});
    let (session, turn) = (Some(&row.session), Some(&row.turn));
    engine.audit.note(Note { kind: "approval", session, turn, body: &body }).await
}

fn event(row: &ApprovalRow, verdict: ApprovalState, reason: &str) -> EventBody {
    EventBody::Approval {
        id: row.id.clone(),
        tool: row.tool.clone(),
        arguments: row.arguments.clone(),
        verdict,
        reason: reason.to_owned(),
    }
}

fn reach(scope: ApprovalScope) -> &'static str {
    match scope {
        ApprovalScope::Once => "allowed once",
        ApprovalScope::Session => "allowed for this session",
        ApprovalScope::Always => "always allowed in this exact form",
    }
}
