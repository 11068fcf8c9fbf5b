//! Approvals that were asked together: stored, decided and voided.

use crate::support::Home;
use hearth_protocol::api::approvals::{ApprovalRow, ApprovalScope};
use hearth_protocol::{ApprovalState, Arguments, SessionKey};
use hearth_store::{NewApproval, Store, StoreError};

fn new(id: &str, batch: Option<&str>, asked_at: i64) -> NewApproval {
    let row = ApprovalRow {
        id: id.to_owned(),
        state: ApprovalState::Asked,
        scope: None,
        tool: "exec".to_owned(),
        arguments: Arguments::parse("{}"),
        pinned: Vec::new(),
        reason: "it runs a program".to_owned(),
        session: SessionKey::main(),
        turn: "t1".into(),
        batch: batch.map(str::to_owned),
        asked_at,
        expires_at: asked_at + 1800,
        decided_at: None,
    };
    NewApproval { row, form: format!("form of {id}") }
}

async fn open(store: &Store) -> Vec<String> {
    let rows = store.approvals(200).await.expect("lists");
    let asked = rows.into_iter().filter(|row| row.state == ApprovalState::Asked);
    asked.map(|row| row.id).collect()
}

#[tokio::test]
async fn a_batch_is_stored_whole_listed_in_its_order_and_decided_at_once() {
    let home = Home::new().await;
    let store = &home.store;
    store.ask_approvals(&[new("z", None, 90)]).await.expect("stores");
    let batch = ["c", "a", "b"].map(|id| new(id, Some("k"), 100));
    store.ask_approvals(&batch).await.expect("stores");
    store.ask_approvals(&[new("y", Some("other"), 110)]).await.expect("stores");
    assert_eq!(open(store).await, ["y", "c", "a", "b", "z"]);
    // One that is known already stores none of those with it.
    let twice = [new("new", Some("n"), 120), new("a", Some("n"), 120)];
    assert!(store.ask_approvals(&twice).await.is_err());
    assert_eq!(open(store).await.len(), 5);

    let (no, yes) = (ApprovalState::Denied, ApprovalState::Allowed);
    store.decide_approval("a", no, ApprovalScope::Once, 130).await.expect("decides");
    let rows = store.decide_batch("a", yes, 131).await.expect("decides");
    let decided: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.scope)).collect();
    assert_eq!(decided, [("c", Some(ApprovalScope::Once)), ("b", Some(ApprovalScope::Once))]);
    assert_eq!(open(store).await, ["y", "z"]);
    let none = store.decide_batch("b", yes, 132).await;
    assert!(matches!(none, Err(StoreError::NotFound { .. })), "{none:?}");
    // One that was asked alone is a batch of its own.
    assert_eq!(store.decide_batch("z", no, 133).await.expect("decides").len(), 1);

    store.void_approvals(&["y", "a"], 140).await.expect("voids");
    assert!(open(store).await.is_empty());
    let standing = store.standing_approval("form of c", &SessionKey::main()).await.expect("looks");
    assert_eq!(standing, None, "once leaves nothing");
}
