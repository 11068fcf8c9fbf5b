//! The audit log.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::guard::{AuditCheck, AuditEntry};
use tauri::State;

#[tauri::command]
pub(crate) async fn audit_tail(engine: State<'_, Engine>, count: u32) -> Answer<Vec<AuditEntry>> {
    api::guard::audit_tail(&engine, count).await
}

#[tauri::command]
pub(crate) async fn audit_verify(engine: State<'_, Engine>) -> Answer<AuditCheck> {
    api::guard::audit_verify(&engine).await
}
