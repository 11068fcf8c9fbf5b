//! Asking the person whether calls may run.
//!
//! Invariants: what is asked is stored before it is told; an approval covers exactly the form that was
//! asked: tool, arguments and what else is pinned; nobody answering in time means no. Absent here: which
//! calls are asked together, and when an answer counts (`batch`).

use super::policy::{self, Judged, Stands};
use super::{Begin, Told};
use crate::audit::Note;
use crate::beat::NOTICE_CHARS;
use crate::consents::{self, PATIENCE, Said, Waiting};
use crate::engine::Inner;
use crate::{clock, masking};
use hearth_agent::arguments::canonical;
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope};
use hearth_protocol::{
    ApprovalState, Arguments, CallId, EventBody, SessionKey, ToolCall, WireError,
};
use hearth_store::NewApproval;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// What is said of a question that nobody waits for any more.
pub(super) const VOID: &str = "the question is void";
/// What the audit log says of one that a stop ended.
const STOPPED: &str = "the reply was stopped";
/// What is said of a write whose file somebody else changed.
const FILE_CHANGED: &str = "the file was changed since you were asked; nothing was written";
/// Added to the reason where the change fits the file still.
const NOW: &str =
    "the file was changed since you were asked first: this is the change in it as it is now";
/// How often the file of a question is looked at.
const LOOK: Duration = Duration::from_secs(1);

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
    pub(super) row: ApprovalRow,
    pub(super) call: CallId,
    pub(super) form: String,
    waiting: Waiting<Said>,
}

/// The person stopped the reply that asked.
pub(super) struct Stopped;

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    /// The call that it was about.
    pub(super) call: CallId,
    /// The approval.
    pub(super) id: String,
    /// Allowed, denied or expired.
    pub(super) state: ApprovalState,
    /// For the person: how far a yes reaches, or why there is none.
    pub(super) reason: String,
    /// For the model, where it is no yes.
    pub(super) why: String,
}

/// Stores questions that are asked together, all of them or none.
pub(super) async fn store(
    engine: &Inner,
    begin: &Begin,
    calls: &[(ToolCall, Judged)],
) -> Result<Vec<Asked>, WireError> {
    let batch = (calls.len() > 1).then(consents::new_id);
    let rows: Vec<_> =
        calls.iter().map(|(call, judged)| new(begin, call, judged, batch.as_ref())).collect();
    // Open before they can be found, so that no decision is missed.
    let open = |(new, (call, _)): (&NewApproval, &(ToolCall, Judged))| Asked {
        waiting: engine.consents.approval(&new.row.id),
        row: new.row.clone(),
        call: call.id.clone(),
        form: new.form.clone(),
    };
    let asked: Vec<Asked> = rows.iter().zip(calls).map(open).collect();
    engine.store.ask_approvals(&rows).await?;
    for asked in &asked {
        asked.note(engine, ApprovalState::Asked, &asked.row.reason).await?;
    }
    Ok(asked)
}

fn new(begin: &Begin, call: &ToolCall, judged: &Judged, batch: Option<&String>) -> NewApproval {
    let at = clock::now();
    let row = ApprovalRow {
        id: consents::new_id(),
        state: ApprovalState::Asked,
        scope: None,
        tool: call.name.clone(),
        // What is pinned is the form, of the arguments as they are.
        arguments: masking::shown(&call.arguments),
        pinned: judged.pinned.clone(),
        reason: judged.why.clone(),
        session: begin.session.clone(),
        turn: begin.turn.clone(),
        batch: batch.cloned(),
        asked_at: at,
        expires_at: at.saturating_add(i64::try_from(PATIENCE.as_secs()).unwrap_or(i64::MAX)),
        decided_at: None,
    };
    NewApproval { row, form: form(call, &judged.pinned) }
}

impl Asked {
    /// The event that tells it.
    pub(super) fn event(&self) -> EventBody {
        let ApprovalRow { id, tool, arguments, reason, batch, .. } = self.row.clone();
        EventBody::Approval { id, tool, arguments, verdict: ApprovalState::Asked, reason, batch }
    }

