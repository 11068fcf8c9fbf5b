//! The questions of one reply: those of its calls that need the person's word are asked together, once the
//! first of them is reached, and each is answered by itself.
//!
//! Invariants: an answer counts for its call alone, once, while the call's form is what was asked, the rules
//! ask no more strictly, and the question would not have expired; else it is asked anew. A no stays one.
//! Whatever is open when the reply's calls are over, or the turn is, is void.

use super::consent::{self, Answered, Asked, Stopped, VOID};
use super::policy::{self, Judged};
use super::{Drive, Told};
use crate::clock;
use hearth_agent::machine::{Input, Verdict};
use hearth_guard::Trust;
use hearth_protocol::{ApprovalState, CallId, EventBody, StopReason, ToolCall, WireError};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// More at once than anybody reads.
const MOST: usize = 20;
/// Added to the reason of what is asked a second time.
const AGAIN: &str = "it is not as it was when you were asked before";
/// Where the turn ends.
const ENDED: &str = "the turn ended";

/// The calls of one reply that were asked.
#[derive(Default)]
pub(super) struct Batch {
    held: HashMap<CallId, Held>,
}

/// What is known of one question.
struct Held {
    id: String,
    form: String,
    rule: String,
    trust: Trust,
    expires_at: i64,
    answer: Option<Answered>,
    /// The file that it would change, as it was when the person was asked.
    seen: Option<String>,
    /// Dropped, it voids the question if that is still open, also where the driver ends by a panic.
    void: oneshot::Sender<Stopped>,
}

impl Held {
    fn new(
        asked: &Asked,
        judged: &Judged,
        seen: Option<String>,
        void: oneshot::Sender<Stopped>,
    ) -> Self {
        Self {
            id: asked.row.id.clone(),
            form: asked.form.clone(),
            rule: judged.rule.clone(),
            trust: judged.trust,
            expires_at: asked.row.expires_at,
            answer: None,
            seen,
            void,
        }
    }

    /// Whether what was asked is what would be asked now, or was refused.
    fn fits(&self, form: &str, judged: &Judged, now: i64) -> bool {
        let said = self.answer.as_ref().map(|answer| answer.state);
        if said.is_some_and(|state| state != ApprovalState::Allowed) {
            return true;
        }
        // Under the same rule, text that anybody may have written makes a question another one.
        let worse = judged.trust == Trust::Untrusted && self.trust < Trust::Untrusted;
        self.form == form && self.rule == judged.rule && !worse && now < self.expires_at
    }
}

impl Batch {
    /// Takes an answer in; none where its question is void.
    fn answer(&mut self, answered: &Answered) -> Option<Input> {
        let held = self.held.get_mut(&answered.call).filter(|held| held.id == answered.id)?;
        held.answer = Some(answered.clone());
        Some(input(answered))
    }

    /// What a call was refused with before it was reached.
    fn refusal(&self, call: &CallId) -> Option<&Answered> {
        let answer = self.held.get(call)?.answer.as_ref()?;
        (answer.state != ApprovalState::Allowed).then_some(answer)
    }
}

/// What the machine hears of an answer.
fn input(answered: &Answered) -> Input {
    let call = answered.call.clone();
    match answered.state {
        ApprovalState::Allowed => Input::Approved { call },
        _ => Input::Denied { call, why: answered.why.clone() },
    }
}

impl Drive {
    /// Policy's word on a call that is reached, or the no that the person gave already.
    pub(super) async fn check(&mut self, call: ToolCall) -> Result<Input, WireError> {
        if let Some(refusal) = self.batch.refusal(&call.id) {
            let why = refusal.why.clone();
            self.audited.ended(&call.id);
            policy::refuse(&self.engine, &self.begin, &call, &why).await?;
            return Ok(Input::Verdict { call: call.id, verdict: Verdict::Deny, why });
        }
        let judged = policy::judge(&self.engine, &self.begin, &self.skills, &call).await?;
        if judged.verdict == Verdict::Deny {
            self.audited.ended(&call.id);
        }
        if judged.verdict != Verdict::Ask {
            // It does not need what was asked, or cannot have it.
            self.void(&call.id, VOID).await;
        }
        Ok(Input::Verdict { call: call.id, verdict: judged.verdict, why: judged.why })
    }

