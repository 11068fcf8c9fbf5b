//! `hearth approvals`: what waits for the person, and what they allowed before.

use crate::access::Reach;
use crate::args::Approvals;
use crate::terminal::{Failure, print, print_list, print_rows};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::ApprovalState;
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope, Decide, DecideAll, Decision};

pub(crate) async fn run(reach: &Reach, command: Approvals, json: bool) -> Result<(), Failure> {
    match command {
        Approvals::List => {
            let engine = reach.read().await?;
            let rows = api::approvals::list(&engine).await?;
            print_list(
                json,
                &rows,
                "Nothing waits for your word, and nothing was allowed for longer.",
                |row| columns(row, &engine.local_time(row.asked_at)),
            )
        }
        Approvals::Allow { id, all: true, .. } => {
            decide_all(reach, DecideAll { id, decision: Decision::Allow }, json).await
        }
        Approvals::Deny { id, all: true } => {
            decide_all(reach, DecideAll { id, decision: Decision::Deny }, json).await
        }
        Approvals::Allow { id, scope, .. } => {
            let scope = match scope.as_str() {
                "session" => ApprovalScope::Session,
                "always" => ApprovalScope::Always,
                _ => ApprovalScope::Once,
            };
            decide(reach, Decide { id, decision: Decision::Allow, scope }, json).await
        }
        Approvals::Deny { id, .. } => {
            let scope = ApprovalScope::Once;
            decide(reach, Decide { id, decision: Decision::Deny, scope }, json).await
        }
        Approvals::Revoke { id } => {
            reach.call(Call::Revoke { id: id.clone() }, &mut |_| {}).await?;
            if json { Ok(()) } else { print(&format!("{id} does not stand any more\n")) }
        }
    }
}

async fn decide(reach: &Reach, request: Decide, json: bool) -> Result<(), Failure> {
    let row: ApprovalRow =
        serde_json::from_value(reach.call(Call::Decide(request), &mut |_| {}).await?)?;
    print_rows(json, &[row], |row| columns(row, ""))
}

async fn decide_all(reach: &Reach, request: DecideAll, json: bool) -> Result<(), Failure> {
    let rows: Vec<ApprovalRow> =
        serde_json::from_value(reach.call(Call::DecideAll(request), &mut |_| {}).await?)?;
    print_rows(json, &rows, |row| columns(row, ""))
}

fn columns(row: &ApprovalRow, asked: &str) -> Vec<String> {
    let state = match (row.state, row.scope) {
        (ApprovalState::Asked, _) => match &row.batch {
            Some(batch) => format!("waits, together: {batch}"),
            None => "waits".to_owned(),
        },
        (ApprovalState::Allowed, Some(ApprovalScope::Always)) => "always allowed".to_owned(),
        (ApprovalState::Allowed, Some(ApprovalScope::Session)) => {
            format!("allowed in {}", row.session)
        }
        (ApprovalState::Allowed, _) => "allowed once".to_owned(),
        (ApprovalState::Denied, _) => "denied".to_owned(),
        (ApprovalState::Expired, _) => "expired".to_owned(),
    };
    let arguments = serde_json::to_string(&row.arguments).unwrap_or_default();
    let call = format!("{} {arguments}", row.tool);
    let (why, pinned) = (row.reason.clone(), row.pinned.join(", "));
    vec![row.id.clone(), state, call, why, pinned, asked.to_owned()]
}
