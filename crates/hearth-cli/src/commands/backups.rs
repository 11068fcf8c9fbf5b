//! `hearth backup`, `hearth restore`: the home as one encrypted file. The passphrase is read, never an argument.

use crate::access::Reach;
use crate::terminal::{Failure, input, print, print_json, warn};
use hearth_engine::api;
use hearth_protocol::api::transfer::{BackupCounts, BackupMade, Restored};
use std::io::IsTerminal;
use std::path::Path;

pub(crate) async fn make(reach: &Reach, file: &Path, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let passphrase = passphrase(true)?;
    let made = api::backups::make(&engine, absolute(file)?, passphrase).await?;
    if json {
        return print_json(&made);
    }
    let BackupMade { path, bytes, counts, left_out } = made;
    for note in left_out {
        warn(&format!("not in it: {}: {}", note.name, note.why));
    }
    print(&format!(
        "{path} is made and read back: {}, {} kB. Without the passphrase nobody opens it, you neither.\n",
        told(counts),
        bytes.div_ceil(1000)
    ))
}

pub(crate) async fn restore(home: Option<&Path>, file: &Path, json: bool) -> Result<(), Failure> {
    let passphrase = passphrase(false)?;
    let restored = api::backups::restore(home, absolute(file)?, passphrase).await?;
    if json {
        return print_json(&restored);
    }
    let Restored { counts, aside, secrets, .. } = restored;
    let mut text = format!("Restored: {}.\n", told(counts));
    if !aside.is_empty() {
        text.push_str(&format!("What was here before is in {aside}\n"));
    }
    match secrets.as_str() {
        "passphrase" => text.push_str("The keys open with a passphrase: that of before, or else that of the backup.\n"),
        "locked" => text.push_str("The keys were locked when the backup was made, so they do not open here: enter them again.\n"),
        _ => {}
    }
    print(&text)
}

fn told(counts: BackupCounts) -> String {
    let BackupCounts { sessions, workspace_files, skill_files, secrets } = counts;
    format!(
        "{sessions} conversations, {workspace_files} workspace files, {skill_files} files of skills, {secrets} keys"
    )
}

fn absolute(file: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(file)?;
    path.to_str().map(str::to_owned).ok_or_else(|| Failure::said("the path is no UTF-8 text"))
}

/// Asked for at a terminal, a new one twice; else the first line of standard input.
fn passphrase(new: bool) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        let all = input()?;
        let first = all.lines().next().unwrap_or_default().to_owned();
        if first.is_empty() {
            let what =
                "no passphrase came on standard input; give it there, or run this in a terminal";
            return Err(Failure::said(what));
        }
        return Ok(first);
    }
    let first = rpassword::prompt_password("Passphrase: ")?;
    if new && rpassword::prompt_password("Once more: ")? != first {
        return Err(Failure::said("the two passphrases differ; nothing was made"));
    }
    Ok(first)
}
