//! `hearth usage` and `hearth doctor`.

use crate::access::Reach;
use crate::terminal::{Failure, print, print_list, print_rows, wrapped};
use hearth_engine::api;
use hearth_protocol::WireError;
use hearth_protocol::api::system::DoctorRow;

pub(crate) async fn usage(reach: &Reach, days: u32, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::usage::rows(&engine, days).await?;
    let none = format!("Nothing was used in the last {days} days.");
    print_list(json, &rows, &none, |row| {
        let purpose = format!("{:?}", row.purpose).to_lowercase();
        let tokens = format!("{} in ({} cached), {} out", row.input, row.cached, row.output);
        let calls = format!("{} calls", row.calls);
        vec![row.day.clone(), purpose, row.model.clone(), calls, tokens, format!("${:.4}", row.usd)]
    })
}

/// Fails where a check does, after showing all.
pub(crate) async fn doctor(reach: &Reach, json: bool) -> Result<(), Failure> {
    let engine = match reach.read().await {
        Ok(engine) => engine,
        // What keeps the home from being opened at all is the finding.
        Err(failure) => {
            if let Failure::Refused(WireError { message, hint, .. }) = &failure {
                let (detail, fix) = (message.clone(), hint.clone());
                let row = DoctorRow { check: "home".to_owned(), ok: false, detail, fix };
                findings(json, &[row])?;
            }
            return Err(failure);
        }
    };
    let rows = api::doctor::run(&engine).await?;
    findings(json, &rows)?;
    match rows.iter().find(|row| !row.ok && row.check == "home") {
        Some(row) => Err(Failure::said(format!("{}: {}", row.check, row.detail))),
        None => Ok(()),
    }
}

/// What was found; what to do stands below, for it is long.
fn findings(json: bool, rows: &[DoctorRow]) -> Result<(), Failure> {
    if json {
        return print_rows(json, rows, |_| Vec::new());
    }
    let widest = rows.iter().map(|row| row.check.len()).max().unwrap_or_default();
    let mut text = String::new();
    for row in rows {
        let mark = if row.ok { "ok  " } else { "look" };
        let first = format!("{mark}  {:widest$}  ", row.check);
        let below = " ".repeat(first.len());
        text.push_str(&wrapped(&first, &below, &row.detail));
        if !row.fix.is_empty() {
            text.push_str(&wrapped(&format!("{below}→ "), &format!("{below}  "), &row.fix));
        }
    }
    print(&text)
}