    /// Asks about a call that is reached, with those that come after it; what the person said already is
    /// returned.
    pub(super) async fn ask(&mut self, call: ToolCall) -> Result<Option<Input>, WireError> {
        let judged = policy::rules(&self.engine, &self.begin, &self.skills, &call);
        let mut wanted = Vec::new();
        if let Some(held) = self.fitting(&call, &judged) {
            let Some(answered) = &held.answer else { return Ok(None) };
            return Ok(Some(input(answered)));
        }
        wanted.push((call, judged));
        for next in self.machine.upcoming() {
            if wanted.len() >= MOST {
                break;
            }
            let judged = policy::foresee(&self.engine, &self.begin, &self.skills, &next).await?;
            if let Some(judged) = judged.filter(|to| self.fitting(&next, to).is_none()) {
                wanted.push((next, judged));
            }
        }
        for (call, judged) in &mut wanted {
            if self.void(&call.id, AGAIN).await {
                judged.why = format!("{}; {AGAIN}", judged.why);
            }
        }
        // Before it is shown what would change.
        let mut seen = Vec::new();
        for (call, _) in &wanted {
            seen.push(policy::replaced(&self.engine, &self.begin, call).await);
        }
        let all = consent::store(&self.engine, &self.begin, &wanted).await?;
        for ((asked, (call, judged)), seen) in all.into_iter().zip(&wanted).zip(seen) {
            self.tell_asked(asked, judged, call.clone(), seen);
        }
        self.notice_asked(&wanted);
        Ok(None)
    }

    fn tell_asked(&mut self, asked: Asked, judged: &Judged, call: ToolCall, seen: Option<String>) {
        let (void, voided) = oneshot::channel();
        let held = Held::new(&asked, judged, seen.clone(), void);
        self.batch.held.insert(asked.call.clone(), held);
        self.emit(asked.event());
        let (engine, tell) = (Arc::clone(&self.engine), self.tell.clone());
        let begin = Arc::clone(&self.begin);
        self.engine.turns.spawn(async move {
            let answered = asked.wait(engine, &begin, (call, seen), voided, &tell).await;
            if let Some(answered) = answered {
                // The turn may have ended by a cancel; then nobody listens any more.
                let _ = tell.send(Told::Answered(Box::new(answered)));
            }
        });
    }

    fn notice_asked(&self, wanted: &[(ToolCall, Judged)]) {
        let words = self.engine.words();
        let title = match wanted {
            [(call, _)] => words.may_run(&call.name),
            many => words.may_all_run(many.len()),
        };
        let calls = wanted.iter().map(|(call, _)| call);
        self.engine.notice_calls(&self.begin.session, title, calls, true);
    }

    /// The person answered; what the machine is to hear of it. A call that is not reached yet hears it then.
    pub(super) fn answered(&mut self, answered: &Answered) -> Option<Input> {
        let input = self.batch.answer(answered)?;
        if answered.state != ApprovalState::Allowed {
            self.audited.ended(&answered.call);
        }
        self.decide(&answered.id, answered.state, &answered.reason);
        Some(input)
    }

    /// Where what is about to run is what the person allowed, if they were asked: what they saw of what it replaces.
    pub(super) fn as_allowed(&mut self, call: &ToolCall) -> Option<Option<String>> {
        // A program or script that changed since is another form.
        let Some(held) = self.batch.held.remove(&call.id) else { return Some(None) };
        let now = policy::rules(&self.engine, &self.begin, &self.skills, call);
        let fits = now.verdict != Verdict::Deny && consent::form(call, &now.pinned) == held.form;
        fits.then_some(held.seen)
    }

    /// The reply's calls are over: what was asked of them and is still open is void.
    pub(super) async fn end_batch(&mut self) {
        self.end_questions(VOID, false).await;
    }

    /// The turn is over: what is open is void, a sub-agent's questions too.
    pub(super) async fn end_asking(&mut self, stop: StopReason) {
        self.end_questions(ENDED, stop == StopReason::Cancelled).await;
    }

    async fn end_questions(&mut self, why: &str, stopped: bool) {
        let held = std::mem::take(&mut self.batch.held);
        self.expire(held.values()).await;
        for held in held.into_values().filter(|_| stopped) {
            // Nobody waits for one that was answered.
            let _ = held.void.send(Stopped);
        }
        for asked in std::mem::take(&mut self.open) {
            if let EventBody::Approval { id, tool, arguments, batch, .. } = asked {
                let (verdict, reason) = (ApprovalState::Expired, why.to_owned());
                self.emit_next(EventBody::Approval { id, tool, arguments, verdict, reason, batch });
            }
        }
    }

