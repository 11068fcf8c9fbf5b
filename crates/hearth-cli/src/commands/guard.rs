//! `hearth audit` and `hearth guard`.

use crate::access::Reach;
use crate::args::{Audit, Guard};
use crate::terminal::{Failure, print, print_json, print_rows};
use hearth_engine::api;
use hearth_protocol::api::guard::Explain;

pub(crate) async fn audit(reach: &Reach, command: Audit, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    match command {
        Audit::Tail { n } => {
            let rows = api::guard::audit_tail(&engine, n).await?;
            print_rows(json, &rows, |row| {
                let what = row.body.to_string();
                vec![row.seq.to_string(), engine.local_time(row.at), row.kind.clone(), what]
            })
        }
        Audit::Verify => {
            let found = api::guard::audit_verify(&engine).await?;
            if json {
                print_json(&found)?;
            } else if found.ok {
                print(&format!("{} entries, none changed\n", found.entries))?;
            }
            let Some(at) = found.broken_at.filter(|_| !found.ok) else { return Ok(()) };
            let what = crate::access::broken_entries(at, found.missing_to);
            Err(Failure::said(format!(
                "the audit log was changed: {what}. What came before is whole; what comes from now on is \
                 kept in a new chain."
            )))
        }
    }
}

pub(crate) async fn guard(reach: &Reach, command: Guard, json: bool) -> Result<(), Failure> {
    let Guard::Explain { tool, args, allow, shell, tainted, session, said } = command;
    let arguments = serde_json::from_str(&args).map_err(|error| {
        Failure::said(format!(
            "--args is no JSON ({error}). Give an object such as '{{\"path\": \"a.md\"}}'."
        ))
    })?;
    let allow = allow.map(|list| list.split(',').map(str::to_owned).collect());
    let engine = reach.read().await?;
    let ask = Explain { tool, arguments, allow, shell, tainted, session, said };
    let found = api::guard::explain(&engine, &ask).await?;
    if json {
        return print_json(&found);
    }
    print(&format!("{} ({}): {}\n", found.verdict, found.rule, found.why))
}
