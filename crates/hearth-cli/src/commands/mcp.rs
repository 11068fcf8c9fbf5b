//! `hearth mcp`: servers of `hearth.toml` and what they offer.

use crate::access::Reach;
use crate::args::Mcp;
use crate::terminal::{Failure, print, print_rows};
use hearth_engine::api;
use hearth_engine::door::Call;
use serde_json::{Value, json};

pub(crate) async fn run(reach: &Reach, command: Mcp, json: bool) -> Result<(), Failure> {
    match command {
        Mcp::List => {
            let engine = reach.read().await?;
            let servers = api::mcp::list(&engine).await?;
            let rows: Vec<Value> = servers.iter().map(|server| json!(server)).collect();
            print_rows(json, &rows, server_row)
        }
        Mcp::Test { id } => tools(reach.call(Call::TestMcp { id }, &mut |_| {}).await?, json),
        Mcp::Allow { id } => tools(reach.call(Call::AllowMcp { id }, &mut |_| {}).await?, json),
        Mcp::Remove { id } => {
            reach.call(Call::RemoveMcp { id: id.clone() }, &mut |_| {}).await?;
            if json { Ok(()) } else { print(&format!("{id} is removed\n")) }
        }
    }
}

/// What a server offers; one that does not answer is a failure.
fn tools(server: Value, json: bool) -> Result<(), Failure> {
    if let Some(why) = server["problem"].as_str() {
        return Err(Failure::said(why.to_owned()));
    }
    let rows = server["tools"].as_array().cloned().unwrap_or_default();
    print_rows(json, &rows, |tool| {
        ["offered_as", "state", "description"]
            .map(|name| tool[name].as_str().unwrap_or_default().to_owned())
            .to_vec()
    })
}

fn server_row(row: &Value) -> Vec<String> {
    let reached = match row["server"]["url"].as_str().unwrap_or_default() {
        "" => {
            let words = row["server"]["command"].as_array().cloned().unwrap_or_default();
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        url => url.to_owned(),
    };
    let tools = row["tools"].as_array().map_or(0, Vec::len);
    vec![
        row["server"]["id"].as_str().unwrap_or_default().to_owned(),
        row["state"].as_str().unwrap_or_default().to_owned(),
        format!("{tools} tools"),
        reached,
    ]
}
