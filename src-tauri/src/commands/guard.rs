//! The audit log, and why a call would run or not.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::guard::{AuditCheck, AuditEntry, Explain, Explained};
use tauri::State;

#[tauri::command]
pub(crate) async fn audit_tail(engine: State<'_, Engine>, count: u32) -> Answer<Vec<AuditEntry>> {
    api::guard::audit_tail(&engine, count).await
}

#[tauri::command]
pub(crate) async fn audit_verify(engine: State<'_, Engine>) -> Answer<AuditCheck> {
    api::guard::audit_verify(&engine).await
}

#[tauri::command]
pub(crate) async fn audit_export(engine: State<'_, Engine>, path: String) -> Answer<u64> {
    api::guard::audit_export(&engine, path).await
}

#[tauri::command]
pub(crate) async fn guard_explain(
    engine: State<'_, Engine>,
    request: Explain,
) -> Answer<Explained> {
    api::guard::explain(&engine, &request).await
}
