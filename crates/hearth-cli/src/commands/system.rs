//! `hearth usage` and `hearth doctor`.

use crate::access::Reach;
use crate::terminal::{Failure, print_rows};
use hearth_engine::api;
use hearth_protocol::WireError;
use hearth_protocol::api::system::DoctorRow;

pub(crate) async fn usage(reach: &Reach, days: u32, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let rows = api::usage::rows(&engine, days).await?;
    print_rows(json, &rows, |row| {
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
                print_rows(json, &[row], columns)?;
            }
            return Err(failure);
        }
    };
    let rows = api::doctor::run(&engine).await?;
    print_rows(json, &rows, columns)?;
    match rows.iter().find(|row| !row.ok && row.check == "home") {
        Some(row) => Err(Failure::said(format!("{}: {}", row.check, row.detail))),
        None => Ok(()),
    }
}

fn columns(row: &DoctorRow) -> Vec<String> {
    let mark = if row.ok { "ok  " } else { "look" };
    vec![mark.to_owned(), row.check.clone(), row.detail.clone(), row.fix.clone()]
}
