//! A plan of which a part is harmless when the person says yes, and is not when it runs: an earlier yes of a
//! batch must not carry over to changed content.

use crate::approvals::{asked, say, start, until};
use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope, DecideAll, Decision};
use hearth_protocol::{ApprovalState, EventBody};
use hearth_tests::{FORMATS, TestHome, message, turn_events};
use serde_json::json;

async fn waiting(engine: &Engine) -> Vec<ApprovalRow> {
    let rows = api::approvals::list(engine).await.expect("lists");
    rows.into_iter().filter(|row| row.state == ApprovalState::Asked).collect()
}

/// The first call of the plan, allowed in good faith, writes what the second would run; the person said yes
/// to both by one word.
#[tokio::test]
async fn an_early_yes_does_not_cover_a_script_that_the_plan_changes() {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("home");
    let engine = home.open().await.expect("opens");
    let harmless = "echo report\n";
    std::fs::write(home.path("workspace/report.sh"), harmless).expect("writes");
    let harmful = "echo 'touch loot.txt' > report.sh";
    std::fs::write(home.path("workspace/prepare.sh"), format!("{harmful}\n")).expect("writes");
    home.server.push(
        Reply::new()
            .call("exec", &json!({"command": "sh prepare.sh"}))
            .call("exec", &json!({"command": "sh report.sh"})),
    );
    home.server.push(Reply::new().text("Reported."));
    let mut wait = engine.listen();
    let (turn, mut events) = start(&engine, message("Make the report.")).await;
    until(&mut wait, asked).await;
    until(&mut wait, asked).await;
    let rows = waiting(&engine).await;
    assert_eq!(rows.len(), 2, "{rows:?}");
    let all = DecideAll { id: rows[0].id.clone(), decision: Decision::Allow };
    api::approvals::decide_all(&engine, all).await.expect("decides");

    // The script is another one now: its content is asked about anew.
    until(&mut wait, asked).await;
    let changed = waiting(&engine).await;
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(changed[0].arguments, rows[1].arguments);
    assert_ne!(changed[0].pinned, rows[1].pinned, "what is pinned names the new content");
    assert!(!home.path("workspace/loot.txt").exists());
    let no = say(&changed[0].id, Decision::Deny, ApprovalScope::Once);
    api::approvals::decide(&engine, no).await.expect("decides");
    let events = turn_events(&mut events, &turn).await;
    let ends: Vec<bool> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolEnd { ok, .. } => Some(*ok),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [true, false]);
    assert!(!home.path("workspace/loot.txt").exists(), "the changed script did not run");
    engine.close().await;
}
