//! Approvals: which calls wait for the person, what they say, and what stands.

use crate::consents::Said;
use crate::engine::Access;
use crate::{Engine, clock};
use hearth_protocol::api::approvals::{
    ApprovalRow, ApprovalScope, Decide, DecideAll, Decision, QuestionRow,
};
use hearth_protocol::{ApprovalState, ErrorCode, WireError};
use hearth_store::StoreError;

/// Those that are open, then those that stand. Where nobody owns the home, whoever asked is gone and nothing is
/// open any more.
///
/// # Errors
/// The database's.
pub async fn list(engine: &Engine) -> Result<Vec<ApprovalRow>, WireError> {
    let inner = &engine.inner;
    let mut rows = inner.store.approvals(clock::now()).await?;
    let is_open = |row: &ApprovalRow| row.state == ApprovalState::Asked;
    if inner.access == Access::Read && rows.iter().any(is_open) && inner.home.own().is_ok() {
        rows.retain(|row| !is_open(row));
    }
    Ok(rows)
}

/// Says yes or no to a call that waits.
///
/// # Errors
/// `not_found` where it does not wait any more; `home_busy`.
pub async fn decide(engine: &Engine, request: Decide) -> Result<ApprovalRow, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let (state, said) = match request.decision {
        Decision::Allow => (ApprovalState::Allowed, Said::Yes(request.scope)),
        Decision::Deny => (ApprovalState::Denied, Said::No),
    };
    let decided =
        inner.store.decide_approval(&request.id, state, request.scope, clock::now()).await;
    let row = decided.map_err(|error| gone(error, &request.id))?;
    inner.consents.decide(&request.id, said);
    Ok(row)
}

/// Says yes or no to all that still waits of a batch: a yes reaches no further than one for each call.
///
/// # Errors
/// `not_found` where nothing of it waits any more; `home_busy`.
pub async fn decide_all(
    engine: &Engine,
    request: DecideAll,
) -> Result<Vec<ApprovalRow>, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let (state, said) = match request.decision {
        Decision::Allow => (ApprovalState::Allowed, Said::Yes(ApprovalScope::Once)),
        Decision::Deny => (ApprovalState::Denied, Said::No),
    };
    let decided = inner.store.decide_batch(&request.id, state, clock::now()).await;
    let rows = decided.map_err(|error| gone(error, &request.id))?;
    for row in &rows {
        inner.consents.decide(&row.id, said);
    }
    Ok(rows)
}

/// Takes a standing allowance back.
///
/// # Errors
/// `not_found`; `home_busy`.
pub async fn revoke(engine: &Engine, id: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    let revoked = engine.inner.store.revoke_approval(&id, clock::now()).await;
    revoked.map_err(|error| gone(error, &id))
}

/// The questions of `ask_user` that wait for an answer.
///
/// # Errors
/// None today.
pub async fn questions(engine: &Engine) -> Result<Vec<QuestionRow>, WireError> {
    Ok(engine.inner.consents.questions())
}

/// Answers a question.
///
/// # Errors
/// `not_found` where it does not wait any more; `home_busy`.
pub async fn answer(engine: &Engine, id: String, text: String) -> Result<(), WireError> {
    engine.inner.must_own()?;
    match engine.inner.consents.answer(&id, text) {
        true => Ok(()),
        false => {
            let message = format!("no question {id} waits for an answer");
            Err(WireError::new(ErrorCode::NotFound, message, "Write a message instead."))
        }
    }
}

fn gone(error: StoreError, id: &str) -> WireError {
    match error {
        StoreError::NotFound { what, .. } => {
            let message =
                format!("there is no {what} {id}: it was decided, expired, or its turn ended");
            let hint = "`hearth approvals list` shows those there are.";
            WireError::new(ErrorCode::NotFound, message, hint)
        }
        other => other.into(),
    }
}
