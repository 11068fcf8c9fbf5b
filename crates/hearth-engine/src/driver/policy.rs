//! Whether a call may run: rules, what the person allowed before, and whether anybody can be asked.
//!
//! Rules of this version: reading inside the workspace is allowed; writing there is allowed in turns that a
//! person started, since every change is a version; all else is asked for.

use super::{Begin, consent, own};
use crate::engine::Inner;
use hearth_agent::machine::Verdict;
use hearth_protocol::api::approvals::ApprovalScope;
use hearth_protocol::{Origin, ToolCall, WireError};
use hearth_tools::Access;

/// What policy says of a call, and what an approval of it pins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// For the person where it is asked, for the model where it is denied.
    pub(super) why: String,
    /// What an approval holds on to beside tool and arguments, in words.
    pub(super) pinned: Vec<String>,
}

/// The rules alone.
pub(super) fn rules(engine: &Inner, begin: &Begin, call: &ToolCall) -> Judged {
    let by_person = matches!(begin.origin, Origin::Window | Origin::Quick | Origin::Cli);
    let tool = engine.tools.get(&call.name);
    let (verdict, why) = match tool.as_ref().map(|tool| tool.descriptor().access) {
        _ if own::is(&call.name) => (Verdict::Allow, "it reaches nothing outside this turn"),
        Some([Access::Reads]) => (Verdict::Allow, "reading in the workspace is allowed"),
        Some([Access::WritesWorkspace]) if by_person => {
            (Verdict::Allow, "the person started this turn")
        }
        Some([Access::WritesWorkspace]) => {
            (Verdict::Ask, "it changes a file in a turn that no person started")
        }
        Some(_) => (Verdict::Ask, "it reaches beyond the workspace"),
        None => (Verdict::Deny, "there is no such tool"),
    };
    Judged { verdict, why: why.to_owned(), pinned: Vec::new() }
}

/// The rules, then what the person said before: for this turn, or for this exact form. What nobody can be
/// asked about is denied.
pub(super) async fn judge(
    engine: &Inner,
    begin: &Begin,
    call: &ToolCall,
) -> Result<Judged, WireError> {
    let judged = rules(engine, begin, call);
    if judged.verdict != Verdict::Ask {
        return Ok(judged);
    }
    if begin.asker.yes_to.contains(&call.name) {
        let why = "the person allowed this tool for this turn".to_owned();
        return Ok(Judged { verdict: Verdict::Allow, why, ..judged });
    }
    let form = consent::form(call, &judged.pinned);
    if let Some(scope) = engine.store.standing_approval(&form, &begin.session).await? {
        let why = match scope {
            ApprovalScope::Always => "the person always allows this exact form",
            ApprovalScope::Session | ApprovalScope::Once => {
                "the person allowed it for this session"
            }
        };
        return Ok(Judged { verdict: Verdict::Allow, why: why.to_owned(), ..judged });
    }
    if begin.asker.answers || engine.host.can_ask() {
        return Ok(judged);
    }
    let why = format!("it needs approval ({}), and nobody can be asked here", judged.why);
    Ok(Judged { verdict: Verdict::Deny, why, ..judged })
}
