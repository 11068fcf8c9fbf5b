//! `hearth secrets`: names in, names out; a value is only ever read.

use crate::access::Reach;
use crate::args::Secrets;
use crate::terminal::{Failure, input, print, print_list};
use hearth_engine::api;
use hearth_engine::door::{Call, Secret};
use serde_json::json;

pub(crate) async fn run(reach: &Reach, command: Secrets, json: bool) -> Result<(), Failure> {
    match command {
        Secrets::Set { name } => {
            let value = input()?;
            let value = value.trim_end_matches(['\r', '\n']).to_owned();
            if value.is_empty() {
                let what = "nothing came on standard input; give the value there, for example: \
                            printf %s \"$KEY\" | hearth secrets set providers/work";
                return Err(Failure::said(what));
            }
            reach
                .call(Call::SetSecret { name: name.clone(), value: Secret(value) }, &mut |_| {})
                .await?;
            if json { Ok(()) } else { print(&format!("{name} is stored\n")) }
        }
        Secrets::List => {
            let engine = reach.read().await?;
            let names = api::secrets::list(&engine).await?;
            let rows: Vec<_> = names.into_iter().map(|name| json!({ "name": name })).collect();
            let none = "No secret is stored. `hearth secrets set providers/ID` stores a key.";
            print_list(json, &rows, none, |row| {
                vec![row["name"].as_str().unwrap_or_default().to_owned()]
            })
        }
        Secrets::Remove { name } => {
            reach.call(Call::RemoveSecret { name: name.clone() }, &mut |_| {}).await?;
            if json { Ok(()) } else { print(&format!("{name} is removed\n")) }
        }
    }
}
