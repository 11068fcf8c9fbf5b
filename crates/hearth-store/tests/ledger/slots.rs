//! Jobs and the ledger of their slots, over real kills: a process that ends is a store that is opened again.

use crate::support::Home;
use hearth_protocol::SessionKey;
use hearth_protocol::api::heartbeat::{
    ItemKind, JobAction, JobSource, JobState, MissedPolicy, NoticeChange, NoticeRow, NoticeState,
    SlotState,
};
use hearth_store::{DueSlots, MissedSlots, NewNotice, Store, StoredJob};

fn job(id: &str) -> StoredJob {
    StoredJob {
        id: id.to_owned(),
        source: JobSource::Chat,
        kind: ItemKind::Job,
        name: "Tea".to_owned(),
        schedule: "every 2h".to_owned(),
        zone: "Asia/Shanghai".to_owned(),
        action: JobAction::Remind,
        text: "Drink tea.".to_owned(),
        missed: MissedPolicy::RunOnce,
        state: JobState::Active,
        why: String::new(),
        failures: 0,
        retry_at: None,
        anchor: 100,
        cursor: 100,
        session: Some(SessionKey::main()),
        created_at: 100,
    }
}

fn due<'a>(job: &'a str, run: Option<i64>, missed: &[(i64, i64)], cursor: i64) -> DueSlots<'a> {
    let missed = missed.iter().map(|(from, to)| MissedSlots {
        from: *from,
        to: *to,
        count: 1,
        why: "asleep".to_owned(),
        asks: false,
    });
    DueSlots { job, name: "Tea", run, why: "", missed: missed.collect(), cursor }
}

async fn states(store: &Store) -> Vec<(i64, Option<i64>, SlotState)> {
    let rows = store.slots(None, 100).await.expect("lists");
    rows.into_iter().map(|row| (row.slot, row.until, row.state)).collect()
}

#[tokio::test]
async fn a_slot_runs_once_over_restarts_and_clocks_that_are_put_back() {
    let home = Home::new().await;
    let store = &home.store;
    store.put_job(&job("j")).await.expect("stores");
    assert!(store.take_due(&due("j", Some(300), &[(120, 280)], 310)).await.expect("writes"));
    assert!(store.begin_slot("j", 300, 311).await.expect("begins"));
    assert!(!store.begin_slot("j", 300, 312).await.expect("asks"), "begun already");
    assert_eq!(store.job("j").await.expect("there").cursor, 310);

    // The process was killed: what ran is interrupted, and never runs again.
    let home = home.reopen().await;
    let store = &home.store;
    assert!(store.recover_slots("ended", 400).await.expect("heals").is_empty());
    assert!(!store.take_due(&due("j", Some(300), &[], 290)).await.expect("writes"));
    assert!(!store.queue_slot("j", "Tea", 300, "").await.expect("asks"));
    assert_eq!(
        states(store).await,
        [(300, None, SlotState::Interrupted), (120, Some(280), SlotState::Missed)]
    );

    // A slot that was missed when the clock was wrong may run when its time comes.
    assert!(!store.take_due(&due("j", None, &[(500, 500)], 510)).await.expect("writes"));
    assert!(store.take_due(&due("j", Some(500), &[], 505)).await.expect("writes"));

    // One that was only queued never began: it is handed back.
    let home = home.reopen().await;
    let store = &home.store;
    let queued = store.recover_slots("ended", 600).await.expect("heals");
    assert_eq!(queued.iter().map(|row| row.slot).collect::<Vec<_>>(), [500]);
    store.end_slot("j", 500, SlotState::Missed, "ended before", 601).await.expect("ends");
    store.end_slot("j", 500, SlotState::Ok, "late", 602).await.expect("does nothing");
    assert_eq!(states(store).await[0], (500, None, SlotState::Missed));
}

