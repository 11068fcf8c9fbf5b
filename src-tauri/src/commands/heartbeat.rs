//! The heartbeat, jobs, and the inbox of notices.

use super::Answer;
use hearth_engine::Engine;
use hearth_engine::api::{self, heartbeat::RunNow};
use hearth_protocol::api::heartbeat::{
    BeatRow, CronAdd, CronNext, HeartbeatItem, HeartbeatRun, HeartbeatStatus, JobRow, NoticeChange,
    NoticeRow, SlotRow,
};
use tauri::State;

#[tauri::command]
pub(crate) async fn heartbeat_status(engine: State<'_, Engine>) -> Answer<HeartbeatStatus> {
    api::heartbeat::status(&engine).await
}

#[tauri::command]
pub(crate) async fn heartbeat_list(engine: State<'_, Engine>) -> Answer<Vec<HeartbeatItem>> {
    api::heartbeat::list(&engine).await
}

#[tauri::command]
pub(crate) async fn heartbeat_run(
    engine: State<'_, Engine>,
    dry_run: bool,
    item: Option<String>,
) -> Answer<HeartbeatRun> {
    api::heartbeat::run(&engine, RunNow { dry_run, item, at: None }).await
}

#[tauri::command]
pub(crate) async fn heartbeat_pause(
    engine: State<'_, Engine>,
    until: Option<i64>,
) -> Answer<HeartbeatStatus> {
    api::heartbeat::pause(&engine, until).await
}

#[tauri::command]
pub(crate) async fn heartbeat_log(engine: State<'_, Engine>, limit: u32) -> Answer<Vec<BeatRow>> {
    api::heartbeat::log(&engine, limit).await
}

#[tauri::command]
pub(crate) async fn cron_list(engine: State<'_, Engine>) -> Answer<Vec<JobRow>> {
    api::cron::list(&engine).await
}

#[tauri::command]
pub(crate) async fn cron_add(engine: State<'_, Engine>, request: CronAdd) -> Answer<JobRow> {
    api::cron::add(&engine, request).await
}

#[tauri::command]
pub(crate) async fn cron_preview(
    engine: State<'_, Engine>,
    schedule: String,
    zone: Option<String>,
) -> Answer<Vec<CronNext>> {
    api::cron::preview(&engine, schedule, zone).await
}

#[tauri::command]
pub(crate) async fn cron_remove(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::cron::remove(&engine, id).await
}

#[tauri::command]
pub(crate) async fn cron_run(engine: State<'_, Engine>, id: String) -> Answer<HeartbeatRun> {
    api::cron::run(&engine, id).await
}

#[tauri::command]
pub(crate) async fn cron_leave(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::cron::leave(&engine, id).await
}

#[tauri::command]
pub(crate) async fn cron_history(
    engine: State<'_, Engine>,
    id: Option<String>,
) -> Answer<Vec<SlotRow>> {
    api::cron::history(&engine, id).await
}

#[tauri::command]
pub(crate) async fn notices_list(engine: State<'_, Engine>) -> Answer<Vec<NoticeRow>> {
    api::notices::list(&engine).await
}

#[tauri::command]
pub(crate) async fn notices_change(
    engine: State<'_, Engine>,
    id: String,
    change: NoticeChange,
) -> Answer<NoticeRow> {
    api::notices::change(&engine, id, change).await
}
