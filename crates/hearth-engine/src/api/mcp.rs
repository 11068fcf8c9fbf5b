//! MCP servers: list, save, test, allow, remove.

use crate::api::{secrets, settings};
use crate::settings::mcp_fault;
use crate::{Engine, hands};
use hearth_protocol::api::mcp::{McpEdit, McpRow, McpState, McpTaken, McpToolRow, McpToolState};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use hearth_tools::mcp::{Pin, PinState, Server, ServerState, offered_name};

/// All servers of `hearth.toml`, with what is known of them. Starts none.
///
/// # Errors
/// None today.
pub async fn list(engine: &Engine) -> Result<Vec<McpRow>, WireError> {
    engine.inner.settings.refresh();
    engine.inner.hands.follow(&engine.inner).await;
    let mut rows = Vec::new();
    for edit in &engine.settings().mcp {
        rows.push(row(engine, edit.clone()).await);
    }
    Ok(rows)
}

/// Adds or changes one; a key is sent along to its URL, an empty one is removed. Its tools are taken as they
/// are: the person has just asked for it.
///
/// # Errors
/// `invalid_request`; `secrets_locked` where a key cannot be stored; `storage`.
pub async fn save(
    engine: &Engine,
    server: McpEdit,
    key: Option<String>,
) -> Result<McpRow, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    if let Some(why) = mcp_fault(&server) {
        let message = format!("the MCP server {:?} cannot be used: {why}", server.id);
        return Err(WireError::new(
            ErrorCode::InvalidRequest,
            message,
            "Correct it and save again.",
        ));
    }
    if let Some(key) = key {
        let name = secret_name(&server.id);
        match key.trim() {
            "" => secrets::forget(engine, &name).await?,
            key => secrets::set(engine, name, key.to_owned()).await?,
        }
    }
    let before = engine.settings().mcp.iter().find(|known| known.id == server.id).cloned();
    let same =
        before.is_some_and(|before| before.command == server.command && before.url == server.url);
    if !same {
        hands::forget(inner, &server.id).await?;
    }
    inner.settings.save_server(&server).map_err(|error| settings::wire(&error))?;
    inner.hands.follow(inner).await;
    inner.bus.send(Signal::Settings);
    Ok(row(engine, server).await)
}

/// Removes one, its key and what was allowed of it.
///
/// # Errors
/// `not_found`; `storage`.
pub async fn remove(engine: &Engine, id: String) -> Result<(), WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let removed = inner.settings.remove_server(&id).map_err(|error| settings::wire(&error))?;
    if !removed {
        return Err(missing(&id));
    }
    hands::forget(inner, &id).await?;
    let mine = secret_name(&id);
    secrets::forget(engine, &mine).await?;
    // What its environment named stands below it.
    for name in secrets::list(engine).await.unwrap_or_default() {
        if name.strip_prefix(&mine).is_some_and(|rest| rest.starts_with('/')) {
            secrets::forget(engine, &name).await?;
        }
    }
    inner.hands.follow(inner).await;
    inner.bus.send(Signal::Settings);
    Ok(())
}

/// Starts one anew and says what it offers, and how that stands to what was allowed.
///
/// # Errors
/// `not_found`. That it does not answer is part of the row.
pub async fn test(engine: &Engine, id: String) -> Result<McpRow, WireError> {
    let (edit, server) = found(engine, &id).await?;
    // What went wrong is the server's state.
    let _ = server.look().await;
    hands::refresh(&engine.inner, &server);
    Ok(row(engine, edit).await)
}

/// Allows a server's tools as they are now.
///
/// # Errors
/// `not_found`; `invalid_request` where it does not answer.
pub async fn allow(engine: &Engine, id: String) -> Result<McpRow, WireError> {
    engine.inner.must_own()?;
    let (edit, server) = found(engine, &id).await?;
    hands::take(&engine.inner, &server).await?;
    engine.inner.bus.send(Signal::Settings);
    Ok(row(engine, edit).await)
}

async fn found(engine: &Engine, id: &str) -> Result<(McpEdit, Server), WireError> {
    engine.inner.settings.refresh();
    engine.inner.hands.follow(&engine.inner).await;
    let edit = engine.settings().mcp.iter().find(|known| known.id == id).cloned();
    let edit = edit.ok_or_else(|| missing(id))?;
    let off = || {
        let message = format!("the MCP server {id} is turned off");
        WireError::new(ErrorCode::InvalidRequest, message, "Turn it on first.")
    };
    let server = engine.inner.hands.server(id).await.ok_or_else(off)?;
    Ok((edit, server))
}

async fn row(engine: &Engine, edit: McpEdit) -> McpRow {
    let Some(server) = engine.inner.hands.server(&edit.id).await else {
        return McpRow { server: edit, state: McpState::Off, problem: None, tools: Vec::new() };
    };
    let (state, problem) = match server.state() {
        ServerState::Asleep => (McpState::Asleep, None),
        ServerState::Running => (McpState::Running, None),
        ServerState::Failed(why) => (McpState::Failed, Some(why)),
    };
    let pinned = server.pinned();
    let tools = server
        .known()
        .into_iter()
        .map(|(pin, state)| tool_row(&edit.id, pin, state, &pinned))
        .collect();
    McpRow { server: edit, state, problem, tools }
}

fn tool_row(server: &str, pin: Pin, state: PinState, pinned: &[Pin]) -> McpToolRow {
    let taken = pinned.iter().find(|old| state == PinState::Changed && old.name == pin.name);
    let taken =
        taken.cloned().map(|Pin { description, schema, .. }| McpTaken { description, schema });
    let state = match state {
        PinState::Same => McpToolState::Same,
        PinState::Changed => McpToolState::Changed,
        PinState::New => McpToolState::New,
        PinState::Gone => McpToolState::Gone,
    };
    McpToolRow {
        offered_as: offered_name(server, &pin.name),
        name: pin.name,
        description: pin.description,
        schema: pin.schema,
        state,
        taken,
    }
}

fn missing(id: &str) -> WireError {
    WireError::new(ErrorCode::NotFound, format!("there is no MCP server {id}"), "")
}

fn secret_name(id: &str) -> String {
    format!("mcp/{id}")
}
