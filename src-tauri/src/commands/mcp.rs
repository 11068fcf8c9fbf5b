//! MCP servers.

use super::Answer;
use hearth_engine::{Engine, api};
use hearth_protocol::api::mcp::{McpEdit, McpRow};
use tauri::State;

#[tauri::command]
pub(crate) async fn mcp_allow(engine: State<'_, Engine>, id: String) -> Answer<McpRow> {
    api::mcp::allow(&engine, id).await
}

#[tauri::command]
pub(crate) async fn mcp_list(engine: State<'_, Engine>) -> Answer<Vec<McpRow>> {
    api::mcp::list(&engine).await
}

#[tauri::command]
pub(crate) async fn mcp_remove(engine: State<'_, Engine>, id: String) -> Answer<()> {
    api::mcp::remove(&engine, id).await
}

#[tauri::command]
pub(crate) async fn mcp_save(
    engine: State<'_, Engine>,
    server: McpEdit,
    key: Option<String>,
) -> Answer<McpRow> {
    api::mcp::save(&engine, server, key).await
}

#[tauri::command]
pub(crate) async fn mcp_test(engine: State<'_, Engine>, id: String) -> Answer<McpRow> {
    api::mcp::test(&engine, id).await
}
