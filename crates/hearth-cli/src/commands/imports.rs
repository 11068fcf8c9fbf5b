//! `hearth import`: what another assistant left behind, or what of it would come.

use crate::access::Reach;
use crate::args::Import;
use crate::terminal::{Failure, print, print_json, print_rows, redraw, watched};
use hearth_engine::api;
use hearth_engine::door::Call;
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::{
    ImportAsk, ImportCounts, ImportItem, ImportKind, ImportProgress, ImportReason, ImportReport,
    ImportState,
};

pub(crate) async fn run(reach: &Reach, import: Import, json: bool) -> Result<(), Failure> {
    let Import { source, path, dry_run } = import;
    // The owner of the home may work in another folder.
    let path = std::path::absolute(&path).unwrap_or(path);
    let path = path.to_str().ok_or_else(|| Failure::said("the path is no UTF-8 text"))?.to_owned();
    let ask = ImportAsk { source, path, dry_run };
    let report: ImportReport = if dry_run {
        api::imports::run(&reach.read().await?, ask).await?
    } else {
        let bar = watched() && !json;
        let mut signals = |signal: Signal| {
            if let (Signal::Import(progress), true) = (signal, bar) {
                redraw(&far(&progress));
            }
        };
        let done = reach.call(Call::ImportFrom(ask), &mut signals).await;
        if bar {
            redraw("");
        }
        serde_json::from_value(done?)?
    };
    match json {
        true => print_json(&report)?,
        false => show(&report)?,
    }
    match report.counts.failed {
        0 => Ok(()),
        1 => Err(Failure::said("1 item could not be imported; the rest is dealt with")),
        failed => Err(Failure::said(format!(
            "{failed} items could not be imported; the rest is dealt with"
        ))),
    }
}

fn far(progress: &ImportProgress) -> String {
    let ImportProgress { done_bytes, total_bytes, items } = progress;
    match (done_bytes * 100).checked_div(*total_bytes) {
        Some(percent) => format!("{percent} %, {items} items"),
        None => format!("{items} items"),
    }
}

/// What was here before is counted only.
fn show(report: &ImportReport) -> Result<(), Failure> {
    let told = report.items.iter().filter(|item| item.reason != ImportReason::Same);
    let told: Vec<&ImportItem> = told.collect();
    print_rows(false, &told, |item| {
        let state = match item.state {
            ImportState::Added => "added",
            ImportState::AlreadyThere => "there",
            ImportState::Skipped => "skipped",
            ImportState::Failed => "failed",
        };
        vec![state.to_owned(), kind(item.kind).to_owned(), item.name.clone(), why(item)]
    })?;
    let ImportCounts { added, already_there, skipped, failed, messages } = report.counts;
    let would = if report.dry_run { "would be " } else { "" };
    print(&format!(
        "{added} {would}added ({messages} messages), {already_there} already there, {skipped} skipped, {failed} failed\n"
    ))
}

fn kind(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Conversation => "conversation",
        ImportKind::File => "file",
        ImportKind::Log => "log",
        ImportKind::Skill => "skill",
        ImportKind::Export => "export",
    }
}

fn why(item: &ImportItem) -> String {
    let ImportItem { detail, target, .. } = item;
    match item.reason {
        ImportReason::New | ImportReason::Same => detail.clone(),
        ImportReason::LeftOut => format!("without {detail}"),
        ImportReason::Merged => format!("{detail} entries were missing here"),
        ImportReason::Beside => format!("yours differs and stays; this one is {target}"),
        ImportReason::OverTemplate => "in the place of the template".to_owned(),
        ImportReason::Grew => {
            format!("the export has {detail} more messages; delete {target} here to take it anew")
        }
        ImportReason::Empty => "nothing was said in it".to_owned(),
        ImportReason::ByItself => "it ran by itself".to_owned(),
        ImportReason::TooOld => "older than sessions.keep_days".to_owned(),
        ImportReason::NotTaken => "files of this kind are not taken".to_owned(),
        ImportReason::CutShort => {
            "it ends in the middle; what came before is dealt with".to_owned()
        }
        ImportReason::Refused | ImportReason::Unreadable | ImportReason::NotStored => {
            detail.clone()
        }
    }
}