#[tokio::test]
async fn a_stretch_that_meets_a_row_begins_behind_it_and_asking_can_be_answered() {
    let home = Home::new().await;
    let store = &home.store;
    store.put_job(&job("j")).await.expect("stores");
    assert!(store.take_due(&due("j", Some(300), &[], 300)).await.expect("writes"));
    store.take_due(&due("j", None, &[(300, 400)], 400)).await.expect("writes");
    assert_eq!(
        states(store).await,
        [(301, Some(400), SlotState::Missed), (300, None, SlotState::Queued)]
    );
    let asks = MissedSlots { from: 500, to: 500, count: 1, why: "asleep".to_owned(), asks: true };
    let due = DueSlots { missed: vec![asks], ..due("j", None, &[], 510) };
    store.take_due(&due).await.expect("writes");
    assert!(store.slot("j", 500).await.expect("there").asks);
    store.answer_slots("j").await.expect("answers");
    assert!(!store.slot("j", 500).await.expect("there").asks);
}

#[tokio::test]
async fn a_job_that_was_due_again_is_not_tried_twice() {
    let home = Home::new().await;
    let store = &home.store;
    store.put_job(&job("j")).await.expect("stores");
    store.set_job_health("j", (1, Some(250)), (JobState::Active, "")).await.expect("notes");
    store.take_due(&due("j", Some(250), &[], 260)).await.expect("writes");
    let stored = store.job("j").await.expect("there");
    assert_eq!((stored.retry_at, stored.failures), (None, 1));
    store.remove_job("j").await.expect("removes");
    assert!(store.job("j").await.is_err() && store.remove_job("j").await.is_err());
    assert_eq!(states(store).await.len(), 1, "its slots are history");
}

fn notice(id: &str, body: &str, show_at: Option<i64>) -> NewNotice {
    let row = NoticeRow {
        id: id.to_owned(),
        title: "Tea".to_owned(),
        body: body.to_owned(),
        reason: "it is time".to_owned(),
        item: "j".to_owned(),
        session: SessionKey::main(),
        message: Some("m1".into()),
        at: 100,
        state: NoticeState::New,
        snoozed_until: None,
        shown_at: None,
        held: String::new(),
    };
    NewNotice { row, show_at, counts: true }
}

#[tokio::test]
async fn the_inbox_keeps_shows_snoozes_and_mutes() {
    let home = Home::new().await;
    let store = &home.store;
    store.add_notice(&notice("a", "Green.", Some(200))).await.expect("keeps");
    store.add_notice(&notice("b", "Black.", None)).await.expect("keeps");
    assert_eq!(store.next_notice().await.expect("asks"), Some(200));
    assert!(store.notices_to_show(199).await.expect("asks").is_empty());
    assert_eq!(store.notices_to_show(200).await.expect("asks").len(), 1);
    store.notice_shown("a", Some(201), "").await.expect("notes");
    assert_eq!(store.next_notice().await.expect("asks"), None);
    assert_eq!(store.shown_since(201).await.expect("counts"), 1);
    assert_eq!(store.shown_since(202).await.expect("counts"), 0);
    assert_eq!(store.said_before("Tea", "Green.").await.expect("asks"), Some(100));
    assert_eq!(store.said_before("Tea", "White.").await.expect("asks"), None);

    let snoozed =
        store.change_notice("a", &NoticeChange::Snooze { until: 900 }).await.expect("changes");
    assert_eq!((snoozed.state, snoozed.snoozed_until), (NoticeState::Snoozed, Some(900)));
    assert_eq!(store.notices_to_show(900).await.expect("asks")[0].id, "a");
    store.notice_shown("a", Some(901), "").await.expect("notes");
    let rows = store.notices(10).await.expect("lists");
    let back = rows.iter().find(|row| row.id == "a").expect("there");
    assert_eq!((back.state, back.shown_at), (NoticeState::New, Some(901)));

    store.change_notice("b", &NoticeChange::Less).await.expect("changes");
    assert_eq!(store.unwanted().await.expect("lists"), ["Tea Black."]);
    store.change_notice("b", &NoticeChange::Reopen).await.expect("changes");
    assert!(store.unwanted().await.expect("lists").is_empty());
    assert_eq!(store.notices_new().await.expect("counts"), 2);
    assert!(store.change_notice("c", &NoticeChange::Done).await.is_err());
}