    fn fitting(&self, call: &ToolCall, judged: &Judged) -> Option<&Held> {
        let form = consent::form(call, &judged.pinned);
        self.batch.held.get(&call.id).filter(|held| held.fits(&form, judged, clock::now()))
    }

    /// Drops what was asked about a call; says whether anything was.
    async fn void(&mut self, call: &CallId, why: &str) -> bool {
        let Some(held) = self.batch.held.remove(call) else { return false };
        self.expire(std::iter::once(&held)).await;
        self.decide(&held.id, ApprovalState::Expired, why);
        true
    }

    /// Before it is told, so that whoever hears of it finds it so.
    async fn expire<'a>(&self, held: impl Iterator<Item = &'a Held> + Send) {
        let open = held.filter(|held| held.answer.is_none()).map(|held| held.id.as_str());
        let ids: Vec<&str> = open.collect();
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.engine.store.void_approvals(&ids, clock::now()).await {
            tracing::warn!(%error, "void questions still stand as open");
        }
    }

    /// Tells what became of a question, if it is open still.
    fn decide(&mut self, id: &str, verdict: ApprovalState, why: &str) {
        let is_it =
            |body: &EventBody| matches!(body, EventBody::Approval { id: one, .. } if one == id);
        let Some(mut body) = self.open.iter().find(|body| is_it(body)).cloned() else { return };
        if let EventBody::Approval { verdict: state, reason, .. } = &mut body {
            *state = verdict;
            why.clone_into(reason);
        }
        self.emit(body);
    }

    /// Keeps what is open; false where an end comes to something that is not.
    pub(super) fn follows(&mut self, body: &EventBody) -> bool {
        let EventBody::Approval { id, verdict, .. } = body else { return true };
        let before = self.open.len();
        self.open
            .retain(|asked| !matches!(asked, EventBody::Approval { id: one, .. } if one == id));
        match verdict {
            ApprovalState::Asked => self.open.push(body.clone()),
            _ => return self.open.len() < before,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(rule: &str, trust: Trust) -> Judged {
        let (verdict, rule) = (Verdict::Ask, rule.to_owned());
        Judged { verdict, rule, trust, why: String::new(), pinned: Vec::new() }
    }

    fn held(state: Option<ApprovalState>) -> Held {
        let answer = state.map(|state| Answered {
            call: CallId::from("c1"),
            id: "a1".to_owned(),
            state,
            reason: String::new(),
            why: "the user said no".to_owned(),
        });
        Held {
            id: "a1".to_owned(),
            form: "form".to_owned(),
            rule: "profile:assistant".to_owned(),
            trust: Trust::Person,
            expires_at: 100,
            answer,
            seen: None,
            void: oneshot::channel().0,
        }
    }

    #[test]
    fn an_answer_fits_the_same_form_under_no_stricter_rule_while_it_holds() {
        let same = judged("profile:assistant", Trust::Person);
        for state in [None, Some(ApprovalState::Allowed)] {
            let held = held(state);
            assert!(held.fits("form", &same, 99));
            // The output of the batch's first command is read before the second one.
            assert!(held.fits("form", &judged("profile:assistant", Trust::Local), 99));
            assert!(!held.fits("other", &same, 99), "another form");
            assert!(!held.fits("form", &same, 100), "it expired");
            assert!(!held.fits("form", &judged("taint:run", Trust::Person), 99), "another rule");
            let worse = judged("profile:assistant", Trust::Untrusted);
            assert!(!held.fits("form", &worse, 99), "less is believed");
        }
        for state in [ApprovalState::Denied, ApprovalState::Expired] {
            let worse = judged("taint:run", Trust::Untrusted);
            assert!(held(Some(state)).fits("other", &worse, 999), "a no stays one");
        }
    }

    #[test]
    fn an_answer_to_another_question_of_the_call_is_none() {
        let mut batch = Batch::default();
        batch.held.insert(CallId::from("c1"), held(None));
        let answer = |id: &str, state| Answered {
            call: CallId::from("c1"),
            id: id.to_owned(),
            state,
            reason: String::new(),
            why: "the user said no".to_owned(),
        };
        assert_eq!(batch.answer(&answer("a0", ApprovalState::Allowed)), None);
        assert!(batch.refusal(&CallId::from("c1")).is_none());
        let allowed = batch.answer(&answer("a1", ApprovalState::Allowed));
        assert_eq!(allowed, Some(Input::Approved { call: CallId::from("c1") }));
        assert!(batch.answer(&answer("a1", ApprovalState::Denied)).is_some());
        assert!(batch.refusal(&CallId::from("c1")).is_some());
    }
}