    /// Waits for the person; none where it was void before they said anything. `about`: the call, and its file as
    /// it is shown to them; where that changes, the question is another one or none.
    pub(super) async fn wait(
        mut self,
        engine: Arc<Inner>,
        begin: &Begin,
        about: (ToolCall, Option<String>),
        mut void: oneshot::Receiver<Stopped>,
        tell: &mpsc::UnboundedSender<Told>,
    ) -> Option<Answered> {
        let mut nobody = "nobody answered in time";
        let (call, mut shown) = about;
        let patience = tokio::time::sleep(PATIENCE);
        let mut look = tokio::time::interval_at(tokio::time::Instant::now() + LOOK, LOOK);
        tokio::pin!(patience);
        let said = loop {
            tokio::select! {
                said = self.waiting.answer() => break said,
                () = &mut patience => break None,
                () = begin.asker.left() => {
                    nobody = "whoever was asked has left";
                    break None;
                }
                stopped = &mut void => {
                    self.expire(&engine).await;
                    let noted = match stopped {
                        Ok(Stopped) => self.note_as(&engine, "stopped", STOPPED).await,
                        Err(_) => self.note(&engine, ApprovalState::Expired, VOID).await,
                    };
                    if let Err(error) = noted {
                        tracing::warn!(%error, "that a question is void was not noted");
                    }
                    return None;
                }
                _ = look.tick(), if shown.is_some() => {
                    match policy::stands(&engine, begin, &call, &shown).await {
                        Stands::Same => {}
                        Stands::Changed(now) => {
                            shown = Some(now);
                            self.say_changed(&engine, tell).await;
                        }
                        // Where they said something just now, that is told, and the write finds it too.
                        Stands::Void(why) if self.expire(&engine).await => {
                            return Some(self.out_of_date(&engine, why).await);
                        }
                        Stands::Void(_) => {}
                    }
                }
            }
        };
        let (state, reason, why) = match said {
            Some(Said::Yes(scope)) => (ApprovalState::Allowed, reach(scope), ""),
            Some(Said::No) => (ApprovalState::Denied, "denied", "the user said no"),
            None => {
                self.expire(&engine).await;
                (ApprovalState::Expired, nobody, nobody)
            }
        };
        let noted = self.note(&engine, state, reason).await;
        let (call, id) = (self.call.clone(), self.row.id.clone());
        Some(match noted {
            // What was allowed and cannot be noted does not run.
            Err(error) if state == ApprovalState::Allowed => {
                let why = format!("the approval could not be noted: {error}");
                let (state, reason) = (ApprovalState::Denied, why.clone());
                Answered { call, id, state, reason, why }
            }
            _ => Answered { call, id, state, reason: reason.to_owned(), why: why.to_owned() },
        })
    }

    /// Tells that the file changed under the question.
    async fn say_changed(&mut self, engine: &Inner, tell: &mpsc::UnboundedSender<Told>) {
        if !self.row.reason.ends_with(NOW) {
            self.row.reason = format!("{}; {NOW}", self.row.reason);
        }
        if let Err(error) = engine.store.reword_approval(&self.row.id, &self.row.reason).await {
            tracing::warn!(%error, "that the file of a question changed was not stored");
        }
        let _ = tell.send(Told::Event(self.event()));
    }

    /// What was asked would come to nothing: the file is another one.
    async fn out_of_date(&self, engine: &Inner, why: String) -> Answered {
        let state = ApprovalState::Expired;
        if let Err(error) = self.note(engine, state, FILE_CHANGED).await {
            tracing::warn!(%error, "that a question is void was not noted");
        }
        let (call, id) = (self.call.clone(), self.row.id.clone());
        Answered { call, id, state, reason: FILE_CHANGED.to_owned(), why }
    }

    /// False where it was decided meanwhile.
    async fn expire(&self, engine: &Inner) -> bool {
        let (state, at) = (ApprovalState::Expired, clock::now());
        let id = &self.row.id;
        let stored = engine.store.decide_approval(id, state, ApprovalScope::Once, at).await;
        if let Err(error) = &stored {
            tracing::debug!(%error, "an approval was decided as it expired");
        }
        stored.is_ok()
    }

    async fn note(
        &self,
        engine: &Inner,
        state: ApprovalState,
        reason: &str,
    ) -> Result<(), WireError> {
        let state = json!(state);
        self.note_as(engine, state.as_str().unwrap_or_default(), reason).await
    }

    async fn note_as(&self, engine: &Inner, state: &str, reason: &str) -> Result<(), WireError> {
        let Self { row, call, .. } = self;
        let arguments = policy::noted(engine, &row.tool, &row.arguments);
        let body = json!({"approval": row.id, "call": call, "tool": row.tool, "arguments": arguments,
            "state": state, "reason": reason});
        let (session, turn) = (Some(&row.session), Some(&row.turn));
        engine.audit.note(Note { kind: "approval", session, turn, body: &body }).await
    }
}

impl Inner {
    /// Tells a person who does not look on that calls wait, or what runs: as much as a notice holds.
    pub(super) fn notice_calls<'a>(
        &self,
        session: &SessionKey,
        title: String,
        calls: impl ExactSizeIterator<Item = &'a ToolCall>,
        wants: bool,
    ) {
        let (words, share) = (self.words(), NOTICE_CHARS / calls.len().max(1));
        let line = |call: &ToolCall| {
            let what = gist(&call.arguments);
            let mut text = match wants {
                true => words.wants(&call.name, &what),
                false => format!("{} {what}", call.name),
            };
            masking::text(&mut text);
            text.chars().take(share).collect::<String>()
        };
        self.notice_unseen(session, title, &calls.map(line).collect::<Vec<_>>().join("\n"));
    }
}

/// The argument that says most of a call, as people read it.
fn gist(arguments: &Arguments) -> String {
    const TELLING: [&str; 9] =
        ["command", "path", "url", "query", "pattern", "name", "title", "text", "id"];
    let given = match arguments {
        Arguments::Object(given) => given,
        Arguments::Malformed(text) => return text.clone(),
    };
    let text = |name: &&str| given.get(*name).and_then(Value::as_str);
    match TELLING.iter().find_map(text) {
        Some(text) => text.to_owned(),
        None if given.is_empty() => String::new(),
        None => canonical(arguments),
    }
}

fn reach(scope: ApprovalScope) -> &'static str {
    match scope {
        ApprovalScope::Once => "allowed once",
        ApprovalScope::Session => "allowed for this session",
        ApprovalScope::Always => "always allowed in this exact form",
    }
}
